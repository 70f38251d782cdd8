package fetch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"skills/fetch"
	"skills/fetch/credential"
	"skills/fetch/fetchtest"
	"skills/source"
)

// branches has every kind of ref that a text may mean.
const branches = `
-- @repo github.com/acme/refs --
-- a.md --
one
-- @tag v1.0.0 --
-- @tag pkg/v1 --
-- @commit two --
-- a.md --
two
-- @tag v1.2.0 --
An annotated tag.
-- @tag v2.0.0-rc.1 --
-- @branch feature/x --
-- a.md --
feature
-- @branch both main --
-- a.md --
branch
-- @branch main --
-- a.md --
three
-- @tag both --
-- @ref refs/pull/7/head --
`

func TestResolveFindsTheCommitOfARef(t *testing.T) {
	forge := fetchtest.New(t, branches)
	repo := forge.Repo("github.com/acme/refs")
	c := newClient(t, forge)
	for text, want := range map[string]struct{ ref, revision, path string }{
		"acme/refs":                                                 {"refs/heads/main", "main", ""},
		"github.com/acme/refs/tree/HEAD/dir":                        {"refs/heads/main", "main", "dir"},
		"acme/refs#main":                                            {"refs/heads/main", "main", ""},
		"acme/refs#v1.0.0":                                          {"refs/tags/v1.0.0", "v1.0.0", ""},
		"acme/refs#v1.2.0":                                          {"refs/tags/v1.2.0", "v1.2.0^{commit}", ""},
		"acme/refs#^1.0":                                            {"refs/tags/v1.2.0", "v1.2.0^{commit}", ""},
		"acme/refs#~1.0.0":                                          {"refs/tags/v1.0.0", "v1.0.0", ""},
		"acme/refs#both":                                            {"refs/heads/both", "refs/heads/both", ""},
		"acme/refs#refs/tags/both":                                  {"refs/tags/both", "refs/tags/both", ""},
		"github.com/acme/refs/tree/main/skills/pdf":                 {"refs/heads/main", "main", "skills/pdf"},
		"github.com/acme/refs/tree/feature/x/skills/pdf":            {"refs/heads/feature/x", "feature/x", "skills/pdf"},
		"github.com/acme/refs/tree/feature%2Fx/skills":              {"refs/heads/feature/x", "feature/x", "skills"},
		"github.com/acme/refs/tree/pkg/v1/skills":                   {"refs/tags/pkg/v1", "pkg/v1", "skills"},
		"github.com/acme/refs/tree/refs/heads/feature/x/skills":     {"refs/heads/feature/x", "feature/x", "skills"},
		"github.com/acme/refs/releases/tag/v1.0.0":                  {"refs/tags/v1.0.0", "v1.0.0", ""},
		"github.com/acme/refs/pull/7":                               {"refs/pull/7/head", "main", ""},
		"github.com/acme/refs/tree/" + repo.ID("v1.0.0") + "/x":     {"", "v1.0.0", "x"},
		"github.com/acme/refs/tree/" + repo.ID("main")[:9] + "/x":   {"", "main", "x"},
		"acme/refs#" + strings.ToUpper(repo.ID("feature/x")[:12]):   {"", "feature/x", ""},
		"acme/refs@pdf":                                             {"refs/heads/main", "main", ""},
		"https://github.com/acme/refs/archive/refs/tags/v1.0.0.zip": {"refs/tags/v1.0.0", "v1.0.0", ""},
	} {
		rev, err := c.Resolve(context.Background(), locate(t, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		l := rev.Locator
		if rev.Ref != want.ref || rev.Commit != repo.ID(want.revision) || l.Path != want.path || l.Ambiguous || l.SkillOrRef {
			t.Errorf("%s: ref %s, commit %s, path %q; want %s, %s, %q", text, rev.Ref, rev.Commit, l.Path, want.ref, repo.ID(want.revision), want.path)
		}
	}
}

func TestAbbreviatedCommitThatNoRefNamesIsAskedOfTheAPI(t *testing.T) {
	forge := fetchtest.New(t, branches, "-- @repo github.com/acme/refs --\n-- b.md --\nmore\n")
	old := forge.Repo("github.com/acme/refs").ID("main^")
	forge.Add("-- @repo github.com/acme/refs --\n-- @tag both --\n-- @delete refs/tags/both --\n-- @delete refs/pull/7/head --\n")
	c := newClient(t, forge)
	rev := resolve(t, c, "acme/refs#"+old[:10])
	if rev.Commit != old {
		t.Errorf("commit %s, want %s", rev.Commit, old)
	}
	_, err := c.Resolve(context.Background(), locate(t, "acme/refs#0123abc"))
	code(t, err, fetch.NotFound)
	forge.SetQuota(0, time.Now().Add(time.Hour))
	_, err = c.Resolve(context.Background(), locate(t, "acme/refs#0123abc"))
	if e := code(t, err, fetch.RateLimited); time.Until(e.Reset) < 50*time.Minute {
		t.Errorf("reset %v", e.Reset)
	}
}

func TestUnknownRefNamesWhatIsNear(t *testing.T) {
	forge := fetchtest.New(t, branches)
	c := newClient(t, forge)
	for text, near := range map[string]string{
		"acme/refs#mian":   "main",
		"acme/refs#v1.0.1": "v1.0.0",
		"github.com/acme/refs/tree/feature/y/skills": "feature/x",
		"acme/refs#^7": "",
	} {
		_, err := c.Resolve(context.Background(), locate(t, text))
		var e *source.Error
		if !errors.As(err, &e) || e.Kind != "not_found" || !strings.Contains(strings.Join(e.Hints(), " "), near) {
			t.Errorf("%s: %v, hints %v; want not_found near %q", text, err, e, near)
		}
	}
}

func TestEmptyRepositoryIsSaidToBeEmpty(t *testing.T) {
	forge := fetchtest.New(t, "-- @repo github.com/acme/empty --\n")
	_, err := newClient(t, forge).Resolve(context.Background(), locate(t, "acme/empty"))
	if e := code(t, err, fetch.NotFound); !strings.Contains(e.Error(), "empty") {
		t.Errorf("%q does not say so", e)
	}
}

func TestRenamedRepositoryIsFollowed(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Repo(acmeName).Set(fetchtest.Settings{Formerly: "github.com/old/name"})
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "github.com/old/name/tree/main/skills/pdf"))
	load(t, tree, "skills/pdf")
	if got := read(t, tree, "skills/pdf/sub/notes.md"); got != "Notes.\n" {
		t.Errorf("content %q", got)
	}
	requests(t, forge, 4) // the redirect is met once
}

func TestUnknownAndPrivateRepositoriesLookTheSame(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "secret"})
	for _, text := range []string{"acme/skills", "acme/nothing"} {
		_, err := newClient(t, forge).Resolve(context.Background(), locate(t, text))
		e := code(t, err, fetch.NotFound)
		if !strings.Contains(e.Error(), "private") || !strings.Contains(strings.Join(e.Hints(), " "), "token") {
			t.Errorf("%s: %q, hints %q", text, e, e.Hints())
		}
	}
}

func TestPrivateRepositoryOpensWithItsToken(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "secret"})
	asked := 0
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Credential = func(context.Context, credential.Request) (fetch.Credential, error) {
			asked++
			return fetch.Credential{User: "x-access-token", Password: "secret"}, nil
		}
	})
	tree := fetchTree(t, c, resolve(t, c, "github.com/acme/skills/tree/main/skills/pdf"))
	load(t, tree, "skills/pdf")
	if got := read(t, tree, "skills/pdf/sub/notes.md"); got != "Notes.\n" {
		t.Errorf("content %q", got)
	}
	log := forge.Requests()
	if log[0].Authorized || !log[1].Authorized || !log[3].Authorized {
		t.Errorf("the first request must be anonymous, the others not: %+v", log)
	}
	requests(t, forge, 4)
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestWrongTokenIsAnErrorWithoutTheToken(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "secret"})
	var events []fetch.Event
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Event = func(e fetch.Event) { events = append(events, e) }
		config.Credential = func(context.Context, credential.Request) (fetch.Credential, error) {
			return fetch.Credential{User: "u", Password: "wrong-one"}, nil
		}
	})
	_, err := c.Resolve(context.Background(), locate(t, "acme/skills"))
	e := code(t, err, fetch.NotFound)
	if text := e.Error() + strings.Join(e.Hints(), ""); strings.Contains(text, "wrong-one") {
		t.Errorf("the token is in %q", text)
	}
	for _, event := range events {
		if event.Err != nil && strings.Contains(event.Err.Error(), "wrong-one") {
			t.Errorf("the token is in %v", event.Err)
		}
	}
}

func TestFailingCredentialIsTheError(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "secret"})
	broken := errors.New("the keyring is locked")
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Credential = func(context.Context, credential.Request) (fetch.Credential, error) { return fetch.Credential{}, broken }
	})
	if _, err := c.Resolve(context.Background(), locate(t, "acme/skills")); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestHostsOfOnesOwnGetTheCredentialAtOnce(t *testing.T) {
	forge := fetchtest.New(t, strings.ReplaceAll(acme, "github.com", "plain.example"))
	forge.Repo("plain.example/acme/skills").Set(fetchtest.Settings{Token: "secret"})
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Credential = func(context.Context, credential.Request) (fetch.Credential, error) {
			return fetch.Credential{User: "u", Password: "secret"}, nil
		}
	})
	resolve(t, c, "https://plain.example/acme/skills.git")
	requests(t, forge, 1)
}

func TestHostThatHidesItsRefsGivesTheArchive(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Fault(fetchtest.Fault{Host: "github.com", Do: fetchtest.Answer(403, "no git here")})
	c := newClient(t, forge)
	rev := resolve(t, c, "github.com/acme/skills/tree/main/skills/pdf")
	if n := rev.Locator.Notes; rev.Commit != "" || len(n) != 1 || n[0].Code != "ref_unverified" {
		t.Errorf("revision %+v", rev)
	}
	tree := fetchTree(t, c, rev)
	repo := forge.Repo(acmeName)
	if got := tree.Revision(); got.Commit != repo.ID("main") || got.Tree != repo.ID("main^{tree}") {
		t.Errorf("revision %+v", got)
	}
	load(t, tree, "skills/pdf")
	if got, want := listing(t, tree.FS(), "."), gitListing(t, repo.GitDir(), "main", "skills/pdf"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAddressThatMayBeARepositoryIsAsked(t *testing.T) {
	forge := fetchtest.New(t, strings.ReplaceAll(acme, "github.com", "plain.example"), "-- @site files.example --\n-- index.html --\n<html>\n")
	c := newClient(t, forge)
	rev := resolve(t, c, "https://plain.example/acme/skills")
	if rev.Locator.Kind != source.Git || rev.Commit != forge.Repo("plain.example/acme/skills").ID("main") {
		t.Errorf("revision %+v", rev)
	}
	for text, want := range map[string]fetch.Code{"https://files.example": fetch.WrongContent, "https://files.example/no/repo": fetch.NotFound} {
		_, err := c.Resolve(context.Background(), locate(t, text))
		code(t, err, want)
	}
}
