package source

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds a text, in characters: what browsers and servers take for an address.
const maxText = 2048

// checkText refuses what no source can be, before anything is read into it.
func (r reader) checkText() error {
	switch {
	case r.text == "":
		return r.fail("empty", "is empty", "name a source, for instance owner/repo")
	case utf8.RuneCountInString(r.text) > maxText:
		return &Error{Kind: "too-long", Text: "…", Message: "source is longer than 2,048 characters", Hint: "name the repository or the directory alone"}
	}
	return r.checkChars(r.text)
}

// checkChars refuses control and bidirectional characters, which hide what a person
// would see, and bytes that are no text.
func (r reader) checkChars(s string) error {
	if !utf8.ValidString(s) {
		return r.fail("bad-encoding", "is not valid UTF-8", "")
	}
	if strings.ContainsFunc(s, hidden) {
		return r.fail("control-char", "holds a control character", "")
	}
	return nil
}

// hidden tells whether a character is a control, a line separator or one that turns the
// direction of text.
func hidden(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

var (
	slashlessPattern = regexp.MustCompile(`(?is)^((?:git\+)?(?:https?|ssh|git|ftp|oci):/?)[^/].*@`)
	userinfoPattern  = regexp.MustCompile(`//[^/?#]*@`)
	brokenPattern    = regexp.MustCompile(`(?s)//.*:.*@`)
	leadingPattern   = regexp.MustCompile(`^[^/?#]*@`)
	scopePattern     = regexp.MustCompile(`^(jsr:|(npm|pnpm|bun|yarn) (install|i|add)( -[A-Za-z-]+)* )@$`)
	queryPattern     = regexp.MustCompile(`\?[^#]*`)
	sshUserPattern   = regexp.MustCompile(`(?i)^((?:[^:/]* )?['"]?(?:git\+)?ssh://[a-z0-9_][a-z0-9._~+-]*)@`)
	scpUserPattern   = regexp.MustCompile(`(?i)^((?:[^:/]* )?['"]?[a-z0-9_][a-z0-9._~+-]*)@([^/@: ]+:[^0-9@][^@ ]*)($|[ '"])`)
)

// userSign stands for the "@" behind a user of ssh while a text is redacted. It is no character of a text.
const userSign = "\ufdd0"

// redact takes out of a text what may be a secret: all that stands before "@" in an
// authority (after a colon, up to the last "@" of all: a password may hold a slash),
// and the values of query parameters but those that are known to be harmless. The "@" of a
// scope of packages is none of these. The user of ssh is no secret: it stays where no password can follow it.
func redact(text string) string {
	text = sshUserPattern.ReplaceAllString(text, "${1}"+userSign)
	text = scpUserPattern.ReplaceAllString(text, "${1}"+userSign+"${2}${3}")
	if m := leadingPattern.FindString(text); m != "" && m != "@" && m != "git@" && !strings.HasPrefix(m, "npm:") && !scopePattern.MatchString(m) {
		text = "…@" + text[len(m):]
	}
	text = slashlessPattern.ReplaceAllString(text, "$1…@")
	text = brokenPattern.ReplaceAllString(text, "//…@")
	text = userinfoPattern.ReplaceAllString(text, "//…@")
	text = queryPattern.ReplaceAllStringFunc(text, redactQuery)
	return strings.ReplaceAll(text, userSign, "@")
}

// redactQuery hides the values of unknown parameters in "?a=b&c=d".
func redactQuery(query string) string {
	fields := strings.Split(query[1:], "&")
	for i, field := range fields {
		if key, _, found := strings.Cut(field, "="); !found && key != "" {
			fields[i] = "…"
		} else if !harmless(key) {
			fields[i] = key + "=…"
		}
	}
	return "?" + strings.Join(fields, "&")
}

// harmless tells whether a query parameter says where on a page one is and no secret.
func harmless(key string) bool {
	switch key {
	case "", "ref", "ref_type", "at", "version", "path", "plain", "raw", "tab", "inline", "download", "lines", "recursive", "format", "_a":
		return true
	}
	return false
}

// parts splits a raw path at its slashes, drops empty parts and decodes each once.
func (r reader) parts(path string) ([]string, error) {
	var parts []string
	for raw := range strings.SplitSeq(path, "/") {
		if raw == "" {
			continue
		}
		part, err := r.unescape(raw)
		if err == nil {
			err = r.checkPart(part)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// unescape decodes percent signs once.
func (r reader) unescape(raw string) (string, error) {
	text, err := url.PathUnescape(raw)
	if err != nil {
		return "", r.fail("bad-encoding", "holds a percent sign that no two hex digits follow", "write a percent sign as %25")
	}
	return text, nil
}

// checkPart refuses parts of a path that lead elsewhere. A slash that was encoded is left
// to the caller: it is right in a ref.
func (r reader) checkPart(part string) error {
	if err := r.checkChars(part); err != nil {
		return err
	}
	if strings.Contains(part, `\`) {
		return r.fail("path-escape", "holds a backslash in its path", "")
	}
	for name := range strings.SplitSeq(part, "/") {
		if name == "" || name == "." || name == ".." {
			return r.fail("path-escape", "leads out of its path with an empty part, \".\" or \"..\"", "")
		}
	}
	return nil
}

// escape joins decoded parts for an address.
func escape(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return strings.Join(escaped, "/")
}

// escapePath encodes a path, slashes kept.
func escapePath(path string) string { return escape(strings.Split(path, "/")...) }

// archiveName gives a name without its archive suffix, and whether there was one.
func archiveName(name string) (string, bool) {
	lower := strings.ToLower(name)
	for _, suffix := range []string{".tar.gz", ".tgz", ".tar", ".zip", ".skill"} {
		if strings.HasSuffix(lower, suffix) && len(name) > len(suffix) {
			return name[:len(name)-len(suffix)], true
		}
	}
	return name, false
}

// otherArchive gives the suffix of an archive in a format that is not read, "" for other names.
func otherArchive(name string) string {
	lower := strings.ToLower(name)
	for _, suffix := range []string{".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz", ".tar.zst", ".tzst", ".tar.lz", ".tar.z", ".tar.br", ".7z", ".rar"} {
		if strings.HasSuffix(lower, suffix) && len(name) > len(suffix) {
			return name[len(name)-len(suffix):]
		}
	}
	return ""
}

// unsupportedArchive is the error for the name of an archive that is not read.
func (r reader) unsupportedArchive(name string) error {
	return r.fail("unsupported-archive", "names an archive in the format "+strings.ToLower(otherArchive(name)),
		"archives are read as tar, tar.gz, tgz, zip and skill: pack it anew, or name the repository")
}

// isManifest tells whether a file name is SKILL.md, without regard to case.
func isManifest(name string) bool { return strings.EqualFold(name, "SKILL.md") }

// last gives the last part, "" of none.
func last(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// skip drops words off the front of the parts, if they stand there.
func skip(parts []string, words ...string) []string {
	if len(parts) >= len(words) && slices.Equal(parts[:len(words)], words) {
		return parts[len(words):]
	}
	return parts
}
