package registry

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

// demo is a root with one skill "demo" that has the label as its body.
func demo(label string) Root {
	return Root{FS: tree(map[string]string{"demo/SKILL.md": doc("demo", "d", label)}), Path: "/" + label, Source: label}
}

// losers gives where the hidden ones are.
func losers(i Info) []string {
	paths := []string{}
	for _, s := range i.Shadowed {
		if s.Name != i.Name || s.Winner != i.Path {
			paths = append(paths, "wrong: "+s.String())
		}
		paths = append(paths, s.Loser)
	}
	return paths
}

func (f found) wantDemo(t *testing.T, body string, hidden ...string) {
	t.Helper()
	c, there := f.Get("demo")
	if !there || c.Body != body || f.Size() != 1 {
		t.Fatalf("content is %+v, size %d, want the body %q", c, f.Size(), body)
	}
	if got := losers(c.Info); !slices.Equal(got, hidden) {
		t.Errorf("shadowed are %q, want %q", got, hidden)
	}
}

func TestMergeOfRoots(t *testing.T) {
	for _, strict := range []bool{false, true} {
		t.Run("S1-4 3.8-1 3.8-15", func(t *testing.T) {
			c := Defaults(demo("lower"), demo("upper"))
			c.Strict = strict
			r := discover(t, c)
			r.wantDemo(t, "upper", "/lower/demo/SKILL.md")
			r.want(t, []string{"demo"}, []string{})
			if root := r.List()[0].Root; root != "/upper" {
				t.Errorf("root is %q", root)
			}
		})
	}
	t.Run("S1-12", func(t *testing.T) {
		workspace, user := demo("w"), demo("u")
		workspace.Scope, user.Scope = "workspace", "user"
		discover(t, Defaults(workspace, user)).wantDemo(t, "u", "/w/demo/SKILL.md")
	})
	t.Run("3.8-4 C-8", func(t *testing.T) {
		layout := []Root{demo("user-agents"), demo("ws-agents"), demo("user-x"), demo("ws-x")}
		reverse := []Root{layout[3], layout[2], layout[1], layout[0]}
		for _, roots := range [][]Root{Ascending(layout...), Descending(reverse...)} {
			discover(t, Defaults(roots...)).wantDemo(t, "ws-x", "/user-x/demo/SKILL.md", "/ws-agents/demo/SKILL.md", "/user-agents/demo/SKILL.md")
		}
		if layout[0].Source != "user-agents" || reverse[0].Source != "ws-x" {
			t.Error("the helpers change what they are given")
		}
	})
	t.Run("3.8-13", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: tree(map[string]string{"a/SKILL.md": skill("demo"), "b/SKILL.md": skill("Demo")}), Path: "/R"}))
		r.want(t, []string{"Demo", "demo"}, []string{"name_mismatch /R/a/SKILL.md", "name_mismatch /R/b/SKILL.md", "name_case /R/b/SKILL.md"})
	})
}

// refusing is a file system of which one path cannot be read.
type refusing struct {
	fstest.MapFS
	path string
}

func (f refusing) refuses(name string) error {
	if name != f.path {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func (f refusing) Open(name string) (fs.File, error) {
	if err := f.refuses(name); err != nil {
		return nil, err
	}
	return f.MapFS.Open(name)
}

func (f refusing) Stat(name string) (fs.FileInfo, error) {
	if err := f.refuses(name); err != nil && name != "a/SKILL.md" && name != "." {
		return nil, err
	}
	return f.MapFS.Stat(name)
}

func TestUnreadable(t *testing.T) {
	files := tree(map[string]string{"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b"), "l -> b": ""})
	for _, strict := range []bool{false, true} {
		t.Run("3.8-11", func(t *testing.T) {
			c := Defaults(demo("1"), Root{FS: refusing{files, "."}, Path: "/R"}, Root{FS: tree(map[string]string{"x/SKILL.md": skill("x")}), Path: "/3"})
			c.Strict = strict
			discover(t, c).want(t, []string{"demo", "x"}, []string{"io_error /R"})
		})
	}
	t.Run("3.8-11 below", func(t *testing.T) {
		discover(t, Defaults(Root{FS: refusing{files, "a"}, Path: "/R"})).want(t, []string{"b"}, []string{"io_error /R/a"})
		discover(t, Defaults(Root{FS: refusing{files, "a/SKILL.md"}, Path: "/R"})).want(t, []string{"b"}, []string{"io_error /R/a/SKILL.md"})
		discover(t, Defaults(Root{FS: refusing{files, "l"}, Path: "/R"})).want(t, []string{"a", "b"}, []string{"io_error /R/l"})
	})
	t.Run("3.8-11 strict manifest", func(t *testing.T) {
		c := Defaults(Root{FS: refusing{files, "a/SKILL.md"}, Path: "/R"})
		c.Strict = true
		_, err := Discover(t.Context(), c)
		if e := fault(t, err); e.Kind != "io_error" || e.Path != "/R/a/SKILL.md" || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("S1-10", func(t *testing.T) {
		missing := Root{FS: tree(map[string]string{"x/SKILL.md": skill("x")}), Path: "/R/none", dir: "none"}
		discover(t, Defaults(Root{Path: "/nope"}, missing)).want(t, []string{}, []string{})
		file := Root{FS: tree(map[string]string{"none": ""}), Path: "/R/none", dir: "none"}
		discover(t, Defaults(file)).want(t, []string{}, []string{"io_error /R/none"})
	})
	t.Run("S1-10 refresh", func(t *testing.T) {
		files := fstest.MapFS{}
		r := discover(t, Defaults(Root{FS: files, Path: "/R/none", dir: "none"}))
		files["none/a/SKILL.md"] = &fstest.MapFile{Data: []byte(skill("a"))}
		if err := r.Refresh(t.Context()); err != nil || r.Size() != 1 {
			t.Errorf("size is %d, %v", r.Size(), err)
		}
	})
}

func TestMerge(t *testing.T) {
	of := func(path string) Info { return Info{Name: path[:1], Path: path} }
	paths := func(skills []Info) []string {
		list := []string{}
		for _, info := range skills {
			list = append(list, info.Path)
		}
		return list
	}
	for _, c := range []struct {
		name   string
		groups [][]Info
		want   []string
	}{
		{"groups", [][]Info{{of("a1"), of("b1")}, {of("b2"), of("c2")}}, []string{"a1", "b2", "c2"}},
		{"none", nil, []string{}},
		{"empty groups", [][]Info{nil, {}}, []string{}},
		{"within a group", [][]Info{{of("a1"), of("a2")}}, []string{"a2"}},
		{"three", [][]Info{{of("a1")}, {of("b1"), of("a2")}, {of("a3")}}, []string{"a3", "b1"}},
	} {
		t.Run("S1-32 "+c.name, func(t *testing.T) {
			if got := paths(Merge(c.groups...)); !slices.Equal(got, c.want) {
				t.Errorf("merged is %q, want %q", got, c.want)
			}
		})
	}
	t.Run("S1-32 hidden", func(t *testing.T) {
		groups := [][]Info{{of("a1")}, {of("a2")}, {of("a3")}}
		merged := Merge(groups...)
		if got := losers(merged[0]); !slices.Equal(got, []string{"a2", "a1"}) {
			t.Errorf("shadowed are %q", got)
		}
		again := Merge(merged, []Info{of("a4")})
		if got := losers(again[0]); !slices.Equal(got, []string{"a3", "a2", "a1"}) || groups[1][0].Shadowed != nil || len(merged[0].Shadowed) != 2 {
			t.Errorf("shadowed are %q", got)
		}
	})
}

// alias is a file system that says where its directories really are.
type alias struct {
	fstest.MapFS
	real string
}

func (f alias) RealPath(name string) (string, error) {
	if name == "." {
		return f.real, nil
	}
	return f.real + "/" + name, nil
}

func (f alias) Abs(name string) string { return "abs:" + name }

func TestOneDirectoryThroughTwoRoots(t *testing.T) {
	t.Run("3.8-12", func(t *testing.T) {
		first, second := demo("first"), demo("first")
		first.FS, second.FS = alias{first.FS.(fstest.MapFS), "/store"}, alias{second.FS.(fstest.MapFS), "/store"}
		first.Source, second.Path = "lower", "/second"
		r := discover(t, Defaults(first, demo("other"), second))
		r.wantDemo(t, "first", "/other/demo/SKILL.md")
		if i := r.List()[0]; i.Root != "/second" || i.Path != "abs:demo/SKILL.md" {
			t.Errorf("info is %+v", i)
		}
	})
	t.Run("3.8-12 in one root", func(t *testing.T) {
		files := tree(map[string]string{"a -> z": "", "z/SKILL.md": skill("z")})
		c := Defaults(Root{FS: files, Path: "/R"})
		c.Strict = true
		discover(t, c).want(t, []string{"z"}, []string{"name_mismatch /R/a/SKILL.md"})
	})
}

func TestBounds(t *testing.T) {
	many := func(count int, prefix string) Root {
		files := fstest.MapFS{}
		for n := range count {
			name := prefix + string(rune('a'+n/26/26%26)) + string(rune('a'+n/26%26)) + string(rune('a'+n%26))
			files[name+"/SKILL.md"] = &fstest.MapFile{Data: []byte(skill(name))}
		}
		return Root{FS: files, Path: "/" + prefix}
	}
	size := func(t *testing.T, want int, c Config, codes ...string) found {
		t.Helper()
		r := discover(t, c)
		if got := r.codes(); r.Size() != want || !slices.Equal(got, codes) {
			t.Errorf("size is %d, want %d; told was %q, want %q", r.Size(), want, got, codes)
		}
		return r
	}
	t.Run("S1-45 skills of a root", func(t *testing.T) {
		full := many(256, "x")
		full.FS.(fstest.MapFS)["xzzz/other.md"] = &fstest.MapFile{}
		size(t, 256, Defaults(full))
		size(t, 256, Defaults(many(257, "x")), "limit /x")
	})
	t.Run("S1-45 merged", func(t *testing.T) {
		size(t, 512, Defaults(many(256, "x"), many(256, "y")))
		r := size(t, 512, Defaults(many(1, "z"), many(256, "x"), many(256, "y")), "limit ")
		if _, there := r.Get("zaaa"); there {
			t.Error("the lowest rank is kept")
		}
	})
	t.Run("S1-45 entries", func(t *testing.T) {
		files := fstest.MapFS{"zzz/SKILL.md": {Data: []byte(skill("zzz"))}}
		for n := range 2_047 {
			files["d"+string(rune('a'+n/26/26%26))+string(rune('a'+n/26%26))+string(rune('a'+n%26))] = &fstest.MapFile{Mode: fs.ModeDir}
		}
		root := Root{FS: files, Path: "/R"}
		size(t, 1, Defaults(root))
		files["more"] = &fstest.MapFile{Mode: fs.ModeDir}
		size(t, 0, Defaults(root), "limit /R")
	})
	t.Run("S1-45 roots", func(t *testing.T) {
		roots := []Root{many(1, "first")}
		for range 31 {
			roots = append(roots, Root{Path: "/none"})
		}
		size(t, 1, Defaults(roots...))
		size(t, 1, Defaults(append(roots, many(1, "last"))...), "limit ")
	})
	t.Run("S1-45 manifest", func(t *testing.T) {
		document := func(size int) fstest.MapFS {
			text := skill("big")
			return fstest.MapFS{"big/SKILL.md": {Data: append([]byte(text), make([]byte, size-len(text))...)}}
		}
		spaces := document(256 << 10)
		copy(spaces["big/SKILL.md"].Data, skill("big"))
		for at := len(skill("big")); at < 256<<10; at++ {
			spaces["big/SKILL.md"].Data[at] = 'x'
		}
		size(t, 1, Defaults(Root{FS: spaces, Path: "/R"}))
		large := document(300 << 10)
		large["ok/SKILL.md"] = &fstest.MapFile{Data: []byte(skill("ok"))}
		size(t, 1, Defaults(Root{FS: large, Path: "/R"}), "invalid_skill /R/big/SKILL.md")
		c := Defaults(Root{FS: large, Path: "/R"})
		c.Strict = true
		_, err := Discover(t.Context(), c)
		if e := fault(t, err); e.Kind != "invalid_skill" || e.Reason != "too_long" {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("S1-45 front matter", func(t *testing.T) {
		front := func(characters int) fstest.MapFS {
			head := "name: a\ndescription: d\nnote: "
			text := "---\n" + head + strings.Repeat("x", characters-len(head)) + "\n---\n"
			return tree(map[string]string{"a/SKILL.md": text})
		}
		size(t, 1, Defaults(Root{FS: front(50_000), Path: "/R"}))
		size(t, 0, Defaults(Root{FS: front(50_001), Path: "/R"}), "invalid_skill /R/a/SKILL.md")
	})
	t.Run("S1-45 resources", func(t *testing.T) {
		files := tree(map[string]string{"a/SKILL.md": skill("a"), "a/1": "", "a/2": ""})
		c := Defaults(Root{FS: files, Path: "/R"})
		c.Limits.Resources.Files = 1
		r := discover(t, c)
		if got, _ := r.Get("a"); len(got.Resources) != 1 || !slices.Equal(r.codes(), []string{"limit /R/a/2"}) {
			t.Errorf("resources are %+v", got.Resources)
		}
	})
	if l := (Limits{}).orDefault(); l.Manifest != 256<<10 || (catalog.Rules{}).Profile != "" {
		t.Errorf("limits are %+v", l)
	}
}
