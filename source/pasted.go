package source

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxWraps bounds how many things a text is taken out of.
const maxWraps = 8

// unwrap takes a text out of what it was copied with: blanks, <…>, quotes, backticks and parentheses, a Markdown link, and the
// punctuation of the sentence around it.
func unwrap(text string) string {
	for range maxWraps {
		inner := strings.TrimSpace(unpunctuated(unlinked(unpaired(strings.TrimSpace(text)))))
		if inner == text {
			break
		}
		text = inner
	}
	return text
}

// unpaired cuts one pair of signs around a text. Where the second stands inside too, they are no pair.
func unpaired(text string) string {
	for _, pair := range [][2]string{{"<", ">"}, {"``", "``"}, {"`", "`"}, {`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}, {"(", ")"}} {
		inner, opened := strings.CutPrefix(text, pair[0])
		inner, closed := strings.CutSuffix(inner, pair[1])
		if opened && closed && !strings.Contains(inner, pair[1]) {
			return inner
		}
	}
	return text
}

// unlinked gives the address of a text that is one Markdown link: [text](address "title").
func unlinked(text string) string {
	rest := text[closing(text, '[', ']')+1:]
	if rest == text || rest == "" || closing(rest, '(', ')') != len(rest)-1 {
		return text
	}
	address := strings.TrimSpace(rest[1 : len(rest)-1])
	if before, title, found := strings.Cut(address, " "); found {
		if title = strings.TrimSpace(title); unpaired(title) != title {
			return before
		}
	}
	return address
}

// closing gives the place of the bracket that closes the one at the front; -1 where there is none.
func closing(text string, opener, closer rune) int {
	depth := 0
	for i, c := range text {
		switch c {
		case opener:
			depth++
		case closer:
			depth--
		}
		if depth == 0 {
			if i == 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

// unpunctuated cuts one sign of a sentence off the end of an address, or of what is wrapped. Dots that are a part of a path stay.
func unpunctuated(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if wrapped := strings.ContainsRune("<`\"'“‘([", first); text == "" || !wrapped && !isAddress(text) {
		return text
	}
	before, sign := text[:len(text)-1], text[len(text)-1:]
	switch {
	case strings.Contains(".,;!", sign) && !strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "/"),
		sign == ")" && strings.Count(before, ")") >= strings.Count(before, "("):
		return before
	}
	return text
}

// isAddress tells the texts at whose end a sign can be written as %XX, so that one that is there belongs to a sentence: no path of
// this machine, package or artifact, and nothing that git alone takes apart.
func isAddress(text string) bool {
	scheme, _, _ := strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case strings.Contains(text, " "), strings.ContainsAny(text[:min(1, len(text))], "/.~"), drivePattern.MatchString(text):
		return false
	case schemePattern.MatchString(text):
		return !slices.Contains([]string{"file", "oci"}, scheme)
	}
	first, _, _ := strings.Cut(text, "/")
	return !strings.Contains(first, ":") || shorthandHost(scheme) != ""
}

// sealed writes an address so that its last sign is not taken for one of the sentence around it.
func sealed(text string) string {
	if !isAddress(text) || unwrap(text) == text {
		return text
	}
	end := len(text) - 1
	return text[:end] + fmt.Sprintf("%%%02X", text[end])
}
