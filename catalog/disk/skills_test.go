package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/registry"
)

// readRoot makes a registry of one directory and gives what was told of it, as "code path" with the path below dir.
func readRoot(t *testing.T, dir string, follow bool) (*registry.Registry, []string) {
	t.Helper()
	told := []string{}
	r, err := New(t.Context(), Options{Roots: []RootInput{{Path: filepath.Join(dir, "R")}}, FollowLinks: &follow, Warn: func(f catalog.Finding) {
		told = append(told, f.Code+" "+strings.TrimPrefix(f.File, dir))
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, told
}

func namesOf(r *registry.Registry) []string {
	list := []string{}
	for _, info := range r.List() {
		list = append(list, info.Name)
	}
	return list
}

func TestNewOnDisk(t *testing.T) {
	t.Run("S1-1 S1-17", func(t *testing.T) {
		dir := t.TempDir()
		r, _ := readRoot(t, dir, true)
		lay(t, dir, map[string]string{"R/a/SKILL.md": skill("a", "old")})
		if r.Size() != 0 {
			t.Error("the skill is there before the refresh")
		}
		if err := r.Refresh(t.Context()); err != nil || r.Size() != 1 { // the root was missing before
			t.Errorf("size is %d, %v", r.Size(), err)
		}
		lay(t, dir, map[string]string{"R/a/SKILL.md": skill("a", "new"), "R/a/assets/x.png": ""})
		if c, _ := r.Get("a"); c.Body != "old" || len(c.Resources) != 1 || c.Resources[0].Abs != filepath.Join(dir, "R", "a", "assets", "x.png") {
			t.Errorf("content is %+v", c)
		}
		if got, err := r.Resource("a", "assets/x.png"); err != nil || got != filepath.Join(dir, "R", "a", "assets", "x.png") {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("S1-8", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{
			"store/x/SKILL.md": skill("x", ""), "store/y.md": skill("y", ""), "R/x -> " + filepath.Join(dir, "store/x"): "", "R/y/SKILL.md -> " + filepath.Join(dir, "store/y.md"): "",
			"R/z/SKILL.md": skill("z", ""), "R/z/b.md": "", "R/z/a.md -> b.md": "",
		})
		r, told := readRoot(t, dir, true)
		if got := namesOf(r); !slices.Equal(got, []string{"x", "y", "z"}) || len(told) > 0 {
			t.Errorf("skills are %q, told was %q", got, told)
		}
		if c, _ := r.Get("z"); len(c.Resources) != 2 {
			t.Errorf("resources are %+v", c.Resources)
		}
		if x := r.List()[0]; x.Path != filepath.Join(dir, "R/x/SKILL.md") || x.Dir != filepath.Join(dir, "R/x") {
			t.Errorf("info is %+v", x)
		}
		r, told = readRoot(t, dir, false)
		if got := namesOf(r); !slices.Equal(got, []string{"z"}) || len(told) > 0 {
			t.Errorf("skills are %q, told was %q", got, told)
		}
		if c, _ := r.Get("z"); len(c.Resources) != 1 || c.Resources[0].Rel != "b.md" {
			t.Errorf("resources are %+v", c.Resources)
		}
	})
	t.Run("S1-9", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{"R/ghost -> /nope": "", "R/loop -> loop": "", "R/a/SKILL.md -> /nope": "", "R/b/SKILL.md": skill("b", ""), "R/b/x -> /nope": ""})
		r, told := readRoot(t, dir, true)
		if !slices.Equal(told, []string{"dangling_link /R/a/SKILL.md", "dangling_link /R/ghost", "dangling_link /R/loop"}) || r.Size() != 1 {
			t.Errorf("told was %q", told)
		}
	})
	t.Run("S1-41 S1-18", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{"secret": "", "R/pdf/SKILL.md": skill("pdf", ""), "R/pdf/out.txt -> " + filepath.Join(dir, "secret"): "", "R/pdf/assets/l.png": "", "R/pdf/icon.png -> assets/l.png": ""})
		r, _ := readRoot(t, dir, true)
		c, _ := r.Get("pdf")
		var rels []string
		for _, file := range c.Resources {
			rels = append(rels, file.Rel)
		}
		if !slices.Equal(rels, []string{"assets/l.png", "icon.png"}) || len(c.Warnings) != 1 || c.Warnings[0].File != filepath.Join(dir, "R/pdf/out.txt") || !strings.Contains(c.Warnings[0].Message, "escap") {
			t.Errorf("resources are %q, warnings %v", rels, c.Warnings)
		}
		var e *catalog.Error
		if _, err := r.Resource("pdf", "out.txt"); !errors.As(err, &e) || e.Kind != "path_escape" {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("3.8-12", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{"one/a/SKILL.md": skill("a", ""), "two -> one": "", "three/a -> ../one/a": ""})
		inputs := []RootInput{{Path: "one"}, {Path: "two"}, {Path: "three"}}
		r, err := New(t.Context(), Options{WorkingDir: dir, Roots: inputs})
		if err != nil || r.Size() != 1 || len(r.List()[0].Shadowed) > 0 || r.List()[0].Root != filepath.Join(dir, "three") {
			t.Errorf("skills are %+v, %v", r.List(), err)
		}
	})
}

var errStop = errors.New("stopped")

func TestResolveSkills(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{
		"home/.agents/skills/x/SKILL.md": skill("x", "user"), "home/.agents/skills/u/SKILL.md": skill("u", "user"),
		"ws/.agents/skills/x/SKILL.md": skill("x", "project"), "other/x/SKILL.md": skill("x", "other"), "tmp/": "",
	})
	base := Options{Home: filepath.Join(dir, "home"), Workspace: filepath.Join(dir, "ws")}
	tmp := filepath.Join(dir, "tmp")
	left := func() []string {
		entries, err := os.ReadDir(tmp)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	inline := []author.Definition{{Name: "x", Description: "In code.", Instructions: "inline", Resources: map[string][]byte{"scripts/run.sh": []byte("true\n")}}}
	get := func(t *testing.T, o AgentOptions) (*registry.Content, *Skills) {
		t.Helper()
		s, err := ResolveSkills(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := s.Get("x")
		return c, s
	}
	t.Run("S4-18 usual paths", func(t *testing.T) {
		c, s := get(t, AgentOptions{Options: base})
		if c.Body != "project" || c.Source != "project" || c.Scope != "workspace" || !slices.Equal(namesOf(s.Registry), []string{"u", "x"}) {
			t.Errorf("content is %+v", c)
		}
		if c.Shadowed[0].Source != "user" || c.Shadowed[0].Loser != filepath.Join(dir, "home/.agents/skills/x/SKILL.md") {
			t.Errorf("shadowed are %+v", c.Shadowed)
		}
	})
	t.Run("S4-16 given paths", func(t *testing.T) {
		if c, _ := get(t, AgentOptions{Options: base, Project: []string{"../other", ".agents/skills"}, User: []string{}}); c.Body != "other" || len(c.Shadowed) != 1 {
			t.Errorf("content is %+v", c)
		}
	})
	t.Run("S4-20", func(t *testing.T) {
		if c, _ := get(t, AgentOptions{Options: base, DistrustProject: true}); c.Body != "user" {
			t.Errorf("content is %+v", c)
		}
	})
	t.Run("S4-18 S4-21", func(t *testing.T) {
		c, s := get(t, AgentOptions{Options: base, Inline: inline, TempDir: tmp})
		if c.Body != "inline" || c.Source != "inline" || len(c.Resources) != 1 || len(c.Shadowed) != 2 {
			t.Errorf("content is %+v", c)
		}
		if text, err := os.ReadFile(c.Resources[0].Abs); err != nil || string(text) != "true\n" {
			t.Errorf("resource is %q, %v", text, err)
		}
		if len(left()) != 1 {
			t.Errorf("in the directory is %q", left())
		}
		for range 2 {
			if err := s.Cleanup(); err != nil {
				t.Error(err)
			}
		}
		if len(left()) != 0 {
			t.Errorf("in the directory is %q after the clean-up", left())
		}
	})
	t.Run("S4-21 nothing to clean", func(t *testing.T) {
		_, s := get(t, AgentOptions{Options: base})
		if err := errors.Join(s.Cleanup(), s.Cleanup()); err != nil {
			t.Error(err)
		}
	})
	t.Run("S4-18 catalog", func(t *testing.T) {
		held, _, err := catalog.Parse([]byte(skill("x", "held")), catalog.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		c, s := get(t, AgentOptions{Options: base, Inline: inline, TempDir: tmp, Catalog: []*catalog.Skill{held}})
		if c.Body != "held" || len(c.Shadowed) != 3 {
			t.Errorf("content is %+v", c)
		}
		if err := s.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	for name, c := range map[string]struct {
		o    AgentOptions
		code string
	}{
		"bad name":       {AgentOptions{Inline: []author.Definition{{Name: "../x", Description: "d", Instructions: "i"}}}, "invalid_skill"},
		"no description": {AgentOptions{Inline: append(slices.Clone(inline), author.Definition{Name: "y", Instructions: "i"})}, "invalid_skill"},
		"twice":          {AgentOptions{Inline: append(slices.Clone(inline), inline...)}, "already_exists"},
		"escape":         {AgentOptions{Inline: []author.Definition{{Name: "y", Description: "d", Instructions: "i", Resources: map[string][]byte{"../z": nil}}}}, "invalid_input"},
		"no such place":  {AgentOptions{Inline: inline, TempDir: filepath.Join(dir, "nope")}, "not_found"},
	} {
		t.Run("S4-1 S4-18 "+name, func(t *testing.T) {
			c.o.Options = base
			if c.o.TempDir == "" {
				c.o.TempDir = tmp
			}
			_, err := ResolveSkills(t.Context(), c.o)
			var e *catalog.Error
			if !errors.As(err, &e) || e.Kind != c.code || len(left()) != 0 {
				t.Errorf("error is %v, in the directory is %q", err, left())
			}
		})
	}
	t.Run("S4-18 startup", func(t *testing.T) {
		_, err := ResolveSkills(t.Context(), AgentOptions{Options: base, Inline: inline})
		startup(t, err)
		_, err = ResolveSkills(t.Context(), AgentOptions{Options: Options{Workspace: filepath.Join(dir, "nope")}})
		startup(t, err)
		_, err = ResolveSkills(t.Context(), AgentOptions{Options: Options{WorkingDir: dir}}) // no home
		startup(t, err)
	})
	t.Run("S4-17 S4-21", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		if _, err := ResolveSkills(ctx, AgentOptions{Options: base, Inline: inline, TempDir: tmp}); !errors.Is(err, errStop) || len(left()) != 0 {
			t.Errorf("error is %v, in the directory is %q", err, left())
		}
	})
}

func BenchmarkNew(b *testing.B) {
	dir := b.TempDir()
	const count = 10_000
	for n := range count {
		name := fmt.Sprintf("skill-%05d", n)
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "SKILL.md"), []byte(skill(name, "Text.\n")), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	o := Options{Roots: []RootInput{{Path: dir}}, Limits: registry.Limits{Entries: count, Skills: count, Merged: count}}
	b.ReportAllocs()
	for b.Loop() {
		if r, err := New(b.Context(), o); err != nil || r.Size() != count {
			b.Fatal(err)
		}
	}
}
