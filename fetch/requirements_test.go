package fetch_test

import (
	"context"
	"errors"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

// What a host answers and what it means: the kinds of SkillKit and of zidane. Where git is refused the archive is tried; only when that
// fails too is it said what was the matter.
func TestAnswersByTheirRequirements(t *testing.T) {
	answer := func(host string, status int, header ...string) fetchtest.Fault {
		return fetchtest.Fault{Host: host, Do: fetchtest.Answer(status, "", header...)}
	}
	spent, left := []string{"X-RateLimit-Remaining", "0", "Retry-After", "3600"}, []string{"X-RateLimit-Remaining", "12"}
	for _, c := range []struct {
		id     string
		source string
		faults []fetchtest.Fault
		code   fetch.Code // "" for success
		status int
	}{
		{"S4-31 as it should be", "acme/skills", nil, "", 0},
		{"S4-31 limited, then the archive", "acme/skills", []fetchtest.Fault{answer("github.com", 403, spent...)}, "", 0},
		{"S4-31 limited, archive 404", "acme/skills", []fetchtest.Fault{answer("github.com", 403, spent...), answer("codeload.github.com", 404)}, fetch.RateLimited, 403},
		{"S4-31 limited, archive 429", "acme/skills", []fetchtest.Fault{answer("github.com", 429, spent...), answer("codeload.github.com", 429, spent...)}, fetch.RateLimited, 429},
		{"S4-31 no repository", "acme/nothing", nil, fetch.NotFound, 401},
		{"S4-31 no such folder", "acme/skills/nope", nil, fetch.NotFound, 0},
		{"S0-22 no requests left", "acme/skills", []fetchtest.Fault{answer("", 403, spent...)}, fetch.RateLimited, 403},
		{"S0-22 some requests left", "acme/skills", []fetchtest.Fault{answer("", 403, left...)}, fetch.Forbidden, 403},
		{"S0-22 another status", "acme/skills", []fetchtest.Fault{answer("", 500)}, fetch.Failed, 500},
	} {
		t.Run(c.id, func(t *testing.T) {
			forge := fetchtest.New(t, acme)
			for _, fault := range c.faults {
				forge.Fault(fault)
			}
			client := newClient(t, forge)
			rev, err := client.Resolve(context.Background(), locate(t, c.source))
			var tree *fetch.Tree
			if err == nil {
				tree, err = client.Fetch(context.Background(), rev)
			}
			if err == nil {
				err = tree.Load(context.Background(), "skills/pdf")
			}
			if c.code == "" {
				if err != nil || read(t, tree, "skills/pdf/run.sh") != "#!/bin/sh\n" {
					t.Errorf("error is %v", err)
				}
				return
			}
			if e := code(t, err, c.code); e.Status != c.status || e.Kind == fetch.RateLimited && (e.Host != "github.com" || e.Reset.IsZero()) {
				t.Errorf("error is %+v", e)
			}
		})
	}
}

// A listing that is none is an error of the fetcher, and nothing is asked of the API of the host for a skill.
func TestListingsByTheirRequirements(t *testing.T) {
	for _, body := range []string{"not json", "[]", `{"tree":"x"}`} {
		t.Run("S2-31 "+body, func(t *testing.T) {
			forge := fetchtest.New(t, acme)
			rev := resolve(t, newClient(t, forge), "acme/skills")
			forge.Fault(fetchtest.Fault{Do: fetchtest.Answer(200, body)})
			_, err := newClient(t, forge).Fetch(context.Background(), rev)
			if e := (*fetch.Error)(nil); !errors.As(err, &e) {
				t.Errorf("error is %v", err)
			}
		})
	}
	t.Run("S2-31", func(t *testing.T) {
		forge := fetchtest.New(t, acme, "-- @repo github.com/acme/skills --\n-- skills/pdf-x/b.md --\nb\n")
		client := newClient(t, forge)
		tree := fetchTree(t, client, resolve(t, client, "https://github.com/acme/skills/tree/main/skills/pdf"))
		load(t, tree, "skills/pdf")
		for _, r := range forge.Requests() {
			if r.Host != "github.com" {
				t.Errorf("asked was %s%s", r.Host, r.Path)
			}
		}
		requests(t, forge, 3)
		if got, want := listing(t, tree.FS(), "."), gitListing(t, forge.Repo(acmeName).GitDir(), "main", "skills/pdf"); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	t.Run("S0-22 two entries", func(t *testing.T) { // the default branch and a tag, each fetched once
		forge := fetchtest.New(t, acme, "-- @repo github.com/acme/skills --\n-- @commit next --\n-- README.md --\nChanged.\n")
		dir := t.TempDir()
		client := newClient(t, forge, in(t, dir))
		head, tag := resolve(t, client, "acme/skills"), resolve(t, client, "acme/skills#v1")
		if head.Commit == tag.Commit {
			t.Fatal("they are one")
		}
		for _, rev := range []struct {
			fetch.Resolution
			text string
		}{{fetch.Resolution{Revision: head}, "Changed.\n"}, {fetch.Resolution{Revision: tag}, "Read me.\n"}} {
			tree := fetchTree(t, client, rev.Revision)
			load(t, tree, "README.md")
			if got := read(t, tree, "README.md"); got != rev.text {
				t.Errorf("%s has %q", rev.Revision.Commit, got)
			}
		}
		forge.Reset()
		again := newClient(t, forge, in(t, dir))
		for _, commit := range []string{head.Commit, tag.Commit} {
			tree := fetchTree(t, again, resolve(t, again, "acme/skills#"+commit))
			load(t, tree, "README.md")
		}
		requests(t, forge, 0)
	})
}

// Names that move, and names that are two things.
func TestRefsByTheirRequirements(t *testing.T) {
	const more = "-- @repo github.com/acme/skills --\n-- @commit next --\n-- README.md --\nChanged.\n"
	t.Run("3.9-16", func(t *testing.T) {
		forge := fetchtest.New(t, acme)
		client := newClient(t, forge)
		rev := resolve(t, client, "acme/skills")
		forge.Add(more)
		tree := fetchTree(t, client, rev)
		load(t, tree, "README.md")
		if read(t, tree, "README.md") != "Read me.\n" || rev.Commit == forge.Repo(acmeName).ID("main") {
			t.Errorf("%+v has %q", rev, read(t, tree, "README.md"))
		}
	})
	t.Run("3.9-17", func(t *testing.T) {
		forge := fetchtest.New(t, acme, "-- @repo github.com/acme/skills --\n-- @branch v1 --\n-- @commit next --\n-- README.md --\nOf the branch.\n")
		rev := resolve(t, newClient(t, forge), "https://github.com/acme/skills/tree/v1")
		if n := rev.Locator.Notes; rev.Ref != "refs/heads/v1" || rev.Commit != forge.Repo(acmeName).ID("refs/heads/v1") || len(n) != 1 || n[0].Code != "ambiguous_ref" {
			t.Errorf("%+v", rev)
		}
	})
	t.Run("3.9-18", func(t *testing.T) {
		forge := fetchtest.New(t, acme, "-- @repo github.com/acme/skills head=trunk --\n-- @branch trunk --\n-- @commit next --\n-- README.md --\nOf the trunk.\n")
		rev := resolve(t, newClient(t, forge), "acme/skills")
		if rev.Ref != "refs/heads/trunk" || rev.Commit != forge.Repo(acmeName).ID("refs/heads/trunk") {
			t.Errorf("%+v", rev)
		}
	})
}
