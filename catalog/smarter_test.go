package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const smartName = "name: t\ndescription: d"

// sized gives a document of exactly that many characters.
func sized(characters int, with string) string {
	start := document(smartName, "")
	return start + strings.Repeat(with, characters-len(start))
}

func TestSmarterDocuments(t *testing.T) {
	lines := document(smartName, "x") + strings.Repeat("\r\n", 150_000)
	try(t, Rules{Profile: ProfileSmarter}, []vector{
		{"S2-2", sized(200_000, "x"), "ok"}, {"S2-2", sized(200_001, "x"), "E(too_long)"}, {"S2-2", sized(200_000, "é"), "ok"},
		{"S2-2", document("name: "+strings.Repeat("x", 64)+"\ndescription: d", ""), "ok"},
		{"S2-3", lines, "ok"},
		{"S2-6", "", "E(frontmatter_missing)"}, {"S2-6", "   \n", "E(frontmatter_missing)"}, {"S2-6", "\xff\xfe", "E(not_text)"},
		{"S2-7", "\n" + document(smartName, "x"), "E(frontmatter_missing)"}, {"S2-7", "---  \nname: t\ndescription: d\n--- \nbody", "ok"},
		{"S2-8", document("name: [x\ndescription: d", ""), "E(yaml frontmatter)"}, {"S2-8", document("- a\n- b", ""), "E(not_a_mapping)"},
		{"S2-8", document("just text", ""), "E(not_a_mapping)"}, {"S2-8", document("", ""), "E(not_a_mapping)"}, {"S2-8", document("# c", ""), "E(not_a_mapping)"},
	})
}

func TestSmarterFields(t *testing.T) {
	try(t, Rules{Profile: ProfileSmarter}, []vector{
		{"S2-11", document("name: 123\ndescription: d", ""), "E(invalid_field name)"},
		{"S2-11", document("name: ''\ndescription: d", ""), "E(missing_field name)"},
		{"S2-11", document("name: |\n  pdf\ndescription: d", ""), "ok W(name_whitespace)"},
		{"S2-12", document("name: t\ndescription: "+strings.Repeat("x", 1024), ""), "ok"},
		{"S2-12", document("name: t\ndescription: "+strings.Repeat("x", 1025), ""), "E(too_long description)"},
		{"S2-12", document("name: t\ndescription: '"+strings.Repeat("x", 1024)+" '", ""), "E(too_long description)"},
		{"S2-12", document("name: t\ndescription: '   '", ""), "E(missing_field description)"},
		{"S2-12", document("name: t\ndescription: [a, b]", ""), "E(invalid_field description)"},
		{"S2-13", document(smartName+"\nlicense: [MIT]", ""), "E(invalid_field license)"},
		{"S2-13", document(smartName+"\nlicense: ~", ""), "ok"}, {"S2-13", document(smartName+"\nlicense: MIT", ""), "ok"},
		{"S2-14", document(smartName+"\ncompatibility: Requires Python 3.14+ and uv", ""), "ok"},
		{"S2-14", document(smartName+"\ncompatibility: ~", ""), "ok"},
		{"S2-14", document(smartName+"\ncompatibility: "+strings.Repeat("x", 500), ""), "ok"},
		{"S2-14", document(smartName+"\ncompatibility: "+strings.Repeat("x", 501), ""), "E(invalid_field compatibility)"},
		{"S2-14", document(smartName+"\ncompatibility: ''", ""), "E(invalid_field compatibility)"},
		{"S2-14", document(smartName+"\ncompatibility: [a]", ""), "E(invalid_field compatibility)"},
		{"S2-15", document(smartName+"\nmetadata: [a]", ""), "E(invalid_field metadata)"},
		{"S2-15", document(smartName+"\nmetadata: text", ""), "E(invalid_field metadata)"},
		{"S2-15", document(smartName+"\nmetadata: ~", ""), "ok"}, {"S2-15", document(smartName+"\nmetadata: {1: a}", ""), "ok"},
		{"S2-16", document(smartName+"\ndisable-model-invocation: true", ""), "ok"},
	})
	for name, want := range map[string]string{"a": "ok", "a1": "ok", "1-2-3": "ok", "pdf-processing": "ok", strings.Repeat("x", 64): "ok",
		"PDF": "E(name_format name)", "-a": "E(name_format name)", "a-": "E(name_format name)", "a--b": "E(name_format name)", "a_b": "E(name_format name)",
		"a b": "E(name_format name)", "a.b": "E(name_format name)", strings.Repeat("x", 65): "E(too_long name)"} {
		t.Run("S2-11/"+name, func(t *testing.T) {
			for _, profile := range []Profile{ProfileSmarter, ProfileSpec} {
				if _, got := parsed(document("name: "+name+"\ndescription: d", "x"), Rules{Profile: profile}); got != want {
					t.Errorf("%s: got %s, want %s", profile, got, want)
				}
			}
		})
	}
}

func TestSmarterResults(t *testing.T) {
	smarter := func(text string) *Skill {
		skill, _ := parsed(text, Rules{Profile: ProfileSmarter})
		if skill == nil {
			t.Fatalf("%q is refused", text)
		}
		return skill
	}
	t.Run("S2-4", func(t *testing.T) {
		text := document(smartName+"\nx: {y: [1]}\nlicense: MIT", "a\n\n  b\n\n")
		skill := smarter(text)
		got := []any{skill.Document, skill.Frontmatter["x"], skill.License, skill.Compatibility, len(skill.Metadata), len(skill.AllowedTools)}
		if diff := cmp.Diff([]any{text, map[string]any{"y": []any{"1"}}, "MIT", "", 0, 0}, got); diff != "" {
			t.Error(diff)
		}
		if brief := skill.brief(); brief.Document != "" || brief.Body != "" || brief.RequiredScope == nil || !brief.ModelInvocable {
			t.Errorf("%+v", brief)
		}
	})
	t.Run("S2-5", func(t *testing.T) {
		if got := smarter("\ufeff" + strings.ReplaceAll(document(smartName, "a\nb"), "\n", "\r\n") + "\rc\ufeff\n").Document; got != document(smartName, "a\nb\nc\ufeff\n") {
			t.Errorf("%q", got)
		}
		if got := normalize("\ufeffa\r\nb\rc\n"); got != "a\nb\nc\n" {
			t.Errorf("%q", got)
		}
	})
	t.Run("S2-7", func(t *testing.T) {
		if got := smarter("---  \nname: t\ndescription: d\n--- \nbody").Body; got != "body" {
			t.Errorf("%q", got)
		}
	})
	t.Run("S2-9", func(t *testing.T) {
		if diff := cmp.Diff(map[string]any{"released": "2025-10-16"}, smarter(document(smartName+"\nmetadata: {released: 2025-10-16}", "")).Metadata); diff != "" {
			t.Error(diff)
		}
		day := time.Date(2025, 10, 16, 0, 0, 0, 0, time.UTC)
		skill, _, err := Validate(map[string]any{"name": "t", "description": "d", "x": day, "y": day.Add(90 * time.Minute), "z": nil}, Rules{})
		if err != nil || skill.Frontmatter["x"] != "2025-10-16" || skill.Frontmatter["y"] != "2025-10-16T01:30:00Z" || skill.Frontmatter["z"] != nil {
			t.Error(skill, err)
		}
	})
	t.Run("S2-10", func(t *testing.T) {
		if got := smarter(document(smartName, "\n\n    code\n\nend  \n\n")).Body; got != "    code\n\nend  " {
			t.Errorf("%q", got)
		}
	})
	t.Run("S2-12", func(t *testing.T) {
		skill := smarter(document("name: t\ndescription: >\n  line one\n  line two", ""))
		if skill.Frontmatter["description"] != "line one line two\n" || skill.Description != "line one line two" {
			t.Errorf("%q", skill.Frontmatter["description"])
		}
	})
	t.Run("S2-14", func(t *testing.T) {
		if got := smarter(document(smartName+"\ncompatibility: Requires Python 3.14+ and uv", "")).Compatibility; got != "Requires Python 3.14+ and uv" {
			t.Errorf("%q", got)
		}
	})
	t.Run("S2-16", func(t *testing.T) {
		if skill := smarter(document(smartName+"\ndisable-model-invocation: true", "")); skill.Frontmatter["disable-model-invocation"] != true || skill.ModelInvocable {
			t.Errorf("%+v", skill)
		}
	})
}

func TestSmarterTools(t *testing.T) {
	for _, c := range []struct {
		value any
		want  []string // nil for an error
	}{
		{"Bash(git status:*) Read, Grep", []string{"Bash(git status:*)", "Read", "Grep"}}, {[]any{"Read", " Grep "}, []string{"Read", "Grep"}},
		{[]any{"Read", ""}, nil}, {[]any{"Read", 1}, nil}, {42, nil}, {map[string]any{"a": "b"}, nil}, {true, nil},
		{"", []string{}}, {"  ", []string{}}, {[]any{}, []string{}}, {nil, []string{}},
		{"Read) Grep", []string{"Read)", "Grep"}}, {"Bash(git:* Read", []string{"Bash(git:* Read"}}, {"Bash (git:*)", []string{"Bash", "(git:*)"}},
		{[]any{"Read, Grep"}, []string{"Read, Grep"}},
	} {
		t.Run("S2-17", func(t *testing.T) {
			got, err := Rules{Profile: ProfileSmarter}.Tools(c.value)
			if (err == nil) != (c.want != nil) || !slices.Equal(got, c.want) || c.want != nil && got == nil {
				t.Errorf("%v: %q, %v", c.value, got, err)
			}
			_, findings, err := Validate(map[string]any{"name": "t", "description": "d", "allowed-tools": c.value}, Rules{Profile: ProfileSmarter})
			if got := outcome(findings, err); strings.HasPrefix(got, "E(invalid_field allowed-tools)") != (c.want == nil) {
				t.Errorf("%v: %s", c.value, got)
			}
		})
	}
}

func TestSmarterValidate(t *testing.T) {
	t.Run("S2-18", func(t *testing.T) {
		if _, findings, err := Validate(map[string]any{"name": "x", "description": "d", "anything": 1}, Rules{Profile: ProfileSmarter}); outcome(findings, err) != "ok" {
			t.Error(findings, err)
		}
		if _, findings, err := Validate(map[string]any{"name": "x"}, Rules{Profile: ProfileSmarter}); outcome(findings, err) != "E(missing_field description)" {
			t.Error(findings, err)
		}
	})
	// S2-1: one parser for the text and for the mapping.
	t.Run("S2-1", func(t *testing.T) {
		for _, front := range []string{smartName, "name: T\ndescription: d", smartName + "\nallowed-tools: Bash (x)", smartName + "\nmetadata: {a: 1}"} {
			for _, profile := range profiles() {
				one, findings, err := Parse([]byte(document(front, "x")), Rules{Profile: profile})
				first := outcome(findings, err)
				entries, _ := decode(front)
				mapping := map[string]any{}
				for _, e := range entries {
					mapping[e.key] = e.value
				}
				two, findings, err := Validate(mapping, Rules{Profile: profile})
				if second := strings.ReplaceAll(outcome(findings, err), " W(invalid_field)", ""); strings.ReplaceAll(first, " W(invalid_field)", "") != second {
					t.Errorf("%q, %s: %s as a text, %s as a mapping", front, profile, first, second)
				}
				if one != nil && fmt.Sprint(one.Name, one.Description, one.AllowedTools) != fmt.Sprint(two.Name, two.Description, two.AllowedTools) {
					t.Errorf("%q, %s: %+v, %+v", front, profile, one, two)
				}
			}
		}
	})
}

// The specification by the letter: other keys are errors, and so is what widens the list of tools.
func TestSpecification(t *testing.T) {
	try(t, Rules{Profile: ProfileSpec}, []vector{
		{"spec", document(ok2+"\nlicense: MIT\ncompatibility: x\nmetadata: {a: b}\nallowed-tools: Read Grep", "x"), "ok I(tools_ambiguous)"},
		{"spec", document(ok2+"\nmetadata: {a: 1.0, b: true, c: \"1\"}", "x"), "ok W(invalid_field) W(invalid_field)"},
		{"spec", document(ok2+"\nallowed-tools: Bash (git:*)", "x"), "E(invalid_field allowed-tools) I(tools_ambiguous)"},
		{"spec", document(ok2+"\nallowed-tools: [Read]", "x"), "ok"},
		{"spec", document(ok2+"\nhooks: {Stop: []}", "x"), "E(invalid_field hooks)"},
		{"spec", document(ok2+"\nLicense: x", "x"), "E(invalid_field License)"},
		{"spec", document("name: con\ndescription: d", "x"), "ok W(unsafe_name)"},
	})
}
