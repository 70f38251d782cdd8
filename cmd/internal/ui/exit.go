package ui

import "fmt"

// Exit is an exit status of the program. As an error it says nothing more: the command has told everything already.
type Exit int

// The exit statuses that scripts rely on.
const (
	OK          Exit = 0   // done, or nothing to do
	Failed      Exit = 1   // a part of the work failed; the rest is done and reported
	Usage       Exit = 2   // the command line is wrong
	Different   Exit = 3   // differences were found where the command was asked to look for them
	Refused     Exit = 4   // refused for safety
	Choose      Exit = 5   // several candidates and none chosen
	Interrupted Exit = 130 // stopped by the user: 128 + SIGINT, as a shell reports it
)

// Error is a short sentence; [Terminal.Fail] prints it only into a document.
func (e Exit) Error() string {
	switch e {
	case OK:
		return "done"
	case Usage:
		return "the command line is wrong"
	case Different:
		return "differences were found"
	case Refused:
		return "refused for safety"
	case Choose:
		return "several candidates and none chosen"
	case Interrupted:
		return "interrupted"
	}
	return "a part of the work failed"
}

// Code returns the word for the status: "done", "failed", "usage", "different", "refused", "multiple_candidates", "cancelled".
func (e Exit) Code() string {
	switch e {
	case OK:
		return "done"
	case Usage:
		return "usage"
	case Different:
		return "different"
	case Refused:
		return "refused"
	case Choose:
		return "multiple_candidates"
	case Interrupted:
		return "cancelled"
	}
	return "failed"
}

// ExitStatus returns the status itself.
func (e Exit) ExitStatus() int { return int(e) }

// Error is an error of a command: what [Terminal.Fail] prints and gives back. Errors of the packages below need not be turned into
// it: Fail asks any error of the chain for ExitStatus, Code, Hints and Fields, the outermost first.
type Error struct {
	// Exit is the status; the zero value is taken for Failed.
	Exit Exit
	// Word is the code in the error document; "" takes the word of the status.
	Word string
	// Message is the sentence: subject first, lower case, the user's text quoted, no full stop.
	Message string
	// Advice holds the hints: what to do next, one line each.
	Advice []string
	// Facts are the values that a script may want, with snake_case keys. No credentials.
	Facts map[string]any
	// Err is the cause, nil for none. The message does not repeat it by itself.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ExitStatus returns the status, Failed when none is set.
func (e *Error) ExitStatus() int { return int(e.exit()) }

// Code returns the word, that of the status when none is set.
func (e *Error) Code() string {
	if e.Word != "" {
		return e.Word
	}
	return e.exit().Code()
}

// Hints returns the advice; where there is none for a command line, where its use is told.
func (e *Error) Hints() []string {
	if len(e.Advice) == 0 && e.Exit == Usage {
		return []string{"see how it is used with: skills help COMMAND"}
	}
	return e.Advice
}

// Fields returns the facts.
func (e *Error) Fields() map[string]any { return e.Facts }

// exit maps the zero value, which no failure can have, to Failed.
func (e *Error) exit() Exit {
	if e.Exit == OK {
		return Failed
	}
	return e.Exit
}

// UsageError returns an error of the command line, exit 2, with the message formatted as fmt does and no advice of its own.
func UsageError(format string, arguments ...any) *Error {
	return &Error{Exit: Usage, Message: fmt.Sprintf(format, arguments...)}
}
