// Package web is the one HTTP client of the process: HTTP/2 with keep-alive, retries,
// bounds, and a guard that keeps hosts nobody configured away from private networks.
//
// Rules it enforces, whatever the caller does:
//
//   - https only (but see [Host].HTTP), no user information in the address, a port other than 443 only on known
//     hosts; the same for every redirect.
//   - [Client.Do] never follows a redirect (net/http would repeat a POST as a GET without
//     its body); [Follow] makes the next request, and [Client.Get] uses it at most three times.
//   - Authorization and the like never leave the host they were set for, and neither a
//     header nor a query is ever part of an error or an [Event]. [Config].Authorize decides, in one
//     place for all requests, which host gets a credential, and when.
//   - A host that is not known may not resolve to an address that is not public; the
//     addresses that were checked are the ones dialled. See [Public].
//   - A request on behalf of a host that is not known ([From], [Follow]) reaches no other host
//     for which this guard is off, unless that is one of [Config].Shared: who is
//     configured may be of a private network, and knows its callers.
//   - Connecting, the TLS handshake, response headers, each pause of a body and the whole
//     of a transfer are bounded in time.
//   - A body over its limit is an error and never a silent end.
//
// Every failure is an [*Error] whose Kind tells what happened, except that a context which
// is done gives the context's own error.
//
// A use:
//
//	client, err := web.New(web.Config{Trusted: hosts.Known})
//	resp, err := client.Get(ctx, "https://codeload.github.com/o/r/tar.gz/main", web.Options{Limit: 100 << 20})
//
// A POST that may be sent twice (git-upload-pack is one) says so, and is then retried:
//
//	req, err := http.NewRequestWithContext(web.Repeatable(ctx), "POST", url, bytes.NewReader(body))
//	resp, err := client.Do(req)
package web

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Config says how a Client reaches hosts. The zero value reaches public hosts only.
type Config struct {
	// Trusted tells hosts of the built-in table and of the user's configuration. It is
	// asked with "host:port" when the address has a port other than 443, then with the
	// name alone, in lower case. Trusted hosts may resolve to anything and use any port.
	Trusted func(host string) bool
	// Shared tells those of the trusted hosts to which any other may lead, such as the public ones of the built-in table. It is asked with
	// the host, and the port when that is not 443; nil means none.
	Shared func(host string) bool
	// Hosts holds settings by host, keyed as Trusted is asked.
	Hosts map[string]Host
	// Proxy names the proxy of a request, nil for none; http.ProxyFromEnvironment fits.
	// The guard then checks the name of the target, for the proxy dials it.
	Proxy func(*http.Request) (*url.URL, error)
	// Resolve finds the addresses of a host; nil asks the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial opens one connection to an address that was checked; nil is a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Event, if not nil, is told of the start and the end of every request on the wire.
	// It is called from several goroutines.
	Event func(Event)
	// Timeouts bound the stages of a request; zero fields have defaults.
	Timeouts Timeouts
	// Retries is how often a request is sent again; 0 means 3, below 0 never.
	Retries int
	// RetryWait is the wait before the first repetition, doubled for each further one
	// and shortened at random by up to a half; 0 means 250 ms.
	RetryWait time.Duration
	// RetryAfter is the longest wait that a server may ask for; 0 means 30 s. A server
	// that asks for more gets no second request.
	RetryAfter time.Duration
	// UserAgent is sent with requests that name none; "" means "skills".
	UserAgent string
	// CA is PEM of authorities accepted beside the system's, for all hosts.
	CA []byte
	// Authorize gives what a request that has no Authorization of its own is sent with. It is asked before the request (Status 0), and again when
	// the host refused one without a credential: 401, 403, 404 or 429. Nil gives nothing. Its error is that of the request.
	Authorize func(context.Context, Challenge) (Authorization, error)
}

// Host is what the user configured for one host.
type Host struct {
	Connect      string // "127.0.0.1:8443": dial this instead; the certificate must still be the host's
	CA           []byte // PEM of authorities accepted beside the system's
	AllowPrivate bool   // may resolve to addresses that are not public
	// HTTP says that the host has no TLS. Its addresses are still written with https, and its own redirects are read so; it gets no
	// credential of [Config].Authorize, and no redirect from another host leads to it.
	HTTP bool
	Err  error // what is wrong with these settings; no request is sent then
}

// Timeouts bound the stages of a request. Zero fields have the defaults given here.
type Timeouts struct {
	Connect time.Duration // one TCP connection: 10 s
	TLS     time.Duration // one TLS handshake: 10 s
	Header  time.Duration // from the request sent to the response headers: 60 s
	// Idle is the longest wait for a byte of a body: 30 s. A body that brings less than
	// 1 KiB in four times of it counts as stalled, too.
	Idle time.Duration
	// Total is the longest that one request may take, its whole body included: 30 min.
	Total time.Duration
}

// Client sends requests. It is safe for concurrent use; a process needs one.
type Client struct {
	config     Config
	plain      *http.Client
	retry      *retryablehttp.Client
	gate       gate
	transports map[string]*http.Transport // by host that has authorities of its own; "" is for all others
}

// New makes a Client. The error names the host whose CA holds no certificate.
func New(config Config) (*Client, error) {
	c := &Client{config: withDefaults(config), transports: map[string]*http.Transport{}}
	roots, err := authorities(config.CA)
	if err != nil {
		return nil, fmt.Errorf("the authorities configured for all hosts %w", err)
	}
	c.transports[""] = c.transport(roots)
	for host, settings := range c.config.Hosts {
		if len(settings.CA) == 0 {
			continue
		}
		if roots, err = authorities(config.CA, settings.CA); err != nil {
			return nil, fmt.Errorf("the authorities configured for %q %w", host, err)
		}
		c.transports[host] = c.transport(roots)
	}
	c.plain = &http.Client{Transport: roundTripper(c.attempt), CheckRedirect: stay}
	c.retry = c.retrying()
	return c, nil
}

// stay makes net/http return redirects as they are.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// authorities are those of the system and of PEM texts. Nil stands for the system's alone.
func authorities(texts ...[]byte) (roots *x509.CertPool, err error) {
	for _, pem := range texts {
		if len(pem) == 0 {
			continue
		}
		if roots == nil {
			if roots, err = x509.SystemCertPool(); err != nil {
				roots = x509.NewCertPool()
			}
		}
		if !roots.AppendCertsFromPEM(pem) {
			return nil, errors.New("hold no PEM certificate")
		}
	}
	return roots, nil
}

func withDefaults(c Config) Config {
	if c.Resolve == nil {
		c.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	c.Retries, c.UserAgent = cmp.Or(c.Retries, 3), cmp.Or(c.UserAgent, "skills")
	orDefault(&c.RetryWait, 250*time.Millisecond)
	orDefault(&c.RetryAfter, 30*time.Second)
	c.Timeouts = c.Timeouts.orDefault()
	return c
}

func (t Timeouts) orDefault() Timeouts {
	orDefault(&t.Connect, 10*time.Second)
	orDefault(&t.TLS, 10*time.Second)
	orDefault(&t.Header, 60*time.Second)
	orDefault(&t.Idle, 30*time.Second)
	orDefault(&t.Total, 30*time.Minute)
	return t
}

func orDefault(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

// CloseIdle closes the connections that are not in use.
func (c *Client) CloseIdle() {
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}

// Do sends a request and returns the response to it, whatever its status, without
// following redirects. Requests that change nothing, and those marked by [Repeatable], are
// repeated after failures that may pass; of the last repetition the response is kept.
// An exhausted quota (429, or 403 that says so) is an *Error of kind RateLimited.
// The caller closes the body. An error while it is read is an *Error as well.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.authorized(req)
	if err != nil {
		if resp != nil {
			discard(resp)
		}
		return nil, describe(req, err)
	}
	if limited(resp) {
		discard(resp)
		until, _ := retryTime(resp)
		return nil, Error{Kind: RateLimited, Status: resp.StatusCode, Until: until}.of(resp.Request)
	}
	return resp, nil
}

// RoundTrip is Do, which makes a Client the Transport of an http.Client.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) { return c.Do(req) }

// Options of a GET.
type Options struct {
	Header http.Header // sent as given; Authorization only to the host of the first address
	Limit  int64       // bytes of the body; 0 means no limit
}

// maxAddress bounds where a redirect leads, in bytes: as long as RFC 9110 (section 4.1) wants an address to be read by all.
const maxAddress = 8000

// maxRedirects is how many redirects Get follows: four requests in all.
const maxRedirects = 3

// Get follows up to three redirects and returns the response with status 2xx or 304.
// Another status is an *Error of kind Status. The body is bounded by the options' Limit.
func (c *Client) Get(ctx context.Context, address string, o Options) (*http.Response, error) {
	req, err := newGet(ctx, address, o.Header)
	if err != nil {
		return nil, err
	}
	for range maxRedirects + 1 {
		resp, err := c.Do(req)
		if err != nil {
			return nil, err
		}
		next, err := Follow(req, resp)
		if err != nil || next != nil {
			discard(resp)
		}
		if err != nil {
			return nil, err
		}
		if next == nil {
			return accepted(req, resp, o.Limit)
		}
		req = next
	}
	return nil, refused(req, "more than %d redirects", maxRedirects)
}

func newGet(ctx context.Context, address string, header http.Header) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &Error{Kind: Refused, Err: errors.New("the address cannot be read")}
	}
	if header != nil {
		req.Header = header.Clone()
	}
	return req, nil
}

// accepted returns resp with its limit in place, or the error that its status is.
func accepted(req *http.Request, resp *http.Response, limit int64) (*http.Response, error) {
	if err := CheckStatus(resp); err != nil {
		discard(resp)
		return nil, err
	}
	if limit > 0 {
		if err := Limit(resp, limit); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// CheckStatus returns nil for status 2xx and 304, and an *Error of kind Status for others.
// It leaves the body to the caller.
func CheckStatus(resp *http.Response) error {
	if resp.StatusCode/100 == 2 || resp.StatusCode == http.StatusNotModified {
		return nil
	}
	return Error{Kind: Status, Status: resp.StatusCode}.of(resp.Request)
}

// ReadAll is Get of a body that fits into memory: options must have a Limit. A body that
// breaks off is asked for again, at most twice. Header is that of the last response.
func (c *Client) ReadAll(ctx context.Context, address string, o Options) (data []byte, header http.Header, err error) {
	for range 3 {
		var resp *http.Response
		if resp, err = c.Get(ctx, address, o); err != nil {
			return nil, nil, err
		}
		data, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil {
			return data, resp.Header, nil
		}
		if e := (*Error)(nil); !errors.As(err, &e) || e.Kind != Network {
			return nil, nil, err
		}
	}
	return nil, nil, err
}

// Follow returns the request that a redirect asks for, nil when resp is none. Method and
// body stay as they were, for a POST to a renamed repository must stay a POST. Headers
// stay, too, but when the host changes only those that never hold a secret do. It is an error when the
// new address is not https, has user information, or the body cannot be sent again.
// The caller discards resp.
func Follow(req *http.Request, resp *http.Response) (*http.Request, error) {
	if !isRedirect(resp.StatusCode) {
		return nil, nil
	}
	location := resp.Header.Get("Location")
	target, err := req.URL.Parse(location)
	if err != nil || location == "" || len(location) > maxAddress {
		return nil, refused(req, "a redirect without a readable address")
	}
	next := req.Clone(req.Context())
	next.URL, next.Host = target, ""
	if reason := unsafe(target); reason != "" {
		return nil, refused(req, "a redirect to %s: %s", short(target.Host), reason)
	}
	if hostKey(target) != hostKey(req.URL) {
		next = next.WithContext(From(next.Context(), hostKey(req.URL)))
		next.Header = harmless(req.Header)
	}
	if req.Body == nil || req.Body == http.NoBody {
		return next, nil
	}
	if req.GetBody == nil {
		return nil, refused(req, "a redirect of a request that cannot be sent again")
	}
	next.Body, err = req.GetBody()
	return next, err
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// harmless keeps the headers that hold no secret, whatever name a host gives to its own.
func harmless(header http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Accept", "Content-Type", "Git-Protocol", "If-None-Match", "User-Agent"} {
		if values := header.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// unsafe tells why an address is not asked, "" when it may be.
func unsafe(u *url.URL) string {
	switch {
	case u.Scheme != "https":
		return "only https is allowed"
	case u.User != nil:
		return "the address holds user information"
	case u.Hostname() == "":
		return "the address names no host"
	case strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "the host is not written in ASCII" // net/http would fold other letters, and dial another name than was checked
	}
	return ""
}

// hostKey is the host of an address in one spelling: lower case, without a final dot and
// without port 443.
func hostKey(u *url.URL) string { return canonical(u.Hostname(), u.Port()) }

// HostOf is the host of an address, spelled as in [Error]; "" when the address cannot be read.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return hostKey(u)
}

func canonical(name, port string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if port != "" && port != "443" {
		name += ":" + port
	}
	return name
}

// discard closes a response so that its connection can be used again when little is left.
func discard(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, 4096)
	resp.Body.Close()
}
