package install_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/install"
	"skills/lockfile"
	"skills/source"
)

const (
	hostText = `
-- @repo github.com/acme/kit --
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- skills/notes/SKILL.md --
---
name: notes
description: Writes notes.
---
-- @tag v1 --
`
	hostNext = `
-- @repo github.com/acme/kit --
-- @commit More --
-- skills/pdf/forms.md --
Forms.
-- @tag v2 --
`
)

// hosted is a place whose github.com is a forge.
type hosted struct {
	*place
	forge *fetchtest.Forge
}

func newHosted(t testing.TB) hosted {
	t.Helper()
	h := hosted{newPlace(t), fetchtest.New(t, hostText)}
	h.Engine = h.engine(t)
	return h
}

// engine is that of a machine with nothing in its store.
func (h hosted) engine(t testing.TB) *install.Engine {
	t.Helper()
	s, err := fetch.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	settings := map[string]fetch.HostSettings{}
	for _, host := range []string{"github.com", "codeload.github.com", "api.github.com"} {
		settings[host] = fetch.HostSettings{Connect: h.forge.Addr(), CA: h.forge.CA()}
	}
	client, err := fetch.New(fetch.Config{Store: s, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	return engineWith(t, h.place, func(c *install.Config) { c.Fetcher = install.FromClient(client) })
}

// hide makes github.com refuse everything, while its archives are still to be had.
func (h hosted) hide(status int) {
	h.forge.Fault(fetchtest.Fault{Host: "github.com", Do: fetchtest.Answer(status, "not now", "Retry-After", "3600")})
}

// id is what git says of a revision.
func (h hosted) id(revision string) string { return h.forge.Repo("github.com/acme/kit").ID(revision) }

// locked is the lock entry of a skill.
func (p *place) locked(t testing.TB, name string) lockfile.Skill {
	t.Helper()
	lock, err := lockfile.Parse([]byte(p.read(t, "skills.lock")), "skills.lock")
	if err != nil {
		t.Fatal(err)
	}
	skill, ok := lock.Get(name)
	if !ok {
		t.Fatalf("%q is not locked", name)
	}
	return skill
}

// While a host hides its refs the archive says what a ref is. The lock holds one revision, never parts of two.
func TestUpdateFromAHostThatHidesItsRefs(t *testing.T) {
	for _, status := range []int{403, 429} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			h, ctx := newHosted(t), context.Background()
			h.add(t, request(t, "https://github.com/acme/kit/tree/main/skills/pdf"))
			h.add(t, request(t, "acme/kit/skills/notes"))
			h.forge.Add(hostNext)
			h.hide(status)
			rows, err := h.Outdated(ctx)
			if err != nil || len(rows) != 2 {
				t.Fatalf("rows %+v, error %v", rows, err)
			}
			for i, behind := range []bool{false, true} { // notes, pdf
				row, commit := rows[i], h.id("main")[:12]
				if row.Behind != behind || row.Current != h.id("v1")[:12] || row.Wanted != commit || row.Latest != commit || row.Err != nil {
					t.Errorf("row %+v", row)
				}
			}
			plan, err := h.PlanUpdate(ctx, install.UpdateRequest{})
			if err != nil || plan.Failed() {
				t.Fatalf("steps %+v, error %v", plan, err)
			}
			if err := h.Apply(ctx, plan); err != nil {
				t.Fatal(err)
			}
			for name, action := range map[string]install.Action{"pdf": install.Updated, "notes": install.Unchanged} {
				got := h.locked(t, name)
				if actions(plan)[name] != action || got.Commit != h.id("main") || got.Tree != h.id("main:skills/"+name) {
					t.Errorf("%s: %s, lock %+v, expected commit %s and tree %s", name, actions(plan)[name], got, h.id("main"), h.id("main:skills/"+name))
				}
			}
			h.forge.Heal()
			h.anew(t)
		})
	}
}

// anew installs what the lock says as a colleague does: with nothing here yet.
func (h hosted) anew(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(h.dir, ".agents")); err != nil {
		t.Fatal(err)
	}
	plan, err := h.engine(t).PlanInstall(context.Background(), install.InstallRequest{Frozen: true})
	if err != nil || plan.Failed() {
		t.Errorf("steps %+v, error %v", plan, err)
	}
}

// What nothing is known of is not written over what is.
func TestUpdateThatLearnsNothingKeepsTheLock(t *testing.T) {
	h := newHosted(t)
	h.add(t, request(t, "https://github.com/acme/kit/tree/main/skills/pdf"))
	before := h.read(t, "skills.lock")
	h.hide(429)
	plan, err := h.PlanUpdate(context.Background(), install.UpdateRequest{})
	if err != nil || !plan.Idle() || h.read(t, "skills.lock") != before {
		t.Errorf("plan %+v, error %v", plan, err)
	}
}

// nameless is a history whose host shows no refs, and whose archives do not say which commit they are of.
type nameless struct{ *history }

func (n nameless) Resolve(_ context.Context, l source.Locator) (source.Revision, error) {
	return source.Revision{Locator: l}, nil
}

func (n nameless) ResolveAll(ctx context.Context, locators []source.Locator) []fetch.Resolution {
	all := make([]fetch.Resolution, len(locators))
	for i, l := range locators {
		all[i].Revision, all[i].Err = n.Resolve(ctx, l)
	}
	return all
}

// The ids of old files do not stand beside the digest of new ones.
func TestUpdateToARevisionWithoutACommit(t *testing.T) {
	p, h := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	notes := p.locked(t, "notes")
	h.trees[kit] = h.trees[commitOf("2")]
	e := engineIn(t, p, nameless{h})
	plan, err := e.PlanUpdate(context.Background(), install.UpdateRequest{})
	if err != nil || e.Apply(context.Background(), plan) != nil {
		t.Fatalf("steps %+v, error %v", plan, err)
	}
	if got := p.locked(t, "pdf"); actions(plan)["pdf"] != install.Updated || got.Commit != "" || got.Tree != "" || got.Resolved != "" {
		t.Errorf("lock %+v", got)
	}
	if got := p.locked(t, "notes"); !reflect.DeepEqual(got, notes) { // its files are the same
		t.Errorf("lock %+v, expected %+v", got, notes)
	}
}

// A skill that stays at its revision keeps its wish as well.
func TestUpdateThatLeavesAnEditedSkillLeavesTheManifest(t *testing.T) {
	h, ctx := newHosted(t), context.Background()
	r := request(t, "acme/kit#v1", "pdf")
	h.add(t, r)
	h.forge.Add(hostNext)
	h.write(t, pdf+"SKILL.md", "edited")
	before := h.read(t, "skills.toml") + h.read(t, "skills.lock")
	plan, err := h.PlanUpdate(ctx, install.UpdateRequest{Latest: true, Keep: true})
	if err != nil || h.Apply(ctx, plan) != nil {
		t.Fatalf("steps %+v, error %v", plan, err)
	}
	if after := h.read(t, "skills.toml") + h.read(t, "skills.lock"); after != before {
		t.Errorf("got\n%s\nexpected\n%s", after, before)
	}
}

// A ref that stands in the text of a source is rewritten there.
func TestUpdateBeyondARefInTheText(t *testing.T) {
	for _, text := range []string{"acme/kit#v1", "https://github.com/acme/kit/tree/v1/skills/pdf"} {
		h, ctx := newHosted(t), context.Background()
		h.add(t, request(t, text, "pdf"))
		h.forge.Add(hostNext)
		plan, err := h.PlanUpdate(ctx, install.UpdateRequest{Latest: true})
		if err != nil || h.Apply(ctx, plan) != nil {
			t.Fatalf("%s: steps %+v, error %v", text, plan, err)
		}
		if got := h.locked(t, "pdf"); got.Ref != "v2" || got.Commit != h.id("v2") || got.Tree != h.id("v2:skills/pdf") {
			t.Errorf("%s: lock %+v", text, got)
		}
		h.anew(t)
	}
}

// A pin is looked up there too.
func TestPinOnAHostThatHidesItsRefs(t *testing.T) {
	h, ctx := newHosted(t), context.Background()
	h.add(t, request(t, "https://github.com/acme/kit/tree/main/skills/pdf"))
	h.hide(429)
	if plan, err := h.PlanPin(ctx, "pdf", "nope", ""); err == nil || plan != nil {
		t.Errorf("plan %v, error %v", plan, err)
	}
	plan, err := h.PlanPin(ctx, "pdf", "v1", "")
	if err != nil || h.Apply(ctx, plan) != nil {
		t.Fatalf("plan %v, error %v", plan, err)
	}
	if got := h.locked(t, "pdf"); got.Ref != "v1" || got.Commit != h.id("v1") || got.Tree != h.id("v1:skills/pdf") {
		t.Errorf("lock %+v", got)
	}
	h.forge.Heal()
	h.anew(t)
}

// What ends with its context gives the cause of that.
func TestCausesOfTheContext(t *testing.T) {
	h := newHosted(t)
	h.add(t, request(t, "acme/kit", "pdf"))
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	notes := request(t, "acme/kit", "notes")
	for name, call := range map[string]func() error{
		"PlanAdd":     func() error { _, err := h.PlanAdd(ctx, notes); return err },
		"PlanUpdate":  func() error { _, err := h.PlanUpdate(ctx, install.UpdateRequest{}); return err },
		"PlanInstall": func() error { _, err := h.PlanInstall(ctx, install.InstallRequest{Refresh: true}); return err },
		"PlanPin":     func() error { _, err := h.PlanPin(ctx, "pdf", "v1", ""); return err },
		"Open":        func() error { _, err := h.Open(ctx, notes.Sources[0].Locator, false); return err },
		"Choose":      func() error { _, _, err := h.Choose(ctx, notes.Sources[0], false); return err },
		"Outdated":    func() error { _, err := h.Outdated(ctx); return err },
		"Installed":   func() error { _, err := h.Installed(ctx); return err },
		"Export":      func() error { _, _, err := h.Export(ctx); return err },
	} {
		if err := call(); err != enough && name != "Export" || err != nil && !errors.Is(err, enough) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
