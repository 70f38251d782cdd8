package install_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"skills/catalog"
	"skills/install"
	"skills/lockfile"
)

// recorded is the lock of the place.
func (p *place) recorded(t testing.TB) *lockfile.Lock {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, "skills.lock"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := lockfile.Parse(data, "skills.lock")
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// lies tells which skills lie in the canonical directory.
func (p *place) lies(t testing.TB) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.dir, ".agents", "skills"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return strings.Join(all, " ")
}

// Which skills of a source are installed.
func TestRequirementsOfChoosing(t *testing.T) {
	one := fstest.MapFS{"SKILL.md": skill("one", "One."), "a.md": {Data: []byte("a")}}
	three := fstest.MapFS{"skills/a/SKILL.md": skill("a", "A."), "skills/b/SKILL.md": skill("b", "B."), "skills/c/SKILL.md": skill("c", "C.")}
	twins := fstest.MapFS{"a/review/SKILL.md": skill("review", "A."), "b/review/SKILL.md": skill("review", "B.")}
	root := fstest.MapFS{"SKILL.md": skill("top", "T."), "skills/a/SKILL.md": skill("a", "A.")}
	odd := fstest.MapFS{"x/SKILL.md": skill("../../evil", "E.")}
	for _, c := range []struct {
		id       string
		files    fstest.MapFS
		selector string
		lies     string
		code     string
		says     string
	}{
		{"S4-22 whole source", one, "", "one", "", ""},
		{"S4-22 one of three", three, "b", "b", "", ""},
		{"S4-24 3.9-1 one candidate", one, "", "one", "", ""},
		{"S4-24 3.9-2 several", three, "", "", "multiple_candidates", "holds 3 skills"},
		{"S4-24 none", fstest.MapFS{"README.md": {}}, "", "", "no_skills", "no SKILL.md"},
		{"S4-29 the root is the source", root, "", "top", "", ""},
		{"S4-29 S4-30 one below the root by its path", root, "skills/a", "a", "", ""},
		{"S4-30 one name twice", twins, "review", "", "ambiguous", "a/review, b/review"},
		{"S4-30 by its path", twins, "a/review", "review", "", ""},
		{"3.7-19", three, "nope", "", "not_found", `"nope"`},
		{"3.9-23", odd, "", "", "unsafe_name", `"../../evil"`},
	} {
		t.Run(c.id, func(t *testing.T) {
			p := newPlace(t)
			p.shelf["https://github.com/acme/one"] = c.files
			var selectors []string
			if c.selector != "" {
				selectors = []string{c.selector}
			}
			plan, err := p.PlanAdd(context.Background(), request(t, "acme/one", selectors...))
			if err == nil {
				err = errors.Join(p.Apply(context.Background(), plan), plan.Err())
			}
			if code(err) != c.code || c.code != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v (%s), want %s", err, code(err), c.code)
			}
			if got := p.lies(t); got != c.lies {
				t.Errorf("installed are %q, want %q", got, c.lies)
			}
		})
	}
	t.Run("S4-24 the candidates", func(t *testing.T) {
		p := newPlace(t)
		p.shelf["https://github.com/acme/one"] = three
		_, err := p.PlanAdd(context.Background(), request(t, "acme/one"))
		var choose *install.ChooseError
		if !errors.As(err, &choose) || choose.ExitStatus() != 5 {
			t.Fatalf("error is %v", err)
		}
		var names []string
		for _, c := range choose.Source.Listing.Visible() {
			names = append(names, c.Name)
		}
		if !slices.Equal(names, []string{"a", "b", "c"}) || choose.Fields()["candidates"] == nil {
			t.Errorf("candidates are %q, fields %v", names, choose.Fields())
		}
		r := request(t, "acme/one")
		r.Ask = func(_ context.Context, s *install.Source) ([]catalog.Candidate, error) {
			return s.Listing.Visible()[1:2], nil
		}
		if p.add(t, r); p.lies(t) != "b" {
			t.Errorf("the answer b installs %q", p.lies(t))
		}
	})
}

// What is there already when all of a source is wanted.
func TestRequirementsOfAll(t *testing.T) {
	pair := func(body string) fstest.MapFS {
		return fstest.MapFS{"skills/a/SKILL.md": skill("a", body), "skills/b/SKILL.md": skill("b", body)}
	}
	for _, c := range []struct {
		id     string
		before func(*testing.T, *place)
		reason string // why a is skipped
	}{
		{"S4-25 3.9-4 from another source", func(t *testing.T, p *place) { p.add(t, request(t, "other/pack", "a")) }, `"a" is installed from https://github.com/other/pack`},
		{"S4-25 3.9-5 not in the lock", func(t *testing.T, p *place) {
			dir := filepath.Join(p.dir, ".agents", "skills", "a")
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("mine"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}, "was not installed by this program"},
		{"S4-25 an agent's directory", func(t *testing.T, p *place) {
			dir := filepath.Join(p.dir, ".claude", "skills", "a")
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("mine"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}, "is not what this program installed"},
	} {
		t.Run(c.id, func(t *testing.T) {
			p := newPlace(t)
			p.shelf["https://github.com/acme/one"], p.shelf["https://github.com/other/pack"] = pair("New."), pair("Old.")
			c.before(t, p)
			before := p.files(t)
			if plan, err := p.PlanAdd(context.Background(), request(t, "acme/one", "a")); err != nil || !plan.Failed() || plan.Err() == nil {
				t.Errorf("3.9-5: the one that is named is no error: %v", err)
			}
			r := request(t, "acme/one")
			r.All = true
			plan, err := p.PlanAdd(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			if a := plan.Steps[0]; a.Action != install.Skipped || a.Err != nil || !strings.Contains(a.Reason, c.reason) || !strings.Contains(a.Hint, "--force") || strings.Contains(a.Reason, "--") || len(a.Targets) > 0 {
				t.Errorf("the step is %+v", a)
			}
			if plan.Failed() || plan.Err() != nil {
				t.Errorf("what was not asked for fails: %v", plan.Err())
			}
			if err := p.Apply(context.Background(), plan); err != nil {
				t.Fatal(err)
			}
			b, there := p.recorded(t).Get("b")
			if !there || b.Source != "https://github.com/acme/one" || b.Path != "skills/b" || b.Commit != strings.Repeat("1", 40) || b.Hash == "" {
				t.Errorf("b is recorded as %+v", b)
			}
			for line := range strings.Lines(before) {
				if !strings.Contains(line, " skills.") && strings.Contains(line, "skills/a") && !strings.Contains(p.files(t), line) {
					t.Errorf("%q is gone", line)
				}
			}
			r.Force = true
			if got := p.add(t, r); got["a"] != install.Updated && got["a"] != install.Added || !strings.Contains(p.files(t), "New.") {
				t.Errorf("forced: %v", got)
			}
		})
	}
	t.Run("S4-25 nothing left", func(t *testing.T) {
		p := newPlace(t)
		p.shelf["https://github.com/acme/one"], p.shelf["https://github.com/other/pack"] = pair("New."), pair("Old.")
		p.add(t, request(t, "other/pack", "a", "b"))
		r := request(t, "acme/one")
		r.All = true
		if plan, err := p.PlanAdd(context.Background(), r); err != nil || !plan.Failed() || !plan.Idle() {
			t.Errorf("nothing is done, and that is no failure: %v", err)
		}
	})
	t.Run("S4-25 again", func(t *testing.T) {
		p := newPlace(t)
		p.shelf["https://github.com/acme/one"] = pair("New.")
		r := request(t, "acme/one")
		r.All = true
		p.add(t, r)
		want := map[string]install.Action{"a": install.Unchanged, "b": install.Unchanged}
		if diff := cmp.Diff(want, p.add(t, r)); diff != "" {
			t.Error(diff)
		}
		if names := slices.Sorted(maps.Keys(want)); p.lies(t) != strings.Join(names, " ") {
			t.Errorf("installed are %q", p.lies(t))
		}
	})
}

// A skill that has another name at the new revision stays where it is and says so, where zidane and others would remove and add.
func TestRequirementsOfUpdates(t *testing.T) {
	t.Run("3.9-26", func(t *testing.T) {
		p, h := newHistory(t)
		p.add(t, request(t, "acme/kit", "pdf", "notes"))
		h.move()
		files := h.trees[commitOf("2")]
		files["skills/pdf/SKILL.md"], files["skills/notes/SKILL.md"] = skill("pdf-two", "Read."), skill("notes", "Write more.")
		plan, err := p.PlanUpdate(context.Background(), install.UpdateRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Apply(context.Background(), plan); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"", `the skill was called "pdf" and is called "pdf-two" now; it stays in "pdf" until you remove it and add it anew`} {
			said := ""
			for _, f := range plan.Steps[i].Findings {
				if f.Code == "renamed" {
					said = f.Message
				}
			}
			if said != want || plan.Steps[i].Action != install.Updated {
				t.Errorf("%s: %s, said %q", plan.Steps[i].Name, plan.Steps[i].Action, said)
			}
		}
		if p.lies(t) != "notes pdf" {
			t.Errorf("installed are %q", p.lies(t))
		}
	})
}
