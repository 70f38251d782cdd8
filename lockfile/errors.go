package lockfile

import (
	"fmt"

	"skills/lockfile/internal/document"
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

// syntaxError turns what the TOML reader says into an Error.
func syntaxError(file string, e *document.SyntaxError) *Error {
	if e.Markers == nil {
		r := reader{file: file}
		return r.damaged(e.Line, "not valid TOML: %s", e.Message)
	}
	return &Error{Kind: "lock_conflict", File: file, Line: e.Line,
		Message: document.Conflict(e.Markers),
		Hint:    "settle skills.toml and run: skills install --relock"}
}

// damaged is the error for what the tool would not have written.
func (r *reader) damaged(line int, format string, args ...any) *Error {
	return &Error{Kind: "lock_damaged", File: r.file, Line: line, Message: fmt.Sprintf(format, args...),
		Hint: "take the file back from version control, correct this line, or make it anew with: skills install --relock"}
}
