package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestZidaneLoads(t *testing.T) {
	long := strings.Repeat("x", 2000)
	try(t, Rules{Profile: ProfileZidane}, []vector{
		{"S4-3", document("name: a\ndescription: d", ""), "ok"}, {"S4-3", document("name: a-b\ndescription: d", ""), "ok"},
		{"S4-3", document("name: "+strings.Repeat("x", 64)+"\ndescription: d", ""), "ok"},
		{"S4-4", document("name: x", "b"), "E(missing_field description)"},
		{"S4-4", document("description: d", "b"), "ok W(name_defaulted)"},
		{"S4-4", "no frontmatter", "E(missing_field description)"}, {"S4-4", "---\ndescription: d\n", "E(missing_field description)"},
		{"S4-4", document("", "b"), "E(missing_field description) W(name_defaulted)"},
		{"S4-5", document("name: Bad_Name\ndescription: d", ""), "ok W(name_format)"},
		{"S4-5", document("name: x\ndescription: "+long, ""), "ok W(too_long)"},
		{"S4-5", document("name: x\ndescription: d\nallowed-tools:\n  a: b", ""), "ok W(invalid_field)"},
		{"S4-5", document("name: ../x\ndescription: d", ""), "ok W(name_format) W(unsafe_name)"},
		{"S4-5", document("name: x\ndescription: d\nname: y", ""), "ok W(duplicate_key)"},
		{"S4-5", document("what is this\nname: x\n- a\n\n# c: d\ndescription: d\n}", ""), "ok"},
	})
	messages := map[string]bool{}
	for _, name := range []string{"", strings.Repeat("x", 65), "A", "a_b", "-a", "a--b"} {
		t.Run("S4-3/"+name, func(t *testing.T) {
			_, findings, err := Validate(map[string]any{"name": name, "description": "d"}, Rules{Profile: ProfileZidane})
			if err != nil || len(findings) != 1 || findings[0].Severity != SeverityWarning {
				t.Fatal(findings, err)
			}
			if message := strings.ReplaceAll(findings[0].Message, name, ""); messages[message] {
				t.Errorf("no message of its own: %s", message)
			} else {
				messages[message] = true
			}
			if _, _, err := Validate(map[string]any{"name": name, "description": "d"}, Rules{Profile: ProfileSpec}); err == nil {
				t.Error("the strict rule takes it")
			}
		})
	}
	for _, name := range []string{"a-", "ä"} {
		if _, got := parsed(document("name: "+name+"\ndescription: d", ""), Rules{Profile: ProfileZidane}); got != "ok W(name_format)" {
			t.Errorf("S4-3: %s: %s", name, got)
		}
	}
}

func TestZidaneMovesDeprecatedKeys(t *testing.T) {
	for _, c := range []struct {
		front, want string
		metadata    map[string]any
	}{
		{"model: opus", "ok W(deprecated_field)", map[string]any{"zidane.model": "opus"}},
		{"model: a\nmetadata:\n  zidane.model: b", "ok W(deprecated_field)", map[string]any{"zidane.model": "b"}},
		{"metadata: {x: y}\neffort: high", "ok W(invalid_field) W(deprecated_field)", map[string]any{"zidane.effort": "high"}},
		{"metadata:\n  x: y\nthinking: on", "ok W(deprecated_field)", map[string]any{"x": "y", "zidane.thinking": "on"}},
		{"paths: [a, b]", "ok W(deprecated_field)", map[string]any{"zidane.paths": []any{"a", "b"}}},
		{"paths:\n  - a\n  - b\nmodel: m", "ok W(deprecated_field) W(deprecated_field)", map[string]any{"zidane.paths": []any{"a", "b"}, "zidane.model": "m"}},
	} {
		t.Run("S4-6", func(t *testing.T) {
			skill, got := parsed(document("name: x\ndescription: d\n"+c.front, ""), Rules{Profile: ProfileZidane})
			if got != c.want {
				t.Fatalf("%q: %s", c.front, got)
			}
			if diff := cmp.Diff(c.metadata, skill.Metadata); diff != "" {
				t.Errorf("%q: %s", c.front, diff)
			}
			for _, key := range []string{"model", "paths", "thinking", "effort"} {
				if _, there := skill.Frontmatter[key]; there {
					t.Errorf("%q: %s is still there", c.front, key)
				}
			}
		})
	}
	// Other profiles leave them where they are.
	skill, got := parsed(document("name: x\ndescription: d\nmodel: opus", ""), Rules{})
	if got != "ok" || skill.Frontmatter["model"] != "opus" || skill.Metadata != nil {
		t.Error(got, skill)
	}
}

func TestZidaneReadsLineByLine(t *testing.T) {
	for _, c := range []struct {
		id, front string
		want      map[string]any
	}{
		{"S4-9", "a: 1\nb: x", map[string]any{"a": "1", "b": "x"}},
		{"S4-9", "a: true\nb: ~\nc:\nd: yes # or no", map[string]any{"a": "true", "b": "~", "c": nil, "d": "yes"}},
		{"S4-10", `a: "x: y"`, map[string]any{"a": "x: y"}}, {"S4-10", "a: 'it''s'", map[string]any{"a": "it's"}},
		{"S4-10", `a: "\ud83d\udc1d" # bee`, map[string]any{"a": "🐝"}}, {"S4-10", `a: "x" and "y"`, map[string]any{"a": `"x" and "y"`}},
		{"S4-11", "metadata:\n  author: o\n  v: \"1.0\"", map[string]any{"metadata": map[string]any{"author": "o", "v": "1.0"}}},
		{"S4-11", "metadata:\n\n  # c\n  author: o # who\n  deep:\n    a: b\n  v: x: y", map[string]any{"metadata": map[string]any{"author": "o", "deep": "a: b", "v": "x: y"}}},
		{"S4-12", "tools:\n  - Read\n  - \"Bash(git:*)\"", map[string]any{"tools": []any{"Read", "Bash(git:*)"}}},
		{"S4-12", "tools:\n- 1\n\n# c\n- x: y\nb: c", map[string]any{"tools": []any{"1", "x: y"}, "b": "c"}},
		{"S4-13", "a: [a, b]\nb: {x: y}\nc: [x", map[string]any{"a": "[a, b]", "b": "{x: y}", "c": "[x"}},
		{"S4-14", "a: Use when: the user asks: x", map[string]any{"a": "Use when: the user asks: x"}},
		{"S4-14", "a: https://x.y/z: b", map[string]any{"a": "https://x.y/z: b"}},
		{"S4-15", "a: |-\n  a\n  b", map[string]any{"a": "a\nb"}}, {"S4-15", "a: >\n  a\n  b", map[string]any{"a": "a b\n"}},
		{"S4-15", "a: |+\n  x\n\n\nb: c", map[string]any{"a": "x\n\n\n", "b": "c"}}, {"S4-15", "a: |2\n    x", map[string]any{"a": "  x\n"}},
		{"S4-15", "metadata:\n  note: >-\n    a\n    b\n  c: d", map[string]any{"metadata": map[string]any{"note": "a b", "c": "d"}}},
		{"S4-15", "metadata:\n  note: |2\n      a\n  c: d", map[string]any{"metadata": map[string]any{"note": "  a\n", "c": "d"}}},
		{"S4-15", "a: | x: y", map[string]any{"a": "| x: y"}}, {"S4-15", "a: x\n  y\n\n  z", map[string]any{"a": "x y z"}},
		{"S4-15", "a:\n  some text\n  - more", map[string]any{"a": "some text - more"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			got := map[string]any{}
			for _, e := range readFlat(c.front) {
				got[e.key] = e.value
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q: %s", c.front, diff)
			}
		})
	}
}

func TestZidaneFields(t *testing.T) {
	for front, want := range map[string]string{
		"allowed-tools: [Read, Grep]":                      "[Read Grep] true",
		"allowed-tools:\n  - Read\n  - \"Bash(git:*)\"":    "[Read Bash(git:*)] true",
		"allowed-tools: Read, Bash(a, b)":                  "[Read Bash(a, b)] true",
		"allowed-tools: \"[Read, Grep]\"":                  "[[Read Grep]] true",
		"allowed-tools: [Read":                             "[[Read] true",
		"allowed-tools:":                                   "[] false",
		"allowed-tools: ''":                                "[] true",
		"user-invocable: false\nallowed-tools:\n  a: Bash": "[] true",
	} {
		t.Run("S4-13", func(t *testing.T) {
			skill, got := parsed(document("name: x\ndescription: d\n"+front, ""), Rules{Profile: ProfileZidane})
			if skill == nil || fmt.Sprint(skill.AllowedTools, " ", skill.AllowedTools != nil) != want || skill.UserInvocable == strings.HasPrefix(front, "user") {
				t.Errorf("%q: %s, %+v", front, got, skill)
			}
		})
	}
	for front, want := range map[string]string{
		"description: [x]": "[x]", "description: Use when: the user asks: x": "Use when: the user asks: x", "description: |-\n  a\n  b": "a\nb",
		"description:\n  Use when: x\n  or y": "Use when: x or y", "description: 'a' # b": "a", "description: true": "true",
	} {
		t.Run("S4-14", func(t *testing.T) {
			if skill, got := parsed(document("name: x\n"+front, ""), Rules{Profile: ProfileZidane}); skill == nil || skill.Description != want {
				t.Errorf("%q: %s, %+v", front, got, skill)
			}
		})
	}
}
