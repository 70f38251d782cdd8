// Package gitclone brings commits where protocol version 2 with its filters is not spoken:
// over HTTPS in the old versions of the protocol ([Old], by go-git), and by the git program of the
// system for those over ssh, for programs that are not OpenSSH, credential helpers and insteadOf ([System]).
// What git and ssh say becomes an error by [Explain].
//
// Both list refs, and both give the pack with a commit to a sink, which checks and keeps it;
// neither makes a work tree. Rules:
//
//   - one commit without its history, where the server allows to ask for it by its id; else the whole
//     history of the ref, or of all branches, that must hold it;
//   - no tags, no submodules, no LFS content, no hooks;
//   - git is run directly, never by a shell, never asks on a terminal, and takes no address
//     for an option;
//   - what git or a server says is shown without credentials and control characters.
//
// A use:
//
//	repository := gitclone.System{Program: "/usr/bin/git", URL: "ssh://git@example.com/o/r.git"}
//	refs, err := repository.Refs(ctx)
//	err = repository.Fetch(ctx, refs[0].ID, "refs/heads/main", func(pack io.Reader) error { … })
package gitclone

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"skills/fetch/internal/gitwire"
)

// Sink takes a pack to its end. It is called once for each pack, mostly once.
type Sink func(pack io.Reader) error

// maxRefs bounds a listing of refs, in bytes: 200,000 refs are 13 MB.
const maxRefs = 16 << 20

// maxTips bounds the branches whose history is asked for at once.
const maxTips = 1000

// Code is the word for a kind of error.
type Code string

// The codes of errors.
const (
	NoGit          Code = "unsupported"      // there is no git program, here or on the host
	NotFound       Code = "not_found"        // repository, ref or commit
	Forbidden      Code = "forbidden"        // no key, no password, or no right
	HostKeyUnknown Code = "host_key_unknown" // ssh has never seen the host
	HostKeyChanged Code = "host_key_changed" // ssh has seen another key of the host
	Network        Code = "network"          // the host cannot be reached
	DNS            Code = "dns"              // the name of the host has no address
	Timeout        Code = "timeout"          // the host is too slow
	WrongContent   Code = "wrong_content"    // what answers is no git
	Failed         Code = "fetch_failed"     // everything else
)

// Error is what git could not do.
type Error struct {
	Code Code
	Text string // a sentence; may end with what git said
	Hint string // what to do next; may be empty
	Err  error  // the cause, if any
}

// Error gives the sentence.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hints gives what the person can do next; none is possible.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

var credentialPattern = regexp.MustCompile(`(://)[^/@\s'"]*@`)

// clean makes text from git or a server safe to show: without user information in addresses,
// without characters that move the cursor or the direction of writing.
func clean(text string) string {
	text = credentialPattern.ReplaceAllString(text, "$1")
	return strings.Map(func(r rune) rune {
		if r == '\n' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) {
			return r
		}
		return -1
	}, text)
}

// tips finds what to ask for when a commit itself may not be asked for: the ref that must
// hold it, or all branches.
func tips(refs []gitwire.Ref, ref string) []string {
	var branches []string
	for _, r := range refs {
		if r.Name == ref && ref != "" {
			return []string{r.ID}
		}
		if strings.HasPrefix(r.Name, "refs/heads/") && !slices.Contains(branches, r.ID) && len(branches) < maxTips {
			branches = append(branches, r.ID)
		}
	}
	return branches
}

func notThere(commit string) *Error {
	return &Error{Code: NotFound, Text: fmt.Sprintf("the repository has no commit %s", commit)}
}
