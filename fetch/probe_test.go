package fetch_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

const street = `
-- @repo plain.example/team/skills --
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- @repo plain.example/team/private token=secret --
-- SKILL.md --
x
-- @discovery site.example/docs --
-- lint/SKILL.md --
---
name: lint
description: Checks prose.
---
-- @archive files.example/latest type=application/octet-stream --
-- pack-1.0/skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- pack-1.0/README.md --
x
-- @site files.example --
-- guide type=text/plain --
---
name: guide
description: Guides.
---
See [more](more.md).
-- more.md --
More.
-- home type=text/html --
<!doctype html>
-- image type=image/png --
PNG
`

func TestAddressIsAskedWhatItIs(t *testing.T) {
	forge := fetchtest.New(t, street)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir), func(config *fetch.Config) {
		config.References = func([]byte) []string { return []string{"more.md"} }
	})
	for _, test := range []struct {
		text   string
		kind   source.Kind
		file   string
		first  int // requests to resolve and fetch
		second int // another time
	}{
		{"https://plain.example/team/skills", source.Git, "skills/pdf/SKILL.md", 2, 1},
		{"https://site.example/docs", source.Site, "lint/SKILL.md", 2, 1},
		{"https://files.example/latest", source.Archive, "skills/pdf/SKILL.md", 6, 1},
		{"https://files.example/guide", source.File, "more.md", 8, 3},
	} {
		for _, want := range []int{test.first, test.second} {
			forge.Reset()
			rev := resolve(t, c, test.text)
			if rev.Locator.Kind != test.kind || strings.TrimSuffix(rev.Locator.URL, ".git") != test.text {
				t.Errorf("%s: %+v", test.text, rev)
			}
			tree := fetchTree(t, c, rev)
			requests(t, forge, want)
			load(t, tree, strings.Split(test.file, "/")[0])
			read(t, tree, test.file)
			if test.kind == source.File {
				read(t, tree, "SKILL.md")
			}
		}
		if test.kind == source.Git {
			continue // which is recorded as a repository everywhere
		}
		forge.Reset()
		off := newClient(t, forge, in(t, dir), offline)
		tree := fetchTree(t, off, resolve(t, off, test.text))
		load(t, tree, strings.Split(test.file, "/")[0])
		read(t, tree, test.file)
		requests(t, forge, 0)
	}
}

func TestAddressThatIsNothingTellsWhatWasTried(t *testing.T) {
	forge := fetchtest.New(t, street)
	c := newClient(t, forge)
	for _, path := range []string{"info/refs", "git-upload-pack"} { // a host without git; the forge wants to know who asks
		forge.Fault(fetchtest.Fault{Host: "files.example", Path: path, Do: fetchtest.Answer(404, "")})
	}
	for text, test := range map[string]struct {
		want fetch.Code
		says string
	}{
		"https://files.example/home":         {fetch.WrongContent, "a web page"},
		"https://files.example/image":        {fetch.WrongContent, "image/png"},
		"https://files.example/none":         {fetch.NotFound, "404"},
		"https://plain.example/team/private": {fetch.NotFound, "private"},
	} {
		_, err := c.Resolve(context.Background(), locate(t, text))
		e := code(t, err, test.want)
		for _, says := range []string{text, "as a git repository: ", "as a site: ", "/.well-known/agent-skills/index.json: 404", "/.well-known/skills/index.json: 404", "as a file or archive: ", test.says} {
			if !strings.Contains(e.Error(), says) {
				t.Errorf("%s: %q does not say %q", text, e, says)
			}
		}
		if len(e.Hints()) == 0 {
			t.Errorf("%s: no hint", text)
		}
	}
	_, err := newClient(t, forge, offline).Resolve(context.Background(), locate(t, "https://files.example/latest"))
	code(t, err, fetch.Offline)
}

// A host that refuses git may have skills all the same; one that is down has them perhaps another day.
func TestHostThatRefusesGitIsAskedOn(t *testing.T) {
	forge := fetchtest.New(t, street)
	for _, status := range []int{401, 403, 405, 418} {
		forge.Fault(fetchtest.Fault{Host: "site.example", Path: "docs/git-upload-pack", Do: fetchtest.Answer(status, "no")})
		forge.Fault(fetchtest.Fault{Host: "site.example", Path: "docs/info/refs", Do: fetchtest.Answer(status, "no")})
		if rev := resolve(t, newClient(t, forge), "https://site.example/docs"); rev.Locator.Kind != source.Site {
			t.Errorf("%d: %+v", status, rev)
		}
		forge.Heal()
	}
	forge.Fault(fetchtest.Fault{Host: "site.example", Do: fetchtest.Answer(403, "no")})
	_, err := newClient(t, forge).Resolve(context.Background(), locate(t, "https://site.example/docs"))
	code(t, err, fetch.Forbidden)
}

// Of what is no archive no more is read than tells so: what stands at an address may be a film.
func TestWhatIsNoArchiveIsNotDownloaded(t *testing.T) {
	rest := strings.Repeat("x", 16<<20)
	forge := fetchtest.New(t, "-- @site files.example --\n-- page type=text/html --\n<!doctype html>"+rest+"\n-- film type=video/mp4 --\n"+rest+
		"\n-- guide type=text/plain --\n---\nname: guide\ndescription: Guides.\n---\n"+rest+"\n-- short --\nx\n-- none --\n")
	for _, path := range []string{"info/refs", "git-upload-pack"} {
		forge.Fault(fetchtest.Fault{Host: "files.example", Path: path, Do: fetchtest.Answer(404, "")})
	}
	for name, want := range map[string]fetch.Code{"page": fetch.WrongContent, "film": fetch.WrongContent, "short": fetch.WrongContent, "none": fetch.WrongContent, "guide": ""} {
		var down atomic.Int64
		dir := t.TempDir()
		c := newClient(t, forge, in(t, dir), func(config *fetch.Config) {
			config.Event = func(e fetch.Event) {
				if e.Path == "/"+name {
					down.Add(e.Down)
				}
			}
		})
		rev, err := c.Resolve(t.Context(), locate(t, "https://files.example/"+name))
		if want != "" {
			code(t, err, want)
		} else if err != nil || rev.Locator.Kind != source.File {
			t.Errorf("%s: %+v, %v", name, rev, err)
		}
		if down.Load() > 64<<10 {
			t.Errorf("%s: %d bytes were read", name, down.Load())
		}
		if _, err := os.Stat(filepath.Join(dir, "tmp")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file was made: %v", name, err)
		}
	}
	forge.Fault(fetchtest.Fault{Host: "files.example", Path: "short", Times: 1, Do: fetchtest.Cut(0)})
	_, err := newClient(t, forge).Resolve(t.Context(), locate(t, "https://files.example/short"))
	code(t, err, fetch.WrongContent) // the second time it came
}

// What a name leads to may change: what it was is only tried first.
func TestAddressThatBecameAnotherThing(t *testing.T) {
	forge := fetchtest.New(t, street)
	dir := t.TempDir()
	resolve(t, newClient(t, forge, in(t, dir)), "https://site.example/docs")
	forge.Add("-- @archive site.example/docs type=application/zip --\n-- pdf/SKILL.md --\nx\n-- @site site.example --\n-- docs/" + indexPath + " --\ngone\n")
	if rev := resolve(t, newClient(t, forge, in(t, dir)), "https://site.example/docs"); rev.Locator.Kind != source.Archive {
		t.Errorf("%+v", rev)
	}
}

func TestLockedDigestOfAnArchiveAtAnAddress(t *testing.T) {
	forge := fetchtest.New(t, street)
	dir := t.TempDir()
	c := newClient(t, forge, in(t, dir))
	l := locate(t, "https://files.example/latest")
	tree := fetchTree(t, c, resolve(t, c, l.Input))
	digests := map[string]string{"skills/pdf": tree.Digest("skills/pdf")}
	if want := sum(t, forge, l.URL); digests["skills/pdf"] != want {
		t.Errorf("digest %q, want %q", digests["skills/pdf"], want)
	}
	forge.Reset()
	for _, c := range []*fetch.Client{newClient(t, forge, in(t, dir)), newClient(t, forge, in(t, dir), offline)} {
		tree, err := c.FetchTrees(context.Background(), l, digests)
		if err != nil {
			t.Fatal(err)
		}
		read(t, tree, "skills/pdf/SKILL.md")
	}
	requests(t, forge, 0)
	if _, err := newClient(t, forge).FetchTrees(context.Background(), l, digests); err != nil {
		t.Error(err)
	}
	forge.Add("-- @archive files.example/latest --\n-- SKILL.md --\nx\n")
	_, err := newClient(t, forge).FetchTrees(context.Background(), l, digests)
	code(t, err, fetch.Integrity)
	forge.Add("-- @repo files.example/latest --\n-- SKILL.md --\nx\n")
	_, err = newClient(t, forge).FetchTrees(context.Background(), l, digests)
	code(t, err, fetch.Integrity)
}

// A file at the address of an archive is not what the lock knows, and the store does not learn that it is.
func TestLockedDigestOfWhatIsOneFileNow(t *testing.T) {
	forge := fetchtest.New(t, street)
	l := locate(t, "https://files.example/latest")
	locked := map[string]string{"skills/pdf": sum(t, forge, l.URL)}
	forge.Add("-- @site files.example --\n-- latest type=text/markdown --\n---\nname: pdf\ndescription: Is another.\n---\n")
	dir := t.TempDir()
	for _, digests := range []map[string]string{locked, {"": locked["skills/pdf"]}} {
		_, err := newClient(t, forge, in(t, dir)).FetchTrees(context.Background(), l, digests)
		if e := code(t, err, fetch.Integrity); !strings.Contains(e.Error(), l.URL) {
			t.Errorf("error %q", e)
		}
	}
	asFile := l
	asFile.Kind = source.File
	_, err := newClient(t, forge, in(t, dir)).FetchTrees(context.Background(), asFile, locked)
	code(t, err, fetch.Integrity)
	forge.Add(street)
	tree, err := newClient(t, forge, in(t, dir)).FetchTrees(context.Background(), l, locked)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, tree, "skills/pdf/SKILL.md"); got != "---\nname: pdf\ndescription: Reads PDF files.\n---\n" {
		t.Errorf("%q", got)
	}
}

// A lock may know directories of one archive from several of its states, for they were not added at once: each is what its digest says.
func TestLockedDigestsOfSeveralStatesOfAnArchive(t *testing.T) {
	state := func(description string) string {
		return "-- @archive files.example/latest type=application/gzip --\n-- skills/a/SKILL.md --\n" + description + " a\n-- skills/b/SKILL.md --\n" + description + " b\n"
	}
	forge := fetchtest.New(t, state("old"))
	dir := t.TempDir()
	l := locate(t, "https://files.example/latest")
	before := resolve(t, newClient(t, forge, in(t, dir)), l.Input).Digest
	forge.Add(state("new"))
	after := sum(t, forge, l.URL)
	asArchive := l
	asArchive.Kind = source.Archive
	digests := map[string]string{"skills/a": before, "skills/b": after}
	for range 8 { // the order of a map is another each time
		for _, l := range []source.Locator{l, asArchive} { // where the old state is in the store
			tree, err := newClient(t, forge, in(t, dir)).FetchTrees(t.Context(), l, digests)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := read(t, tree, "skills/a/SKILL.md"), read(t, tree, "skills/b/SKILL.md"); a != "old a\n" || b != "new b\n" {
				t.Errorf("%q, %q", a, b)
			}
			if tree.Digest("skills/a") != before || tree.Digest("skills/b/SKILL.md") != after {
				t.Errorf("digests %q, %q", tree.Digest("skills/a"), tree.Digest("skills/b/SKILL.md"))
			}
		}
	}
	forge.Reset()
	if _, err := newClient(t, forge, in(t, dir), offline).FetchTrees(t.Context(), l, digests); err != nil {
		t.Error(err)
	}
	requests(t, forge, 0)

	for _, l := range []source.Locator{l, asArchive} { // where nobody has it any more
		tree, err := newClient(t, forge).FetchTrees(t.Context(), l, digests)
		if err != nil {
			t.Fatal(err)
		}
		if b := read(t, tree, "skills/b/SKILL.md"); b != "new b\n" {
			t.Errorf("%q", b)
		}
		_, err = fs.ReadFile(tree.FS(), "skills/a/SKILL.md")
		code(t, err, fetch.Integrity)
		code(t, tree.Load(t.Context(), "skills/a"), fetch.Integrity)
		tree, err = newClient(t, forge).FetchTrees(t.Context(), l, map[string]string{"skills/a": before, "skills/b": noSum})
		if err != nil {
			t.Fatal(err)
		}
		for name, digest := range map[string]string{"skills/a": before, "skills/b": noSum} {
			_, err = fs.ReadFile(tree.FS(), name+"/SKILL.md")
			code(t, err, fetch.Integrity)
			if !strings.Contains(err.Error(), "expected "+digest) {
				t.Errorf("error of %s: %v", name, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newClient(t, forge).FetchTrees(ctx, asArchive, digests); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
