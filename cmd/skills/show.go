package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/cmd/internal/ui"
	"skills/install"
	"skills/source"
)

// showCommand describes show.
func showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "show an installed skill, or the skills of a source without installing", ArgsUsage: "SKILL | SOURCE...",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "ref", Usage: "branch, tag, commit or semver range `REF`"},
			&cli.StringFlag{Name: "path", Usage: "look below `DIR` of the source"},
			&cli.StringSliceFlag{Name: "skill", Aliases: []string{"s"}, Usage: "only `NAME`: a name, a path in the source or a glob (repeatable)"},
			&cli.BoolFlag{Name: "full-depth", Usage: "look everywhere, hidden directories and skills in skills too"},
		}, pluginFlags()...),
		Action: func(c *cli.Context) error {
			s := sessionOf(c)
			if c.NArg() == 1 && couldBeName(c.Args().First()) {
				return s.showInstalled(c.Context, c.Args().First())
			}
			locators, err := s.locators(c)
			if err != nil {
				return err
			}
			return s.nearby(s.showSources(c, locators), c.Args().Slice()...)
		},
	}
}

type candidateDocument struct {
	Name         string            `json:"name"`
	Path         string            `json:"path"`
	Description  *string           `json:"description"`
	Usable       bool              `json:"usable"`
	Files        *int              `json:"files"`
	Bytes        *int64            `json:"bytes"`
	Digest       *string           `json:"digest"`
	License      *string           `json:"license"`
	AllowedTools []string          `json:"allowed_tools"`
	Hooks        []hookDocument    `json:"hooks"`
	Also         []string          `json:"also"`
	Plugin       *string           `json:"plugin"`
	Findings     []findingDocument `json:"findings"`
	Error        *errorDocument    `json:"error"`
}

type hookDocument struct {
	Event   string  `json:"event"`
	Matcher *string `json:"matcher"`
	Command string  `json:"command"`
}

type sourceDocument struct {
	Source     string              `json:"source"`
	Ref        *string             `json:"ref"`
	Commit     *string             `json:"commit"`
	Candidates []candidateDocument `json:"candidates"`
	Hidden     int                 `json:"hidden"`
	Findings   []findingDocument   `json:"findings"`

	Plugin  *string               `json:"plugin"` // that was followed to this source
	Plugins []marketplaceDocument `json:"plugins"`
	Error   *errorDocument        `json:"error"`
}

// showSources prints the candidates of sources. With several sources the document holds them in "sources".
func (s *session) showSources(c *cli.Context, locators []source.Locator) error {
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	var all []sourceDocument
	var failures []error
	for _, l := range locators {
		documents, err := s.showSource(c.Context, engine, sourceRequest(c, l), c.Bool("full-depth"))
		if len(documents) == 0 && err != nil {
			return err
		}
		all, failures = append(all, documents...), append(failures, err)
	}
	document := any(map[string]any{"sources": all})
	if len(all) == 1 {
		document = all[0]
	}
	return errors.Join(append(failures, s.terminal.Document(document))...)
}

// showSource lists what a request means of one source, and of the plugins that are followed from there.
func (s *session) showSource(ctx context.Context, engine *install.Engine, request install.SourceRequest, full bool) ([]sourceDocument, error) {
	opened, visible, err := engine.Choose(ctx, request, full)
	if err != nil {
		return nil, err
	}
	documents := []sourceDocument{s.describeSource(ctx, engine, opened, visible)}
	followed, err := s.showFollowed(ctx, engine, request, opened, full)
	if followed == nil && err != nil {
		return nil, err
	}
	return append(documents, followed...), err
}

// describeSource prints candidates of a source. The files of a single one are looked at too.
func (s *session) describeSource(ctx context.Context, engine *install.Engine, opened *install.Source, visible []catalog.Candidate) sourceDocument {
	d := sourceDocument{
		Source: opened.Revision.Locator.Source(), Ref: orNull(opened.Revision.Locator.Ref), Commit: orNull(opened.Revision.Commit),
		Hidden: opened.Listing.Hidden(), Findings: findingDocuments(opened.Listing.Findings),
		Plugins: describeMarketplace(opened.Listing),
	}
	d.Candidates = describeCandidates(visible)
	if len(visible) == 1 && visible[0].Usable {
		s.measure(ctx, engine, opened, &visible[0], &d.Candidates[0])
	}
	s.printSource(d, visible)
	return d
}

// measure adds what only the files tell.
func (s *session) measure(ctx context.Context, engine *install.Engine, from *install.Source, candidate *catalog.Candidate, row *candidateDocument) {
	files, size, findings, err := engine.Files(ctx, from, *candidate)
	if err != nil {
		row.Usable, row.Error = false, errorOf(err)
		return
	}
	count := len(files)
	row.Files, row.Bytes = &count, &size
	candidate.Findings = append(candidate.Findings, findings...)
	row.Findings = append(row.Findings, findingDocuments(findings)...)
}

// describeCandidates writes candidates; none is an empty list.
func describeCandidates(candidates []catalog.Candidate) []candidateDocument {
	all := []candidateDocument{}
	for _, c := range candidates {
		all = append(all, describeCandidate(c))
	}
	return all
}

// describeCandidate writes a candidate.
func describeCandidate(c catalog.Candidate) candidateDocument {
	d := candidateDocument{
		Name: c.Name, Path: c.Path, Description: orNull(c.Description), Usable: c.Usable, AllowedTools: []string{}, Hooks: []hookDocument{},
		Also: append([]string{}, c.Also...), Plugin: orNull(c.Plugin), Findings: findingDocuments(c.Findings), Error: errorOf(c.Err),
	}
	var unusable *catalog.Error
	if errors.As(c.Err, &unusable) {
		d.Findings = append(d.Findings, findingDocuments([]catalog.Finding{{
			Code: first(unusable.Reason, unusable.Kind), Severity: catalog.SeverityError, File: c.Manifest, Line: unusable.Line, Message: unusable.Message,
		}})...)
	}
	if c.Skill == nil {
		return d
	}
	d.License = orNull(c.Skill.License)
	d.AllowedTools = append(d.AllowedTools, c.Skill.AllowedTools...)
	d.Hooks = hookDocuments(c.Skill.Hooks)
	return d
}

// printSource prints the candidates: a table of several, all about a single one.
func (s *session) printSource(d sourceDocument, visible []catalog.Candidate) {
	for _, f := range d.Findings {
		s.terminal.Warn("%s", f.Message)
	}
	if len(visible) == 1 {
		s.printCandidate(d, d.Candidates[0], visible[0])
	} else {
		s.byPlugin(d.Candidates)
	}
	if d.Hidden > 0 {
		s.terminal.Step("%d more are hidden; see them with --full-depth", d.Hidden)
	}
}

// table prints the table of several candidates.
func (s *session) table(candidates []candidateDocument) {
	var rows [][]string
	for _, c := range candidates {
		rows = append(rows, []string{c.Name, shownPath(c.Path), ui.Cut(summary(c), 100)})
	}
	s.terminal.Table([]string{"NAME", "PATH", "DESCRIPTION"}, rows)
}

// shownPath is a path in the source, "." for its root.
func shownPath(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// summary is the description of a usable candidate, or why it is not.
func summary(c candidateDocument) string {
	if c.Error != nil {
		return "unusable: " + c.Error.Message
	}
	if c.Description == nil {
		return ""
	}
	return *c.Description
}

// printCandidate prints all that is known of one candidate.
func (s *session) printCandidate(d sourceDocument, c candidateDocument, candidate catalog.Candidate) {
	s.terminal.Result("%s", ui.Bold(c.Name))
	s.terminal.Result("  %s", summary(c))
	lines := [][2]string{{"source", d.Source}, {"path", shownPath(c.Path)}}
	for _, fact := range []struct {
		name string
		text *string
	}{{"ref", d.Ref}, {"commit", d.Commit}, {"license", c.License}} {
		if fact.text != nil {
			lines = append(lines, [2]string{fact.name, *fact.text})
		}
	}
	lines = append(lines, running(c.AllowedTools, c.Hooks)...)
	if c.Files != nil {
		lines = append(lines, [2]string{"size", fmt.Sprintf("%d files, %d bytes", *c.Files, *c.Bytes)})
	}
	if candidate.Skill != nil {
		lines = append(lines, [2]string{"tokens", fmt.Sprintf("about %d for the instructions", candidate.Skill.Size/4)})
	}
	s.printLines(lines)
	for _, f := range candidate.Findings {
		s.terminal.Warn("%s", findingText(f))
	}
}

// running names what a skill lets an agent do by itself.
func running(tools []string, hooks []hookDocument) [][2]string {
	var lines [][2]string
	if len(tools) > 0 {
		lines = append(lines, [2]string{"tools", strings.Join(tools, ", ")})
	}
	for _, hook := range hooks {
		lines = append(lines, [2]string{"hook", fmt.Sprintf("%s runs %s", hook.Event, hook.Command)})
	}
	return lines
}

// printLines prints facts below each other, without those that are not known.
func (s *session) printLines(lines [][2]string) {
	for _, line := range lines {
		if line[1] != "" {
			s.terminal.Result("  %s%s %s", line[0], strings.Repeat(" ", 8-len(line[0])), line[1])
		}
	}
}
