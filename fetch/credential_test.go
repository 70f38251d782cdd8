package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/credential"
	"skills/fetch/fetchtest"
)

// knowing gives passwords by host and keeps what was asked.
func knowing(asked *[]credential.Request, passwords map[string]string) func(*fetch.Config) {
	return func(config *fetch.Config) {
		config.Credential = func(_ context.Context, r credential.Request) (credential.Credential, error) {
			*asked = append(*asked, r)
			if passwords[r.Host] == "" {
				return credential.Credential{}, nil
			}
			return credential.Credential{User: "u", Password: passwords[r.Host], Token: true, From: "a test"}, nil
		}
	}
}

// visits lists the requests of a forge: host, and whether a credential came along.
func visits(forge *fetchtest.Forge) []string {
	var lines []string
	for _, r := range forge.Requests() {
		lines = append(lines, fmt.Sprintf("%s %v %d", r.Host, r.Authorized, r.Status))
	}
	return lines
}

// 3.10/12: neither the token of the one host nor that of the other goes where a redirect led.
func TestNoCredentialFollowsARedirectToAnotherHost(t *testing.T) {
	forge := fetchtest.New(t, strings.Replace(acme, "github.com", "gitlab.com", 1))
	forge.Repo("gitlab.com/acme/skills").Set(fetchtest.Settings{Formerly: "github.com/old/name", Token: "of gitlab"})
	var asked []credential.Request
	c := newClient(t, forge, knowing(&asked, map[string]string{"github.com": "of github", "gitlab.com": "of gitlab"}))
	for range 2 { // the second time the new place is known
		_, err := c.Resolve(t.Context(), locate(t, "https://github.com/old/name.git"))
		code(t, err, fetch.NotFound)
	}
	want := []string{"github.com false 301", "gitlab.com false 401", "gitlab.com false 401"}
	if got := visits(forge); !slices.Equal(got, want) || len(asked) > 0 {
		t.Errorf("requests %q, asked %v", got, asked)
	}
	resolve(t, c, "https://gitlab.com/acme/skills.git") // which names the host itself
}

// A host that shows GitHub's pages is another's. It is GitHub only in what a person pastes.
func TestNoCredentialGoesToAHostThatShowsThePagesOfAnother(t *testing.T) {
	const page = "---\nname: x\ndescription: Is there.\n---\n"
	for _, alias := range []string{"github1s.com", "github.dev", "www.github.com"} {
		forge := fetchtest.New(t, "-- @site site.example --\n-- "+formerPath+" redirect --\nhttps://"+alias+"/index.json\n",
			"-- @site "+alias+" --\n-- index.json --\n{\"skills\":[{\"name\":\"x\",\"description\":\"d\",\"files\":[\"SKILL.md\"]}]}\n-- x/SKILL.md --\n"+page)
		forge.Fault(fetchtest.Fault{Host: alias, Path: "SKILL.md", Do: fetchtest.Answer(http.StatusUnauthorized, "")})
		var asked []credential.Request
		c := newClient(t, forge, knowing(&asked, map[string]string{"github.com": "ghp_secret"}), func(config *fetch.Config) {
			config.Settings[alias] = fetch.HostSettings{Connect: forge.Addr(), CA: forge.CA()}
		})
		if err := fetchTree(t, c, resolve(t, c, "https://site.example")).Load(t.Context(), "x"); err == nil {
			t.Errorf("%s: no error", alias)
		}
		refused := false
		for _, r := range forge.Requests() {
			refused = refused || r.Host == alias && r.Status == http.StatusUnauthorized
			if r.Authorized {
				t.Errorf("%s%s got a credential", r.Host, r.Path)
			}
		}
		if !refused || slices.ContainsFunc(asked, func(r credential.Request) bool { return r.Host == "github.com" }) {
			t.Errorf("%s refused: %v, asked %v", alias, refused, asked)
		}
	}
}

func TestAQuotaThatIsUsedUpIsRaisedWithACredential(t *testing.T) {
	forge := fetchtest.New(t, acme)
	forge.Repo(acmeName).Set(fetchtest.Settings{Token: "good"})
	forge.Fault(fetchtest.Fault{Host: "github.com", Times: 1, Do: fetchtest.Answer(http.StatusTooManyRequests, "", "Retry-After", "3600")})
	var asked []credential.Request
	resolve(t, newClient(t, forge, knowing(&asked, map[string]string{"github.com": "good"})), "acme/skills")
	if got := visits(forge); !slices.Equal(got, []string{"github.com false 429", "github.com true 200"}) {
		t.Errorf("requests %q", got)
	}
}

func TestACredentialThatIsSpentDoesNotHideWhatIsPublic(t *testing.T) {
	forge := fetchtest.New(t, acme, strings.Replace(acme, acmeName, "github.com/acme/private", 1))
	forge.Repo("github.com/acme/private").Set(fetchtest.Settings{Token: "good"})
	var asked []credential.Request
	c := newClient(t, forge, knowing(&asked, map[string]string{"github.com": "spent"}))
	_, err := c.Resolve(t.Context(), locate(t, "acme/private"))
	if e := code(t, err, fetch.NotFound); e.Tried != "a test" || !strings.Contains(e.Error(), "the credential from a test has no access to it") {
		t.Errorf("%+v", e)
	}
	resolve(t, c, "acme/skills")
	if len(asked) != 1 {
		t.Errorf("asked %v", asked)
	}
}

func TestAPageThatIsNotThereIsNoRefusalUnlessTheHostIsAForge(t *testing.T) {
	forge := fetchtest.New(t, acme, "-- @site files.example --\n-- x/SKILL.md --\n---\nname: x\ndescription: Is there.\n---\n")
	var asked []credential.Request
	c := newClient(t, forge, knowing(&asked, nil))
	if _, err := c.Fetch(t.Context(), resolve(t, c, "https://files.example/none/SKILL.md")); err == nil {
		t.Error("no error")
	}
	if len(asked) != 1 || asked[0].Refused { // before the first request, for a host that is not in the table
		t.Errorf("asked %+v", asked)
	}
	forge.Fault(fetchtest.Fault{Host: "files.example", Do: fetchtest.Answer(http.StatusUnauthorized, "")})
	if _, err := c.Fetch(t.Context(), resolve(t, c, "https://files.example/x/SKILL.md")); err == nil {
		t.Error("no error")
	}
	if len(asked) != 2 || asked[1] != (credential.Request{Host: "files.example", Refused: true}) {
		t.Errorf("asked %+v", asked)
	}
}

// git would look up names itself, and follow what a stranger's host says: past the guard of the network.
func TestTheSystemsGitIsNotSentToStrangers(t *testing.T) {
	name := "strange.invalid/acme/skills"
	forge := fetchtest.New(t, strings.Replace(acme, acmeName, name, 1))
	forge.Repo(name).Set(fetchtest.Settings{Token: "good"})
	dir := t.TempDir()
	program := filepath.Join(dir, "git")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch "+dir+"/ran\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	proxy := &url.URL{Scheme: "http", Host: forge.Addr()}
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Git, config.CA = program, forge.CA()
		config.Proxy = func(*http.Request) (*url.URL, error) { return proxy, nil }
	})
	_, err := c.Resolve(t.Context(), locate(t, "https://"+name+".git"))
	code(t, err, fetch.NotFound)
	if _, err := os.Stat(dir + "/ran"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("git was run: %v", err)
	}
}
