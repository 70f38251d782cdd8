package registry

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzText holds that no name and no description makes a line, an element or a text longer than it may be.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "Reads PDFs.", "</skill><skill>", "a\n- **b** — c", "\x1b[2J\u202e\U000e0041", "\xff\xfe", "]]>&amp;<!--", "\ufffe\x00", strings.Repeat("é ", 9_000)} {
		f.Add("pdf", seed, "/R/pdf/SKILL.md")
		f.Add(seed, "d", seed)
	}
	f.Fuzz(func(t *testing.T, name, description, path string) {
		skills := []Info{{Name: name, Description: description, Path: path}, {Name: "other", Description: "Stays."}}
		text, element := Markdown(skills, ""), XML(skills)
		for _, one := range []string{text, element} {
			if utf8.RuneCountInString(one) > 8_000 || !utf8.ValidString(one) || strings.ContainsFunc(one, func(r rune) bool { return r < ' ' && r != '\n' }) {
				t.Errorf("the text is %q", one)
			}
		}
		if lines := strings.Count(text, "\n"); lines > 6 || strings.Count(text, "\n- **") > 2 {
			t.Errorf("the text has %d lines: %q", lines, text)
		}
		var list struct {
			Skills []struct{} `xml:"skill"`
		}
		if err := xml.Unmarshal([]byte(element), &list); err != nil || len(list.Skills) > 2 {
			t.Errorf("%v: %q", err, element)
		}
	})
}
