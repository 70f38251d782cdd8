package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/file"
	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/web"
	"skills/fetch/store"
)

// Code says what went wrong, for programs.
type Code string

// The codes of an [Error].
const (
	NotFound       Code = "not_found"        // repository, ref, commit, path or file
	Forbidden      Code = "forbidden"        // the host knows us and refuses
	RateLimited    Code = "rate_limited"     // too many requests; see Reset
	Network        Code = "network"          // no connection, or it broke
	DNS            Code = "dns"              // the name of the host has no address
	Proxy          Code = "proxy"            // the proxy cannot be reached, or lets nothing through
	Timeout        Code = "timeout"          // the host is too slow
	TLS            Code = "tls"              // no trust in the host's certificate
	HostKeyUnknown Code = "host_key_unknown" // over ssh: nobody has said yet that the host's key is right
	HostKeyChanged Code = "host_key_changed" // over ssh: another key of the host is known
	TooLarge       Code = "too_large"        // beyond the limits
	WrongContent   Code = "wrong_content"    // something else than what was asked for
	Integrity      Code = "integrity"        // other bytes than a digest says
	PathEscape     Code = "path_escape"      // an archive with an entry that would lie elsewhere
	PrivateAddress Code = "private_address"  // the guard of the network
	Offline        Code = "offline"          // not in the store, and the network is off
	Unsupported    Code = "unsupported"      // no way to fetch such a source
	Failed         Code = "fetch_failed"     // everything else
)

// Error is why something could not be fetched. Neither text ever holds a credential.
type Error struct {
	Kind    Code
	Host    string    // whose credentials count where one is missing, else that which failed; "" for what is on this machine
	Status  int       // of HTTP, when that was the trouble
	Reset   time.Time // of RateLimited, when known
	Tried   string    // where the credential was found that was sent, "GITHUB_TOKEN"; "" when there was none
	Message string    // a sentence, subject first
	Led     string    // the host that led to Host, which therefore gets no credential; "" when that is not so
	Cut     bool      // the query of the address was left out, which may be why the host refuses
	Hint    string    // what to do next, in the words of the command line; "" takes what usually helps against the kind
	Err     error     // the cause; may be nil
}

// Error gives the sentence.
func (e *Error) Error() string { return e.Message }

// Code gives the kind as a word.
func (e *Error) Code() string { return string(e.Kind) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hints gives what the person can do next, which is never nothing.
func (e *Error) Hints() []string { return []string{cmp.Or(e.Hint, usualHint(e))} }

// ExitStatus gives 4 for what is refused for safety, else 1.
func (e *Error) ExitStatus() int {
	switch e.Kind {
	case Integrity, PrivateAddress, PathEscape:
		return 4
	}
	return 1
}

// Fields gives what scripts may want to know: host, status, tried, led and reset (RFC 3339, UTC), as far as there is something to say.
func (e *Error) Fields() map[string]any {
	fields := map[string]any{}
	for name, text := range map[string]string{"host": e.Host, "tried": e.Tried, "led": e.Led} {
		if text != "" {
			fields[name] = text
		}
	}
	if e.Status != 0 {
		fields["status"] = e.Status
	}
	if !e.Reset.IsZero() {
		fields["reset"] = e.Reset.UTC().Format(time.RFC3339)
	}
	return fields
}

// problem turns any error of a transport into an *Error about what, such as "github.com/o/r". Errors of a context and those of
// this machine's disk stay what they are.
func problem(what, host string, err error) error {
	var known *Error
	var path *fs.PathError
	if err == nil || errors.As(err, &known) || errors.As(err, &path) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !isWeb(err) {
		return err
	}
	if failure := (*web.Error)(nil); errors.As(err, &failure) && failure.Kind == web.Settings {
		return failure.Err
	}
	e := &Error{Kind: Failed, Host: host, Message: fmt.Sprintf("%s cannot be fetched: %v", what, err), Err: err}
	var limit *store.LimitError
	var refused *gitwire.RefusedError
	var failure *web.Error
	var clone *gitclone.Error
	var damaged *archive.Error
	var document *file.Error
	switch {
	case errors.Is(err, errOffline):
		e.Kind, e.Message = Offline, what+" is not in the store"
		e.Hint = "run it once without --offline"
	case errors.As(err, &limit):
		e.Kind, e.Message, e.Hint = TooLarge, fmt.Sprintf("%s is too large: %v", what, limit), limitHint(limit.What)
	case errors.Is(err, gitwire.ErrNotGit):
		e.Kind, e.Message = WrongContent, fmt.Sprintf("%s is no git repository: %v", what, err)
	case errors.As(err, &refused) && refused.MissingObject():
		e.Kind, e.Message = NotFound, fmt.Sprintf("%s is not there: %v", what, refused)
	case errors.As(err, &clone):
		e.Kind, e.Message, e.Hint = Code(clone.Code), fmt.Sprintf("%s cannot be fetched: %s", what, clone.Text), clone.Hint
	case errors.As(err, &damaged):
		e.Kind, e.Message = Code(damaged.Code), fmt.Sprintf("%s cannot be read: %v", what, damaged)
		e.Hint = archiveHint(damaged.Code)
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Kind, e.Message = Network, fmt.Sprintf("%s broke off while it sent %s", host, what)
	case errors.As(err, &document):
		e.Kind, e.Message, e.Hint = Code(document.Code), document.Text, document.Hint
	case errors.As(err, &failure):
		e.network(what, failure)
	}
	return e
}

func isWeb(err error) bool {
	var failure *web.Error
	return errors.As(err, &failure)
}
