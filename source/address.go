package source

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// address is an https text taken apart: the path is raw.
type address struct {
	host     Host   // the row of the table; Kind "" for an unknown host
	service  string // "raw", "media", "codeload" or "api" when the name is not the host's own
	name     string // as written, in lower case, with the port
	path     string
	query    url.Values
	fragment string
	hash     bool // there was a "#"
}

// split takes an https text apart behind its scheme.
func (r reader) split(rest string) (address, error) {
	rest, fragment, hash := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	a := address{path: path, fragment: fragment, hash: hash}
	a.query, _ = url.ParseQuery(query) // unreadable parameters are no known ones
	if strings.Contains(authority, "@") {
		return a, r.credentials()
	}
	name, port, err := r.authority(authority)
	if err != nil {
		return a, err
	}
	return a, r.identify(&a, name, port)
}

// identify finds the host in the table; an unknown one must be public and on the usual port.
func (r reader) identify(a *address, name, port string) error {
	a.name = name
	if port != "" && port != "443" {
		a.name = name + ":" + port
	}
	var known bool
	if a.host, a.service, known = r.hosts.service(a.name); known {
		return nil
	}
	a.host = Host{Name: a.name}
	if err := r.checkPublic(name); err != nil {
		return err
	}
	if a.name != name {
		return r.fail("port", "names a port, which only configured hosts may have", "configure the host to allow it")
	}
	return nil
}

// authority takes "host:port" apart and checks the host.
func (r reader) authority(authority string) (host, port string, err error) {
	host = authority
	if bracket := strings.LastIndex(authority, "]"); strings.HasPrefix(authority, "[") {
		if bracket < 0 {
			return "", "", r.fail("bad-url", "has an address without its closing bracket", "")
		}
		host, port = authority[:bracket+1], strings.TrimPrefix(authority[bracket+1:], ":")
	} else if i := strings.LastIndex(authority, ":"); i >= 0 {
		host, port = authority[:i], authority[i+1:]
	}
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return "", "", r.fail("bad-url", "has a port that is no number from 1 to 65535", "")
	}
	host, err = r.hostname(host)
	return host, port, err
}

var hostPattern = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// hostname brings a host to its one spelling. Only ASCII: letters of other scripts look like others, so the person has to
// write the form that says which letters they are (RFC 3492).
func (r reader) hostname(host string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	switch {
	case host == "":
		return "", r.fail("no-host", "has no host", "")
	case strings.HasPrefix(host, "-") || strings.Contains(host, ".-"):
		return "", r.fail("unsafe-host", "has a host that begins with \"-\", which programs take for an option", "")
	case strings.HasPrefix(host, "["):
		addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", r.fail("bad-url", "has an address in brackets that is no IPv6 address", "")
		}
		return "[" + addr.String() + "]", nil
	case strings.ContainsFunc(host, func(c rune) bool { return c > 0x7f }):
		ascii := toASCII(host)
		return "", r.fail("unsupported-host", "has a host with letters beyond ASCII; it is "+ascii, "write "+ascii+" if that is the host you mean")
	case len(host) > 253 || !hostPattern.MatchString(host):
		return "", r.fail("bad-url", "has a host that is no host name", "")
	}
	return host, nil
}

// checkPublic refuses hosts that are addresses of this machine or of a private network, in whatever spelling. Names are
// not resolved: what a name resolves to is checked when it is dialled.
func (r reader) checkPublic(host string) error {
	const hint = "configure the host if it is meant"
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return r.fail("private-address", "names this machine", hint)
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err == nil {
		if !PublicAddress(addr) {
			return r.fail("private-address", "names an address that is not public", hint)
		}
		return nil
	}
	if labels := strings.Split(host, "."); numeric(labels[len(labels)-1]) {
		return r.fail("private-address", "spells a number as an address, in a form that readers disagree on", "write the address as four decimal numbers")
	}
	return nil
}

// numeric tells whether the last label of a host makes it an IPv4 address in one of the old spellings (WHATWG URL, "ends in
// a number").
func numeric(label string) bool {
	digits := strings.TrimLeft(label, "0123456789")
	if digits == "" {
		return true
	}
	rest, hex := strings.CutPrefix(label, "0x")
	return hex && strings.Trim(rest, "0123456789abcdef") == ""
}

// PublicAddress tells whether an address is one of the public Internet: not of this machine, a private or shared network,
// a link, a documentation or test range, a multicast group, nor an IPv6 form that carries such an IPv4 address (IANA
// special-purpose registries).
func PublicAddress(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return false
	}
	special := []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"3fff::/20", "5f00::/16", "fec0::/10"}
	for _, prefix := range special {
		if netip.MustParsePrefix(prefix).Contains(addr) {
			return false
		}
	}
	bytes := addr.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(addr): // NAT64
		return PublicAddress(netip.AddrFrom4([4]byte(bytes[12:16])))
	case netip.MustParsePrefix("2002::/16").Contains(addr): // 6to4
		return PublicAddress(netip.AddrFrom4([4]byte(bytes[2:6])))
	}
	return true
}
