package source

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"strings"
)

// Parse reads a text with the hosts of the table. It asks nobody and reads nothing: what only the
// host can tell stays open in the Locator (Ambiguous, SkillOrRef, Kind Site). The error is an *[Error].
//
// Without a scheme a text is a path when it begins with "/", ".", "~" (or a drive letter, on Windows), a host
// when its first part has a dot, else owner/repo[/path][@ref or skill][#ref] on github.com. What stands behind "#" is a ref where no
// page is named: in these shorthands, behind a host with a repository, ".git" and git+https; on pages it is a place. A pasted command line
// is read for its first source. Quotes, backticks, a Markdown link and the signs of a sentence around a text are taken off; an address
// that itself ends in such a sign has it as %XX.
func Parse(text string, hosts Hosts) (Locator, error) {
	return reader{hosts: hosts, windows: runtime.GOOS == "windows"}.parse(text)
}

// reader reads one text.
type reader struct {
	hosts   Hosts
	text    string
	windows bool
}

// fail makes the error: the sentence begins with the text, without its secrets. Without a hint it is the one that the kind has.
func (r reader) fail(code, predicate, hint string) error {
	text := redact(r.text)
	return &Error{Kind: code, Text: text, Message: fmt.Sprintf("source %q %s", text, predicate), Hint: cmp.Or(hint, usualHint(code))}
}

func (r reader) parse(text string) (Locator, error) {
	r.text = unwrap(text)
	if err := r.checkText(); err != nil {
		return Locator{}, err
	}
	input := redact(r.text)
	var l Locator
	var err error
	if args, ok := Command(r.text); ok {
		l, err = r.pasted(args)
	} else {
		l, err = r.read()
	}
	if err != nil {
		return Locator{}, err
	}
	l.Input = input
	return r.finish(l)
}

var (
	schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+-]*://`)
	prefixPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+-]*:`)
	drivePattern  = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
	portPattern   = regexp.MustCompile(`^[^/@:]+\.[^/@:]+:[0-9]+([/?#]|$)`)
	scpPattern    = regexp.MustCompile(`^[^/@:]+\.[^/@:]+:`)
)

// read tells the forms apart by how the text begins.
func (r reader) read() (Locator, error) {
	first, _, _ := strings.Cut(r.text, "/")
	first, _, _ = strings.Cut(first, "#")
	switch {
	case strings.HasPrefix(r.text, "/"), strings.HasPrefix(r.text, "."), strings.HasPrefix(r.text, "~"), drivePattern.MatchString(r.text):
		return r.local(r.text)
	case schemePattern.MatchString(r.text):
		scheme, rest, _ := strings.Cut(r.text, "://")
		l, err := r.scheme(strings.ToLower(scheme), rest)
		return r.unencrypted(l, strings.ToLower(scheme)), err
	case strings.Contains(first, "::"):
		return Locator{}, r.fail("scheme", "names a git remote helper, which would run a program", "")
	}
	if prefix := prefixPattern.FindString(r.text); prefix != "" {
		if l, known, err := r.prefix(strings.ToLower(prefix), r.text[len(prefix):]); known {
			return l, err
		}
	}
	return r.bare(first)
}

// unencrypted remarks that a host is asked over http though the text says https.
func (r reader) unencrypted(l Locator, scheme string) Locator {
	host, _ := r.hosts.Lookup(l.Host)
	if host.AllowHTTP && strings.HasSuffix(scheme, "https") {
		l.Notes = append(l.Notes, Note{"unencrypted", l.Host + " is asked over http, without encryption, though https is written: allow_http is set for it in config.toml"})
	}
	return l
}

// scheme reads a text with "://".
func (r reader) scheme(scheme, rest string) (Locator, error) {
	switch scheme {
	case "https":
		return r.https(rest)
	case "git+https":
		return r.gitHTTPS(rest)
	case "ssh", "git+ssh":
		return r.sshURL(rest)
	case "file":
		return r.fileURL(rest)
	case "oci":
		return r.oci(rest)
	case "http", "git+http":
		name, _, _ := strings.Cut(rest, "/")
		if host, ok := r.hosts.Lookup(name); ok && host.AllowHTTP {
			return r.scheme(strings.Replace(scheme, "http", "https", 1), rest)
		}
		return Locator{}, r.fail("insecure-scheme", "is not encrypted", "write https:// instead of http://")
	}
	return Locator{}, r.fail("scheme", "has a scheme that is not supported", "write https:// or ssh://")
}

// prefix reads a text with a known word and a colon in front.
func (r reader) prefix(prefix, rest string) (l Locator, known bool, err error) {
	switch prefix {
	case "npm:":
		l, err = r.npm(rest)
	case "builtin:":
		l, err = r.builtin(rest)
	case "jsr:":
		err = r.fail("scheme", "names a package of jsr.io, which is no npm registry",
			"if it holds skills, write npm:@jsr/SCOPE__NAME and configure the registry: [npm] \"@jsr\" = \"https://npm.jsr.io\"")
	case "https:", "http:", "ssh:", "file:", "oci:", "git+https:", "git+ssh:":
		err = r.fail("bad-url", "has a scheme without \"//\"", "write "+prefix+"//")
	default:
		host := shorthandHost(strings.TrimSuffix(prefix, ":"))
		if host == "" {
			return l, false, nil
		}
		l, err = r.shorthand(host, rest)
	}
	return l, true, err
}

// shorthandHost gives the host of a prefix such as "github" in "github:o/r".
func shorthandHost(prefix string) string {
	switch prefix {
	case "gh", "github":
		return "github.com"
	case "gl", "gitlab":
		return "gitlab.com"
	case "bb", "bitbucket":
		return "bitbucket.org"
	case "codeberg":
		return "codeberg.org"
	case "gist":
		return "gist.github.com"
	case "hf", "huggingface":
		return "huggingface.co"
	case "sourcehut", "srht":
		return "git.sr.ht"
	}
	return ""
}

// bare reads a text without scheme or prefix; first is what stands before the first slash.
func (r reader) bare(first string) (Locator, error) {
	if at := strings.LastIndex(first, "@"); at > 0 {
		before, after := first[:at], first[at+1:]
		switch {
		case strings.Contains(before, ":"):
			return Locator{}, r.credentials()
		case strings.Contains(after, ":"):
			return r.scp(before, r.text[at+1:])
		case before == "git" && strings.Contains(after, "."):
			return Locator{}, r.fail("bad-url", "lacks the colon behind its host", "write "+strings.Replace(redact(r.text), "/", ":", 1))
		case strings.Contains(after, "."):
			return Locator{}, r.credentials()
		}
	}
	switch {
	case portPattern.MatchString(r.text):
		return r.hostFirst()
	case scpPattern.MatchString(first):
		return r.scp("", r.text)
	case prefixPattern.MatchString(first):
		return Locator{}, r.fail("scheme", "has a scheme that is not supported", "write https:// or ssh://")
	case strings.Contains(first, ":"):
		return Locator{}, r.noShorthand(r.text)
	case strings.Contains(first, ".") && !strings.Contains(first, "@"):
		if _, archive := archiveName(r.text); first == r.text && (archive || isManifest(first)) {
			return Locator{}, r.fail("invalid-source", "looks like a file", "write ./"+first+" for a file in this directory")
		}
		return r.hostFirst()
	}
	return r.shorthand("github.com", r.text)
}

// credentials is the error that a password or a token in the text gets.
func (r reader) credentials() error {
	return r.fail("credentials", "carries credentials, which would end up in manifests and logs", "leave out what stands before \"@\" and set a token in the environment")
}

// finish brings the ref to its one form and checks it and the skill.
func (r reader) finish(l Locator) (Locator, error) {
	if strings.HasPrefix(l.Skill, "-") {
		return Locator{}, r.fail("invalid-source", "selects a skill by a name that begins with \"-\"", "name the skill by its path in the source")
	}
	if l.Kind != Git {
		return l, nil
	}
	if l.Ref == "HEAD" {
		l.Ref = ""
	}
	if l.Ref == "" {
		l.RefKind = AnyRef
	} else if kind := impliedKind(l.Ref); kind != AnyRef {
		l.RefKind = kind
	}
	if l.RefKind == CommitRef {
		l.Ref = strings.ToLower(l.Ref)
	}
	l.Ambiguous = l.Ambiguous && l.Ref != "" && l.Path != "" && l.RefKind != CommitRef
	if l.Ref != "" && !validRef(l.Ref, l.RefKind) {
		return Locator{}, r.fail("invalid-ref", fmt.Sprintf("names the ref %q, which git does not allow", redact(l.Ref)), "")
	}
	return l, nil
}
