package catalog

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// heap gives the bytes that are in use.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// allocated gives the bytes that a call allocates: work that can be counted.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// bomb is a front matter of nine lines whose aliases stand for nine to the power of nine values.
func bomb() string {
	text := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		text += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	return text
}

// Counted in bytes and values, since a machine may be slow: what is small to write costs little to refuse.
func TestHostileFrontMattersCostLittle(t *testing.T) {
	for name, front := range map[string]string{
		"bomb": bomb(), "nested lists": "a: " + strings.Repeat("[", 20_000), "nested mappings": "a: " + strings.Repeat("{a: ", 10_000),
		"nested blocks": nestedBlocks(300), "cut lists": "allowed-tools: [" + strings.Repeat("(a, b), ", 7_000) + "]",
		"many keys": manyKeys(10_000), "one key": strings.Repeat("x: 1\n", 12_000), "block of lines": "a: |\n" + strings.Repeat(" x\n", 20_000),
		"anchors": strings.Repeat("? &a b\n", 9_000), "quotes": "a: " + strings.Repeat("'", 60_000), "colons": strings.Repeat("a: ", 20_000),
		"dashes": strings.Repeat("- ", 30_000), "surrogates": "a: \"" + strings.Repeat(`\ud83d\udc1d`, 5_000),
	} {
		for _, profile := range []Profile{ProfileInstall, ProfileSpec, ProfileZidane} { // the three ways to read
			t.Run(name+"/"+string(profile), func(t *testing.T) {
				raw := []byte(document(ok2+"\n"+front, "x"))
				used := allocated(func() {
					_, findings, _ := Parse(raw, Rules{Profile: profile, UnknownKeys: true})
					if len(findings) > maxFindings {
						t.Errorf("%d findings", len(findings))
					}
				})
				if used > 20<<20 {
					t.Errorf("%d bytes of front matter allocate %d", len(front), used)
				}
			})
		}
	}
}

func nestedBlocks(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%x:\n", i)
	}
	return b.String()
}

func TestABombVisitsFewValues(t *testing.T) {
	masked, unmask := mask(bomb())
	root, err := singleDocument(masked)
	if err != nil {
		t.Fatal(err)
	}
	c := converter{unmask: unmask}
	if _, err := c.entries(root); err == nil || c.nodes > maxNodes+1 {
		t.Errorf("%d values, %v", c.nodes, err)
	}
}

func TestHostileFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"300,000 lines without a closing fence", "---\n" + strings.Repeat("a: 1\n", 300_000), "E(fence_unclosed)"},
		{"70,000 lines of front matter", "---\n" + strings.Repeat("a: 1\n", 70_000) + "---\n", "E(too_long frontmatter)"},
		{"NUL in the front matter", document(ok2+"\na: \x00", "x"), "E(not_text)"},
		{"the body holds NUL", document(ok2, "x\x00"), "E(not_text)"},
		{"no UTF-8", document(ok2+"\na: \xff", "x"), "E(not_text)"},
		{"the body is cut in a character", document(ok2, "x\xe2"), "E(not_text)"},
		{"UTF-16LE", "\xff\xfe-\x00-\x00-\x00", "E(not_text)"}, {"UTF-16BE", "\xfe\xff\x00-\x00-\x00-", "E(not_text)"},
		{"UTF-16 without a mark", "-\x00-\x00-\x00\n\x00", "E(not_text)"},
		{"line ends that are none", document(ok2, "x\u2028---\u0085---\f---\ny"), "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Split([]byte(c.text))
			if got := outcome(nil, err); got != c.want {
				t.Errorf("split: %v", err)
			}
			if _, got := parsed(c.text, Rules{Profile: ProfileSpec}); got != c.want {
				t.Errorf("parse: %s", got)
			}
			for _, profile := range profiles() {
				if skill, got := parsed(c.text, Rules{Profile: profile}); skill != nil && c.want != "ok" && !strings.Contains(c.name, "body") {
					t.Errorf("%s: %s", profile, got)
				}
			}
		})
	}
	_, err := Split([]byte(document(ok2, "x\xff")))
	if err == nil || !strings.Contains(err.Error(), "not UTF-8 from byte 44") {
		t.Errorf("no byte offset: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for i, seed := range []string{
		skill("pdf", "Reads PDFs."), string(doc("allowed-tools: Bash(npm: x)")), string(doc("a: &x [*x]")), string(doc("x: &t [a]\ntools: *t")),
		string(doc("hooks: {Stop: [{hooks: [{command: x}]}]}")), string(doc("a: \"\\ud83d\\udc1d\"\nb: \u2028")), string(bare("name: {{ x }}")),
		string(doc("metadata:\n  a: b\n c: d")), string(bare("name: a b\ndescription: \"a\" b \"c\"")), "---\r\nname: a:b\rdescription: |+\n  x\n\n---",
		string(doc("paths: [a, b]\nmodel: x\nrequired_scope: a")), string(bare("name: [a]\nname: {b: c}\nuser-invocable: \"true\"")),
		"\ufeff --- \n- a\n---\t\nx\x00", string(doc(bomb())),
	} {
		f.Add([]byte(seed), uint8(i))
	}
	f.Fuzz(func(t *testing.T, raw []byte, kind uint8) {
		rules := Rules{Profile: profiles()[int(kind)%6], BareNames: kind&64 > 0, UnknownKeys: kind&128 > 0}
		skill, findings, err := Parse(raw, rules)
		if (skill == nil) != (err != nil) || len(findings) > maxFindings {
			t.Fatalf("skill %v, error %v, %d findings", skill, err, len(findings))
		}
		lines := strings.Count(normalize(string(raw)), "\n") + 1
		for _, finding := range findings {
			if finding.Line < 0 || finding.Line > lines || finding.Message == "" || finding.Severity == "" {
				t.Errorf("finding %+v of %d lines", finding, lines)
			}
			if finding.Severity == SeverityError && err == nil {
				t.Errorf("usable with the fault %+v", finding)
			}
		}
		if err == nil {
			checkUsable(t, skill, rules)
		}
	})
}

// checkUsable holds what is true of every skill.
func checkUsable(t *testing.T, s *Skill, rules Rules) {
	t.Helper()
	if s.Name == "" && rules.Profile != ProfileZidane || s.Description == "" && rules.Profile != ProfileSkillKit || s.RequiredScope == nil {
		t.Errorf("usable without a name, a description or scopes: %+v", s)
	}
	if (rules.Profile == ProfileInstall || s.directory != "") && CheckName(s.directory) != nil {
		t.Errorf("%q is installed as %q", s.Name, s.directory)
	}
	if fault := rules.Profile.traits().grammar.fault(s.Name, rules.BareNames); fault != "" && rules.Profile != ProfileZidane {
		t.Errorf("%s takes the name %q, which %s", rules.Profile, s.Name, fault)
	}
	if !utf8.ValidString(s.Name) || !utf8.ValidString(s.Description) || !strings.Contains(s.Document, s.Body) {
		t.Errorf("%q, %q, or a body from elsewhere", s.Name, s.Description)
	}
}

func FuzzTools(f *testing.F) {
	for _, seed := range []string{"Read Grep", "Bash(a, b) Read", "Bash(git:* Read", " ,(,) ", "[a, b]", "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, profile := range profiles() {
			one, err := Rules{Profile: profile}.Tools(text)
			if err != nil || one == nil {
				t.Fatalf("%s: %q, %v", profile, one, err)
			}
			for _, tool := range one {
				if tool == "" || profile == ProfileClarvis && (strings.Contains(tool, ",") || tool != strings.TrimSpace(tool)) {
					t.Errorf("%s: entry %q", profile, tool)
				}
			}
			two, err := Rules{Profile: profile}.Tools([]string{text, "x"})
			if err == nil && two[len(two)-1] != "x" || len(two) > 2 {
				t.Errorf("%s: a list became %q", profile, two)
			}
		}
		if smarter, _ := (Rules{Profile: ProfileSmarter}).Tools(text); utf8.ValidString(text) && !slices.Equal(smarter, splitTools(text)) {
			t.Errorf("%q", smarter)
		}
	})
}

func FuzzReadFlat(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: x", "a:\n  - x\n- y", "m:\n  a: |2\n      x\n  b: >-\n    c", "a: \"x: y\" # z", "a: [b, c]\n# d\n\te: f", ":\n: x\n'a': b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, front string) {
		if len(front) > maxFrontBytes {
			return
		}
		lines := strings.Count(front, "\n") + 1
		for _, e := range readFlat(normalize(front)) {
			if e.key == "" || e.line < 1 || e.line > lines || e.node == nil {
				t.Errorf("%+v of %d lines", e, lines)
			}
			switch value := e.value.(type) {
			case nil, string, []any:
			case map[string]any:
				for _, below := range value {
					if _, ok := below.(string); !ok && below != nil {
						t.Errorf("%s holds %v", e.key, below)
					}
				}
			default:
				t.Errorf("%s is %T", e.key, value)
			}
		}
	})
}
