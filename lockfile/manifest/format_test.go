package manifest_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/lockfile/manifest"
	"skills/source"
)

func ExampleFormatPlugins() {
	text, err := manifest.FormatPlugins(
		manifest.Skill{Name: "pdf", Source: "https://github.com/anthropics/skills/tree/main/skills/pdf"},
		manifest.Skill{Name: "notes", Inline: &manifest.Inline{
			Document:    "---\nname: notes\ndescription: Writes notes.\n---\n\nBe brief.\n",
			Resources:   map[string]string{"assets/template.md": "# Said\n\n# Done\n"},
			Unavailable: []string{"assets/logo.png"},
		}},
	)
	fmt.Print(string(text), err)
	// Output:
	// apiVersion: smarter.sh/v1
	// kind: SkillPlugin
	// metadata:
	//   name: pdf
	// spec:
	//   skillData:
	//     source:
	//       url: https://github.com/anthropics/skills/tree/main/skills/pdf
	// ---
	// apiVersion: smarter.sh/v1
	// kind: SkillPlugin
	// metadata:
	//   name: notes
	// spec:
	//   skillData:
	//     skill: |
	//       ---
	//       name: notes
	//       description: Writes notes.
	//       ---
	//
	//       Be brief.
	//     resources:
	//       assets/logo.png: null
	//       assets/template.md: |
	//         # Said
	//
	//         # Done
	// <nil>
}

// awkwardTexts are texts that some writer of YAML has lost a byte of.
func awkwardTexts() []string {
	return []string{
		"x", " x", "x ", "\n", "\n\n", "\n x", " \n", "  \n \n", "x\n", "x\n\n\n", " x\ny\n", "\tx\ny\n", "x\n\ty\n", "x\n \n  \ny", "\n\nx\n\n\ny\n \n",
		"---\nname: x\n---\n", "x\n---\ny\n", "...\nx\n", "# x\n# y\n", "x # y\nz\n", "a: b\nc: d\n", "- x\n- y\n", "? x\n: y\n", "'\n\"\n\\\n", "@x\n%x\n`x`\n*x\n&x\n!x\n", "|\n>\n{a}\n[a]\n",
		"yes", "no", "null", "~", "1.0", "0o17", "2025-10-16", "true\n", "x\r\ny\r\n", "x\ry", "x\u2028y\nz\n", "x\u0085y\nz\n", "\ufeffx\ny\n", "x\ufeffy\nz\n",
		"\U0001F41D\n\U0001F468\u200d\U0001F469\n", "\x1b[31mred\nx\n", "\x00\n", "x\u202Edf\ny\n", strings.Repeat("x", 5000) + " " + strings.Repeat("y ", 3000) + "\nz\n", "\ud7ff\ue000\ufffd\n",
		"x\n\n # y\n", "\n\t\n x\n", "x\n\n\n  ",
	}
}

func TestWhatIsExportedReadsBackToTheLetter(t *testing.T) {
	var skills []manifest.Skill
	for i, text := range awkwardTexts() {
		skills = append(skills, manifest.Skill{Name: fmt.Sprintf("skill-%d", i), Inline: &manifest.Inline{
			Document: text, Resources: map[string]string{"a b/c #d.md": text, "yes": "", "1.0": text, "é.md": text}, Unavailable: []string{"logo.png", "~x"},
		}})
	}
	text, err := manifest.FormatPlugins(skills...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := manifest.FormatPlugins(plugins(t, string(text)).Skills...)
	if err != nil || string(again) != string(text) {
		t.Errorf("written twice: %v\n%s", err, cmp.Diff(string(text), string(again)))
	}
	for i, got := range plugins(t, string(text)).Skills {
		if got.Line = 0; !cmp.Equal(got, skills[i]) {
			t.Error(cmp.Diff(skills[i], got))
		}
	}
	compareWithPython(t, text, skills)
}

// compareWithPython reads documents with PyYAML, which shares no code with the reader here.
func compareWithPython(t *testing.T, text []byte, skills []manifest.Skill) {
	t.Helper()
	python := pythonWithYAML()
	if python == "" {
		t.Skip("python3 has no yaml")
	}
	c := exec.Command(python, "-c", "import sys, json, yaml; print(json.dumps([d['spec']['skillData'] for d in yaml.safe_load_all(sys.stdin.buffer.read().decode())]))")
	c.Stdin = strings.NewReader(string(text))
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var all []struct {
		Skill     string
		Resources map[string]*string
	}
	if err := json.Unmarshal(out, &all); err != nil || len(all) != len(skills) {
		t.Fatalf("%v: %d documents of %d", err, len(all), len(skills))
	}
	for i, s := range skills {
		want := map[string]*string{}
		for name, text := range s.Inline.Resources {
			want[name] = &text
		}
		for _, name := range s.Inline.Unavailable {
			want[name] = nil
		}
		if all[i].Skill != s.Inline.Document || !cmp.Equal(want, all[i].Resources) {
			t.Errorf("PyYAML reads %q for %q: %s", all[i].Skill, s.Inline.Document, cmp.Diff(want, all[i].Resources))
		}
	}
}

func TestWhatTheFormHasNoPlaceForIsNotExported(t *testing.T) {
	inline := &manifest.Inline{Document: "x"}
	for _, tt := range []struct {
		skill         manifest.Skill
		code, message string
	}{
		{manifest.Skill{Name: "x", Source: "o/r", Ref: "v1"}, "cannot_edit", `skill "x" does not read back`},
		{manifest.Skill{Name: "x", Source: "o/r", Path: "a"}, "cannot_edit", `skill "x" does not read back`},
		{manifest.Skill{Name: "x", Inline: inline, Agents: []string{}}, "cannot_edit", `skill "x" does not read back`},
		{manifest.Skill{Name: "x", Inline: inline, Mode: "copy"}, "cannot_edit", `skill "x" does not read back`},
		{manifest.Skill{Name: "x", Inline: inline, Reason: "old"}, "cannot_edit", `skill "x" does not read back`},
		{manifest.Skill{Name: "x", Inline: inline, Source: "o/r"}, "cannot_edit", `skill "x" does not read back`},
		{manifest.Skill{Name: "x"}, "manifest_invalid", `"url" is empty`},
		{manifest.Skill{Name: "../x", Source: "o/r"}, "unsafe_name", `name "../x"`},
		{manifest.Skill{Name: "x", Source: "http://e.com/SKILL.md"}, "invalid_source", "is not encrypted"},
		{manifest.Skill{Name: "x", Inline: &manifest.Inline{}}, "manifest_invalid", `"skill" is empty`},
		{manifest.Skill{Name: "x", Inline: &manifest.Inline{Document: "x", Resources: map[string]string{"../a": ""}}}, "path_escape", `resource "../a"`},
		{manifest.Skill{Name: "x", Inline: &manifest.Inline{Document: "x", Unavailable: []string{"/a"}}}, "path_escape", `resource "/a"`},
		{manifest.Skill{Name: "x", Inline: &manifest.Inline{Document: "\xff"}}, "cannot_edit", `does not read back`},
	} {
		_, err := manifest.FormatPlugins(tt.skill)
		refused(t, fmt.Sprint(tt.skill), err, tt.code, tt.message, "")
	}
	if text, err := manifest.FormatPlugins(); len(text) > 0 || err != nil {
		t.Errorf("nothing is %q, %v", text, err)
	}
}

// TestRowsOfTheSkillData holds the requirements about skillData, by their numbers.
func TestRowsOfTheSkillData(t *testing.T) {
	const document = "---\nname: pdf-processing\ndescription: Reads PDFs.\n---\n"
	quoted := fmt.Sprintf("%q", document)
	source := `source: {url: "https://github.com/anthropics/skills/tree/main/skills/pdf"}`
	for _, tt := range []struct{ id, data, code string }{
		{"S2-37 none", "{}", "invalid_input"},
		{"S2-37 both", "{skill: " + quoted + ", " + source + "}", "invalid_input"},
		{"S2-37 empty", `{skill: ""}`, "manifest_invalid"},
		{"S2-37 skill", "{skill: " + quoted + "}", ""},
		{"S2-38", "{" + source + ", resources: {a.md: a}}", "invalid_input"},
		{"S2-38 empty", "{" + source + ", resources: {}}", "invalid_input"},
		{"S2-41 http", `{source: {url: "http://github.com/o/r"}}`, "invalid_source"},
		{"S2-40 path", "{skill: " + quoted + ", resources: {../e.md: x}}", "path_escape"},
		{"S2-21 number", "{skill: " + quoted + ", resources: {a.md: 42}}", "manifest_invalid"},
		{"S2-21 twice", "{skill: " + quoted + ", resources: {a.md: a, ./a.md: b}}", "already_exists"},
		{"S2-21 manifest", "{skill: " + quoted + ", resources: {./SKILL.md: a}}", "already_exists"},
		{"3.14-3", "{}", "invalid_input"},
		{"3.14-4", "{" + source + ", resources: {a.md: x}}", "invalid_input"},
		{"3.14-6", "{skill: " + quoted + ", resources: {}}", ""},
		{"3.14-7", "{skill: " + quoted + ", resources: {logo.png: ~}}", ""},
		{"3.14-8", `{source: {url: "http://e.com/x/SKILL.md"}}`, "invalid_source"},
		{"3.14-9 lenient", "{skill: " + quoted + ", flavour: x}", ""},
		{"3.14-10", "\n    skill: |\n      a  \n      \n      b \n", ""},
		{"3.14-11", "\n    skill: >\n      ---\n      name: x\n      ---\n", "manifest_invalid"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			m, err := manifest.ParsePlugins([]byte(data(tt.data)), "p.yaml")
			if tt.code != "" {
				refused(t, tt.data, err, tt.code, "p.yaml:", "")
			} else if err != nil || len(m.Skills) != 1 {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUnavailableContentsAreKept(t *testing.T) {
	t.Run("S2-21", func(t *testing.T) {
		got := plugins(t, data(`{skill: x, resources: {./scripts/b.py: "x\n", assets/l.png: null, a.md: a, z.png: ~}}`)).Skills[0].Inline
		want := &manifest.Inline{Document: "x", Resources: map[string]string{"scripts/b.py": "x\n", "a.md": "a"}, Unavailable: []string{"assets/l.png", "z.png"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestKeysThatNobodyKnowsAreWarnings(t *testing.T) {
	t.Run("3.14-9", func(t *testing.T) {
		text := strings.Replace(data("{skill: x, flavour: y, <<: {resources: {a: b}}}"), "spec:\n", "owner: z\nspec:\n  color: red\n", 1)
		m := plugins(t, text)
		var got []string
		for _, w := range m.Warnings {
			got = append(got, w.Code()+" "+w.Error())
		}
		want := []string{
			`unknown_key p.yaml:5: unknown key "owner" in SkillPlugin`, `unknown_key p.yaml:7: unknown key "color" in SkillPlugin.spec`,
			`unknown_key p.yaml:8: unknown key "flavour" in SkillPlugin.spec.skillData`, `unknown_key p.yaml:8: unknown key "<<" in SkillPlugin.spec.skillData`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		refused(t, "strict", m.Strict(), "unknown_key", `p.yaml:5: unknown key "owner"`, `known here: "apiVersion", "kind"`)
		if err := plugins(t, pdfPlugin).Strict(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheLocationOfASource(t *testing.T) {
	t.Run("S2-39 S2-41", func(t *testing.T) {
		s := plugins(t, pdfPlugin).Skills[0]
		l, err := s.Location(source.DefaultHosts())
		if err != nil || s.Inline != nil || s.Source != "https://github.com/anthropics/skills/tree/main/skills/pdf" {
			t.Fatalf("%+v: %v", s, err)
		}
		if l.Owner != "anthropics" || l.Repo != "skills" || l.Ref != "main" || l.Path != "skills/pdf" {
			t.Errorf("got %+v", l)
		}
		l, err = manifest.Skill{Source: "acme/skills", Path: "skills/review", Ref: "^1.2"}.Location(source.DefaultHosts())
		if err != nil || l.Ref != "^1.2" || l.Path != "skills/review" {
			t.Errorf("got %+v, %v", l, err)
		}
		if _, err := (manifest.Skill{Inline: &manifest.Inline{}}).Location(source.DefaultHosts()); err == nil {
			t.Error("a text has a location")
		}
	})
}

func TestEntriesAreCopies(t *testing.T) {
	t.Run("S2-44", func(t *testing.T) {
		m := plugins(t, data("{skill: x, resources: {a.md: a, b.png: ~}}"))
		got, _ := m.Get("x")
		got.Inline.Document, got.Inline.Resources["a.md"], got.Inline.Unavailable[0] = "changed", "changed", "changed"
		got, _ = m.Get("x")
		want := &manifest.Inline{Document: "x", Resources: map[string]string{"a.md": "a"}, Unavailable: []string{"b.png"}}
		if diff := cmp.Diff(want, got.Inline); diff != "" {
			t.Error(diff)
		}
	})
}

// hintedError is what a reader of SKILL.md says.
type hintedError struct{ error }

func (hintedError) Hints() []string { return []string{"close it"} }

func TestAReasonBecomesAnErrorOfTheManifest(t *testing.T) {
	t.Run("S2-40", func(t *testing.T) {
		m := plugins(t, "\n"+data("{skill: '# no frontmatter'}"))
		refused(t, "reason", m.Invalid(m.Skills[0], hintedError{fmt.Errorf("there is no frontmatter")}), "manifest_invalid", `p.yaml:2: "x": there is no frontmatter`, "close it")
		refused(t, "plain", m.Invalid(m.Skills[0], fmt.Errorf("no")), "manifest_invalid", `"x": no`, "")
	})
}

// FuzzFormatPlugins: what is written reads back to the same.
func FuzzFormatPlugins(f *testing.F) {
	for _, text := range awkwardTexts() {
		f.Add("x", text, "a/b.md", text)
	}
	f.Fuzz(func(t *testing.T, name, text, path, resource string) {
		s := manifest.Skill{Name: name, Inline: &manifest.Inline{Document: text, Resources: map[string]string{path: resource}}}
		out, err := manifest.FormatPlugins(s)
		if err != nil {
			return
		}
		got := plugins(t, string(out)).Skills[0]
		if got.Line = 0; !cmp.Equal(got, s) {
			t.Error(cmp.Diff(s, got))
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
