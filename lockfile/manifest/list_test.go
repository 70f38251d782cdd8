package manifest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"skills/lockfile/manifest"
)

const team = "\uFEFF# what the team uses\n" +
	"acme/skills#v2   # two is stable\n" +
	"\n" +
	"\tacme/docs --skill lint --skill='docs-*' --path tools/ --ref ^1.2\r\n" +
	"https://github.com/anthropics/skills/tree/main/skills/pdf --as forms\n" +
	"--as notes --skill \"Meeting Notes\" --ref=v1 --path a/b \"./my skills\" #comment\n" +
	"  # indented \" comment's quotes\n" +
	"https://git.corp.example:8443/o/r@pdf"

func teamList() *manifest.Manifest {
	return &manifest.Manifest{
		Packs: []manifest.Pack{
			{Source: "acme/skills#v2", Line: 2},
			{Source: "acme/docs", Include: []string{"lint", "docs-*"}, Path: "tools", Ref: "^1.2", Line: 4},
			{Source: "https://git.corp.example:8443/o/r@pdf", Line: 8},
		},
		Skills: []manifest.Skill{
			{Name: "forms", Source: "https://github.com/anthropics/skills/tree/main/skills/pdf", Line: 5},
			{Name: "notes", Source: "./my skills", Path: "a/b", Select: "Meeting Notes", Ref: "v1", Line: 6},
		},
	}
}

func TestListIsReadLineByLine(t *testing.T) {
	m, err := manifest.ParseList([]byte(team), "team.txt")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "team", m, teamList())
}

func TestListKeepsSourceTextsAsWritten(t *testing.T) {
	for line, want := range map[string]string{
		"o/r":                               "o/r",
		"o/r#feature/x":                     "o/r#feature/x",
		"o/r@1.2.3":                         "o/r@1.2.3",
		"'o/r'":                             "o/r",
		"./it\"'\"s":                        "./it's",
		`.\tools\x`:                         `.\tools\x`,
		"npm:@s/p@1":                        "npm:@s/p@1",
		"https://e.com/a%20b/SKILL.md?x=1#": "https://e.com/a%20b/SKILL.md?x=1#",
		"git@git.corp.example:o/r.git//a#v": "git@git.corp.example:o/r.git//a#v",
		"builtin:skills-cli\t#":             "builtin:skills-cli",
		"./a=b":                             "./a=b",
		"代码/库":                              "代码/库",
	} {
		m, err := manifest.ParseList([]byte(line), "")
		if err != nil || len(m.Packs) != 1 || len(m.Skills) != 0 || m.Packs[0].Source != want {
			t.Errorf("%s: got %+v, %v", line, m, err)
		}
	}
}

func TestListWithoutSourcesSaysNothing(t *testing.T) {
	for _, text := range []string{"", "\uFEFF", "\n\r\n \t\n", "# nothing", "\t# nothing\r\n#"} {
		m, err := manifest.ParseList([]byte(text), "")
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		same(t, text, m, &manifest.Manifest{})
	}
}

func TestBadListsAreRefusedWithTheirLine(t *testing.T) {
	for _, tt := range []struct{ text, code, message, hint string }{
		{"o/r\no/a o/b\n", "manifest_invalid", "team.txt:2: a second source on the line", "one source a line"},
		{"./my skills", "manifest_invalid", "a second source on the line", "in quotes"},
		{"\n--as x", "manifest_invalid", "team.txt:2: no source", "owner/repo"},
		{"''", "manifest_invalid", `"source" is empty`, ""},
		{"o/r 'x", "manifest_invalid", "team.txt:1: a quote is not closed", ""},
		{"\n\no/r --skil x", "unknown_key", `team.txt:3: unknown key "--skil" behind a source`, `did you mean "--skill"?`},
		{"o/r --frozen", "unknown_key", `unknown key "--frozen"`, `known here: "--as", "--path", "--ref", "--skill"`},
		{"o/r -", "unknown_key", `unknown key "-"`, ""},
		{"o/r --skill", "manifest_invalid", "--skill is not followed by a value", ""},
		{"o/r --skill # pdf", "manifest_invalid", "--skill is not followed by a value", ""},
		{"o/r --skill --as x", "manifest_invalid", "--skill is not followed by a value", ""},
		{"o/r --skill ''", "manifest_invalid", `"--skill" is empty`, ""},
		{"o/r --ref=", "manifest_invalid", `"--ref" is empty`, ""},
		{"o/r --ref v1 --ref v2", "manifest_invalid", "a second ref on the line", ""},
		{"o/r --ref=-x", "manifest_invalid", `ref "-x" begins with a hyphen`, ""},
		{"o/r --path ../x", "path_escape", `path "../x" holds ".."`, ""},
		{"o/r --path /x", "path_escape", `path "/x" is not relative`, ""},
		{"o/r --as a --as b", "manifest_invalid", "a second as on the line", ""},
		{"o/r --as ../x", "unsafe_name", `name "../x"`, "letters, digits and hyphens"},
		{"o/r --as nul", "unsafe_name", `name "nul" is a device`, ""},
		{"o/r --as x --skill a --skill b", "manifest_invalid", "--as names one skill, and --skill names 2", "a line for each"},
		{"o/a --as x\no/b\no/c --as X", "already_exists", `team.txt:3: "X" and "x" of line 1 are one directory`, "rename"},
		{"o/a --as x\no/b --as x", "already_exists", `team.txt:2: "x" is a name on line 1 too`, "rename"},
		{"o/r\x00", "manifest_invalid", "control or bidirectional", ""},
		{"o/r\u202e", "manifest_invalid", "control or bidirectional", ""},
		{"o/r --as x\x01", "manifest_invalid", "control or bidirectional", ""},
		{"http://e.com/SKILL.md", "invalid_source", "not encrypted", "https"},
		{"ext::sh", "invalid_source", "remote helper", ""},
		{"o/r\n# \xff", "manifest_damaged", "team.txt:2: not UTF-8", ""},
		{"o/r\n<<<<<<< HEAD\no/a\n=======\no/b\n>>>>>>> x\n", "manifest_conflict", "team.txt:2: merge conflict markers on lines 2, 4 and 6", "delete the markers"},
		{strings.Repeat("x", 3000), "manifest_invalid", "longer than 2048 bytes", ""},
		{strings.Repeat("o/r\n", 10_001), "manifest_damaged", "team.txt:10001: more than 10000 sources", ""},
		{strings.Repeat("\n", 2<<20+1), "manifest_damaged", "more than the 2097152 that are read", ""},
	} {
		_, err := manifest.ParseList([]byte(tt.text), "team.txt")
		refused(t, tt.text[:min(len(tt.text), 80)], err, tt.code, tt.message, tt.hint)
	}
}

func TestListErrorsHoldNoCredentials(t *testing.T) {
	for text, code := range map[string]string{
		"https://me:hunter2@github.com/o/r --as x":    "invalid_source",
		"o/r https://me:hunter2@github.com/o/r":       "manifest_invalid",
		"o/r --ref v1 https:/me:hunter2@github.com/o": "manifest_invalid",
	} {
		_, err := manifest.ParseList([]byte(text), "team.txt")
		refused(t, text, err, code, "team.txt:1: ", "")
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v", err)
		}
	}
}

func TestOnlyTOMLIsEdited(t *testing.T) {
	m, err := manifest.ParseList([]byte("o/r --as pdf"), "team.txt")
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := manifest.ParsePlugins([]byte(notesPlugin), "notes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*manifest.Manifest{m, plugin, {}} {
		for what, edit := range map[string]func() ([]byte, error){
			"set":    func() ([]byte, error) { return m.Set(skill("new", "o/r")) },
			"delete": func() ([]byte, error) { return m.Delete("pdf") },
			"agents": func() ([]byte, error) { return m.SetAgents(nil) },
			"mode":   func() ([]byte, error) { return m.SetMode("copy") },
		} {
			_, err := edit()
			refused(t, what, err, "cannot_edit", "only a skills.toml is edited", "by hand")
		}
	}
}

func TestWhatOnlyAListSaysIsNotWrittenIntoTOML(t *testing.T) {
	_, err := parse(t, "[skills]\n").Set(manifest.Skill{Name: "x", Source: "o/r", Select: "y"})
	refused(t, "select", err, "cannot_edit", "would not read back", "by hand")
}

// FuzzParseList: no text makes it panic, every fault has a line, every entry comes from its line and has what it must have.
func FuzzParseList(f *testing.F) {
	for _, seed := range []string{team, "", "o/r --as x\no/b --as X", "o/r 'a", "\"o/r\"# x", "o/r --skill=a --skill b --path=c/", "<<<<<<< a\n", "-", "\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.ParseList(data, "team.txt")
		if err != nil {
			hasLine(t, data, err)
			return
		}
		lines := strings.Split(string(data), "\n")
		for _, p := range m.Packs {
			if p.Source == "" || strings.TrimSpace(lines[p.Line-1]) == "" {
				t.Fatalf("%q: pack %+v", data, p)
			}
		}
		for _, s := range m.Skills {
			if s.Source == "" || s.Inline != nil || !strings.Contains(lines[s.Line-1], "--as") {
				t.Fatalf("%q: skill %+v", data, s)
			}
			if _, ok := m.Get(s.Name); !ok || strings.ContainsAny(s.Name, "/\\\x00") {
				t.Fatalf("%q: name %q", data, s.Name)
			}
		}
	})
}

// hasLine fails unless an error says where in the text it is and of what kind. YAML counts a carriage return alone as a line end.
func hasLine(t *testing.T, data []byte, err error) {
	t.Helper()
	var e *manifest.Error
	if !errors.As(err, &e) || e.Line < 1 || e.Line > bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r"))+2 || e.Code() == "" || e.Message == "" {
		t.Fatalf("%q: error %#v", data, err)
	}
}
