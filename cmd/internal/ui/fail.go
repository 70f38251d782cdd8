package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Fail ends the program's work: it tells the error and returns the exit status for os.Exit. The error may be nil; then the status is
// 0, unless results could not be written.
//
// In text it prints "skills: " and the sentence, then each hint on a line of its own, all on standard error; the parts of an error that
// errors.Join made are told one by one. With --json it prints {"version":1,"error":{"code","message","hint","fields"}} on standard
// output, hint null when there is none, unless the command's document is out already: then the text goes to standard error.
//
// Status, code, hints and fields come from the outermost error of the chain that has ExitStatus() int, Code() string,
// Hints() []string, Fields() map[string]any; of parts that errors.Join made, the first that has another status than 1 gives it. An
// error that has no status is exit 1, and exit 130, "cancelled", when its chain holds
// context.Canceled. An [Exit] by itself prints nothing in text.
func (t *Terminal) Fail(err error) int {
	if err == nil {
		err = t.lostResults()
	}
	if err == nil {
		return int(OK)
	}
	if t.hasDocument() || !t.config.JSON || t.Document(errorDocument(err)) != nil {
		t.tell(err)
	}
	return status(err)
}

// tell prints an error in text, parts and hints included. Parts that follow each other and have the same hints share them.
func (t *Terminal) tell(err error) {
	parts := flatten(err)
	for i, part := range parts {
		if _, silent := part.(Exit); silent {
			continue
		}
		t.say("%s %s", Red("skills:"), message(part))
		if i+1 < len(parts) && slices.Equal(hints(part), hints(parts[i+1])) {
			continue
		}
		for _, hint := range hints(part) {
			t.say("%s %s", Bold("hint:"), hint)
		}
	}
}

// flatten returns the parts of an error that are told one by one. An interrupt is told as a whole.
func flatten(err error) []error {
	parts := joined(err)
	if parts == nil || status(err) == int(Interrupted) {
		return []error{err}
	}
	var all []error
	for _, part := range parts {
		all = append(all, flatten(part)...)
	}
	return all
}

// joined returns the parts of an error that says no more than its parts do, as those of errors.Join.
func joined(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var texts []string
	for _, part := range several.Unwrap() {
		texts = append(texts, part.Error())
	}
	if err.Error() != strings.Join(texts, "\n") {
		return nil
	}
	return several.Unwrap()
}

// hasDocument tells whether the JSON document is out.
func (t *Terminal) hasDocument() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.document
}

// lostResults returns the first error of standard output.
func (t *Terminal) lostResults() error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.lost
}

// errorDocument returns what a failing command prints with --json.
func errorDocument(err error) any {
	type failure struct {
		Code    string         `json:"code"`
		Message string         `json:"message"`
		Hint    *string        `json:"hint"`
		Fields  map[string]any `json:"fields"`
	}
	f := failure{Code: code(err), Message: message(err), Fields: map[string]any{}}
	if all := hints(err); len(all) > 0 {
		f.Hint = new(strings.Join(all, "\n"))
	}
	var has interface{ Fields() map[string]any }
	if errors.As(err, &has) && has.Fields() != nil {
		f.Fields = has.Fields()
	}
	return struct {
		Error failure `json:"error"`
	}{f}
}

// status returns the exit status of an error, never 0: what is an error cannot look like success. Of several parts the first counts
// that says more than that it failed.
func status(err error) int {
	for _, part := range joined(err) {
		if s := status(part); s != int(Failed) {
			return s
		}
	}
	var has interface{ ExitStatus() int }
	switch {
	case errors.As(err, &has) && has.ExitStatus() != int(OK):
		return has.ExitStatus()
	case errors.Is(err, context.Canceled):
		return int(Interrupted)
	}
	return int(Failed)
}

// code returns the word that names an error for scripts.
func code(err error) string {
	var has interface{ Code() string }
	if errors.As(err, &has) && has.Code() != "" {
		return has.Code()
	}
	return Exit(status(err)).Code()
}

// message returns the sentence. An interrupt says just that: which of the requests under way was cut off is of no use to anyone.
func message(err error) string {
	if status(err) == int(Interrupted) {
		return Interrupted.Error()
	}
	return err.Error()
}

// hints returns what to do next.
func hints(err error) []string {
	var has interface{ Hints() []string }
	if errors.As(err, &has) {
		return has.Hints()
	}
	return nil
}
