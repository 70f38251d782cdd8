package manifest

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"skills/source"
	"skills/source/names"
)

// place is where a source lies, in the parts that patterns speak of.
type place struct {
	space  string   // "host", "local", "npm" or "builtin"; names of one space never match another
	root   string   // the host; on this machine "/", ".", "~", a drive, or one of them with "/.." behind it
	port   string   // "" for the usual one
	parts  []string // decoded
	caseOK bool     // case counts in the parts
}

// placeOf takes the identity of a source apart. It takes every text.
func placeOf(identity string) place {
	if p, ok := localPlace(identity); ok {
		return p
	}
	if scheme, rest, ok := strings.Cut(identity, "://"); ok {
		authority, path, _ := strings.Cut(rest, "/")
		p := hostPlace(authority, decoded(parts(path)))
		p.caseOK = p.caseOK && scheme == "https"
		return p
	}
	before, after, _ := strings.Cut(identity, ":")
	if before == "npm" || before == "builtin" {
		return place{space: before, parts: parts(after), caseOK: true}
	}
	p := hostPlace(before, parts(after)) // user@host:path, where nothing is encoded
	p.caseOK = false
	return p
}

var drivePattern = regexp.MustCompile(`^[A-Za-z]:$`)

// localPlace takes a path on this machine apart, told by its beginning. Backslashes are read as slashes everywhere: a policy is
// shared between systems.
func localPlace(text string) (place, bool) {
	text = strings.ReplaceAll(text, `\`, "/")
	first, rest, slash := strings.Cut(text, "/")
	p := place{space: "local", caseOK: true}
	switch {
	case first == "" && slash:
		p.root, rest = "/", path.Clean("/" + rest)[1:]
	case drivePattern.MatchString(first) && slash:
		p.root, rest = strings.ToLower(first), path.Clean("/" + rest)[1:]
	case strings.HasPrefix(first, "~"):
		p.root, rest = first, path.Clean(rest)
	case strings.HasPrefix(first, "."):
		p.root, rest = ".", path.Clean(text)
	default:
		return p, false
	}
	p.parts = slices.DeleteFunc(parts(rest), func(part string) bool { return part == "." })
	for len(p.parts) > 0 && p.parts[0] == ".." {
		p.root, p.parts = p.root+"/..", p.parts[1:]
	}
	return p, true
}

// parts splits a path without its empty parts.
func parts(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
}

// decoded takes the percent signs out of the parts of an address.
func decoded(parts []string) []string {
	for i, part := range parts {
		if text, err := url.PathUnescape(part); err == nil {
			parts[i] = text
		}
	}
	return parts
}

// hostPlace makes the place on a host; case counts unless the address shows that it is a repository's.
func hostPlace(authority string, parts []string) place {
	authority = strings.ToLower(authority[strings.LastIndex(authority, "@")+1:])
	_, known := source.DefaultHosts().Lookup(authority)
	p := place{space: "host", root: authority, parts: parts, caseOK: !known && !slices.Contains(parts, "_git")}
	if colon := strings.LastIndex(authority, ":"); colon > strings.LastIndex(authority, "]") {
		p.root, p.port = authority[:colon], authority[colon+1:]
	}
	p.root = strings.TrimPrefix(strings.TrimSuffix(p.root, "."), "www.")
	if n := len(parts); n > 0 {
		if name := parts[n-1]; len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".git") {
			parts[n-1], p.caseOK = name[:len(name)-4], false
		}
	}
	return p
}

// pattern is one rule of a policy.
type pattern struct {
	place
	all   bool // everything
	below bool // and what lies below
}

// matches reports whether a place fits; wide reads the pattern as Deny does.
func (p pattern) matches(at place, wide bool) bool {
	switch {
	case p.all:
		return true
	case at.space != p.space, at.root != p.root:
		return false
	case at.port != p.port && !(wide && p.port == ""):
		return false
	case len(at.parts) < len(p.parts), len(at.parts) > len(p.parts) && !p.below && !wide:
		return false
	}
	for i, part := range p.parts {
		text := at.parts[i]
		if wide || !at.caseOK {
			part, text = names.Fold(part), names.Fold(text)
		}
		if !glob(part, text) {
			return false
		}
	}
	return true
}

// glob reports whether a text fits a pattern in which "*" stands for any characters, in time linear in both.
func glob(pattern, text string) bool {
	start, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, start)
	if !ok {
		return false
	}
	pieces := strings.Split(rest, "*")
	last := len(pieces) - 1
	for _, piece := range pieces[:last] {
		if _, text, ok = strings.Cut(text, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(text, pieces[last])
}

// readPattern reads one rule. The error has neither file nor line.
func readPattern(text string) (pattern, *Error) {
	if text == "*" {
		return pattern{all: true}, nil
	}
	at, fault := patternPlace(text)
	if fault == nil {
		fault = checkParts(text, at.parts)
	}
	if fault != nil {
		return pattern{}, fault
	}
	p := pattern{place: at}
	last := len(p.parts) - 1
	switch {
	case last >= 0 && p.parts[last] == "*":
		p.parts, p.below = p.parts[:last], true
	case last < 0 && p.space == "host":
		p.below = true
	}
	return p, nil
}

// checkPattern gives the error for what is no rule, and for a rule of a known host that no repository can fit: it does nothing, and
// looks as if it did.
func checkPattern(text string) *Error {
	p, fault := readPattern(text)
	if fault != nil || p.space != "host" {
		return fault
	}
	for _, page := range []string{"/a/b", "/a/b/main/SKILL.md", "/a/b/tar.gz/main", "/repos/a/b", "/a/_git/b"} {
		l, err := source.Parse("https://"+p.root+page, source.DefaultHosts())
		if err == nil && l.Kind == source.Git && l.Host != p.root {
			return badPattern("write "+l.Host+" and the owner", text, "names %s, whose repositories are those of %s", p.root, l.Host)
		}
	}
	host, known := source.DefaultHosts().Lookup(p.root)
	if known && host.Name != "gist.github.com" && len(p.parts) == 1 && !p.below {
		return badPattern(fmt.Sprintf("write %s/%s/*", p.root, p.parts[0]), text, "names no repository")
	}
	return nil
}

var portEnd = regexp.MustCompile(`:[0-9]+$`)

// patternPlace tells the forms of patterns apart, as source.Parse does with texts.
func patternPlace(text string) (place, *Error) {
	if at, ok := localPlace(text); ok {
		return at, nil
	}
	scheme, rest, ok := strings.Cut(text, "://")
	switch {
	case ok && slices.Contains([]string{"https", "ssh", "git+https", "git+ssh", "oci"}, scheme):
		return addressPlace(text, rest)
	case ok:
		return place{}, badPattern("write the host alone, such as example.com/*", text, "has the scheme %q, which no source has", scheme)
	}
	first, _, _ := strings.Cut(text, "/")
	prefix, name, colon := strings.Cut(first, ":")
	switch {
	case (prefix == "npm" || prefix == "builtin") && name != "":
		return placeOf(text), nil
	case strings.HasPrefix(first, "@"):
		return place{}, badPattern("an npm package is npm:"+text, text, "names no host")
	case strings.ContainsAny(first, "@["), strings.Contains(first, ".") && !colon, portEnd.MatchString(first):
		return addressPlace(text, text)
	case colon:
		return place{}, badPattern("write github.com/owner/* for a host, npm:NAME or builtin:NAME", text, "has an unknown prefix")
	}
	return addressPlace(text, "github.com/"+text)
}

var hostname = regexp.MustCompile(`^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$`)

// addressPlace reads what a pattern says behind the scheme.
func addressPlace(text, rest string) (place, *Error) {
	authority, _, _ := strings.Cut(rest, "/")
	if strings.Contains(authority, "@") {
		return place{}, badPattern("write the host alone, such as github.com/acme/*", text, `names a user before "@"`)
	}
	at := placeOf("https://" + rest)
	if at.port == "443" {
		at.port = ""
	}
	switch {
	case strings.Contains(at.root, "*"):
		return place{}, badPattern(`name each host, or write "*" alone for everything`, text, `has "*" in its host`)
	case !hostname.MatchString(at.root), at.port != strings.TrimLeft(at.port, "0"), strings.Trim(at.port, "0123456789") != "":
		return place{}, badPattern("write it as github.com/acme/*", text, "has no host that could be one")
	}
	return at, nil
}

// checkParts refuses parts that no source has, and signs of other pattern languages.
func checkParts(text string, parts []string) *Error {
	for _, part := range parts {
		switch {
		case part == "." || part == "..":
			return badPattern("", text, "holds %q as a part", part)
		case strings.Contains(part, "**"):
			return badPattern("write /* at the end for everything below", text, `holds "**"`)
		case strings.ContainsAny(part, `?#[]{}\`):
			return badPattern(`"*" stands for any characters of a part`, text, `holds one of ? # [ ] { } \`)
		}
	}
	return nil
}

// badPattern is the error for a pattern that is none. What stands before "@" may be a secret.
func badPattern(hint, text, format string, args ...any) *Error {
	if at := strings.LastIndex(text, "@"); at > 0 {
		text = "…" + text[at:]
	}
	return &Error{Kind: "manifest_invalid", Message: fmt.Sprintf("pattern %q %s", text, fmt.Sprintf(format, args...)), Hint: hint}
}
