package install_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"skills/install"
)

// crashed is what is thrown where a change stops, so that nothing after it runs, as after kill -9.
type crashed struct{}

// points is what a change reached, and where it stops.
type points struct {
	mutex sync.Mutex
	all   []string
	stop  int // from this point on nothing runs; negative for a change that ends
}

// reached notes a point. What stages runs in goroutines of its own, which end; the change itself stops at the next point.
func (p *points) reached(point string) {
	p.mutex.Lock()
	p.all = append(p.all, point)
	over := p.stop >= 0 && len(p.all) > p.stop
	p.mutex.Unlock()
	switch {
	case over && strings.HasPrefix(point, "stage "):
		runtime.Goexit()
	case over:
		panic(crashed{})
	}
}

// crash does a change and stops it at its n-th point, or tells that it ended before.
func (p *place) crash(n int, do func() error) (stopped bool, err error) {
	p.Stop((&points{stop: n}).reached)
	defer func() {
		p.Stop(nil)
		if thrown := recover(); thrown != nil {
			if _, stopped = thrown.(crashed); !stopped {
				panic(thrown)
			}
		}
	}()
	return false, do()
}

// points lists the points of a change that ends.
func (p *place) points(t testing.TB, do func() error) []string {
	t.Helper()
	all := &points{stop: -1}
	p.Stop(all.reached)
	defer p.Stop(nil)
	if err := do(); err != nil {
		t.Fatal(err)
	}
	return all.all
}

// wake is the next command after a crash, which changes nothing itself.
func (p *place) wake(t testing.TB) {
	t.Helper()
	plan, err := p.PlanRemove(context.Background(), install.RemoveRequest{Names: []string{"no-such-skill"}})
	if err != nil || !plan.Idle() {
		t.Fatalf("plan %+v, error %v", plan, err)
	}
	if left, err := filepath.Glob(filepath.Join(p.home, "cache", "journals", "*")); err != nil || len(left) > 0 {
		t.Errorf("journals %q, error %v; want none", left, err)
	}
}

// command is something that a person does in a prepared project.
type command struct {
	prepare func(testing.TB, *place, *history)
	plan    func(testing.TB, *place) func(context.Context) (*install.Plan, error)
}

// do makes a plan and applies it.
func (c command) do(t testing.TB, p *place) error {
	plan, err := p.Do(context.Background(), c.plan(t, p))
	if err == nil {
		err = plan.Err()
	}
	return err
}

// scene is a project in which much is to do: foreign things, skills with links and with copies, edits.
func (c command) scene(t testing.TB) *place {
	t.Helper()
	p, h := newHistory(t)
	for commit, body := range map[string]string{"1": "First.", "2": "Second."} {
		for _, name := range []string{"forms", "lint", "maps"} {
			h.trees[commitOf(commit)]["skills/"+name+"/SKILL.md"] = skill(name, body)
			h.trees[commitOf(commit)]["skills/"+name+"/docs/more.md"] = &fstest.MapFile{Data: []byte(body)}
		}
	}
	p.write(t, "README.md", "Mine.\n")
	p.write(t, ".claude/skills/own/SKILL.md", "Mine.\n")
	p.write(t, ".agents/skills/own/SKILL.md", "Mine.\n")
	c.prepare(t, p, h)
	return p
}

// entry is a line of a manifest.
func entry(name, from, mode string) string {
	return fmt.Sprintf("%s = { source = %q, path = %q, mode = %q }\n", name, "acme/kit", "skills/"+from, mode)
}

// installed prepares five skills, three with links and two with copies, of which one each was edited.
func installed(t testing.TB, p *place, _ *history) {
	t.Helper()
	p.write(t, "skills.toml", "[skills]\n"+entry("pdf", "pdf", "link")+entry("notes", "notes", "link")+entry("forms", "forms", "link")+
		entry("lint", "lint", "copy")+entry("maps", "maps", "copy"))
	plan := func(ctx context.Context) (*install.Plan, error) { return p.PlanInstall(ctx, install.InstallRequest{}) }
	if plan, err := p.Do(context.Background(), plan); err != nil || plan.Err() != nil {
		t.Fatal(err, plan.Err())
	}
	p.write(t, ".agents/skills/forms/SKILL.md", "Mine.\n")
	p.write(t, ".agents/skills/maps/mine.md", "Mine.\n")
}

func commands() map[string]command {
	planned := func(plan func(*place, context.Context) (*install.Plan, error)) func(testing.TB, *place) func(context.Context) (*install.Plan, error) {
		return func(_ testing.TB, p *place) func(context.Context) (*install.Plan, error) {
			return func(ctx context.Context) (*install.Plan, error) { return plan(p, ctx) }
		}
	}
	return map[string]command{
		"add": {
			func(t testing.TB, p *place, _ *history) {
				p.write(t, ".agents/skills/pdf/mine.md", "Mine.\n")
				p.write(t, ".claude/skills/notes/SKILL.md", "Mine.\n")
				p.write(t, ".claude/skills/forms", "Mine.\n")
			},
			func(t testing.TB, p *place) func(context.Context) (*install.Plan, error) {
				r := request(t, "acme/kit", "pdf", "notes", "forms")
				r.Force, r.Mode = true, install.ModeCopy
				return func(ctx context.Context) (*install.Plan, error) { return p.PlanAdd(ctx, r) }
			},
		},
		"add to nothing": {
			func(t testing.TB, p *place, _ *history) {
				if err := errors.Join(os.RemoveAll(p.path(".agents")), os.RemoveAll(p.path(".claude"))); err != nil {
					t.Fatal(err)
				}
			},
			func(t testing.TB, p *place) func(context.Context) (*install.Plan, error) {
				r := request(t, "acme/kit", "pdf", "notes", "lint")
				return func(ctx context.Context) (*install.Plan, error) { return p.PlanAdd(ctx, r) }
			},
		},
		"install": {
			func(t testing.TB, p *place, h *history) {
				installed(t, p, h)
				p.write(t, "skills.toml", "[skills]\n"+entry("pdf", "pdf", "copy")+entry("forms", "forms", "link")+entry("maps", "maps", "link")+entry("minutes", "notes", "link"))
			},
			planned(func(p *place, ctx context.Context) (*install.Plan, error) {
				return p.PlanInstall(ctx, install.InstallRequest{Prune: true, Force: true})
			}),
		},
		"install what the lock says": {
			func(t testing.TB, p *place, h *history) {
				installed(t, p, h)
				if err := os.RemoveAll(p.path(".agents/skills/pdf")); err != nil {
					t.Fatal(err)
				}
			},
			planned(func(p *place, ctx context.Context) (*install.Plan, error) {
				return p.PlanInstall(ctx, install.InstallRequest{Mode: install.ModeCopy, Force: true})
			}),
		},
		"update": {
			func(t testing.TB, p *place, h *history) { installed(t, p, h); h.move() },
			planned(func(p *place, ctx context.Context) (*install.Plan, error) {
				return p.PlanUpdate(ctx, install.UpdateRequest{Force: true})
			}),
		},
		"remove": {
			installed,
			planned(func(p *place, ctx context.Context) (*install.Plan, error) {
				return p.PlanRemove(ctx, install.RemoveRequest{Names: []string{"pdf", "forms", "maps", "lint"}, Force: true})
			}),
		},
	}
}

// Wherever a command dies, the next one finds everything old or everything new: manifest, lock and disk, and what belongs to
// others. The same command once more comes to the same end: 3.9-7.
func TestACrashAtAnyPointOfACommandLeavesOldOrNew(t *testing.T) {
	for name, c := range commands() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := c.scene(t)
			before := p.files(t)
			all := p.points(t, func() error { return c.do(t, p) })
			after := p.files(t)
			commit := slices.Index(all, "marked committed")
			if commit < 10 || before == after {
				t.Fatalf("the command did too little: %q", all)
			}
			for n, point := range all {
				if strings.HasPrefix(point, "stage ") && slices.Index(all, point) < n {
					continue // nothing that was not there before
				}
				p := c.scene(t)
				if stopped, err := p.crash(n, func() error { return c.do(t, p) }); !stopped {
					t.Fatalf("the command did not stop at %q: %v", all[n], err)
				}
				p.wake(t)
				want := before
				if n >= commit {
					want = after
				}
				if got := p.files(t); got != want {
					t.Fatalf("after a crash at %d, %q:\n%s\nwant:\n%s", n, all[n], got, want)
				}
				var gone *install.Error
				if err := c.do(t, p); err != nil && !(n >= commit && errors.As(err, &gone) && gone.Kind == "not_installed") {
					t.Fatalf("once more after a crash at %q: %v", all[n], err)
				}
				if got := p.files(t); got != after {
					t.Fatalf("once more after a crash at %q:\n%s\nwant:\n%s", all[n], got, after)
				}
			}
		})
	}
}
