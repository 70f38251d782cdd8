package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/catalog/expand"
	"skills/catalog/resource"
	"skills/cmd/internal/ui"
	"skills/install"
	"skills/install/agents"
)

// shownDocument is an installed skill: what list says of it, what its SKILL.md says, and its files.
type shownDocument struct {
	installedDocument
	Description   *string            `json:"description"`
	License       *string            `json:"license"`
	Compatibility *string            `json:"compatibility"`
	Metadata      map[string]any     `json:"metadata"`
	AllowedTools  []string           `json:"allowed_tools"`
	Hooks         []hookDocument     `json:"hooks"`
	ShellSpans    []string           `json:"shell_spans"`
	Files         []resourceDocument `json:"files"`
	Bytes         int64              `json:"bytes"`
	Tokens        *int               `json:"tokens"`
	Findings      []findingDocument  `json:"findings"`
	Error         *errorDocument     `json:"error"`
}

type resourceDocument struct {
	Path       string `json:"path"`
	Kind       string `json:"kind"`
	Bytes      int64  `json:"bytes"`
	Executable bool   `json:"executable"`
}

// couldBeName tells whether an argument of show may be the name of an installed skill: sources have a slash, a dot or a colon.
func couldBeName(text string) bool {
	return catalog.CheckName(text) == nil && !strings.ContainsAny(text, "./:@#~")
}

// installedSkill finds an installed skill by its name, in the scope that was asked for, else in the other.
func (s *session) installedSkill(ctx context.Context, name string) (install.Installed, agents.Scope, bool, error) {
	scopes := []agents.Scope{s.scope}
	if s.scope == agents.ProjectScope {
		scopes = append(scopes, agents.UserScope)
	}
	for _, scope := range scopes {
		engine, err := s.engineOf(scope, false)
		if err != nil {
			return install.Installed{}, scope, false, err
		}
		all, err := engine.Installed(ctx)
		if err != nil {
			return install.Installed{}, scope, false, err
		}
		if n := slices.IndexFunc(all, func(i install.Installed) bool { return i.Name == name }); n >= 0 {
			return all[n], scope, true, nil
		}
	}
	return install.Installed{}, s.scope, false, nil
}

// showInstalled prints all that is known of an installed skill.
func (s *session) showInstalled(ctx context.Context, name string) error {
	skill, scope, found, err := s.installedSkill(ctx, name)
	if err != nil {
		return err
	}
	if !found {
		return &ui.Error{Word: "not_found", Message: fmt.Sprintf("no skill %q is installed", name),
			Advice: []string{"see what is installed with: skills list", "for a repository write owner/" + name + ", for a directory ./" + name}}
	}
	d := shownDocument{installedDocument: describeInstalled(skill, scope), AllowedTools: []string{}, Hooks: []hookDocument{}, ShellSpans: []string{}, Files: []resourceDocument{}, Findings: []findingDocument{}}
	dir := filepath.Join(s.rootOf(scope), filepath.FromSlash(strings.TrimPrefix(skill.Path, "~/")))
	if skill.State != install.StateMissing {
		s.describeSkill(&d, dir)
	}
	s.printShown(d)
	return s.terminal.Document(map[string]any{"skill": d})
}

// describeSkill adds what the directory holds.
func (s *session) describeSkill(d *shownDocument, dir string) {
	skill, findings, err := disk.Load(filepath.Join(dir, "SKILL.md"), catalog.Rules{})
	d.Findings, d.Error = findingDocuments(findings), errorOf(err)
	if err == nil {
		d.Description, d.License, d.Compatibility, d.Metadata = orNull(skill.Description), orNull(skill.License), orNull(skill.Compatibility), skill.Metadata
		d.AllowedTools = append(d.AllowedTools, skill.AllowedTools...)
		d.Hooks = hookDocuments(skill.Hooks)
		tokens := len(skill.Body) / 4
		d.Tokens, d.Bytes = &tokens, int64(len(skill.Document))
		for _, span := range expand.Parse(skill.Body).Spans() {
			d.ShellSpans = append(d.ShellSpans, span.Command)
		}
	}
	list, warnings, err := resource.List(disk.Open(dir), ".", resource.Options{FollowLinks: true})
	if err != nil {
		d.Error = errorOf(err)
	}
	d.Findings = append(d.Findings, findingDocuments(warnings)...)
	for _, r := range list {
		d.Files = append(d.Files, resourceDocument{r.Rel, string(r.Kind), r.Size, r.Executable})
		d.Bytes += r.Size
	}
}

// printShown prints an installed skill.
func (s *session) printShown(d shownDocument) {
	s.terminal.Result("%s", ui.Bold(d.Name))
	if d.Error != nil {
		s.terminal.Warn("unusable: %s", d.Error.Message)
	} else if d.Description != nil {
		s.terminal.Result("  %s", *d.Description)
	}
	lines := [][2]string{{"state", d.State}, {"place", d.Path}, {"source", revisionText(d.installedDocument)}, {"agents", strings.Join(d.Agents, ", ")}}
	for _, fact := range []struct {
		name string
		text *string
	}{{"license", d.License}, {"needs", d.Compatibility}} {
		if fact.text != nil {
			lines = append(lines, [2]string{fact.name, *fact.text})
		}
	}
	lines = append(lines, running(d.AllowedTools, d.Hooks)...)
	for _, command := range d.ShellSpans {
		lines = append(lines, [2]string{"shell", command})
	}
	if d.Tokens != nil {
		lines = append(lines, [2]string{"tokens", fmt.Sprintf("about %d for the instructions", *d.Tokens)})
	}
	s.printLines(lines)
	var rows [][]string
	for _, f := range d.Files {
		mark := ""
		if f.Executable {
			mark = "executable"
		}
		rows = append(rows, []string{"  " + f.Path, fmt.Sprint(f.Bytes), mark})
	}
	s.terminal.Table(nil, rows)
	for _, f := range d.Findings {
		s.terminal.Warn("%s", f.Message)
	}
}
