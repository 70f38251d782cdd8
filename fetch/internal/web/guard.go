package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Public tells whether an address belongs to the public network: not private, loopback,
// link-local, shared (RFC 6598), unspecified, multicast, unique local, reserved or for
// benchmarks. An IPv4 address inside an IPv6 one (mapped, NAT64 of RFC 6052, 6to4 of
// RFC 3056) counts as what it is. The ranges are those of the IANA special-purpose
// address registries; the ones for documentation lead nowhere and are not listed.
func Public(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return !inside(addr, "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
			"169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.88.99.0/24",
			"192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3")
	}
	raw := addr.As16()
	switch {
	case inside(addr, "64:ff9b::/96"):
		return Public(netip.AddrFrom4([4]byte(raw[12:16])))
	case inside(addr, "2002::/16"):
		return Public(netip.AddrFrom4([4]byte(raw[2:6])))
	}
	return inside(addr, "2000::/3") && !inside(addr, "2001::/32")
}

func inside(addr netip.Addr, prefixes ...string) bool {
	for _, p := range prefixes {
		if netip.MustParsePrefix(p).Contains(addr) {
			return true
		}
	}
	return false
}

// known tells hosts of the table and of the user's configuration.
func (c *Client) known(host string) bool {
	trusted := c.config.Trusted
	return trusted != nil && (trusted(host) || trusted(withoutPort(host)))
}

// settings are those of a host, with or without its port.
func (c *Client) settings(host string) Host {
	if s, ok := c.config.Hosts[host]; ok {
		return s
	}
	return c.config.Hosts[withoutPort(host)]
}

func withoutPort(host string) string {
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		return host[:colon]
	}
	return host
}

// guarded tells whether only public addresses will do for a host.
func (c *Client) guarded(host string) bool {
	return !c.known(host) && !c.settings(host).AllowPrivate
}

// admit checks an address before any look-up.
func (c *Client) admit(req *http.Request) error {
	if reason := unsafe(req.URL); reason != "" {
		return refused(req, "%s", reason)
	}
	host := hostKey(req.URL)
	if err := c.settings(host).Err; err != nil {
		return Error{Kind: Settings, Err: err}.of(req)
	}
	_, configured := c.config.Hosts[host]
	if host != withoutPort(host) && !configured && !c.known(host) {
		return refused(req, "only port 443 is allowed on a host that is not configured")
	}
	if c.settings(host).HTTP && origin(req) != host {
		return refused(req, "%s led to it, and it has no TLS", origin(req))
	}
	if from := origin(req); from != host && c.guarded(from) && !c.guarded(host) && (c.config.Shared == nil || !c.config.Shared(host)) {
		return Error{Kind: Led, Err: fmt.Errorf("%s led to it", cmp.Or(from, "another host"))}.of(req)
	}
	return nil
}

// proxy finds the proxy of a request. The proxy dials the target itself, so here its name is
// checked. A name that only the proxy can resolve passes, unless it is of the local kind.
func (c *Client) proxy(req *http.Request) (*url.URL, error) {
	host := hostKey(req.URL)
	if c.config.Proxy == nil || c.settings(host).Connect != "" {
		return nil, nil
	}
	proxy, err := c.config.Proxy(req)
	if err != nil || proxy == nil {
		return nil, err
	}
	if !c.guarded(host) {
		return proxy, nil
	}
	return proxy, c.checkName(req.Context(), withoutPort(host))
}

// throughProxy looks at how a proxy answers the CONNECT for a target.
func throughProxy(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return &Error{Kind: Proxy, Status: answer.StatusCode, Err: fmt.Errorf("%s answered %d", proxy.Host, answer.StatusCode)}
}

// checkName is the guard for a name that a proxy will resolve.
func (c *Client) checkName(ctx context.Context, name string) error {
	_, err := c.addresses(ctx, name, true)
	if e := (*Error)(nil); errors.As(err, &e) && e.Kind == DNS && strings.Contains(name, ".") {
		return nil
	}
	return err
}

// addresses resolves a host. When it is guarded, one address that is not public refuses all.
func (c *Client) addresses(ctx context.Context, host string, guarded bool) ([]netip.Addr, error) {
	if guarded && isOddAddress(host) {
		return nil, &Error{Kind: PrivateAddress, Err: errors.New("its name is an address in an unusual spelling")}
	}
	addrs, err := c.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		if guarded && !Public(addr) {
			return nil, &Error{Kind: PrivateAddress, Err: fmt.Errorf("its address is %s", addr)}
		}
	}
	return addrs, nil
}

// isOddAddress tells names that resolvers of the C library, such as a proxy's, may take for an IPv4 address although they do not look it:
// "127.1", "0x7f000001", "017700000001". After the WHATWG URL standard (host parsing, "ends in a number") no other name ends so.
func isOddAddress(host string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		last, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(last, digits) == "" && host != ""
}

func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return []netip.Addr{addr}, nil
	}
	addrs, err := c.config.Resolve(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if err != nil {
		return nil, &Error{Kind: DNS, Err: err}
	}
	return addrs, nil
}

type routeKey struct{}

// dial opens the connection for "host:port". Behind a proxy the address is the proxy's,
// which the user chose, and is dialled as it is.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if proxy, _ := ctx.Value(routeKey{}).(*url.URL); proxy != nil {
		conn, err := c.resolved(ctx, network, name, port, false)
		if err != nil {
			return nil, &Error{Kind: Proxy, Err: fmt.Errorf("%s: %w", proxy.Host, err)}
		}
		return conn, nil
	}
	key := canonical(name, port)
	if connect := c.settings(key).Connect; connect != "" {
		return c.race(ctx, network, []string{connect})
	}
	return c.resolved(ctx, network, name, port, c.guarded(key))
}

// resolved opens a connection to one of the addresses of a name.
func (c *Client) resolved(ctx context.Context, network, name, port string, guarded bool) (net.Conn, error) {
	addrs, err := c.addresses(ctx, name, guarded)
	if err != nil {
		return nil, err
	}
	targets := make([]string, len(addrs))
	for i, addr := range addrs {
		targets[i] = net.JoinHostPort(addr.Unmap().String(), port)
	}
	return c.race(ctx, network, targets)
}

// headStart is how long an address has before the next one is tried beside it (RFC 8305,
// section 5, recommends 250 ms).
const headStart = 250 * time.Millisecond

type dialled struct {
	conn net.Conn
	err  error
}

// race dials addresses in turn, each with a head start, and returns the first connection.
func (c *Client) race(ctx context.Context, network string, targets []string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeouts.Connect)
	defer cancel()
	answers := make(chan dialled, len(targets))
	var first error
	for next, pending := 0, 0; next < len(targets) || pending > 0; {
		var late <-chan time.Time
		if next < len(targets) {
			target := targets[next]
			go func() {
				conn, err := c.config.Dial(ctx, network, target)
				answers <- dialled{conn, err}
			}()
			late = time.After(headStart)
			next, pending = next+1, pending+1
		}
		select {
		case <-late:
		case a := <-answers:
			pending--
			if a.err == nil {
				go closeLate(answers, pending)
				return a.conn, nil
			}
			if first == nil {
				first = a.err
			}
		}
	}
	return nil, first
}

// closeLate closes connections that lost the race.
func closeLate(answers <-chan dialled, pending int) {
	for range pending {
		if a := <-answers; a.conn != nil {
			a.conn.Close()
		}
	}
}
