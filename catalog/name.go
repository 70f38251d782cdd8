package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"skills/source/names"
)

const maxPath = 1024 // bytes of a path below a skill

var (
	specName       = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	nameSegment    = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	namespacedName = regexp.MustCompile(`^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$`)
)

func unsafe(at, format string, args ...any) *Error {
	return &Error{Kind: "unsafe_name", At: at, Message: fmt.Sprintf("%q %s", at, fmt.Sprintf(format, args...))}
}

// CheckName says whether a name can be one part of a path on every system: not
// empty, at most 255 bytes of UTF-8 in normal form C, no separator, control or
// bidi character, no sign that Windows reserves, no dot or hyphen in front, no
// dot or blank behind, no device name. The error is an *Error "unsafe_name".
func CheckName(name string) error {
	if why := nameFault(name); why != "" {
		return unsafe(name, "%s", why)
	}
	return nil
}

func nameFault(name string) string { return inWords(name, names.Check(name)) }

// windowsFault says what keeps a path part from being a file name on Windows.
func windowsFault(part string) string { return inWords(part, names.CheckWindows(part)) }

// inWords says what a check has against a name as the errors and findings of this package do.
func inWords(name string, err error) string {
	switch err {
	case nil:
		return ""
	case names.Empty:
		return "is empty"
	case names.Hidden, names.Option:
		return "begins with a dot or a hyphen"
	case names.Control:
		return "holds control or bidirectional characters"
	case names.Sign, names.Backslash:
		if strings.Contains(name, "/") {
			return "holds a slash"
		}
		return `holds one of < > : " \ | ? *`
	case names.End:
		return "ends in a dot or a blank"
	case names.Device:
		return "is the name of a Windows device"
	}
	return err.Error()
}

// CheckPath says whether a slash separated path may be written below a skill:
// relative, clean, never upwards, at most 1,024 bytes with parts of at most 255,
// valid UTF-8 without control characters or backslashes, and no part that any
// file system takes for .git. The error is an *Error, "path_escape" for a path
// that leaves the skill, else "unsafe_name".
func CheckPath(path string) error {
	err := names.CheckBelow(path)
	switch {
	case path == "" || len(path) > maxPath:
		return unsafe(path, "is empty or longer than %d bytes", maxPath)
	case err == nil:
		return nil
	}
	switch err {
	case names.Absolute:
		return &Error{Kind: "path_escape", At: path, Message: fmt.Sprintf("%q is absolute", path)}
	case names.Up:
		return &Error{Kind: "path_escape", At: path, Message: fmt.Sprintf("%q leaves the skill", path)}
	case names.Empty, names.Here, names.Long:
		return unsafe(path, "has a part that is empty, a dot or longer than 255 bytes")
	case names.Control:
		return unsafe(path, "holds control characters")
	case names.Backslash:
		return unsafe(path, "holds a backslash")
	}
	return unsafe(path, "%s", err)
}

// DirectoryName gives the directory that a skill of this name is installed
// under. A safe name stays as it is written; `ns:base` becomes ns-base; other
// titles become a slug of lower case letters of any script. Names that break the
// naming rule of the specification (a to z, 0 to 9, single hyphens, at most 64
// characters) carry warnings.
//
// The error is an *Error: "unsafe_name" for names that climb, are absolute,
// carry bidi, control or look-alike width characters, or leave nothing;
// "invalid_skill" with reason name_format for colons that separate no namespace.
func DirectoryName(name string) (string, []Finding, error) {
	name = strings.TrimSpace(name)
	if err := refuseName(name); err != nil {
		return "", nil, err.advise(betterName)
	}
	dir := name
	if namespacedName.MatchString(name) {
		dir = strings.Replace(name, ":", "-", 1)
	} else if !writtenSafe(name) {
		dir = slug(name)
	}
	if why := nameFault(dir); why != "" {
		return "", nil, unsafe(name, "cannot name a directory: %q %s", dir, why).advise(betterName)
	}
	return dir, nameFindings(name, dir), nil
}

// refuseName holds what no slug may make harmless, since somebody meant harm or
// nobody can tell what was meant.
func refuseName(name string) *Error {
	switch {
	case name == "" || name == "." || name == "..":
		return unsafe(name, "is no name")
	case strings.ContainsFunc(name, unprintable) || !utf8.ValidString(name):
		return unsafe(name, "holds control or bidirectional characters")
	case name[0] == '/' || strings.Contains(name, `\`) || strings.Contains("/"+name+"/", "/../"):
		return unsafe(name, "is a path, not a name")
	case strings.HasSuffix(name, "."):
		return unsafe(name, "ends in a dot")
	case strings.ContainsFunc(name, otherWidth):
		return unsafe(name, "looks like %q and is not", norm.NFKC.String(name))
	case strings.Contains(name, ":") && !strings.Contains(name, " ") && !namespacedName.MatchString(name):
		return &Error{Kind: "invalid_skill", Reason: "name_format", At: "name",
			Message: fmt.Sprintf("name %q has a colon that separates no namespace from a name", name)}
	}
	return nil
}

// unprintable covers what nobody sees in a name and nobody leaves out by chance.
func unprintable(r rune) bool { return unicode.IsControl(r) || isBidi(r) }

// otherWidth covers letters and digits that are only another drawing of plain
// ones, such as full-width Latin.
func otherWidth(r rune) bool {
	plain := norm.NFKC.String(string(r))
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && len(plain) > 0 && plain[0] < utf8.RuneSelf && r >= utf8.RuneSelf
}

// writtenSafe says whether a name can stand as a directory without a change.
func writtenSafe(name string) bool {
	return nameFault(name) == "" && !strings.ContainsFunc(name, func(r rune) bool { return !slugRune(r) })
}

func slugRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || strings.ContainsRune("-_.", r)
}

// slug keeps letters and digits of any script in lower case and turns each run
// of other characters into one hyphen.
func slug(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFC.String(name)) {
		if !slugRune(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return norm.NFC.String(strings.Trim(b.String(), "-."))
}

func nameFindings(name, dir string) []Finding {
	var list []Finding
	warn := func(code, format string, args ...any) {
		list = append(list, Finding{Code: code, Severity: SeverityWarning, Message: fmt.Sprintf(format, args...)})
	}
	if !specName.MatchString(name) {
		message := fmt.Sprintf("name %q breaks the naming rule (a to z, 0 to 9, single hyphens)", name)
		if dir != name {
			message += fmt.Sprintf("; it is installed as %q", dir)
		}
		warn("name_format", "%s", message)
	}
	if n := utf8.RuneCountInString(name); n > 64 {
		warn("too_long", "name has %d characters, more than 64", n)
	}
	if odd := strangers(name); odd != "" {
		warn("mixed_scripts", "name %q mixes alphabets that look alike:%s", name, odd)
	}
	return list
}

// strangers lists the Cyrillic and Greek letters of a name that has Latin ones.
func strangers(name string) string {
	latin, odd := false, ""
	for _, r := range name {
		latin = latin || unicode.Is(unicode.Latin, r)
		if unicode.In(r, unicode.Cyrillic, unicode.Greek) {
			odd += fmt.Sprintf(" %c is U+%04X", r, r)
		}
	}
	if !latin {
		return ""
	}
	return odd
}
