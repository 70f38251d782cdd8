package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skills/lockfile/manifest"
)

const notesPlugin = `# a plugin with its text
apiVersion: smarter.sh/v1
kind: SkillPlugin
metadata:
  name: notes
  description: Writes notes.
  version: 0.1.0
  tags: [a, b]
spec:
  selector:
    directive: search_terms
    searchTerms: [notes]
  prompt:
    temperature: 0.5
  skillData:
    skill: |
      ---
      name: notes
      description: "Turns raw transcripts into notes."
      ---

      Blanks at the end stay:  ` + `
        # so does what is indented

      Follow [the template](assets/template.md).
    resources:
      assets/template.md: "## Decisions\n"
      ./scripts//b.py: |+
        print()

      folded.md: >-
        one
        line
status:
  deployed: true
`

const pdfPlugin = `apiVersion: smarter.sh/v1
kind: SkillPlugin
metadata: {name: pdf}
spec:
  skillData:
    source:
      url: "  https://github.com/anthropics/skills/tree/main/skills/pdf "
`

func notesSkill(line int) manifest.Skill {
	return manifest.Skill{Name: "notes", Line: line, Inline: &manifest.Inline{
		Document: "---\nname: notes\ndescription: \"Turns raw transcripts into notes.\"\n---\n\nBlanks at the end stay:  \n" +
			"  # so does what is indented\n\nFollow [the template](assets/template.md).\n",
		Resources: map[string]string{"assets/template.md": "## Decisions\n", "scripts/b.py": "print()\n\n", "folded.md": "one line"},
	}}
}

func plugins(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.ParsePlugins([]byte(text), "p.yaml")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func TestPluginWithATextIsAnInlineSkill(t *testing.T) {
	want := &manifest.Manifest{Plugins: true, Skills: []manifest.Skill{notesSkill(2)}}
	for what, text := range map[string]string{"lf": notesPlugin, "crlf": strings.ReplaceAll(notesPlugin, "\n", "\r\n"), "bom": "\uFEFF" + notesPlugin} {
		same(t, what, plugins(t, text), want)
	}
}

func TestSeveralPluginsKeepTheirOrder(t *testing.T) {
	pdf := manifest.Skill{Name: "pdf", Source: "https://github.com/anthropics/skills/tree/main/skills/pdf"}
	text := "---\n# first nothing\n---\n" + pdfPlugin + "---\n" + notesPlugin + "...\n---\n~\n---\n"
	same(t, "two", plugins(t, text), &manifest.Manifest{Plugins: true, Skills: []manifest.Skill{pdf, notesSkill(0)}}, cmpopts.IgnoreFields(manifest.Skill{}, "Line"))
	lines := strings.Split(text, "\n")
	for _, s := range plugins(t, text).Skills {
		if lines[s.Line-1] != "apiVersion: smarter.sh/v1" {
			t.Errorf("%s begins on line %d: %q", s.Name, s.Line, lines[s.Line-1])
		}
	}
}

func TestNoPluginsSayNothing(t *testing.T) {
	for _, text := range []string{"", "\uFEFF", "---\n", "# nothing\n", "---\n---\n...\n", "~\n"} {
		same(t, text, plugins(t, text), &manifest.Manifest{Plugins: true})
	}
}

// data puts skillData of a plugin on line 6.
func data(text string) string {
	return "apiVersion: smarter.sh/v1\nkind: SkillPlugin\nmetadata:\n  name: x\nspec:\n  skillData: " + text + "\n"
}

func TestTextsAreKeptToTheLetter(t *testing.T) {
	for text, want := range map[string]string{
		"{skill: \"---\\nname: x\\n---\\n\"}":             "---\nname: x\n---\n",
		"{skill: '---'}":                                  "---",
		"\n    skill: |\n      a  \n\n       b\t\n\n\n":   "a  \n\n b\t\n",
		"\n    skill: |+\n      a\n\n\n":                  "a\n\n\n\n",
		"\n    skill: |-\n      a\n":                      "a",
		"\n    skill: |2\n        a\n":                    "  a\n",
		"\n    skill: |\n      # not a comment\n      ~":  "# not a comment\n~\n",
		"{\"skill\": \"a\\r\\nb\", \"source\": null}":     "a\r\nb",
		"{skill: !!str 5, resources: ~}":                  "5",
		"{skill: \"\\U0001F41D \\u2028\", resources: {}}": "\U0001F41D \u2028",
		"\n    skill: &again |\n      *again &again\n":    "*again &again\n",
	} {
		if got := plugins(t, data(text)).Skills[0].Inline.Document; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestPathsOfResourcesAreCleaned(t *testing.T) {
	got := plugins(t, data("{skill: x, resources: {' F.md ': '1', ./a//b/./c: '2', scripts/../references/a.md: '3', d/: '4'}}")).Skills[0].Inline.Resources
	if diff := cmp.Diff(map[string]string{"F.md": "1", "a/b/c": "2", "references/a.md": "3", "d": "4"}, got); diff != "" {
		t.Error(diff)
	}
	none := plugins(t, data("{skill: x, resources: {}}")).Skills[0].Inline.Resources
	if none == nil || len(none) > 0 {
		t.Errorf("got %v", none)
	}
}

func TestAVersionThatIsNotKnownIsAWarning(t *testing.T) {
	t.Run("S2-44", func(t *testing.T) {
		m := plugins(t, strings.Replace(pdfPlugin, "smarter.sh/v1", "foo", 1))
		if len(m.Warnings) != 1 || len(m.Skills) != 1 {
			t.Fatalf("got %v, %v", m.Warnings, m.Skills)
		}
		refused(t, "strict", m.Strict(), "manifest_invalid", `p.yaml:1: apiVersion "foo" is not known, and is read as smarter.sh/v1`, "write apiVersion: smarter.sh/v1")
	})
}

func TestBadPluginsAreRefusedWithTheirLine(t *testing.T) {
	for _, tt := range []struct{ text, code, message, hint string }{
		{"x\n", "manifest_invalid", "p.yaml:1: the document is a string, not a mapping", ""},
		{"\n- a\n", "manifest_invalid", "p.yaml:2: the document is a list, not a mapping", ""},
		{"a: 1\n", "manifest_invalid", `p.yaml:1: "kind" is missing`, "apiVersion, kind, metadata"},
		{pdfPlugin + "---\napiVersion: v1\nkind: ConfigMap\ndata: {}\n", "manifest_invalid", `p.yaml:10: kind "ConfigMap" is not read, only SkillPlugin is`, "take the document out"},
		{"kind: skillplugin\n", "manifest_invalid", `kind "skillplugin" is not read`, ""},
		{"kind: [SkillPlugin]\n", "manifest_invalid", `"kind" is a list, not a string`, ""},
		{"kind: SkillPlugin\n", "manifest_invalid", `"apiVersion" is missing`, ""},
		{"kind: SkillPlugin\nspecs: {}\n", "unknown_key", `p.yaml:2: unknown key "specs" in SkillPlugin`, `did you mean "spec"?`},
		{"kind: SkillPlugin\napiVersion: 1\n", "manifest_invalid", `p.yaml:2: "apiVersion" is an integer, not a string`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata:\n", "manifest_invalid", `"metadata" is missing`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata: x\n", "manifest_invalid", `p.yaml:3: "metadata" is a string, not a mapping`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata: {title: x}\n", "manifest_invalid", `p.yaml:3: "name" is missing`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata: {name: 1.0}\n", "manifest_invalid", `"name" is a float or a date, not a string`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata:\n  name: ../x\n", "unsafe_name", `p.yaml:4: name "../x"`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata: {name: x}\n", "manifest_invalid", `"spec" is missing`, ""},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata: {name: x}\nspec: {skilldata: {}}\n", "unknown_key", `p.yaml:4: unknown key "skilldata" in SkillPlugin.spec`, `did you mean "skillData"?`},
		{"kind: SkillPlugin\napiVersion: v1\nmetadata: {name: x}\nspec: {prompt: {}}\n", "manifest_invalid", `"skillData" is missing`, ""},
		{data("[]"), "manifest_invalid", `p.yaml:6: "skillData" is a list, not a mapping`, ""},
		{data("{}"), "invalid_input", `p.yaml:6: "skillData" has neither "skill" nor "source"`, "skill: |"},
		{data("{skill: ~}"), "invalid_input", `has neither "skill" nor "source"`, ""},
		{data("{skill: ''}"), "manifest_invalid", `p.yaml:6: "skill" is empty`, ""},
		{data("{skill: x, source: {url: o/r}}"), "invalid_input", `has both "skill" and "source"`, ""},
		{data("{skill: 5}"), "manifest_invalid", `"skill" is an integer, not a string`, ""},
		{data("{skill: !!binary eA==}"), "manifest_invalid", `"skill" is tagged "!!binary", not a string`, ""},
		{data("{skill: x, resource: {}}"), "unknown_key", `p.yaml:6: unknown key "resource" in SkillPlugin.spec.skillData`, `did you mean "resources"?`},
		{data("\n    skill: >\n      ---\n      name: x\n      ---\n"), "manifest_invalid", `p.yaml:7: "skill" is folded with ">"`, "skill: |"},
		{data("{source: o/r}"), "manifest_invalid", `"source" is a string, not a mapping`, "source: {url: …}"},
		{data("{source: {}}"), "manifest_invalid", `"url" is missing`, ""},
		{data("{source: {url: ' '}}"), "manifest_invalid", `"url" is empty`, ""},
		{data("{source: {url: 'http://e.com/SKILL.md'}}"), "invalid_source", `p.yaml:6: source "http://e.com/SKILL.md" is not encrypted`, "https://"},
		{data("{source: {url: o/r, ref: v1}}"), "unknown_key", `unknown key "ref" in SkillPlugin.spec.source`, ""},
		{data("{source: {url: o/r}, resources: {a.md: x}}"), "invalid_input", `"resources" stand beside a "source"`, ""},
		{data("{skill: x, resources: [a]}"), "manifest_invalid", `"resources" is a list, not a mapping`, ""},
		{data("{skill: x, resources: {a.md: 42}}"), "manifest_invalid", `"a.md" is an integer, not a string`, ""},
		{data("\n    skill: x\n    resources:\n      a.md: ''\n      ../logo.png: ~"), "path_escape", `p.yaml:10: resource "../logo.png" holds ".."`, ""},
		{data("{skill: x, resources: {a.png: ~, ./A.png: ''}}"), "already_exists", `resources "a.png" and "A.png" are one file`, ""},
		{data("\n    skill: x\n    resources:\n      ../e.md: x"), "path_escape", `p.yaml:9: resource "../e.md" holds ".."`, ""},
		{data("{skill: x, resources: {a/../../e.md: x}}"), "path_escape", `resource "../e.md"`, ""},
		{data("{skill: x, resources: {/e.md: x}}"), "path_escape", `resource "/e.md" is not relative`, ""},
		{data("{skill: x, resources: {'a\\b': x}}"), "path_escape", `holds "\"`, ""},
		{data("{skill: x, resources: {'C:/x': x}}"), "path_escape", `resource "C:/x"`, ""},
		{data("{skill: x, resources: {' ': x}}"), "path_escape", `resource "." holds "."`, ""},
		{data("{skill: x, resources: {a/..: x}}"), "path_escape", `resource "."`, ""},
		{data("{skill: x, resources: {./SKILL.md: x}}"), "already_exists", `"SKILL.md"`, ""},
		{data("{skill: x, resources: {a.md: x, ./a.md: y}}"), "already_exists", `resources "a.md" and "a.md" are one file`, ""},
		{data("{skill: x, resources: {a: x, A/b: y}}"), "already_exists", `resource "A/b" lies below "a"`, ""},
		{data("{skill: x, skill: y}"), "manifest_invalid", `key "skill" stands twice`, ""},
		{data("{skill: x, [a]: y}"), "manifest_invalid", `a key is a list, not a text`, ""},
		{data("&a {skill: *a}"), "manifest_invalid", `"skill" is an alias, not a string`, ""},
		{pdfPlugin + "---\n" + pdfPlugin, "already_exists", `p.yaml:11: "pdf" is a name on line 3 too`, "rename"},
		{pdfPlugin + "---\n" + strings.Replace(pdfPlugin, "pdf", "PDF", 1), "already_exists", `"PDF" and "pdf" of line 3 are one directory`, "rename"},
	} {
		_, err := manifest.ParsePlugins([]byte(tt.text), "p.yaml")
		refused(t, tt.text, err, tt.code, tt.message, tt.hint)
	}
}

func TestWhatIsNoYAMLIsRefusedWithItsLine(t *testing.T) {
	for _, tt := range []struct{ text, code, message string }{
		{"a: [\n", "manifest_damaged", "p.yaml:2: not valid YAML: did not find expected node content"},
		{"a: 1\n\n\nb: {\n\n\n c: ]\n", "manifest_damaged", "p.yaml:7: not valid YAML: "},
		{"a:\n  - b\n c: 1\n", "manifest_damaged", "p.yaml:3: not valid YAML: "},
		{"a: 1\n\tb: 2\n", "manifest_damaged", "p.yaml:2: not valid YAML: found a tab"},
		{"a: *b\n", "manifest_damaged", "unknown anchor 'b'"},
		{"a: \x07\n", "manifest_damaged", "not valid YAML: control characters"},
		{"a: 1\nb: \xff\n", "manifest_damaged", "p.yaml:2: not UTF-8"},
		{pdfPlugin + "# \u0085\n", "manifest_damaged", "p.yaml:8: a line separator"},
		{"a: |\n  b\n  c\u2028d\n", "manifest_damaged", "p.yaml:3: a line separator"},
		{"kind: SkillPlugin\n<<<<<<< HEAD\na: b\n=======\na: c\n>>>>>>> x\n", "manifest_conflict", "p.yaml:2: merge conflict markers on lines 2, 4 and 6"},
		{"a: [\n", "manifest_damaged", "p.yaml:2:"},
		{strings.Repeat("---\n", 10_001), "manifest_damaged", "more than 10000 documents"},
		{strings.Repeat("#", 2<<20+1), "manifest_damaged", "more than the 2097152 that are read"},
		{strings.Repeat("[", 200_000), "manifest_damaged", "exceeded max depth"},
		{strings.Repeat("- ", 200_000), "manifest_damaged", "exceeded max depth"},
	} {
		_, err := manifest.ParsePlugins([]byte(tt.text), "p.yaml")
		refused(t, tt.text[:min(len(tt.text), 80)], err, tt.code, tt.message, "")
	}
}

// TestAliasesCostNothing would not end if the 9^25 values of what is not read were made.
func TestAliasesCostNothing(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString(pdfPlugin + "  prompt:\n    a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i, name := 1, byte('a'); i < 26; i++ {
		last := string(name)
		name++
		bomb.WriteString("    " + string(name) + "0: &" + string(name) + "0 [" + strings.TrimSuffix(strings.Repeat("*"+last+"0, ", 9), ", ") + "]\n")
	}
	if got := plugins(t, bomb.String()).Skills; len(got) != 1 || got[0].Name != "pdf" {
		t.Errorf("got %+v", got)
	}
}

// FuzzParsePlugins: no text makes it panic, every fault has a line, and every skill has one origin and a safe name.
func FuzzParsePlugins(f *testing.F) {
	for _, seed := range []string{notesPlugin, pdfPlugin, pdfPlugin + "---\n" + notesPlugin, data("{skill: x, resources: {a: b}}"), data("{skill: ~}"),
		"a: &a [*a]", "---\n---\n", "%YAML 1.1\n---\na: !!set {a}\n", "? [a]\n: b", "<<<<<<< x\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.ParsePlugins(data, "p.yaml")
		if err != nil {
			hasLine(t, data, err)
			return
		}
		for _, s := range m.Skills {
			if (s.Source == "") == (s.Inline == nil) || s.Inline != nil && s.Inline.Document == "" || s.Name == "" || strings.ContainsAny(s.Name, "/\\\x00") {
				t.Fatalf("%q: %+v", data, s)
			}
		}
	})
}
