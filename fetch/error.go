package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
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
	PrivateAddress Code = "private_address"  // the guard of the network
	Offline        Code = "offline"          // not in the store, and the network is off
	Unsupported    Code = "unsupported"      // no way to fetch such a source
	Failed         Code = "fetch_failed"     // everything else
)

// Error is why something could not be fetched. Neither text ever holds a credential.
type Error struct {
	Kind    Code
	Host    string    // "" for what is on this machine
	Status  int       // of HTTP, when that was the trouble
	Reset   time.Time // of RateLimited, when known
	Tried   string    // where the credential was found that was sent, "GITHUB_TOKEN"; "" when there was none
	Message string    // a sentence, subject first
	Hint    string    // what to do next, in the words of the command line; may be empty
	Err     error     // the cause; may be nil
}

// Error gives the sentence.
func (e *Error) Error() string { return e.Message }

// Code gives the kind as a word.
func (e *Error) Code() string { return string(e.Kind) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hints gives what the person can do next; none is possible.
func (e *Error) Hints() []string {
	if e.Hint == "" {
		return nil
	}
	return []string{e.Hint}
}

// ExitStatus gives 4 for what is refused for safety, else 1.
func (e *Error) ExitStatus() int {
	if e.Kind == Integrity || e.Kind == PrivateAddress {
		return 4
	}
	return 1
}

// Fields gives what scripts may want to know: host, status, tried and reset (RFC 3339, UTC), as far as there is something to say.
func (e *Error) Fields() map[string]any {
	fields := map[string]any{}
	if e.Host != "" {
		fields["host"] = e.Host
	}
	if e.Status != 0 {
		fields["status"] = e.Status
	}
	if e.Tried != "" {
		fields["tried"] = e.Tried
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
		e.Kind, e.Message = WrongContent, fmt.Sprintf("%s cannot be read: %v", what, damaged)
		if damaged.Code == archive.TooLarge || damaged.Code == archive.Unsupported {
			e.Kind = Code(damaged.Code)
		}
		if e.Kind == TooLarge {
			e.Hint = "if you trust the source, raise its bound in [limits] of config.toml"
		}
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

// network fills in what a failed request says.
func (e *Error) network(what string, failure *web.Error) {
	e.Host, e.Status, e.Reset, e.Tried = failure.Host, failure.Status, failure.Until, failure.From
	switch failure.Kind {
	case web.Network:
		e.Kind, e.Hint = Network, "check the connection; what is in the store installs with --offline"
	case web.DNS:
		e.Kind, e.Hint = DNS, "check how "+e.Host+" is spelt, and the connection; what is in the store installs with --offline"
	case web.Proxy:
		e.Kind, e.Hint = Proxy, "check HTTPS_PROXY; hosts that need no proxy belong into NO_PROXY"
		if failure.Status == http.StatusProxyAuthRequired {
			e.Hint = "the proxy wants to know who asks: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
		}
	case web.TLS:
		e.Kind, e.Hint = TLS, "behind a proxy that opens TLS, name its authority with SSL_CERT_FILE or ca_file"
	case web.Timeout:
		e.Kind, e.Hint = Timeout, "try again later; a transfer that takes its time may be given more with time in [limits] of config.toml"
	case web.PrivateAddress:
		e.Kind, e.Hint = PrivateAddress, fmt.Sprintf("if this is a host of your own network, say so in config.toml: [host.%q]", e.Host)
	case web.Led:
		e.Kind, e.Hint = PrivateAddress, "if it is wanted, add it from "+e.Host+" itself"
	case web.RateLimited:
		e.Kind, e.Hint = RateLimited, "wait, or give a token: it has a higher limit"
		if e.Tried != "" {
			e.Hint = "wait: this is the limit of the credential from " + e.Tried
		}
	case web.TooLarge:
		e.Kind, e.Hint = TooLarge, `if you trust the source, raise the bounds "download" and "file" in [limits] of config.toml`
	case web.Credential:
		e.Kind, e.Hint = Forbidden, "correct what is said there, or give a token in a variable"
	case web.Status:
		e.status(what, failure.Status)
	}
}

// status tells a missing repository from one that is refused. Hosts hide private repositories: to strangers they do not exist.
func (e *Error) status(what string, status int) {
	switch status {
	case 401, 404, 410:
		e.Kind, e.Message = NotFound, fmt.Sprintf("%s is not there, or is private (%s answered %d)", what, e.Host, status)
		e.Hint = "check the spelling; a private repository needs a token with access to it"
		if e.Tried != "" {
			e.Message = fmt.Sprintf("%s is not there, or the credential from %s has no access to it (%s answered %d)", what, e.Tried, e.Host, status)
			e.Hint = fmt.Sprintf("check the spelling; the credential from %s must be valid and may have to be given access", e.Tried)
		}
	case 403:
		e.Kind, e.Message = Forbidden, fmt.Sprintf("%s gives no access to %s", e.Host, what)
		e.Hint = "it may be private: give a token with access to it"
		if e.Tried != "" {
			e.Message += " with the credential from " + e.Tried
			e.Hint = fmt.Sprintf("check the rights of the credential from %s, and whether its organization must authorize it first", e.Tried)
		}
	}
}

// limitHint says how a bound is raised: by the key that the command line has for it.
func limitHint(what string) string {
	key := map[string]string{
		"bytes": "download", "unpacked bytes": "unpacked", "bytes in one object": "file", "objects": "files",
		"levels of directories": "depth", "times the packed size": "ratio",
	}[what]
	return fmt.Sprintf("if you trust the source, raise the bound %q in [limits] of config.toml", key)
}
