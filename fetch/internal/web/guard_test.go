package web

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// 3.10/7.
func TestPublicKnowsTheSpecialRanges(t *testing.T) {
	for _, test := range []struct {
		addr   string
		public bool
	}{
		{"127.0.0.1", false}, {"127.255.255.254", false}, {"10.0.0.1", false}, {"172.16.0.1", false},
		{"172.31.255.255", false}, {"172.32.0.1", true}, {"192.168.1.1", false}, {"169.254.169.254", false},
		{"100.64.0.1", false}, {"100.127.255.255", false}, {"100.128.0.1", true}, {"0.0.0.0", false}, {"0.1.2.3", false},
		{"224.0.0.1", false}, {"255.255.255.255", false}, {"240.0.0.1", false}, {"198.18.0.1", false},
		{"192.0.0.1", false}, {"140.82.112.3", true}, {"8.8.8.8", true},
		{"::1", false}, {"::", false}, {"fe80::1", false}, {"febf::1", false}, {"fd00::1", false}, {"fc00::1", false},
		{"ff02::1", false}, {"::ffff:127.0.0.1", false}, {"::ffff:10.0.0.1", false}, {"::ffff:8.8.8.8", true},
		{"64:ff9b::7f00:1", false}, {"64:ff9b::a00:1", false}, {"64:ff9b::808:808", true}, {"64:ff9b:1::1", false},
		{"2002:7f00:1::", false}, {"2002:808:808::", true}, {"2001::1", false}, {"2606:50c0:8000::153", true},
		{"::7f00:1", false}, {"fe80::1%eth0", false}, {"2606:50c0::1%eth0", false}, {"100::1", false}, {"fec0::1", false},
	} {
		if got := Public(netip.MustParseAddr(test.addr)); got != test.public {
			t.Errorf("Public(%s) = %v", test.addr, got)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address counts as public")
	}
}

// 3.10/6, and S2-35.
func TestUnknownHostMustNotResolveToPrivateAddresses(t *testing.T) {
	for name, addresses := range map[string][]string{
		"private only":   {"10.0.0.1"},
		"public first":   {"203.0.113.9", "10.0.0.1"},
		"public last":    {"::1", "203.0.113.9"},
		"mapped":         {"::ffff:127.0.0.1"},
		"link-local":     {"169.254.169.254"},
		"NAT64 loopback": {"64:ff9b::7f00:1"},
	} {
		t.Run(name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.names["intranet"] = addresses
				_, err := get(t, n.client(Config{}, "intranet"), "https://intranet/", Options{})
				wantKind(t, err, PrivateAddress)
				if len(n.dialled) > 0 {
					t.Errorf("dialled %q", n.dialled)
				}
			})
		})
	}
}

func TestLiteralAddressesAreGuardedToo(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254", "[64:ff9b::7f00:1]"} {
		inNetwork(t, func(t *testing.T, n *network) {
			_, err := get(t, n.client(Config{}), "https://"+host+"/", Options{})
			wantKind(t, err, PrivateAddress)
			if len(n.dialled)+len(n.resolved) > 0 {
				t.Errorf("%s: resolved %q, dialled %q", host, n.resolved, n.dialled)
			}
		})
	}
}

// 3.10/5.
func TestRedirectToAPrivateAddressIsNeverContacted(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", redirect("https://internal.example/"))
		n.names["internal.example"] = []string{"10.0.0.1"}
		n.serve("10.0.0.1:443", "internal.example", text("inside"))
		trusted := func(host string) bool { return host == "a.example" }
		_, err := get(t, n.client(Config{Trusted: trusted}, "a.example"), "https://a.example/", Options{})
		if e := wantKind(t, err, PrivateAddress); e.Host != "internal.example" {
			t.Errorf("the error names %q", e.Host)
		}
		if n.wasDialled("10.0.0.1:443") {
			t.Error("the private address was dialled")
		}
	})
}

// C-27.
func TestKnownHostsMayBePrivate(t *testing.T) {
	for name, config := range map[string]Config{
		"trusted":       {Trusted: func(host string) bool { return host == "git.corp" }},
		"allow private": {Hosts: map[string]Host{"git.corp": {AllowPrivate: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.names["git.corp"] = []string{"10.0.0.1"}
				n.serve("10.0.0.1:443", "git.corp", text("inside"))
				c := n.client(config, "git.corp")
				for _, address := range []string{"https://git.corp/", "https://GIT.corp.:443/"} {
					if got, err := get(t, c, address, Options{}); err != nil || got != "inside" {
						t.Errorf("%s: got %q, %v", address, got, err)
					}
				}
			})
		})
	}
}

func TestConfiguredHostMayUseAnotherPort(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.names["git.corp"] = []string{"203.0.113.1"}
		n.serve("203.0.113.1:8443", "git.corp", text("other port"))
		c := n.client(Config{}, "git.corp:8443")
		if got, err := get(t, c, "https://git.corp:8443/", Options{}); err != nil || got != "other port" {
			t.Errorf("got %q, %v", got, err)
		}
		_, err := get(t, c, "https://git.corp:9443/", Options{})
		wantKind(t, err, Refused)
	})
}

func TestConnectIsDialledInsteadOfTheHost(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.serve("127.0.0.1:8443", "github.com", text("mirror"))
		c := n.client(Config{Hosts: map[string]Host{"github.com": {Connect: "127.0.0.1:8443"}}})
		if got, err := get(t, c, "https://github.com/", Options{}); err != nil || got != "mirror" {
			t.Errorf("got %q, %v", got, err)
		}
		if len(n.resolved) > 0 {
			t.Errorf("resolved %q", n.resolved)
		}
	})
}

// 3.10/8.
func TestCheckedAddressIsTheOneDialled(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.host("a.example", text("public"))
		n.serve("10.0.0.1:443", "a.example", text("inside"))
		c := n.client(Config{}, "a.example")
		answers := []string{"203.0.113.1", "10.0.0.1"} // a second look-up would be answered otherwise
		c.config.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			addr := netip.MustParseAddr(answers[0])
			answers = answers[1:]
			return []netip.Addr{addr}, nil
		}
		if got, err := get(t, c, "https://a.example/", Options{}); err != nil || got != "public" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func TestNextAddressIsTriedWhenOneFailsOrIsSlow(t *testing.T) {
	for name, first := range map[string]func(ctx context.Context) (net.Conn, error){
		"fails":  func(context.Context) (net.Conn, error) { return nil, net.ErrClosed },
		"stalls": func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.host("a.example", text("second"))
				n.names["a.example"] = []string{"2606:50c0::1", "203.0.113.1"}
				c := n.client(Config{}, "a.example")
				c.config.Dial = func(ctx context.Context, network, target string) (net.Conn, error) {
					if target == "[2606:50c0::1]:443" {
						return first(ctx)
					}
					return n.dial(ctx, network, target)
				}
				start := time.Now()
				if got, err := get(t, c, "https://a.example/", Options{}); err != nil || got != "second" {
					t.Errorf("got %q, %v", got, err)
				}
				if took := time.Since(start); took > time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// 3.10/15.
func TestProxyIsUsedAndTheGuardChecksTheTarget(t *testing.T) {
	for _, test := range []struct {
		name, host string
		addresses  []string
		trusted    bool
		kind       Kind // "" when the proxy is asked
	}{
		{"public target", "a.example", []string{"203.0.113.1"}, false, ""},
		{"private target", "a.example", []string{"10.0.0.1"}, false, PrivateAddress},
		{"private target of a known host", "a.example", []string{"10.0.0.1"}, true, ""},
		{"name only the proxy knows", "a.example", nil, false, ""},
		{"name of the local kind", "intranet", nil, false, DNS},
		{"literal address", "127.0.0.1", nil, false, PrivateAddress},
	} {
		t.Run(test.name, func(t *testing.T) {
			inNetwork(t, func(t *testing.T, n *network) {
				n.names[test.host] = test.addresses
				n.names["proxy.corp"] = []string{"10.9.9.9"}
				config := Config{
					Retries: -1,
					Proxy:   func(*http.Request) (*url.URL, error) { return url.Parse("http://proxy.corp:3128") },
					Trusted: func(string) bool { return test.trusted },
				}
				_, err := get(t, n.client(config), "https://"+test.host+"/", Options{})
				kind := test.kind
				if kind == "" {
					kind = Proxy // nothing listens at the proxy
				}
				wantKind(t, err, kind)
				if asked := n.wasDialled("10.9.9.9:3128"); asked != (test.kind == "") || len(n.dialled) > 1 {
					t.Errorf("dialled %q", n.dialled)
				}
			})
		})
	}
}

// C-26: http for hosts that are configured so, and for no redirect from https.
func TestAHostWithoutTLSIsAskedOverHTTP(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		var asked []string
		plain := func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Path+r.Header.Get("Authorization"))
			if r.URL.Path == "/old" {
				redirect("http://git.corp/new")(w, r)
			}
		}
		for _, target := range []string{"10.0.0.1:80", "10.0.0.1:8080"} {
			listener := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
			n.servers[target] = listener
			server := &http.Server{Handler: http.HandlerFunc(plain)}
			go server.Serve(listener)
			t.Cleanup(func() { server.Close() })
		}
		n.names["git.corp"] = []string{"10.0.0.1"}
		n.host("a.example", redirect("https://git.corp/secret"))
		n.host("b.example", redirect("http://git.corp/secret"))
		authorize := func(context.Context, Challenge) (Authorization, error) { return Authorization{Header: "B secret"}, nil }
		config := Config{Trusted: func(host string) bool { return host == "git.corp" }, Hosts: map[string]Host{"git.corp": {HTTP: true}}, Authorize: authorize}
		c := n.client(config, "a.example", "b.example")
		for _, address := range []string{"https://git.corp/old", "https://git.corp:8080/x"} {
			resp, err := c.Get(t.Context(), address, Options{})
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.Request.URL.Scheme != "https" {
				t.Errorf("the answer is one to %s", resp.Request.URL)
			}
		}
		for _, address := range []string{"http://git.corp/x", "https://a.example/", "https://b.example/"} {
			_, err := get(t, c, address, Options{})
			wantKind(t, err, Refused)
		}
		if want := []string{"/old", "/new", "/x"}; !slices.Equal(asked, want) {
			t.Errorf("asked for %q, want %q", asked, want)
		}
	})
}

// Who is configured may be of a private network, and knows its callers: no spelling and no redirect brings a stranger's request there.
func TestStrangersDoNotLeadToConfiguredHosts(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		for _, target := range []string{"10.0.0.1:443", "10.0.0.1:8443"} {
			n.serve(target, "git.corp", text("secret"))
		}
		n.names["git.corp"] = []string{"10.0.0.1"}
		n.host("evil.example", func(w http.ResponseWriter, r *http.Request) { redirect("https://"+r.URL.Path[1:])(w, r) })
		n.host("forge.example", text("public"))
		n.host("own.example", redirect("https://git.corp/x"))
		c := n.client(Config{
			Trusted: func(host string) bool { return host == "git.corp" || host == "forge.example" || host == "own.example" },
			Shared:  func(host string) bool { return host == "forge.example" },
		}, "evil.example", "forge.example", "own.example", "git.corp")
		for _, target := range []string{"git.corp/x", "GIT.corp/x", "git.corp:443/x", "git.corp./x", "git.corp:8443/x", "evil.example/git.corp/x"} {
			_, err := get(t, c, "https://evil.example/"+target, Options{})
			if e := wantKind(t, err, Led); !strings.HasPrefix(e.Host, "git.corp") || !strings.HasSuffix(e.Error(), ": evil.example led to it") {
				t.Errorf("%s: %v", target, e)
			}
			for _, from := range []string{"", "evil.example"} {
				resp, err := c.Get(From(t.Context(), from), "https://"+target, Options{})
				if err == nil {
					resp.Body.Close()
				}
				wantKind(t, err, Led)
			}
		}
		if n.wasDialled("10.0.0.1:443") || n.wasDialled("10.0.0.1:8443") {
			t.Errorf("dialled %q", n.dialled)
		}
		for address, want := range map[string]string{"https://git.corp/x": "secret", "https://own.example/": "secret", "https://evil.example/forge.example/": "public"} {
			if got, err := get(t, c, address, Options{}); err != nil || got != want {
				t.Errorf("%s: %q, %v", address, got, err)
			}
		}
	})
}
