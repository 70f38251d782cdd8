package fetch_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

func TestSkillByItsPageIsThreeRequestsAndThenNone(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	rev := resolve(t, c, "github.com/acme/skills/tree/main/skills/pdf")
	requests(t, forge, 1)
	tree := fetchTree(t, c, rev)
	requests(t, forge, 1)
	load(t, tree, "skills/pdf/SKILL.md") // brings the directory whole: it is what was named
	requests(t, forge, 1)
	load(t, tree, "skills/pdf")
	if got, want := listing(t, tree.FS(), "."), gitListing(t, forge.Repo(acmeName).GitDir(), "main", "skills/pdf"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	again := fetchTree(t, newClient(t, forge, in(t, dir)), rev)
	load(t, again, "skills/pdf")
	requests(t, forge, 0)
}

func TestPinnedCommitIsTwoRequests(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := newClient(t, forge)
	rev := resolve(t, c, "github.com/acme/skills/tree/"+forge.Repo(acmeName).ID("main")+"/skills/pdf")
	tree := fetchTree(t, c, rev)
	load(t, tree, "skills/pdf/SKILL.md")
	load(t, tree, "skills/pdf")
	requests(t, forge, 2)
}

func TestSkillByItsPageIsThreeRequestsWhereTreesAreFilteredByDepth(t *testing.T) {
	forge := fetchtest.New(t, strings.ReplaceAll(acme, "github.com", "gitlab.com")) // where that is usual
	forge.Repo("gitlab.com/acme/skills").Set(fetchtest.Settings{Filter: "all"})
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://gitlab.com/acme/skills/-/tree/main/skills/pdf"))
	load(t, tree, "skills/pdf/SKILL.md")
	load(t, tree, "skills/pdf")
	log := forge.Requests()
	if want := "filter combine:blob:none+tree:3"; len(log) < 2 || !slices.Contains(log[1].Arguments, want) {
		t.Errorf("no %q in %+v", want, log)
	}
	requests(t, forge, 3)
	if got, want := listing(t, tree.FS(), "."), gitListing(t, forge.Repo("gitlab.com/acme/skills").GitDir(), "main", "skills/pdf"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRefusedFilterIsRememberedForTheHost(t *testing.T) {
	forge := fetchtest.New(t, strings.ReplaceAll(acme, "github.com", "gitlab.com"))
	c := newClient(t, forge) // the forge takes blob:none, but no combine
	fetchTree(t, c, resolve(t, c, "https://gitlab.com/acme/skills/-/tree/main/skills/pdf"))
	requests(t, forge, 3)
	forge.Add("-- @repo gitlab.com/acme/skills --\n-- skills/pdf/SKILL.md --\nchanged\n")
	fetchTree(t, c, resolve(t, c, "https://gitlab.com/acme/skills/-/tree/main/skills/pdf"))
	requests(t, forge, 2)
}

func TestManySkillsAreOneRequestForManifestsAndOneForDirectories(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "acme/skills"))
	requests(t, forge, 2)
	load(t, tree, "skills/pdf/SKILL.md", "skills/docx/SKILL.md")
	requests(t, forge, 1)
	if _, err := fs.ReadFile(tree.FS(), "skills/pdf/sub/notes.md"); !errors.Is(err, fetch.ErrNotLoaded) {
		t.Errorf("what was not asked for: %v", err)
	}
	load(t, tree, "skills/pdf", "skills/docx")
	requests(t, forge, 1)
	load(t, tree, "skills/pdf", "skills/docx", "skills/pdf/SKILL.md")
	requests(t, forge, 0)
}

func TestLockedTreesAreOneRequest(t *testing.T) {
	forge := fetchtest.New(t, acme)
	repo := forge.Repo(acmeName)
	dir := t.TempDir()
	trees := map[string]string{"skills/pdf": repo.ID("main:skills/pdf"), "skills/docx": repo.ID("main:skills/docx")}
	for _, want := range []int{1, 0} {
		c := newClient(t, forge, in(t, dir))
		tree, err := c.FetchTrees(context.Background(), locate(t, "acme/skills"), trees)
		if err != nil {
			t.Fatal(err)
		}
		load(t, tree, "skills/pdf", "skills/docx")
		got := listing(t, tree.FS(), ".")
		if want := gitListing(t, repo.GitDir(), "main", "skills"); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		requests(t, forge, want)
	}
}

func TestLockedTreeThatIsGoneComesFromItsCommitOrIsAnError(t *testing.T) {
	forge := fetchtest.New(t, acme)
	repo := forge.Repo(acmeName)
	pdf, commit := repo.ID("main:skills/pdf"), repo.ID("main")
	for name, test := range map[string]struct {
		text, tree string
		wants      string
		code       fetch.Code
	}{
		"by commit":           {"acme/skills#" + commit, pdf, "commits", ""},
		"no commit":           {"acme/skills", pdf, "commits", fetch.NotFound},
		"another tree":        {"acme/skills#" + commit, strings.Repeat("1", 40), "any", fetch.NotFound},
		"another, no commit":  {"acme/skills", strings.Repeat("1", 40), "any", fetch.NotFound},
		"no id":               {"acme/skills", "pdf", "any", fetch.NotFound},
		"commit that is gone": {"acme/skills#" + strings.Repeat("2", 40), strings.Repeat("1", 40), "any", fetch.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			repo.Set(fetchtest.Settings{Wants: test.wants})
			dir := t.TempDir()
			c := newClient(t, forge, in(t, dir))
			tree, err := c.FetchTrees(context.Background(), locate(t, test.text), map[string]string{"skills/pdf": test.tree})
			if test.code != "" {
				code(t, err, test.code)
			} else if err != nil {
				t.Fatal(err)
			} else if got := read(t, tree, "skills/pdf/sub/notes.md"); got != "Notes.\n" {
				t.Errorf("content %q", got)
			}
			sane(t, dir)
		})
	}
}

func TestUpdateCheckIsOneRequestAndOneMoreWhenTheTipMoved(t *testing.T) {
	forge := fetchtest.New(t, acme)
	repo := forge.Repo(acmeName)
	c := newClient(t, forge)
	rev := resolve(t, c, "acme/skills")
	known := map[string]string{"skills/pdf": repo.ID("main:skills/pdf"), "skills/docx": repo.ID("main:skills/docx")}
	changed(t, c, rev, known, rev.Commit, nil)
	requests(t, forge, 2)

	forge.Add("-- @repo github.com/acme/skills --\n-- README.md --\nMore.\n")
	changed(t, c, rev, known, repo.ID("main"), nil)
	requests(t, forge, 3) // the question about combine, which is asked once
	forge.Add("-- @repo github.com/acme/skills --\n-- skills/docx/SKILL.md delete --\n-- skills/pdf/new.md --\nNew.\n")
	pdf := repo.ID("main:skills/pdf")
	changed(t, c, rev, known, repo.ID("main"), map[string]string{"skills/pdf": pdf, "skills/docx": ""})
	requests(t, forge, 2)
	changed(t, c, rev, known, repo.ID("main"), map[string]string{"skills/pdf": pdf, "skills/docx": ""})
	requests(t, forge, 1)
}

func changed(t *testing.T, c *fetch.Client, rev source.Revision, known map[string]string, commit string, want map[string]string) {
	t.Helper()
	newest, got, err := c.Changed(context.Background(), rev, known)
	if err != nil {
		t.Fatal(err)
	}
	if newest.Commit != commit || len(got) != len(want) {
		t.Errorf("commit %s, changed %v; want %s, %v", newest.Commit, got, commit, want)
	}
	for path, id := range want {
		if got[path] != id {
			t.Errorf("%s is %q now, want %q", path, got[path], id)
		}
	}
}

func TestUpdateCheckBringsNoContentAndFewTreesWhereThatIsTaken(t *testing.T) {
	forge := fetchtest.New(t, acme)
	repo := forge.Repo(acmeName)
	repo.Set(fetchtest.Settings{Filter: "all"})
	c := newClient(t, forge)
	rev := resolve(t, c, "acme/skills")
	rev.Commit = strings.Repeat("0", 40) // as if it had moved
	changed(t, c, rev, map[string]string{"skills/pdf": "x"}, repo.ID("main"), map[string]string{"skills/pdf": repo.ID("main:skills/pdf")})
	log := forge.Requests()
	if last := log[len(log)-1]; !slices.Contains(last.Arguments, "filter combine:blob:none+tree:2") {
		t.Errorf("arguments %q", last.Arguments)
	}
	forge.Reset()
	changed(t, newClient(t, forge), rev, map[string]string{"": "x"}, repo.ID("main"), map[string]string{"": repo.ID("main^{tree}")})
	log = forge.Requests()
	if last := log[len(log)-1]; !slices.Contains(last.Arguments, "filter tree:0") {
		t.Errorf("arguments %q", last.Arguments)
	}
}

func TestPinnedCommitCannotHaveChanged(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := newClient(t, forge)
	rev := resolve(t, c, "acme/skills#"+forge.Repo(acmeName).ID("main"))
	changed(t, c, rev, map[string]string{"skills/pdf": "x"}, rev.Commit, nil)
	requests(t, forge, 0)
	if _, _, err := c.Changed(context.Background(), resolve(t, c, "./dir"), nil); err == nil {
		t.Error("a directory was asked whether it changed")
	}
}

func TestCallsForOneRepositoryShareTheirRequests(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	rev := resolve(t, c, "acme/skills")
	requests(t, forge, 1)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			tree, err := c.Fetch(context.Background(), rev)
			if err == nil {
				err = tree.Load(context.Background(), "skills")
			}
			if err != nil {
				t.Error(err)
				return
			}
			if data, err := fs.ReadFile(tree.FS(), "skills/pdf/run.sh"); err != nil || string(data) != "#!/bin/sh\n" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
	group.Wait()
	requests(t, forge, 2)
	sane(t, dir)
}

func TestTwoProcessesShareAStore(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 4 {
		c := newClient(t, forge, in(t, dir))
		group.Go(func() {
			rev, err := c.Resolve(context.Background(), locate(t, "acme/skills"))
			if err != nil {
				t.Error(err)
				return
			}
			tree, err := c.Fetch(context.Background(), rev)
			if err == nil {
				err = tree.Load(context.Background(), "skills", "README.md")
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	sane(t, dir)
	forge.Reset()
	c := newClient(t, forge, in(t, dir), offline)
	tree := fetchTree(t, c, resolve(t, c, "acme/skills#"+forge.Repo(acmeName).ID("main")))
	load(t, tree, ".")
	requests(t, forge, 0)
}

func TestWantsAreTreesWhereMostOfThemIsMissing(t *testing.T) {
	forge := fetchtest.New(t, acme)
	repo := forge.Repo(acmeName)
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "acme/skills"))
	forge.Reset()
	load(t, tree, "skills/docx", "skills/pdf/sub", "skills/pdf/SKILL.md", "skills/pdf/sub/notes.md")
	log := forge.Requests()
	var wants []string
	for _, a := range log[0].Arguments {
		if id, ok := strings.CutPrefix(a, "want "); ok {
			wants = append(wants, id)
		}
	}
	want := []string{repo.ID("main:skills/docx"), repo.ID("main:skills/pdf/SKILL.md"), repo.ID("main:skills/pdf/sub")}
	slices.Sort(wants)
	slices.Sort(want)
	if !slices.Equal(wants, want) {
		t.Errorf("wants %q, want %q", wants, want)
	}
}

func TestWhatAnotherProcessFetchedMeanwhileIsNotFetchedAgain(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	first, second := newClient(t, forge, in(t, dir)), newClient(t, forge, in(t, dir))
	rev := resolve(t, first, "acme/skills")
	if again := resolve(t, second, "acme/skills"); again.Commit != rev.Commit { // opens the repository
		t.Fatalf("commit %s, want %s", again.Commit, rev.Commit)
	}
	load(t, fetchTree(t, first, rev), "skills")
	requests(t, forge, 4)
	tree := fetchTree(t, second, rev)
	load(t, tree, "skills")
	requests(t, forge, 0)
	if got := read(t, tree, "skills/pdf/run.sh"); got != "#!/bin/sh\n" {
		t.Errorf("content %q", got)
	}
}
