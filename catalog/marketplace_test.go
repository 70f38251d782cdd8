package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/catalog/marketplace"
)

// inPlugin gives the paths of a plugin's skills, or the kind of the error.
func inPlugin(t *testing.T, l *Listing, f *treeFS, name string) string {
	t.Helper()
	list, err := l.InPlugin(name)
	if err == nil && slices.ContainsFunc(list, func(c Candidate) bool { return c.Skill == nil && c.Err == nil }) {
		f.lazy = false
		if err := l.Read(context.Background(), f, true); err != nil {
			t.Fatal(err)
		}
		list, err = l.InPlugin(name)
	}
	var e *SelectError
	if errors.As(err, &e) {
		return e.Kind
	}
	for _, c := range list {
		if c.Plugin == "" || c.Skill == nil && c.Err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	return strings.Join(paths1(list), " ")
}

// market makes a tree of skills by their directories and of other files.
func market(t *testing.T, entries string, dirs []string, files map[string]string) *treeFS {
	f := tree(t, files)
	f.add(".claude-plugin/marketplace.json", nil, []byte(`{"name":"m","owner":{"name":"o"},"plugins":[`+entries+`],"renames":{"old":"a","older":"old","loop":"loop","dead":"gone"}}`))
	for _, dir := range dirs {
		name := strings.ReplaceAll(dir, "/", "-")
		f.add(dir+"/SKILL.md", nil, []byte(skill(strings.Trim(name, ".-"), "Does "+dir+".")))
	}
	return f
}

// The rules of the format: the directory skills/ counts besides those that the entry and plugin.json name; an entry that is not strict and
// names skills says all of them.
func TestDirectoriesOfPlugins(t *testing.T) {
	dirs := []string{"p/a/skills/x", "p/a/skills/y", "p/a/more/z", "p/a/other", "p/b/x", "p/c/.hidden/x", "p/c/skills/y", "skills/r", "skills/s", "lone"}
	for _, tt := range []struct{ what, entries, file, want string }{
		{"usual directory", `{"name":"a","source":"./p/a"}`, "", "p/a/skills/x p/a/skills/y"},
		{"and what the entry names", `{"name":"a","source":"./p/a","skills":"./more"}`, "", "p/a/more/z p/a/skills/x p/a/skills/y"},
		{"and what plugin.json names", `{"name":"a","source":"./p/a"}`, `{"skills":["./other"]}`, "p/a/other p/a/skills/x p/a/skills/y"},
		{"not strict", `{"name":"a","source":"./p/a","strict":false,"skills":["./more/z"]}`, `{"skills":["./other"]}`, "p/a/more/z"},
		{"not strict, no list", `{"name":"a","source":"./p/a","strict":false}`, `{"skills":["./other"]}`, "p/a/skills/x p/a/skills/y"},
		{"manifest in place of directory", `{"name":"a","source":"./p/a","strict":false,"skills":"./more/z/SKILL.md"}`, "", "p/a/more/z"},
		{"plugin.json that is none", `{"name":"a","source":"./p/a"}`, `[`, "p/a/skills/x p/a/skills/y"},
		{"plugin.json that climbs", `{"name":"a","source":"./p/a"}`, `{"skills":["../b/x"]}`, "p/a/skills/x p/a/skills/y"},
		{"no usual directory", `{"name":"a","source":"./p/b"}`, "", "p/b/x"},
		{"the plugin is a skill", `{"name":"a","source":"./lone"}`, "", "lone"},
		{"hidden and named", `{"name":"a","source":"./p/c","skills":["./.hidden/x"]}`, "", "p/c/.hidden/x p/c/skills/y"},
		{"the root shared", `{"name":"a","source":"./","skills":["./skills/r"]},{"name":"b","source":"./","skills":["./skills/s"]}`, "", "skills/r"},
		{"the root around another", `{"name":"a","source":"./p","skills":"a"},{"name":"b","source":"./p/a"}`, "", "p/a/more/z p/a/other"},
		{"nothing", `{"name":"a","source":"./none"}`, "", "no_skills"},
		{"elsewhere", `{"name":"a","source":{"source":"github","repo":"o/r"}}`, "", "elsewhere"},
		{"climbs", `{"name":"a","source":"../p/a"}`, "", "not_found"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			files := map[string]string{}
			if tt.file != "" {
				files["p/a/.claude-plugin/plugin.json"] = tt.file
			}
			f := market(t, tt.entries, dirs, files)
			l := list(t, f, WalkOptions{})
			for _, name := range []string{"a", "old", "older"} {
				if got := inPlugin(t, l, f, name); got != tt.want {
					t.Errorf("%s: %s, want %s", name, got, tt.want)
				}
			}
		})
	}
}

func TestWrongPluginsAreFindings(t *testing.T) {
	f := market(t, `{"name":"up","source":"../up"},{"name":"gone","source":"./gone"},{"name":"a","source":"./a","skills":["./none","./skills/x"]},7`,
		[]string{"a/skills/x"}, nil)
	l := list(t, f, WalkOptions{})
	if got := codes(l.Findings); !slices.Equal(got, []string{"path_escape", "plugin_invalid", "plugin_missing", "plugin_missing"}) {
		t.Error(l.Findings)
	}
	for _, want := range []string{`plugin "up": "../up" leads out`, `plugin "gone" lies in "gone", which is no directory here`, `plugin "a" names "a/none", where no skill is`} {
		if !strings.Contains(fmt.Sprint(l.Findings), want) {
			t.Errorf("%q is not said: %v", want, l.Findings)
		}
	}
	for _, name := range f.opened {
		if strings.HasPrefix(name, "..") || strings.HasPrefix(name, "/") {
			t.Errorf("%s was read", name)
		}
	}
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf(`{"name":"p%d","source":"../x"}`, i))
	}
	l = list(t, market(t, strings.Join(many, ","), []string{"a"}, nil), WalkOptions{})
	if len(l.Findings) != maxFaults+1 || !strings.Contains(l.Findings[maxFaults].Message, "150 more are wrong") {
		t.Error(len(l.Findings), l.Findings[len(l.Findings)-1])
	}
}

func TestUnknownPluginsComeWithNearNames(t *testing.T) {
	l := list(t, market(t, `{"name":"documents","source":"./a"},{"name":"b","source":"./b"}`, []string{"a", "b"}, nil), WalkOptions{})
	for _, name := range []string{"document", "loop", "dead"} {
		_, err := l.InPlugin(name)
		var e *SelectError
		if !errors.As(err, &e) || e.Kind != "not_found" || !slices.Equal(e.Plugins, []string{"documents", "b"}) {
			t.Fatal(name, err)
		}
		hints := strings.Join(e.Hints(), "; ")
		if !strings.Contains(hints, "the plugins are: b, documents") || name == "document" && !strings.Contains(hints, `did you mean "documents"?`) {
			t.Error(name, hints)
		}
	}
	l = list(t, tree(t, map[string]string{"a/SKILL.md": skill("a", "A")}), WalkOptions{})
	if _, err := l.InPlugin("a"); err == nil || !strings.Contains(err.Error(), "no marketplace") {
		t.Error(err)
	}
}

// Two plugins may ship the same skill, or another one of the same name: each has its own.
func TestPluginsThatShareSkills(t *testing.T) {
	f := market(t, `{"name":"a","source":"./p/a"},{"name":"b","source":"./p/b"},{"name":"c","source":"./c"}`, nil, map[string]string{
		"p/a/skills/tdd/SKILL.md": skill("tdd", "Same."), "p/b/skills/tdd/SKILL.md": skill("tdd", "Same."), "c/skills/tdd/SKILL.md": skill("tdd", "Another."),
	})
	l := list(t, f, WalkOptions{})
	for name, want := range map[string]string{"a": "p/a/skills/tdd", "b": "p/b/skills/tdd", "c": "c/skills/tdd"} {
		if got := inPlugin(t, l, f, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The same plugins are often listed for several programs; the first file counts.
func TestSeveralMarketplaceFiles(t *testing.T) {
	f := market(t, `{"name":"a","source":"./a"}`, []string{"a", "b", "c"}, map[string]string{
		".agents/plugins/marketplace.json": `{"plugins":[{"name":"a","source":{"source":"local","path":"./b"}},{"name":"c","source":{"source":"local","path":"./c"}}]}`,
		".github/plugin/marketplace.json":  `{"plugins":[{"name":"a","source":"./c"},{"name":"b","source":"./b"}]}`,
	})
	l := list(t, f, WalkOptions{})
	var names []string
	for _, p := range l.Plugins() {
		names = append(names, p.Name+" "+p.Dir)
	}
	if got := strings.Join(names, ", "); got != "a a, b b, c c" {
		t.Error(got, l.Findings)
	}
}

// A plugin that was followed to another repository is all that counts there.
func TestOnePluginAtAPlace(t *testing.T) {
	f := market(t, `{"name":"a","source":"./a"}`, []string{"a/skills/x", "a/more/y", "a/z"}, map[string]string{"a/.claude-plugin/plugin.json": `{"name":"n","skills":"more"}`})
	l, err := Walk(context.Background(), f, WalkOptions{Below: "a", Plugin: &marketplace.Plugin{Name: "far", Remote: &marketplace.Remote{}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Manifests(false); !slices.Equal(got, []string{"a/.claude-plugin/plugin.json", "a/more/y/SKILL.md", "a/skills/x/SKILL.md", "a/z/SKILL.md"}) {
		t.Error(got)
	}
	if err := l.Read(context.Background(), f, false); err != nil {
		t.Fatal(err)
	}
	if got := inPlugin(t, l, f, "far"); got != "a/more/y a/skills/x" || len(l.Plugins()) != 1 || l.Plugins()[0].Dir != "a" {
		t.Error(got, l.Plugins())
	}
}

func TestMarketplacesBringTheFilesOfPlugins(t *testing.T) {
	f := market(t, `{"name":"a","source":"./a"}`, []string{"a/skills/x"}, map[string]string{
		"a/.claude-plugin/plugin.json": "{}", "node_modules/b/.claude-plugin/plugin.json": "{}", ".claude-plugin/plugin.json": "{}"})
	l, err := Walk(context.Background(), f, WalkOptions{})
	if want := []string{".claude-plugin/marketplace.json", ".claude-plugin/plugin.json", "a/.claude-plugin/plugin.json", "a/skills/x/SKILL.md"}; err != nil || !slices.Equal(l.Manifests(false), want) {
		t.Error(l.Manifests(false), err)
	}
	for i := range maxManifests + 5 {
		f.add(fmt.Sprintf("b/%04d/.claude-plugin/plugin.json", i), nil, []byte("{}"))
	}
	l, err = Walk(context.Background(), f, WalkOptions{})
	if err != nil || len(l.Manifests(false)) != maxManifests+2 || !slices.Equal(codes(l.Findings), []string{"limit"}) {
		t.Error(len(l.Manifests(false)), l.Findings, err)
	}
}

func TestPluginsThroughLinks(t *testing.T) {
	f := market(t, `{"name":"a","source":"./plugins/a"},{"name":"out","source":"./out"}`, []string{"skills/x", "skills/y"},
		map[string]string{"plugins/a/skills [link]": "../../skills", "out [link]": "../../etc"})
	l := list(t, f, WalkOptions{})
	if got := inPlugin(t, l, f, "a"); got != "skills/x skills/y" {
		t.Error(got, l.Findings)
	}
	if got := inPlugin(t, l, f, "out"); got != "no_skills" {
		t.Error(got)
	}
}

func ExampleListing_InPlugin() {
	f := newTree()
	f.add(".claude-plugin/marketplace.json", nil, []byte(`{"plugins":[{"name":"office","source":"./office"}]}`))
	f.add("office/skills/pdf/SKILL.md", nil, []byte(skill("pdf", "Reads PDF files.")))
	f.add("skills/other/SKILL.md", nil, []byte(skill("other", "Does something else.")))
	listing, err := Walk(context.Background(), f, WalkOptions{})
	if err == nil {
		err = listing.Read(context.Background(), f, false)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := listing.InPlugin("office")
	fmt.Println(paths1(list), err)
	_, err = listing.InPlugin("offce")
	fmt.Println(err)
	// Output:
	// [office/skills/pdf] <nil>
	// no plugin is named "offce"
}
