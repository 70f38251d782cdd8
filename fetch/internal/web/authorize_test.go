package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// seen is what reached hosts: "host path authorization".
type seen struct{ lines []string }

// answers serves a host: it asks for a credential with a status unless the request has the right one, and answers 200 then.
func (s *seen) answers(n *network, host string, status int, right string) {
	n.host(host, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.lines = append(s.lines, strings.TrimSpace(host+" "+r.Header.Get("Authorization")+string(body)))
		if r.Header.Get("Authorization") != right {
			w.WriteHeader(status)
			return
		}
		io.WriteString(w, "open")
	})
}

// credentials answers challenges: at once for hosts of one's own, after a refusal for others.
type credentials struct {
	own, others map[string]string
	asked       []string
}

func (c *credentials) authorize(_ context.Context, challenge Challenge) (Authorization, error) {
	c.asked = append(c.asked, fmt.Sprintf("%s for %s after %d", challenge.Host(), challenge.Origin, challenge.Status))
	value := c.own[challenge.Host()]
	if challenge.Status != 0 {
		value = c.others[challenge.Host()]
	}
	if value == "" || challenge.Origin != challenge.Host() {
		return Authorization{}, nil
	}
	return Authorization{Header: value, From: "a test"}, nil
}

func TestCredentialsGoOutWhereTheyAreWanted(t *testing.T) {
	for _, test := range []struct {
		name        string
		status      int
		right       string
		own, others string
		requests    []string // authorizations
		kind        Kind     // "" for success
		from        string
	}{
		{"public", 401, "", "", "B other", []string{""}, "", ""},
		{"401", 401, "B other", "", "B other", []string{"", "B other"}, "", ""},
		{"403", 403, "B other", "", "B other", []string{"", "B other"}, "", ""},
		{"404", 404, "B other", "", "B other", []string{"", "B other"}, "", ""},
		{"quota", 429, "B other", "", "B other", []string{"", "B other"}, "", ""},
		{"500 is no refusal", 500, "B other", "", "B other", []string{""}, Status, ""},
		{"at once", 401, "B own", "B own", "", []string{"B own"}, "", ""},
		{"none there", 401, "B other", "", "", []string{""}, Status, ""},
		{"wrong", 401, "B right", "", "B wrong", []string{"", "B wrong"}, Status, "a test"},
		{"wrong at once, for what is public", 401, "", "B wrong", "", []string{"B wrong", ""}, "", ""},
		{"wrong at once, for what is private", 403, "B right", "B wrong", "", []string{"B wrong", ""}, Status, "a test"},
		{"not there at all", 404, "B right", "B own", "", []string{"B own"}, Status, "a test"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				var s seen
				s.answers(n, "a.example", test.status, test.right)
				c := credentials{own: map[string]string{"a.example": test.own}, others: map[string]string{"a.example": test.others}}
				_, err := get(t, n.client(Config{Retries: -1, Authorize: c.authorize}, "a.example"), "https://a.example/", Options{})
				if test.kind == "" && err != nil {
					t.Error(err)
				} else if test.kind != "" {
					if e := wantKind(t, err, test.kind); e.From != test.from {
						t.Errorf("tried what is from %q, want %q", e.From, test.from)
					}
				}
				var want []string
				for _, value := range test.requests {
					want = append(want, strings.TrimSpace("a.example "+value))
				}
				if !slices.Equal(s.lines, want) {
					t.Errorf("requests %q, want %q", s.lines, want)
				}
			})
		})
	}
}

// C-28: nobody waits for a quota that a credential raises; without one the wait is what the server wants.
func TestACredentialSparesTheWaitForAQuota(t *testing.T) {
	for _, test := range []struct {
		others string
		took   time.Duration
		want   []string
	}{
		{"B other", 0, []string{"a.example", "a.example B other"}},
		{"", 20 * time.Second, []string{"a.example", "a.example"}},
	} {
		inNetwork(t, func(t *testing.T, n *network) {
			var s seen
			n.host("a.example", func(w http.ResponseWriter, r *http.Request) {
				s.lines = append(s.lines, strings.TrimSpace("a.example "+r.Header.Get("Authorization")))
				if r.Header.Get("Authorization") == "" {
					w.Header().Set("Retry-After", "20")
					w.WriteHeader(http.StatusTooManyRequests)
				}
			})
			c := credentials{others: map[string]string{"a.example": test.others}}
			start := time.Now()
			_, err := get(t, n.client(Config{Retries: 1, Authorize: c.authorize}, "a.example"), "https://a.example/", Options{})
			if (err == nil) != (test.others != "") || time.Since(start) < test.took || time.Since(start) > test.took+time.Second {
				t.Errorf("took %v: %v", time.Since(start), err)
			}
			if !slices.Equal(s.lines, test.want) {
				t.Errorf("requests %q, want %q", s.lines, test.want)
			}
		})
	}
}

func TestARequestWithItsOwnAuthorizationIsLeftAlone(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var s seen
		s.answers(n, "a.example", 401, "B right")
		var c credentials
		_, err := get(t, n.client(Config{Authorize: c.authorize}, "a.example"), "https://a.example/", Options{Header: http.Header{"Authorization": {"B mine"}}})
		wantKind(t, err, Status)
		if len(s.lines) != 1 || c.asked != nil {
			t.Errorf("requests %q, asked %q", s.lines, c.asked)
		}
	})
}

func TestAPostIsAuthorizedWithItsBodyOrNotAtAll(t *testing.T) {
	for _, test := range []struct {
		name string
		body io.Reader
		want []string
	}{
		{"can be sent again", strings.NewReader("body"), []string{"a.example body", "a.example B otherbody"}},
		{"cannot", io.MultiReader(strings.NewReader("body")), []string{"a.example body"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				var s seen
				s.answers(n, "a.example", 401, "B other")
				c := credentials{others: map[string]string{"a.example": "B other"}}
				req, err := http.NewRequestWithContext(Repeatable(t.Context()), http.MethodPost, "https://a.example/", test.body)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := n.client(Config{Authorize: c.authorize}, "a.example").Do(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if !slices.Equal(s.lines, test.want) {
					t.Errorf("requests %q, want %q", s.lines, test.want)
				}
				if req.Header.Get("Authorization") != "" {
					t.Error("the caller's request has the credential")
				}
			})
		})
	}
}

// 3.10/12: a token stays at home when a redirect leads away; the challenge says who led there.
func TestRedirectsSayOnWhoseBehalfTheyAre(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var s seen
		s.answers(n, "c.example", 401, "B c")
		n.host("a.example", redirect("https://b.example/"))
		n.host("b.example", redirect("https://c.example/"))
		c := credentials{own: map[string]string{"a.example": "B a", "b.example": "B b", "c.example": "B c"}, others: map[string]string{"c.example": "B c"}}
		client := n.client(Config{Authorize: c.authorize}, "a.example", "b.example", "c.example")
		_, err := get(t, client, "https://a.example/", Options{})
		if e := wantKind(t, err, Status); e.Led != "a.example" || e.Owner != "c.example" {
			t.Errorf("led by %q, owner %q", e.Led, e.Owner)
		}
		want := []string{"a.example for a.example after 0", "b.example for a.example after 0", "c.example for a.example after 0", "c.example for a.example after 401"}
		if !slices.Equal(c.asked, want) || !slices.Equal(s.lines, []string{"c.example"}) {
			t.Errorf("asked %q, requests %q", c.asked, s.lines)
		}
		if _, err := client.Get(From(t.Context(), ""), "https://c.example/", Options{}); err == nil {
			t.Error("a request on nobody's behalf got a credential")
		}
	})
}

// The credentials of a forge are those of its services, which a refusal names.
func TestARefusalSaysWhoseCredentialsCount(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var s seen
		s.answers(n, "files.example", 403, "B right")
		authorize := func(context.Context, Challenge) (Authorization, error) {
			return Authorization{Host: "forge.example"}, nil
		}
		client := n.client(Config{Authorize: authorize}, "files.example")
		_, err := get(t, client, "https://files.example/", Options{})
		if e := wantKind(t, err, Status); e.Host != "files.example" || e.Owner != "forge.example" || e.Led != "" {
			t.Errorf("error %+v", e)
		}
		_, err = get(t, n.client(Config{}, "files.example"), "https://files.example/", Options{})
		if e := wantKind(t, err, Status); e.Owner != "files.example" || e.Led != "" {
			t.Errorf("where nobody is asked: error %+v", e)
		}
	})
}

func TestACredentialThatCannotBeLookedForIsTheError(t *testing.T) {
	broken := errors.New("the keyring is locked")
	for _, at := range []int{0, 401} {
		inNetwork(t, func(t *testing.T, n *network) {
			var s seen
			s.answers(n, "a.example", 401, "B right")
			authorize := func(_ context.Context, c Challenge) (Authorization, error) {
				if c.Status == at {
					return Authorization{}, broken
				}
				return Authorization{}, nil
			}
			_, err := get(t, n.client(Config{Authorize: authorize}, "a.example"), "https://a.example/", Options{})
			if e := wantKind(t, err, Credential); !errors.Is(err, broken) || e.Host != "a.example" || e.Status != at {
				t.Errorf("error %+v", e)
			}
		})
	}
}
