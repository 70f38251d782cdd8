package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

// Event is the start (Done false) or the end of one request on the wire; repetitions and
// redirects are requests of their own. It holds no header and no query.
type Event struct {
	Done   bool
	Method string
	Host   string // as in Error
	Path   string // escaped
	Status int    // 0 when no response came
	Up     int64  // bytes of the request's body
	Down   int64  // bytes of the response's body that were read, decompressed
	Took   time.Duration
	Err    error // why the request or its body failed
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// transport makes the transport for hosts with the given authorities, nil for the system's.
func (c *Client) transport(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		DialContext: c.dial,
		Proxy: func(req *http.Request) (*url.URL, error) {
			proxy, _ := req.Context().Value(routeKey{}).(*url.URL)
			return proxy, nil
		},
		OnProxyConnectResponse: throughProxy,
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    c.config.Timeouts.TLS,
		ResponseHeaderTimeout:  c.config.Timeouts.Header,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    64,
		MaxConnsPerHost:        64,
		MaxResponseHeaderBytes: 1 << 20,
		ForceAttemptHTTP2:      true,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:             15 * time.Second, // finds connections that died in silence
			StrictMaxConcurrentRequests: true,             // wait for a stream, do not dial once more
		},
	}
}

func (c *Client) transportFor(host string) *http.Transport {
	for _, key := range []string{host, withoutPort(host)} {
		if t, ok := c.transports[key]; ok {
			return t
		}
	}
	return c.transports[""]
}

// attempt sends one request once. It reports events and wraps the body.
func (c *Client) attempt(req *http.Request) (*http.Response, error) {
	if err := c.admit(req); err != nil {
		return nil, err
	}
	proxy, err := c.proxy(req)
	if err != nil {
		return nil, describe(req, err)
	}
	host := hostKey(req.URL)
	opened, err := c.gate.enter(req.Context(), host)
	if err != nil {
		return nil, err
	}
	defer opened()
	ctx, cancel := context.WithTimeout(context.WithValue(req.Context(), routeKey{}, proxy), c.config.Timeouts.Total)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: opened})
	finish := c.started(req)
	dressed := c.dressed(req.Clone(ctx))
	resp, err := c.transportFor(host).RoundTrip(c.onTheWire(dressed))
	if err != nil {
		whole := ctx.Err() == context.DeadlineExceeded
		cancel()
		err = describe(req, err)
		if e := (*Error)(nil); errors.As(err, &e) && e.Kind == Timeout {
			e.Whole = whole
		}
		finish(0, 0, err)
		return nil, err
	}
	c.offTheWire(resp, dressed)
	resp.Body = &body{
		ReadCloser: resp.Body, req: req, timeouts: c.config.Timeouts, sent: ctx, cancel: cancel,
		finish: func(down int64, err error) { finish(resp.StatusCode, down, err) },
	}
	if _, err := resp.Location(); err != nil && !errors.Is(err, http.ErrNoLocation) {
		resp.Body.Close() // http.Client would put the address into its error
		return nil, refused(req, "a redirect without a readable address")
	}
	return resp, nil
}

// dressed gives a request what all have: the host in one spelling, for one connection, and a
// User-Agent.
func (c *Client) dressed(req *http.Request) *http.Request {
	req.URL.Host = hostKey(req.URL)
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", c.config.UserAgent)
	}
	return req
}

// onTheWire is a request as it is sent: to a host without TLS by http.
func (c *Client) onTheWire(req *http.Request) *http.Request {
	if !c.settings(req.URL.Host).HTTP {
		return req
	}
	req = req.Clone(req.Context())
	req.URL.Scheme = "http"
	return req
}

// offTheWire makes an answer one to the request as it was asked for; a host without TLS means itself when it redirects by http.
func (c *Client) offTheWire(resp *http.Response, req *http.Request) {
	resp.Request = req
	if !c.settings(req.URL.Host).HTTP {
		return
	}
	target, err := req.URL.Parse(resp.Header.Get("Location"))
	if err == nil && target.Scheme == "http" && hostKey(target) == req.URL.Host {
		target.Scheme = "https"
		resp.Header.Set("Location", target.String())
	}
}

// started reports the start of a request and returns what reports its end, once.
func (c *Client) started(req *http.Request) (finish func(status int, down int64, err error)) {
	if c.config.Event == nil {
		return func(int, int64, error) {}
	}
	event := Event{Method: req.Method, Host: hostKey(req.URL), Path: req.URL.EscapedPath(), Up: max(req.ContentLength, 0)}
	c.config.Event(event)
	start := time.Now()
	var once sync.Once
	return func(status int, down int64, err error) {
		once.Do(func() {
			event.Done, event.Status, event.Down, event.Err = true, status, down, err
			event.Took = time.Since(start)
			c.config.Event(event)
		})
	}
}

// gate lets the first request to a host open the connection before others start: on a
// cold host net/http would dial once for each of them, although one HTTP/2 connection
// carries all.
type gate struct {
	mu    sync.Mutex
	hosts map[string]chan struct{}
}

// enter returns at once for the first request to a host, which must call opened, and for
// the others when that has happened.
func (g *gate) enter(ctx context.Context, host string) (opened func(), err error) {
	open, first := g.of(host)
	if first {
		return sync.OnceFunc(func() { close(open) }), nil
	}
	select {
	case <-open:
		return func() {}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// of is the gate of a host, made for the first request.
func (g *gate) of(host string) (open chan struct{}, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hosts == nil {
		g.hosts = map[string]chan struct{}{}
	}
	open, there := g.hosts[host]
	if !there {
		open = make(chan struct{})
		g.hosts[host] = open
	}
	return open, !there
}
