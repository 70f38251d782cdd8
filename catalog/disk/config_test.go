package disk

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"skills/catalog"
	"skills/catalog/registry"
)

// lay makes files below a directory; " -> " in a path makes a link, a path that ends in a slash a directory.
func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name, target, link := cutLink(name)
		full := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		switch {
		case err != nil:
		case link:
			err = os.Symlink(target, full)
		case name[len(name)-1] == '/':
			err = os.MkdirAll(full, 0o755)
		default:
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func cutLink(name string) (string, string, bool) {
	for at := 0; at+4 < len(name); at++ {
		if name[at:at+4] == " -> " {
			return name[:at], name[at+4:], true
		}
	}
	return name, "", false
}

func skill(name, body string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + ".\n---\n" + body
}

func startup(t *testing.T, err error) *StartupError {
	t.Helper()
	var e *StartupError
	var other *catalog.Error
	if !errors.As(err, &e) || errors.As(err, &other) {
		t.Fatalf("error is %v, want a *StartupError", err)
	}
	if e.Code() != "startup" || e.Hints()[0] == "" || e.Error() == "" {
		t.Errorf("error is %#v", e)
	}
	return e
}

func TestPathRules(t *testing.T) {
	for _, c := range []struct{ path, home, want string }{
		{"~/x", "/h", "/h/x"}, {"~", "/h", "/h"}, {"/abs", "/h", "/abs"}, {"~bob/x", "/h", "~bob/x"}, {"x/~", "/h", "x/~"}, {"", "/h", ""}, {"~/x", "", "~/x"}, {"~/", "/h", "/h"},
	} {
		t.Run("S1-33 ExpandHome "+c.path, func(t *testing.T) {
			if got := ExpandHome(c.path, c.home); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	for _, c := range []struct{ base, path, want string }{
		{"/b", "s", "/b/s"}, {"/b", "/abs", "/abs"}, {"/b", "~/s", "/h/s"}, {"/b", "../s", "/s"}, {"/b", "/a//b/.", "/a/b"}, {"/b", "~bob/s", "/b/~bob/s"},
	} {
		t.Run("S1-33 ResolveAgainst "+c.path, func(t *testing.T) {
			if got := ResolveAgainst(c.base, c.path, "/h"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	for _, c := range []struct{ workspace, want string }{{"", "/c"}, {"rel", "/c/rel"}, {"~", "/h"}, {"~/w", "/h/w"}, {"/w", "/w"}} {
		t.Run("S1-33 ResolveWorkspace "+c.workspace, func(t *testing.T) {
			if got := ResolveWorkspace(c.workspace, "/c", "/h"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestResolveOptions(t *testing.T) {
	ws := t.TempDir()
	lay(t, ws, map[string]string{"sub/": "", "file": ""})
	t.Run("S1-11", func(t *testing.T) {
		t.Setenv("CLARVIS_WORKSPACE", "/nope")
		t.Setenv("HOME", "/nope")
		inputs := []RootInput{{"~", "", ""}, {"~/s", "user", "u"}, {"s", "", ""}, {"/s", "", ""}, {"~bob/s", "", ""}}
		c, err := Resolve(Options{Home: "/h", Workspace: ws, WorkingDir: "/elsewhere", Roots: inputs})
		if err != nil {
			t.Fatal(err)
		}
		want := []RootInput{{"/h", "workspace", ""}, {"/h/s", "user", "u"}, {ws + "/s", "workspace", ""}, {"/s", "workspace", ""}, {ws + "/~bob/s", "workspace", ""}}
		var got []RootInput
		for _, r := range c.Roots {
			got = append(got, RootInput{r.Path, r.Scope, r.Source})
		}
		if !slices.Equal(got, want) {
			t.Errorf("roots are %q, want %q", got, want)
		}
		if inputs[0].Scope != "" {
			t.Error("the options are changed")
		}
	})
	t.Run("S1-11 workspace", func(t *testing.T) {
		for workspace, want := range map[string]string{"": filepath.Join(ws, "s"), "sub": filepath.Join(ws, "sub", "s"), "~/sub": filepath.Join(ws, "sub", "s"), ws: filepath.Join(ws, "s")} {
			c, err := Resolve(Options{Home: ws, Workspace: workspace, WorkingDir: ws, Roots: []RootInput{{Path: "s"}}})
			if err != nil || c.Roots[0].Path != want {
				t.Errorf("%q: %+v, %v", workspace, c.Roots, err)
			}
		}
	})
	t.Run("S1-7", func(t *testing.T) {
		c, err := Resolve(Options{Roots: []RootInput{{Path: "/s"}}})
		if err != nil || c.Strict != registry.DefaultStrict || c.FollowLinks != registry.DefaultFollowLinks {
			t.Errorf("config is %+v, %v", c, err)
		}
		c, err = Resolve(Options{Roots: []RootInput{{Path: "/s"}}, Strict: true, FollowLinks: new(bool)})
		if err != nil || !c.Strict || c.FollowLinks {
			t.Errorf("config is %+v, %v", c, err)
		}
	})
	for name, o := range map[string]Options{
		"no roots":             {WorkingDir: "/"},
		"empty roots":          {WorkingDir: "/", Roots: []RootInput{}},
		"workspace is a file":  {Workspace: filepath.Join(ws, "file"), Roots: []RootInput{{Path: "/s"}}},
		"workspace is missing": {Workspace: filepath.Join(ws, "nope"), Roots: []RootInput{{Path: "/s"}}},
		"workspace of nothing": {Workspace: "rel", Roots: []RootInput{{Path: "/s"}}},
		"root of nothing":      {Roots: []RootInput{{Path: "s"}}},
		"no home":              {WorkingDir: "/", Roots: []RootInput{{Path: "~/s"}}},
		"relative home":        {Home: "h", WorkingDir: "/", Roots: []RootInput{{Path: "~"}}},
		"workspace of no home": {WorkingDir: "/", Workspace: "~", Roots: []RootInput{{Path: "/s"}}},
		"no path":              {WorkingDir: "/", Roots: []RootInput{{Scope: "user"}}},
	} {
		t.Run("S1-10 S1-37 "+name, func(t *testing.T) {
			_, err := Resolve(o)
			startup(t, err)
			_, err = New(t.Context(), o)
			startup(t, err)
		})
	}
	t.Run("S1-10 working directory", func(t *testing.T) { // is not checked
		r, err := New(t.Context(), Options{WorkingDir: "/nope", Roots: []RootInput{{Path: "s"}, {Path: "/nope"}}})
		if err != nil || r.Size() != 0 || len(r.Findings()) > 0 {
			t.Errorf("%v, %v", r, err)
		}
	})
	t.Run("S1-37", func(t *testing.T) {
		lay(t, ws, map[string]string{"r/bad/SKILL.md": "x"})
		_, err := New(t.Context(), Options{WorkingDir: ws, Strict: true, Roots: []RootInput{{Path: "r"}}})
		var bad *catalog.Error
		var start *StartupError
		if !errors.As(err, &bad) || errors.As(err, &start) || bad.Kind != "invalid_skill" {
			t.Errorf("error is %v", err)
		}
	})
}

func TestPreset(t *testing.T) {
	t.Run("S1-13 S1-42", func(t *testing.T) {
		home, ws := t.TempDir(), t.TempDir()
		lay(t, home, map[string]string{".agents/skills/demo/SKILL.md": skill("demo", "A"), ".clarvis/skills/demo/SKILL.md": skill("demo", "C")})
		lay(t, ws, map[string]string{".agents/skills/demo/SKILL.md": skill("demo", "B"), ".clarvis/skills/demo/SKILL.md": skill("demo", "D")})
		o := Options{Home: home, Workspace: ws, Roots: Preset()}
		var c registry.Config
		var err error
		if c, err = Resolve(o); err != nil || len(c.Roots) != 4 {
			t.Fatalf("config is %+v, %v", c, err)
		}
		want := []registry.Root{
			{Path: filepath.Join(home, ".agents/skills"), Scope: "user", Source: "agents"}, {Path: filepath.Join(ws, ".agents/skills"), Scope: "workspace", Source: "agents"},
			{Path: filepath.Join(home, ".clarvis/skills"), Scope: "user", Source: "clarvis"}, {Path: filepath.Join(ws, ".clarvis/skills"), Scope: "workspace", Source: "clarvis"},
		}
		for at, r := range c.Roots {
			if r.FS = nil; !reflect.DeepEqual(r, want[at]) {
				t.Errorf("root is %+v, want %+v", r, want[at])
			}
		}
		body := func(want string) {
			t.Helper()
			r, err := New(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := r.Get("demo"); got.Body != want || r.Size() != 1 {
				t.Errorf("body is %q, want %q", got.Body, want)
			}
		}
		body("D")
		for _, dir := range []string{filepath.Join(ws, ".clarvis"), filepath.Join(home, ".agents")} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}
		body("C")
	})
}
