package registry

import (
	"slices"
	"strings"
	"testing"
)

// What is left out is told to one function of the host, which may hand the same to all registries; there is no sink of the process, and
// failures that have a code are errors and not told.
func TestOneSinkForAll(t *testing.T) {
	first := tree(map[string]string{
		"good/SKILL.md": skill("good"), "good/out -> ../../secret": "", "broken/SKILL.md": "nothing", "one/SKILL.md": skill("dup"), "two/SKILL.md": skill("dup"), "ghost -> ../nope": "",
	})
	second := tree(map[string]string{"other/SKILL.md": skill("declared")})
	told := &recorder{}
	c := Defaults(Root{FS: first, Path: "/1"})
	c.Warn = told.warn
	r, err := Discover(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Roots = []Root{{FS: second, Path: "/2"}}
	if _, err := Discover(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Run("S1-36", func(t *testing.T) {
		r.Get("good")
		want := []string{
			"invalid_skill /1/broken/SKILL.md", "dangling_link /1/ghost", "name_mismatch /1/one/SKILL.md", "name_mismatch /1/two/SKILL.md", "duplicate_skill /1/two/SKILL.md",
			"name_mismatch /2/other/SKILL.md", "escaping_link /1/good/out",
		}
		got := told.codes()
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("told was %q, want %q", got, want)
		}
	})
	t.Run("S1-36 failures", func(t *testing.T) {
		for _, rel := range []string{"nope", "", "../x", "out"} {
			if _, err := r.Resource("good", rel); err == nil {
				t.Errorf("%q is found", rel)
			}
		}
		if got := told.codes(); len(got) > 0 {
			t.Errorf("told was %q", got)
		}
	})
	t.Run("S1-36 nobody", func(t *testing.T) { // what is told to nobody is still to be asked for
		c.Warn = nil
		r, err := Discover(t.Context(), c)
		if err != nil || len(r.Findings()) != 1 || !strings.Contains(r.Findings()[0].Message, "declared") {
			t.Errorf("%v, %v", r, err)
		}
	})
}
