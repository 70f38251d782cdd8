package manifest_test

import (
	"strings"
	"testing"

	"skills/lockfile/manifest"
)

// TestFormIsToldByExtensionThenByContent tells which reader it was by what that one finds wrong.
func TestFormIsToldByExtensionThenByContent(t *testing.T) {
	for _, tt := range []struct{ file, text, fault string }{
		{"skills.toml", "o/r o/s", "not valid TOML"},
		{"SKILLS.TOML", "o/r o/s", "not valid TOML"},
		{"a.b/team.yaml", "o/r o/s", "the document is a string"},
		{"team.YML", "o/r o/s", "the document is a string"},

		{"team.txt", "o/r o/s", "a second source on the line"},
		{"team", "# kind: x\n\n# [skills]\no/r o/s\n", "a second source on the line"},
		{"", "https://github.com/o/r o/s", "a second source on the line"},
		{"-", "npm:left-pad o/s", "a second source on the line"},
		{"skills.tom", "git@git.corp.example:o/r [skills]", "a second source on the line"},
		{"toml", "o/r#= = o/s", "a second source on the line"},
		{"-", "kind:x kind: x", "a second source on the line"},

		{"-", "# ours\n[skill]\n", `unknown key "skill" at the top`},
		{"-", "\uFEFF\n  mode = 'x'\n", `unknown mode "x"`},
		{"-", "skills.pdf=5", `"pdf" is an integer`},
		{"-", "\"mode\"\t= 'x'", `unknown mode "x"`},
		{"-", "[[packs]]\r\n", "pack without a source"},

		{"-", "# ours\nkind: X\n", `kind "X" is not read`},
		{"team.txt", "\uFEFF---\r\nkind: X\n", `kind "X" is not read`},
		{"-", "%YAML 1.1\n---\nkind: X\n", `kind "X" is not read`},
		{"plugin.json", "{\"kind\":\"X\"}", `kind "X" is not read`},
		{"", "{\n  \"kind\": \"X\"}", `kind "X" is not read`},
		{"", "kind:\n", `"kind" is missing`},
		{"", "'kind': X", `kind "X" is not read`},
	} {
		_, err := manifest.ParseAny([]byte(tt.text), tt.file)
		if err == nil || !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s %q: got %v, want %s", tt.file, tt.text, err, tt.fault)
		}
	}
}

func TestAnythingWithoutWordsIsEmpty(t *testing.T) {
	for _, file := range []string{"skills.toml", "skills.yaml", "skills.txt", ""} {
		for _, text := range []string{"", "\uFEFF", "\n", "# nothing\n"} {
			m, err := manifest.ParseAny([]byte(text), file)
			if err != nil {
				t.Fatalf("%s %q: %v", file, text, err)
			}
			same(t, file+" "+text, m, &manifest.Manifest{Plugins: m.Plugins})
		}
	}
}
