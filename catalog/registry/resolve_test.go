package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

func resolve(t *testing.T, from Sources) found {
	t.Helper()
	told := &recorder{}
	c := Defaults()
	c.Warn = told.warn
	r, err := Resolve(t.Context(), from, c)
	if err != nil {
		t.Fatal(err)
	}
	return found{r, told}
}

// held is a skill that a host holds itself.
func held(t *testing.T, name, body string) *catalog.Skill {
	t.Helper()
	s, _, err := catalog.Parse([]byte(doc(name, "d", body)), catalog.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	s.Location = "host:" + name
	return s
}

// plain is a root whose labels are left to Resolve.
func plainDemo(label string) Root {
	root := demo(label)
	root.Source = ""
	return root
}

func TestResolve(t *testing.T) {
	catalogDemo := []*catalog.Skill{held(t, "demo", "catalog"), held(t, "demo", "second")}
	all := Sources{
		Catalog: catalogDemo[:1], Inline: []Root{plainDemo("inline")},
		Project: []Root{plainDemo("p1"), plainDemo("p2")}, User: []Root{plainDemo("u1"), plainDemo("u2")},
	}
	disk := Sources{Project: all.Project, User: all.User}
	for _, c := range []struct {
		name   string
		from   Sources
		body   string
		hidden []string
	}{
		{"S4-16 3.8-2", Sources{Project: all.Project}, "p1", []string{"/p2/demo/SKILL.md"}},
		{"S4-16 user", Sources{User: all.User}, "u1", []string{"/u2/demo/SKILL.md"}},
		{"S4-18 3.8-6", disk, "p1", []string{"/p2/demo/SKILL.md", "/u1/demo/SKILL.md", "/u2/demo/SKILL.md"}},
		{"S4-18 3.8-3", Sources{Catalog: catalogDemo[:1], Project: all.Project[:1]}, "catalog", []string{"/p1/demo/SKILL.md"}},
		{"S4-18 first of the catalog", Sources{Catalog: catalogDemo}, "catalog", []string{"host:demo"}},
		{"S4-18 inline", Sources{Inline: all.Inline, Project: all.Project[:1]}, "inline", []string{"/p1/demo/SKILL.md"}},
		{"S4-18 rank", all, "catalog", []string{"/inline/demo/SKILL.md", "/p1/demo/SKILL.md", "/p2/demo/SKILL.md", "/u1/demo/SKILL.md", "/u2/demo/SKILL.md"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolve(t, c.from)
			r.wantDemo(t, c.body, c.hidden...)
			var told []string
			for range c.hidden {
				told = append(told, "shadowed "+r.List()[0].Path)
			}
			r.want(t, []string{"demo"}, told)
		})
	}
	t.Run("S4-19", func(t *testing.T) {
		for _, from := range []Sources{{Catalog: all.Catalog, User: all.User[:1]}, {Project: all.Project[:1], User: all.User[:1]}} {
			i := resolve(t, from).List()[0]
			if len(i.Shadowed) != 1 || len(i.Findings) != 1 || i.Findings[0].Code != "shadowed" || i.Findings[0].File != i.Path {
				t.Fatalf("info is %+v", i)
			}
			text, err := json.Marshal(i.Shadowed[0])
			want := `{"code":"shadowed","name":"demo","winner":"` + i.Path + `","loser":"/u1/demo/SKILL.md","source":"user"}`
			if err != nil || string(text) != want {
				t.Errorf("%s, %v, want %s", text, err, want)
			}
			if !strings.Contains(i.Findings[0].Message, `"/u1/demo/SKILL.md" (user)`) {
				t.Errorf("message is %q", i.Findings[0].Message)
			}
		}
	})
	t.Run("S4-7", func(t *testing.T) {
		for source, from := range map[string]Sources{"inline": {Inline: all.Inline}, "project": {Project: all.Project}, "user": {User: all.User}, "catalog": {Catalog: all.Catalog}} {
			if got := resolve(t, from).List()[0].Source; got != source {
				t.Errorf("source is %q, want %q", got, source)
			}
		}
		named := Sources{Project: []Root{demo("own label")}}
		if got := resolve(t, named).List()[0]; got.Source != "own label" || got.Scope != "workspace" || named.Project[0].Scope != "" {
			t.Errorf("info is %+v", got)
		}
	})
	t.Run("S4-18 held", func(t *testing.T) {
		r := resolve(t, Sources{Catalog: all.Catalog})
		c, _ := r.Get("demo")
		if c.Path != "host:demo" || c.Dir != "" || c.Resources != nil || !c.UserInvocable || c.Frontmatter["name"] != "demo" {
			t.Errorf("content is %+v", c)
		}
		_, err := r.Resource("demo", "a.md")
		if e := fault(t, err); e.Kind != "not_found" || e.Name != "demo" || e.Rel != "a.md" {
			t.Errorf("error is %#v", e)
		}
	})
}

func TestResolveFilters(t *testing.T) {
	root := func(names ...string) []Root {
		files := fstest.MapFS{}
		for _, name := range names {
			files[name+"/SKILL.md"] = &fstest.MapFile{Data: []byte(skill(name))}
		}
		return []Root{{FS: files, Path: "/" + strings.Join(names, "")}}
	}
	xy := root("x", "y")
	for _, c := range []struct {
		name string
		from Sources
		want []string
	}{
		{"S4-18 exclude", Sources{Project: root("x"), Exclude: []string{"x"}}, nil},
		{"S4-18 enabled", Sources{Project: xy, Enabled: []string{"y"}}, []string{"y"}},
		{"S4-18 3.8-8 both", Sources{Project: xy, Enabled: []string{"x"}, Exclude: []string{"x"}}, nil},
		{"3.8-9 enabled is empty", Sources{Project: xy, Enabled: []string{}}, nil},
		{"3.8-10 enabled is absent", Sources{Project: xy}, []string{"x", "y"}},
		{"S4-18 catalog too", Sources{Catalog: []*catalog.Skill{held(t, "x", "")}, Exclude: []string{"x"}}, nil},
		{"S4-18 a hidden one does not return", Sources{Project: xy, User: root("x"), Exclude: []string{"x"}}, []string{"y"}},
		{"S4-18 none", Sources{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) { resolve(t, c.from).want(t, append([]string{}, c.want...), []string{}) })
	}
	t.Run("S4-20 3.8-7", func(t *testing.T) {
		from := Sources{Inline: root("i"), Project: append(root("x", "z"), root("y")...), User: root("x"), DistrustProject: true}
		r := resolve(t, from)
		if c, there := r.Get("x"); !there || c.Source != "user" || len(c.Shadowed) > 0 {
			t.Errorf("content is %+v", c)
		}
		r.want(t, []string{"i", "x"}, []string{"untrusted /y/y/SKILL.md", "untrusted /xz/x/SKILL.md", "untrusted /xz/z/SKILL.md"})
	})
	t.Run("S4-16 lenient", func(t *testing.T) { // as zidane reads: all but a missing description is a diagnostic
		files := tree(map[string]string{"ok/SKILL.md": doc("Bad_Name", "d", ""), "none/SKILL.md": "---\nname: none\n---\n"})
		r := resolve(t, Sources{Project: []Root{{FS: files, Path: "/P"}}})
		if r.Size() != 1 || r.List()[0].Name != "Bad_Name" || len(r.List()[0].Findings) < 2 || r.List()[0].Findings[0].File != "/P/ok/SKILL.md" {
			t.Errorf("skills are %+v", r.List())
		}
	})
	t.Run("S4-4", func(t *testing.T) {
		files := tree(map[string]string{"pdf/SKILL.md": "---\ndescription: d\n---\nb"})
		r := resolve(t, Sources{Project: []Root{{FS: files, Path: "/P"}}})
		r.want(t, []string{"pdf"}, []string{})
		if i := r.List()[0]; len(i.Findings) != 1 || i.Findings[0].Code != "name_defaulted" || i.Frontmatter["name"] != "pdf" {
			t.Errorf("info is %+v", i)
		}
	})
}

// counting counts the files that are opened and cancels after some.
type counting struct {
	fstest.MapFS
	opened *[]string
	after  int
	cancel context.CancelCauseFunc
}

var errSwitch = errors.New("switched off")

func (f counting) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, manifestName) {
		*f.opened = append(*f.opened, name)
		if len(*f.opened) == f.after {
			f.cancel(errSwitch)
		}
	}
	return f.MapFS.Open(name)
}

func TestCancelling(t *testing.T) {
	files := tree(map[string]string{"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b"), "c/SKILL.md": skill("c")})
	for _, c := range []struct{ after, most int }{{0, 0}, {1, 2}, {3, 3}} {
		for name, read := range map[string]func(context.Context, Root) (*Registry, error){
			"Discover": func(ctx context.Context, r Root) (*Registry, error) { return Discover(ctx, Defaults(r, r)) },
			"Resolve": func(ctx context.Context, r Root) (*Registry, error) {
				return Resolve(ctx, Sources{Project: []Root{r}, User: []Root{r}}, Defaults())
			},
			"OpenKit": func(ctx context.Context, r Root) (*Registry, error) {
				kit := fstest.MapFS{}
				for name, file := range files {
					kit["k/skills/"+name] = file
				}
				counted := r.FS.(counting)
				counted.MapFS = kit
				k, err := OpenKit(ctx, Root{FS: counted, Path: "/K"}, "k", Defaults())
				if k != nil {
					return k.Registry, err
				}
				return nil, err
			},
		} {
			t.Run("S4-17 "+name, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if c.after == 0 {
					cancel(errSwitch)
				}
				var opened []string
				r, err := read(ctx, Root{FS: counting{files, &opened, c.after, cancel}, Path: "/R"})
				if name == "OpenKit" && c.after == 3 {
					return // all is read by then
				}
				if err != errSwitch || r != nil || len(opened) > c.most {
					t.Errorf("error is %v after %q", err, opened)
				}
			})
		}
	}
	t.Run("S4-17 default", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Discover(ctx, Defaults(Root{FS: files, Path: "/R"})); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
		if _, err := Kits(ctx, Root{FS: files, Path: "/R"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("S4-17 refresh", func(t *testing.T) {
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errSwitch)
		if err := r.Refresh(ctx); err != errSwitch || !slices.Equal(namesOf(r.List()), []string{"a", "b", "c"}) {
			t.Errorf("error is %v, skills are %q", err, namesOf(r.List()))
		}
	})
}
