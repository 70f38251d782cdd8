package install_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/gofrs/flock"

	"skills/fetch"
	"skills/install"
	"skills/install/agents"
	"skills/source"
)

// shelf is a fetcher of trees in memory, by the identity of their source.
type shelf map[string]fstest.MapFS

func (s shelf) Resolve(_ context.Context, locator source.Locator) (source.Revision, error) {
	if s[locator.Source()] == nil {
		return source.Revision{}, fs.ErrNotExist
	}
	return source.Revision{Locator: locator, Ref: "refs/heads/main", Commit: strings.Repeat("1", 40)}, nil
}

func (s shelf) Fetch(_ context.Context, revision source.Revision) (install.Tree, error) {
	return book{revision, s[revision.Locator.Source()]}, nil
}

func (s shelf) FetchTrees(_ context.Context, locator source.Locator, _ map[string]string) (install.Tree, error) {
	return book{source.Revision{Locator: locator, Commit: locator.Ref}, s[locator.Source()]}, nil
}

func (s shelf) ResolveAll(ctx context.Context, locators []source.Locator) []fetch.Resolution {
	var all []fetch.Resolution
	for _, l := range locators {
		revision, err := s.Resolve(ctx, l)
		all = append(all, fetch.Resolution{Revision: revision, Err: err})
	}
	return all
}

type book struct {
	revision source.Revision
	files    fstest.MapFS
}

func (b book) Revision() source.Revision             { return b.revision }
func (b book) FS() fs.FS                             { return b.files }
func (b book) Load(context.Context, ...string) error { return nil }

// skill is the text of a SKILL.md.
func skill(name, body string) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, "---\nname: %s\ndescription: Does %s.\n---\n\n%s\n", name, name, body)}
}

// place is a project of a test with an engine.
type place struct {
	*install.Engine
	dir, home string
	shelf     shelf
	events    atomic.Int64
	waiting   chan struct{}
}

// newPlace makes a project on a machine that has Claude Code.
func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), home: t.TempDir(), waiting: make(chan struct{}, 1)}
	p.shelf = shelf{"https://github.com/acme/kit": {"skills/pdf/SKILL.md": skill("pdf", "Read."), "skills/pdf/run.sh": {Data: []byte("#!/bin/sh\n"), Mode: 0o755}, "skills/notes/SKILL.md": skill("notes", "Write.")}}
	if err := os.Mkdir(filepath.Join(p.home, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	engine, err := install.New(install.Config{
		Fetcher: p.shelf, Agents: agents.Default(), Environment: agents.Environment{Home: p.home, Project: p.dir, Exists: exists},
		Manifest: filepath.Join(p.dir, "skills.toml"), Lock: filepath.Join(p.dir, "skills.lock"), Cache: filepath.Join(p.home, "cache"),
		Event: func(e install.Event) {
			p.events.Add(1)
			if e.Kind == "waiting" {
				p.waiting <- struct{}{}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Engine = engine
	return p
}

// request asks for skills of a source text.
func request(t testing.TB, text string, skills ...string) install.AddRequest {
	t.Helper()
	locator, err := source.Parse(text, source.DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	return install.AddRequest{Sources: []install.SourceRequest{{Locator: locator, Skills: skills}}}
}

// add plans and applies, and returns the actions by name.
func (p *place) add(t testing.TB, r install.AddRequest) map[string]install.Action {
	t.Helper()
	plan, err := p.PlanAdd(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	return actions(plan)
}

func actions(plan *install.Plan) map[string]install.Action {
	all := map[string]install.Action{}
	for _, step := range plan.Steps {
		all[step.Name] = step.Action
	}
	return all
}

// files lists everything in the project, with contents.
func (p *place) files(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(p.dir, path)
		fmt.Fprintf(&b, "%s %s", entry.Type(), name)
		if entry.Type().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, " %q", data)
			if err != nil {
				return err
			}
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAStalePlanIsRefused(t *testing.T) {
	p := newPlace(t)
	stale, err := p.PlanAdd(context.Background(), request(t, "acme/kit", "pdf"))
	if err != nil {
		t.Fatal(err)
	}
	p.add(t, request(t, "acme/kit", "notes"))
	before := p.files(t)
	var refused *install.Error
	if err := p.Apply(context.Background(), stale); !errors.As(err, &refused) || refused.Code() != "changed" {
		t.Errorf("error %v, want one that says the project changed", err)
	}
	if after := p.files(t); after != before {
		t.Errorf("the project changed:\n%s\nbefore:\n%s", after, before)
	}
}

func TestBytesThatChangeBetweenPlanAndApplyAreRefused(t *testing.T) {
	p := newPlace(t)
	before := p.files(t)
	plan, err := p.PlanAdd(context.Background(), request(t, "acme/kit", "pdf"))
	if err != nil {
		t.Fatal(err)
	}
	p.shelf["https://github.com/acme/kit"]["skills/pdf/run.sh"].Data = []byte("#!/bin/sh\nrm -rf ~\n")
	var refused *install.Error
	if err := p.Apply(context.Background(), plan); !errors.As(err, &refused) || refused.Code() != "integrity" || refused.ExitStatus() != 4 {
		t.Errorf("error %v, want integrity, exit 4", err)
	}
	if after := p.files(t); after != before {
		t.Errorf("the project changed:\n%s", after)
	}
}

func TestAChangeWaitsForAnotherProcess(t *testing.T) {
	p := newPlace(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	locks, err := filepath.Glob(filepath.Join(p.home, "cache", "locks", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks %q, error %v", locks, err)
	}
	other := flock.New(locks[0])
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatalf("lock held %v, error %v", held, err)
	}
	plan, err := p.PlanAdd(context.Background(), request(t, "acme/kit", "notes"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Installed(context.Background()); err != nil {
		t.Errorf("reading waits or fails: %v", err)
	}
	done := make(chan error)
	go func() { done <- p.Apply(context.Background(), plan) }()
	<-p.waiting
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("after waiting: %v", err)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	p := newPlace(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	locks, _ := filepath.Glob(filepath.Join(p.home, "cache", "locks", "*.lock"))
	other := flock.New(locks[0])
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatalf("lock held %v, error %v", held, err)
	}
	defer other.Close()
	plan, err := p.PlanAdd(context.Background(), request(t, "acme/kit", "notes"))
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() { <-p.waiting; cancel(cause) }()
	if err := p.Apply(ctx, plan); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
}

func TestASecondAddWritesNothing(t *testing.T) {
	p := newPlace(t)
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	before := p.files(t)
	info, err := os.Stat(filepath.Join(p.dir, "skills.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.add(t, request(t, "acme/kit", "pdf", "notes")); got["pdf"] != install.Unchanged || got["notes"] != install.Unchanged {
		t.Errorf("actions %v, want unchanged", got)
	}
	again, err := os.Stat(filepath.Join(p.dir, "skills.lock"))
	if err != nil || !os.SameFile(info, again) || p.files(t) != before {
		t.Errorf("something was written: %v\n%s", err, p.files(t))
	}
}

func TestFilesThatAreThereWithTheVeryBytesAreAdopted(t *testing.T) {
	p := newPlace(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	for _, name := range []string{"skills.lock", "skills.toml"} {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.add(t, request(t, "acme/kit", "pdf")); got["pdf"] != install.Added {
		t.Errorf("actions %v, want added", got)
	}
	all, err := p.Installed(context.Background())
	if err != nil || len(all) != 1 || all[0].State != install.StateOK {
		t.Errorf("installed %+v, error %v", all, err)
	}
}

func TestNamesThatAreOneDirectorySomewhereAreAConflict(t *testing.T) {
	p := newPlace(t)
	p.shelf["https://github.com/acme/kit"]["more/a/SKILL.md"] = skill("PDF", "Shout.")
	p.add(t, request(t, "acme/kit", "skills/pdf"))
	plan, err := p.PlanAdd(context.Background(), request(t, "acme/kit", "more/a"))
	if err != nil {
		t.Fatal(err)
	}
	var refused *install.Error
	if !errors.As(plan.Err(), &refused) || refused.Code() != "conflict" {
		t.Errorf("error %v, want a conflict", plan.Err())
	}
}

func TestForceKeepsWhatItReplaces(t *testing.T) {
	p := newPlace(t)
	mine := filepath.Join(p.dir, ".agents", "skills", "pdf", "mine.md")
	for i := 1; i <= 2; i++ {
		if err := errors.Join(os.MkdirAll(filepath.Dir(mine), 0o755), os.WriteFile(mine, []byte("mine"), 0o644)); err != nil {
			t.Fatal(err)
		}
		r := request(t, "acme/kit", "pdf")
		r.Force = true
		p.add(t, r)
		kept := filepath.Join(p.dir, ".agents", ".skills-backup", fmt.Sprintf("pdf.%d", i), "mine.md")
		if data, err := os.ReadFile(kept); err != nil || string(data) != "mine" {
			t.Errorf("backup %d: %q, %v", i, data, err)
		}
		if _, err := os.Stat(mine); err == nil {
			t.Errorf("%s is still there", mine)
		}
	}
}

func TestTwoPlacesOfOneNameAreSaid(t *testing.T) {
	p := newPlace(t)
	p.shelf["https://github.com/other/pack"] = fstest.MapFS{"SKILL.md": skill("pdf", "Another.")}
	r := request(t, "acme/kit", "pdf")
	r.Sources = append(r.Sources, request(t, "other/pack").Sources...)
	plan, err := p.PlanAdd(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var refused *install.Error
	if !errors.As(plan.Err(), &refused) || refused.Code() != "conflict" || !strings.Contains(refused.Error(), "acme/kit") || !strings.Contains(refused.Error(), "other/pack") {
		t.Errorf("error %v, want a conflict that names both", plan.Err())
	}
}

func TestEveryPlaceThatIsReplacedHasItsOwnBackup(t *testing.T) {
	p := newPlace(t)
	for _, dir := range []string{".agents/skills/pdf", ".claude/skills/pdf"} {
		file := filepath.Join(p.dir, filepath.FromSlash(dir), "mine.md")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(dir), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r := request(t, "acme/kit", "pdf")
	r.Force = true
	p.add(t, r)
	kept, err := filepath.Glob(filepath.Join(p.dir, ".agents", ".skills-backup", "pdf.*", "mine.md"))
	if err != nil || len(kept) != 2 {
		t.Errorf("backups %q, error %v; want both", kept, err)
	}
}
