package registry

import (
	"fmt"
	"sync"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

// TestParallelUse runs under the race detector in CI.
func TestParallelUse(t *testing.T) {
	t.Run("3.8-14", func(t *testing.T) {
		files := fstest.MapFS{}
		for n := range 40 {
			files[fmt.Sprintf("s%d/SKILL.md", n)] = &fstest.MapFile{Data: []byte(skill(fmt.Sprintf("s%d", n)))}
		}
		files["broken/SKILL.md"] = &fstest.MapFile{Data: []byte("x")}
		files["s1/a.md"] = &fstest.MapFile{}
		told := &recorder{}
		c := Defaults(Root{FS: files, Path: "/1"}, Root{FS: files, Path: "/2"})
		c.Warn = told.warn
		r, err := Discover(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 10 {
					if err := r.Refresh(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
			group.Go(func() {
				for range 20 {
					use(t, r)
				}
			})
		}
		group.Wait()
		if got := len(told.codes()); got != 2*41 {
			t.Errorf("told was %d times", got)
		}
	})
}

// use asks for everything and changes what it is given.
func use(t *testing.T, r *Registry) {
	list := r.List()
	if len(list) != 40 || r.Size() != 40 || len(r.Findings()) != 2 {
		t.Errorf("there are %d skills", len(list))
	}
	for at := range list {
		list[at].Frontmatter["name"] = "changed"
		list[at].Shadowed[0].Loser = "changed"
	}
	c, there := r.Get("s1")
	if !there || len(c.Resources) != 1 || c.Frontmatter["name"] != "s1" || c.Shadowed[0].Loser == "changed" {
		t.Errorf("content is %+v", c)
	}
	c.Frontmatter["name"], c.Findings = "changed", append(c.Findings, catalog.Finding{})
	if _, err := r.Resource("s1", "a.md"); err != nil {
		t.Error(err)
	}
	_ = r.Config()
	_ = Markdown(list, "")
}
