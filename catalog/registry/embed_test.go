package registry

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"skills/catalog"
	"skills/catalog/resource"
)

// TestStrictWithoutThoseWhoDoNotCount keeps a project that is not trusted, and skills that nobody wants, from ending the reading.
func TestStrictWithoutThoseWhoDoNotCount(t *testing.T) {
	files := tree(map[string]string{"bad/SKILL.md": "nope", "one/SKILL.md": skill("twin"), "two/SKILL.md": skill("twin"), "ok/SKILL.md": skill("ok")})
	project := []Root{{FS: files, Path: "/P"}}
	user := []Root{{FS: tree(map[string]string{"mine/SKILL.md": skill("mine")}), Path: "/U"}}
	for name, c := range map[string]struct {
		from Sources
		kind string
		want []string
	}{
		"S4-20 trusted":            {Sources{Project: project, User: user}, "invalid_skill", nil},
		"S4-20 not trusted":        {Sources{Project: project, User: user, DistrustProject: true}, "", []string{"mine"}},
		"S4-18 nothing enabled":    {Sources{Project: project, User: user, Enabled: []string{}}, "", nil},
		"S4-18 others enabled":     {Sources{Project: project, User: user, Enabled: []string{"ok"}}, "", []string{"ok"}},
		"S4-18 it is enabled":      {Sources{Project: project, User: user, Enabled: []string{"bad"}}, "invalid_skill", nil},
		"S4-18 twins enabled":      {Sources{Project: project, User: user, Enabled: []string{"twin"}}, "duplicate_skill", nil},
		"S4-18 one excluded":       {Sources{Project: project, User: user, Exclude: []string{"bad"}}, "duplicate_skill", nil},
		"S4-18 both excluded":      {Sources{Project: project, User: user, Exclude: []string{"bad", "twin"}}, "", []string{"mine", "ok"}},
		"S4-20 the user's is bad":  {Sources{Project: user, User: project, DistrustProject: true}, "invalid_skill", nil},
		"S4-20 inline is not that": {Sources{Inline: project, DistrustProject: true}, "invalid_skill", nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.from.Project = slices.Clone(c.from.Project)
			r, err := Resolve(t.Context(), c.from, Config{Strict: true})
			if c.kind != "" {
				if e := fault(t, err); e.Kind != c.kind || r != nil {
					t.Errorf("error is %#v", e)
				}
				return
			}
			if err != nil || !slices.Equal(namesOf(r.List()), append([]string{}, c.want...)) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestRefreshWaitsNoLongerThanItsContext has one reading that stands still, and a second one that is called off.
func TestRefreshWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		c := Defaults(Root{FS: tree(map[string]string{"bad/SKILL.md": "nope"}), Path: "/R"})
		held := false
		c.Warn = func(catalog.Finding) {
			if held {
				<-hold
			}
		}
		r, err := Discover(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		held = true
		done := make(chan error)
		go func() { done <- r.Refresh(t.Context()) }()
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		second := make(chan error)
		go func() { second <- r.Refresh(ctx) }()
		synctest.Wait()
		cancel(errSwitch)
		if err := <-second; err != errSwitch {
			t.Errorf("the one that waited: %v", err)
		}
		close(hold)
		if err := <-done; err != nil {
			t.Errorf("the other one: %v", err)
		}
	})
}

// TestLimitsBelowOne takes them for the defaults.
func TestLimitsBelowOne(t *testing.T) {
	for _, limits := range []Limits{
		{}, {Roots: -1}, {Entries: -1}, {Skills: -1}, {Merged: -1}, {Manifest: -1}, {Front: -1},
		{Resources: resource.Limits{Depth: -1, Entries: -1, Files: -1, Directory: -1}},
		{Roots: math.MinInt, Entries: math.MinInt, Skills: math.MinInt, Merged: math.MinInt, Manifest: math.MinInt, Front: math.MinInt},
	} {
		c := Defaults(Root{FS: tree(map[string]string{"a/SKILL.md": skill("a"), "a/b/c.md": ""}), Path: "/R"})
		c.Limits = limits
		r := discover(t, c)
		content, _ := r.Get("a")
		want := Limits{32, 2_048, 256, 512, 256 << 10, 50_000, resource.Limits{Depth: 16, Entries: 4_096, Files: 1_024, Directory: 2_048}}
		if r.Size() != 1 || len(content.Resources) != 1 || len(r.codes()) > 0 || r.Config().Limits != want {
			t.Errorf("%+v: %d skills, %+v, limits %+v", limits, r.Size(), content, r.Config().Limits)
		}
	}
}

func TestCatalogOfTheHost(t *testing.T) {
	t.Run("nil", func(t *testing.T) {
		_, err := Resolve(t.Context(), Sources{Catalog: []*catalog.Skill{held(t, "a", ""), nil}}, Config{})
		if e := fault(t, err); e.Kind != "invalid_input" || !strings.Contains(e.Message, "entry 1") {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("copied", func(t *testing.T) {
		own := held(t, "a", "text")
		r, err := Resolve(t.Context(), Sources{Catalog: []*catalog.Skill{own}}, Config{Disabled: []string{"b"}})
		if err != nil {
			t.Fatal(err)
		}
		changed := make(chan struct{})
		go func() { // the race detector looks on
			own.Frontmatter["k"], own.Body, own.Name = 1, "other", "b"
			close(changed)
		}()
		for range 2 {
			if err := r.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
			<-changed
		}
		if c, there := r.Get("a"); !there || c.Body != "text" || c.Frontmatter["k"] != nil || c.Disabled {
			t.Errorf("content is %+v", c)
		}
	})
}

// TestUnknownNames tells of names in lists that change nothing.
func TestUnknownNames(t *testing.T) {
	root := []Root{{FS: tree(map[string]string{"pdf/SKILL.md": skill("pdf"), "notes/SKILL.md": skill("notes")}), Path: "/R"}}
	for name, c := range map[string]struct {
		from     Sources
		disabled []string
		want     []string
	}{
		"S4-18 exclude":     {Sources{Project: root, Exclude: []string{"pfd", "pdf"}}, nil, []string{`Exclude names "pfd", and no skill has this name; did you mean "pdf"?`}},
		"S4-18 case":        {Sources{Project: root, Exclude: []string{"PDF"}}, nil, []string{`Exclude names "PDF", and no skill has this name; did you mean "pdf"?`}},
		"S4-18 enabled":     {Sources{Project: root, Enabled: []string{"xylophone"}}, nil, []string{`Enabled names "xylophone", and no skill has this name`}},
		"disabled":          {Sources{Project: root}, []string{"pdf", "xylophone"}, []string{`Disabled names "xylophone", and no skill has this name`}},
		"excluded is known": {Sources{Project: root, Exclude: []string{"pdf"}}, []string{"pdf"}, nil},
		"dropped is known":  {Sources{Project: root, Exclude: []string{"pdf"}, DistrustProject: true}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Resolve(t.Context(), c.from, Config{Disabled: c.disabled})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings() {
				if f.Code == "unknown_name" {
					got = append(got, f.Message)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("told was %q", got)
			}
		})
	}
	r := discover(t, Config{Roots: root, Disabled: []string{"pfd"}})
	r.want(t, []string{"notes", "pdf"}, []string{"unknown_name "})
}

// TestOpenAndRead read what Resource finds.
func TestOpenAndRead(t *testing.T) {
	files := tree(map[string]string{
		"pdf/SKILL.md": skill("pdf"), "pdf/a/b.md": "text", "pdf/in -> a/b.md": "", "pdf/out -> ../../secret": "", "pdf/up -> ../other/SKILL.md": "", "other/SKILL.md": skill("other"),
	})
	for _, follow := range []bool{true, false} {
		r := discover(t, Config{Roots: []Root{{FS: files, Path: "/R"}}, FollowLinks: follow})
		for rel, want := range map[string]string{
			"a/b.md": "text", "./a//b.md": "text", "in": map[bool]string{true: "text", false: "not_found"}[follow], "out": "path_escape", "up": "path_escape",
			"a": "not_a_file", ".": "not_a_file", "nope": "not_found", "../other/SKILL.md": "path_escape", "/etc/passwd": "invalid_input", "": "invalid_input",
		} {
			t.Run("S1-18 S1-31 "+rel, func(t *testing.T) {
				raw, err := r.Read("pdf", rel, 4)
				file, opened := r.Open("pdf", rel)
				_, found := r.Resource("pdf", rel)
				if err == nil && opened == nil {
					if all, _ := io.ReadAll(file); string(raw) != want || string(all) != want || found != nil {
						t.Errorf("read %q and %q, %v", raw, all, found)
					}
					return
				}
				for _, err := range []error{err, opened, found} {
					if e := fault(t, err); e.Kind != want || e.Name != "pdf" || e.Rel != rel {
						t.Errorf("error is %#v", e)
					}
				}
			})
		}
		if _, err := r.Read("pdf", "a/b.md", 3); fault(t, err).Kind != "too_large" {
			t.Errorf("error is %v", err)
		}
		if _, err := r.Read("pfd", "a/b.md", 3); fault(t, err).Hints()[0] != `did you mean "pdf"?` {
			t.Errorf("error is %v", err)
		}
		if _, err := r.Open("pfd", "a/b.md"); fault(t, err).Kind != "not_found" {
			t.Errorf("error is %v", err)
		}
	}
	held := resolve(t, Sources{Catalog: []*catalog.Skill{held(t, "demo", "")}})
	if _, err := held.Read("demo", "a.md", 9); fault(t, err).Kind != "not_found" {
		t.Errorf("error is %v", err)
	}
}

// TestZeroRegistry is one without skills.
func TestZeroRegistry(t *testing.T) {
	var r Registry
	_, known := r.Get("a")
	_, err := r.Read("a", "b", 1)
	if known || len(r.List()) != 0 || r.Size() != 0 || len(r.Findings()) != 0 || len(r.Config().Roots) != 0 || r.Refresh(t.Context()) != nil || fault(t, err).Kind != "not_found" {
		t.Errorf("%v %v", r.List(), err)
	}
}

// TestUnknownProfile is an error where no skill is read, too.
func TestUnknownProfile(t *testing.T) {
	c := Config{Rules: catalog.Rules{Profile: "nope"}}
	_, discovered := Discover(t.Context(), c)
	_, resolved := Resolve(t.Context(), Sources{}, c)
	_, opened := OpenKit(t.Context(), Root{FS: fstest.MapFS{"k/a": {}}}, "k", c)
	for _, err := range []error{discovered, resolved, opened} {
		if e := (*catalog.Error)(nil); !errors.As(err, &e) || e.Kind != "invalid_input" {
			t.Errorf("error is %v", err)
		}
	}
}

// TestGoneSince keeps what was read until the next reading.
func TestGoneSince(t *testing.T) {
	files := tree(map[string]string{"a/SKILL.md": skill("a"), "a/b.md": ""})
	r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
	clear(files)
	if c, there := r.Get("a"); !there || c.Body == "" || len(c.Resources) != 0 || len(c.Warnings) != 1 || c.Warnings[0].Code != "io_error" {
		t.Errorf("content is %+v", c)
	}
	if got := r.codes(); !slices.Equal(got, []string{"io_error /R/a"}) {
		t.Errorf("told was %q", got)
	}
	if err := r.Refresh(t.Context()); err != nil || r.Size() != 0 {
		t.Errorf("%d skills, %v", r.Size(), err)
	}
}
