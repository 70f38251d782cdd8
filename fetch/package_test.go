package fetch_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/credential"
	"skills/fetch/fetchtest"
	"skills/source"
)

const tools = `
-- @npm registry.npmjs.org @acme/tools 1.0.0 --
-- package.json --
{"name":"@acme/tools"}
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- skills/pdf/run exec --
#!/bin/sh
-- @npm registry.npmjs.org @acme/tools 1.1.0 deprecated=broken --
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads more.
---
-- @npm registry.npmjs.org @acme/tools 2.0.0-rc.1 tag=next integrity=none --
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads all.
---
-- @npm registry.npmjs.org forged 1.0.0 integrity=sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg== --
-- SKILL.md --
x
-- @npm npm.corp.example/base @corp/own 1.0.0 token=secret --
-- SKILL.md --
own
`

func TestPackageOfARegistry(t *testing.T) {
	forge := fetchtest.New(t, tools)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	for text, version := range map[string]string{"npm:@acme/tools": "1.1.0", "npm:@acme/tools@^1": "1.0.0", "npm:@acme/tools@1.1.0": "1.1.0", "npm:@acme/tools@next": "2.0.0-rc.1", "npm:@acme/tools@latest": "1.1.0"} {
		forge.Reset()
		rev := resolve(t, c, text)
		if rev.Ref != version || rev.Commit != "" || rev.Locator.Ref != locate(t, text).Ref {
			t.Errorf("%s: %+v, want %s", text, rev, version)
		}
		if deprecated := len(rev.Locator.Notes) == 1; deprecated != (version == "1.1.0") {
			t.Errorf("%s: notes %v", text, rev.Locator.Notes)
		}
		requests(t, forge, 1)
	}
	rev := resolve(t, c, "npm:@acme/tools@^1")
	forge.Reset()
	tree := fetchTree(t, c, rev)
	requests(t, forge, 1)
	load(t, tree, "skills/pdf")
	if got := listing(t, tree.FS(), "skills"); got != line("-", "skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\n")+line("x", "skills/pdf/run", "#!/bin/sh\n") {
		t.Errorf("got\n%s", got)
	}
	if !strings.HasPrefix(rev.Digest, "sha512:") || tree.Digest("skills/pdf") != rev.Digest {
		t.Errorf("digest %q, %q", rev.Digest, tree.Digest("skills/pdf"))
	}
	sane(t, dir)

	// Another time, and by what a lock knows, nobody is asked.
	for _, c := range []*fetch.Client{newClient(t, forge, in(t, dir)), newClient(t, forge, in(t, dir), offline)} {
		tree, err := c.FetchTrees(context.Background(), locate(t, "npm:@acme/tools@1.0.0"), map[string]string{"skills/pdf": rev.Digest})
		if err != nil {
			t.Fatal(err)
		}
		read(t, tree, "skills/pdf/run")
	}
	rev = resolve(t, newClient(t, forge, in(t, dir), offline), "npm:@acme/tools@^1")
	fetchTree(t, newClient(t, forge, in(t, dir), offline), rev)
	requests(t, forge, 0)
	_, err := newClient(t, forge, in(t, dir), offline).Resolve(context.Background(), locate(t, "npm:other"))
	if e := code(t, err, fetch.Offline); !strings.Contains(strings.Join(e.Hints(), ""), "./node_modules/other") {
		t.Errorf("hints %q", e.Hints())
	}
}

func TestTarballsAreCheckedBeforeTheyAreUnpacked(t *testing.T) {
	forge := fetchtest.New(t, tools)
	c := newClient(t, forge)
	_, err := c.Fetch(context.Background(), resolve(t, c, "npm:forged"))
	if e := code(t, err, fetch.Integrity); !strings.HasSuffix(e.Message, " as registry.npmjs.org says") || !strings.Contains(e.Hint, "only who keeps it can mend") {
		t.Errorf("%q, %q", e.Message, e.Hint)
	}

	// A scope has another registry, and that is the one to be named.
	forge.Add("-- @npm npm.corp.example/base @corp/forged 1.0.0 integrity=sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg== --\n-- SKILL.md --\nx\n")
	own := newClient(t, forge, func(c *fetch.Config) { c.Registries = map[string]string{"@corp": "https://npm.corp.example/base"} })
	_, err = own.Fetch(context.Background(), resolve(t, own, "npm:@corp/forged"))
	if e := code(t, err, fetch.Integrity); e.Host != "npm.corp.example" || !strings.HasSuffix(e.Message, " as npm.corp.example says") {
		t.Errorf("%q of %q", e.Message, e.Host)
	}
	// What a lock says and the registry does not may be a change that is wanted.
	_, err = own.FetchTrees(context.Background(), locate(t, "npm:@corp/forged@1.0.0"), map[string]string{"": "sha256:" + strings.Repeat("0", 64)})
	if e := code(t, err, fetch.Integrity); e.Host != "npm.corp.example" || !strings.HasSuffix(e.Message, " as the lock says") || !strings.Contains(e.Hint, "add it again") {
		t.Errorf("%q of %q, %q", e.Message, e.Host, e.Hint)
	}

	// Without an integrity the weaker sum is compared, and a lock gets a stronger one.
	rev := resolve(t, c, "npm:@acme/tools@next")
	tree := fetchTree(t, c, rev)
	if !strings.HasPrefix(rev.Digest, "sha1:") || !strings.HasPrefix(tree.Digest(""), "sha256:") {
		t.Errorf("digests %q, %q", rev.Digest, tree.Digest(""))
	}
	digest := sum(t, forge, "https://registry.npmjs.org/@acme/tools/-/tools-2.0.0-rc.1.tgz")
	if tree.Digest("") != digest {
		t.Errorf("digest %q, want %q", tree.Digest(""), digest)
	}
	forge.Add("-- @site registry.npmjs.org --\n-- \"@acme/tools/-/tools-2.0.0-rc.1.tgz\" --\nother\n")
	_, err = newClient(t, forge).Fetch(context.Background(), rev)
	code(t, err, fetch.Integrity)
	_, err = newClient(t, forge).FetchTrees(context.Background(), locate(t, "npm:@acme/tools@2.0.0-rc.1"), map[string]string{"skills/pdf": digest})
	code(t, err, fetch.Integrity)
}

// A registry may have nothing but the weaker sum for old packages: by it they are found in the store all the same.
func TestPackageWithTheWeakerSumIsFoundInTheStore(t *testing.T) {
	forge := fetchtest.New(t, tools)
	digest := sum(t, forge, "https://registry.npmjs.org/@acme/tools/-/tools-2.0.0-rc.1.tgz")
	dir := t.TempDir()
	for i, change := range []func(*fetch.Config){func(*fetch.Config) {}, func(*fetch.Config) {}, offline} {
		c := newClient(t, forge, in(t, dir), change)
		rev := resolve(t, c, "npm:@acme/tools@next")
		forge.Reset()
		tree := fetchTree(t, c, rev)
		requests(t, forge, map[int]int{0: 1}[i])
		if !strings.HasPrefix(rev.Digest, "sha1:") || tree.Digest("") != digest {
			t.Errorf("digests %q, %q, want %q", rev.Digest, tree.Digest(""), digest)
		}
		read(t, tree, "skills/pdf/SKILL.md")
	}
}

func TestPackagesThatAreNotThere(t *testing.T) {
	forge := fetchtest.New(t, tools, "-- @site registry.npmjs.org --\n-- page type=text/html --\n<html>\n")
	c := newClient(t, forge)
	for text, want := range map[string]struct {
		code fetch.Code
		says string
	}{
		"npm:none":             {fetch.NotFound, "npm:none"},
		"npm:@acme/tools@^3":   {fetch.NotFound, `"^3"`},
		"npm:@acme/tools@beta": {fetch.NotFound, `"beta"`},
		"npm:page":             {fetch.WrongContent, "npm:page"},
	} {
		_, err := c.Resolve(context.Background(), locate(t, text))
		if e := code(t, err, want.code); !strings.Contains(e.Error(), want.says) || e.Host != "registry.npmjs.org" {
			t.Errorf("%s: %q, host %q", text, e, e.Host)
		}
	}
	_, err := c.Resolve(context.Background(), locate(t, "npm:@acme/tools@^3"))
	if hints := strings.Join(code(t, err, fetch.NotFound).Hints(), ""); !strings.Contains(hints, "1.1.0") || !strings.Contains(hints, "latest, next") {
		t.Errorf("hints %q", hints)
	}
}

// A scope may have a registry of its own, which gets its own credential and no other does.
func TestRegistryOfAScope(t *testing.T) {
	forge := fetchtest.New(t, tools)
	own := func(config *fetch.Config) {
		config.Registries = map[string]string{"@corp": "https://npm.corp.example/base"}
		config.Credential = secretFor("npm.corp.example")
	}
	c := newClient(t, forge, own)
	tree := fetchTree(t, c, resolve(t, c, "npm:@corp/own"))
	if got := read(t, tree, "SKILL.md"); got != "own\n" {
		t.Errorf("%q", got)
	}
	fetchTree(t, c, resolve(t, c, "npm:@acme/tools"))
	for _, r := range forge.Requests() {
		if r.Authorized && r.Host != "npm.corp.example" {
			t.Errorf("a credential went to %s", r.Host)
		}
	}
	_, err := newClient(t, forge, func(config *fetch.Config) { own(config); config.Credential = nil }).Resolve(context.Background(), locate(t, "npm:@corp/own"))
	code(t, err, fetch.NotFound)
	all := newClient(t, forge, own, func(config *fetch.Config) { config.Registries[""] = "https://npm.corp.example/base/" })
	_, err = all.Resolve(context.Background(), locate(t, "npm:forged"))
	if e := code(t, err, fetch.NotFound); e.Host != "npm.corp.example" {
		t.Errorf("host %q", e.Host)
	}
}

// A mirror may pass on addresses of the public registry, which those behind it cannot reach.
func TestTarballOfAMirror(t *testing.T) {
	forge := fetchtest.New(t, "-- @npm registry.npmjs.org tools 1.0.0 --\n-- SKILL.md --\nx\n", "-- @npm npm.corp.example/base tools 1.0.0 --\n-- SKILL.md --\nx\n")
	resp, err := forge.Client().Get("https://registry.npmjs.org/tools")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	forge.Add("-- @site npm.corp.example --\n-- base/tools --\n" + bodyOf(t, resp) + "\n")
	forge.Reset()
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Registries = map[string]string{"": "https://npm.corp.example/base/"}
	})
	read(t, fetchTree(t, c, resolve(t, c, "npm:tools")), "SKILL.md")
	for _, r := range forge.Requests() {
		if r.Host != "npm.corp.example" {
			t.Errorf("%s%s was asked", r.Host, r.Path)
		}
	}
}

func TestManySkillsOfAPackageCostOneDocument(t *testing.T) {
	forge := fetchtest.New(t, tools)
	c := newClient(t, forge)
	results := c.ResolveAll(context.Background(), []source.Locator{locate(t, "npm:@acme/tools"), locate(t, "npm:@acme/tools@^1"), locate(t, "npm:@acme/tools"), locate(t, "npm:none")})
	requests(t, forge, 2)
	if results[0].Revision.Ref != "1.1.0" || results[1].Revision.Ref != "1.0.0" || results[2].Revision.Ref != "1.1.0" || results[3].Err == nil {
		t.Errorf("%+v", results)
	}
}

// secretFor opens one host.
func secretFor(host string) credential.Source {
	return func(_ context.Context, r credential.Request) (credential.Credential, error) {
		if r.Host != host {
			return credential.Credential{}, nil
		}
		return credential.Credential{Password: "secret", Token: true}, nil
	}
}

// TestRealRegistry asks a real registry for @ant-design/x-skill, a small package that ships skills. It runs only where SKILLS_TEST_NPM
// holds the address of a registry, such as npm config get registry gives.
func TestRealRegistry(t *testing.T) {
	registry := os.Getenv("SKILLS_TEST_NPM")
	if registry == "" {
		t.Skip("SKILLS_TEST_NPM names no registry")
	}
	c, err := fetch.New(fetch.Config{Store: newStore(t, t.TempDir()), Registries: map[string]string{"": registry}})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := c.Resolve(context.Background(), locate(t, "npm:@ant-design/x-skill@2.9.0"))
	var failure *fetch.Error
	if errors.As(err, &failure) && slices.Contains([]fetch.Code{fetch.Network, fetch.DNS, fetch.Timeout, fetch.RateLimited}, failure.Kind) {
		t.Skip(err) // it does not answer
	}
	if err != nil {
		t.Fatal(err)
	}
	tree := fetchTree(t, c, rev)
	// npm view @ant-design/x-skill@2.9.0 dist.integrity, in hex; tar -tzf of npm pack.
	if want := "sha512:60a9c9bc5e76c6afca2eaae785a5aebfe5d668121a2c5b835f2d19dc8d4011776d319ea4ede82c6adf4c85b5a6ffe5cb8daedda4f0b18887d47608eeccf98294"; rev.Digest != want {
		t.Errorf("digest %s, want %s", rev.Digest, want)
	}
	for _, name := range []string{"skills/use-x-chat/SKILL.md", "skills-zh/x-card/SKILL.md"} {
		if _, err := fs.Stat(tree.FS(), name); err != nil {
			t.Error(err)
		}
	}
}
