package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestErrorsAreSentencesThatBeginWithTheHost(t *testing.T) {
	base := Error{Method: "GET", Host: "a.example", Path: "/p", Status: 404, Limit: 5, Until: time.Unix(0, 0)}
	for kind, want := range map[Kind]string{
		Network:        "a.example cannot be reached",
		DNS:            "a.example has no address",
		TLS:            "a.example gives no connection that can be trusted",
		Timeout:        "a.example did not answer in time",
		PrivateAddress: "a.example is not on the public network",
		Led:            "a.example is configured as a host of yours, which others do not lead to",
		RateLimited:    "a.example allows no more requests until 1970-01-01T00:00:00Z",
		TooLarge:       "https://a.example/p is larger than 5 bytes",
		Status:         "a.example answered 404 to GET /p",
		Refused:        "https://a.example/p is refused",
	} {
		e := base
		e.Kind = kind
		if e.Error() != want {
			t.Errorf("%s: %q", kind, e.Error())
		}
		e.Err = io.ErrUnexpectedEOF
		if e.Error() != want+": unexpected EOF" || !errors.Is(&e, io.ErrUnexpectedEOF) {
			t.Errorf("%s with a cause: %q", kind, e.Error())
		}
	}
	unknown := &Error{Kind: RateLimited, Host: "a.example"}
	if unknown.Error() != "a.example allows no more requests for now" {
		t.Error(unknown)
	}
}

func TestHostsHaveOneSpelling(t *testing.T) {
	for address, want := range map[string]string{
		"https://GitHub.com/":          "github.com",
		"https://github.com.:443/":     "github.com",
		"https://github.com:8443/":     "github.com:8443",
		"https://[2606:50C0::1]/":      "[2606:50c0::1]",
		"https://[2606:50c0::1]:8443/": "[2606:50c0::1]:8443",
		"https://[2606:50c0::1]:443/":  "[2606:50c0::1]",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := hostKey(u); got != want || HostOf(address) != want {
			t.Errorf("%s gives %q", address, got)
		}
	}
	if got := HostOf("https://[::1/"); got != "" {
		t.Errorf("an address that cannot be read gives %q", got)
	}
	for host, want := range map[string]string{
		"a.example": "a.example", "a.example:1": "a.example", "[::1]": "[::1]", "[::1]:1": "[::1]",
	} {
		if got := withoutPort(host); got != want {
			t.Errorf("%s without its port gives %q", host, got)
		}
	}
}

// proxy listens at 10.9.9.9:3128 and gives each connection with its request to serve.
func (n *network) proxy(serve func(net.Conn, *http.Request)) {
	listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	n.names["proxy.corp"], n.servers["10.9.9.9:3128"] = []string{"10.9.9.9"}, listener
	n.t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			req, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				return
			}
			serve(conn, req)
		}
	}()
}

// tunnel is a proxy that joins a client to an address of the network.
func (n *network) tunnel(target string, connects *[]string) {
	n.proxy(func(conn net.Conn, req *http.Request) {
		*connects = append(*connects, req.Method+" "+req.Host)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		other, theirs := net.Pipe()
		n.servers[target].conns <- theirs
		go func() {
			io.Copy(other, conn)
			other.Close()
		}()
		go func() {
			io.Copy(conn, other)
			conn.Close()
		}()
	})
}

func TestRequestsGoThroughTheProxy(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto, " for ", r.Host) })
		var connects []string
		n.tunnel("203.0.113.1:443", &connects)
		c := n.client(Config{Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.corp:3128") }}, "a.example")
		if got, err := get(t, c, "https://a.example/", Options{}); err != nil || got != "HTTP/2.0 for a.example" {
			t.Errorf("got %q, %v", got, err)
		}
		if len(connects) != 1 || connects[0] != "CONNECT a.example:443" || n.wasDialled("203.0.113.1:443") {
			t.Errorf("the proxy was asked %q, dialled were %q", connects, n.dialled)
		}
	})
}

func TestProxyErrorsAreErrorsOfTheRequest(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		broken := errors.New("the proxy's address cannot be read")
		c := n.client(Config{Proxy: func(*http.Request) (*url.URL, error) { return nil, broken }})
		if _, err := get(t, c, "https://a.example/", Options{}); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

func TestConnectingIsBounded(t *testing.T) {
	for _, test := range []struct {
		name   string
		accept bool // the connection opens, then nothing comes
	}{{"no connection", false}, {"no handshake", true}} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.names["a.example"] = []string{"203.0.113.1", "203.0.113.2"}
				for _, address := range n.names["a.example"] {
					listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
					n.servers[address+":443"] = listener
					t.Cleanup(func() { listener.Close() })
					if test.accept {
						go listener.Accept()
					}
				}
				start := time.Now()
				_, err := get(t, n.client(Config{}), "https://a.example/", Options{})
				wantKind(t, err, Timeout)
				if took := time.Since(start); took < 10*time.Second || took > 11*time.Second {
					t.Errorf("took %v, want about 10 s", took)
				}
			})
		})
	}
}

func TestEveryAttemptIsAnEventWithItsOutcome(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", answers(nil, 503, 200))
		c := n.client(Config{}, "a.example")
		if _, err := get(t, c, "https://a.example/", Options{}); err != nil {
			t.Fatal(err)
		}
		_, err := get(t, c, "https://gone.example/", Options{})
		wantKind(t, err, DNS)
		var told []string
		for _, e := range n.events {
			if e.Done {
				told = append(told, fmt.Sprint(e.Host, e.Status, e.Err != nil))
			}
		}
		if got, want := strings.Join(told, " "), "a.example503 false a.example200 false gone.example0 true"; got != want {
			t.Errorf("got %s", got)
		}
	})
}

func TestBodyThatIsClosedEarlyEndsItsEvent(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", text(strings.Repeat("x", 100)))
		resp, err := n.client(Config{}, "a.example").Get(t.Context(), "https://a.example/", Options{})
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 10))
		resp.Body.Close()
		resp.Body.Close()
		if len(n.events) != 2 || n.events[1].Down != 10 || n.events[1].Err != nil {
			t.Errorf("events %+v", n.events)
		}
	})
}

func TestFirstRequestThatFailsDoesNotHoldTheOthers(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.names["a.example"] = []string{"203.0.113.1"}
		c := n.client(Config{Retries: -1})
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				_, err := get(t, c, "https://a.example/", Options{})
				var e *Error
				if !errors.As(err, &e) || e.Kind != Network {
					t.Errorf("got %v", err)
				}
			})
		}
		group.Wait()
	})
}

func TestNotModifiedIsNoError(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == `"x"` {
				w.WriteHeader(http.StatusNotModified)
			}
		})
		header := http.Header{"If-None-Match": {`"x"`}}
		resp, err := n.client(Config{}, "a.example").Get(t.Context(), "https://a.example/", Options{Header: header})
		if err != nil || resp.StatusCode != http.StatusNotModified {
			t.Fatalf("got %v, %v", resp, err)
		}
		resp.Body.Close()
	})
}

func TestReadAllGivesUpWhenEveryBodyBreaksOff(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "half")
		})
		_, _, err := n.client(Config{}, "a.example").ReadAll(t.Context(), "https://a.example/", Options{Limit: 100})
		wantKind(t, err, Network)
		if n.requests() != 3 {
			t.Errorf("%d requests, want 3", n.requests())
		}
	})
}

// FuzzFollow holds that no Location leads anywhere but to https, and none takes a token
// to another host.
func FuzzFollow(f *testing.F) {
	for _, location := range []string{
		"/x", "//b.example/x", "https://b.example/", "HTTPS://A.EXAMPLE:443/", "http://a.example/", "https://u:p@a.example/",
		"https://a.example.:443/x", "https://a.example@b.example/", "\\\\b.example", "https://a.example:8443", "?q", "#f", "", "ext::sh",
	} {
		f.Add(location)
	}
	f.Fuzz(func(t *testing.T, location string) {
		req, _ := http.NewRequest("GET", "https://a.example/p", nil)
		req.Header.Set("Authorization", "Bearer secret")
		resp := &http.Response{StatusCode: 302, Header: http.Header{"Location": {location}}, Request: req}
		next, err := Follow(req, resp)
		if err != nil {
			wantKind(t, err, Refused)
			return
		}
		if next.URL.Scheme != "https" || next.URL.User != nil || next.URL.Hostname() == "" {
			t.Errorf("%q leads to %s", location, next.URL)
		}
		if next.Header.Get("Authorization") != "" && hostKey(next.URL) != "a.example" {
			t.Errorf("%q takes the token to %s", location, next.URL.Host)
		}
	})
}
