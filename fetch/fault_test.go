package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

// whole resolves, lists and loads the skill of a page.
func whole(ctx context.Context, c *fetch.Client, t *testing.T) (*fetch.Tree, error) {
	rev, err := c.Resolve(ctx, locate(t, "github.com/acme/skills/tree/main/skills/pdf"))
	if err != nil {
		return nil, err
	}
	tree, err := c.Fetch(ctx, rev)
	if err != nil {
		return nil, err
	}
	return tree, tree.Load(ctx, "skills/pdf")
}

func TestFaultsLeadToAnotherWayOrToAnErrorAndTheStoreStaysSane(t *testing.T) {
	answer := fetchtest.Answer
	git := map[string]string{"Content-Type": "application/x-git-upload-pack-result"}
	page := []string{"Content-Type", "text/html"}
	tests := map[string]struct {
		fault fetchtest.Fault
		code  fetch.Code // "" where another way, or a repetition, helps
	}{
		"pack cut once":              {fetchtest.Fault{Command: "fetch", Times: 1, Do: fetchtest.Cut(100)}, ""},
		"pack cut at once, once":     {fetchtest.Fault{Command: "fetch", Times: 1, Do: fetchtest.Cut(0)}, ""},
		"pack cut always":            {fetchtest.Fault{Command: "fetch", Do: fetchtest.Cut(100)}, fetch.Network},
		"refs cut always":            {fetchtest.Fault{Command: "ls-refs", Do: fetchtest.Cut(20)}, fetch.Network},
		"length too long":            {fetchtest.Fault{Command: "fetch", Do: fetchtest.Length(1 << 20)}, ""},
		"length too short":           {fetchtest.Fault{Command: "fetch", Do: fetchtest.Length(100)}, fetch.Network},
		"503 once":                   {fetchtest.Fault{Command: "fetch", Times: 1, Do: answer(503, "")}, ""},
		"404 to refs":                {fetchtest.Fault{Command: "ls-refs", Do: answer(404, "")}, fetch.NotFound},
		"403 to refs":                {fetchtest.Fault{Command: "ls-refs", Do: answer(403, "")}, ""},
		"403 to fetch":               {fetchtest.Fault{Command: "fetch", Do: answer(403, "")}, ""},
		"429 to fetch":               {fetchtest.Fault{Command: "fetch", Do: answer(429, "", "Retry-After", "9999")}, ""},
		"429 to everything":          {fetchtest.Fault{Do: answer(429, "", "Retry-After", "9999")}, fetch.RateLimited},
		"a page in place of a pack":  {fetchtest.Fault{Command: "fetch", Do: answer(200, "<html>", page...)}, ""},
		"pages everywhere":           {fetchtest.Fault{Do: answer(200, "<html>", page...)}, fetch.WrongContent},
		"nothing in place of a pack": {fetchtest.Fault{Command: "fetch", Times: 1, Do: answer(200, "", "Content-Type", git["Content-Type"])}, ""},
		"ERR in place of a pack":     {fetchtest.Fault{Command: "fetch", Do: answer(200, "000fERR go away", "Content-Type", git["Content-Type"])}, ""},
		"ERR in place of refs, once": {fetchtest.Fault{Command: "ls-refs", Times: 1, Do: answer(200, "000fERR go away", "Content-Type", git["Content-Type"])}, ""},
		"nonsense for a pack":        {fetchtest.Fault{Command: "fetch", Do: answer(200, "000dpackfile\nzzzz", "Content-Type", git["Content-Type"])}, fetch.Failed},
		"ends within a packet":       {fetchtest.Fault{Command: "fetch", Do: answer(200, "0012ERR go away", "Content-Type", git["Content-Type"])}, fetch.Network},
		"fatal in place of a pack":   {fetchtest.Fault{Command: "fetch", Times: 1, Do: answer(200, "000dpackfile\n000c\x03no more0000", "Content-Type", git["Content-Type"])}, ""},
		"a redirect without end":     {fetchtest.Fault{Command: "ls-refs", Do: answer(301, "", "Location", "https://github.com/acme/skills.git/git-upload-pack")}, fetch.Failed},
		"a redirect to http":         {fetchtest.Fault{Command: "ls-refs", Do: answer(301, "", "Location", "http://github.com/acme/skills.git/git-upload-pack")}, fetch.Failed},
		"a redirect to this machine": {fetchtest.Fault{Command: "ls-refs", Do: answer(301, "", "Location", "https://127.0.0.1/acme/skills.git/git-upload-pack")}, fetch.PrivateAddress},
	}
	forge := fetchtest.New(t, acme)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			forge.Heal()
			forge.Fault(test.fault)
			dir := t.TempDir()
			c := newClient(t, forge, in(t, dir))
			tree, err := whole(context.Background(), c, t)
			if test.code != "" {
				code(t, err, test.code)
			} else if err != nil {
				t.Fatal(err)
			} else if got := read(t, tree, "skills/pdf/sub/notes.md"); got != "Notes.\n" {
				t.Errorf("content %q", got)
			}
			sane(t, dir)
			forge.Heal()
			if tree, err = whole(context.Background(), newClient(t, forge, in(t, dir)), t); err != nil {
				t.Fatalf("after the fault: %v", err)
			}
			if got := read(t, tree, "skills/pdf/sub/notes.md"); got != "Notes.\n" {
				t.Errorf("after the fault: content %q", got)
			}
		})
	}
}

func TestStalledTransferEndsWithItsContext(t *testing.T) {
	forge := fetchtest.New(t, acme)
	for _, command := range []string{"ls-refs", "fetch"} {
		forge.Heal()
		forge.Fault(fetchtest.Fault{Command: command, Do: fetchtest.Stall(50)})
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		_, err := whole(ctx, newClient(t, forge, in(t, dir)), t)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v", command, err)
		}
		sane(t, dir)
	}
}

func TestLimitsAreErrors(t *testing.T) {
	forge := fetchtest.New(t, acme)
	for name, limits := range map[string]fetch.Limits{
		"bytes": {Bytes: 100}, "unpacked": {Unpacked: 100}, "objects": {Objects: 3}, "object": {Object: 30},
	} {
		dir := t.TempDir()
		c := newClient(t, forge, in(t, dir), func(config *fetch.Config) { config.Limits = limits })
		_, err := whole(context.Background(), c, t)
		if err != nil {
			code(t, err, fetch.TooLarge)
		} else {
			t.Errorf("%s: no error", name)
		}
		sane(t, dir)
	}
}

func TestOfflineNamesWhatIsMissing(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	commit := forge.Repo(acmeName).ID("main")
	off := newClient(t, forge, in(t, dir), offline)
	fails := func(err error, parts ...string) {
		t.Helper()
		e := code(t, err, fetch.Offline)
		for _, part := range parts {
			if !strings.Contains(e.Error(), part) {
				t.Errorf("%q does not name %q", e, part)
			}
		}
	}
	_, err := off.Resolve(context.Background(), locate(t, "acme/skills#v1"))
	fails(err, "v1", "github.com/acme/skills")
	_, err = off.Fetch(context.Background(), resolve(t, off, "acme/skills#"+commit))
	fails(err, commit[:12], "github.com/acme/skills")
	_, err = off.FetchTrees(context.Background(), locate(t, "acme/skills"), map[string]string{"skills/pdf": strings.Repeat("1", 40)})
	fails(err, "skills/pdf", "github.com/acme/skills")
	_, err = off.Fetch(context.Background(), resolve(t, off, "https://files.example/SKILL.md"))
	fails(err, "files.example/SKILL.md")

	fetchTree(t, newClient(t, forge, in(t, dir)), resolve(t, off, "acme/skills#"+commit))
	forge.Reset()
	tree := fetchTree(t, newClient(t, forge, in(t, dir), offline), resolve(t, off, "acme/skills#"+commit))
	fails(tree.Load(context.Background(), "skills/pdf"), "3 files", "github.com/acme/skills")
	requests(t, forge, 0)
}

func TestUnknownPathNamesWhatIsNear(t *testing.T) {
	forge := fetchtest.New(t, acme, "-- @repo github.com/acme/skills --\n-- link symlink --\nskills\n-- module gitlink --\n")
	c := newClient(t, forge)
	for path, want := range map[string]string{
		"skills/pfd":             `"skills/pdf"`,
		"skils/pdf":              `"skills"`,
		"old/place/of/pdf":       `"skills/pdf"`,
		"skills/nothing-like-it": "",
		"README.md":              "is a file",
		"link/pdf":               "is a link",
		"module":                 "is a submodule",
	} {
		_, err := c.Fetch(context.Background(), resolve(t, c, "github.com/acme/skills/tree/main/"+path))
		e := code(t, err, fetch.NotFound)
		if text := e.Error() + " " + strings.Join(e.Hints(), " "); !strings.Contains(text, strings.Trim(want, `"`)) || !strings.Contains(text, acmeName) {
			t.Errorf("%s: %q does not say %s", path, text, want)
		}
	}
	tree := fetchTree(t, c, resolve(t, c, "acme/skills"))
	code(t, tree.Load(context.Background(), "skills/pdf", "no/such"), fetch.NotFound)
}

func TestDamagedStoreHealsByFetchingAgain(t *testing.T) {
	forge := fetchtest.New(t, acme)
	dir := t.TempDir()
	if _, err := whole(context.Background(), newClient(t, forge, in(t, dir)), t); err != nil {
		t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(dir, "git", "*", "pack-*"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("packs %v, %v", packs, err)
	}
	for _, pack := range packs {
		data, err := os.ReadFile(pack)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pack, data[:len(data)-1], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := whole(context.Background(), newClient(t, forge, in(t, dir)), t)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, tree, "skills/pdf/sub/notes.md"); got != "Notes.\n" {
		t.Errorf("content %q", got)
	}
}

func TestFileOfAWebServerComesWithWhatItNames(t *testing.T) {
	forge := fetchtest.New(t, `
-- @site files.example --
-- pdf/SKILL.md type=text/markdown --
---
name: pdf
---
See a.md and gone.md.
-- pdf/a.md type=text/markdown --
A.
-- page/SKILL.md type=text/html --
<html>
`)
	dir := t.TempDir()
	references := func(config *fetch.Config) {
		config.References = func(document []byte) []string { return []string{"a.md", "gone.md"} }
	}
	c := newClient(t, forge, in(t, dir), references)
	tree := fetchTree(t, c, resolve(t, c, "https://files.example/pdf/SKILL.md"))
	load(t, tree, "SKILL.md", "a.md")
	want := line("-", "SKILL.md", "---\nname: pdf\n---\nSee a.md and gone.md.\n") + line("-", "a.md", "A.\n")
	if got := listing(t, tree.FS(), "."); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if n := tree.Notes(); len(n) != 1 || n[0].Code != "left_out" || !strings.Contains(n[0].Message, "gone.md") {
		t.Errorf("notes %v", n)
	}
	_, err := c.Fetch(context.Background(), resolve(t, c, "https://files.example/page/SKILL.md"))
	code(t, err, fetch.WrongContent)
	_, err = c.Fetch(context.Background(), resolve(t, c, "https://files.example/none/SKILL.md"))
	code(t, err, fetch.NotFound)
	forge.Reset()
	c = newClient(t, forge, in(t, dir), references, offline)
	again := fetchTree(t, c, resolve(t, c, "https://files.example/pdf/SKILL.md"))
	if got := listing(t, again.FS(), "."); got != want {
		t.Errorf("offline: got\n%swant\n%s", got, want)
	}
	requests(t, forge, 0)
}

func TestArchiveThatWasSeenCostsNoRequestByItsDigest(t *testing.T) {
	forge := fetchtest.New(t, zooText())
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	rev := byArchive(t, c, forge).Revision()
	if !strings.HasPrefix(rev.Digest, "sha256:") {
		t.Errorf("digest %q", rev.Digest)
	}
	forge.Reset()
	tree := fetchTree(t, newClient(t, forge, in(t, dir)), rev)
	if got := read(t, tree, "README.md"); got != "Read me.\n" {
		t.Errorf("content %q", got)
	}
	requests(t, forge, 0)
	rev.Digest = "sha256:" + strings.Repeat("0", 64)
	_, err := c.Fetch(context.Background(), rev)
	if e := code(t, err, fetch.Integrity); e.ExitStatus() != 4 || !strings.Contains(e.Error(), rev.Digest) {
		t.Errorf("%q, status %d", e, e.ExitStatus())
	}
}

func TestLocalSourcesThatAreNotThere(t *testing.T) {
	forge := fetchtest.New(t, "-- @site files.example --\n-- x --\nx\n")
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Dir, config.Builtin = t.TempDir(), fstest.MapFS{"skills-cli/SKILL.md": {Data: []byte("x")}}
	})
	for text, want := range map[string]fetch.Code{
		"./nothing":         fetch.NotFound,
		"builtin:nothing":   fetch.NotFound,
		"~/x":               fetch.Unsupported, // no home directory is known
		"oci://h.example/x": fetch.Unsupported,
	} {
		_, err := c.Fetch(context.Background(), resolve(t, c, text))
		e := code(t, err, want)
		if text == "builtin:nothing" && !strings.Contains(strings.Join(e.Hints(), " "), "builtin:skills-cli") {
			t.Errorf("hints %q", e.Hints())
		}
	}
	tree := fetchTree(t, c, resolve(t, c, "builtin:skills-cli"))
	load(t, tree, "SKILL.md")
	code(t, tree.Load(context.Background(), "none.md"), fetch.NotFound)
	if _, err := fetch.New(fetch.Config{Settings: map[string]fetch.HostSettings{"x": {CA: []byte("no PEM")}}}); err == nil {
		t.Error("an authority that is none is taken")
	}
}

func TestEventsTellOfEachRequest(t *testing.T) {
	forge := fetchtest.New(t, acme)
	var log []string
	c := newClient(t, forge, func(config *fetch.Config) {
		config.Event = func(e fetch.Event) {
			log = append(log, fmt.Sprintf("%v %s %s%s %d %v %v", e.Done, e.Method, e.Host, e.Path, e.Status, e.Down > 0, e.Err))
		}
	})
	resolve(t, c, "acme/skills")
	want := []string{
		"false POST github.com/acme/skills.git/git-upload-pack 0 false <nil>",
		"true POST github.com/acme/skills.git/git-upload-pack 200 true <nil>",
	}
	if len(log) != 2 || log[0] != want[0] || log[1] != want[1] {
		t.Errorf("events %q, want %q", log, want)
	}
}
