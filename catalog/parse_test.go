package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// doc puts front matter below a valid name and description and above a body.
func doc(front string) []byte { return bare("name: pdf\ndescription: Reads PDFs.\n" + front) }

func bare(front string) []byte { return []byte("---\n" + front + "\n---\nbody\n") }

func reasonOf(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return strings.TrimSpace(e.Kind + " " + e.Reason + " " + e.At)
}

// Keys that no agent knows keep their source text, whatever YAML makes of it.
func TestValuesKeepTheirSourceText(t *testing.T) {
	for _, c := range []struct {
		front string
		want  any
	}{
		{"a: yes", "yes"}, {"a: on", "on"}, {"a: 12:30:45", "12:30:45"}, {"a: 0o17", "0o17"}, {"a: 017", "017"},
		{"a: 1_000", "1_000"}, {"a: 1e3", "1e3"}, {"a: 1.10", "1.10"}, {"a: 2026-01-31", "2026-01-31"},
		{"a: true", true}, {"a: false", false}, {"a: True", "True"}, {"a: ~", nil}, {"a:", nil}, {"a: null", nil},
		{`a: "null"`, "null"}, {"a: 'it''s'", "it's"}, {"a: <file> [pages]", "<file> [pages]"},
		{`a: "\ud83d\udc1d"`, "🐝"}, {`a: '\ud83d\udc1d'`, `\ud83d\udc1d`}, {`a: "\\ud83d \ud83d\udc1d"`, `\ud83d 🐝`},
		{"a: x\u0085y", "x\u0085y"}, {"a: x\u2028y", "x\u2028y"}, {"a: x\u009by\U000f0041", "x\u009by\U000f0041"},
		{"a: x\x7f", "x\x7f"}, {"a: |2\n    x", "  x\n"}, {"a: |\n  x\n  y", "x\ny\n"}, {"a: >-\n  x\n  y", "x y"},
		{"a: [1.0, true, ~, 'x']", []any{"1.0", true, nil, "x"}},
		{"a: {b: 1.0, 2: {c: no}}", map[string]any{"b": "1.0", "2": map[string]any{"c": "no"}}},
		{"a: &x [1]\nb: *x", []any{"1"}},
	} {
		skill, _, err := Parse(doc(c.front), Rules{})
		if err != nil {
			t.Errorf("%q: %v", c.front, err)
		} else if diff := cmp.Diff(c.want, skill.Frontmatter["a"]); diff != "" {
			t.Errorf("%q: %s", c.front, diff)
		}
	}
}

func TestKeysAreTextAsWritten(t *testing.T) {
	skill, findings, err := Parse(doc("1: x\ntrue: y\n~: z\nName: b\n<<: {license: x}"), Rules{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "pdf", "description": "Reads PDFs.", "1": "x", "true": "y", "~": "z", "Name": "b",
		"<<": map[string]any{"license": "x"}}
	if diff := cmp.Diff(want, skill.Frontmatter); diff != "" {
		t.Error(diff)
	}
	if got := codes(findings); !slices.Equal(got, []string{"unknown_key", "unknown_key"}) || skill.License != "" {
		t.Errorf("findings %v, license %q", findings, skill.License)
	}
}

func TestWhatIsRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	for _, c := range []struct {
		raw  []byte
		want string
	}{
		{[]byte("---\n\n---\nb"), "invalid_skill missing_field name"},
		{bare("# c"), "invalid_skill missing_field name"},
		{bare("42"), "invalid_skill not_a_mapping"},
		{bare("- a"), "invalid_skill not_a_mapping"},
		{bare("just text"), "invalid_skill not_a_mapping"},
		{bare("description: d"), "invalid_skill missing_field name"},
		{bare("name: \"\"\ndescription: d"), "invalid_skill missing_field name"},
		{bare("name:\ndescription: d"), "invalid_skill missing_field name"},
		{bare("name: null\ndescription: d"), "invalid_skill missing_field name"},
		{bare("name: a:b:c"), "invalid_skill missing_field description"},
		{bare("name: A:b"), "invalid_skill missing_field description"},
		{bare("name: x\ndescription: ''"), "invalid_skill missing_field description"},
		{bare("name: x\ndescription: '  '"), "invalid_skill missing_field description"},
		{bare("name: x\ndescription: [a, b]"), "invalid_skill invalid_field description"},
		{bare("name: [x]\ndescription: d"), "invalid_skill invalid_field name"},
		{bare("name: x\ndescription: \"a\\0b\""), "invalid_skill invalid_field description"},
		{bare("name: \"p\\u202Edf\"\ndescription: d"), "unsafe_name  p\u202edf"},
		{bare("name: a\nname: b\ndescription: d"), "invalid_skill invalid_field name"},
		{bare("name: a\ndescription: c\ndescription: d"), "invalid_skill invalid_field description"},
		{bare("name: x\ndescription: Use when: x # y"), "invalid_skill yaml frontmatter"},
		{bare("name: [x\ndescription: d"), "invalid_skill yaml frontmatter"},
		{doc("allowed-tools: *"), "invalid_skill yaml frontmatter"},
		{doc(bomb), "invalid_skill yaml frontmatter"},
		{doc("a: &x [*x]"), "invalid_skill yaml frontmatter"},
		{doc("a: " + strings.Repeat("[", 20_000)), "invalid_skill yaml frontmatter"},
		{doc("a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40)), "invalid_skill yaml frontmatter"},
		{doc("a: !!python/object/apply:os.system [x]"), "invalid_skill yaml frontmatter"},
		{doc("a: !foo x"), "invalid_skill yaml frontmatter"},
		{doc("a: !!binary aGk="), "invalid_skill yaml frontmatter"},
		{doc("a: {b: [!foo x]}"), "invalid_skill yaml frontmatter"},
		{doc("a:\n\tb: 1"), "invalid_skill yaml frontmatter"},
		{doc("? [1,2]\n: v"), "invalid_skill yaml frontmatter"},
		{doc("...\nlicense: MIT"), "invalid_skill yaml frontmatter"},
		{[]byte("---\n" + strings.Repeat("a: 1\n", 70_000) + "---\n"), "invalid_skill too_long frontmatter"},
		{doc("a: b\x00"), "invalid_skill not_text"},
		{doc("a: \xff"), "invalid_skill not_text"},
		{[]byte{0xff, 0xfe}, "invalid_skill not_text"},
		{[]byte("\xff\xfe-\x00-\x00-\x00\n\x00"), "invalid_skill not_text"},
		{[]byte("\x00-\x00-\x00-\x00\n"), "invalid_skill not_text"},
		{append(doc("a: b"), strings.Repeat("x", 2_000_000)...), "invalid_skill too_long"},
	} {
		skill, _, err := Parse(c.raw, Rules{})
		if got := reasonOf(err); skill != nil || got != c.want {
			t.Errorf("%.80q: got %q (%v), want %q", c.raw, got, err, c.want)
		}
		unsafe := strings.HasPrefix(c.want, "unsafe_name")
		if e := (*Error)(nil); !errors.As(err, &e) || len(e.Hints()) != 1 || (e.ExitStatus() == 4) != unsafe || !unsafe && e.ExitStatus() != 1 {
			t.Errorf("%.80q: exit status %d, hints %q", c.raw, e.ExitStatus(), e.Hints())
		}
	}
	if _, _, err := Parse(doc("a: b"), Rules{Profile: "nonsense"}); reasonOf(err) != "invalid_input  nonsense" {
		t.Errorf("an unknown profile: %v", err)
	}
}

func TestFaultsNameTheLineOfTheFile(t *testing.T) {
	for front, want := range map[string]int{
		"a: &x [*x]":               4,
		"b: 1\na: !foo x":          5,
		"a:\n\tb: 1":               5,
		"b: 1\n? [1,2]\n: v":       5,
		"b: 1\nSome more words.\n": 5,
	} {
		_, _, err := Parse(doc(front), Rules{})
		var e *Error
		if !errors.As(err, &e) || e.Line != want || !strings.HasPrefix(e.Error(), fmt.Sprintf("line %d: ", want)) {
			t.Errorf("%q: %v, want line %d", front, err, want)
		}
	}
	_, findings, err := Parse([]byte("\n\n---\r\nname: x\r\ndescription: a: b\r\n---\r\nb"), Rules{})
	if err != nil || len(findings) != 2 || findings[0].Line != 3 || findings[1].Line != 5 {
		t.Errorf("%v, %v", err, findings)
	}
}

// A front matter that YAML refuses is read where what it says is beyond doubt.
func TestNarrowRepairKeepsWhatTheTextSays(t *testing.T) {
	for _, c := range []struct{ front, description, codes string }{
		{"name: pdf\ndescription: a: b", "a: b", "yaml_repaired"},
		{"name: pdf\ndescription: a:", "a:", "yaml_repaired"},
		{"name: pdf\ndescription: it's: so", "it's: so", "yaml_repaired"},
		{"name: pdf\ndescription: @x", "@x", "yaml_repaired"},
		{"name: pdf\ndescription: `x` and y", "`x` and y", "yaml_repaired"},
		{"name: pdf\ndescription: %x", "%x", "yaml_repaired"},
		{"name: pdf\ndescription: , x", ", x", "yaml_repaired"},
		{"name: pdf\ndescription: a: b\n  more: c\n  end\nlicense: MIT", "a: b more: c end", "yaml_repaired"},
		{"name: pdf\ndescription:\n  a \"b\": c,\n  d", "a \"b\": c, d", "yaml_repaired"},
		{"name: pdf\ndescription: a: b\nmetadata:\n  x: y\nallowed-tools:\n- Read", "a: b", "yaml_repaired"},
		{"# c\nname: pdf\n\ndescription: a: b", "a: b", "yaml_repaired"},
		{"name: pdf\ndescription: \"Mends \"teh\" and \"adn\" now\"", `Mends "teh" and "adn" now`, "yaml_repaired"},
		{"name: pdf\ndescription: \"A\" is a letter", `"A" is a letter`, "yaml_repaired"},
		{"name: pdf\ndescription: \"A\" and \"B\"", `"A" and "B"`, "yaml_repaired"},
		{"name: pdf\ndescription: [OLD] take: it", "[OLD] take: it", "yaml_repaired"},
		{"name: pdf\ndescription: d\nx: [a] [b]", "d", "yaml_repaired"},
		{"name: pdf\ndescription: d\nx:\n  - `a`", "d", "unreadable"},
		{"name: pdf\ndescription: d: e\nx:\n  - `a`", "d: e", "unreadable"},
		{"name: pdf\ndescription: >-\n  d\n  e\nx: [a[b], c]", "d e", "unreadable"},
	} {
		skill, findings, err := Parse(bare(c.front), Rules{})
		if err != nil {
			t.Errorf("%q: %v", c.front, err)
		} else if got := strings.Join(codes(findings), " "); skill.Description != c.description || got != c.codes {
			t.Errorf("%q: got %q and %s, want %q and %s", c.front, skill.Description, got, c.description, c.codes)
		}
	}
}

func TestNoRepairWhereTwoReadingsArePossible(t *testing.T) {
	for _, front := range []string{
		"name: pdf\ndescription: a: b # c",
		"name: pdf\ndescription: {a} b",
		"name: pdf\ndescription: | a: b",
		"name: pdf\ndescription: & b: c",
		"name: pdf\ndescription: \"a\" \"b",
		"name: pdf\ndescription: \"a\\\" b\" c",
		"name: pdf\ndescription: a: b\n  # comment\n  c",
		"name: pdf\ndescription: a: b\n  allowed-tools: Read",
		"name: pdf\ndescription: a: b\n  hooks: x",
		"name: pdf\ndescription: a: b\nSome prose that is not a key.",
		"name: pdf\nname: pdf\ndescription: d\nx: [a[b]]c",
		"name: pdf\ndescription: d\nx: &a [b",
		"name: pdf\ndescription: a: b\n" + strings.Repeat("x:\n", 1000),
	} {
		if skill, _, err := Parse(bare(front), Rules{}); err == nil {
			t.Errorf("%q: accepted as %q", front, skill.Description)
		}
	}
}

func TestFieldsOfAnotherTypeAreTakenAsWritten(t *testing.T) {
	for _, c := range []struct {
		front string
		want  Severity
		code  string
	}{
		{"name: 123", SeverityWarning, "type_coerced"}, {"name: true", SeverityWarning, "type_coerced"},
		{"license: 1.0", SeverityWarning, "type_coerced"}, {"version: 1.10", SeverityInfo, "type_coerced"},
		{"argument-hint: [file]", SeverityWarning, "type_coerced"}, {"user-invocable: \"true\"", SeverityWarning, "type_coerced"},
		{"user-invocable: yes", SeverityWarning, "invalid_field"}, {"license: [MIT]", SeverityWarning, "invalid_field"},
		{"compatibility: [a]", SeverityWarning, "invalid_field"}, {"metadata: text", SeverityInfo, "invalid_field"},
		{"metadata: [a]", SeverityInfo, "invalid_field"}, {"name: |\n  pdf", SeverityWarning, "name_whitespace"},
		{"compatibility: " + strings.Repeat("x", 501), SeverityWarning, "too_long"},
		{"description: " + strings.Repeat("é", 1025), SeverityWarning, "too_long"},
		{"license: ''", "", ""}, {"license: ~", "", ""}, {"metadata:", "", ""}, {"user-invocable: true", "", ""},
		{"compatibility: " + strings.Repeat("x", 500), "", ""}, {"description: " + strings.Repeat("é", 1024), "", ""},
		{"argument-hint: <file> [pages]", "", ""}, {"homepage:", "", ""},
	} {
		front := c.front
		for _, key := range []string{"name", "description"} {
			if !strings.HasPrefix(c.front, key) {
				front = key + ": pdf\n" + front
			}
		}
		_, findings, err := Parse(bare(front), Rules{})
		switch {
		case err != nil:
			t.Errorf("%.40q: %v", front, err)
		case c.code == "" && len(findings) > 0:
			t.Errorf("%.40q: %v", front, findings)
		case c.code != "" && (len(findings) != 1 || findings[0].Code != c.code || findings[0].Severity != c.want):
			t.Errorf("%.40q: got %v, want %s %s", front, findings, c.want, c.code)
		}
	}
}

func TestFieldsAreRead(t *testing.T) {
	skill, findings, err := Parse([]byte("---\r\nname: ' pdf '\r\ndescription: >\r\n  Reads\r\n  PDFs.\r\nlicense: MIT\r\n"+
		"compatibility: Needs uv\r\nuser-invocable: false\r\nargument-hint: [file]\r\nversion: 1.10\r\nmetadata:\r\n  released: 2025-10-16\r\n"+
		"---\r\n\r\n    code\r\n\r\nend  \r\n\r\n"), Rules{})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{skill.Name, skill.Description, skill.License, skill.Compatibility, skill.UserInvocable,
		skill.Frontmatter["argument-hint"], skill.Frontmatter["version"], skill.Metadata, skill.Body, skill.BodyTrimmed(), skill.Lines["license"]}
	want := []any{"pdf", "Reads PDFs.", "MIT", "Needs uv", false, "[file]", "1.10",
		map[string]any{"released": "2025-10-16"}, "    code\n\nend  ", "code\n\nend", 6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := codes(findings); !slices.Equal(got, []string{"name_whitespace", "type_coerced", "type_coerced"}) {
		t.Error(findings)
	}
}

func TestTheBodyIsNotJudgedByItsBytes(t *testing.T) {
	for body, want := range map[string]string{
		"x\x00y":                        "nul_bytes",
		"x\x97y":                        "not_utf8",
		"x\xe2":                         "not_utf8",
		"\n \n":                         "empty_body",
		"":                              "empty_body",
		"a\n${CLAUDE_PLUGIN_ROOT}/b":    "plugin_root",
		"{baseDir} {{x}} $1":            "",
		strings.Repeat("é", 200_001):    "too_long",
		strings.Repeat("é\r\n", 90_000): "",
		"x\r\r\ny":                      "",
		"\u202e":                        "",
	} {
		skill, findings, err := Parse([]byte("---\nname: a\ndescription: b\n---\n"+body), Rules{})
		if err != nil || strings.Join(codes(findings), " ") != want {
			t.Errorf("%.20q: %v, %v, want %s", body, err, findings, want)
		} else if want == "" && skill.Body != strings.Trim(normalize(body), "\n") {
			t.Errorf("%.20q: body %.20q", body, skill.Body)
		}
	}
	_, findings, _ := Parse([]byte("---\nname: a\ndescription: b\n---\nx\n\ny\x00"), Rules{})
	if len(findings) != 1 || findings[0].Line != 7 || findings[0].Message != "NUL bytes from byte 35" {
		t.Error(findings)
	}
}

func TestHooksAreListed(t *testing.T) {
	front := `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - {type: command, command: ./x.sh}
        - {type: command, command: ./y.sh}
        - {type: prompt, prompt: p}
  Stop: [{hooks: [{command: ./z.sh}]}]
  Nope: [{hooks: [{type: command, command: ./n.sh}]}]`
	skill, findings, err := Parse(doc(front), Rules{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Hook{{"PreToolUse", "Bash", "./x.sh", 4}, {"PreToolUse", "Bash", "./y.sh", 4}, {"Stop", "", "./z.sh", 4}}
	if diff := cmp.Diff(want, skill.Hooks); diff != "" {
		t.Error(diff)
	}
	if got := codes(findings); !slices.Equal(got, []string{"unknown_hook_event", "unknown_hook_type"}) {
		t.Error(findings)
	}
	for _, front := range []string{"hooks: text", "hooks:\n  - `x`"} {
		if _, findings, err := Parse(doc(front), Rules{}); err != nil || !slices.Contains(codes(findings), "invalid_field") {
			t.Errorf("%q: %v, %v", front, err, findings)
		}
	}
}

func TestFindingsOfOneDocumentAreBounded(t *testing.T) {
	_, findings, err := Parse(doc(strings.Repeat("x: 1\n", 5000)), Rules{})
	if err != nil || len(findings) != 100 {
		t.Errorf("%d findings, %v", len(findings), err)
	}
}

// Private-use characters stand in for what YAML does not read; a text that uses
// all of them is left to YAML, and comes back unchanged where that reads it.
func TestTextWithPrivateUseCharactersStaysAsItIs(t *testing.T) {
	for text, want := range map[string]string{
		"\U000f0085\u0085": "\U000f0085\u0085", "\U0010000a\u2028": "\U0010000a\u2028", "\U000f0001\U00100001": "\U000f0001\U00100001",
		"\U000f0001\U00100001\x7f": "",
	} {
		skill, _, err := Parse(bare("name: pdf\ndescription: d"+text+"x"), Rules{})
		switch {
		case want == "" && err == nil:
			t.Errorf("%q: accepted as %q", text, skill.Description)
		case want != "" && (err != nil || skill.Description != "d"+want+"x"):
			t.Errorf("%q: %v, %v", text, skill, err)
		}
	}
}

func TestErrorsTellWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                           "begin the file with a line ---, then name: and description:, then a line ---",
		"---\nname: pdf\n":                                           "close the frontmatter with a line that is exactly ---",
		"---\nname: pdf\n---\n":                                      "write a line \"description: …\" that says what the skill does and when to use it",
		"---\ndescription: d\n---\n":                                 "write a line \"name: …\", with a to z, 0 to 9 and single hyphens",
		"---\nName: x\ndescription: d\n---":                          "write a line \"name: …\", with a to z, 0 to 9 and single hyphens",
		"---\nname: pdf\nname: x\n---\n":                             "keep one of them",
		"---\nname: pdf\ndescription: [a]\n---":                      "write description as one text",
		"---\nname: pdf\ndescription: a: b # c\n---\n":               "put the value in quotes",
		"---\nname: pdf\nmetadata:\n\ta: b\n---\n":                   "indent with blanks",
		"---\nname: pdf\n@b: c\n---\n":                               "write a key with a colon, and what belongs to a key deeper than it",
		"---\nname: pdf\n# Title\nRead it now.\n---\n":               "close the frontmatter with a line that is exactly ---",
		"---\nname: pdf\ndescription: !x y\n---\n":                   "write plain keys with plain values",
		"---\n- a\n---\n":                                            "write keys with values, name: and description: first",
		"---\nname: {{name}}\n---\n":                                 "make a skill of the template: put values in place of the placeholders",
		"---\nname: a:b:c\ndescription: d\n---":                      "ask the author for a name of a to z, 0 to 9 and single hyphens",
		"---\nname: ../x\ndescription: d\n---":                       "ask the author for a name of a to z, 0 to 9 and single hyphens",
		"../other/SKILL.md":                                          "name the skill that lies there",
		"version https://git-lfs.github.com/spec/v1\noid sha256:1\n": "ask the author to commit the file itself",
		"---\nname: \xff\n---\n":                                     "save it as UTF-8",
	} {
		_, _, err := Parse([]byte(text), Rules{})
		var e *Error
		if !errors.As(err, &e) || strings.Join(e.Hints(), "|") != want {
			t.Errorf("%q: %v, hints %q, want %q", text, err, e.Hints(), want)
		}
	}
	if err := CheckName("../x"); !strings.Contains(fmt.Sprint(err.(*Error).Hints()), "letters") {
		t.Errorf("a name that anyone may have written: %q", err.(*Error).Hints())
	}
	for _, kind := range []string{"too_large", "not_found", "no_skills", "path_escape", "invalid_input", "duplicate_skill", "not_a_file", "io_error"} {
		if e := (&Error{Kind: kind}); len(e.Hints()) != 1 || e.ExitStatus() != map[bool]int{true: 4, false: 1}[kind == "path_escape"] {
			t.Errorf("%s: exit status %d, hints %q", kind, e.ExitStatus(), e.Hints())
		}
	}
}

func TestASelectorThatIsWrongComesWithANextStep(t *testing.T) {
	for _, test := range []struct {
		err  SelectError
		want string
	}{
		{SelectError{Near: []string{"pdf"}, Skills: 18}, `did you mean "pdf"?`},
		{SelectError{Near: []string{"pdf", "pdfs"}, Skills: 18}, `did you mean "pdf" or "pdfs"?`},
		{SelectError{Near: []string{"a", "b", "c"}, Skills: 18}, `did you mean "a", "b" or "c"?`},
		{SelectError{Skills: 18}, "the source has 18 skills; see them with --list"},
		{SelectError{Skills: 1}, "the source has one skill; see it with --list"},
		{SelectError{Paths: []string{"a/x", "b/x"}}, "name one by its path: a/x, b/x"},
		{SelectError{Paths: []string{"a/x", "b/x", "c/x", "d/x", "e/x"}}, "name one by its path: a/x, b/x, c/x, and 2 more"},
		{SelectError{}, ""},
	} {
		if got := strings.Join(test.err.Hints(), "|"); got != test.want {
			t.Errorf("%+v: %q, want %q", test.err, got, test.want)
		}
	}
}

func TestFindingsAsJSON(t *testing.T) {
	got, err := json.Marshal([]Finding{{"a", SeverityInfo, "b", 3, "c"}, {Code: "d", Severity: SeverityError}})
	want := `[{"code":"a","severity":"info","file":"b","line":3,"message":"c"},{"code":"d","severity":"error","file":null,"line":null,"message":""}]`
	if string(got) != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
