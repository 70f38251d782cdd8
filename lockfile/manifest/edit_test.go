package manifest_test

import (
	"strings"
	"testing"

	"skills/lockfile/manifest"
)

func skill(name, source string) manifest.Skill { return manifest.Skill{Name: name, Source: source} }

func TestSetAdds(t *testing.T) {
	added := skill("new", "https://github.com/o/r")
	for _, tt := range []struct{ what, before, after string }{
		{"empty file", "", "[skills]\nnew = \"https://github.com/o/r\"\n"},
		{"blank file", "\n\n", "[skills]\nnew = \"https://github.com/o/r\"\n\n\n"},
		{"byte order mark alone", "\uFEFF", "\uFEFF[skills]\nnew = \"https://github.com/o/r\"\n"},
		{"no skills", "mode = \"link\" # fast\n", "mode = \"link\" # fast\n\n[skills]\nnew = \"https://github.com/o/r\"\n"},
		{"no skills, no final newline", "[policy]\nallow = []", "[policy]\nallow = []\n\n[skills]\nnew = \"https://github.com/o/r\""},
		{"no skills, comment at the end", "mode = \"link\"\n# end\n\n", "mode = \"link\"\n# end\n\n[skills]\nnew = \"https://github.com/o/r\"\n\n"},
		{"no skills, crlf", "mode = \"link\"\r\n", "mode = \"link\"\r\n\r\n[skills]\r\nnew = \"https://github.com/o/r\"\r\n"},
		{"empty table", "[skills] # ours\n# none yet\n", "[skills] # ours\nnew = \"https://github.com/o/r\"\n# none yet\n"},
		{"plain", "[skills]\nlonger = 'o/a'\nb = 'o/b'\n", "[skills]\nlonger = 'o/a'\nb = 'o/b'\nnew = \"https://github.com/o/r\"\n"},
		{"aligned", "[skills]\nlonger = 'o/a'\nb      = 'o/b'\n", "[skills]\nlonger = 'o/a'\nb      = 'o/b'\nnew    = \"https://github.com/o/r\"\n"},
		{"aligned to a shorter name", "[skills]\nab = 'o/a'\nb  = 'o/b'\n", "[skills]\nab = 'o/a'\nb  = 'o/b'\nnew = \"https://github.com/o/r\"\n"},
		{"same length by chance", "[skills]\nlonger = 'o/a'\nlanger = 'o/b'\n", "[skills]\nlonger = 'o/a'\nlanger = 'o/b'\nnew = \"https://github.com/o/r\"\n"},
		{"tight", "[skills]\na='o/a'\n", "[skills]\na='o/a'\nnew = \"https://github.com/o/r\"\n"},
		{"indented", "[skills]\n\ta = 'o/a' # x\n\n[policy]\n", "[skills]\n\ta = 'o/a' # x\n\tnew = \"https://github.com/o/r\"\n\n[policy]\n"},
		{"aligned, with characters of several bytes", "[skills]\n'代码' = 'o/a'\nb    = 'o/b'\n", "[skills]\n'代码' = 'o/a'\nb    = 'o/b'\nnew  = \"https://github.com/o/r\"\n"},
		{"before the comment of the next table", "[skills]\na = 'o/a'\n\n# who\n[policy]\n", "[skills]\na = 'o/a'\nnew = \"https://github.com/o/r\"\n\n# who\n[policy]\n"},
		{"after a text of several lines", "[skills]\na = { skill = '''\nx\n''' }\n", "[skills]\na = { skill = '''\nx\n''' }\nnew = \"https://github.com/o/r\"\n"},
		{"crlf", "[skills]\r\na = 'o/a'\r\n", "[skills]\r\na = 'o/a'\r\nnew = \"https://github.com/o/r\"\r\n"},
		{"no final newline", "[skills]\na = 'o/a'", "[skills]\na = 'o/a'\nnew = \"https://github.com/o/r\""},
		{"no final newline, crlf", "[skills]\r\na = 'o/a'", "[skills]\r\na = 'o/a'\r\nnew = \"https://github.com/o/r\""},
		{"tables", "[skills.a]\nsource = 'o/a' # x\n\n# who\n[policy]\n", "[skills.a]\nsource = 'o/a' # x\n\n[skills.new]\nsource = \"https://github.com/o/r\"\n\n# who\n[policy]\n"},
		{"tables below a header", "[skills]\n[skills.a]\nsource = 'o/a'\n", "[skills]\nnew = \"https://github.com/o/r\"\n[skills.a]\nsource = 'o/a'\n"},
		{"dotted in the table", "[skills]\na.source = 'o/a'\n", "[skills]\na.source = 'o/a'\nnew = \"https://github.com/o/r\"\n"},
		{"dotted at the top", "skills.a = 'o/a'\nmode = 'copy'\n", "skills.a = 'o/a'\nskills.new = \"https://github.com/o/r\"\nmode = 'copy'\n"},
		{"inline", "skills = { a = 'o/a' } # x\n", "skills = { a = \"o/a\", new = \"https://github.com/o/r\" } # x\n"},
		{"inline and empty", "skills = {}\n", "skills = { new = \"https://github.com/o/r\" }\n"},
	} {
		got, err := parse(t, tt.before).Set(added)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.what, got, err, tt.after)
		}
	}
}

func TestSetWritesTheShortestFormThatSaysAll(t *testing.T) {
	for _, tt := range []struct {
		skill manifest.Skill
		want  string
	}{
		{skill("a", "o/r"), `a = "o/r"`},
		{skill("代码", "o/r"), `"代码" = "o/r"`},
		{skill("tide-4.2", `./a "b"`), `"tide-4.2" = "./a \"b\""`},
		{manifest.Skill{Name: "a", Source: "o/r", Path: "x/y", Ref: "^1.2", Agents: []string{"codex", "*"}, Mode: "copy", Reason: "why"},
			`a = { source = "o/r", path = "x/y", ref = "^1.2", agents = ["codex", "*"], mode = "copy", reason = "why" }`},
		{manifest.Skill{Name: "a", Source: "o/r", Agents: []string{}}, `a = { source = "o/r", agents = [] }`},
		{manifest.Skill{Name: "a", Inline: &manifest.Inline{Document: "---\nname: a\n---\n"}}, "a = { skill = \"\"\"\n---\nname: a\n---\n\"\"\" }"},
		{manifest.Skill{Name: "a", Inline: &manifest.Inline{Document: "x", Resources: map[string]string{"b.md": "1\n2\n", "a.md": "\"\"\"\n"}}},
			"a = { skill = \"\"\"\nx\"\"\", resources = { \"a.md\" = \"\\\"\\\"\\\"\\n\", \"b.md\" = \"\"\"\n1\n2\n\"\"\" } }"},
		{manifest.Skill{Name: "a", Inline: &manifest.Inline{Document: "x\r\n\\ \"\"\"\"", Resources: map[string]string{}}},
			"a = { skill = \"\"\"\nx\\r\n\\\\ \"\"\\\"\\\"\"\"\", resources = {} }"},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			got, err := parse(t, "[skills]"+end).Set(tt.skill)
			if want := strings.ReplaceAll("[skills]\n"+tt.want+"\n", "\n", end); err != nil || string(got) != want {
				t.Errorf("got  %q, %v\nwant %q", got, err, want)
			}
		}
	}
}

func TestSetReplacesAnEntryWhereItStands(t *testing.T) {
	all := manifest.Skill{Name: "a", Source: "o/new", Ref: "v2", Reason: "why"}
	inline := manifest.Skill{Name: "a", Inline: &manifest.Inline{Document: "x\n", Resources: map[string]string{"f.md": "1"}}}
	for _, tt := range []struct {
		what, before, after string
		skill               manifest.Skill
	}{
		{"string to string", "[skills]\na='o/a'# x\nb = 'o/b'", "[skills]\na=\"o/new\"# x\nb = 'o/b'", skill("a", "o/new")},
		{"string to table", "[skills]\r\na   = 'o/a' # x\r\n", "[skills]\r\na   = { source = \"o/new\", ref = \"v2\", reason = \"why\" } # x\r\n", all},
		{"table to string", "[skills]\na = { source = 'o/a', ref = 'v1' } # x\nb = 'o/b'\n", "[skills]\na = \"o/new\" # x\nb = 'o/b'\n", skill("a", "o/new")},
		{"text of several lines", "[skills]\na = { skill = '''\n1\n2''' } # x\nb = 'o/b'\n", "[skills]\na = \"o/new\" # x\nb = 'o/b'\n", skill("a", "o/new")},
		{"fields of a table", "[skills.a]\nsource = 'o/a' # where\n# when\nref    = 'v1'\n\n[skills.b]\nsource = 'o/b'\n",
			"[skills.a]\nsource = \"o/new\" # where\n# when\nref    = \"v2\"\nreason = \"why\"\n\n[skills.b]\nsource = 'o/b'\n", all},
		{"equal fields of a table", "[skills.a]\nsource = 'o/new'\nref = 'v1'\n", "[skills.a]\nsource = 'o/new'\nref = \"v2\"\nreason = \"why\"\n", all},
		{"fewer fields", "[skills.a]\nsource = 'o/a'\nref = 'v1' # gone\nmode = 'copy'\n# end\n", "[skills.a]\nsource = \"o/new\"\n# end\n", skill("a", "o/new")},
		{"dotted keys", "[skills]\n  a . source = 'o/a'\n  a.mode = 'copy'\nb = 'o/b'\n", "[skills]\n  a . source = \"o/new\"\n  a.ref = \"v2\"\n  a.reason = \"why\"\nb = 'o/b'\n", all},
		{"dotted keys at the top", "skills.a.ref = 'v1'\nskills.a.source = 'o/a'\n", "skills.a.source = \"o/new\"\n", skill("a", "o/new")},
		{"dotted entry at the top", "skills.a = 'o/a'\n", "skills.a = \"o/new\"\n", skill("a", "o/new")},
		{"source to text", "[skills.a]\nsource = 'o/a'\nref = 'v1'\n", "[skills.a]\nskill = \"\"\"\nx\n\"\"\"\nresources = { \"f.md\" = \"1\" }\n", inline},
		{"text to source", "[skills.a]\nskill = 'x'\n\n[skills.a.resources]\n'f.md' = '1'\n# c\n'g.md' = '2'\n\n[policy]\n", "[skills.a]\nsource = \"o/new\"\n\n[policy]\n", skill("a", "o/new")},
		{"equal resources below a header", "[skills.a]\nskill = 'y'\n[skills.a.resources]\n'f.md' = '1'\n", "[skills.a]\nskill = \"\"\"\nx\n\"\"\"\n[skills.a.resources]\n'f.md' = '1'\n", inline},
		{"other resources below a header", "[skills.a]\nskill = 'y'\n[skills.a.resources]\n'f.md' = '2'\n", "[skills.a]\nskill = \"\"\"\nx\n\"\"\"\nresources = { \"f.md\" = \"1\" }\n", inline},
		{"resources as dotted keys", "[skills]\na.resources.'f.md' = '2'\na.skill = 'x'\n", "[skills]\na.skill = \"\"\"\nx\n\"\"\"\na.resources = { \"f.md\" = \"1\" }\n", inline},
		{"inline skills", "skills = { b = 'o/b', a = 'o/a' }\n", "skills = { b = \"o/b\", a = \"o/new\" }\n", skill("a", "o/new")},
	} {
		got, err := parse(t, tt.before).Set(tt.skill)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.what, got, err, tt.after)
		}
	}
}

func TestSetOfSeveral(t *testing.T) {
	got, err := parse(t, "[skills]\nb = 'o/b'\n\n[policy]\n").Set(skill("z", "o/z"), skill("b", "o/b2"), skill("c", "o/c"))
	if want := "[skills]\nb = \"o/b2\"\nc = \"o/c\"\nz = \"o/z\"\n\n[policy]\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

// Two branches that add at one place cannot be merged, and the end is the one place of all. So what is sorted stays sorted.
func TestSetKeepsSortedEntriesSorted(t *testing.T) {
	for _, tt := range []struct{ what, before, after string }{
		{"before all", "[skills]\nn = 'o/n'\n", "[skills]\nm = \"o/r\"\nn = 'o/n'\n"},
		{"between", "[skills]\na = 'o/a' # x\n\n# of n\nn = 'o/n'\n", "[skills]\na = 'o/a' # x\nm = \"o/r\"\n\n# of n\nn = 'o/n'\n"},
		{"behind", "[skills]\r\n  a = 'o/a'\r\n  b = 'o/b'\r\n", "[skills]\r\n  a = 'o/a'\r\n  b = 'o/b'\r\n  m = \"o/r\"\r\n"},
		{"aligned", "[skills]\na    = 'o/a'\nlong = 'o/l'\nn    = 'o/n'\n", "[skills]\na    = 'o/a'\nlong = 'o/l'\nm    = \"o/r\"\nn    = 'o/n'\n"},
		{"dotted", "[skills]\na.source = 'o/a'\na.ref = 'v1'\nn.source = 'o/n'\n", "[skills]\na.source = 'o/a'\na.ref = 'v1'\nm = \"o/r\"\nn.source = 'o/n'\n"},
		{"not sorted", "[skills]\nn = 'o/n'\na = 'o/a'\n", "[skills]\nn = 'o/n'\na = 'o/a'\nm = \"o/r\"\n"},
	} {
		got, err := parse(t, tt.before).Set(skill("m", "o/r"))
		if err != nil || string(got) != tt.after {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.what, got, err, tt.after)
		}
	}
}

func TestSetRefusesWhatWouldNotReadBack(t *testing.T) {
	long := "[skills]\nOtter = 'o/a'\n"
	for _, tt := range []struct {
		what, text, code, message string
		skills                    []manifest.Skill
	}{
		{"unsafe name", long, "unsafe_name", `skills.toml: name "../x" begins`, []manifest.Skill{skill("../x", "o/r")}},
		{"folded name", long, "already_exists", "one directory", []manifest.Skill{skill("otter", "o/r")}},
		{"given twice", long, "already_exists", `"x" is given twice`, []manifest.Skill{skill("x", "o/r"), skill("x", "o/s")}},
		{"nothing", long, "manifest_invalid", "neither", []manifest.Skill{{Name: "x"}}},
		{"both", long, "manifest_invalid", "a text and a source", []manifest.Skill{{Name: "x", Source: "o/r", Inline: &manifest.Inline{Document: "x"}}}},
		{"mode", long, "manifest_invalid", "unknown mode", []manifest.Skill{{Name: "x", Source: "o/r", Mode: "hard"}}},
		{"not UTF-8", long, "cannot_edit", "read back", []manifest.Skill{{Name: "x", Source: "o/r\xff"}}},
		{"blanks around", long, "cannot_edit", "read back", []manifest.Skill{skill("x", " o/r")}},
		{"inline table of several lines", "skills = {\n a = 'o/a', # why\n}\n", "cannot_edit", "several lines", []manifest.Skill{skill("x", "o/r")}},
	} {
		got, err := parse(t, tt.text).Set(tt.skills...)
		refused(t, tt.what, err, tt.code, tt.message, "")
		if got != nil {
			t.Errorf("%s: got %q beside the error", tt.what, got)
		}
	}
}

func TestDeleteTakesTheLinesOfTheEntryAlone(t *testing.T) {
	for _, tt := range []struct {
		what, before, after string
		names               []string
	}{
		{"line", "[skills]\na = 'o/a' # x\n# about b\nb = 'o/b'\n", "[skills]\n# about b\nb = 'o/b'\n", []string{"a"}},
		{"last line", "[skills]\na = 'o/a'\n", "[skills]\n", []string{"a"}},
		{"no final newline", "[skills]\r\na = 'o/a'\r\nb = 'o/b'", "[skills]\r\na = 'o/a'", []string{"b"}},
		{"neighbours", "[skills]\na = 'o/a'\nb = 'o/b'\nc = 'o/c'", "[skills]\na = 'o/a'", []string{"c", "b"}},
		{"several lines", "[skills]\na = { skill = '''\nx\n''', resources = {} }\nb = 'o/b'\n", "[skills]\nb = 'o/b'\n", []string{"a"}},
		{"table", "[skills.a]\nsource = 'o/a'\n\n[skills.b]\n# why\nsource = 'o/b'\nref = 'v1'\n\n# who\n[policy]\n", "[skills.a]\nsource = 'o/a'\n\n# who\n[policy]\n", []string{"b"}},
		{"table with tables below", "[skills.a]\nskill = 'x'\n\n[skills.a.resources]\nf = 'x'\n\n[skills.b]\nsource = 'o/b'\n", "\n[skills.b]\nsource = 'o/b'\n", []string{"a"}},
		{"all tables", "mode = 'link'\n\n[skills.a]\nsource = 'o/a'\n  \n[skills.b]\nsource = 'o/b'\n", "mode = 'link'\n", []string{"a", "b"}},
		{"dotted keys at the top", "skills.a.source = 'o/a'\nskills.b = 'o/b'\nskills.a.ref = 'v1'\n", "skills.b = 'o/b'\n", []string{"a"}},
		{"everything at the top", "skills.a = 'o/a'\nskills.b = 'o/b'\nmode = 'link'", "mode = 'link'", []string{"a", "b"}},
		{"the whole file", "skills.a = 'o/a'", "", []string{"a"}},
		{"inline", "skills = { a = 'o/a', b = 'o/b' }\n", "skills = { a = \"o/a\" }\n", []string{"b"}},
		{"all inline", "skills = { a = 'o/a' }\n", "skills = {}\n", []string{"a"}},
		{"nothing", "[skills]\na = 'o/a'", "[skills]\na = 'o/a'", nil},
	} {
		got, err := parse(t, tt.before).Delete(tt.names...)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", tt.what, got, err, tt.after)
		}
	}
}

func TestDeleteOfAnUnknownNameIsAnError(t *testing.T) {
	m := parse(t, "[skills]\npdf = 'o/a'\n")
	_, err := m.Delete("pfd")
	refused(t, "near", err, "not_found", `no skill "pfd"`, `did you mean "pdf"?`)
	_, err = m.Delete("entirely-different")
	refused(t, "far", err, "not_found", `no skill "entirely-different"`, `known here: "pdf"`)
	_, err = parse(t, "").Delete("pdf")
	refused(t, "none", err, "not_found", `no skill "pdf"`, "")
}

func TestGetFindsByName(t *testing.T) {
	m := parse(t, whole)
	if s, found := m.Get("review"); !found || s.Ref != "^1.2" {
		t.Errorf("got %+v, %v", s, found)
	}
	if _, found := m.Get("Review"); found {
		t.Error("names are compared as they are")
	}
}

func TestDefaultsAreSetAtTheTop(t *testing.T) {
	for _, tt := range []struct{ before, after string }{
		{"", "mode = \"copy\"\n"},
		{"mode = 'link' # x\n[skills]\n", "mode = \"copy\" # x\n[skills]\n"},
		{"agents = [\n 'a',\n]\r\n[skills]\n", "agents = [\n 'a',\n]\r\nmode = \"copy\"\r\n[skills]\n"},
		{"# ours\n[skills]\n", "mode = \"copy\"\n\n# ours\n[skills]\n"},
		{"\uFEFF\r\n[skills]\r\n", "\uFEFFmode = \"copy\"\r\n\r\n[skills]\r\n"},
		{"mode = 'copy'", "mode = 'copy'"},
	} {
		got, err := parse(t, tt.before).SetMode("copy")
		if err != nil || string(got) != tt.after {
			t.Errorf("%q: got %q, %v", tt.before, got, err)
		}
	}
	got, err := parse(t, "# a\nmode = 'link'\n[skills]\n").SetMode("")
	if want := "# a\n[skills]\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	_, err = parse(t, "").SetMode("hard")
	refused(t, "mode", err, "manifest_invalid", "unknown mode", "")
}

func TestAgentsAreSetAtTheTop(t *testing.T) {
	for _, tt := range []struct {
		before, after string
		agents        []string
	}{
		{"agents = ['a'] # x\n", "agents = [\"b\", \"c\"] # x\n", []string{"b", "c"}},
		{"agents = [\n'a',\n]\nmode = 'link'\n", "mode = 'link'\n", nil},
		{"agents = ['a']\n", "agents = []\n", []string{}},
		{"agents = ['a']\n", "agents = ['a']\n", []string{"a"}},
		{"mode = 'link'\n", "mode = 'link'\nagents = []\n", []string{}},
		{"", "", nil},
	} {
		got, err := parse(t, tt.before).SetAgents(tt.agents)
		if err != nil || string(got) != tt.after {
			t.Errorf("%q: got %q, %v", tt.before, got, err)
		}
	}
}

func TestManifestKeepsTheTextThatWasRead(t *testing.T) {
	data := []byte("[skills]\na = 'o/a'\n")
	m, err := manifest.Parse(data, "skills.toml")
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	for range 2 {
		got, err := m.Set(skill("b", "o/b"))
		if want := "[skills]\na = 'o/a'\nb = \"o/b\"\n"; err != nil || string(got) != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
}
