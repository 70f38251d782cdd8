package ui

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// Visible returns the text with everything that a terminal would obey or not show written as an escape of Go: control characters
// (\x1b), bidirectional controls (\u202e), zero-width and other format characters, fillers, tag characters (\U000e0041), supplementary
// variation selectors, unassigned and private characters, and bytes that are not UTF-8 (\xff). Newlines and tabs stay, "\r\n" becomes
// "\n". Joiners stay where scripts and emoji need them. The result is for people, not to be read back.
func Visible(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	before := rune(-1)
	for len(text) > 0 {
		r, size := decode(text)
		next, _ := decode(text[size:])
		switch {
		case r < 0:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\n' || r == '\t' || shows(before, r, next):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
			r = -1
		}
		before, text = r, text[size:]
	}
	return b.String()
}

// plain tells that a text is printable ASCII, the common case.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// decode is utf8.DecodeRuneInString with -1 for what is no character, since U+FFFD is one that a text may hold.
func decode(text string) (rune, int) {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size < 2 {
		return -1, size
	}
	return r, size
}

// escape writes a character as Go source would.
func escape(r rune) string {
	switch {
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// shows tells whether a character between two others is one that people see, or one that shapes its neighbours as it should. The one
// before is -1 at the beginning and after an escape.
func shows(before, r, next rune) bool {
	switch r {
	case 0x200c, 0x200d: // zero-width non-joiner and joiner
		return joins(before, r, next)
	case 0xfe0e, 0xfe0f: // text or emoji style of the character before
		return before > 0x7f && glyph(before) || strings.ContainsRune("#*0123456789", before)
	}
	return glyph(r)
}

// glyph tells whether a character is drawn, or is a blank that other characters may stand in for.
func glyph(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0: // letters, marks and a symbol without a shape
		return false
	}
	return !unicode.Is(unicode.Variation_Selector, r) && (unicode.IsPrint(r) || unicode.Is(unicode.Zs, r))
}

// joins tells whether a joiner stands where writing needs it: the joiner inside an emoji sequence (Unicode TR 51), both joiners
// between letters or marks of a script that has joining forms.
func joins(before, r, next rune) bool {
	if r == 0x200d && (before == 0xfe0f || unicode.In(before, unicode.So, unicode.Sk)) {
		return unicode.In(next, unicode.So, unicode.Sm) && glyph(next)
	}
	joining := []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Myanmar}
	return unicode.In(before, joining...) && unicode.In(next, joining...) && glyph(next)
}

// A run of white space that holds a line break or a tab.
var breaks = regexp.MustCompile(`[ \n\t]*[\n\t][ \n\t]*`)

// OneLine is [Visible] for a place where one line is due: white space that holds a line break or a tab becomes one blank.
func OneLine(text string) string {
	return breaks.ReplaceAllLiteralString(Visible(text), " ")
}

// Cut is [OneLine] cut to a number of columns, an ellipsis last. Wide characters count as two columns, combining ones as none.
func Cut(text string, columns int) string {
	text = OneLine(text)
	if lipgloss.Width(text) <= columns {
		return text
	}
	if columns < 2 {
		return "…"
	}
	return lipgloss.NewStyle().MaxWidth(columns-1).Render(text) + "…"
}
