package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
	"skills/install/agents"
	"skills/install/delegate"
	"skills/source"
)

// The values of --engine.
const (
	engineNative = string(delegate.Native)
	engineSkills = string(delegate.Skills)
	engineAuto   = "auto"
)

// delegate has the npm tool install where --engine says so. It is false where this program is to do it. As the tool of a copy of itself
// this program does nothing.
func (s *session) delegate(c *cli.Context, request install.AddRequest) (done bool, err error) {
	if err := delegate.Refuse(s.env.list()); err != nil {
		return false, err
	}
	switch c.String("engine") {
	case engineNative:
		return false, nil
	case engineSkills, engineAuto:
	default:
		return false, ui.UsageError("--engine is %s, %s or %s, not %q", engineNative, engineSkills, engineAuto, c.String("engine"))
	}
	tool, work, err := s.delegation(c, request)
	switch {
	case err == nil:
		return true, s.runTool(c, tool, work, request.Sources[0].Locator)
	case c.String("engine") == engineAuto:
		s.terminal.Step("%v; this program installs", err)
		return false, nil
	}
	return false, err
}

// delegation is what the npm tool is to do. The error says why it is not asked.
func (s *session) delegation(c *cli.Context, request install.AddRequest) (delegate.Tool, delegate.Request, error) {
	first := request.Sources[0]
	work := delegate.Request{
		Skills: first.Skills, Agents: request.Agents, Global: s.scope == agents.UserScope, Copy: request.Mode == install.ModeCopy,
	}
	if first.Locator.Skill != "" {
		work.Skills = append([]string{first.Locator.Skill}, work.Skills...)
	}
	program, missing := s.findTool()
	tool := delegate.Tool{Program: program, Dir: s.root(), Environment: s.env.list(), Output: func(line string) { s.terminal.Step("skills: %s", line) }}
	engine, reason := delegate.Choose(delegate.Facts{Named: len(work.Skills) > 0, All: request.All, Found: missing == nil})
	work.Source = s.toolSource(first.Locator, c.IsSet("ref") || c.IsSet("path"))
	switch {
	case engine == delegate.Native && missing != nil && len(work.Skills) > 0 && !request.All:
		return tool, work, missing
	case engine == delegate.Native:
	case work.Source == "":
		reason = fmt.Sprintf("%q is written in no form that it reads", first.Locator.Input)
	default:
		reason = s.beyondTool(c, request, work)
	}
	if reason != "" {
		return tool, work, &delegate.Error{
			Kind: "invalid_input", Message: "the npm tool cannot be asked: " + reason, Hint: "install with this program itself: --engine native",
		}
	}
	return tool, work, nil
}

// beyondTool says what of a command line the npm tool cannot do, "" for nothing.
func (s *session) beyondTool(c *cli.Context, request install.AddRequest, work delegate.Request) string {
	for _, flag := range []string{"as", "force", "no-save", "full-depth", "link", "plugin", "remote-plugins"} {
		if c.IsSet(flag) {
			return "it has no --" + flag
		}
	}
	pattern := slices.IndexFunc(work.Skills, func(name string) bool { return !delegate.IsName(name) })
	switch {
	case len(request.Sources) > 1:
		return "it takes one source at a time"
	case s.offline || s.env.variable("SKILLS_OFFLINE") != "":
		return "it needs the network"
	case pattern >= 0:
		return fmt.Sprintf("%q is a path or a pattern, and it knows names only", work.Skills[pattern])
	}
	return ""
}

// findTool finds the npm tool, which is never this program.
func (s *session) findTool() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	search := delegate.Search{Self: self}
	for name, value := range s.env.variables {
		switch {
		case name == "PATH", runtime.GOOS == "windows" && strings.EqualFold(name, "PATH"):
			search.Path = value
		case strings.EqualFold(name, "PATHEXT"):
			search.Extensions = value
		}
	}
	return search.Find()
}

// toolSource writes a source so that the npm tool reads it as it is meant here, "" where it has no such form: "@x" is a skill there and
// never a ref, so what was typed is passed on only where nothing else says it.
func (s *session) toolSource(l source.Locator, changed bool) string {
	plain := l
	plain.Skill, plain.SkillOrRef = "", false
	page, whole := plain.Canonical(), l.Ref == "" && l.Path == ""
	switch {
	case l.File, l.Kind == source.Builtin, l.Kind == source.NPM, l.Kind == source.OCI:
		return ""
	case l.URL == "" && l.Kind == source.Local:
		return s.localTool(l.Path)
	case l.Kind != source.Git:
		return l.URL
	case whole && l.Host == "github.com" && l.Transport == source.HTTPS:
		return l.Owner + "/" + l.Repo
	case whole:
		return l.URL
	case strings.HasPrefix(page, "https://"):
		return page
	case !changed && strings.HasPrefix(l.Input, "https://"):
		return l.Input
	}
	return ""
}

// localTool writes a directory for the npm tool, which does not know "~".
func (s *session) localTool(path string) string {
	if strings.HasPrefix(path, "~") {
		return s.env.absolute(filepath.FromSlash(path))
	}
	return path
}

// list is the environment as programs get it.
func (e environment) list() []string {
	var list []string
	for name, value := range e.variables {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// runTool has the npm tool install, after what this program would refuse as well.
func (s *session) runTool(c *cli.Context, tool delegate.Tool, work delegate.Request, l source.Locator) error {
	if err := s.admits(work, l); err != nil {
		return err
	}
	command, err := tool.Command(work)
	if err != nil {
		return err
	}
	words := strings.Join(command.Arguments, " ")
	dry := c.Bool("dry-run")
	s.terminal.Step("the npm tool %s: %s %s", map[bool]string{true: "would install", false: "installs"}[dry], command.Program, words)
	if !dry {
		if err := tool.Add(c.Context, work); err != nil {
			return err
		}
	}
	return s.reportTool(dry, words, work.Skills, l)
}

// admits refuses unknown agents, sources that a policy refuses, and names that skills of other sources have here.
func (s *session) admits(work delegate.Request, l source.Locator) error {
	table, err := s.agents()
	if err != nil {
		return err
	}
	for _, id := range work.Agents {
		if _, err := table.Lookup(id); err != nil && id != "*" {
			return err
		}
	}
	engine, err := s.engine(false)
	if err != nil {
		return err
	}
	return engine.Admits(l, work.Skills...)
}

// reportTool tells what the npm tool was asked for. What it did beyond that, only its own record knows.
func (s *session) reportTool(dry bool, words string, skills []string, l source.Locator) error {
	plan := &install.Plan{}
	for _, name := range slices.Sorted(slices.Values(skills)) {
		s.tellChange(dry)("%s %s %s", coloured(install.Added, dry), ui.Bold(name), ui.Faint("by the npm tool"))
		plan.Steps = append(plan.Steps, install.Step{Name: name, Action: install.Added, Source: l.Source(), Ref: l.Ref, Reason: "by the npm tool: skills " + words})
	}
	if dry {
		s.terminal.Step("this was a dry run: nothing was changed")
	} else {
		s.terminal.Step("skills.toml and skills.lock do not know of it; adopt it with: skills import")
	}
	return s.terminal.Document(planDocument(plan))
}
