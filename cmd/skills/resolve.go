package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/source"
)

// resolveCommand describes resolve.
func resolveCommand() *cli.Command {
	return &cli.Command{
		Name: "resolve", Usage: "show how a source text is understood", ArgsUsage: "SOURCE...",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "online", Usage: "ask the host what it is: the commit, the version, the digest"}},
		Action: resolve,
	}
}

type locatorDocuments struct {
	Locators []locatorDocument `json:"locators"`
}

// resolve parses each argument and, with --online, asks what it is now. A text that is not understood does not hide the others.
func resolve(c *cli.Context) error {
	s := sessionOf(c)
	if !c.Args().Present() {
		return ui.UsageError("resolve needs a source, such as owner/repo or the address of a page")
	}
	var documents locatorDocuments
	failed := false
	for _, text := range c.Args().Slice() {
		d, err := s.resolveOne(c.Context, text, c.Bool("online"))
		if c.Context.Err() != nil {
			return c.Context.Err()
		}
		if err != nil {
			failed = true
			d.Error = errorOf(err)
		}
		documents.Locators = append(documents.Locators, d)
		s.printLocator(d)
	}
	if err := s.terminal.Document(documents); err != nil {
		return err
	}
	if failed {
		return ui.Failed
	}
	return nil
}

// resolveOne understands one text.
func (s *session) resolveOne(ctx context.Context, text string, online bool) (locatorDocument, error) {
	l, err := s.locator(text)
	if err != nil {
		return locatorDocument{Input: inputOf(err), Notes: []noteDocument{}}, s.nearby(err, text)
	}
	d := describeLocator(l)
	if !online {
		return d, nil
	}
	client, err := s.client()
	if err != nil {
		return d, err
	}
	revision, err := client.Resolve(ctx, l)
	if err != nil {
		return d, err
	}
	d = describeLocator(revision.Locator)
	d.Commit, d.Resolved, d.Digest = orNull(revision.Commit), orNull(revision.Ref), orNull(revision.Digest)
	return d, nil
}

// inputOf is the text that an error is about, without credentials.
func inputOf(err error) string {
	if e, ok := err.(*source.Error); ok {
		return e.Text
	}
	return ""
}

// printLocator prints what was understood, one line a fact.
func (s *session) printLocator(d locatorDocument) {
	s.terminal.Result("%s", ui.Bold(d.Input))
	if d.Error != nil {
		s.terminal.Result("  %s %s", ui.Red("error"), d.Error.Message)
		if d.Error.Hint != nil {
			s.terminal.Result("  hint: %s", *d.Error.Hint)
		}
	}
	for _, fact := range []struct {
		name string
		text *string
	}{
		{"kind", d.Kind}, {"source", d.Source}, {"ref", d.Ref}, {"path", d.Path}, {"skill", d.Skill}, {"commit", d.Commit}, {"resolved", d.Resolved}, {"digest", d.Digest},
		{"canonical", d.Canonical},
	} {
		if fact.text != nil && *fact.text != "" {
			s.terminal.Result("  %s%s %s", fact.name, strings.Repeat(" ", 9-len(fact.name)), *fact.text)
		}
	}
	if d.Ambiguous {
		s.terminal.Result("  the ref may go on into the path; the host decides when it is asked")
	}
	for _, note := range d.Notes {
		s.terminal.Result("  note: %s", note.Message)
	}
}
