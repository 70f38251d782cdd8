package author_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/catalog"
	"skills/catalog/author"
)

// listedValues are the values of table 3.15.
func listedValues() []string {
	return []string{
		"a: b", "# x", "x # y", "'", `"`, `\`, "- x", "? x", ": x", "@x", "%x", "`x`", "*x", "&x", "!x", "|", ">", "{a}", "[a]",
		"yes", "no", "null", "~", "1.0", "0o17", "2025-10-16", "", "trailing ", " leading", "two\nlines", "CR\r\nLF", strings.Repeat("é", 1024),
		"\U0001F41D \U0001F468\u200d\U0001F469", "---", "a\n---\nb", "tab\there", "sep\u2028arator", "mark\ufeffinside",
		// others that have been lost before
		"it's \"both\" \\n", "ends with:", "ends with #", "true", "No", "=", "<<", "0x1f", "1_000", "12:30:45", ".inf", "\x1b[31m", "\u0085", "\u00a0", "a\\", "'quoted'", `"quoted"`, "http://x.y/#z", "\n", "x\n", "a,b", "\U0010FFFF",
	}
}

// withValue puts a value in every place that takes a text.
func withValue(profile catalog.Profile, value string) author.Definition {
	d := author.Definition{
		Name: "x", Description: value, License: value, Metadata: map[string]any{"k": value}, Extra: map[string]any{"note": value, "list": []any{value, "b"}},
	}
	if len([]rune(value)) <= 500 {
		d.Compatibility = value
	}
	if profile == catalog.ProfileSkillKit {
		d.Name = "x:y"
	}
	if profile == catalog.ProfileSpec {
		d.Extra = nil
	}
	return d
}

func profiles() []catalog.Profile {
	return []catalog.Profile{"install", "spec", "skillkit", "clarvis", "smarter", "zidane"}
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	for _, profile := range profiles() {
		accepted := 0
		for _, value := range listedValues() {
			t.Run(fmt.Sprintf("3.15 %s %.20q", profile, value), func(t *testing.T) {
				d := withValue(profile, value)
				text, err := author.Format(d)
				if err != nil {
					t.Fatal(err)
				}
				skill, _, err := catalog.Parse(text, catalog.Rules{Profile: profile})
				if err != nil {
					if strings.TrimSpace(value) != "" {
						t.Errorf("refused: %v\n%s", err, text)
					}
					return
				}
				accepted++
				if diff := cmp.Diff(frontOf(d), skill.Frontmatter); diff != "" {
					t.Errorf("%s\n%s", diff, text)
				}
			})
		}
		if accepted < 50 {
			t.Errorf("%s accepts only %d", profile, accepted)
		}
	}
}

// frontOf is the front matter that a definition stands for.
func frontOf(d author.Definition) map[string]any {
	front := map[string]any{"name": d.Name, "description": d.Description}
	for key, text := range map[string]string{"license": d.License, "compatibility": d.Compatibility} {
		if text != "" {
			front[key] = text
		}
	}
	if d.Metadata != nil {
		front["metadata"] = d.Metadata
	}
	for key, value := range d.Extra {
		front[key] = value
	}
	return front
}

// TestOtherReadersSeeTheSame compares with PyYAML, which shares no code with the reader here.
func TestOtherReadersSeeTheSame(t *testing.T) {
	python := pythonWithYAML()
	if python == "" {
		t.Skip("python3 has no yaml")
	}
	var documents []string
	var want []map[string]any
	for _, value := range listedValues() {
		d := withValue("", value)
		text, err := author.Format(d)
		if err != nil {
			t.Fatal(err)
		}
		documents, want = append(documents, strings.TrimSuffix(strings.TrimPrefix(string(text), "---\n"), "---\n")), append(want, frontOf(d))
	}
	in, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-c", "import sys, json, yaml; print(json.dumps([yaml.safe_load(d) for d in json.load(sys.stdin)]))")
	c.Stdin = strings.NewReader(string(in))
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var got []map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheOrderOfKeys(t *testing.T) {
	t.Run("3.15 order", func(t *testing.T) {
		text, err := author.Format(author.Definition{
			Extra:        map[string]any{"zeta": nil, "argument-hint": "[file]", "model": true, "deep": map[string]any{"b": []any{}, "a": map[string]any{}, "c": []any{[]any{"x"}, map[string]string{"k": "v"}}}},
			AllowedTools: []string{"Read", "Bash(git add:*)"}, Metadata: map[string]any{"b": "2", "a": "1.0"}, Compatibility: "Any.", License: "MIT", Description: "Does: x", Name: "x",
			Instructions: "Body\n",
		})
		want := `---
name: x
description: "Does: x"
license: MIT
compatibility: Any.
metadata:
  a: "1.0"
  b: "2"
allowed-tools: Read Bash(git add:*)
argument-hint: "[file]"
deep:
  a: {}
  b: []
  c:
    -
      - x
    -
      k: v
model: true
zeta: null
---

Body
`
		if diff := cmp.Diff(want, string(text)); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
}

func TestTheFormOfAllowedTools(t *testing.T) {
	for _, tt := range []struct {
		tools []string
		want  string
	}{
		{nil, ""},
		{[]string{}, "allowed-tools: \"\"\n"},
		{[]string{"Read"}, "allowed-tools: Read\n"},
		{[]string{"Read", "Grep", "mcp__srv__tool"}, "allowed-tools: Read Grep mcp__srv__tool\n"},
		{[]string{"Bash(git add:*)", "Bash(a, b)"}, "allowed-tools: Bash(git add:*) Bash(a, b)\n"},
		{[]string{"Read file", "Grep"}, "allowed-tools:\n  - Read file\n  - Grep\n"},
		{[]string{"Read,Grep"}, "allowed-tools:\n  - Read,Grep\n"},
		{[]string{"*"}, "allowed-tools: \"*\"\n"},
		{[]string{"a: b", "c"}, "allowed-tools:\n  - \"a: b\"\n  - c\n"},
	} {
		t.Run(fmt.Sprintf("3.15 tools %q", tt.tools), func(t *testing.T) {
			text, err := author.Format(author.Definition{Name: "x", Description: "d", AllowedTools: tt.tools})
			if want := "---\nname: x\ndescription: d\n" + tt.want + "---\n"; string(text) != want || err != nil {
				t.Errorf("got %q, want %q, %v", text, want, err)
			}
			for _, profile := range []catalog.Profile{"install", "spec", "smarter", "zidane"} {
				skill, _, err := catalog.Parse(text, catalog.Rules{Profile: profile})
				if err != nil || (skill.AllowedTools != nil) != (tt.tools != nil) || strings.Join(skill.AllowedTools, "|") != strings.Join(tt.tools, "|") {
					t.Errorf("%s reads %+v, %v", profile, skill, err)
				}
			}
		})
	}
}

func TestValuesWithoutAnEndAreRefused(t *testing.T) {
	loop := map[string]any{}
	loop["self"] = loop
	if _, err := author.Format(author.Definition{Name: "x", Metadata: loop}); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("got %v", err)
	}
	for _, key := range []string{"", "a\nb", strings.Repeat("k", 129), "\xff"} {
		if _, err := author.Format(author.Definition{Name: "x", Metadata: map[string]any{key: "v"}}); err == nil {
			t.Errorf("the key %q is written", key)
		}
	}
}

// FuzzFormat: what Define lets through reads back to the same under the specification.
func FuzzFormat(f *testing.F) {
	for _, value := range listedValues() {
		f.Add(value, value, value, value)
	}
	f.Fuzz(func(t *testing.T, description, key, value, instructions string) {
		d, err := author.Define(author.Definition{Name: "x", Description: description, License: value, Metadata: map[string]any{key: value}, Instructions: instructions})
		if err != nil {
			return
		}
		text, err := author.Format(d)
		if err != nil {
			t.Fatal(err)
		}
		skill, _, err := catalog.Parse(text, catalog.Rules{Profile: catalog.ProfileSpec})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(frontOf(d), skill.Frontmatter); diff != "" || skill.BodyTrimmed() != strings.TrimSpace(d.Instructions) {
			t.Errorf("%s\n%q\n%s", diff, skill.Body, text)
		}
		fixed, changes, err := author.Fix(text, catalog.Rules{Profile: catalog.ProfileSpec}, "x")
		if string(fixed) != string(text) || err != nil {
			t.Errorf("what was written is mended: %v %v\n%s", changes, err, fixed)
		}
	})
}

// pythonWithYAML finds an interpreter that has PyYAML, "" for none: Debian's package is for Debian's own.
func pythonWithYAML() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import yaml").Run() == nil {
			return python
		}
	}
	return ""
}
