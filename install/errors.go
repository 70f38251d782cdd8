package install

import (
	"fmt"
	"strings"
)

// Error says why something cannot be installed or removed.
//
// Kind is one of "already_exists" (something else is where a skill is to go), "conflict" (a skill of this name comes from another
// source, or two chosen skills have one name), "modified" (it was edited since it was installed), "not_installed", "not_found" (its
// source does not have it any more), "invalid_input" (the request contradicts itself), "busy" (another change of the project is under way, in this process or in another, for more than a minute), "changed" (the project changed since the plan was
// made), "integrity" (bytes differ from what was announced),
// "lock_mismatch" (manifest and lock disagree and the lock is the law), "policy" (a rule refuses the source), "elsewhere" (a plugin lies in another source, which
// was not to be followed), "too_large" and "unsupported".
type Error struct {
	Kind    string
	Name    string // of the skill, or what was asked for
	Message string
	Hint    string // what to do next in the words of the command line; a host with other words shows its own by Kind
	Cause   error
}

// Error gives the message, with its cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Code gives the kind.
func (e *Error) Code() string { return e.Kind }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Hints gives what the person can do next.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

// ExitStatus gives 4 for what is refused for safety, 2 for a request that contradicts itself, else 1.
func (e *Error) ExitStatus() int {
	switch e.Kind {
	case "invalid_input":
		return 2
	case "integrity", "lock_mismatch", "policy":
		return 4
	}
	return 1
}

// ChooseError says that a source holds several skills and none was chosen.
type ChooseError struct{ Source *Source }

// Error names the source and how many skills it holds.
func (e *ChooseError) Error() string {
	return fmt.Sprintf("%q holds %d skills and none was chosen", e.Source.Locator.Input, len(e.Source.Listing.Visible()))
}

// Hints says how to choose.
func (e *ChooseError) Hints() []string {
	var names []string
	for _, c := range e.Source.Listing.Visible() {
		if c.Usable {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("choose with --skill NAME (such as %s), or take all with --all", strings.Join(names[:min(3, len(names))], ", "))}
}

// Fields gives the candidates, for programs.
func (e *ChooseError) Fields() map[string]any {
	candidates := []map[string]any{}
	for _, c := range e.Source.Listing.Visible() {
		candidates = append(candidates, map[string]any{"name": c.Name, "path": c.Path, "description": c.Description, "usable": c.Usable})
	}
	return map[string]any{"candidates": candidates}
}

// ExitStatus gives 5.
func (e *ChooseError) ExitStatus() int { return 5 }

// Code gives "multiple_candidates".
func (e *ChooseError) Code() string { return "multiple_candidates" }
