package install_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"skills/catalog"
	"skills/fetch"
	"skills/install"
	"skills/install/agents"
	"skills/source"
)

// history is a fetcher of sources that move: repositories with commits, and directories without.
type history struct {
	refs  map[string]string       // commits by "identity ref", the ref of the default branch being ""; digests by identity
	trees map[string]fstest.MapFS // by commit, or by identity
	asked []string                // what was asked for contents

	mutex  sync.Mutex
	counts int // how often anything was asked
}

// ask notes that something was asked, and for which contents.
func (h *history) ask(contents ...string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.counts++
	h.asked = append(h.asked, contents...)
}

const kit = "https://github.com/acme/kit"

// commitOf is a commit id of one digit.
func commitOf(digit string) string { return strings.Repeat(digit, 40) }

func (h *history) Resolve(_ context.Context, l source.Locator) (source.Revision, error) {
	h.ask()
	if l.Kind != source.Git {
		return source.Revision{Locator: l, Digest: h.refs[l.Source()]}, nil
	}
	commit, known := h.refs[l.Source()+" "+l.Ref]
	if len(l.Ref) == 40 {
		commit, known = l.Ref, true
	}
	if !known {
		return source.Revision{}, fmt.Errorf("%s has no ref %q", l.Source(), l.Ref)
	}
	full := "refs/heads/main"
	if l.Ref == "*" || strings.HasPrefix(l.Ref, "v") {
		full = "refs/tags/v" + commit[:1]
	}
	return source.Revision{Locator: l, Ref: full, Commit: commit}, nil
}

func (h *history) ResolveAll(ctx context.Context, locators []source.Locator) []fetch.Resolution {
	all := make([]fetch.Resolution, len(locators))
	for i, l := range locators {
		all[i].Revision, all[i].Err = h.Resolve(ctx, l)
	}
	return all
}

func (h *history) Fetch(_ context.Context, r source.Revision) (install.Tree, error) {
	h.ask()
	key := r.Commit
	if key == "" {
		key = r.Locator.Source()
	}
	files, known := h.trees[key]
	if !known {
		return nil, fmt.Errorf("%s is not there", key)
	}
	return &page{h, r, identified{files}}, nil
}

// FetchTrees looks for the trees in all commits.
func (h *history) FetchTrees(_ context.Context, l source.Locator, wanted map[string]string) (install.Tree, error) {
	found := fstest.MapFS{}
	for at, id := range wanted {
		h.ask(at)
		files := h.tree(id)
		if files == nil {
			return nil, fmt.Errorf("no tree %s", id)
		}
		for name, file := range files {
			found[strings.TrimPrefix(at+"/"+name, "/")] = file
		}
	}
	return &page{h, source.Revision{Locator: l}, identified{found}}, nil
}

// tree finds a directory of any commit by its id.
func (h *history) tree(id string) fstest.MapFS {
	for _, files := range h.trees {
		for name := range files {
			dir := strings.TrimSuffix(strings.TrimSuffix(name, "SKILL.md"), "/")
			if got, _ := (identified{files}).ObjectID(dir); got != id || !strings.HasSuffix(name, "SKILL.md") {
				continue
			}
			sub := fstest.MapFS{}
			for name, file := range files {
				if rest, inside := strings.CutPrefix(name, dir+"/"); inside {
					sub[rest] = file
				}
			}
			return sub
		}
	}
	return nil
}

// page is a tree of a history, which notes what is loaded.
type page struct {
	history  *history
	revision source.Revision
	files    identified
}

func (p *page) Revision() source.Revision { return p.revision }
func (p *page) FS() fs.FS                 { return p.files }
func (p *page) Load(_ context.Context, paths ...string) error {
	p.history.ask(paths...)
	return nil
}

// identified is files with git ids.
type identified struct{ fstest.MapFS }

func (f identified) ObjectID(name string) (string, bool) {
	id, err := catalog.TreeID(f.MapFS, name)
	return id, err == nil
}

// newHistory makes a project as newPlace does, with a kit of two commits: the first has the tag v1, the second is the default branch.
func newHistory(t testing.TB) (*place, *history) {
	t.Helper()
	first := fstest.MapFS{
		"skills/pdf/SKILL.md": skill("pdf", "Read."), "skills/pdf/run.sh": {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
		"skills/pdf/docs/a.md": {Data: []byte("one\ntwo\nthree\n")}, "skills/pdf/logo.png": {Data: []byte("\x89PNG\x00")},
		"skills/notes/SKILL.md": skill("notes", "Write."),
	}
	second := maps.Clone(first)
	second["skills/pdf/SKILL.md"] = skill("pdf", "Read twice.")
	h := &history{
		refs:  map[string]string{kit + " v1": commitOf("1"), kit + " ": commitOf("1"), kit + " main": commitOf("1")},
		trees: map[string]fstest.MapFS{commitOf("1"): first, commitOf("2"): second},
	}
	p := &place{dir: t.TempDir(), home: t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.home, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.Engine = engineIn(t, p, h)
	return p, h
}

// engineIn makes an engine for a place.
func engineIn(t testing.TB, p *place, fetcher install.Fetcher) *install.Engine {
	return engineWith(t, p, func(c *install.Config) { c.Fetcher = fetcher })
}

// engineWith makes an engine for a place with something else in its configuration.
func engineWith(t testing.TB, p *place, change func(*install.Config)) *install.Engine {
	t.Helper()
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	config := install.Config{
		Agents: agents.Default(), Environment: agents.Environment{Home: p.home, Project: p.dir, Exists: exists},
		Hosts: source.DefaultHosts(), Cache: filepath.Join(p.home, "cache"),
		Manifest: filepath.Join(p.dir, "skills.toml"), Lock: filepath.Join(p.dir, "skills.lock"),
	}
	change(&config)
	engine, err := install.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// move makes the second commit the newest one.
func (h *history) move() { h.refs[kit+" "], h.refs[kit+" main"] = commitOf("2"), commitOf("2") }

// path is a file of the project, with "/".
func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// write writes a file of the project, with its directories.
func (p *place) write(t testing.TB, name, text string) {
	t.Helper()
	file := p.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// read reads a file of the project.
func (p *place) read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// exampleEngine has the pdf skill of a kit installed in dir.
func exampleEngine(dir string) *install.Engine {
	engine, err := install.New(install.Config{
		Fetcher: &history{
			refs:  map[string]string{kit + " ": commitOf("1")},
			trees: map[string]fstest.MapFS{commitOf("1"): {"skills/pdf/SKILL.md": skill("pdf", "Read it.")}},
		},
		Agents: agents.Default(), Environment: agents.Environment{Home: filepath.Join(dir, "home"), Project: dir},
		Hosts: source.DefaultHosts(), Cache: filepath.Join(dir, "cache"),
		Manifest: filepath.Join(dir, "skills.toml"), Lock: filepath.Join(dir, "skills.lock"),
	})
	if err != nil {
		panic(err)
	}
	locator, err := source.Parse("acme/kit/skills/pdf", source.DefaultHosts())
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	plan, err := engine.PlanAdd(ctx, install.AddRequest{Sources: []install.SourceRequest{{Locator: locator}}})
	if err != nil {
		panic(err)
	}
	if err := engine.Apply(ctx, plan); err != nil {
		panic(err)
	}
	return engine
}
