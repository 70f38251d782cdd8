package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Kind tells what went wrong.
type Kind string

// The kinds of failure. Their text is meant for programs, not for people.
const (
	Network        Kind = "network"         // no connection, or it broke
	DNS            Kind = "dns"             // the name has no address
	Proxy          Kind = "proxy"           // the proxy cannot be reached, or does not let the request through
	TLS            Kind = "tls"             // the handshake or the certificate failed
	Timeout        Kind = "timeout"         // a stage took longer than its bound
	PrivateAddress Kind = "private_address" // the guard refused an address
	Led            Kind = "led"             // a host that is not known led to one for which the guard is off
	RateLimited    Kind = "rate_limited"    // the quota is used up; Until may say how long
	TooLarge       Kind = "too_large"       // the body is over Limit
	Status         Kind = "status"          // an answer other than 2xx and 304
	Refused        Kind = "refused"         // an address or a redirect that is not allowed
	Credential     Kind = "credential"      // looking for a credential failed; Err says how
	Settings       Kind = "settings"        // those of the host cannot be used: Err is [Host].Err
)

// Error is a failed request. It holds no header and no query, so it may be shown.
type Error struct {
	Kind   Kind
	Method string
	Host   string    // "example.com", with the port when it is not 443
	Path   string    // escaped path of the address, as far as 500 bytes go
	Status int       // of Status, RateLimited, and of a Proxy that answered
	Until  time.Time // of RateLimited: when to ask again; zero when unknown
	Limit  int64     // of TooLarge: bytes that were allowed
	From   string    // where the credential was found that was tried, "" when there was none
	Owner  string    // host whose credentials Host gets; most are their own
	Led    string    // the host that led here, so that no credential went along; "" when that is not so
	Whole  bool      // of Timeout: the request with its body took longer than it may, not a stage of it
	Err    error     // the cause, if any
}

// Error says in one sentence what happened, host first.
func (e *Error) Error() string {
	text := e.sentence()
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *Error) sentence() string {
	switch e.Kind {
	case DNS:
		return e.Host + " has no address"
	case Proxy:
		return e.Host + " is not reached through the proxy"
	case TLS:
		return e.Host + " gives no connection that can be trusted"
	case Timeout:
		return e.Host + " did not answer in time"
	case PrivateAddress:
		return e.Host + " is not on the public network"
	case Led:
		return e.Host + " is configured as a host of yours, which others do not lead to"
	case RateLimited:
		if e.Until.IsZero() {
			return e.Host + " allows no more requests for now"
		}
		return e.Host + " allows no more requests until " + e.Until.UTC().Format(time.RFC3339)
	case TooLarge:
		return fmt.Sprintf("https://%s%s is larger than %d bytes", e.Host, e.Path, e.Limit)
	case Status:
		return fmt.Sprintf("%s answered %d to %s %s", e.Host, e.Status, e.Method, e.Path)
	case Credential:
		return e.Host + " may want a credential, which cannot be looked for"
	case Settings:
		return e.Host + " is not asked"
	case Refused:
		return fmt.Sprintf("https://%s%s is refused", e.Host, e.Path)
	}
	return e.Host + " cannot be reached"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// of fills in the request that failed, where it is not known yet.
func (e Error) of(req *http.Request) *Error {
	if e.Host == "" && req != nil {
		e.Method, e.Host, e.Path = req.Method, short(hostKey(req.URL)), short(req.URL.EscapedPath())
		sent, asked := authorization(req)
		if e.From, e.Owner = sent.From, cmp.Or(sent.Host, e.Host); asked && sent.Host == "" && origin(req) != hostKey(req.URL) {
			e.Led = short(origin(req))
		}
	}
	return &e
}

// short is a part of an address for messages: a redirect may lead to one of any length.
func short(text string) string { return text[:min(len(text), 500)] }

func refused(req *http.Request, format string, args ...any) *Error {
	return Error{Kind: Refused, Err: fmt.Errorf(format, args...)}.of(req)
}

// describe turns an error of net/http into an *Error, without the address that net/http
// puts into its text, for that holds the query. The error of a done context stays.
func describe(req *http.Request, err error) error {
	if cause := req.Context().Err(); cause != nil {
		return cause
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.of(req)
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return Error{Kind: kindOf(err), Err: err}.of(req)
}

func kindOf(err error) Kind {
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &dns):
		return DNS
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case isTLS(err):
		return TLS
	}
	return Network
}

// isTLS also looks at the text, for crypto/tls gives most of its errors no type.
func isTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) ||
		strings.Contains(err.Error(), "tls: ")
}
