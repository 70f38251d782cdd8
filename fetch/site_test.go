package fetch_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

// shop is a site with a skill of one file, one of several, and a part with an index of its own.
const shop = `
-- @discovery site.example --
-- lint/SKILL.md --
---
name: lint
description: Checks prose.
---
-- triage/SKILL.md --
---
name: triage
description: Sorts bugs.
---
-- triage/run exec --
#!/bin/sh
-- triage/again symlink --
run
-- @discovery site.example/docs archive=zip --
-- guide/SKILL.md --
---
name: guide
description: Guides.
---
-- guide/data/bytes base64 --
AAEC/w==
-- @discovery cdn.example version=0.1.0 --
-- old/SKILL.md --
---
name: old
description: Is listed file by file.
---
-- "old/a b/more.md" --
More.
-- old/run.sh --
#!/bin/sh
-- other/SKILL.md --
---
name: other
description: Another.
---
-- other/x.md --
x
`

const (
	indexPath  = ".well-known/agent-skills/index.json"
	formerPath = ".well-known/skills/index.json"
)

// sum is the digest of what a page of the forge gives.
func sum(t testing.TB, forge *fetchtest.Forge, address string) string {
	t.Helper()
	resp, err := forge.Client().Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	hash := sha256.New()
	if _, err := fmt.Fprint(hash, bodyOf(t, resp)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil))
}

func TestSiteIsListedByItsIndexAndEntriesAreBroughtWhenTheyAreWanted(t *testing.T) {
	forge := fetchtest.New(t, shop)
	lint, triage := sum(t, forge, "https://site.example/.well-known/agent-skills/lint/SKILL.md"), sum(t, forge, "https://site.example/.well-known/agent-skills/triage.tar.gz")
	forge.Reset()
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	rev := resolve(t, c, "https://site.example")
	if rev.Locator.Kind != source.Site || rev.Digest == "" {
		t.Errorf("revision %+v", rev)
	}
	tree := fetchTree(t, c, rev)
	requests(t, forge, 1)
	if got := names(t, tree.FS(), "."); got != "lint triage" || !tree.Indexed() || len(tree.Notes()) != 0 {
		t.Errorf("names %q, indexed %v, notes %v", got, tree.Indexed(), tree.Notes())
	}
	if tree.Digest("lint") != lint || tree.Digest("triage/run") != triage || tree.Digest("none") != "" {
		t.Errorf("digests %q, %q", tree.Digest("lint"), tree.Digest("triage/run"))
	}
	if _, err := fs.ReadFile(tree.FS(), "triage/SKILL.md"); !errors.Is(err, fetch.ErrNotLoaded) {
		t.Errorf("error %v", err)
	}
	load(t, tree, "triage/SKILL.md")
	load(t, tree, "triage", "triage/SKILL.md")
	requests(t, forge, 1)
	want := line("L", "triage/again", "run") + line("x", "triage/run", "#!/bin/sh\n") + line("-", "triage/SKILL.md", "---\nname: triage\ndescription: Sorts bugs.\n---\n")
	if got := listing(t, tree.FS(), "triage"); got != sorted(want) {
		t.Errorf("got\n%swant\n%s", got, sorted(want))
	}
	code(t, tree.Load(context.Background(), "none"), fetch.NotFound)
	load(t, tree, "lint")
	requests(t, forge, 1)
	sane(t, dir)

	again := newClient(t, forge, in(t, dir))
	tree = fetchTree(t, again, rev)
	load(t, tree, "lint", "triage")
	requests(t, forge, 0)
}

func TestSiteWithoutTheNetwork(t *testing.T) {
	forge := fetchtest.New(t, shop)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	for _, text := range []string{"https://site.example", "https://cdn.example"} {
		_, err := newClient(t, forge, in(t, dir), offline).Resolve(context.Background(), locate(t, text))
		code(t, err, fetch.Offline)
		tree := fetchTree(t, c, resolve(t, c, text))
		load(t, tree, strings.Fields(names(t, tree.FS(), "."))[0])
	}
	forge.Reset()
	c = newClient(t, forge, in(t, dir), offline)
	for text, want := range map[string]string{"https://site.example": "lint/SKILL.md", "https://cdn.example": "old/run.sh"} {
		tree := fetchTree(t, c, resolve(t, c, text))
		load(t, tree, strings.Split(want, "/")[0])
		read(t, tree, want)
		code(t, tree.Load(context.Background(), strings.Fields(names(t, tree.FS(), "."))[1]), fetch.Offline)
	}
	requests(t, forge, 0)
}

// S2-33: what is not what its digest says is not unpacked, and hides nothing else.
func TestArtifactWithAnotherDigestIsRefusedAndHidesNoOther(t *testing.T) {
	forge := fetchtest.New(t, shop, "-- @archive site.example/.well-known/agent-skills/triage.tar.gz --\n-- SKILL.md --\nevil\n")
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://site.example"))
	load(t, tree, "lint/SKILL.md", "triage/SKILL.md")
	read(t, tree, "lint/SKILL.md")
	_, err := fs.ReadFile(tree.FS(), "triage/SKILL.md")
	if e := code(t, err, fetch.Integrity); !strings.Contains(err.Error(), `"triage"`) || e.ExitStatus() != 4 {
		t.Errorf("error %q", err)
	}
	forge.Reset()
	code(t, tree.Load(context.Background(), "triage"), fetch.Integrity)
	requests(t, forge, 0) // it was told once
	if _, err := fs.ReadDir(tree.FS(), "triage"); err != nil {
		t.Error(err)
	}
}

func TestWhatAnEntryLeadsTo(t *testing.T) {
	const skill = "---\nname: x\ndescription: d\n---\n"
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(skill)))
	page := "<!doctype html>Please sign in."
	forge := fetchtest.New(t, fmt.Sprintf(`
-- @site cdn.example --
-- x.md --
%s-- page type=text/markdown --
%s
-- moved redirect --
https://cdn.example/x.md
-- home redirect --
http://cdn.example/x.md
-- @archive cdn.example/wrapped.zip --
-- x-1.0/SKILL.md --
%s-- @archive cdn.example/empty.zip --
-- README.md --
x
-- @archive cdn.example/climb.tar.gz --
-- ../SKILL.md --
x
`, skill, page, skill))
	entries := map[string]struct {
		kind, url, digest string
		want              fetch.Code // "" when it can be had
	}{
		"elsewhere":  {"skill-md", "https://cdn.example/x.md", digest, ""},
		"moved":      {"skill-md", "https://cdn.example/moved", digest, ""},
		"home":       {"skill-md", "https://cdn.example/home", digest, fetch.Failed},
		"private":    {"skill-md", "https://127.0.0.1/x.md", digest, fetch.PrivateAddress},
		"metadata":   {"archive", "https://169.254.169.254/x.zip", digest, fetch.PrivateAddress},
		"gone":       {"skill-md", "https://cdn.example/gone", digest, fetch.NotFound},
		"page":       {"skill-md", "https://cdn.example/page", digest, fetch.WrongContent},
		"wrapped":    {"archive", "https://cdn.example/wrapped.zip", sum(t, forge, "https://cdn.example/wrapped.zip"), ""},
		"empty":      {"archive", "https://cdn.example/empty.zip", sum(t, forge, "https://cdn.example/empty.zip"), fetch.WrongContent},
		"climb":      {"archive", "https://cdn.example/climb.tar.gz", sum(t, forge, "https://cdn.example/climb.tar.gz"), fetch.PathEscape},
		"no-archive": {"archive", "https://cdn.example/x.md", digest, fetch.WrongContent},
	}
	var all []string
	for name, e := range entries {
		all = append(all, fmt.Sprintf(`{"name":%q,"type":%q,"description":"d","url":%q,"digest":%q}`, name, e.kind, e.url, e.digest))
	}
	all = append(all, `{"name":"video","type":"mp4"}`, `{"name":"bare","type":"skill-md","url":"x"}`)
	forge.Add("-- @site site.example --\n-- " + indexPath + " --\n" + `{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[` + strings.Join(all, ",") + "]}\n")
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://site.example"))
	if n := tree.Notes(); len(n) != 2 || !strings.Contains(n[0].Message, `"video"`) || !strings.Contains(n[1].Message, `"bare"`) || n[0].Code != "left_out" {
		t.Errorf("notes %v", n)
	}
	load(t, tree, ".")
	for name, e := range entries {
		t.Run(name, func(t *testing.T) {
			data, err := fs.ReadFile(tree.FS(), name+"/SKILL.md")
			if e.want != "" {
				code(t, err, e.want)
			} else if string(data) != skill || err != nil {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

// Files of version 0.1.0 are brought one by one; one that is listed and not there fails its skill alone.
func TestSiteThatListsFiles(t *testing.T) {
	forge := fetchtest.New(t, shop)
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://cdn.example"))
	requests(t, forge, 2) // the present version is asked for first
	if got := names(t, tree.FS(), "old/a b"); got != "more.md" || tree.Digest("old") != "" {
		t.Errorf("%q, digest %q", got, tree.Digest("old"))
	}
	load(t, tree, "old/SKILL.md", "other/SKILL.md")
	requests(t, forge, 2)
	load(t, tree, "old")
	requests(t, forge, 2)
	want := sorted(line("-", "old/SKILL.md", read(t, tree, "old/SKILL.md")) + line("-", "old/a b/more.md", "More.\n") + line("-", "old/run.sh", "#!/bin/sh\n"))
	if got := listing(t, tree.FS(), "old"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	forge.Fault(fetchtest.Fault{Host: "cdn.example", Path: "x.md", Do: fetchtest.Answer(404, "")})
	err := tree.Load(context.Background(), "other")
	if code(t, err, fetch.NotFound); !strings.Contains(err.Error(), "other/x.md") {
		t.Errorf("error %q", err)
	}
	forge.Heal()
	forge.Fault(fetchtest.Fault{Host: "cdn.example", Path: "x.md", Do: fetchtest.Answer(200, "<html>")})
	c = newClient(t, forge)
	tree = fetchTree(t, c, resolve(t, c, "https://cdn.example"))
	load(t, tree, ".")
	read(t, tree, "old/run.sh")
	_, err = fs.ReadFile(tree.FS(), "other/x.md")
	code(t, err, fetch.WrongContent)
}

// The index of a part of a site goes before that of all; without one, what lies below the part is taken, never everything.
func TestWhichIndexIsUsed(t *testing.T) {
	forge := fetchtest.New(t, shop)
	for _, test := range []struct {
		text, names, note string
		requests          int // git, then up to four indexes
	}{
		{"https://site.example", "lint triage", "", 1},
		{"https://site.example/docs", "guide", "", 2},
		{"https://site.example/.well-known/agent-skills/index.json", "lint triage", "", 1},
		{"https://site.example/docs/.well-known/agent-skills/index.json", "guide", "", 2},
		{"https://site.example/more/lint", "lint", "https://site.example/" + indexPath, 4},
		{"https://cdn.example/skills/old", "old", "https://cdn.example/" + formerPath, 5},
	} {
		forge.Reset()
		c := newClient(t, forge)
		tree := fetchTree(t, c, resolve(t, c, test.text))
		requests(t, forge, test.requests)
		if got := names(t, tree.FS(), "."); got != test.names {
			t.Errorf("%s: %q, want %q", test.text, got, test.names)
		}
		if n := tree.Notes(); (len(n) == 1) != (test.note != "") || len(n) == 1 && (n[0].Code != "site_index" || !strings.Contains(n[0].Message, test.note)) {
			t.Errorf("%s: notes %v", test.text, n)
		}
	}
	_, err := newClient(t, forge).Resolve(context.Background(), locate(t, "https://site.example/blog"))
	if e := code(t, err, fetch.NotFound); !strings.Contains(e.Error(), "lists no skill below /blog") {
		t.Errorf("error %q", e)
	}
}

func TestIndexesThatCannotBeUsed(t *testing.T) {
	for name, test := range map[string]struct {
		page string // the header of the page, and the text
		want fetch.Code
		says string
	}{
		"unknown schema": {"--\n{\"$schema\":\"https://x.example/9\",\"skills\":[]}\n", fetch.NotFound, "https://x.example/9"},
		"a page for all": {"type=text/html --\n<!doctype html><title>Home</title>\n", fetch.NotFound, "a web page"},
		"no JSON":        {"--\nhello\n", fetch.NotFound, "no index"},
		"too large":      {"--\n{\"skills\":[" + strings.Repeat(" ", 8<<20) + "]}\n", fetch.NotFound, "8388608"},
	} {
		t.Run(name, func(t *testing.T) {
			forge := fetchtest.New(t, "-- @site site.example --\n-- "+indexPath+" "+test.page)
			_, err := newClient(t, forge).Resolve(context.Background(), locate(t, "https://site.example"))
			if e := code(t, err, test.want); !strings.Contains(e.Error(), test.says) {
				t.Errorf("error %q", e)
			}
			// The former version is another way.
			forge.Add("-- @discovery site.example version=0.1.0 --\n-- lint/SKILL.md --\nx\n")
			c := newClient(t, forge)
			if got := names(t, fetchTree(t, c, resolve(t, c, "https://site.example")).FS(), "."); got != "lint" {
				t.Errorf("names %q", got)
			}
		})
	}
	forge := fetchtest.New(t, shop, "-- @site files.example --\n-- "+indexPath+" redirect=301 --\nhttps://site.example/docs/"+indexPath+"\n")
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://files.example"))
	load(t, tree, "guide") // its address counts from where the index came from
	if got := read(t, tree, "guide/data/bytes"); got != "\x00\x01\x02\xff" {
		t.Errorf("%q", got)
	}
}

func TestTheHostThatIsDownIsNotTakenForOneWithoutSkills(t *testing.T) {
	forge := fetchtest.New(t, shop)
	forge.Fault(fetchtest.Fault{Host: "site.example", Path: indexPath, Do: fetchtest.Cut(10)})
	_, err := newClient(t, forge).Resolve(context.Background(), locate(t, "https://site.example"))
	code(t, err, fetch.Network)
}

// What a lock knows by digest is brought without an index when it is in the store, and checked when it is not.
func TestLockedDigestsOfASite(t *testing.T) {
	forge := fetchtest.New(t, shop)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	site := fetchTree(t, c, resolve(t, c, "https://site.example"))
	digests := map[string]string{"lint": site.Digest("lint"), "triage": site.Digest("triage")}
	l := locate(t, "https://site.example")
	forge.Reset()
	get := func(c *fetch.Client) (*fetch.Tree, error) { return c.FetchTrees(context.Background(), l, digests) }
	tree, err := get(c)
	if err != nil {
		t.Fatal(err)
	}
	requests(t, forge, 3)
	read(t, tree, "lint/SKILL.md")
	forge.Add("-- @discovery site.example --\n-- lint/SKILL.md --\nanother\n") // and no triage
	for _, c := range []*fetch.Client{newClient(t, forge, in(t, dir)), newClient(t, forge, in(t, dir), offline)} {
		if tree, err = get(c); err != nil {
			t.Fatal(err)
		}
		if got := read(t, tree, "triage/run"); got != "#!/bin/sh\n" || tree.Digest("triage") != digests["triage"] {
			t.Errorf("%q, %s", got, tree.Digest("triage"))
		}
	}
	requests(t, forge, 0)
	if tree, err = get(newClient(t, forge)); err != nil { // each tells its own
		t.Fatal(err)
	}
	_, err = fs.ReadFile(tree.FS(), "lint/SKILL.md")
	code(t, err, fetch.Integrity)
	_, err = fs.ReadFile(tree.FS(), "triage/SKILL.md")
	code(t, err, fetch.NotFound)
	_, err = get(newClient(t, forge, offline))
	code(t, err, fetch.Offline)
	delete(digests, "lint")
	_, err = get(newClient(t, forge))
	code(t, err, fetch.NotFound)

	forge.Add(shop)
	digests["lint"] = "sha256:" + strings.Repeat("0", 64)
	if tree, err = get(newClient(t, forge)); err != nil {
		t.Fatal(err)
	}
	read(t, tree, "triage/run")
	_, err = fs.ReadFile(tree.FS(), "lint/SKILL.md")
	code(t, err, fetch.Integrity)
}

func TestManySkillsOfASiteCostOneIndex(t *testing.T) {
	forge := fetchtest.New(t, shop)
	c := newClient(t, forge)
	l := locate(t, "https://site.example")
	for _, r := range c.ResolveAll(context.Background(), []source.Locator{l, l, l}) {
		if r.Err != nil || r.Revision.Digest == "" {
			t.Errorf("%+v", r)
		}
	}
	requests(t, forge, 1)
}

func TestEntriesAreLoadedSideBySide(t *testing.T) {
	forge := fetchtest.New(t, shop)
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://site.example"))
	forge.Reset()
	var group errgroup.Group
	for _, name := range []string{"lint", "triage", "lint/SKILL.md", ".", "triage/run"} {
		group.Go(func() error {
			if _, err := fs.ReadDir(tree.FS(), "triage"); err != nil {
				return err
			}
			if strings.HasSuffix(name, "run") {
				name = "triage"
			}
			if err := tree.Load(context.Background(), name); err != nil {
				return err
			}
			_, err := fs.Stat(tree.FS(), name)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	requests(t, forge, 2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tree = fetchTree(t, newClient(t, forge), resolve(t, newClient(t, forge), "https://site.example"))
	if err := tree.Load(ctx, "lint"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
