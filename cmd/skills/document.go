package main

import (
	"errors"

	"skills/catalog"
	"skills/install"
	"skills/source"
)

// The documents of --json. Their shapes are a contract: more keys may be added, none goes away.

type findingDocument struct {
	Code     string  `json:"code"`
	Severity string  `json:"severity"`
	File     *string `json:"file"`
	Line     *int    `json:"line"`
	Message  string  `json:"message"`
}

type errorDocument struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Hint    *string `json:"hint"`
}

type targetDocument struct {
	Agent string `json:"agent"`
	Path  string `json:"path"`
	Mode  string `json:"mode,omitempty"`
	State string `json:"state,omitempty"`
}

type stepDocument struct {
	Name     string            `json:"name"`
	Action   string            `json:"action"`
	Path     *string           `json:"path"`
	Source   *string           `json:"source"`
	From     *string           `json:"source_path"`
	Ref      *string           `json:"ref"`
	Commit   *string           `json:"commit"`
	Tree     *string           `json:"tree"`
	Digest   *string           `json:"digest"`
	Targets  []targetDocument  `json:"targets"`
	Backups  []string          `json:"backups"`
	Changes  *changesDocument  `json:"changes"`
	Conflict []string          `json:"conflicts"`
	Findings []findingDocument `json:"findings"`
	Reason   *string           `json:"reason"`
	Error    *errorDocument    `json:"error"`
}

type changesDocument struct {
	Added       []string       `json:"added"`
	Removed     []string       `json:"removed"`
	Modified    []string       `json:"modified"`
	Executables []string       `json:"new_executables"`
	Tools       []string       `json:"new_tools"`
	Hooks       []hookDocument `json:"new_hooks"`
}

// describeChanges writes what an update changes; nil is null.
func describeChanges(c *install.Changes) *changesDocument {
	if c == nil {
		return nil
	}
	list := func(paths []string) []string { return append([]string{}, paths...) }
	return &changesDocument{list(c.Added), list(c.Removed), list(c.Modified), list(c.Executables), list(c.Tools), hookDocuments(c.Hooks)}
}

// hookDocuments writes hooks; none is an empty list.
func hookDocuments(hooks []catalog.Hook) []hookDocument {
	all := []hookDocument{}
	for _, hook := range hooks {
		all = append(all, hookDocument{Event: hook.Event, Matcher: orNull(hook.Matcher), Command: hook.Command})
	}
	return all
}

type planDocuments struct {
	Skills []stepDocument `json:"skills"`
}

// planDocument is the document of add and remove.
func planDocument(plan *install.Plan) planDocuments {
	d := planDocuments{Skills: []stepDocument{}}
	for _, step := range plan.Steps {
		row := stepDocument{
			Name: step.Name, Action: string(step.Action), Path: orNull(step.Path), Source: orNull(step.Source), From: orNull(step.From),
			Ref: orNull(step.Ref), Commit: orNull(step.Commit), Tree: orNull(step.Tree), Digest: orNull(step.Digest),
			Targets: []targetDocument{}, Backups: append([]string{}, step.Backups...), Changes: describeChanges(step.Changes),
			Conflict: append([]string{}, step.Conflicts...), Findings: findingDocuments(step.Findings),
			Reason: orNull(reasonOf(step)), Error: errorOf(step.Err),
		}
		for _, t := range step.Targets {
			row.Targets = append(row.Targets, targetDocument{Agent: t.Agent, Path: t.Path, Mode: string(t.Mode)})
		}
		d.Skills = append(d.Skills, row)
	}
	return d
}

// reasonOf says what there is to say of a step, with what can be done.
func reasonOf(step install.Step) string { return withHint(step.Reason, step.Hint) }

// withHint puts what can be done behind what is.
func withHint(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + "; " + hint
}

// orNull is null for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// findingDocuments writes findings; none is an empty list.
func findingDocuments(findings []catalog.Finding) []findingDocument {
	all := []findingDocument{}
	for _, f := range findings {
		d := findingDocument{Code: f.Code, Severity: string(f.Severity), File: orNull(f.File), Message: f.Message}
		if f.Line > 0 {
			d.Line = &f.Line
		}
		all = append(all, d)
	}
	return all
}

// errorOf writes an error; nil is null.
func errorOf(err error) *errorDocument {
	if err == nil {
		return nil
	}
	d := &errorDocument{Code: "failed", Message: err.Error()}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		d.Code = coded.Code()
	}
	var hinted interface{ Hints() []string }
	if errors.As(err, &hinted) && len(hinted.Hints()) > 0 {
		d.Hint = &hinted.Hints()[0]
	}
	return d
}

type locatorDocument struct {
	Input     string         `json:"input"`
	Kind      *string        `json:"kind"`
	Host      *string        `json:"host"`
	Owner     *string        `json:"owner"`
	Repo      *string        `json:"repo"`
	Ref       *string        `json:"ref"`
	Path      *string        `json:"path"`
	File      bool           `json:"file"`
	Ambiguous bool           `json:"ambiguous"`
	Skill     *string        `json:"skill"`
	Transport *string        `json:"transport"`
	Canonical *string        `json:"canonical"`
	Source    *string        `json:"source"`
	Commit    *string        `json:"commit"`
	Resolved  *string        `json:"resolved"` // the ref that answered, or the version of a package
	Digest    *string        `json:"digest"`   // of an artifact
	Notes     []noteDocument `json:"notes"`
	Error     *errorDocument `json:"error"`
}

type noteDocument struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// describeLocator writes a locator.
func describeLocator(l source.Locator) locatorDocument {
	d := locatorDocument{
		Input: l.Input, Kind: orNull(string(l.Kind)), Host: orNull(l.Host), Owner: orNull(l.Owner), Repo: orNull(l.Repo), Ref: orNull(l.Ref),
		File: l.File, Ambiguous: l.Ambiguous, Skill: orNull(l.Skill), Transport: orNull(string(l.Transport)), Notes: []noteDocument{},
	}
	if l.Kind != "" {
		d.Path = &l.Path
		d.Canonical, d.Source = orNull(l.Canonical()), orNull(l.Source())
	}
	for _, note := range l.Notes {
		d.Notes = append(d.Notes, noteDocument(note))
	}
	return d
}
