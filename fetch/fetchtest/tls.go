package fetchtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// authority signs a certificate for any host name that a client asks for.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey // of the authority and of every host: one process holds both ends
	pem         []byte

	mu     sync.Mutex
	serial int64
	issued map[string]*tls.Certificate
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key, issued: map[string]*tls.Certificate{}}
	template := a.template("fetchtest authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	a.certificate, err = x509.ParseCertificate(der)
	return a, err
}

func (a *authority) template(name string) *x509.Certificate {
	a.serial++
	return &x509.Certificate{
		SerialNumber: big.NewInt(a.serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(30 * 24 * time.Hour),
	}
}

// issue returns the certificate of a host. A client that sends no name asked for an address.
func (a *authority) issue(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[host]; c != nil {
		return c, nil
	}
	template := a.template(host)
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{host}
	if host == "" {
		template.DNSNames, template.IPAddresses = nil, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.issued[host] = c
	return c, nil
}

func (f *Forge) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c, ok := hello.Conn.(*conn); ok {
		c.host.Store(&hello.ServerName)
	}
	return f.authority.issue(hello.ServerName)
}

// counter is the listener whose connections count their bytes.
type counter struct {
	net.Listener
	forge *Forge
}

// Accept takes the next connection.
func (l *counter) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, reader: bufio.NewReader(inner), forge: l.forge}
	l.forge.mu.Lock()
	l.forge.conns = append(l.forge.conns, c)
	l.forge.mu.Unlock()
	return c, nil
}

// conn counts bytes as they are on the wire, and answers the CONNECT of a client that takes the forge for its proxy.
type conn struct {
	net.Conn
	reader   *bufio.Reader
	forge    *Forge
	greeting sync.Once
	refusal  error
	host     atomic.Pointer[string] // the name in the TLS greeting; nil before it
	up, down atomic.Int64
	closed   atomic.Bool
	old      bool // it was open before the last Reset; guarded by the lock of the forge
}

// Read counts after the fact: what was read is counted before it can be answered.
func (c *conn) Read(p []byte) (int, error) {
	c.greeting.Do(c.connect)
	if c.refusal != nil {
		return 0, c.refusal
	}
	n, err := c.reader.Read(p)
	c.up.Add(int64(n))
	return n, err
}

// Write counts before the fact, so that no client has seen bytes that are not counted.
func (c *conn) Write(p []byte) (int, error) {
	c.down.Add(int64(len(p)))
	return c.Conn.Write(p)
}

// Close closes the connection; its figures stay.
func (c *conn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// connect plays the proxy where the first byte is that of CONNECT and not that of TLS. It runs in the goroutine of the connection.
func (c *conn) connect() {
	first, err := c.reader.Peek(1)
	if err != nil || first[0] != 'C' {
		return
	}
	r, err := http.ReadRequest(c.reader)
	if err != nil {
		c.refusal = err
		return
	}
	host := hostname(r.Host)
	if r.Method != http.MethodConnect || !c.forge.knows(host) {
		_, _ = c.Conn.Write([]byte("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"))
		c.refusal = fmt.Errorf("no such host %q", host)
		return
	}
	_, c.refusal = c.Conn.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n"))
}
