package fetch_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

// The note says why the refs of a host were not shown.
func TestNoteOnHiddenRefsTellsTheTruth(t *testing.T) {
	for _, test := range []struct {
		name, text string
		fault      fetchtest.Action
		want       string
	}{
		{"C-28 a limit", "acme/skills", fetchtest.Answer(429, "slow down", "Retry-After", "3600"), "allows no more requests"},
		{"C-28 a limit for a ref", "acme/skills#main", fetchtest.Answer(429, "slow down", "Retry-After", "3600"), `"main"`},
		{"C-19 a refusal", "acme/skills", fetchtest.Answer(403, "no"), "does not show its refs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			forge := fetchtest.New(t, acme)
			forge.Fault(fetchtest.Fault{Host: "github.com", Do: test.fault})
			notes := resolve(t, newClient(t, forge), test.text).Locator.Notes
			if len(notes) != 1 || notes[0].Code != "ref_unverified" || !strings.Contains(notes[0].Message, test.want) {
				t.Errorf("notes %+v", notes)
			}
		})
	}
}

// No archive has the name of a range, so there is nothing to fall back to.
func TestRangesNeedTheRefs(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Fault(fetchtest.Fault{Host: "github.com", Do: fetchtest.Answer(429, "slow down", "Retry-After", "3600")})
	c, ctx := newClient(t, forge), context.Background()
	_, err := c.Resolve(ctx, locate(t, "acme/skills#^1"))
	code(t, err, fetch.RateLimited)
	code(t, c.ResolveAll(ctx, []source.Locator{locate(t, "acme/skills#^1")})[0].Err, fetch.RateLimited)
}

// What changed is told from the archive where refs are hidden.
func TestChangedOnAHostThatHidesItsRefs(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c, ctx, repo := newClient(t, forge), context.Background(), forge.Repo(acmeName)
	locked := resolve(t, c, "acme/skills")
	known := map[string]string{"skills/pdf": repo.ID("main:skills/pdf"), "skills/docx": repo.ID("main:skills/docx"), "gone": strings.Repeat("1", 40)}
	forge.Add("-- @repo " + acmeName + " --\n-- skills/pdf/more.md --\nMore.\n")
	forge.Fault(fetchtest.Fault{Host: "github.com", Do: fetchtest.Answer(429, "slow down", "Retry-After", "3600")})
	for range 2 {
		newest, changed, err := c.Changed(ctx, locked, known)
		if err != nil || newest.Commit != repo.ID("main") || newest.Tree != repo.ID("main^{tree}") {
			t.Fatalf("newest %+v, error %v", newest, err)
		}
		if gone, told := changed["gone"]; len(changed) != 2 || changed["skills/pdf"] != repo.ID("main:skills/pdf") || !told || gone != "" {
			t.Errorf("changed %v", changed)
		}
		locked.Commit = "" // as of a lock that was made while the refs were hidden
	}
}

// A call that ends with its context gives the cause of that.
func TestCausesOfTheContext(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := newClient(t, forge)
	rev := resolve(t, c, "acme/skills")
	tree := fetchTree(t, c, rev)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	l := locate(t, "acme/skills")
	for name, call := range map[string]func() error{
		"Resolve":    func() error { _, err := c.Resolve(ctx, l); return err },
		"site":       func() error { _, err := c.Resolve(ctx, locate(t, "https://plain.example/acme/skills")); return err },
		"package":    func() error { _, err := c.Resolve(ctx, locate(t, "npm:x")); return err },
		"ResolveAll": func() error { return c.ResolveAll(ctx, []source.Locator{l})[0].Err },
		"others":     func() error { return c.ResolveAll(ctx, []source.Locator{locate(t, "npm:x")})[0].Err },
		"Fetch":      func() error { _, err := newClient(t, forge).Fetch(ctx, rev); return err },
		"Load":       func() error { return tree.Load(ctx, "skills/pdf") },
		"FetchTrees": func() error {
			_, err := newClient(t, forge).FetchTrees(ctx, l, map[string]string{"skills/pdf": forge.Repo(acmeName).ID("main:skills/pdf")})
			return err
		},
		"Changed": func() error { _, _, err := c.Changed(ctx, rev, nil); return err },
	} {
		if err := call(); err != enough {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestNoClientWithAnError(t *testing.T) {
	c, err := fetch.New(fetch.Config{CA: []byte("junk")})
	if c != nil || err == nil {
		t.Errorf("client %v, error %v", c, err)
	}
}

// A host is the same with the usual port, and whatever the letter case.
func TestSettingsAreForTheHost(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Settings["GitHub.com:443"] = config.Settings["github.com"]
		delete(config.Settings, "github.com")
	})
	if rev := resolve(t, c, "acme/skills"); rev.Commit != forge.Repo(acmeName).ID("main") {
		t.Errorf("revision %+v", rev)
	}
}
