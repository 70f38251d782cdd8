package fetchtest

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Request is one request as the forge saw it. It is in the log from its beginning on; the figures grow until it is answered.
type Request struct {
	Method string
	Host   string // without a port, in lower case
	Path   string // decoded
	Query  string
	Proto  string // "HTTP/1.1" or "HTTP/2.0"
	// Authorized says that an Authorization header was present, good or bad. The header itself is not kept.
	Authorized bool
	// Command is "info/refs", "ls-refs" or "fetch" (protocol version 2), "upload-pack" (older versions), or empty: no git request.
	Command string
	// Arguments are the lines that a git command came with, such as "want ID", "filter blob:none" and "deepen 1".
	Arguments []string
	// Status is 0 until a header was sent.
	Status int
	// Wait is the time from the header of the request to the first byte of the answer's body: the server's own.
	Wait time.Duration
	// Up and Down are bytes of the two bodies as they were transferred, before TLS.
	Up, Down int64
}

// Counts are figures of one host or of all.
type Counts struct {
	Requests    int
	Connections int   // TLS connections that got as far as naming a host
	Up, Down    int64 // bytes on the wire, TLS included, TCP and IP not
}

// Requests returns the log so far, oldest first.
func (f *Forge) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := make([]Request, len(f.requests))
	for i, r := range f.requests {
		log[i] = *r
		log[i].Arguments = slices.Clone(r.Arguments)
	}
	return log
}

// Counts returns the figures of a host since the start or the last Reset; those of all hosts together for "".
func (f *Forge) Counts(host string) Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	var n Counts
	for _, r := range f.requests {
		if host == "" || r.Host == host {
			n.Requests++
		}
	}
	for _, c := range f.conns {
		name := c.host.Load()
		if name == nil || (host != "" && *name != host) {
			continue
		}
		if !c.old {
			n.Connections++
		}
		n.Up += c.up.Load()
		n.Down += c.down.Load()
	}
	return n
}

// Reset empties the log and sets the counts to zero. Connections that stay open are not counted again as connections.
func (f *Forge) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = nil
	f.conns = slices.DeleteFunc(f.conns, func(c *conn) bool { return c.closed.Load() })
	for _, c := range f.conns {
		c.old = true
		c.up.Store(0)
		c.down.Store(0)
	}
}

// handle is the way of every request: log, faults, then the route.
func (f *Forge) handle(w http.ResponseWriter, r *http.Request) {
	if !f.enter() {
		panic(http.ErrAbortHandler)
	}
	defer f.handlers.Done()
	x := f.record(w, r)
	r.Body = &countedBody{ReadCloser: r.Body, exchange: x}
	if !f.readCommand(x, r) {
		return
	}
	proceed := true
	if fault := f.strike(x.entry); fault != nil {
		proceed = fault.Do.prepare(x, r)
	}
	if proceed {
		f.route(x, r)
	}
	if x.end != nil {
		x.end()
	}
}

// enter counts a handler, unless Close waits for them already.
func (f *Forge) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.handlers.Add(1)
	}
	return !f.closed
}

// exchange is a response that keeps its entry in the log true, and that a fault may bend.
type exchange struct {
	http.ResponseWriter
	forge  *Forge
	entry  *Request
	begin  time.Time
	write  func([]byte) (int, error) // how a fault writes the body
	end    func()                    // what a fault does after the handler
	length string                    // what a fault announces
}

func (f *Forge) record(w http.ResponseWriter, r *http.Request) *exchange {
	entry := &Request{Method: r.Method, Host: hostname(r.Host), Path: r.URL.Path, Query: r.URL.RawQuery, Proto: r.Proto,
		Authorized: r.Header.Get("Authorization") != ""}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, entry)
	return &exchange{ResponseWriter: w, forge: f, entry: entry, begin: time.Now()}
}

// change changes the entry in the log.
func (x *exchange) change(do func(*Request)) {
	x.forge.mu.Lock()
	defer x.forge.mu.Unlock()
	do(x.entry)
}

// WriteHeader notes the status and sends the header.
func (x *exchange) WriteHeader(status int) {
	if x.entry.Status != 0 {
		return
	}
	if x.length != "" {
		x.Header().Set("Content-Length", x.length)
	}
	x.change(func(r *Request) { r.Status, r.Wait = status, time.Since(x.begin) })
	x.ResponseWriter.WriteHeader(status)
}

// Write sends, in the way of a fault where there is one.
func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	if x.write != nil {
		return x.write(p)
	}
	return x.send(p)
}

// send counts and sends.
func (x *exchange) send(p []byte) (int, error) {
	x.change(func(r *Request) {
		if r.Down == 0 {
			r.Wait = time.Since(x.begin)
		}
		r.Down += int64(len(p))
	})
	return x.ResponseWriter.Write(p)
}

// flush sends off what is buffered, the header before all.
func (x *exchange) flush() {
	x.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(x.ResponseWriter).Flush()
}

// countedBody counts the body of a request.
type countedBody struct {
	io.ReadCloser
	exchange *exchange
}

// Read reads and counts.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.exchange.change(func(r *Request) { r.Up += int64(n) })
	return n, err
}

// hostname is the host of a Host header, in lower case and without a port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(host)
}
