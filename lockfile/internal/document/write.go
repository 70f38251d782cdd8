package document

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// bare is a name that needs no quotes (TOML 1.0, "Keys").
var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Key writes one part of a name, in quotes when it needs them.
func Key(name string) string {
	if bare.MatchString(name) {
		return name
	}
	return Quote(name)
}

// Quote writes a string on one line. What cannot be seen is written as an escape.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
	}
	b.WriteByte('"')
	return b.String()
}

// QuoteLines writes a string over several lines that end with lineEnd, its text as it is but for quotes, backslashes and control
// characters.
func QuoteLines(s, lineEnd string) string {
	var b strings.Builder
	b.WriteString(`"""` + lineEnd)
	quotes := 0
	for i, r := range s {
		if r != '"' {
			quotes = 0
		} else if quotes++; quotes == 3 || i == len(s)-1 {
			b.WriteByte('\\') // three would end the string, and one at the end is hard to read
			quotes = 0
		}
		switch {
		case r == '\n':
			b.WriteString(lineEnd)
		case r == '\\':
			b.WriteString(`\\`)
		case r != '\t' && unicode.IsControl(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(`"""`)
	return b.String()
}

// escape writes a character by its number, or by its letter for the three that people know.
func escape(r rune) string {
	switch r {
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if r > 0xFFFF {
		return fmt.Sprintf(`\U%08X`, r)
	}
	return fmt.Sprintf(`\u%04X`, r)
}
