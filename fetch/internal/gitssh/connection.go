package gitssh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/process"
)

// patience is how long ssh may take to end when it has nothing more to do.
const patience = 2 * time.Second

var errGreeting = errors.New("it does not begin to speak")

// connection is a running ssh, behind which git-upload-pack waits for commands.
type connection struct {
	address address
	able    gitwire.Capabilities
	in      io.WriteCloser
	out     *bufio.Reader
	pipe    *os.File // below out
	said    said
	kill    func()

	ended chan struct{}
	exit  error // of ssh, when it has ended
}

// connect starts ssh and reads what the server says of itself.
func (c *Client) connect(ctx context.Context, a address) (*connection, error) {
	conn, err := c.start(a)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeoutCause(ctx, c.config.Timeouts.Greeting, errGreeting)
	defer cancel()
	unwatch := context.AfterFunc(bounded, conn.kill)
	conn.able, err = gitwire.ReadCapabilities(io.LimitReader(conn.out, gitwire.MaxRefs))
	if !unwatch() && err == nil {
		err = context.Cause(bounded)
	}
	if err == nil {
		err = conn.format()
	}
	if err == nil {
		return conn, nil
	}
	defer conn.end()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case context.Cause(bounded) == errGreeting:
		return nil, a.timeout(errGreeting)
	}
	return nil, conn.greeting(err)
}

// start runs ssh.
func (c *Client) start(a address) (*connection, error) {
	cmd, err := c.config.command(a)
	if err != nil {
		return nil, err
	}
	conn := &connection{address: a, ended: make(chan struct{})}
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	conn.pipe, conn.out = out, bufio.NewReaderSize(out, 32<<10)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = theirs, &conn.said, patience
	if conn.in, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(noSSH(err), out.Close())
	}
	conn.kill = func() { process.End(cmd.Process) }
	go func() {
		conn.exit = cmd.Wait()
		close(conn.ended)
	}()
	return conn, nil
}

func noSSH(err error) error {
	return &gitclone.Error{Code: gitclone.NoGit, Text: fmt.Sprintf("ssh cannot be run: %v", err),
		Hint: "install OpenSSH, or use the https address of the repository"}
}

// format refuses what the objects of a store cannot be.
func (c *connection) format() error {
	if c.able.ObjectFormat != "sha1" {
		return &gitclone.Error{Code: gitclone.NoGit, Text: fmt.Sprintf("the repository has objects of the format %q", c.able.ObjectFormat)}
	}
	return nil
}

// greeting makes an error of what a server began with.
func (c *connection) greeting(err error) error {
	var refused *gitwire.RefusedError
	var known *gitclone.Error
	switch {
	case errors.Is(err, gitwire.ErrOldProtocol), errors.As(err, &known):
		return err
	case errors.As(err, &refused):
		return gitclone.Explain(refused.Text, c.address.peer, err)
	case errors.Is(err, gitwire.ErrProtocol):
		return &gitclone.Error{Code: gitclone.WrongContent, Text: fmt.Sprintf("%s answers with something else than git: %v", c.address.peer.Host, err), Err: err,
			Hint: "a start file of the login shell there may write something"}
	}
	return c.failure()
}

// send writes a command and waits for the first byte of the answer.
func (c *connection) send(command []byte) error {
	if _, err := c.in.Write(command); err != nil {
		return c.failure()
	}
	if _, err := c.out.Peek(1); err != nil {
		return c.failure()
	}
	return nil
}

// failure makes an error of what ssh said before it ended.
func (c *connection) failure() error {
	_ = c.in.Close()
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.kill()
		<-c.ended
	}
	text := c.said.String()
	var exit *exec.ExitError
	local := errors.As(c.exit, &exit) && exit.ExitCode() == 127 && !strings.Contains(text, "git-upload-pack") // what a shell says of a program
	switch {
	case local:
		return noSSH(errors.New(strings.TrimSpace(text)))
	case strings.TrimSpace(text) == "":
		return &gitclone.Error{Code: gitclone.Network, Text: c.address.peer.Host + " ended the connection", Hint: "try again", Err: c.exit}
	}
	return gitclone.Explain(text, c.address.peer, c.exit)
}

// leave ends the connection as git does: by a flush packet and the end of the stream.
func (c *connection) leave() {
	_, _ = io.WriteString(c.in, "0000")
	_ = c.in.Close()
	select {
	case <-c.ended:
	case <-time.After(patience):
	}
	c.end()
}

// end ends ssh at once.
func (c *connection) end() {
	c.kill()
	<-c.ended
	_ = c.pipe.Close()
}

// maxSaid bounds what is kept of standard error, in bytes.
const maxSaid = 64 << 10

// said keeps the beginning of what ssh writes to standard error.
type said struct {
	mu   sync.Mutex
	text []byte
}

// Write takes everything and keeps what there is room for.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p[:min(len(p), maxSaid-len(s.text))]...)
	return len(p), nil
}

// String is what was kept.
func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}
