package registry

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func some(pairs ...string) []Info {
	var list []Info
	for at := 0; at < len(pairs); at += 2 {
		list = append(list, Info{Name: pairs[at], Description: pairs[at+1]})
	}
	return list
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct {
		name    string
		skills  []Info
		heading string
		want    string
	}{
		{"3.13-1", nil, "", ""},
		{"3.13-1 heading", nil, "# X", ""},
		{"3.13-2", some("pdf", "Reads."), "", "# Available skills\n\n- **pdf** — Reads.\n"},
		{"3.13-3 S1-43 default", some("b", "B.", "a", "A."), "", "# Available skills\n\n- **a** — A.\n- **b** — B.\n"},
		{"S1-43 heading", some("b", "B.", "a", "A."), "## X", "## X\n\n- **a** — A.\n- **b** — B.\n"},
		{"S1-43 order", some("b", "B.", "A", "1", "a", "2"), "", "# Available skills\n\n- **A** — 1\n- **a** — 2\n- **b** — B.\n"},
		{"S1-43 blanks", some("a", " two\n\n  lines\tand\r\n tabs "), "", "# Available skills\n\n- **a** — two lines and tabs\n"},
		{"hidden", some("a", "zero\u200bwidth \ufeff\u2060mark so\u00adft \u202eabc\u202c"), "", "# Available skills\n\n- **a** — zero width mark so ft abc\n"},
		{"joiners", some("a", "👩\u200d💻 می\u200cخواهم \u0600٣"), "", "# Available skills\n\n- **a** — 👩\u200d💻 می\u200cخواهم \u0600٣\n"},
		{"hostile", some("a", "x\x1b[2J\u202ey\u2028# z\u0085w\U000e0041\U000e0042v\xff"), "", "# Available skills\n\n- **a** — x [2J y # z w v\uFFFD\n"},
		{"hostile name", some("a\n# b", "d"), "", "# Available skills\n\n- **a # b** — d\n"},
		{"hostile emphasis", some("a\n- **x**", "d"), "", "# Available skills\n\n- **a - \\*\\*x\\*\\*** — d\n"},
		{"hostile signs", some("a`b</skill>[c](d)\\", "d"), "", "# Available skills\n\n- **a\\`b\\</skill>\\[c\\](d)\\\\** — d\n"},
		{"S1-43 plain signs", some("my_skill.v1:x-y", "Reads `a*` and <b> of **c**."), "", "# Available skills\n\n- **my_skill.v1:x-y** — Reads `a*` and <b> of **c**.\n"},
		{"nameless", some("", "d", " \n", "e"), "", ""},
		{"nameless beside another", some("", "d", "a", "e"), "# X\ny", "# X\ny\n\n- **a** — e\n"},
		{"long name", some(strings.Repeat("n", 20_000), "d", "o", "d"), "", "# Available skills\n\n- **" + strings.Repeat("n", 199) + "…** — d\n- **o** — d\n"},
		{"no description", some("a", "\n"), "", "# Available skills\n\n- **a**\n"},
		{"3.13-7", []Info{{Name: "off", Description: "d", Disabled: true}, {Name: "on", Description: "d"}}, "", "# Available skills\n\n- **on** — d\n"},
		{"3.13-7 all", []Info{{Name: "off", Description: "d", Disabled: true}}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.skills)
			if got := Markdown(c.skills, c.heading); got != c.want {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
			for at := range before {
				if before[at].Name != c.skills[at].Name {
					t.Error("the input is in another order")
				}
			}
		})
	}
}

func TestXML(t *testing.T) {
	for _, c := range []struct {
		name   string
		skills []Info
		want   string
	}{
		{"3.13-1", nil, ""},
		{"3.13-6", some("a", "A & B <c>"), "<available_skills>\n  <skill>\n    <name>a</name>\n    <description>A &amp; B &lt;c&gt;</description>\n  </skill>\n</available_skills>\n"},
		{"nameless", some("", "d"), ""},
		{"location", []Info{{Name: "a", Path: "/R/a b/SKILL.md"}}, "<available_skills>\n  <skill>\n    <name>a</name>\n    <location>/R/a b/SKILL.md</location>\n  </skill>\n</available_skills>\n"},
		{"hostile", some("a", "</description></skill><skill>\"'\x00\nx"), "<available_skills>\n  <skill>\n    <name>a</name>\n    <description>&lt;/description&gt;&lt;/skill&gt;&lt;skill&gt;&#34;&#39; x</description>\n  </skill>\n</available_skills>\n"},
		{"3.13-7", []Info{{Name: "off", Disabled: true}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := XML(c.skills); got != c.want {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestTextBounds holds both forms to 8,000 characters, whatever comes.
func TestTextBounds(t *testing.T) {
	list := func(count, length int, sign string) []Info {
		var skills []Info
		for n := range count {
			skills = append(skills, Info{Name: fmt.Sprintf("skill-%04d", n), Description: strings.Repeat(sign, length)})
		}
		return skills
	}
	forms := map[string]func([]Info) string{
		"Markdown": func(s []Info) string { return Markdown(s, "") }, "XML": XML,
		"heading": func(s []Info) string { return Markdown(s, strings.Repeat("h", 9_000)) },
	}
	for form, write := range forms {
		for _, c := range []struct{ count, length int }{{1, 100}, {1, 9_000}, {20, 1_024}, {100, 1_024}, {90, 0}, {512, 1_024}, {2_000, 3}} {
			for _, sign := range []string{"x", "<", "日"} {
				t.Run(fmt.Sprintf("3.13-8 S1-45 %s %d %d %s", form, c.count, c.length, sign), func(t *testing.T) {
					text := write(list(c.count, c.length, sign))
					size := utf8.RuneCountInString(text)
					if size > 8_000 || !utf8.ValidString(text) {
						t.Fatalf("the text has %d characters", size)
					}
					if form == "XML" {
						wellFormed(t, text)
					}
				})
			}
		}
	}
	t.Run("3.13-8 exact", func(t *testing.T) {
		frame := utf8.RuneCountInString(Markdown(some("a", "x"), "")) - 1
		fit := Markdown(some("a", strings.Repeat("é", 8_000-frame)), "")
		if utf8.RuneCountInString(fit) != 8_000 || strings.Contains(fit, "cut") {
			t.Error("what fits is cut")
		}
		over := Markdown(some("a", strings.Repeat("é", 8_001-frame)), "")
		if !strings.HasSuffix(over, "é…\n\nDescriptions are cut: this list has at most 8,000 characters.\n") || utf8.RuneCountInString(over) != 8_000 {
			t.Errorf("the text ends with %q", over[len(over)-200:])
		}
	})
	t.Run("3.13-8 descriptions first", func(t *testing.T) {
		text := Markdown(list(100, 1_024, "x"), "")
		if strings.Count(text, "- **skill-") != 100 || !strings.Contains(text, "skill-0099** — xx") || utf8.RuneCountInString(text) < 7_800 {
			t.Error("not all skills have a part of their description")
		}
		if short := Markdown(append(list(100, 1_024, "x"), some("short", "Stays.")...), ""); !strings.Contains(short, "- **short** — Stays.\n") {
			t.Error("a short description is cut")
		}
	})
	t.Run("3.13-8 tail", func(t *testing.T) {
		text := Markdown(list(1_000, 10, "x"), "")
		listed := strings.Count(text, "- **skill-")
		if want := fmt.Sprintf("\n%d more skills are not listed: this list has at most 8,000 characters.\n", 1_000-listed); !strings.HasSuffix(text, want) || listed < 450 || strings.Contains(text, " — ") {
			t.Errorf("%d skills are listed, the end is %q", listed, text[len(text)-100:])
		}
		if xml := XML(list(1_000, 10, "x")); !strings.HasSuffix(xml, "characters.</note>\n</available_skills>\n") {
			t.Errorf("the end is %q", xml[len(xml)-100:])
		}
	})
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"", 0, ""}, {"", 1, ""}, {"é", 0, ""}, {"é", 1, "é"}, {"éa", 1, "…"}, {"éab", 2, "é…"}, {"éab", 3, "éab"}, {"日本語", 2, "日…"}} {
		if got := cut(c.text, c.most); got != c.want {
			t.Errorf("%q to %d is %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	var list struct {
		Skills []struct {
			Name string `xml:"name"`
		} `xml:"skill"`
	}
	if err := xml.Unmarshal([]byte(text), &list); err != nil || len(list.Skills) == 0 || list.Skills[0].Name != "skill-0000" {
		t.Errorf("the text is no XML: %v, %+v", err, list)
	}
}
