package fetchtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Config says how a forge is started. The zero value is ready for use.
type Config struct {
	// Dir is an existing directory for repositories and the certificate. Empty: a temporary one, removed by Close.
	Dir string
	// Address is where to listen, always on the loopback interface. Empty: 127.0.0.1 with a free port.
	Address string
	// Link shapes every connection. The zero value adds nothing.
	Link Link
	// Fail is called with what goes wrong while repositories and sites are made. Nil: panic.
	Fail func(error)
}

// Forge is a set of HTTPS hosts on one listener of the loopback interface. Its methods may be called from several goroutines.
type Forge struct {
	git       string // path of the git binary
	dir       string
	temporary bool
	fail      func(error)
	listener  net.Listener
	server    *http.Server
	authority *authority
	transport *http.Transport
	stop      context.CancelFunc
	handlers  sync.WaitGroup
	building  sync.Mutex // one text at a time

	mu       sync.Mutex
	repos    map[string]*Repo // by key
	created  int
	formerly map[string]string // by key; the present names
	sites    map[string]map[string]page
	hosts    map[string]bool // that Dial knows
	requests []*Request
	faults   []*Fault
	conns    []*conn
	quota    quota
	closed   bool
	ssh      *SSH
}

// New starts a forge from texts for the time of a test. Whatever goes wrong ends the test.
func New(t testing.TB, texts ...string) *Forge {
	t.Helper()
	fail := func(err error) {
		t.Helper()
		t.Fatal(err)
	}
	f, err := Start(Config{Dir: t.TempDir(), Fail: fail})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	for _, text := range texts {
		f.Add(text)
	}
	return f
}

// Start starts an empty forge, which serves until Close. It fails without a git binary and for an address that is not a loopback one.
func Start(c Config) (*Forge, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("the forge needs git: %w", err)
	}
	f := &Forge{git: git, dir: c.Dir, fail: c.Fail, repos: map[string]*Repo{}, formerly: map[string]string{},
		sites: map[string]map[string]page{}, hosts: map[string]bool{}, quota: quota{limit: 60, remaining: 60, reset: time.Now().Add(time.Hour)}}
	for _, host := range []string{"github.com", "api.github.com", "codeload.github.com", "raw.githubusercontent.com"} {
		f.meet(host)
	}
	if f.fail == nil {
		f.fail = func(err error) { panic(err) }
	}
	if f.authority, err = newAuthority(); err != nil {
		return nil, err
	}
	if err := f.prepareDir(); err != nil {
		return nil, err
	}
	if f.listener, err = listen(c.Address, c.Link); err != nil {
		return nil, errors.Join(err, f.removeDir())
	}
	f.serve()
	return f, nil
}

func (f *Forge) prepareDir() (err error) {
	if f.dir == "" {
		f.temporary = true
		if f.dir, err = os.MkdirTemp("", "fetchtest-"); err != nil {
			return err
		}
	}
	if f.dir, err = filepath.Abs(f.dir); err != nil {
		return err
	}
	return os.WriteFile(f.CAFile(), f.authority.pem, 0o644)
}

func (f *Forge) removeDir() error {
	if !f.temporary {
		return nil
	}
	return os.RemoveAll(f.dir)
}

func listen(address string, link Link) (net.Listener, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("address %q is not on the loopback interface", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil || link == (Link{}) {
		return l, err
	}
	return link.listen(l)
}

func (f *Forge) serve() {
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	f.server = &http.Server{
		Handler:     http.HandlerFunc(f.handle),
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    quiet(), // clients that hang up in a handshake are everyday life of a test
		TLSConfig:   &tls.Config{GetCertificate: f.certificate},
	}
	f.transport = &http.Transport{
		DialContext:       f.Dial,
		TLSClientConfig:   &tls.Config{RootCAs: f.pool()},
		ForceAttemptHTTP2: true,
	}
	f.handlers.Go(func() { _ = f.server.ServeTLS(&counter{Listener: f.listener, forge: f}, "", "") })
}

// quiet is a logger that says nothing.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// Close ends every request, waits for their handlers, and removes what the forge wrote to a temporary directory.
func (f *Forge) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stop()
	f.transport.CloseIdleConnections()
	err := f.server.Close()
	f.handlers.Wait()
	return errors.Join(err, f.removeDir())
}

// Addr is the address of the forge, "127.0.0.1:PORT". It takes TLS for every host name, and CONNECT as an HTTP proxy does.
func (f *Forge) Addr() string { return f.listener.Addr().String() }

// CA is the certificate, in PEM, of the authority that signs every host name of this forge.
func (f *Forge) CA() []byte { return f.authority.pem }

// CAFile is the path of a file that holds CA.
func (f *Forge) CAFile() string { return filepath.Join(f.dir, "ca.pem") }

func (f *Forge) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(f.authority.pem)
	return pool
}

// Client is an HTTP client that trusts the forge and reaches nothing else. Its connections are shared by all calls.
func (f *Forge) Client() *http.Client { return &http.Client{Transport: f.transport} }

// Dial leads every host that the forge knows to the forge, whatever the port. Any other is a *net.DNSError that says not found.
// Known are the hosts of repositories, sites and faults, and GitHub's own.
func (f *Forge) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !f.knows(host) {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", f.Addr())
}

// Environ returns settings for the environment of another program, "KEY=VALUE", that lead git, curl and whatever honours HTTPS_PROXY and
// SSL_CERT_FILE to the forge, and keep git from the settings of the user and from asking questions.
func (f *Forge) Environ() []string {
	proxy := "http://" + f.Addr()
	return []string{"HTTPS_PROXY=" + proxy, "https_proxy=" + proxy, "NO_PROXY=", "no_proxy=",
		"SSL_CERT_FILE=" + f.CAFile(), "CURL_CA_BUNDLE=" + f.CAFile(), "GIT_SSL_CAINFO=" + f.CAFile(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0"}
}

func (f *Forge) knows(host string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hosts[strings.ToLower(host)]
}

// meet makes the host of a name known. The lock is held.
func (f *Forge) meet(name string) {
	host, _, _ := strings.Cut(name, "/")
	f.hosts[strings.ToLower(host)] = true
}
