package fetchtest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// SSH is an ssh server for the repositories of a forge: the sshd of the machine, run as the present user, one process for each
// connection, with keys and settings of its own, over the link of the forge. Every host, user and port of an address leads to it when a client runs
// [SSH.Command]. Of the settings of a repository Protocol, Filter and Hide count; a Token does not, for who has the key gets in.
//
// Its directory holds "key" (which opens), "known_hosts" (which has the server's key), "host" (that key), "authorized_keys" and
// "bin/git-upload-pack", what the login shell finds; tests may change them.
type SSH struct {
	forge    *Forge
	dir      string
	sshd     string
	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool // that are open
	closed bool

	connections, up, down atomic.Int64
}

// NewSSH starts the ssh server of a forge for the time of a test, which is skipped where there is no sshd or ssh.
func NewSSH(t testing.TB, f *Forge) *SSH {
	t.Helper()
	s, err := f.StartSSH()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// StartSSH starts an ssh server for the repositories of the forge, those of now and later ones; a forge has one at a time. It serves until
// Close. The error wraps exec.ErrNotFound where the machine has no sshd or ssh.
func (f *Forge) StartSSH() (*SSH, error) {
	s := &SSH{forge: f, conns: map[net.Conn]bool{}}
	var err error
	if s.sshd, err = findServer(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp(f.dir, "ssh-"); err != nil {
		return nil, err
	}
	var link Link
	if l, ok := f.listener.(*linked); ok {
		link = l.link
	}
	if s.listener, err = listen("", link); err != nil {
		return nil, err
	}
	if err = s.prepare(); err != nil {
		return nil, errors.Join(err, s.listener.Close())
	}
	s.serving.Go(s.serve)
	return s, nil
}

// findServer finds sshd, which wants to be run by its full path, and whose directory is in few people's PATH.
func findServer() (string, error) {
	for _, program := range []string{"ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			return "", err
		}
	}
	name, err := exec.LookPath("sshd")
	for _, known := range []string{"/usr/sbin/sshd", "/usr/local/sbin/sshd"} {
		if err == nil {
			break
		}
		name, err = exec.LookPath(known)
	}
	if err != nil {
		return "", fmt.Errorf("sshd: %w", exec.ErrNotFound)
	}
	return filepath.Abs(name)
}

// Dir is the directory of the server.
func (s *SSH) Dir() string { return s.dir }

func (s *SSH) path(name ...string) string { return filepath.Join(append([]string{s.dir}, name...)...) }

// Addr is where the server listens.
func (s *SSH) Addr() string { return s.listener.Addr().String() }

// Command is a value for GIT_SSH_COMMAND that leads to the server whatever the address is, with a key of the directory: "key" opens, "" is
// none at all. Options of ssh, if any, go before those in its configuration file.
func (s *SSH) Command(key string, options ...string) string {
	_, port, _ := net.SplitHostPort(s.Addr())
	identity := "none"
	if key != "" {
		identity = s.path(key)
	}
	words := append([]string{"ssh", "-F", s.path("config"), "-p", port, "-l", username(), "-i", identity}, options...)
	for i, word := range words[1:] {
		words[i+1] = quote(word)
	}
	return strings.Join(words, " ")
}

// quote makes a word of a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

func username() string {
	me, err := user.Current()
	if err != nil {
		return "root"
	}
	return me.Username
}

// Counts are the connections since the start or the last Reset, and the bytes that went over them, those of ssh included.
func (s *SSH) Counts() Counts {
	return Counts{Requests: len(s.Requests()), Connections: int(s.connections.Load()), Up: s.up.Load(), Down: s.down.Load()}
}

// Reset empties the log and sets the counts to zero. Connections that are open say no more of what they are asked.
func (s *SSH) Reset() {
	s.connections.Store(0)
	s.up.Store(0)
	s.down.Store(0)
	if err := errors.Join(os.RemoveAll(s.path("log")), os.Mkdir(s.path("log"), 0o755)); err != nil {
		s.forge.fail(err)
	}
}

// Disconnect ends all connections, as a server does that has had enough.
func (s *SSH) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		_ = conn.Close()
	}
}

// Close ends the server and its connections, and waits for its processes.
func (s *SSH) Close() error {
	s.forge.mu.Lock()
	if s.forge.ssh == s {
		s.forge.ssh = nil
	}
	s.forge.mu.Unlock()
	err := s.listener.Close()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Disconnect()
	s.serving.Wait()
	return err
}

func (s *SSH) serve() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.connections.Add(1)
		s.serving.Go(func() { _ = s.connect(conn) })
	}
}

// connect serves one connection by one sshd, which takes the other end of a second connection for its client's.
func (s *SSH) connect(client net.Conn) error {
	defer client.Close()
	near, far, err := pair()
	if err != nil {
		return err
	}
	defer near.Close()
	defer far.Close()
	if !s.track(client, near) {
		return net.ErrClosed
	}
	defer s.forget(client, near)
	file, err := far.File()
	_ = far.Close()
	if err != nil {
		return err
	}
	sshd := exec.Command(s.sshd, "-i", "-e", "-f", s.path("sshd_config"))
	sshd.Stdin, sshd.Stdout, sshd.Env = file, file, []string{"LC_ALL=C"}
	err = sshd.Start()
	_ = file.Close()
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(near, &countedReader{client, &s.up})
		_ = near.CloseWrite()
	}()
	_, _ = io.Copy(client, &countedReader{near, &s.down})
	_ = client.Close()
	_ = near.Close()
	return s.wait(sshd)
}

// wait waits for an sshd that has lost its connection; what it still runs then is nobody's.
func (s *SSH) wait(sshd *exec.Cmd) error {
	end := time.AfterFunc(10*time.Second, func() { _ = sshd.Process.Kill() })
	defer end.Stop()
	return sshd.Wait()
}

// track notes what Disconnect ends, unless the server is closed.
func (s *SSH) track(conns ...net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range conns {
		s.conns[c] = true
	}
	return !s.closed
}

func (s *SSH) forget(conns ...net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range conns {
		delete(s.conns, c)
	}
}

// pair makes a connection of this process with itself.
func pair() (near, far *net.TCPConn, err error) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	if near, err = net.DialTCP("tcp", nil, l.Addr().(*net.TCPAddr)); err != nil {
		return nil, nil, err
	}
	if far, err = l.AcceptTCP(); err != nil {
		return nil, nil, errors.Join(err, near.Close())
	}
	return near, far, nil
}

// countedReader counts what is read.
type countedReader struct {
	io.Reader
	count *atomic.Int64
}

// Read reads and counts.
func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.count.Add(int64(n))
	return n, err
}
