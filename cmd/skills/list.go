package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
	"skills/install/agents"
)

// listCommand describes list.
func listCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Aliases: []string{"ls"}, Usage: "list what is installed",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "agent", Aliases: []string{"a"}, Usage: "only what the agent `ID` sees (repeatable)"},
			&cli.BoolFlag{Name: "all-scopes", Usage: "project and user scope"},
		},
		Action: list,
	}
}

type installedDocument struct {
	Name   string   `json:"name"`
	Scope  string   `json:"scope"`
	Source *string  `json:"source"`
	From   *string  `json:"source_path"`
	Ref    *string  `json:"ref"`
	Commit *string  `json:"commit"`
	Digest *string  `json:"digest"`
	Path   string   `json:"path"`
	Agents []string `json:"agents"`
	State  string   `json:"state"`
}

type installedDocuments struct {
	Skills []installedDocument `json:"skills"`
}

// list prints the installed skills of one scope or both.
func list(c *cli.Context) error {
	s := sessionOf(c)
	if c.Args().Present() {
		return ui.UsageError("list takes no arguments, got %q", c.Args().First())
	}
	scopes := []agents.Scope{s.scope}
	if c.Bool("all-scopes") {
		scopes = []agents.Scope{agents.ProjectScope, agents.UserScope}
	}
	if err := s.knownAgents(c.StringSlice("agent")); err != nil {
		return err
	}
	documents := installedDocuments{Skills: []installedDocument{}}
	for _, scope := range scopes {
		rows, err := s.listScope(c, scope)
		if err != nil {
			return err
		}
		documents.Skills = append(documents.Skills, rows...)
	}
	s.printInstalled(documents.Skills)
	return s.terminal.Document(documents)
}

// knownAgents refuses ids that no agent has.
func (s *session) knownAgents(ids []string) error {
	table, err := s.agents()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := table.Lookup(id); err != nil {
			return usageOf(err)
		}
	}
	return nil
}

// listScope describes the skills of one scope that the wanted agents see.
func (s *session) listScope(c *cli.Context, scope agents.Scope) ([]installedDocument, error) {
	engine, err := s.engineOf(scope, false)
	if err != nil {
		return nil, err
	}
	all, err := engine.Installed(c.Context)
	if err != nil {
		return nil, err
	}
	var rows []installedDocument
	for _, skill := range all {
		row := describeInstalled(skill, scope)
		wanted := c.StringSlice("agent")
		if len(wanted) == 0 || slices.ContainsFunc(wanted, func(id string) bool { return slices.Contains(row.Agents, id) }) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// describeInstalled writes an installed skill.
func describeInstalled(skill install.Installed, scope agents.Scope) installedDocument {
	d := installedDocument{
		Name: skill.Name, Scope: scope.String(), Source: orNull(skill.Lock.Source), From: orNull(skill.Lock.Path), Ref: orNull(skill.Lock.Ref),
		Commit: orNull(skill.Lock.Commit), Digest: orNull(skill.Lock.Hash), Path: skill.Path, Agents: []string{}, State: string(skill.State),
	}
	for _, target := range skill.Targets {
		seen := target.State != install.StateMissing && target.State != install.StateUnmanaged
		if seen || skill.State == install.StateUnmanaged {
			d.Agents = append(d.Agents, target.Agent)
		}
		if skill.State == install.StateOK && (target.State == install.StateModified || target.State == install.StateMissing) {
			d.State = string(install.StateModified)
		}
	}
	return d
}

// printInstalled prints the table.
func (s *session) printInstalled(skills []installedDocument) {
	if len(skills) == 0 {
		flag := ""
		if s.scope == agents.UserScope {
			flag = "-g "
		}
		s.terminal.Step("nothing is installed here; add a skill with: skills add %sSOURCE", flag)
		return
	}
	var rows [][]string
	for _, d := range skills {
		rows = append(rows, []string{d.Name, d.Scope, d.State, revisionText(d), strings.Join(d.Agents, ",")})
	}
	s.terminal.Table([]string{"NAME", "SCOPE", "STATE", "SOURCE", "AGENTS"}, rows)
}

// revisionText says where a skill came from in one cell.
func revisionText(d installedDocument) string {
	if d.Source == nil {
		return ""
	}
	step := install.Step{Source: *d.Source}
	for _, field := range []struct {
		to   *string
		from *string
	}{{&step.From, d.From}, {&step.Ref, d.Ref}, {&step.Commit, d.Commit}} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	return origin(step)
}
