package install_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"

	"skills/install"
	"skills/source"
)

// gate is a history that lets nobody fetch before it is opened.
type gate struct {
	*history
	reached, opened chan struct{}
}

func (g gate) Fetch(ctx context.Context, r source.Revision) (install.Tree, error) {
	select {
	case g.reached <- struct{}{}: // the first time
	default:
	}
	<-g.opened
	return g.history.Fetch(ctx, r)
}

// A command that looks at the disk while another one changes it may see half of something. It waits, and looks again.
func TestWhatIsSeenOfAChangeInProgressIsLookedAtAgain(t *testing.T) {
	p, h := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	h.move()
	g := gate{h, make(chan struct{}, 1), make(chan struct{})}
	waiting, ended := make(chan struct{}), make(chan struct{})
	other := engineWith(t, p, func(c *install.Config) {
		c.Fetcher = g
		c.Event = func(e install.Event) {
			if e.Kind == "waiting" {
				close(waiting)
			}
		}
	})
	var done *install.Plan
	var group errgroup.Group
	group.Go(func() (err error) {
		defer close(ended)
		done, err = other.Do(context.Background(), func(ctx context.Context) (*install.Plan, error) {
			return other.PlanAdd(ctx, request(t, "acme/kit#v1", "pdf"))
		})
		return err
	})
	<-g.reached
	p.Stop(func(point string) {
		if point == "exchanged pdf" { // the new files are there, and the lock still names the old ones
			close(g.opened)
			select {
			case <-waiting:
			case <-ended:
			}
		}
	})
	plan, err := p.PlanUpdate(context.Background(), install.UpdateRequest{})
	if err := errors.Join(err, p.Apply(context.Background(), plan), group.Wait()); err != nil {
		t.Fatal(err)
	}
	if done.Failed() || !strings.Contains(p.read(t, pdf+"SKILL.md"), "Read.") {
		t.Errorf("steps %+v\n%s", done.Steps, p.read(t, pdf+"SKILL.md"))
	}
}

// What a person edits between plan and change is not replaced by what was planned before.
func TestAnEditAfterThePlanIsKept(t *testing.T) {
	for name, plan := range map[string]func(*place, context.Context) (*install.Plan, error){
		"update": func(p *place, ctx context.Context) (*install.Plan, error) {
			return p.PlanUpdate(ctx, install.UpdateRequest{})
		},
		"remove": func(p *place, ctx context.Context) (*install.Plan, error) {
			return p.PlanRemove(ctx, install.RemoveRequest{Names: []string{"pdf"}})
		},
	} {
		for _, edited := range []string{".agents/skills/pdf/SKILL.md", ".claude/skills/pdf/SKILL.md", ".claude/skills/pdf/new.md"} {
			p, h := newHistory(t)
			r := request(t, "acme/kit", "pdf")
			r.Mode = install.ModeCopy
			p.add(t, r)
			h.move()
			first, err := plan(p, context.Background())
			if err != nil {
				t.Fatal(err)
			}
			p.write(t, edited, "Mine.\n")
			before := p.files(t)
			var changed *install.Error
			if err := p.Apply(context.Background(), first); !errors.As(err, &changed) || changed.Kind != "changed" {
				t.Errorf("%s, %s: error %v, want one that says it changed", name, edited, err)
			}
			if p.files(t) != before {
				t.Errorf("%s, %s: something changed:\n%s\nbefore:\n%s", name, edited, p.files(t), before)
			}
			again := first
			second, err := p.Do(context.Background(), func(ctx context.Context) (*install.Plan, error) {
				if again != nil {
					stale := again
					again = nil
					return stale, nil
				}
				return plan(p, ctx)
			})
			if err != nil || !second.Failed() || p.files(t) != before {
				t.Errorf("%s, %s: planned once more: %+v, error %v\n%s", name, edited, second, err, p.files(t))
			}
		}
	}
}

// Whoever comes first: all changes of one project are made, one after the other: 3.9-8.
func TestChangesOfOneProjectWaitForEachOther(t *testing.T) {
	p, h := newHistory(t)
	for i := range 8 {
		h.trees[commitOf("1")][fmt.Sprintf("skills/s%d/SKILL.md", i)] = skill(fmt.Sprint("s", i), "Wait.")
	}
	var group errgroup.Group
	for i := range 12 {
		engine := engineIn(t, p, h)
		add := request(t, "acme/kit", fmt.Sprint("s", i%8)) // four of them twice
		group.Go(func() error {
			plan, err := engine.Do(context.Background(), func(ctx context.Context) (*install.Plan, error) { return engine.PlanAdd(ctx, add) })
			if err == nil {
				err = plan.Err()
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	all, err := p.Installed(context.Background())
	if err != nil || len(all) != 8 {
		t.Fatalf("installed %+v, error %v", all, err)
	}
	for _, skill := range all {
		if skill.State != install.StateOK || len(skill.Targets) != 1 {
			t.Errorf("%+v", skill)
		}
	}
	if got := strings.Count(p.read(t, "skills.toml"), "acme/kit"); got != 8 {
		t.Errorf("%d skills in the manifest:\n%s", got, p.read(t, "skills.toml"))
	}
}

func TestWaitingEndsAfterABound(t *testing.T) {
	p, _ := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	locks, err := filepath.Glob(filepath.Join(p.home, "cache", "locks", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks %q, error %v", locks, err)
	}
	other := flock.New(locks[0])
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatalf("lock held %v, error %v", held, err)
	}
	defer other.Close()
	before := p.files(t)
	synctest.Test(t, func(t *testing.T) { // in which a minute takes no time
		start := time.Now()
		var busy *install.Error
		_, err := p.Do(context.Background(), func(ctx context.Context) (*install.Plan, error) {
			return p.PlanAdd(ctx, request(t, "acme/kit", "notes"))
		})
		if !errors.As(err, &busy) || busy.Kind != "busy" || len(busy.Hints()) == 0 {
			t.Errorf("error %v, want one that says another process is at it", err)
		}
		if took := time.Since(start); took < 10*time.Second || took > 2*time.Minute {
			t.Errorf("it waited %v", took)
		}
		if _, err := p.Installed(context.Background()); err != nil {
			t.Errorf("reading: %v", err)
		}
	})
	if p.files(t) != before {
		t.Errorf("something changed:\n%s", p.files(t))
	}
}

// talking is a history that has something to say of each source.
type talking struct{ *history }

func (n talking) Resolve(ctx context.Context, l source.Locator) (source.Revision, error) {
	rev, err := n.history.Resolve(ctx, l)
	rev.Locator.Notes = append(rev.Locator.Notes, source.Note{Code: "said", Message: l.Input})
	return rev, err
}

// What is called needs no lock of its own, though sources are opened side by side.
func TestEventsComeOneAtATime(t *testing.T) {
	p, h := newHistory(t)
	var add install.AddRequest
	for i := range 8 {
		text := fmt.Sprint("acme/kit", i)
		h.refs["https://github.com/"+text+" "] = commitOf("1")
		add.Sources = append(add.Sources, request(t, text, "pdf").Sources...)
	}
	told := 0
	e := engineWith(t, p, func(c *install.Config) {
		c.Fetcher, c.Event = talking{h}, func(install.Event) { told++ }
	})
	if _, err := e.PlanAdd(context.Background(), add); err != nil || told != 8 {
		t.Errorf("told %d times, error %v", told, err)
	}
}
