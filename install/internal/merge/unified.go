package merge

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// Unified returns what makes the new text out of the old one as a unified diff with three lines of context, which `git apply` and
// `patch -p1` take. It is nil for equal texts, and so also for an empty file that comes or goes.
//
// The names are paths with "/", shown below a/ and b/; "" is a file that does not exist. Names with signs that would break or
// forge a line are quoted as git quotes them. Of data that is [Binary], and of texts with more than 100,000 lines, one line says
// that they differ, as diff(1) does; no program can apply it.
func Unified(oldName, newName string, old, new []byte) []byte {
	if bytes.Equal(old, new) {
		return nil
	}
	from, to := sideName("a/", oldName), sideName("b/", newName)
	switch {
	case Binary(old) || Binary(new):
		return fmt.Appendf(nil, "Binary files %s and %s differ\n", from, to)
	case tooLong(old) || tooLong(new):
		return fmt.Appendf(nil, "Files %s and %s differ\n", from, to)
	}
	const headers = 3 // "diff a b", "--- a", "+++ b"
	hunks := bytes.SplitAfterN(diff.Diff("a", old, "b", new), []byte("\n"), headers+1)[headers]
	return fmt.Appendf(nil, "--- %s\n+++ %s\n%s", ended(from), ended(to), hunks)
}

// sideName returns a name as diffs have it.
func sideName(prefix, name string) string {
	if name == "" {
		return "/dev/null"
	}
	name = prefix + name
	if !strings.ContainsFunc(name, needsQuotes) {
		return name
	}
	var quoted strings.Builder
	for len(name) > 0 {
		r, size := utf8.DecodeRuneInString(name)
		switch {
		case r == '"' || r == '\\':
			quoted.WriteString(`\` + name[:size])
		case needsQuotes(r):
			for _, b := range []byte(name[:size]) {
				fmt.Fprintf(&quoted, `\%03o`, b)
			}
		default:
			quoted.WriteString(name[:size])
		}
		name = name[size:]
	}
	return `"` + quoted.String() + `"`
}

// needsQuotes tells whether a sign cannot stand in a header as it is: what terminals and programs do not print (control and
// direction signs among them, and bytes that are no character), and what quoting itself uses.
func needsQuotes(r rune) bool {
	return r == '"' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r)
}

// ended returns a name as a header has it: behind one with a blank stands a tab, for programs that look for a time there.
func ended(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}
