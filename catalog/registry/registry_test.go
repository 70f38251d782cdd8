package registry

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"skills/catalog"
)

// doc is the text of a SKILL.md.
func doc(name, description, body string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n" + body
}

// skill is that of a skill which needs only a name.
func skill(name string) string { return doc(name, "Does "+name+".", "Body of "+name+".\n") }

// tree makes a file system of paths and texts; " -> " in a path makes a link.
func tree(files map[string]string) fstest.MapFS {
	f := fstest.MapFS{}
	for name, text := range files {
		if name, target, link := strings.Cut(name, " -> "); link {
			f[name] = &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(target)}
			continue
		}
		f[name] = &fstest.MapFile{Mode: 0o644, Data: []byte(text)}
	}
	return f
}

// recorder keeps what Warn was told.
type recorder struct {
	lock     sync.Mutex
	findings []catalog.Finding
}

func (r *recorder) warn(f catalog.Finding) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.findings = append(r.findings, f)
}

// codes gives what was told since the last time, as "code file".
func (r *recorder) codes() []string {
	r.lock.Lock()
	defer r.lock.Unlock()
	codes := []string{}
	for _, f := range r.findings {
		codes = append(codes, f.Code+" "+f.File)
	}
	r.findings = nil
	return codes
}

// found is a registry that was read, and what was told of it.
type found struct {
	*Registry
	*recorder
}

func discover(t *testing.T, c Config) found {
	t.Helper()
	told := &recorder{}
	c.Warn = told.warn
	r, err := Discover(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return found{r, told}
}

func namesOf(skills []Info) []string {
	list := []string{}
	for _, info := range skills {
		list = append(list, info.Name)
	}
	return list
}

func (f found) want(t *testing.T, wanted, codes []string) {
	t.Helper()
	if got := namesOf(f.List()); !slices.Equal(got, wanted) {
		t.Errorf("skills are %q, want %q", got, wanted)
	}
	if f.Size() != len(wanted) {
		t.Errorf("size is %d, want %d", f.Size(), len(wanted))
	}
	if got := f.codes(); !slices.Equal(got, codes) {
		t.Errorf("told was %q, want %q", got, codes)
	}
}

// fault gives the error as the type that it has.
func fault(t *testing.T, err error) *catalog.Error {
	t.Helper()
	var e *catalog.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want a *catalog.Error", err)
	}
	if len(e.Hints()) == 0 || e.Hints()[0] == "" {
		t.Errorf("the error %v has no hint", e)
	}
	return e
}

func TestOneReading(t *testing.T) {
	t.Run("S1-1", func(t *testing.T) {
		files := tree(map[string]string{"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
		r := discover(t, Defaults(Root{FS: files, Path: "/r"}))
		files["new/SKILL.md"] = &fstest.MapFile{Data: []byte(skill("new"))}
		files["a/SKILL.md"] = &fstest.MapFile{Data: []byte(doc("a", "d", "changed"))}
		delete(files, "b/SKILL.md")
		r.want(t, []string{"a", "b"}, []string{})
		if c, _ := r.Get("a"); c.Body != "Body of a." {
			t.Errorf("body is %q before the refresh", c.Body)
		}
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.want(t, []string{"a", "new"}, []string{})
		if c, _ := r.Get("a"); c.Body != "changed" {
			t.Errorf("body is %q after the refresh", c.Body)
		}
		if _, there := r.Get("b"); there {
			t.Error("b is there after the refresh")
		}
	})
	t.Run("S1-2", func(t *testing.T) {
		files := tree(map[string]string{"a/SKILL.md": skill("a"), "g/b/SKILL.md": skill("b"), "SKILL.md": skill("c"), "plain": ""})
		discover(t, Defaults(Root{FS: files, Path: "/r"})).want(t, []string{"a"}, []string{})
	})
	t.Run("S1-44", func(t *testing.T) { // nothing but the file system is asked
		discover(t, Defaults(Root{FS: tree(nil), Path: "/r"})).want(t, []string{}, []string{})
	})
}

func TestManifestSpellings(t *testing.T) {
	for _, spelling := range []string{"Skill.md", "skill.md", "SKILL.MD", "SKILL.md"} {
		t.Run("S1-3 "+spelling, func(t *testing.T) {
			r := discover(t, Defaults(Root{FS: tree(map[string]string{"a/" + spelling: skill("a")}), Path: "/r"}))
			r.want(t, []string{"a"}, []string{})
			if got := r.List()[0].Path; got != "/r/a/"+spelling {
				t.Errorf("path is %q", got)
			}
		})
	}
	t.Run("S1-3 both", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: tree(map[string]string{
			"a/SKILL.md": doc("a", "exact", ""), "a/skill.md": doc("a", "other", ""), "a/SKILL.MD": doc("a", "third", ""),
			"b/skill.md": doc("b", "last", ""), "b/Skill.md": doc("b", "first bytes", ""),
		}), Path: "/r"}))
		r.want(t, []string{"a", "b"}, []string{"manifest_case /r/a/SKILL.md", "manifest_case /r/b/Skill.md"})
		if list := r.List(); list[0].Description != "exact" || list[1].Description != "first bytes" {
			t.Errorf("read were %q and %q", list[0].Description, list[1].Description)
		}
	})
	t.Run("S1-3 other profiles", func(t *testing.T) {
		c := Defaults(Root{FS: tree(map[string]string{"a/skill.md": skill("a")}), Path: "/r"})
		c.Rules.Profile = catalog.ProfileInstall
		discover(t, c).want(t, []string{"a"}, []string{"manifest_case /r/a/skill.md"})
	})
	t.Run("S1-3 other letters", func(t *testing.T) { // KELVIN SIGN and LONG S fold to k and s
		files := tree(map[string]string{"a/S\u212aILL.md": skill("a"), "b/\u017fkill.md": skill("b"), "c/SKILL.mdx": skill("c")})
		discover(t, Defaults(Root{FS: files, Path: "/r"})).want(t, []string{}, []string{})
	})
	t.Run("S1-3 directory", func(t *testing.T) {
		files := tree(map[string]string{"a/SKILL.md/x": "", "a/skill.md": skill("a"), "b/SKILL.md/x": ""})
		discover(t, Defaults(Root{FS: files, Path: "/r"})).want(t, []string{"a"},
			[]string{"not_a_file /r/a/SKILL.md", "not_a_file /r/b/SKILL.md"})
	})
}

func TestDuplicatesInOneRoot(t *testing.T) {
	root := Root{Path: "/R", FS: tree(map[string]string{"one/SKILL.md": doc("dup", "d", "one"), "two/SKILL.md": doc("dup", "d", "two")})}
	t.Run("S1-5", func(t *testing.T) {
		r := discover(t, Defaults(root))
		r.want(t, []string{"dup"}, []string{"name_mismatch /R/one/SKILL.md", "name_mismatch /R/two/SKILL.md", "duplicate_skill /R/two/SKILL.md"})
		if c, _ := r.Get("dup"); c.Body != "one" || len(c.Shadowed) > 0 {
			t.Errorf("body is %q, shadowed %v", c.Body, c.Shadowed)
		}
	})
	t.Run("S1-5 strict", func(t *testing.T) {
		c := Defaults(root)
		c.Strict = true
		r, err := Discover(t.Context(), c)
		e := fault(t, err)
		if e.Code() != "duplicate_skill" || e.Name != "dup" || !slices.Equal(e.Paths, []string{"/R/one", "/R/two"}) || r != nil {
			t.Errorf("error is %#v", e)
		}
	})
}

func TestMalformed(t *testing.T) {
	files := tree(map[string]string{"good/SKILL.md": skill("good"), "broken/SKILL.md": "no front matter", "worse/SKILL.md": "---\nname: x\n"})
	t.Run("S1-6", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		if f := r.Findings()[0]; f.Severity != catalog.SeverityWarning || !strings.Contains(f.Message, "left out") {
			t.Errorf("finding is %+v", f)
		}
		r.want(t, []string{"good"}, []string{"invalid_skill /R/broken/SKILL.md", "invalid_skill /R/worse/SKILL.md"})
	})
	t.Run("S1-6 strict", func(t *testing.T) {
		c := Defaults(Root{FS: files, Path: "/R"})
		c.Strict = true
		_, err := Discover(t.Context(), c)
		if e := fault(t, err); e.Kind != "invalid_skill" || e.Path != "/R/broken/SKILL.md" {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("S1-6 profile", func(t *testing.T) { // no skill is at fault for a profile that is not known
		c := Defaults(Root{FS: files, Path: "/R"})
		c.Rules.Profile = "nope"
		_, err := Discover(t.Context(), c)
		if e := fault(t, err); e.Kind != "invalid_input" {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("S1-7", func(t *testing.T) {
		if DefaultStrict || !DefaultFollowLinks {
			t.Error("the defaults are others")
		}
		if c := discover(t, Defaults()).Config(); c.Strict || !c.FollowLinks || c.Rules.Profile != catalog.ProfileClarvis {
			t.Errorf("config is %+v", c)
		}
	})
}

func TestNames(t *testing.T) {
	mismatch := Root{FS: tree(map[string]string{"on-disk/SKILL.md": skill("declared")}), Path: "/R"}
	for _, strict := range []bool{false, true} {
		t.Run("S1-14", func(t *testing.T) {
			c := Defaults(mismatch)
			c.Strict = strict
			r := discover(t, c)
			r.want(t, []string{"declared"}, []string{"name_mismatch /R/on-disk/SKILL.md"})
			if _, there := r.Get("on-disk"); there {
				t.Error("the directory is a name")
			}
			if info := r.List()[0]; len(info.Findings) != 1 || info.Findings[0].Code != "name_mismatch" {
				t.Errorf("findings of the skill are %v", info.Findings)
			}
		})
	}
	t.Run("S2-36", func(t *testing.T) {
		c := Defaults(Root{FS: tree(map[string]string{"test-skill/SKILL.md": skill("other")}), Path: "/R"})
		c.Rules.Profile = catalog.ProfileSmarter
		discover(t, c).want(t, []string{"other"}, []string{"name_mismatch /R/test-skill/SKILL.md"})
	})
	t.Run("S2-36 spec", func(t *testing.T) {
		c := Defaults(mismatch)
		c.Rules.Profile = catalog.ProfileSpec
		discover(t, c).want(t, []string{}, []string{"invalid_skill /R/on-disk/SKILL.md"})
	})
	t.Run("S1-15", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: tree(map[string]string{"b/SKILL.md": skill("b"), "A/SKILL.md": skill("A"), "a/SKILL.md": skill("a")}), Path: "/R"}))
		r.want(t, []string{"A", "a", "b"}, []string{"name_case /R/a/SKILL.md"})
		list := r.List()
		list[0].Name, list[0].Frontmatter["name"] = "changed", "changed"
		if again := r.List()[0]; again.Name != "A" || again.Frontmatter["name"] != "A" {
			t.Error("a change of the list is a change of the registry")
		}
	})
	t.Run("S1-16", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: tree(map[string]string{"pdf/SKILL.md": skill("pdf"), "pdf/scripts/x.py": ""}), Path: "/R"}))
		if c, there := r.Get("pdf"); !there || c.Body != "Body of pdf." || len(c.Resources) != 1 {
			t.Errorf("content is %+v", c)
		}
		for _, name := range []string{"PDF", "", "pd"} {
			if _, there := r.Get(name); there {
				t.Errorf("%q is there", name)
			}
		}
	})
	t.Run("S1-19", func(t *testing.T) {
		one, two := tree(map[string]string{"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")}), tree(map[string]string{"b/SKILL.md": skill("b")})
		discover(t, Defaults(Root{FS: one, Path: "/1"}, Root{FS: two, Path: "/2"})).want(t, []string{"a", "b"}, []string{})
	})
}

func TestResources(t *testing.T) {
	files := tree(map[string]string{"pdf/SKILL.md": skill("pdf"), "pdf/scripts/x.py": "", "pdf/icon.png -> scripts/x.py": "", "pdf/out -> ../other": "", "other": ""})
	r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
	t.Run("S1-17", func(t *testing.T) {
		c, _ := r.Get("pdf")
		before := len(c.Resources)
		files["pdf/assets/y.png"] = &fstest.MapFile{}
		defer delete(files, "pdf/assets/y.png")
		if c, _ = r.Get("pdf"); len(c.Resources) != before+1 || c.Resources[0].Abs != "/R/pdf/assets/y.png" {
			t.Errorf("resources are %+v", c.Resources)
		}
	})
	t.Run("S1-41", func(t *testing.T) {
		r.codes()
		c, _ := r.Get("pdf")
		if got := r.codes(); !slices.Equal(got, []string{"escaping_link /R/pdf/out"}) || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Message, "escap") {
			t.Errorf("told was %q, warnings are %v", got, c.Warnings)
		}
	})
	for _, c := range []struct{ name, rel, kind string }{
		{"pdf", "scripts/x.py", ""}, {"pdf", "./scripts//x.py", ""}, {"pdf", "icon.png", ""}, {"pdf", "SKILL.md", ""},
		{"ghost", "x", "not_found"}, {"pdf", "nope", "not_found"}, {"pdf", "scripts", "not_a_file"}, {"pdf", ".", "not_a_file"},
		{"pdf", "", "invalid_input"}, {"pdf", "/etc/passwd", "invalid_input"}, {"pdf", "../../etc/passwd", "path_escape"},
		{"pdf", "../pdf-evil/x", "path_escape"}, {"pdf", "out", "path_escape"}, {"pdf", `C:\x`, "invalid_input"},
	} {
		t.Run("S1-18 "+c.name+" "+c.rel, func(t *testing.T) {
			got, err := r.Resource(c.name, c.rel)
			if c.kind == "" {
				if err != nil || !strings.HasPrefix(got, "/R/pdf/") || strings.Contains(got, "//") {
					t.Errorf("%q, %v", got, err)
				}
				return
			}
			if e := fault(t, err); e.Code() != c.kind || e.Name != c.name || got != "" || c.name == "pdf" && e.Rel != c.rel {
				t.Errorf("%q, %#v", got, e)
			}
		})
	}
	t.Run("S1-8 without links", func(t *testing.T) {
		c := Config{Roots: []Root{{FS: files, Path: "/R"}}}
		r := discover(t, c)
		if got, _ := r.Get("pdf"); len(got.Resources) != 1 || got.Resources[0].Rel != "scripts/x.py" {
			t.Errorf("resources are %+v", got.Resources)
		}
		_, err := r.Resource("pdf", "icon.png")
		if e := fault(t, err); e.Kind != "not_found" {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("S1-18 near", func(t *testing.T) {
		_, err := r.Resource("pdg", "x")
		if e := fault(t, err); e.Hint != `did you mean "pdf"?` {
			t.Errorf("hint is %q", e.Hint)
		}
	})
}

func TestLinks(t *testing.T) {
	files := tree(map[string]string{
		"store/x/SKILL.md": skill("x"), "store/y.md": skill("y"), "R/x -> ../store/x": "", "R/y/SKILL.md -> ../../store/y.md": "",
		"R/ghost -> ../nope": "", "R/loop -> loop": "", "R/z/SKILL.md -> ../../nope": "", "R/file -> ../store/y.md": "", "R/same -> ../store/x": "",
	})
	below := Root{FS: files, Path: "/all/R", dir: "R"}
	t.Run("S1-8", func(t *testing.T) {
		discover(t, Defaults(below)).want(t, []string{"x", "y"}, []string{
			"dangling_link /all/R/ghost", "dangling_link /all/R/loop", "name_mismatch /all/R/same/SKILL.md", "dangling_link /all/R/z/SKILL.md",
		})
		discover(t, Config{Roots: []Root{below}}).want(t, []string{}, []string{})
	})
	t.Run("S1-9", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: tree(map[string]string{"ghost -> ../nope": ""}), Path: "/R"}))
		if f := r.Findings()[0]; !strings.Contains(f.Message, "dangling") {
			t.Errorf("finding is %+v", f)
		}
		r.want(t, []string{}, []string{"dangling_link /R/ghost"})
	})
}

func TestRecords(t *testing.T) {
	text := "---\nname: \" pdf \"\ndescription: Reads PDFs.\nallowed-tools: Read, Grep\nuser-invocable: false\nversion: \"1.0\"\n" +
		"metadata:\n  author: o\ncustom: {a: [1]}\n---\nBody\n"
	files := tree(map[string]string{"pdf/SKILL.md": text, "pdf/LICENSE.txt": "", "none/SKILL.md": skill("none"), "zero/SKILL.md": "---\nname: zero\ndescription: d\nallowed-tools: []\ndisable-model-invocation: true\n---\n"})
	r := discover(t, Defaults(Root{FS: files, Path: "/R", Scope: "user", Source: "agents"}))
	info := func(name string) Info { c, _ := r.Get(name); return c.Info }
	t.Run("S1-38", func(t *testing.T) {
		i := info("pdf")
		want := Info{Name: "pdf", Description: "Reads PDFs.", AllowedTools: []string{"Read", "Grep"}, Scope: "user", Source: "agents", Root: "/R", Dir: "/R/pdf", Path: "/R/pdf/SKILL.md"}
		got := i
		got.Frontmatter, got.Metadata, got.Findings, got.place = nil, nil, nil, nil
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Info{}, Shadow{}), cmp.Comparer(func(a, b *place) bool { return a == b })); diff != "" {
			t.Error(diff)
		}
		if i.UserInvocable || !info("none").UserInvocable {
			t.Error("user-invocable is read wrongly")
		}
		if none := info("none").AllowedTools; none != nil {
			t.Errorf("tools are %v where none are declared", none)
		}
		if zero := info("zero").AllowedTools; zero == nil || len(zero) > 0 {
			t.Errorf("tools are %v where an empty list is declared", zero)
		}
	})
	t.Run("C-9", func(t *testing.T) {
		i := info("pdf")
		if got := slices.Sorted(maps.Keys(i.Frontmatter)); !slices.Equal(got, []string{"allowed-tools", "custom", "description", "metadata", "name", "user-invocable", "version"}) {
			t.Errorf("front matter has %q", got)
		}
		if i.Frontmatter["name"] != "pdf" || !cmp.Equal(i.Metadata, map[string]any{"author": "o"}) {
			t.Errorf("front matter %v, metadata %v", i.Frontmatter, i.Metadata)
		}
	})
	t.Run("S1-39", func(t *testing.T) {
		for _, listed := range r.List() {
			if diff := cmp.Diff(listed, info(listed.Name), cmp.AllowUnexported(Info{}, Shadow{}), cmp.Comparer(func(a, b *place) bool { return a == b })); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("S1-38 JSON", func(t *testing.T) {
		c, _ := r.Get("pdf")
		text, err := json.Marshal(c)
		want := `{"name":"pdf","description":"Reads PDFs.","metadata":{"allowed-tools":"Read, Grep","custom":{"a":["1"]},"description":"Reads PDFs.",` +
			`"metadata":{"author":"o"},"name":"pdf","user-invocable":false,"version":"1.0"},"allowedTools":["Read","Grep"],"userInvocable":false,` +
			`"scope":"user","source":"agents","root":"/R","dir":"/R/pdf","path":"/R/pdf/SKILL.md","body":"Body",` +
			`"resources":[{"kind":"other","rel":"LICENSE.txt","path":"/R/pdf/LICENSE.txt"}]}`
		if err != nil || string(text) != want {
			t.Errorf("%v\n got %s\nwant %s", err, text, want)
		}
		for name, part := range map[string]string{"none": `"metadata":{"description":"Does none.","name":"none"},"userInvocable"`, "zero": `"allowedTools":[],`} {
			if text, err := json.Marshal(info(name)); err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s has no %s (%v)", text, part, err)
			}
		}
	})
	t.Run("3.13-7", func(t *testing.T) {
		if !info("zero").Disabled || info("none").Disabled {
			t.Error("disable-model-invocation is read wrongly")
		}
		c := r.Config()
		c.Disabled = []string{"none"}
		if off := discover(t, c); !off.List()[0].Disabled || off.Size() != 3 || strings.Contains(Markdown(off.List(), ""), "none") {
			t.Error("what a person turned off is on")
		}
	})
}
