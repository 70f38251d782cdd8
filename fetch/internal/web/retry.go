package web

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

type repeatableKey struct{}

// Repeatable marks requests made with the context as safe to send more than once although
// they are POSTs. Their body must be replayable, as http.NewRequest makes it for a
// bytes.Reader, a bytes.Buffer and a strings.Reader.
func Repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatableKey{}, true)
}

func isRepeatable(req *http.Request) bool {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	return req.Method == http.MethodGet || req.Method == http.MethodHead ||
		req.Context().Value(repeatableKey{}) != nil
}

func (c *Client) retrying() *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient:   c.plain,
		RetryMax:     max(c.config.Retries, 0),
		RetryWaitMin: c.config.RetryWait,
		RetryWaitMax: c.config.RetryAfter,
		CheckRetry:   c.checkRetry,
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// send sends a request as often as it may.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if !isRepeatable(req) {
		return c.plain.Do(req)
	}
	again := &retryablehttp.Request{Request: req.WithContext(req.Context())}
	if getBody := req.GetBody; req.Body != nil && getBody != nil {
		defer req.Body.Close()
		body := retryablehttp.ReaderFunc(func() (io.Reader, error) { return getBody() })
		if err := again.SetBody(body); err != nil {
			return nil, err
		}
		again.ContentLength = req.ContentLength // SetBody does not know it
	}
	return c.retry.Do(again)
}

// checkRetry repeats what may pass: broken connections, 5xx but 501, and a used-up quota
// when the server asks for a wait within the bound. Timeouts are not repeated: they
// would take their time again.
func (c *Client) checkRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return transient(err), nil
	}
	if !limited(resp) && (resp.StatusCode < 500 || resp.StatusCode == http.StatusNotImplemented) {
		return false, nil
	}
	if limited(resp) && c.raises(resp) {
		return false, nil // no need to wait
	}
	at, known := retryTime(resp)
	if !known {
		return resp.StatusCode != http.StatusForbidden, nil
	}
	return time.Until(at) <= c.config.RetryAfter, nil
}

func transient(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary && !dns.IsNotFound
	}
	return e.Kind == Network || e.Kind == Proxy && (e.Status == 0 || e.Status >= 500) && !errors.Is(err, context.DeadlineExceeded)
}

// backoff waits as long as the server asks, else exponentially. checkRetry has bounded
// what the server may ask for.
func backoff(first, most time.Duration, attempt int, resp *http.Response) time.Duration {
	wait := min(first<<min(attempt, 20), most)
	wait -= rand.N(wait/2 + 1)
	if at, known := retryTime(resp); known {
		return max(wait, time.Until(at))
	}
	return wait
}

// limited tells whether a quota is used up: GitHub answers 403 with a quota of 0, or with
// Retry-After for its secondary limits, others 429 (RFC 6585, section 4).
func limited(resp *http.Response) bool {
	if resp.StatusCode == http.StatusTooManyRequests {
		return true
	}
	return resp.StatusCode == http.StatusForbidden &&
		(resp.Header.Get("X-RateLimit-Remaining") == "0" || resp.Header.Get("Retry-After") != "")
}

// retryTime is when the server wants to be asked again: Retry-After in seconds or as a
// date (RFC 9110, section 10.2.3), else the time at which a used-up quota is filled again,
// which hosts give as Unix time or, after the IETF draft, in seconds from now.
func retryTime(resp *http.Response) (at time.Time, known bool) {
	if resp == nil {
		return time.Time{}, false
	}
	after := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(after, 10, 31); err == nil {
		return time.Now().Add(time.Duration(seconds) * time.Second), true
	}
	if at, err := http.ParseTime(after); err == nil {
		return at, true
	}
	if !limited(resp) {
		return time.Time{}, false
	}
	reset := cmp.Or(resp.Header.Get("X-RateLimit-Reset"), resp.Header.Get("RateLimit-Reset"))
	return resetTime(reset)
}

func resetTime(header string) (at time.Time, known bool) {
	n, err := strconv.ParseInt(header, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	if n < 1e8 {
		return time.Now().Add(time.Duration(n) * time.Second), true
	}
	return time.Unix(n, 0), true
}
