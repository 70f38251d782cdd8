package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

func get(t *testing.T, c *Client, address string, o Options) (string, error) {
	t.Helper()
	resp, err := c.Get(t.Context(), address, o)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return string(data), err
}

func wantKind(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("got error %v, want one of kind %s", err, kind)
	}
	return e
}

func TestOneConnectionSpeaksHTTP2ForAllRequests(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto, r.UserAgent()) })
		c := n.client(Config{}, "a.example")
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				if got, err := get(t, c, "https://a.example/", Options{}); err != nil || got != "HTTP/2.0skills" {
					t.Errorf("got %q, %v", got, err)
				}
			})
		}
		group.Wait()
		if len(n.dialled) != 1 {
			t.Errorf("dialled %d times, want once", len(n.dialled))
		}
	})
}

// 3.10/1.
func TestGetFollowsThreeRedirects(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			if len(r.URL.Path) < 4 {
				redirect(r.URL.Path+"x")(w, r)
				return
			}
			text("arrived")(w, r)
		})
		c := n.client(Config{}, "a.example")
		if got, err := get(t, c, "https://a.example/", Options{}); err != nil || got != "arrived" {
			t.Fatalf("got %q, %v", got, err)
		}
		if n.requests() != 4 {
			t.Errorf("%d requests, want 4", n.requests())
		}
	})
}

// 3.10/2.
func TestEndlessRedirectEndsAfterFourRequests(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", redirect("/again"))
		_, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{})
		wantKind(t, err, Refused)
		if n.requests() != 4 {
			t.Errorf("%d requests, want 4", n.requests())
		}
	})
}

func TestAddressesAreRefusedBeforeAnyLookUp(t *testing.T) {
	for _, address := range []string{
		"http://a.example/", "ftp://a.example/", "https://user:secret@a.example/", "https://a.example:8443/",
		"https:///x", "https://a.example/\x7f",
	} {
		t.Run(address, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				_, err := get(t, n.client(Config{}), address, Options{})
				wantKind(t, err, Refused)
				if len(n.resolved)+len(n.dialled) > 0 {
					t.Errorf("resolved %q, dialled %q", n.resolved, n.dialled)
				}
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("the error repeats a password: %v", err)
				}
			})
		})
	}
}

// 3.10/4.
func TestRedirectsAreCheckedAsAddressesAre(t *testing.T) {
	for _, to := range []string{
		"http://a.example/", "https://u:p@a.example/", "https://b.example:8443/", "ext::sh", "https://[::1/", "",
	} {
		t.Run(to, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.host("a.example", redirect(to))
				_, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{})
				wantKind(t, err, Refused)
				if n.requests() != 1 {
					t.Errorf("%d requests, want 1", n.requests())
				}
			})
		})
	}
}

// 3.10/12.
func TestSecretsStayWithTheirHost(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		seen := map[string]http.Header{}
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			seen["a"+r.URL.Path] = r.Header
			if r.URL.Path == "/" {
				redirect("/own")(w, r)
			} else {
				redirect("https://b.example/")(w, r)
			}
		})
		n.host("b.example", func(w http.ResponseWriter, r *http.Request) {
			seen["b"+r.URL.Path] = r.Header
			text("ok")(w, r)
		})
		header := http.Header{"Authorization": {"Bearer secret"}, "Private-Token": {"secret"}, "Accept": {"text/plain"}}
		if _, err := get(t, n.client(Config{}, "a.example", "b.example"), "https://a.example/", Options{Header: header}); err != nil {
			t.Fatal(err)
		}
		if seen["a/own"].Get("Authorization") == "" || seen["a/own"].Get("Private-Token") == "" {
			t.Errorf("a redirect on the same host lost its token: %v", seen["a/own"])
		}
		for name, values := range seen["b/"] {
			if strings.Contains(strings.Join(values, ""), "secret") {
				t.Errorf("the other host got %s", name)
			}
		}
		if seen["b/"].Get("Accept") != "text/plain" {
			t.Error("the other host did not get Accept")
		}
	})
}

func TestNeitherErrorsNorEventsShowQueryOrToken(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
		c := n.client(Config{Retries: -1}, "a.example")
		header := http.Header{"Authorization": {"Bearer secret"}}
		_, status := get(t, c, "https://a.example/p?token=secret", Options{Header: header})
		wantKind(t, status, Status)
		_, network := get(t, c, "https://gone.example/p?token=secret", Options{Header: header})
		wantKind(t, network, DNS)
		if shown := fmt.Sprintf("%v %+v %v %+v %+v", status, status, network, network, n.events); strings.Contains(shown, "secret") {
			t.Errorf("a secret is shown in %s", shown)
		}
	})
}

func TestErrorsShowNoMoreThanTheBeginningOfAnAddress(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/path":
				redirect("/"+strings.Repeat("x", 7000))(w, r)
			case "/host":
				redirect("http://"+strings.Repeat("x", 7000)+"/")(w, r)
			case "/long":
				redirect("/"+strings.Repeat("x", 8000))(w, r)
			default:
				w.WriteHeader(http.StatusTeapot)
			}
		})
		c := n.client(Config{Retries: -1}, "a.example")
		for path, kind := range map[string]Kind{"path": Status, "host": Refused, "long": Refused} {
			_, err := get(t, c, "https://a.example/"+path, Options{})
			if e := wantKind(t, err, kind); len(e.Error()) > 1000 {
				t.Errorf("%s: an error of %d bytes", path, len(e.Error()))
			}
		}
		if n.requests() != 4 {
			t.Errorf("%d requests, want 4", n.requests())
		}
	})
}

func TestDoLeavesRedirectsOfAPostToFollow(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", redirect("https://b.example/new"))
		n.host("b.example", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s %q", r.Method, r.URL.Path, body, r.Header.Get("Authorization"))
		})
		c := n.client(Config{}, "a.example", "b.example")
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "https://a.example/old", strings.NewReader("wants"))
		req.Header.Set("Authorization", "Bearer secret")
		resp, err := c.Do(req)
		if err != nil || resp.StatusCode != http.StatusFound {
			t.Fatalf("got %v, %v", resp, err)
		}
		resp.Body.Close()
		next, err := Follow(req, resp)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err = c.Do(next); err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if data, _ := io.ReadAll(resp.Body); string(data) != `POST /new wants ""` {
			t.Errorf("got %s", data)
		}
	})
}

func TestFollowNeedsABodyThatCanBeSentAgain(t *testing.T) {
	req, _ := http.NewRequest("POST", "https://a.example/", io.MultiReader(strings.NewReader("x")))
	resp := &http.Response{StatusCode: 307, Header: http.Header{"Location": {"/y"}}, Request: req}
	_, err := Follow(req, resp)
	wantKind(t, err, Refused)
	if next, err := Follow(req, &http.Response{StatusCode: 200}); next != nil || err != nil {
		t.Errorf("a response that is no redirect gave %v, %v", next, err)
	}
}

func TestCertificateMustBeTheHostsOwn(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.names["a.example"] = []string{"203.0.113.1"}
		n.serve("203.0.113.1:443", "other.example", text("wrong"))
		_, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{})
		wantKind(t, err, TLS)
		var verification *tls.CertificateVerificationError
		if !errors.As(err, &verification) {
			t.Errorf("%v does not unwrap to the verification", err)
		}
		if n.requests() != 1 {
			t.Errorf("%d requests, want no repetition", n.requests())
		}
	})
}

func TestAuthoritiesOfOneHostAreNotThoseOfAnother(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", text("a"))
		n.host("b.example", text("b"))
		c := n.client(Config{}, "a.example")
		if _, err := get(t, c, "https://a.example/", Options{}); err != nil {
			t.Fatal(err)
		}
		_, err := get(t, c, "https://b.example/", Options{})
		wantKind(t, err, TLS)
	})
	if _, err := New(Config{Hosts: map[string]Host{"a.example": {CA: []byte("no PEM")}}}); err == nil {
		t.Error("a CA without a certificate was accepted")
	}
}

// 3.10/9 and 3.10/10.
func TestLimitHoldsWhateverTheServerAnnounces(t *testing.T) {
	for _, test := range []struct {
		name   string
		length string // Content-Length that the server claims
		body   int
		limit  int64
		kind   Kind // "" for success
	}{
		{"just the limit", "", 1001, 1001, ""},
		{"one byte over", "", 1001, 1000, TooLarge},
		{"no limit", "", 5000, 0, ""},
		{"announced over", "1001", 1001, 1000, TooLarge},
		{"lies small over the limit", "1001", 4000, 1000, TooLarge},
		{"lies large under the limit", "900", 10, 1000, Network},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.host("a.example", func(w http.ResponseWriter, _ *http.Request) {
					if test.length != "" {
						w.Header().Set("Content-Length", test.length)
					}
					w.(http.Flusher).Flush()
					w.Write(bytes.Repeat([]byte("x"), test.body))
				})
				got, err := get(t, n.client(Config{}, "a.example"), "https://a.example/", Options{Limit: test.limit})
				if test.kind != "" {
					wantKind(t, err, test.kind)
				} else if err != nil || len(got) != test.body {
					t.Fatalf("got %d bytes, %v", len(got), err)
				}
				if test.limit > 0 && int64(len(got)) > test.limit {
					t.Errorf("%d bytes came through a limit of %d", len(got), test.limit)
				}
			})
		})
	}
}

func TestReadAllAsksAgainWhenABodyBreaksOff(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		served := 0
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Served", fmt.Sprint(served))
			if served++; served == 1 {
				w.Header().Set("Content-Length", "10")
				io.WriteString(w, "half")
				return
			}
			io.WriteString(w, "whole")
		})
		data, header, err := n.client(Config{}, "a.example").ReadAll(t.Context(), "https://a.example/", Options{Limit: 100})
		if err != nil || string(data) != "whole" || header.Get("X-Served") != "1" {
			t.Errorf("got %q, %v, %v", data, header, err)
		}
	})
}

func TestCancelledContextGivesItsOwnError(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		ctx, cancel := context.WithCancel(t.Context())
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			cancel()
			<-r.Context().Done()
		})
		resp, err := n.client(Config{}, "a.example").Get(ctx, "https://a.example/", Options{})
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func TestEventsCountEveryRequestAndItsBytes(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			text("12345")(w, r)
		})
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "https://a.example/p%20q?x", strings.NewReader("abc"))
		resp, err := n.client(Config{}, "a.example").Do(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if len(n.events) != 2 || n.events[0].Done || !n.events[1].Done {
			t.Fatalf("got events %+v", n.events)
		}
		got := n.events[1]
		got.Took = 0
		want := Event{Done: true, Method: "POST", Host: "a.example", Path: "/p%20q", Status: 200, Up: 3, Down: 5}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}
