package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClarvisDocuments(t *testing.T) {
	try(t, Rules{Profile: ProfileClarvis}, []vector{
		{"S1-20", document(ok2, "\n  text\n"), "ok"},
		{"S1-21", "\ufeff" + document(ok2, "b"), "ok"},
		{"S1-21", "\n\n" + document(ok2, "b"), "ok"},
		{"S1-21", strings.ReplaceAll(document(ok2, "b"), "\n", "\r\n"), "ok"},
		{"S1-22", "---\nname: x\n", "E(fence_unclosed)"},
		{"S1-22", "---\nname: x\n ---\nb", "E(fence_unclosed)"},
		{"S1-23", document("name: x\ndescription: [open", ""), "E(yaml frontmatter)"},
		{"S1-24", document("42", "b"), "E(not_a_mapping)"},
		{"S1-24", document("- a", "b"), "E(not_a_mapping)"},
		{"S1-24", document("text", "b"), "E(not_a_mapping)"},
		{"S1-24", document("", "b"), "E(missing_field name) E(missing_field)"},
		{"S1-24", document("# c", "b"), "E(missing_field name) E(missing_field)"},
		{"S1-25", "hello", "E(missing_field name)"},
		{"S1-26", document("description: d", ""), "E(missing_field name)"},
		{"S1-26", document("name: x", ""), "E(missing_field description)"},
		{"S1-26", document("license: x", ""), "E(missing_field name) E(missing_field)"},
		{"S1-26", document("name: a/b", ""), "E(name_format name) E(missing_field)"},
		{"S1-45", document(ok2, strings.Repeat("x", 300<<10)), "E(too_long)"},
		{"S1-45", document(ok2, strings.Repeat("x", 255<<10)), "ok W(too_long)"},
	})
	t.Run("S1-20/body", func(t *testing.T) {
		if skill, _ := parsed(document(ok2, "\n  text\n"), Rules{Profile: ProfileClarvis}); skill.Body != "text" {
			t.Errorf("%q", skill.Body)
		}
	})
	t.Run("S1-22/line", func(t *testing.T) {
		_, _, err := Parse([]byte("---\nname: x\n ---\nb"), Rules{Profile: ProfileClarvis})
		if e := (*Error)(nil); !errors.As(err, &e) || e.Line != 3 || !strings.Contains(e.Message, "line 3 is an indented ---") {
			t.Error(err)
		}
	})
	t.Run("S1-25/split", func(t *testing.T) {
		if d, err := Split([]byte("hello")); err != nil || d != (Document{Body: "hello", Line: 2}) {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestClarvisSchema(t *testing.T) {
	const at = "E(invalid_field "
	var vectors []vector
	for field, want := range map[string]string{
		"version: 1.0": at + "version)", `version: "1.0"`: "ok", "version: 1.2.3": "ok", "version: [1]": at + "version)", "version: ~": at + "version)",
		`user-invocable: "yes"`: at + "user-invocable)", "user-invocable: yes": at + "user-invocable)", "user-invocable: false": "ok",
		"user-invocable:": at + "user-invocable)", "argument-hint: [file]": at + "argument-hint)", "argument-hint: 5": at + "argument-hint)",
		"argument-hint: {a: b}": at + "argument-hint)", "argument-hint: true": at + "argument-hint)", "argument-hint: <file>": "ok",
		"license: ~": at + "license)", "license: [MIT]": at + "license)", "license: 1": at + "license)", "license: MIT": "ok",
		"custom: {a: [1]}": "ok", "metadata: text": "ok", "compatibility: [a]": "ok", "tools: ~": at + "tools)", "tools: {a: b}": at + "tools)",
		"allowed-tools: 42": at + "allowed-tools)", "allowed-tools: [Read, '']": "ok", "required_scope: 5": "ok", "disable-model-invocation: x": "ok",
	} {
		vectors = append(vectors, vector{"S1-27/" + field, document(ok2+"\n"+field, ""), want})
	}
	for name, want := range map[string]string{`" pdf "`: "ok", "A.b_c-1": "ok", "a/b": "E(name_format name)", "a b": "E(name_format name)",
		`"a:b"`: "E(name_format name)", "é": "E(name_format name)", `""`: "E(missing_field name)", `".."`: "ok W(unsafe_name)", "con": "ok W(unsafe_name)"} {
		vectors = append(vectors, vector{"S1-27/" + name, document("name: "+name+"\ndescription: d", ""), want})
	}
	try(t, Rules{Profile: ProfileClarvis}, append(vectors, vector{"S1-27", document("name: a\ndescription: \"  \"", ""), "E(missing_field description)"}))
	t.Run("S1-27/kept", func(t *testing.T) {
		skill, _ := parsed(document("name: ' pdf '\ndescription: d\ncustom: {a: [1]}", ""), Rules{Profile: ProfileClarvis})
		if diff := cmp.Diff(map[string]any{"a": []any{"1"}}, skill.Frontmatter["custom"]); diff != "" || skill.Name != "pdf" {
			t.Error(diff, skill.Name)
		}
	})
}

// S1-28: the schema without the splitter, on mappings as YAML and JSON readers and people in Go make them.
func TestValidateTakesAnyMapping(t *testing.T) {
	deep := map[string]any{}
	deep["a"] = deep
	for _, c := range []struct {
		id    string
		front map[string]any
		want  string
	}{
		{"S1-28", map[string]any{"name": "x", "description": "y"}, "ok"},
		{"S1-28", nil, "E(missing_field name) E(missing_field)"},
		{"S1-28", map[string]any{"name": 5, "description": "y"}, "E(invalid_field name)"},
		{"S1-28", map[string]any{"name": "x", "description": "y", "version": 1.5}, "E(invalid_field version)"},
		{"S1-28", map[string]any{"name": "x", "description": "y", "license": nil}, "E(invalid_field license)"},
		{"S1-28", map[string]any{"name": "x", "description": "y", "metadata": map[string]string{"a": "b"}, "allowed-tools": []string{"Read"}}, "ok"},
		{"S1-28", map[string]any{"name": "x", "description": "y", "x": map[any]any{1: []int{2}}}, "ok"},
		{"S1-28", map[string]any{"name": "x", "description": "y", "user-invocable": true}, "ok"},
		{"S1-28", deep, "E(yaml frontmatter)"},
	} {
		t.Run(c.id, func(t *testing.T) {
			skill, findings, err := Validate(c.front, Rules{Profile: ProfileClarvis})
			if got := outcome(findings, err); got != c.want || skill != nil && (len(skill.Lines) > 0 || skill.Document != "") {
				t.Errorf("%v: got %s, want %s", c.front, got, c.want)
			}
		})
	}
}

func TestClarvisTools(t *testing.T) {
	input := []string{"Read", "", " Grep "}
	for _, c := range []struct {
		value any
		want  []string
	}{
		{"Read, Grep , ,Bash", []string{"Read", "Grep", "Bash"}}, {input, []string{"Read", "Grep"}}, {nil, []string{}},
		{"Read Grep", []string{"Read Grep"}}, {"Bash(a, b), Read", []string{"Bash(a", "b)", "Read"}},
	} {
		t.Run("S1-29", func(t *testing.T) {
			got, err := Rules{Profile: ProfileClarvis}.Tools(c.value)
			if err != nil || got == nil || !slices.Equal(got, c.want) {
				t.Errorf("%v: %q, %v", c.value, got, err)
			}
		})
	}
	got, _ := Rules{Profile: ProfileClarvis}.Tools(input)
	if got[0] = "x"; input[0] != "Read" || input[2] != " Grep " {
		t.Error("S1-29: the list that was given is changed")
	}
	for front, want := range map[string]string{
		"allowed-tools: [Bash]\ntools: [Read]": "[Bash] true", `tools: "Read, Write"`: "[Read Write] true", "version: a": "[] false",
		"allowed-tools: []": "[] true", "allowed-tools: \"\"\ntools: Read": "[] true",
	} {
		t.Run("S1-30", func(t *testing.T) {
			skill, got := parsed(document(ok2+"\n"+front, ""), Rules{Profile: ProfileClarvis})
			if skill == nil || fmt.Sprint(skill.AllowedTools, skill.AllowedTools != nil) != want {
				t.Errorf("%q: %s, %+v", front, got, skill)
			}
		})
	}
}

func TestErrorsCarryTheirFields(t *testing.T) {
	t.Run("S1-34", func(t *testing.T) {
		var err error = &Error{Kind: "duplicate_skill", Message: "m", Name: "dup", Paths: []string{"R/one", "R/two"}}
		var e *Error
		if !errors.As(err, &e) || e.Code() != "duplicate_skill" {
			t.Fatal(err)
		}
		want := map[string]any{"name": "dup", "paths": []string{"R/one", "R/two"}}
		if diff := cmp.Diff(want, e.Fields()); diff != "" {
			t.Error(diff)
		}
		e.Fields()["paths"].([]string)[0] = "changed"
		if e.Paths[0] != "R/one" {
			t.Error("the fields are the error's own")
		}
		full := (&Error{Path: "p", Name: "n", Rel: "r", At: "a"}).Fields()
		if diff := cmp.Diff(map[string]any{"path": "p", "name": "n", "rel": "r", "at": "a"}, full); diff != "" {
			t.Error(diff)
		}
		if len((&Error{}).Fields()) != 0 {
			t.Error("fields that are not set")
		}
	})
}
