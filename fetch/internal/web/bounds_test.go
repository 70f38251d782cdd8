package web

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// 3.10/7, in spellings that only a resolver of the C library understands: behind a proxy such a name would reach that.
func TestAddressesInUnusualSpellingsAreRefused(t *testing.T) {
	for host, odd := range map[string]bool{
		"127.1": true, "2130706433": true, "0x7f000001": true, "0X7F.1": true, "0177.0.0.1": true, "127.0.0.1.": false, "127.0.0.0x1": true, "1.0x": true,
		"a.example": false, "x1": false, "127.0.0.1": false, "[::1]": false, "1.example": false, "0x7f.example": false, "cafe": false,
	} {
		if got := isOddAddress(canonical(strings.Trim(host, "[]"), "")); got != odd {
			t.Errorf("%s: odd %v", host, got)
		}
	}
	for _, proxied := range []bool{false, true} {
		for _, host := range []string{"127.1", "0x7f000001", "2130706433", "0177.0.0.1"} {
			inNetwork(t, func(t *testing.T, n *network) {
				n.names[host], n.names["proxy.corp"] = []string{"127.0.0.1"}, []string{"10.9.9.9"}
				config := Config{}
				if proxied {
					config.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.corp:3128") }
				}
				_, err := get(t, n.client(config), "https://"+host+"/", Options{})
				wantKind(t, err, PrivateAddress)
				if len(n.dialled)+len(n.resolved) > 0 {
					t.Errorf("%s: resolved %q, dialled %q", host, n.resolved, n.dialled)
				}
			})
		}
	}
}

// net/http makes ASCII of other letters before it dials or asks a proxy, so "１27.0.0.1" would be checked as a name and reached as an address.
func TestHostsMustBeWrittenInASCII(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", redirect("https://127.0.0\u30021/"))
		c := n.client(Config{}, "a.example")
		for _, address := range []string{"https://\uff1127.0.0.1/", "https://127.0.0%E3%80%821/", "https://a.example/"} {
			_, err := get(t, c, address, Options{})
			wantKind(t, err, Refused)
		}
	})
}

func TestAWholeTransferIsBoundedInTime(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			for range 1000 { // never idle, never slow
				if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					return
				}
			}
		})
		start := time.Now()
		_, err := get(t, n.client(Config{Timeouts: Timeouts{Total: time.Minute}}, "a.example"), "https://a.example/", Options{})
		e := wantKind(t, err, Timeout)
		if took := time.Since(start); took != time.Minute || !e.Whole || !strings.Contains(e.Error(), "after 1m0s it had sent") {
			t.Errorf("took %v: %v", took, e)
		}
	})
}

// A proxy's refusal is not the host's.
func TestProxiesThatRefuseAreToldFromHosts(t *testing.T) {
	for _, test := range []struct {
		answer   string
		status   int
		attempts int
	}{
		{"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", 407, 1},
		{"HTTP/1.1 403 Forbidden\r\n\r\n", 403, 1},
		{"HTTP/1.1 502 Bad Gateway\r\n\r\n", 502, 4},
	} {
		inNetwork(t, func(t *testing.T, n *network) {
			n.names["a.example"] = []string{"203.0.113.1"}
			authorization := ""
			n.proxy(func(conn net.Conn, req *http.Request) {
				authorization = req.Header.Get("Proxy-Authorization")
				io.WriteString(conn, test.answer)
				conn.Close()
			})
			proxy := func(*http.Request) (*url.URL, error) { return url.Parse("http://me:hunter2@proxy.corp:3128") }
			_, err := get(t, n.client(Config{Proxy: proxy}, "a.example"), "https://a.example/", Options{})
			e := wantKind(t, err, Proxy)
			if e.Status != test.status || !strings.Contains(e.Error(), "proxy.corp:3128") || strings.Contains(e.Error(), "hunter2") || authorization == "" {
				t.Errorf("error %+v: %v", e, e)
			}
			if n.requests() != test.attempts {
				t.Errorf("%d: %d attempts, want %d", test.status, n.requests(), test.attempts)
			}
		})
	}
}

func TestAuthoritiesOfAllHostsAreAddedToThoseOfOne(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", text("ok"))
		if got, err := get(t, n.client(Config{CA: n.caPEM}), "https://a.example/", Options{}); err != nil || got != "ok" {
			t.Errorf("got %q, %v", got, err)
		}
		if _, err := New(Config{CA: []byte("no certificate")}); err == nil {
			t.Error("no error")
		}
	})
}
