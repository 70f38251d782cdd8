package marketplace

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

// one reads a marketplace of one entry.
func one(t testing.TB, entry string) (*Plugin, []Fault) {
	t.Helper()
	m, err := Parse([]byte(`{"name":"m","owner":{"name":"o"},"metadata":{"pluginRoot":"./plugins"},"plugins":[` + entry + `]}`))
	if err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
	if len(m.Plugins) == 0 {
		return nil, m.Faults
	}
	return &m.Plugins[0], m.Faults
}

// Expected values are those of the format's description.
func TestEntriesAreRead(t *testing.T) {
	remote := func(r Remote) Plugin { return Plugin{Name: "p", Remote: &r} }
	for source, want := range map[string]Plugin{
		`"./plugins/p"`:                      {Name: "p", Dir: "plugins/p"},
		`"./"`:                               {Name: "p", Dir: "."},
		`"."`:                                {Name: "p", Dir: "."},
		`"./a/../b/"`:                        {Name: "p", Dir: "b"},
		`"p"`:                                {Name: "p", Dir: "plugins/p"}, // bare: below metadata.pluginRoot
		`"tools/p"`:                          {Name: "p", Dir: "tools/p"},
		`"./p"`:                              {Name: "p", Dir: "p"},
		`{"source":"local","path":"./x/p"}`:  {Name: "p", Dir: "x/p"},
		`{"source":"url","url":"./"}`:        {Name: "p", Dir: "."},
		`{"source":"github","repo":"o/r"}`:   remote(Remote{Kind: "github", Location: "o/r"}),
		`{"repo":"o/r","path":"./skills/"}`:  remote(Remote{Kind: "github", Location: "o/r", Path: "skills"}),
		`{"package":"@s/p","version":"^1"}`:  remote(Remote{Kind: "npm", Location: "@s/p", Ref: "^1"}),
		`"https://git.example/r.git"`:        remote(Remote{Kind: "url", Location: "https://git.example/r.git"}),
		`{"url":"https://h/r.git","ref":""}`: remote(Remote{Kind: "url", Location: "https://h/r.git"}),
		`{"source":"github","repo":"o/r","ref":"v1","sha":"` + sha + `"}`:                                       remote(Remote{Kind: "github", Location: "o/r", Ref: "v1", Commit: sha}),
		`{"source":"url","url":"https://h/r.git","ref":null,"sha":"` + strings.ToUpper(sha) + `","path":"a/b"}`: remote(Remote{Kind: "url", Location: "https://h/r.git", Path: "a/b", Commit: sha}),
		`{"source":"git","url":"git@h.example:o/r.git"}`:                                                        remote(Remote{Kind: "url", Location: "git@h.example:o/r.git"}),
		`{"source":"git-subdir","url":"o/r","path":"./a","ref":"main","sha":"` + sha + `"}`:                     remote(Remote{Kind: "git-subdir", Location: "o/r", Path: "a", Ref: "main", Commit: sha}),
		`{"source":"npm","package":"p","version":"1.2.3","registry":"https://npm.corp.example"}`:                remote(Remote{Kind: "npm", Location: "p", Ref: "1.2.3", Registry: "https://npm.corp.example"}),
		`{"source":"github","repo":"o/r","path":"."}`:                                                           remote(Remote{Kind: "github", Location: "o/r"}),
	} {
		got, faults := one(t, `{"name":"p","source":`+source+`}`)
		if diff := cmp.Diff(&want, got); diff != "" || len(faults) > 0 {
			t.Errorf("%s: %v\n%s", source, faults, diff)
		}
	}
}

func TestSkillsAreRead(t *testing.T) {
	for keys, want := range map[string]Plugin{
		`"description":"D"`:                                   {Description: "D"},
		`"description":7,"version":[]`:                        {},
		`"skills":"./skills"`:                                 {Skills: []string{"skills"}},
		`"skills":["./a","b/c/","./a"]`:                       {Skills: []string{"a", "b/c"}},
		`"skills":"./"`:                                       {Skills: []string{"."}},
		`"skills":[]`:                                         {},
		`"skills":null,"strict":false`:                        {Lenient: true},
		`"skills":["./a"],"strict":false,"commands":7,"x":{}`: {Skills: []string{"a"}, Lenient: true},
		`"strict":true`:                                       {},
	} {
		want.Name, want.Dir = "p", "."
		got, faults := one(t, `{"name":"p","source":"./",`+keys+`}`)
		if diff := cmp.Diff(&want, got); diff != "" || len(faults) > 0 {
			t.Errorf("%s: %v\n%s", keys, faults, diff)
		}
		if got.Exact() != (want.Lenient && len(want.Skills) > 0) {
			t.Errorf("%s: exact %v", keys, got.Exact())
		}
	}
}

// Wrong entries are reported with the plugin's name and do not spoil the one behind them.
func TestWrongEntriesAreReported(t *testing.T) {
	source := func(text string) string { return `{"name":"p","source":` + text + `}` }
	for _, tt := range []struct{ entry, code, says string }{
		{`7`, "plugin_invalid", "entry 1 is no object"},
		{`null`, "plugin_invalid", "entry 1 is no object"},
		{`{"source":"./"}`, "plugin_invalid", "entry 1 has no name"},
		{`{"name":5,"source":"./"}`, "plugin_invalid", "entry 1 has no name"},
		{`{"name":" p","source":"./"}`, "plugin_invalid", "no name that can be shown"},
		{`{"name":"p\u202e","source":"./"}`, "plugin_invalid", "no name that can be shown"},
		{`{"name":"` + strings.Repeat("p", 201) + `","source":"./"}`, "plugin_invalid", "no name that can be shown"},
		{`{"name":"p"}`, "plugin_invalid", `plugin "p": its source is neither`},
		{source(`5`), "plugin_invalid", "neither a text nor an object"},
		{source(`""`), "plugin_invalid", "no source"},
		{source(`["./"]`), "plugin_invalid", "neither a text nor an object"},
		{source(`"../x"`), "path_escape", `"../x" leads out`},
		{source(`".."`), "path_escape", `".." leads out`},
		{source(`"./a/../../b"`), "path_escape", "leads out"},
		{source(`"/etc"`), "path_escape", `"/etc" leads out`},
		{source(`"a\\..\\b"`), "plugin_invalid", `holds "\"`},
		{source(`"./a\u0000"`), "plugin_invalid", "control"},
		{source(`{"source":"local","path":"../x"}`), "path_escape", "leads out"},
		{source(`{"source":"url","url":"./","path":"../x"}`), "path_escape", "leads out"},
		{source(`{"source":"svn","url":"https://h/r"}`), "plugin_invalid", `kind "svn"`},
		{source(`{"source":"github"}`), "plugin_invalid", "does not say where"},
		{source(`{"source":"github","repo":"o"}`), "plugin_invalid", `"o" is no repository`},
		{source(`{"source":"github","repo":"../r"}`), "plugin_invalid", "no repository"},
		{source(`{"source":"github","repo":"-o/r"}`), "plugin_invalid", "no repository"},
		{source(`{"source":"github","repo":{}}`), "plugin_invalid", `"repo" is no text`},
		{source(`{"source":"url","url":"https://h/r.git --x"}`), "plugin_invalid", "no part of a source"},
		{source(`{"source":"url","url":"https://h/r.git","ref":"a\u001bb"}`), "plugin_invalid", "no part of a source"},
		{source(`{"source":"url","url":"https://h/r.git","sha":"0123456"}`), "plugin_invalid", "no whole commit id"},
		{source(`{"source":"url","url":"https://h/r.git","sha":7}`), "plugin_invalid", `"sha" is no text`},
		{source(`{"source":"url","url":"https://h/r.git","path":"../x"}`), "path_escape", "leads out"},
		{source(`{"source":"git-subdir","url":"https://h/r.git"}`), "plugin_invalid", "no path"},
		{source(`{"source":"git-subdir","url":"https://h/r.git","path":"/x"}`), "path_escape", "leads out"},
		{source(`{"source":"npm"}`), "plugin_invalid", "does not say where"},
		{source(`{"source":"npm","package":"p","sha":"` + sha + `"}`), "plugin_invalid", "no commits"},
		{source(`{}`), "plugin_invalid", "does not say where"},
	} {
		m, err := Parse([]byte(`{"plugins":[` + tt.entry + `,{"name":"good","source":"./good"}]}`))
		if err != nil || len(m.Plugins) != 1 || m.Plugins[0].Name != "good" || len(m.Faults) != 1 {
			t.Errorf("%s: %v %v", tt.entry, m, err)
			continue
		}
		if f := m.Faults[0]; f.Code != tt.code || !strings.Contains(f.Message, tt.says) {
			t.Errorf("%s: %v, want %s and %q", tt.entry, f, tt.code, tt.says)
		}
	}
}

// What is wrong in a part of an entry leaves the rest of it.
func TestWrongPartsAreReported(t *testing.T) {
	for _, tt := range []struct{ keys, code, says string }{
		{`"skills":["./a","../../x"]`, "path_escape", `plugin "p": skills: "../../x" leads out`},
		{`"skills":["./a","/x"]`, "path_escape", "leads out"},
		{`"skills":["./a",7]`, "plugin_invalid", "no text"},
		{`"skills":["./a",""]`, "plugin_invalid", "no text"},
		{`"skills":["./a/SKILL.md"]`, "plugin_path", `names the file "./a/SKILL.md"; its directory "a"`},
		{`"skills":"a/skill.md"`, "plugin_path", "is meant"},
		{`"skills":"./a","strict":"no"`, "plugin_invalid", `"strict" is neither`},
	} {
		got, faults := one(t, `{"name":"p","source":"./",`+tt.keys+`}`)
		want := &Plugin{Name: "p", Dir: ".", Skills: []string{"a"}}
		if diff := cmp.Diff(want, got); diff != "" || len(faults) != 1 || faults[0].Code != tt.code || faults[0].Plugin != "p" || !strings.Contains(faults[0].Message, tt.says) {
			t.Errorf("%s: %v\n%s", tt.keys, faults, diff)
		}
	}
	if _, faults := one(t, `{"name":"p","source":"./","skills":{"a":"b"}}`); len(faults) != 1 {
		t.Error(faults)
	}
	_, faults := one(t, `{"name":"p","source":"./a"},{"name":"p","source":"./b"}`)
	if len(faults) != 1 || faults[0].Code != "plugin_duplicate" {
		t.Error(faults)
	}
}

func TestRenames(t *testing.T) {
	m, err := Parse([]byte(`{"renames":{"old":"new","bad":7,"worse":"","worst":"\u0007"},"plugins":[]}`))
	if err != nil || !cmp.Equal(m.Renames, map[string]string{"old": "new"}) || len(m.Faults) != 3 {
		t.Error(m, err)
	}
	m, err = Parse([]byte(`{"renames":["old"]}`))
	if err != nil || len(m.Renames) != 0 || len(m.Faults) != 1 {
		t.Error(m, err)
	}
}

func TestPluginRoot(t *testing.T) {
	for root, want := range map[string]string{`"./x/y/"`: "x/y/p", `""`: "p", `null`: "p", `"."`: "p", `"../out"`: "p", `"/abs"`: "p", `7`: "p"} {
		m, err := Parse([]byte(`{"metadata":{"pluginRoot":` + root + `},"plugins":[{"name":"p","source":"p"},{"name":"up","source":".."}]}`))
		wrong := map[string]int{`"../out"`: 2, `"/abs"`: 2, `7`: 2}[root]
		if err != nil || m.Plugins[0].Dir != want || len(m.Plugins) != 1 || len(m.Faults) != max(1, wrong) {
			t.Errorf("%s: %v %v", root, m, err)
		}
	}
}

func TestFilesThatAreNoMarketplaces(t *testing.T) {
	for text, want := range map[string]string{
		"": "not the JSON", "<html>": "not the JSON", "[]": "not the JSON", "null": "not the JSON", `{"plugins":{}}`: "no list",
		`{"plugins":[]} x`: "not the JSON", `{"a":` + strings.Repeat("[", 20000): "not the JSON",
		`{"name":"` + strings.Repeat("x", MaxBytes) + `"}`: "larger than 4 MiB",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	if m, err := Parse([]byte("\ufeff{\"agents\":[]}")); err != nil || len(m.Plugins)+len(m.Faults) > 0 {
		t.Error(m, err)
	}
}

func TestBounds(t *testing.T) {
	var entries, dirs []string
	for i := range MaxPlugins + 3 {
		entries = append(entries, fmt.Sprintf(`{"name":"p%d","source":"./"}`, i))
	}
	for i := range MaxSkills + 3 {
		dirs = append(dirs, fmt.Sprintf(`"./%d"`, i))
	}
	m, err := Parse([]byte(`{"plugins":[` + strings.Join(entries, ",") + `]}`))
	if err != nil || len(m.Plugins) != MaxPlugins || m.Faults[0].Code != "limit" {
		t.Error(err, m.Faults)
	}
	p, faults, err := ParseManifest([]byte(`{"name":"p","skills":[` + strings.Join(dirs, ",") + `]}`))
	if err != nil || len(p.Skills) != MaxSkills || len(faults) != 1 || faults[0].Code != "limit" {
		t.Error(err, faults, len(p.Skills))
	}
}

func TestManifestsOfPlugins(t *testing.T) {
	p, faults, err := ParseManifest([]byte(`{"name":"p","description":"D","skills":["./more","../x"],"mcpServers":{}}`))
	if diff := cmp.Diff(Plugin{Name: "p", Description: "D", Skills: []string{"more"}}, p); diff != "" || err != nil || len(faults) != 1 || faults[0].Code != "path_escape" {
		t.Error(diff, faults, err)
	}
	if p, _, err := ParseManifest([]byte(`{"name":"\u0007"}`)); err != nil || p.Name != "" {
		t.Error(p, err)
	}
	if _, _, err := ParseManifest([]byte("[]")); err == nil || !strings.Contains(err.Error(), "JSON of a plugin") {
		t.Error(err)
	}
}

func TestPlacesAreShown(t *testing.T) {
	for want, r := range map[string]Remote{"o/r": {Location: "o/r"}, "o/r a/b#v1": {Location: "o/r", Path: "a/b", Ref: "v1"}} {
		if r.String() != want {
			t.Errorf("%q, want %q", r, want)
		}
	}
}

// FuzzParse: no file makes it panic; directories never leave what they count from, names are unique and show, commits are whole.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"plugins":[{"name":"p","source":"./p","skills":["./a","../b"],"strict":false}]}`,
		`{"metadata":{"pluginRoot":"./r"},"plugins":[{"name":"p","source":"p"},{"name":"q","source":{"source":"git-subdir","url":"https://h/r","path":"x","sha":"` + sha + `"}}]}`,
		`{"renames":{"a":"b"},"plugins":[{"name":"n","source":{"source":"npm","package":"p"}},7,null,[]]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		var known []string
		for _, p := range m.Plugins {
			if !shows(p.Name) || slices.Contains(known, p.Name) || (p.Dir == "") == (p.Remote == nil) {
				t.Fatalf("%+v", p)
			}
			known = append(known, p.Name)
			dirs := append([]string{p.Dir}, p.Skills...)
			if p.Remote != nil {
				dirs[0] = p.Remote.Path
				if id := p.Remote.Commit; id != "" && !commitPattern.MatchString(id) {
					t.Fatalf("%+v", p.Remote)
				}
			}
			for _, dir := range dirs {
				if dir != "" && (path.Clean(dir) != dir || path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || strings.Contains(dir, "\\")) {
					t.Fatalf("%q leaves", dir)
				}
			}
		}
	})
}

func ExampleParse() {
	m, err := Parse([]byte(`{"name":"acme","owner":{"name":"Acme"},"plugins":[
		{"name":"docs","source":"./plugins/docs"},
		{"name":"far","source":{"source":"github","repo":"acme/far","ref":"v2"}},
		{"name":"out","source":"../../etc"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range m.Plugins {
		fmt.Println(p.Name, p.Dir, p.Remote)
	}
	fmt.Println(m.Faults[0].Code, m.Faults[0].Message)
	// Output:
	// docs plugins/docs <nil>
	// far  acme/far#v2
	// path_escape plugin "out": "../../etc" leads out, and is not looked at
}
