// Package gitssh speaks version 2 of the git protocol over ssh, by OpenSSH's client program: the same requests as gitwire sends over
// HTTPS, all those of a repository over one connection, which stays open for a while.
//
// Rules:
//
//   - ssh runs directly, with the path of the repository quoted as git quotes it, and no address can be taken for an option. A
//     command line of the user (GIT_SSH_COMMAND) runs as git runs it, by a shell if it has signs of one; what is added to it
//     is never the shell's to read;
//   - ssh asks nothing: no passphrase, no password, no doubtful host key. It has no terminal, and nothing is forwarded. Keys are
//     open or in the agent, hosts are known;
//   - a context that ends, a server that says nothing, and a request that takes too long end ssh and its children;
//   - what ssh writes to standard error is bounded, and becomes the error, with a hint;
//   - one request at a time on a connection; one that broke is not used again, one that the server left is replaced once.
//
// A use:
//
//	client := gitssh.New(gitssh.Config{Program: "/usr/bin/ssh"})
//	remote, err := client.Remote("git@github.com:o/r.git")
//	refs, err := remote.Refs(ctx, "HEAD")
//	pack, err := remote.Fetch(ctx, gitwire.Request{Wants: []string{refs[0].ID}, Filter: "blob:none"})
package gitssh

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/turn"
	"skills/fetch/internal/web"
)

// Config says how ssh is run.
type Config struct {
	Program  string   // path of ssh, where there is no Command
	Command  string   // a command line in place of Program, as GIT_SSH_COMMAND and core.sshCommand have it
	Variant  string   // as GIT_SSH_VARIANT and ssh.variant have it: "ssh" is OpenSSH whatever its name, "" and "auto" go by the name
	Env      []string // environment of ssh as "NAME=value"; nil is that of this process
	Timeouts Timeouts
	Event    func(web.Event) // told of the start and the end of every request, by method "ssh ls-refs" or "ssh fetch"; may be nil
}

// Timeouts bound the stages of a connection. Zero fields have the defaults given here.
type Timeouts struct {
	Greeting time.Duration // from the start of ssh until the server has said what it can do: 60 s; ssh itself gives TCP 10 s of it
	Idle     time.Duration // the longest wait for a byte of an answer: 60 s
	Total    time.Duration // one request and its answer: 30 min
	Keep     time.Duration // how long a connection waits for a further request: 15 s
}

// handshakes is how many connections may be on their way at once: servers drop those that are many (MaxStartups of sshd_config(5)).
const handshakes = 8

// Client runs ssh. It serves a whole process.
type Client struct {
	config Config
	gate   turn.Turn

	mu      sync.Mutex
	remotes []*Remote
	leaving sync.WaitGroup // connections that end because nobody uses them
}

// New makes a client. It runs nothing.
func New(config Config) *Client {
	t := &config.Timeouts
	t.Greeting, t.Idle = cmp.Or(t.Greeting, time.Minute), cmp.Or(t.Idle, time.Minute)
	t.Total, t.Keep = cmp.Or(t.Total, 30*time.Minute), cmp.Or(t.Keep, 15*time.Second)
	if config.Event == nil {
		config.Event = func(web.Event) {}
	}
	return &Client{config: config, gate: turn.New(handshakes)}
}

// Close ends the connections that wait for a further request, side by side: that takes two seconds where servers do not end them. Afterwards
// no ssh of them is left. The client can be used again.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.remotes {
		r.rest()
	}
	c.leaving.Wait()
}

// Remote is one repository on one server. Its methods may be called from several goroutines, which take turns.
type Remote struct {
	client  *Client
	address address
	turn    turn.Turn // of who uses what is below

	conn *connection // nil when there is none
	keep *time.Timer // ends a connection that nobody uses
}

// Remote returns the repository that an address names, "ssh://[user@]host[:port]/path" or "[user@]host:path". An address with anything
// that ssh, or a shell on the other side, could take for something else is an error.
func (c *Client) Remote(url string) (*Remote, error) {
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	r := &Remote{client: c, address: a, turn: turn.New(1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remotes = append(c.remotes, r)
	return r, nil
}

// Refs lists the refs that begin with one of the prefixes, as [gitwire.Remote.Refs] does. A server that speaks only older versions of the
// protocol is gitwire.ErrOldProtocol. Other errors are a *gitclone.Error, a *gitwire.RefusedError, or those of the context.
func (r *Remote) Refs(ctx context.Context, prefixes ...string) ([]gitwire.Ref, error) {
	x, err := r.ask(ctx, "ls-refs", gitwire.RefsRequest(prefixes))
	if err != nil {
		return nil, err
	}
	defer x.Close()
	bounded := &io.LimitedReader{R: x, N: gitwire.MaxRefs}
	refs, err := gitwire.ReadRefs(bounded)
	if err != nil && bounded.N <= 0 {
		err = fmt.Errorf("%s lists more than %d bytes of refs", r.address.peer.Host, gitwire.MaxRefs)
	}
	return refs, x.end(err)
}

// Capabilities says what the server can do, which it says at the beginning of every connection.
func (r *Remote) Capabilities(ctx context.Context) (gitwire.Capabilities, error) {
	if err := r.take(ctx); err != nil {
		return gitwire.Capabilities{}, err
	}
	defer r.give()
	if err := r.open(ctx); err != nil {
		return gitwire.Capabilities{}, err
	}
	return r.conn.able, nil
}

// Fetch returns the pack as a stream, which the caller closes; until then nothing else can be asked. What the server refuses, be it a
// filter because it has none, is a *gitwire.RefusedError, here or in the stream.
func (r *Remote) Fetch(ctx context.Context, request gitwire.Request) (io.ReadCloser, error) {
	if request.Filter != "" {
		if able, err := r.Capabilities(ctx); err != nil {
			return nil, err
		} else if !able.Filter {
			return nil, &gitwire.RefusedError{Text: "there are no filters"}
		}
	}
	x, err := r.ask(ctx, "fetch", request.Bytes())
	if err != nil {
		return nil, err
	}
	pack, err := gitwire.ReadPack(x)
	if err != nil {
		err = x.end(err)
		_ = x.Close()
		return nil, err
	}
	return &stream{pack, x}, nil
}

// stream is a pack whose end says what ended it.
type stream struct {
	io.ReadCloser
	exchange *exchange
}

// Read reads the pack.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil {
		err = s.exchange.end(err)
	}
	return n, err
}

// take waits for the turn.
func (r *Remote) take(ctx context.Context) error {
	if err := r.turn.Take(ctx); err != nil {
		return err
	}
	if r.keep != nil {
		r.keep.Stop()
	}
	return nil
}

// give ends the turn. A connection that nobody uses ends after a while.
func (r *Remote) give() {
	if r.conn != nil {
		r.keep = time.AfterFunc(r.client.config.Timeouts.Keep, r.expire)
	}
	r.turn.Give()
}

// expire ends a connection that was kept long enough. Who closes the client meanwhile waits for that.
func (r *Remote) expire() {
	r.client.mu.Lock()
	defer r.client.mu.Unlock()
	r.rest()
}

// rest lets the connection end, if nobody uses it. The lock of the client is the caller's.
func (r *Remote) rest() {
	if !r.turn.Try() {
		return
	}
	defer r.turn.Give()
	if r.conn != nil {
		r.client.leaving.Go(r.conn.leave)
		r.conn = nil
	}
}

// drop ends a connection that cannot be used again. The turn is the caller's.
func (r *Remote) drop() {
	if r.conn != nil {
		r.conn.end()
		r.conn = nil
	}
}

// open makes a connection where there is none. The turn is the caller's.
func (r *Remote) open(ctx context.Context) error {
	if r.conn != nil {
		return nil
	}
	if err := r.client.gate.Take(ctx); err != nil {
		return err
	}
	defer r.client.gate.Give()
	conn, err := r.client.connect(ctx, r.address)
	r.conn = conn
	return err
}
