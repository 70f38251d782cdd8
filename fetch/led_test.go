package fetch_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/credential"
	"skills/fetch/fetchtest"
	"skills/source"
)

// noSum is the digest of nothing that a test has.
var noSum = "sha256:" + strings.Repeat("0", 64)

// Where a stranger leads, by an index or by a redirect and in whatever spelling, is none of the hosts that were configured.
func TestStrangersDoNotLeadToConfiguredHosts(t *testing.T) {
	targets := map[string]string{
		"plain": "git.corp.example/x", "upper": "GIT.corp.example/x", "port": "git.corp.example:443/x", "dot": "git.corp.example./x", "other-port": "git.corp.example:8443/x",
		"registry": "npm.corp.example/x", "moved": "evil.invalid/moved", "twice": "cdn.invalid/twice",
	}
	var entries []string
	for name, target := range targets {
		entries = append(entries, fmt.Sprintf(`{"name":%q,"type":"skill-md","description":"d","url":"https://%s","digest":%q}`, name, target, noSum))
	}
	forge := fetchtest.New(t, `
-- @site evil.invalid --
-- `+indexPath+` --
{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[`+strings.Join(entries, ",")+`]}
-- moved redirect --
https://git.corp.example/moved
-- kit.zip redirect --
https://git.corp.example/kit.zip
-- x/SKILL.md redirect --
https://git.corp.example/SKILL.md
-- @site cdn.invalid --
-- twice redirect --
https://npm.corp.example/twice
-- @site away.invalid --
-- `+indexPath+` redirect --
https://git.corp.example/index.json
`)
	proxy := &url.URL{Scheme: "http", Host: forge.Addr()}
	c := newClient(t, forge, func(config *fetch.Config) {
		config.CA = forge.CA()
		config.Proxy = func(*http.Request) (*url.URL, error) { return proxy, nil }
		config.Settings = map[string]fetch.HostSettings{"git.corp.example": {}}
		config.Registries = map[string]string{"@corp": "https://npm.corp.example"}
	})
	refused := func(name string, err error) {
		t.Helper()
		e := code(t, err, fetch.PrivateAddress)
		if !strings.Contains(e.Error(), ".invalid led to it") || e.ExitStatus() != 4 || !strings.Contains(strings.Join(e.Hints(), ""), "corp.example") {
			t.Errorf("%s: %v, hints %q", name, e, e.Hints())
		}
	}
	tree := fetchTree(t, c, resolve(t, c, "https://evil.invalid"))
	for name := range targets {
		refused(name, tree.Load(t.Context(), name))
	}
	for _, text := range []string{"https://evil.invalid/kit.zip", "https://evil.invalid/x/SKILL.md"} {
		_, err := c.Fetch(t.Context(), resolve(t, c, text))
		refused(text, err)
	}
	_, err := c.Resolve(t.Context(), locate(t, "https://away.invalid"))
	refused("index", err)
	for _, r := range forge.Requests() {
		if !strings.HasSuffix(r.Host, ".invalid") {
			t.Errorf("%s%s was asked", r.Host, r.Path)
		}
	}
}

// A credential goes to the host that was named: where a redirect of its index leads, whatever lies there, it does not.
func TestNoCredentialGoesWhereAnIndexWasMovedTo(t *testing.T) {
	for kind, index := range map[string]string{
		"document": `{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"zoo","description":"d","type":"skill-md","url":"/zoo.md","digest":"` + noSum + `"}]}`,
		"archive":  `{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"zoo","description":"d","type":"archive","url":"/zoo.zip","digest":"` + noSum + `"}]}`,
		"files":    `{"skills":[{"name":"zoo","description":"d","files":["SKILL.md","more.md"]}]}`,
	} {
		t.Run(kind, func(t *testing.T) {
			forge := fetchtest.New(t, "-- @site site.example --\n-- "+indexPath+" redirect --\nhttps://files.example/public/skills/index.json\n-- @site files.example --\n-- public/skills/index.json --\n"+index+"\n")
			forge.Fault(fetchtest.Fault{Host: "files.example", Path: "zoo", Do: fetchtest.Answer(http.StatusUnauthorized, "")})
			var asked []credential.Request
			c := newClient(t, forge, knowing(&asked, map[string]string{"files.example": "secret"}))
			tree := fetchTree(t, c, resolve(t, c, "https://site.example"))
			if err := tree.Load(t.Context(), "zoo"); err == nil {
				t.Error("no error")
			}
			if len(forge.Requests()) < 3 {
				t.Errorf("requests %q", visits(forge))
			}
			for _, r := range forge.Requests() {
				if r.Authorized {
					t.Errorf("%s%s got a credential", r.Host, r.Path)
				}
			}
		})
	}
}

// What a stranger writes is told as far as it helps, and no further.
func TestTextsOfStrangersAreToldInPart(t *testing.T) {
	var entries, tags []string
	for i := range 1000 {
		entries = append(entries, fmt.Sprintf(`{"name":"BAD%d"}`, i))
		tags = append(tags, fmt.Sprintf(`"tag%03d":"1.0.0"`, i))
	}
	forge := fetchtest.New(t, "-- @site site.example --\n-- "+indexPath+" --\n"+`{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[`+strings.Join(entries, ",")+"]}\n",
		"-- @site registry.npmjs.org --\n-- old --\n"+`{"dist-tags":{`+strings.Join(tags, ",")+`},"versions":{"1.0.0":{}}}`+"\n",
		"-- @site files.example --\n-- x type=text/"+strings.Repeat("x", 9000)+" --\nx\n-- x.zip type=text/"+strings.Repeat("x", 9000)+" --\nx\n")
	c := newClient(t, forge)
	notes := fetchTree(t, c, resolve(t, c, "https://site.example")).Notes()
	if last := notes[len(notes)-1].Message; len(notes) != 101 || last != "900 more entries of https://site.example/"+indexPath+" are left out" {
		t.Errorf("%d notes, the last is %q", len(notes), last)
	}
	_, err := c.Resolve(t.Context(), locate(t, "npm:old@2"))
	if hints := strings.Join(code(t, err, fetch.NotFound).Hints(), ""); !strings.HasSuffix(hints, "tag000, tag001, tag002, tag003, tag004, tag005, tag006, tag007, tag008, tag009, and 990 more") {
		t.Errorf("hints %q", hints)
	}
	_, err = c.Fetch(t.Context(), resolve(t, c, "https://files.example/x.zip"))
	if e := code(t, err, fetch.WrongContent); len(e.Error()) > 400 {
		t.Errorf("an error of %d bytes", len(e.Error()))
	}
	if _, err = c.Resolve(t.Context(), locate(t, "https://files.example/x")); len(err.Error()) > 800 {
		t.Errorf("an error of %d bytes: %v", len(err.Error()), err)
	}
}

// An address that somebody signed opens what it names to all who see it: its query is neither kept nor shown.
func TestQueriesOfAddressesAreNeitherKeptNorShown(t *testing.T) {
	forge := fetchtest.New(t, `
-- @site site.example --
-- `+indexPath+` redirect --
https://cdn.example/index.json?X-Amz-Signature=SECRET
-- @site cdn.example --
-- index.json --
{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[{"name":"BAD"},
{"name":"gone","description":"d","type":"skill-md","url":"gone.md?X-Amz-Signature=SECRET","digest":"`+noSum+`"},
{"name":"page","description":"d","type":"archive","url":"page?X-Amz-Signature=SECRET","digest":"`+noSum+`"},
{"name":"wide","description":"d","type":"archive","url":"index.json?X-Amz-Signature=SECRET","digest":"`+noSum+`"}]}
-- page --
<html>
`)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	tree := fetchTree(t, c, resolve(t, c, "https://site.example"))
	shown := fmt.Sprint(tree.Notes())
	for _, name := range []string{"none", "gone", "page", "wide"} {
		err := tree.Load(t.Context(), name)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		shown += fmt.Sprintf("%v %+v", err, err)
	}
	again := newClient(t, forge, in(t, dir), offline)
	tree = fetchTree(t, again, source.Revision{Locator: locate(t, "https://site.example")})
	shown += fmt.Sprint(tree.Notes())
	if !strings.Contains(shown, "https://cdn.example/index.json") || strings.Contains(shown, "SECRET") || strings.Contains(shown, "X-Amz") {
		t.Errorf("shown is %s", shown)
	}
}
