package manifest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skills/lockfile/manifest"
)

const whole = `agents = ["claude-code", "codex"]    # default: the agents detected on this machine
mode = "link"                        # or "copy"

[skills]
pdf    = "github.com/anthropics/skills/tree/main/skills/pdf"
review = { source = "acme/skills", path = "skills/review", ref = "^1.2" }
xlsx   = { source = "anthropics/skills", ref = "0123456789abcdef0123456789abcdef01234567", reason = "2.0 broke our macros" }
local  = { source = "./tools/skills/local", agents = [], mode = "copy" }
notes  = { skill = """
---
name: notes
description: Turns raw transcripts into notes. Use when a transcript is shared.
---
Follow [the template](assets/template.md).
""", resources = { "assets/template.md" = "## Decisions\n" } }

[[packs]]                            # several skills of one source
source  = "acme/skills"
ref     = "v2"
include = ["docs/*", "lint"]
exclude = ["wip-*"]
agents  = ["codex"]

[policy]
allow = ["github.com/acme/*", "github.com/anthropics/skills"]   # empty: everything
deny  = ["github.com/evil/*"]
`

const notes = "---\nname: notes\ndescription: Turns raw transcripts into notes. Use when a transcript is shared.\n---\nFollow [the template](assets/template.md).\n"

func wholeManifest() *manifest.Manifest {
	return &manifest.Manifest{
		Agents: []string{"claude-code", "codex"},
		Mode:   "link",
		Skills: []manifest.Skill{
			{Name: "pdf", Source: "github.com/anthropics/skills/tree/main/skills/pdf", Line: 5},
			{Name: "review", Source: "acme/skills", Path: "skills/review", Ref: "^1.2", Line: 6},
			{Name: "xlsx", Source: "anthropics/skills", Ref: "0123456789abcdef0123456789abcdef01234567", Reason: "2.0 broke our macros", Line: 7},
			{Name: "local", Source: "./tools/skills/local", Agents: []string{}, Mode: "copy", Line: 8},
			{Name: "notes", Line: 9, Inline: &manifest.Inline{Document: notes, Resources: map[string]string{"assets/template.md": "## Decisions\n"}}},
		},
		Packs: []manifest.Pack{{Source: "acme/skills", Ref: "v2", Include: []string{"docs/*", "lint"}, Exclude: []string{"wip-*"},
			Agents: []string{"codex"}, Line: 17}},
		Policy: manifest.Policy{Allow: []string{"github.com/acme/*", "github.com/anthropics/skills"}, Deny: []string{"github.com/evil/*"}},
	}
}

func TestWholeManifestIsRead(t *testing.T) {
	for name, text := range map[string]string{"lf": whole, "crlf": strings.ReplaceAll(whole, "\n", "\r\n"), "bom": "\uFEFF" + whole,
		"no final newline": strings.TrimSuffix(whole, "\n")} {
		same(t, name, parse(t, text), wholeManifest())
	}
}

func TestEmptyManifestSaysNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# nothing\n", "[skills]\n", "packs = []\n"} {
		same(t, text, parse(t, text), &manifest.Manifest{})
	}
}

func TestEntriesMayBeWrittenInEveryFormOfTOML(t *testing.T) {
	want := &manifest.Manifest{Skills: []manifest.Skill{
		{Name: "pdf", Source: "o/r", Ref: "v1", Agents: []string{"codex"}},
		{Name: "tide-4.2", Inline: &manifest.Inline{Document: "text", Resources: map[string]string{"a/b.md": "x"}}},
	}}
	for _, text := range []string{
		"[skills]\npdf = { source = 'o/r', ref = 'v1', agents = ['codex'] }\n'tide-4.2' = { skill = 'text', resources = { 'a/b.md' = 'x' } }\n",
		"[skills.pdf]\nsource = 'o/r'\nref = 'v1'\nagents = [\n 'codex', # one\n]\n[skills.\"tide-4.2\"]\nskill = 'text'\n[skills.\"tide-4.2\".resources]\n'a/b.md' = 'x'\n",
		"skills.pdf.source = 'o/r'\nskills.pdf.ref = 'v1'\nskills.pdf.agents = ['codex']\nskills.'tide-4.2' = { skill = 'text', resources.'a/b.md' = 'x' }\n",
		"skills = { pdf.source = 'o/r', pdf.ref = 'v1', pdf.agents = ['codex'], 'tide-4.2' = { skill = 'text', resources = { 'a/b.md' = 'x' } } }\n",
		"[skills.\"tide-4.2\"]\nresources.'a/b.md' = 'x'\nskill = 'text'\n[skills]\npdf.source = ' o/r '\npdf.ref = 'v1'\npdf.agents = ['codex']\n",
	} {
		same(t, text, parse(t, text), want, cmpopts.IgnoreFields(manifest.Skill{}, "Line"),
			cmpopts.SortSlices(func(a, b manifest.Skill) bool { return a.Name < b.Name }))
	}
}

func TestAbsentAndEmptyAgentsDiffer(t *testing.T) {
	m := parse(t, "agents = []\n[skills]\na = { source = 'o/a', agents = [] }\nb = 'o/b'\n")
	if m.Agents == nil || m.Skills[0].Agents == nil || m.Skills[1].Agents != nil {
		t.Errorf("got %#v", m)
	}
}

func TestBadManifestsAreRefusedWithTheirLine(t *testing.T) {
	for _, tt := range []struct{ text, code, message, hint string }{
		{"agents = [\n", "manifest_damaged", "skills.toml:1: not valid TOML", ""},
		{"[skills]\na = 'o/a'\na = 'o/b'\n", "manifest_damaged", "skills.toml:3: not valid TOML", ""},
		{"[skills]\n<<<<<<< HEAD\na = 'o/a'\n=======\nb = 'o/b'\n>>>>>>> x\n", "manifest_conflict", "skills.toml:2: merge conflict markers on lines 2, 4 and 6", "delete the markers"},
		{"\nskill = 1\n", "unknown_key", `skills.toml:2: unknown key "skill" at the top`, `did you mean "skills"?`},
		{"zzz = 1\n", "unknown_key", `skills.toml:1: unknown key "zzz"`, `known here: "agents", "mode", "packs", "policy", "skills"`},
		{"mode = 'symlink'\n", "manifest_invalid", `skills.toml:1: unknown mode "symlink"`, `"link" or "copy"`},
		{"mode = 1\n", "manifest_invalid", `skills.toml:1: "mode" is an integer, not a string`, ""},
		{"agents = 'codex'\n", "manifest_invalid", `skills.toml:1: "agents" is a string, not a list`, ""},
		{"agents = [\n'a',\n2]\n", "manifest_invalid", `"agents" is an integer, not a string`, ""},
		{"agents = ['a',\n' ']\n", "manifest_invalid", `skills.toml:2: "agents" is empty`, ""},
		{"skills = 'o/r'\n", "manifest_invalid", `skills.toml:1: "skills" is a string, not a table`, ""},
		{"[skills]\n\npdf = 5\n", "manifest_invalid", `skills.toml:3: "pdf" is an integer`, `pdf = "owner/repo"`},
		{"[skills]\npdf = ''\n", "manifest_invalid", `skills.toml:2: "pdf" is empty`, ""},
		{"[skills]\npdf = {}\n", "manifest_invalid", `skills.toml:2: skill "pdf" has neither a source nor a text`, "source ="},
		{"[skills]\npdf = { skill = '' }\n", "manifest_invalid", `skills.toml:2: "skill" is empty`, ""},
		{"[skills]\npdf = { skill = 'x', source = 'o/r' }\n", "manifest_invalid", `has a text and a source`, ""},
		{"[skills]\npdf = { skill = 'x', ref = 'v1' }\n", "manifest_invalid", `has a text and a source`, ""},
		{"[skills]\npdf = { source = 'o/r', resources = { 'a.md' = 'a' } }\n", "manifest_invalid", `has resources but no text`, ""},
		{"[skills.pdf]\nsource = 'o/r'\nsourcee = 'x'\n", "unknown_key", `skills.toml:3: unknown key "sourcee" in skill "pdf"`, `did you mean "source"?`},
		{"[skills]\npdf = { source = 'o/r', path = '../x' }\n", "path_escape", `path "../x" holds ".." as a part`, ""},
		{"[skills]\npdf = { source = 'o/r', path = '/x' }\n", "path_escape", `path "/x" is not relative`, ""},
		{"[skills]\npdf = { source = 'o/r', ref = '--upload-pack=x' }\n", "manifest_invalid", `begins with a hyphen`, ""},
		{"[skills]\npdf = \"o/r\\u202E\"\n", "manifest_invalid", `control or bidirectional`, ""},
		{"[skills]\npdf = \"" + strings.Repeat("x", 2049) + "\"\n", "manifest_invalid", `longer than 2048`, ""},
		{"[skills]\n\npdf = 'http://github.com/o/r'\n", "invalid_source", `skills.toml:3: source "http://github.com/o/r" is not encrypted`, "https://"},
		{"[skills]\npdf = { source = 'ext::sh -c x' }\n", "invalid_source", "would run a program", ""},
		{"[[packs]]\nsource = 'ftp://e.com/x'\n", "invalid_source", "skills.toml:2: ", "https://"},
		{"[skills]\n'../evil' = 'o/r'\n", "unsafe_name", `skills.toml:2: name "../evil" begins with "."`, "letters"},
		{"[skills]\n'a/b' = 'o/r'\n", "unsafe_name", `name "a/b" holds one of`, ""},
		{"[skills]\n'' = 'o/r'\n", "unsafe_name", `name "" is empty`, ""},
		{"[skills]\nOtter = 'o/a'\notter = 'o/b'\n", "already_exists", `skills.toml:3: "otter" and "Otter" of line 2 are one directory`, "rename"},
		{"[skills.n]\nskill = 'x'\n[skills.n.resources]\n'../e.md' = 'x'\n", "path_escape", `skills.toml:4: resource "../e.md" holds ".."`, ""},
		{"[skills.n]\nskill = 'x'\n[skills.n.resources]\n'skill.md' = 'x'\n", "already_exists", `resources "SKILL.md" and "skill.md"`, ""},
		{"[skills.n]\nskill = 'x'\n[skills.n.resources]\n'a/b' = 'x'\nA = 'y'\n", "already_exists", `resource "a/b" lies below "A", which is a file`, ""},
		{"[skills.n]\nskill = 'x'\nresources = { a = 1 }\n", "manifest_invalid", `"a" is an integer, not a string`, ""},
		{"[packs]\nsource = 'o/r'\n", "manifest_invalid", `"packs" is a table, not a list`, ""},
		{"packs = ['o/r']\n", "manifest_invalid", `"packs" holds a string`, "[[packs]]"},
		{"[[packs]]\nsource = 'o/r'\n\n[[packs]]\nref = 'v1'\n", "manifest_invalid", `skills.toml:4: pack without a source`, ""},
		{"[[packs]]\nsource = 'o/r'\nincludes = []\n", "unknown_key", `skills.toml:3: unknown key "includes" in a pack`, `"include"`},
		{"[policy]\nalow = []\n", "unknown_key", `skills.toml:2: unknown key "alow"`, `"allow"`},
		{"policy = []\n", "manifest_invalid", `"policy" is a list, not a table`, ""},
	} {
		_, err := manifest.Parse([]byte(tt.text), "skills.toml")
		refused(t, tt.text, err, tt.code, tt.message, tt.hint)
	}
}

func TestErrorsHoldNoCredentials(t *testing.T) {
	_, err := manifest.Parse([]byte("[skills]\npdf = 'https://me:hunter2@github.com/o/r'\n"), "skills.toml")
	refused(t, "credentials", err, "invalid_source", "skills.toml:2: ", "environment")
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestHostsThatOnlyTheUserKnowsAreAdmitted(t *testing.T) {
	for _, text := range []string{"https://git.corp.example:8443/o/r", "git@git.corp.example:o/r", "https://git.corp.example/g/-/tree/feature%2Fx/p", "npm:@s/p"} {
		if got := parse(t, "[skills]\npdf = '"+text+"'\n").Skills[0].Source; got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

func TestFirstFaultIsTold(t *testing.T) {
	_, err := manifest.Parse([]byte("mode = 'x'\nzzz = 1\n"), "skills.toml")
	refused(t, "two faults", err, "manifest_invalid", "skills.toml:1:", "")
}

// refused fails unless the error has the code and holds the texts.
func refused(t *testing.T, what string, err error, code, message, hint string) {
	t.Helper()
	var e *manifest.Error
	if !errors.As(err, &e) {
		t.Errorf("%q: got %v, want code %s", what, err, code)
		return
	}
	if e.Code() != code || !strings.Contains(e.Error(), message) || !strings.Contains(strings.Join(e.Hints(), "\n"), hint) {
		t.Errorf("%q:\ngot  %s: %v %q\nwant %s: %s %q", what, e.Code(), e, e.Hints(), code, message, hint)
	}
}

func parse(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse([]byte(text), "skills.toml")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

func same(t *testing.T, what string, got, want *manifest.Manifest, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(options, cmpopts.IgnoreUnexported(manifest.Manifest{}))...); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// FuzzParse: no text makes it panic, what it admits can be written back unchanged, and every fault has a line.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{whole, "", "skills = { a = 'x' }", "[skills.a]\nsource = 'x'", "skills.a.source = 'x'", "[[packs]]\nsource='x'", "[skills]\na={skill='''\r\nx'''}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse(data, "skills.toml")
		if err != nil {
			var e *manifest.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Code() == "" || e.Message == "" {
				t.Fatalf("%q: error %#v", data, err)
			}
			return
		}
		for _, s := range m.Skills {
			if again, err := m.Set(s); err != nil || string(again) != string(data) {
				t.Fatalf("%q: setting %+v again gives %q, %v", data, s, again, err)
			}
		}
	})
}
