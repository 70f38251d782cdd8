package source

// Error says why a text is no source that can be used.
//
// Kind is one word: "empty", "too-long", "control-char", "scheme",
// "insecure-scheme", "credentials", "bad-url", "bad-encoding", "no-host",
// "unsafe-host", "port", "private-address", "unsupported-host", "owner-only",
// "not-a-repo", "not-a-skill-page", "missing-ref", "invalid-ref", "not-skill-md",
// "unsupported-archive", "path-escape", "invalid-source", and from [Locator.Settle] "not_found". Text is
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

// ExitStatus gives 4 for an address that is refused for safety, else 1.
func (e *Error) ExitStatus() int {
	if e.Kind == "private-address" {
		return 4
	}
	return 1
}

// usualHint says what helps against a kind of error, whatever the text.
func usualHint(kind string) string {
	switch kind {
	case "bad-encoding", "control-char":
		return "type the text by hand: what was copied holds something that cannot be seen"
	case "bad-url", "no-host":
		return "copy the address anew, or name a repository as owner/repo"
	case "invalid-ref":
		return "name a branch, a tag or a commit as git lists it"
	case "missing-ref":
		return "name a branch, a tag or a commit, or leave out the sign before it for the default branch"
	case "not-a-repo":
		return "copy the address of the repository's page, or name it as owner/repo"
	case "not-skill-md":
		return "name the SKILL.md, its directory or an archive"
	case "path-escape":
		return "name the directory by the path that the repository's pages show"
	case "scheme":
		return "write https:// or ssh://"
	case "unsafe-host":
		return "leave out the \"-\" at its front"
	}
	return "name a repository as owner/repo, a directory as ./directory"
}
