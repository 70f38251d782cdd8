package fetch_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/fetch"
	"skills/fetch/credential"
	"skills/fetch/fetchtest"
)

// commands are the git commands, or else the hosts, of the requests since the last Reset.
func commands(forge *fetchtest.Forge) []string {
	var got []string
	for _, r := range forge.Requests() {
		if r.Command == "" {
			r.Command = r.Host
		}
		got = append(got, r.Command)
	}
	forge.Reset()
	return got
}

func TestWhatAServerDoesNotDoIsAskedOnce(t *testing.T) {
	for name, test := range map[string]struct {
		settings      fetchtest.Settings
		first, second []string
	}{
		"old protocol": {fetchtest.Settings{Protocol: "0"},
			[]string{"ls-refs", "info/refs", "info/refs", "upload-pack"}, []string{"info/refs", "upload-pack"}},
		"no filters": {fetchtest.Settings{Filter: "none"},
			[]string{"ls-refs", "fetch", "info/refs", "fetch"}, []string{"ls-refs", "fetch"}},
		"commits only": {fetchtest.Settings{Wants: "commits"},
			[]string{"ls-refs", "fetch", "fetch", "fetch"}, []string{"ls-refs", "fetch", "fetch"}},
	} {
		t.Run(name, func(t *testing.T) {
			forge := fetchtest.New(t, acme)
			forge.Repo(acmeName).Set(test.settings)
			dir := t.TempDir()
			for _, want := range [][]string{test.first, test.second} {
				c := newClient(t, forge, in(t, dir))
				if _, err := whole(context.Background(), c, t); err != nil {
					t.Fatal(err)
				}
				if got := commands(forge); !slices.Equal(got, want) {
					t.Errorf("requests %q, want %q", got, want)
				}
				forge.Add("-- @repo github.com/acme/skills --\n-- skills/pdf/SKILL.md --\nAnother.\n")
			}
		})
	}
}

func TestTreeThatIsGoneDoesNotMakeAServerOneThatGivesNone(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	_, err := c.FetchTrees(context.Background(), locate(t, "acme/skills"), map[string]string{"x": strings.Repeat("1", 40)})
	code(t, err, fetch.NotFound)
	if _, err := whole(context.Background(), c, t); err != nil {
		t.Fatal(err)
	}
	if facts := newStore(t, dir).Facts("git github.com"); facts["trees"] != "yes" {
		t.Errorf("facts %v", facts)
	}
}

// altered has attributes that make its archive another tree than the one in git.
const altered = `
-- @repo github.com/acme/altered --
-- .gitattributes --
skills/pdf/SKILL.md export-subst
skills/pdf/hidden.md export-ignore
-- skills/pdf/SKILL.md --
$Format:%H$
-- skills/pdf/hidden.md --
Hidden.
`

func TestArchiveThatAttributesChangedIsNotTakenForTheTree(t *testing.T) {
	forge := fetchtest.New(t, altered)
	repo := forge.Repo("github.com/acme/altered")
	want := gitListing(t, repo.GitDir(), "main", "skills")

	// The listing comes over git, then git gives nothing more: the archive cannot stand in.
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "acme/altered"))
	forge.Fault(fetchtest.Fault{Command: "fetch", Do: fetchtest.Answer(403, "")})
	if err := tree.Load(context.Background(), "skills"); err == nil {
		t.Error("an archive that differs was taken")
	}
	forge.Heal()
	load(t, tree, "skills")
	if got := listing(t, tree.FS(), "skills"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRateLimitIsSaidWhenNoOtherWayHelps(t *testing.T) {
	forge := fetchtest.New(t, acme)
	rev := resolve(t, newClient(t, forge), "acme/skills")
	reset := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	forge.Fault(fetchtest.Fault{Host: "github.com", Do: fetchtest.Answer(429, "", "Retry-After", "7200")})
	forge.Fault(fetchtest.Fault{Host: "codeload.github.com", Do: fetchtest.Answer(404, "")})
	_, err := newClient(t, forge).Fetch(context.Background(), rev)
	e := code(t, err, fetch.RateLimited)
	if e.Reset.Before(reset.Add(-time.Minute)) || e.Host != "github.com" || e.Status != 429 {
		t.Errorf("error %+v", e)
	}
}

func TestArchiveOfAnotherCommitIsRefused(t *testing.T) {
	forge := fetchtest.New(t, acme)
	other := git(t, forge.Repo(acmeName).GitDir(), "archive", "--format=tar.gz", "--prefix=skills-x/", "v1")
	forge.Add("-- @repo github.com/acme/skills --\n-- README.md --\nChanged.\n")
	rev := resolve(t, newClient(t, forge), "acme/skills")
	forge.Fault(fetchtest.Fault{Command: "fetch", Do: fetchtest.Answer(403, "")})
	forge.Fault(fetchtest.Fault{Host: "codeload.github.com", Do: fetchtest.Answer(200, other, "Content-Type", "application/x-gzip")})
	_, err := newClient(t, forge).Fetch(context.Background(), rev)
	code(t, err, fetch.Forbidden) // what git said; the archive was no help
}

func TestAPIOfAPrivateRepositoryGetsTheToken(t *testing.T) {
	forge := fetchtest.New(t, acme)
	old := forge.Repo(acmeName).ID("main")
	forge.Add("-- @repo github.com/acme/skills --\n-- @commit next --\n-- README.md --\nChanged.\n-- @delete refs/tags/v1 --\n")
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "secret"})
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Credential = func(context.Context, credential.Request) (fetch.Credential, error) {
			return fetch.Credential{User: "x-access-token", Password: "secret"}, nil
		}
	})
	if rev := resolve(t, c, "acme/skills#"+old[:12]); rev.Commit != old {
		t.Errorf("commit %s, want %s", rev.Commit, old)
	}
}

func TestSSHWithoutGitSaysSo(t *testing.T) {
	forge := fetchtest.New(t, acme)
	_, err := newClient(t, forge).Resolve(context.Background(), locate(t, "git@github.com:acme/skills.git"))
	e := code(t, err, fetch.Unsupported)
	if !strings.Contains(e.Error(), "git") || len(e.Hints()) == 0 {
		t.Errorf("%q, hints %q", e, e.Hints())
	}
}

func TestRepositoriesWithSHA256AreNotSupportedYet(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := newClient(t, forge)
	_, err := c.Fetch(context.Background(), resolve(t, c, "acme/skills#"+strings.Repeat("a", 64)))
	code(t, err, fetch.Unsupported)
}
