package tools

import (
	"fmt"
	"strings"
	"unicode"

	"skills/catalog"
)

// Form says what an entry of allowed-tools means.
type Form string

// The forms of an entry.
const (
	Whole     Form = "tool"      // Read: every call of the tool
	Prefix    Form = "prefix"    // Bash(git:*): calls whose text begins with the argument
	Exact     Form = "exact"     // Bash(git status): calls whose text is the argument
	Any       Form = "any"       // Bash(*), Bash(:*): a prefix of nothing
	Malformed Form = "malformed" // no call at all
)

// Entry is one entry of allowed-tools.
type Entry struct {
	Text     string // as written, without blanks around it
	Form     Form
	Tool     string // "" when malformed
	Argument string // of a prefix or an exact entry, as written
}

// Parse reads one entry. A star anywhere but at the end of the parentheses is a
// star, and so is one in place of a tool.
//
// A malformed entry has one finding, a warning "tool_format" without file and line:
// it is empty, names no tool, has nothing in its parentheses, or parentheses that do
// not pair up with the last one at the end.
func Parse(text string) (Entry, []catalog.Finding) {
	e := Entry{Text: strings.TrimSpace(text), Form: Malformed}
	open := strings.IndexByte(e.Text, '(')
	switch {
	case e.Text == "":
		return e.malformed("is empty")
	case open < 0 && strings.Contains(e.Text, ")"), open > 0 && closing(e.Text[open:]) != len(e.Text)-open-1:
		return e.malformed("has parentheses that do not pair up")
	case open == 0, open > 0 && strings.ContainsFunc(e.Text[:open], unicode.IsSpace):
		return e.malformed("names no tool in front of its parentheses")
	case open < 0:
		e.Form, e.Tool = Whole, e.Text
		return e, nil
	case strings.TrimSpace(e.Text[open+1:len(e.Text)-1]) == "":
		return e.malformed("has nothing in its parentheses")
	}
	e.Tool = e.Text[:open]
	e.Form, e.Argument = argument(e.Text[open+1 : len(e.Text)-1])
	return e, nil
}

// argument reads what stands in the parentheses.
func argument(text string) (Form, string) {
	prefix, starred := strings.CutSuffix(text, ":*")
	switch {
	case text == "*", starred && prefix == "":
		return Any, ""
	case starred:
		return Prefix, prefix
	}
	return Exact, text
}

// closing gives the place of the parenthesis that closes the one at the front, -1
// where there is none.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

func (e Entry) malformed(why string) (Entry, []catalog.Finding) {
	return e, []catalog.Finding{{
		Code: "tool_format", Severity: catalog.SeverityWarning, Message: fmt.Sprintf("%q %s and allows nothing", e.Text, why),
	}}
}
