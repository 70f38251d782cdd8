package delegate

import (
	"fmt"
	"strings"
)

// Error says why the npm tool did not install.
//
// Kind is one of "invalid_input" (no command line can be written for the request),
// "unsupported" (the tool's program cannot be given these words), "delegate_missing" (the
// tool is not there), "delegate_loop" (this program was run as the tool) and
// "delegate_failed" (the tool was run and failed).
type Error struct {
	Kind    string
	Message string
	Hint    string
	Program string // path of the tool, where it is known
	Status  int    // exit status of the tool; not above 0 when it did not end by itself
	Text    string // the end of what the tool said
	Cause   error
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// Code gives the kind.
func (e *Error) Code() string { return e.Kind }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Hints says what to do next.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

// ExitStatus gives 2 for a request that cannot be delegated, else 1: the tool's own
// numbers mean something else.
func (e *Error) ExitStatus() int {
	if e.Kind == "invalid_input" {
		return 2
	}
	return 1
}

// Fields gives program, status and text, for programs.
func (e *Error) Fields() map[string]any {
	return map[string]any{"program": e.Program, "status": e.Status, "text": e.Text}
}

const nativeHint = "install with this program itself: --engine native"

func invalid(format string, arguments ...any) *Error {
	return &Error{Kind: "invalid_input", Message: fmt.Sprintf(format, arguments...), Hint: nativeHint}
}

// maxGist is how many of the last lines of the tool are part of a message.
const maxGist = 3

// failed is the error of a tool that was run.
func failed(program string, status int, text string, cause error) *Error {
	message := fmt.Sprintf("%q ended with exit status %d", program, status)
	if status <= 0 {
		message = fmt.Sprintf("%q cannot be run to its end: %v", program, cause)
	}
	if lines := strings.Split(text, "\n"); text != "" {
		message += ": " + strings.Join(lines[max(0, len(lines)-maxGist):], "; ")
	}
	return &Error{
		Kind: "delegate_failed", Message: message, Program: program, Status: status, Text: text, Cause: cause,
		Hint: "nothing was installed in its place; " + nativeHint,
	}
}
