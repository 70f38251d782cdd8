package foreign

import (
	"bytes"
	"fmt"
	"regexp"

	"skills/lockfile/internal/document"
)

// Error is what is wrong with a record as a whole.
//
// Kinds: "foreign_damaged" (not JSON or YAML, over a limit, a shape that the format does not have), "foreign_conflict" (merge
// conflict markers), "foreign_version" (a version that is not read here, older or newer), "foreign_unknown" (the name of no
// record).
type Error struct {
	// Kind is one of the words above.
	Kind string
	// File is the name that Parse was given.
	File string
	// Line is counted from 1; 0 when there is none.
	Line    int
	Message string
	// Hint says what to do next.
	Hint string
}

// Error gives the file, the line if there is one, and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Code gives the word for scripts: Kind.
func (e *Error) Code() string { return e.Kind }

// Hints says what to do next.
func (e *Error) Hints() []string { return []string{e.Hint} }

// damaged is the error for what the tool that owns the file would not have written.
func (r *reader) damaged(line int, format string, args ...any) error {
	return &Error{Kind: "foreign_damaged", File: r.file, Line: line, Message: fmt.Sprintf(format, args...),
		Hint: "take the file back from version control, or correct this line; the file was left as it is"}
}

// marker is what git leaves in a file that it could not merge. No record has such a line: JSON has no line ends in strings,
// and what continues a YAML value is indented.
var marker = regexp.MustCompile(`^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)`)

// conflict refuses a text with merge conflict markers.
func (r *reader) conflict(data []byte) error {
	var lines []int
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if marker.Match(line) {
			lines = append(lines, n)
		}
	}
	if lines == nil {
		return nil
	}
	return &Error{Kind: "foreign_conflict", File: r.file, Line: lines[0],
		Message: document.Conflict(lines),
		Hint:    "keep the entries that you want and delete the markers; the file was left as it is"}
}
