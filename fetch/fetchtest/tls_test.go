package fetchtest_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

// greet makes a TLS connection to the forge that asks for one name and expects another.
func greet(t *testing.T, f *fetchtest.Forge, ask, expect string, pool *x509.CertPool) error {
	t.Helper()
	raw, err := net.Dial("tcp", f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	c := tls.Client(raw, &tls.Config{ServerName: ask, InsecureSkipVerify: true, VerifyConnection: func(s tls.ConnectionState) error {
		_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: pool, DNSName: expect})
		return err
	}})
	return c.HandshakeContext(t.Context())
}

func TestCertificatesAreForTheNameThatIsAsked(t *testing.T) {
	f := fetchtest.New(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(f.CA())
	for _, name := range []string{"github.com", "raw.githubusercontent.com", "anything.example.com"} {
		if err := greet(t, f, name, name, pool); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var wrong x509.HostnameError
	if err := greet(t, f, "github.com", "api.github.com", pool); !errors.As(err, &wrong) {
		t.Errorf("a certificate of another host: %v", err)
	}
	var unknown x509.UnknownAuthorityError
	if err := greet(t, f, "github.com", "github.com", x509.NewCertPool()); !errors.As(err, &unknown) {
		t.Errorf("without the authority: %v", err)
	}
	if err := greet(t, f, "", "127.0.0.1", pool); err != nil {
		t.Errorf("by address: %v", err)
	}
	equal(t, "connections of one host", f.Counts("github.com").Connections, 3)
}

func TestOneForgeDoesNotTrustAnother(t *testing.T) {
	one, two := fetchtest.New(t), fetchtest.New(t)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(one.CA())
	if err := greet(t, two, "github.com", "github.com", pool); err == nil {
		t.Error("the certificate of another forge was good")
	}
}

// speak sends bytes to the forge and returns all that it answers.
func speak(t *testing.T, f *fetchtest.Forge, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", f.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(c) // the forge may hang up hard
	return string(answer)
}

func TestConnectionsThatAreNoTLS(t *testing.T) {
	f := fetchtest.New(t)
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain HTTP", "GET / HTTP/1.1\r\nHost: github.com\r\n\r\n", "HTTP request to an HTTPS server"},
		{"proxy of a known host", "CONNECT github.com:443 HTTP/1.1\r\nHost: github.com:443\r\n\r\n", "HTTP/1.1 200 "},
		{"proxy of an unknown host", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", "HTTP/1.1 502 "},
		{"half a proxy request", "CONNECT github.com:443 HTT", ""},
		{"another method with that letter", "COPY / HTTP/1.1\r\nHost: github.com\r\n\r\n", "HTTP/1.1 502 "},
	}
	for _, test := range tests {
		answer := speak(t, f, test.text)
		if !strings.Contains(answer, test.want) || (test.want == "") != (answer == "") {
			t.Errorf("%s: answer %q, want %q", test.name, answer, test.want)
		}
	}
	equal(t, "connections", f.Counts("").Connections, 0)
	equal(t, "requests", f.Counts("").Requests, 0)
}
