package source

// Error says why a text is no source that can be used.
//
// Kind is one word: "empty", "too-long", "control-char", "scheme",
// "insecure-scheme", "credentials", "bad-url", "bad-encoding", "no-host",
// "unsafe-host", "port", "private-address", "unsupported-host", "owner-only",
// "not-a-repo", "not-a-skill-page", "missing-ref", "invalid-ref", "not-skill-md",
// "path-escape", "invalid-source", and from [Locator.Settle] "not_found". Text is
// the text it is about without credentials and queries, Message the sentence,
// Hint what to write instead or "".
type Error struct {
	Kind, Text, Message, Hint string
}

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// Code gives the kind.
func (e *Error) Code() string { return e.Kind }

// Hints gives what the person can do next, empty when there is nothing to say.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}
