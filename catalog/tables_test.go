package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	differ "github.com/google/go-cmp/cmp"
)

// How fences are told by Split, and what each profile makes of them. A row without a frontmatter has a reason alone.
func TestFenceRows(t *testing.T) {
	const unclosed = "fence_unclosed"
	yes, no, none := map[Profile]string{}, "E(frontmatter_missing)", "none"
	open := map[Profile]string{"": "E(fence_unclosed)", ProfileZidane: "E(missing_field description)"}
	absent := map[Profile]string{"": no, ProfileClarvis: "E(missing_field name)", ProfileZidane: "E(missing_field description)"}
	empty := map[Profile]string{"": "E(missing_field name)", ProfileSmarter: "E(not_a_mapping)", ProfileZidane: "E(missing_field description)"}
	blanks := map[Profile]string{ProfileSpec: no, ProfileSkillKit: no, ProfileSmarter: no}
	for _, c := range []struct {
		row             int
		in, front, body string
		want            map[Profile]string // "" for the profiles that have no entry of their own, "ok" where nothing is named
	}{
		{1, "---\na: 1\n---\nB", "a: 1", "B", yes},
		{2, "---\r\na: 1\r\n---\r\nB\r\n", "a: 1", "B", yes},
		{3, "---\ra: 1\r---\rB\r", "a: 1", "B", map[Profile]string{ProfileSkillKit: no, ProfileClarvis: no}},
		{4, "\ufeff---\na: 1\n---\nB", "a: 1", "B", yes},
		{5, "\ufeff\ufeff---\na: 1\n---\nB", "a: 1", "B", yes},
		{6, "\n---\na: 1\n---\nB", "a: 1", "B", blanks},
		{7, "  ---\na: 1\n---\nB", "a: 1", "B", blanks},
		{8, "--- \t\na: 1\n---  \nB", "a: 1", "B", map[Profile]string{ProfileSkillKit: "E(fence_unclosed)", ProfileClarvis: "E(fence_unclosed)"}},
		{9, "---\na: 1\n ---\nB", unclosed, "", open},
		{10, "---\na: 1\n---x\nB", unclosed, "", open},
		{11, "---\na: 1\n----\nB", unclosed, "", open},
		{12, "---\na: 1\n...\nB", unclosed, "", open},
		{13, "---\na: 1\n---", "a: 1", "", yes},
		{14, "---\na: 1\n---\n", "a: 1", "", yes},
		{15, "---\na: 1\n", unclosed, "", open},
		{16, "---\n---\nB", "", "B", empty},
		{17, "---\n\n---\nB", "", "B", empty},
		{18, "---\n# c\n---\nB", "# c", "B", empty},
		{19, "---", unclosed, "", open},
		{21, "--- hello\nB", unclosed, "", open},
		{22, "---a: 1\n---\nB", unclosed, "", open},
		{23, "just text", none, "", absent},
		{24, "text\n---\na: 1\n---\nB", none, "", absent},
		{25, "a: 1\n---\nB", none, "", absent},
		{26, "", none, "", absent},
		{27, "  \n", none, "", absent},
		{28, "---\na: 1\n---\nx\n\n---\n\ny", "a: 1", "x\n\n---\n\ny", yes},
		{29, "---\na: 1\n---\n---\nb: 2\n---\nB", "a: 1", "---\nb: 2\n---\nB", yes},
		{30, "---\na: |\n  ---\n  t\n---\nB", "a: |\n  ---\n  t", "B", map[Profile]string{"": "E(missing_field name)", ProfileZidane: "E(missing_field description)"}},
		{32, "+++\na=1\n+++\nB", none, "", absent},
		{33, "<!-- c -->\n---\na: 1\n---\nB", none, "", absent},
		{34, "---\na: 1\n---\u2028B", unclosed, "", open},
		{35, "---\na: 1\n\u2014\u2014\u2014\nB", unclosed, "", open},
		{36, "\u200b---\na: 1\n---\nB", none, "", absent},
	} {
		t.Run(fmt.Sprintf("3.1-%d", c.row), func(t *testing.T) {
			splitRow(t, c.in, c.front, c.body)
			for _, profile := range profiles() {
				want, own := c.want[profile]
				if !own {
					want = c.want[""]
				}
				fenceRow(t, c.in, profile, cmp.Or(want, "ok"), c.body)
			}
		})
	}
}

func splitRow(t *testing.T, in, front, body string) {
	t.Helper()
	d, err := Split([]byte(in))
	switch {
	case front == "fence_unclosed":
		if outcome(nil, err) != "E(fence_unclosed)" {
			t.Errorf("split: %v", err)
		}
	case err != nil:
		t.Errorf("split: %v", err)
	case front == "none":
		if d.Has || d.Front != "" || d.Body != strings.TrimPrefix(in, "\ufeff") {
			t.Errorf("split: %+v", d)
		}
	case !d.Has || d.Front != front || strings.Trim(d.Body, "\n") != body:
		t.Errorf("split: %+v", d)
	}
}

// fenceRow puts a name and a description in place of "a: 1", so that a skill comes of what is split well.
func fenceRow(t *testing.T, in string, profile Profile, want, body string) {
	t.Helper()
	in = strings.Replace(in, "\na: 1", "\nname: x:y\ndescription: d", 1)
	in = strings.Replace(in, "\ra: 1", "\rname: x:y\rdescription: d", 1)
	if profile != ProfileSkillKit {
		in = strings.Replace(in, "x:y", "x", 1)
	}
	skill, got := parsed(in, Rules{Profile: profile})
	got, _, _ = strings.Cut(got, " E(")
	got = strings.TrimSuffix(got, " W(name_defaulted)")
	if profile == ProfileInstall && (strings.HasPrefix(in, " ") || strings.HasPrefix(in, "\n")) && want == "ok" {
		want = "ok W(leading_whitespace)"
	}
	if got != want {
		t.Errorf("%s: got %s, want %s", profile, got, want)
	}
	if skill != nil && skill.BodyTrimmed() != body {
		t.Errorf("%s: body %q, want %q", profile, skill.Body, body)
	}
}

// What a line of the front matter becomes. The fields name and description that it lacks are added.
func TestYAMLRows(t *testing.T) {
	bomb := "x0: &x0 [a,a,a,a,a,a,a,a,a]\n"
	for i := 1; i <= 9; i++ {
		bomb += fmt.Sprintf("x%d: &x%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*x%d,", i-1), 9), ","))
	}
	const yaml, unknown = "E(yaml frontmatter)", "E(invalid_field a)"
	all := func(want string) [6]string { return [6]string{want, want, want, want, want, want} }
	extra := [6]string{"ok", unknown, "ok", "ok", "ok", "ok"}
	fault := [6]string{yaml, yaml, yaml, yaml, yaml, "ok"}
	repaired := [6]string{"ok W(yaml_repaired)", yaml, yaml, yaml, yaml, "ok"}
	emoji := strings.Repeat("🐝", 512) + strings.Repeat("語", 512)
	for _, c := range []struct {
		row, front string
		want       [6]string
		field      string // to look at in Frontmatter, where there is a skill
		value      any
	}{
		{"1", "a: yes", extra, "a", "yes"}, {"2", "a: on", extra, "a", "on"},
		{"3", "user-invocable: true", [6]string{"ok", "E(invalid_field user-invocable)", "ok", "ok", "ok", "ok"}, "", nil},
		{"4", `user-invocable: "true"`, [6]string{"ok W(type_coerced)", "E(invalid_field user-invocable)", "ok", "E(invalid_field user-invocable)", "ok", "ok"}, "", nil},
		{"5", "version: 1.0", [6]string{"ok I(type_coerced)", "E(invalid_field version)", "ok", "E(invalid_field version)", "ok", "ok"}, "version", "1.0"},
		{"6", "version: 1.10", [6]string{"ok I(type_coerced)", "E(invalid_field version)", "ok", "E(invalid_field version)", "ok", "ok"}, "version", "1.10"},
		{"9", "a: 12:30:45", extra, "a", "12:30:45"}, {"10", "a: 0o17", extra, "a", "0o17"}, {"10", "a: 017", extra, "a", "017"},
		{"11", "a: 1_000", extra, "a", "1_000"}, {"12", "a: 1e3", extra, "a", "1e3"},
		{"13", "name: 123", [6]string{"ok W(type_coerced)", "E(invalid_field name)", "E(invalid_field name) E(name_format)", "E(invalid_field name)", "E(invalid_field name)", "ok"}, "name", "123"},
		{"15", "name: null", [6]string{"E(missing_field name)", "E(missing_field name)", "E(missing_field name)", "E(missing_field name)", "E(missing_field name)", "ok"}, "", nil},
		{"16", `name: "null"`, [6]string{"ok", "ok", "E(name_format name)", "ok", "ok", "ok"}, "name", "null"},
		{"17", "description: a: b", repaired, "description", "a: b"},
		{"18", "description: Use when: x # y", fault, "description", "Use when: x"},
		{"19", "description: 'it''s'", all("ok"), "description", "it's"},
		{"20", "description: [a, b]", [6]string{"E(invalid_field description)", "E(invalid_field description)", "E(invalid_field description)",
			"E(invalid_field description)", "E(invalid_field description)", "ok"}, "description", "[a, b]"},
		{"21", "description: @x", repaired, "description", "@x"}, {"21", "description: `x`", repaired, "description", "`x`"},
		{"21", "description: %x", repaired, "description", "%x"},
		{"22", "allowed-tools: *", fault, "allowed-tools", "*"},
		{"23", "allowed-tools: Bash(npm: x), Read", repaired, "allowed-tools", "Bash(npm: x), Read"},
		{"24", "argument-hint: [file]", [6]string{"ok W(type_coerced)", "E(invalid_field argument-hint)", "ok", "E(invalid_field argument-hint)", "ok", "ok"}, "", nil},
		{"25", "argument-hint: [file] [pages]", [6]string{"ok W(yaml_repaired)", yaml, yaml, yaml, yaml, "ok"}, "argument-hint", "[file] [pages]"},
		{"26", "argument-hint: <file> [pages]", [6]string{"ok", "E(invalid_field argument-hint)", "ok", "ok", "ok", "ok"}, "argument-hint", "<file> [pages]"},
		{"27", "a: 1\na: 2", [6]string{"ok W(duplicate_key)", "E(yaml a) E(unknown_key)", "ok W(duplicate_key)", "E(yaml a)", "ok W(duplicate_key)", "ok W(duplicate_key)"}, "a", "2"},
		{"28", "Name: b", [6]string{"ok W(unknown_key)", "E(invalid_field Name)", "ok W(unknown_key)", "ok W(unknown_key)", "ok W(unknown_key)", "ok W(unknown_key)"}, "name", nil},
		{"29", "<<: {name: x}", [6]string{"ok W(unknown_key)", "E(invalid_field <<)", "ok W(unknown_key)", "ok W(unknown_key)", "ok W(unknown_key)", "ok W(unknown_key)"}, "name", nil},
		{"31", bomb, fault, "", nil}, {"32", "a: &x [*x]", fault, "a", "&x [*x]"},
		{"34", "a: " + strings.Repeat("[", 20_000), fault, "", nil},
		{"34", "a: " + strings.Repeat("[", 33) + strings.Repeat("]", 33), fault, "", nil},
		{"35", "a: !!python/object/apply:os.system [x]", fault, "", nil}, {"36", "a: !foo x", fault, "a", "!foo x"},
		{"37", "a: !!binary aGk=", fault, "a", "!!binary aGk="}, {"38", "a:\n\tb: 1", fault, "", nil},
		{"39", "1: x\ntrue: y\n~: z", [6]string{"ok", "E(invalid_field 1) E(unknown_key) E(unknown_key)", "ok", "ok", "ok", "ok"}, "true", "y"},
		{"40", "? [1,2]\n: v", fault, "", nil},
		{"46", "description: |2\n    x", all("ok"), "description", "  x\n"},
		{"47", "name: |\n  pdf", [6]string{"ok W(name_whitespace)", "ok W(name_whitespace)", "E(name_format name) W(name_whitespace)", "ok",
			"ok W(name_whitespace)", "ok W(name_whitespace)"}, "", nil},
		{"48", `description: ""`, all("E(missing_field description)"), "", nil},
		{"48", `description: "  "`, [6]string{"E(missing_field description)", "E(missing_field description)", "ok W(blank_description)",
			"E(missing_field description)", "E(missing_field description)", "E(missing_field description)"}, "description", "  "},
		{"49", `description: "a\u0000b"`, all("E(invalid_field description)"), "", nil},
		{"50", `description: "\x1b[31mred"`, all("ok"), "description", "\x1b[31mred"},
		{"51", `name: "p\u202Edf"`, [6]string{"E(unsafe_name)", "E(name_format name)", "E(name_format name)", "E(name_format name)", "E(name_format name)",
			"ok W(name_format) W(unsafe_name)"}, "", nil},
		{"53", "metadata: text", [6]string{"ok I(invalid_field)", "E(invalid_field metadata)", "ok", "ok", "E(invalid_field metadata)", "ok W(invalid_field)"}, "metadata", "text"},
		{"54", "tools: Read\nallowed-tools: ~", [6]string{"ok W(invalid_field)", "E(invalid_field tools)", "ok", "E(invalid_field allowed-tools)", "ok", "ok"}, "", nil},
		{"55", "license: a\r\nmetadata:\r\n  b: c\r", all("ok"), "license", "a"},
		{"56", "description: " + emoji, all("ok"), "description", emoji},
		{"56", "description: x" + emoji, [6]string{"ok W(too_long)", "E(too_long description)", "ok", "ok", "E(too_long description)", "ok W(too_long)"}, "", nil},
	} {
		for i, profile := range profiles() {
			t.Run("3.2-"+c.row+"/"+string(profile), func(t *testing.T) {
				front := "\n" + c.front
				if !strings.Contains(front, "\nname:") {
					front = map[bool]string{true: "\nname: a:b", false: "\nname: pdf"}[profile == ProfileSkillKit] + front
				}
				if !strings.Contains(front, "\ndescription:") {
					front += "\ndescription: d"
				}
				skill, got := parsed(document(front[1:], "x"), Rules{Profile: profile})
				if got != c.want[i] {
					t.Fatalf("%.100q: got %s, want %s", front, got, c.want[i])
				}
				if skill != nil && c.value != nil {
					if diff := differ.Diff(c.value, skill.Frontmatter[c.field]); diff != "" {
						t.Error(diff)
					}
				}
			})
		}
	}
}

// v is valid; each profile has its own grammar. The last column is the directory of an install.
func TestNameRows(t *testing.T) {
	for _, c := range []struct {
		row, name                              string
		skillkit, bare, clarvis, smarter, spec bool
		directory                              string
	}{
		{"1", "pdf", false, true, true, true, true, "pdf"},
		{"2", "files:summarize", true, true, false, false, false, "files-summarize W(name_format)"},
		{"3", "PDF-Tools", false, false, true, false, false, "PDF-Tools W(name_format)"},
		{"4", "pdf_tools", false, true, true, false, false, "pdf_tools W(name_format)"},
		{"6", "1-2-3", false, false, true, true, true, "1-2-3"},
		{"8", "pdf-", false, true, true, false, false, "pdf- W(name_format)"},
		{"9", "pdf--x", false, true, true, false, false, "pdf--x W(name_format)"},
		{"10", ".", false, false, true, false, false, "E(unsafe_name)"},
		{"10", "..", false, false, true, false, false, "E(unsafe_name)"},
		{"12", `a\b`, false, false, false, false, false, "E(unsafe_name)"},
		{"12", "../x", false, false, false, false, false, "E(unsafe_name)"},
		{"12", "/etc", false, false, false, false, false, "E(unsafe_name)"},
		{"12", "a/b", false, false, false, false, false, "a-b W(name_format)"}, // as titles such as SSL/TLS are
		{"13", "a b", false, false, false, false, false, "a-b W(name_format)"},
		{"17", "データ", false, false, false, false, false, "データ W(name_format)"},
		{"18", "ＰＤＦ", false, false, false, false, false, "E(unsafe_name)"},
		{"19", "\u0440df", false, false, false, false, false, "\u0440df W(name_format) W(mixed_scripts)"}, // both forms are shown
		{"20", "a:b:c", false, false, false, false, false, "E(name_format)"},
		{"20", ":b", false, false, false, false, false, "E(name_format)"},
		{"20", "a:", false, false, false, false, false, "E(name_format)"},
		{"20", "A:b", false, false, false, false, false, "E(name_format)"},
		{"21", "pdf\n", false, true, true, true, true, "pdf"},
		{"22", "pdf.", false, false, true, false, false, "E(unsafe_name)"},
		{"22", "pdf ", false, true, true, true, true, "pdf"},
	} {
		t.Run("3.3-"+c.row+"/"+c.name, func(t *testing.T) {
			front := map[string]any{"name": c.name, "description": "d"}
			for i, rules := range []Rules{{Profile: ProfileSkillKit}, {Profile: ProfileSkillKit, BareNames: true}, {Profile: ProfileClarvis},
				{Profile: ProfileSmarter}, {Profile: ProfileSpec}} {
				_, findings, err := Validate(front, rules)
				valid := []bool{c.skillkit, c.bare, c.clarvis, c.smarter, c.spec}[i]
				if (err == nil) != valid || err != nil && outcome(nil, err) != "E(name_format name)" {
					t.Errorf("%+v: %s", rules, outcome(findings, err))
				}
			}
			if _, findings, err := Validate(front, Rules{Profile: ProfileZidane}); err != nil {
				t.Errorf("zidane: %s", outcome(findings, err))
			}
			dir, findings, err := DirectoryName(c.name)
			if got := strings.TrimPrefix(strings.TrimPrefix(outcome(findings, err), "ok"), " "); strings.TrimSpace(dir+" "+strings.Replace(got, " name)", ")", 1)) != c.directory {
				t.Errorf("directory %q %s, want %s", dir, got, c.directory)
			}
		})
	}
}

// The values of allowed-tools as all profiles cut them, and as clarvis does when asked for its list.
func TestToolRows(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("Read, ", 1000), ", ")
	thousand := strings.Split(many, ", ")
	for _, c := range []struct {
		row     string
		value   any
		want    []string // of smarter, nil for an error
		commas  []string // of clarvis, nil for an error
		install string   // what install says to it
	}{
		{"2", "Read Grep Glob", []string{"Read", "Grep", "Glob"}, []string{"Read Grep Glob"}, "ok"},
		{"3", "Read, Grep,Glob", []string{"Read", "Grep", "Glob"}, []string{"Read", "Grep", "Glob"}, "ok"},
		{"4", "Read,,Grep,", []string{"Read", "Grep"}, []string{"Read", "Grep"}, "ok"},
		{"5", []any{"Read", "Grep"}, []string{"Read", "Grep"}, []string{"Read", "Grep"}, "ok"},
		{"6", []string{"Read", " Grep "}, []string{"Read", "Grep"}, []string{"Read", "Grep"}, "ok"},
		{"8", []any{"Read, Grep"}, []string{"Read, Grep"}, []string{"Read, Grep"}, "ok W(tool_item_has_separator)"},
		{"9", []any{"Bash(a", "b)", "Read"}, []string{"Bash(a", "b)", "Read"}, []string{"Bash(a", "b)", "Read"}, "ok W(unbalanced)"},
		{"10", "Bash(a, b) Read", []string{"Bash(a, b)", "Read"}, []string{"Bash(a", "b) Read"}, "ok"},
		{"11", "Bash(git add:*),Bash(git commit:*)", []string{"Bash(git add:*)", "Bash(git commit:*)"}, []string{"Bash(git add:*)", "Bash(git commit:*)"}, "ok"},
		{"13", "Bash(git:* Read", []string{"Bash(git:* Read"}, []string{"Bash(git:* Read"}, "ok W(unbalanced)"},
		{"14", "Read) Grep", []string{"Read)", "Grep"}, []string{"Read) Grep"}, "ok W(unbalanced)"},
		{"15", "Bash (git:*)", []string{"Bash", "(git:*)"}, []string{"Bash (git:*)"}, "ok W(stray_parens)"},
		{"16", "Bash(a)b Read", []string{"Bash(a)b", "Read"}, []string{"Bash(a)b Read"}, "ok W(tool_format)"},
		{"17", "mcp__srv__tool WebFetch(domain:example.com)", []string{"mcp__srv__tool", "WebFetch(domain:example.com)"},
			[]string{"mcp__srv__tool WebFetch(domain:example.com)"}, "ok"},
		{"18", "Read\nGrep\nGlob", []string{"Read", "Grep", "Glob"}, []string{"Read\nGrep\nGlob"}, "ok"},
		{"19", "Read;Grep", []string{"Read;Grep"}, []string{"Read;Grep"}, "ok W(tool_format)"},
		{"20", "*", []string{"*"}, []string{"*"}, "ok"},
		{"21", 42, nil, nil, "ok W(invalid_field)"}, {"21", map[string]any{"a": "b"}, nil, nil, "ok W(invalid_field)"},
		{"21", true, nil, nil, "ok W(invalid_field)"}, {"21", []any{"Read", 1}, nil, nil, "ok W(invalid_field)"},
		{"22", "", []string{}, []string{}, "ok"}, {"22", []any{}, []string{}, []string{}, "ok"},
		{"23", nil, []string{}, []string{}, "ok"},
		{"24", "Read，Grep", []string{"Read，Grep"}, []string{"Read，Grep"}, "ok W(tool_format)"},
		{"25", many, thousand, thousand, "ok W(limit)"},
	} {
		t.Run("3.4-"+c.row, func(t *testing.T) {
			for profile, want := range map[Profile][]string{ProfileSmarter: c.want, ProfileSpec: c.want, ProfileClarvis: c.commas} {
				got, err := Rules{Profile: profile}.Tools(c.value)
				if !slices.Equal(got, want) || (err != nil) != (want == nil) || want == nil && outcome(nil, err) != "E(invalid_field allowed-tools)" {
					t.Errorf("%s: %q, %v", profile, got, err)
				}
			}
			front := map[string]any{"name": "x", "description": "d", "allowed-tools": c.value}
			skill, findings, err := Validate(front, Rules{})
			if got := outcome(findings, err); got != c.install || (skill.AllowedTools != nil) != (c.value != nil) {
				t.Errorf("install: %s", got)
			}
			_, findings, err = Validate(front, Rules{Profile: ProfileSmarter})
			ambiguous := slices.Contains(codes(findings), "tools_ambiguous")
			if text, ok := c.value.(string); ok && err == nil && ambiguous != !slices.Equal(c.want, c.commas) {
				t.Errorf("%q: ambiguous %v", text, ambiguous)
			}
		})
	}
}
