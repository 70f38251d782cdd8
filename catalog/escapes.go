package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// escapes warns of characters in the front matter that obey or hide, where YAML escapes write them: a look at the bytes of the file does
// not see these. Of each kind the first in a key is told.
func (s *Skill) escapes(file string) (found []Finding) {
	keys := slices.SortedFunc(maps.Keys(s.Frontmatter), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Lines[a], s.Lines[b]), strings.Compare(a, b))
	})
	for _, key := range keys {
		told := map[string]bool{}
		for _, r := range textOf([]any{key, s.Frontmatter[key]}) {
			code := hiddenCode(r)
			if code == "" || told[code] || strings.ContainsRune(s.Document, r) {
				continue
			}
			told[code] = true
			found = append(found, Finding{code, SeverityWarning, file, s.Lines[key], fmt.Sprintf("%s holds the character U+%04X, written as an escape", key, r)})
		}
	}
	return found
}

// textOf joins all texts of a value, keys too, in one order.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(textOf(item))
		}
		return b.String()
	case map[string]any:
		var b strings.Builder
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(key + textOf(v[key]))
		}
		return b.String()
	}
	return ""
}

// hiddenCode gives the code of the finding about a character that terminals obey, that changes the order of others, or that nobody
// sees; "" for all others.
func hiddenCode(r rune) string {
	switch {
	case r >= 0xe0000 && r <= 0xe007f:
		return "hidden_text"
	case isBidi(r):
		return "bidi_control"
	case isControl(r):
		return "control_character"
	}
	return ""
}
