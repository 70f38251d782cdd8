package manifest

import (
	"errors"
	"fmt"
	"slices"

	"skills/lockfile/internal/document"
	"skills/source/names"
)

// Error gives the file, the line and the message, as far as they are known.
func (e *Error) Error() string {
	switch {
	case e.File == "":
		return e.Message
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Code gives the word for scripts: Kind.
func (e *Error) Code() string { return e.Kind }

// Hints says what to do next; empty when there is nothing to say.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

// File is the name that the reader was given.
func (m *Manifest) File() string { return m.file }

// Invalid makes an error of the manifest of what is wrong with the skill that an entry holds, keeping the reason: its text is no
// SKILL.md, say. The line is that of the entry.
func (m *Manifest) Invalid(s Skill, reason error) *Error {
	e := &Error{Kind: "manifest_invalid", File: m.file, Line: s.Line, Message: fmt.Sprintf("%q: %v", s.Name, reason)}
	var hinted interface{ Hints() []string }
	if errors.As(reason, &hinted) && len(hinted.Hints()) > 0 {
		e.Hint = hinted.Hints()[0]
	}
	return e
}

// Strict gives the first of Warnings as the error that it is for a strict reader, nil when there are none.
func (m *Manifest) Strict() error {
	if len(m.Warnings) == 0 {
		return nil
	}
	return m.Warnings[0]
}

// syntaxError turns what the TOML reader says into an Error.
func syntaxError(file string, e *document.SyntaxError) *Error {
	if e.Markers != nil {
		return &Error{Kind: "manifest_conflict", File: file, Line: e.Line,
			Message: document.Conflict(e.Markers),
			Hint:    "keep the lines that you want and delete the markers"}
	}
	return &Error{Kind: "manifest_damaged", File: file, Line: e.Line, Message: "not valid TOML: " + e.Message}
}

// didYouMean gives a hint that names the nearest known word, else all of them.
func didYouMean(word string, known []string) string {
	if near := names.Near(word, known, 1); len(near) > 0 {
		return fmt.Sprintf("did you mean %q?", near[0])
	}
	if len(known) == 0 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(known))
	return fmt.Sprintf("known here: %s", quoteAll(sorted[:min(len(sorted), 12)]))
}
