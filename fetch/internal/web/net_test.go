package web

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// inNetwork runs a test on a network that lives in memory and on a clock that jumps: waits
// of minutes take no time, and nothing can leave the process.
func inNetwork(t *testing.T, test func(t *testing.T, n *network)) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{t: t, names: map[string][]string{}, servers: map[string]*pipeListener{}}
		n.issue()
		test(t, n)
	})
}

type network struct {
	t       *testing.T
	names   map[string][]string      // host -> addresses
	servers map[string]*pipeListener // "address:port"
	caPEM   []byte
	ca      *x509.Certificate
	key     *ecdsa.PrivateKey

	mu       sync.Mutex
	dialled  []string
	resolved []string
	events   []Event
}

func (n *network) issue() {
	n.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1e6 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &n.key.PublicKey, n.key)
	if err != nil {
		n.t.Fatal(err)
	}
	n.ca, _ = x509.ParseCertificate(der)
	n.caPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// certificate is one for the host, signed by the test authority.
func (n *network) certificate(host string) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1e6 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, n.ca, &n.key.PublicKey, n.key)
	if err != nil {
		n.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: n.key}
}

// serve answers at "address:port" as host.
func (n *network) serve(target, host string, handler http.HandlerFunc) {
	listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	n.servers[target] = listener
	server := &http.Server{
		Handler:   handler,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{n.certificate(host)}},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	go server.ServeTLS(listener, "", "")
	n.t.Cleanup(func() { server.Close() })
}

// host gives a name an address of its own and serves it there.
func (n *network) host(name string, handler http.HandlerFunc) {
	address := fmt.Sprintf("203.0.113.%d", len(n.names)+1)
	n.names[name] = []string{address}
	n.serve(address+":443", name, handler)
}

func (n *network) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	n.resolved = append(n.resolved, host)
	n.mu.Unlock()
	var addrs []netip.Addr
	for _, a := range n.names[host] {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	if addrs == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

func (n *network) dial(ctx context.Context, _, target string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, target)
	n.mu.Unlock()
	listener, ok := n.servers[target]
	if !ok {
		return nil, fmt.Errorf("dial tcp %s: connection refused", target)
	}
	ours, theirs := net.Pipe()
	select {
	case listener.conns <- theirs:
		return ours, nil
	case <-listener.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client makes a client of this network that accepts its authority for the given hosts.
func (n *network) client(config Config, hosts ...string) *Client {
	config.Resolve, config.Dial = n.resolve, n.dial
	config.Event = func(e Event) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.events = append(n.events, e)
	}
	merged := map[string]Host{}
	for _, host := range hosts {
		merged[host] = Host{CA: n.caPEM}
	}
	for host, settings := range config.Hosts {
		settings.CA = n.caPEM
		merged[host] = settings
	}
	config.Hosts = merged
	c, err := New(config)
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(c.CloseIdle)
	return c
}

// requests counts the requests that reached the wire.
func (n *network) requests() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	started := 0
	for _, e := range n.events {
		if !e.Done {
			started++
		}
	}
	return started
}

func (n *network) wasDialled(target string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.dialled, target)
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }
