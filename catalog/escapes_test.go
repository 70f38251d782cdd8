package catalog

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
)

// inspected gives what Inspect says of a skill about hidden characters.
func inspected(t *testing.T, front string, profile Profile) (got []string) {
	t.Helper()
	tree := fstest.MapFS{"x/SKILL.md": {Data: []byte("---\nname: x\n" + front + "\n---\nBody.\n")}}
	_, findings, err := Inspect(t.Context(), tree, "x", Rules{Profile: profile, BareNames: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if slices.Contains([]string{"control_character", "bidi_control", "hidden_text"}, f.Code) {
			got = append(got, fmt.Sprintf("%s:%d %s %s: %s", f.File, f.Line, f.Severity, f.Code, f.Message))
		}
	}
	return got
}

// Characters that are written as escapes are judged like those that stand in the file, under every profile.
func TestEscapesHideNothing(t *testing.T) {
	said := func(line int, code, key, character string) string {
		return fmt.Sprintf("SKILL.md:%d warning %s: %s holds the character %s, written as an escape", line, code, key, character)
	}
	for _, tt := range []struct {
		what, front string
		want        []string
	}{
		{"a colour", `description: "a\e[31mb"`, []string{said(3, "control_character", "description", "U+001B")}},
		{"a bell", "description: d\nlicense: \"\\x07\"", []string{said(4, "control_character", "license", "U+0007")}},
		{"an override", `description: "a\u202Eb"`, []string{said(3, "bidi_control", "description", "U+202E")}},
		{"an isolate by its long form", `description: "a\U00002066b"`, []string{said(3, "bidi_control", "description", "U+2066")}},
		{"tags", `description: "a\U000E0041\U000E0042"`, []string{said(3, "hidden_text", "description", "U+E0041")}},
		{"each kind once, in the order of the file", "license: \"\\e\"\ndescription: \"\\e\\a\\u202e\\u202d\"", []string{
			said(3, "control_character", "license", "U+001B"), said(4, "control_character", "description", "U+001B"), said(4, "bidi_control", "description", "U+202E"),
		}},
		{"deep down", "description: d\nmetadata:\n  \"k\\e\": y\n  l: [\"\\u202e\"]", []string{
			said(4, "control_character", "metadata", "U+001B"), said(4, "bidi_control", "metadata", "U+202E"),
		}},
		{"ordinary escapes", `description: "a\tb\nc \u00e9 \U0001F41D \u200d"`, nil},
		{"no escape in single quotes", `description: 'a\e[31m\u202e'`, nil},
		{"told by the bytes already", "description: \"a\u202eb \\u202e\"", []string{
			"SKILL.md:3 warning bidi_control: the character U+202E changes the order in which the text is shown",
		}},
	} {
		for _, profile := range []Profile{ProfileInstall, ProfileSpec, ProfileSkillKit, ProfileClarvis, ProfileSmarter} {
			t.Run(tt.what+" "+string(profile), func(t *testing.T) {
				if got := inspected(t, tt.front, profile); !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
	if got := inspected(t, `description: "a\e[31mb"`, ProfileZidane); len(got) != 1 {
		t.Errorf("zidane: %q", got)
	}
}

// What is added is looked at in the same way.
func TestCandidatesTellOfEscapes(t *testing.T) {
	tree := fstest.MapFS{"x/SKILL.md": {Data: []byte("---\nname: x\ndescription: \"a\\e[31mb\"\n---\nBody.\n")}}
	listing, err := Walk(t.Context(), tree, WalkOptions{})
	if err == nil {
		err = listing.Read(t.Context(), tree, false)
	}
	if err != nil || len(listing.Candidates) != 1 || len(listing.Candidates[0].Findings) != 1 || listing.Candidates[0].Findings[0].File != "x/SKILL.md" {
		t.Errorf("%v %+v", err, listing)
	}
}

// 3.2: each value of metadata that is no text is told where it stands.
func TestMetadataIsToldByTheLineOfTheEntry(t *testing.T) {
	_, findings, err := Parse([]byte("---\nname: x\ndescription: d\nmetadata:\n  a: x\n  v: 1.0\n  list: [1]\n---\nBody.\n"), Rules{Profile: ProfileSpec})
	var lines []int
	for _, f := range findings {
		lines = append(lines, f.Line)
	}
	if !slices.Equal(lines, []int{6, 7}) || err != nil {
		t.Errorf("lines %v of %v, %v", lines, findings, err)
	}
	_, findings, err = Validate(map[string]any{"name": "x", "description": "d", "metadata": map[string]any{"v": 1}}, Rules{Profile: ProfileSpec})
	if len(findings) != 1 || findings[0].Line != 0 || err != nil {
		t.Errorf("%v, %v", findings, err)
	}
}
