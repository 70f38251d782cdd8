package fetch_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/fetch/store"
	"skills/source"
)

// acme is a repository with two skills and what lies around them.
const acme = `
-- @repo github.com/acme/skills --
-- README.md --
Read me.
-- skills/docx/SKILL.md --
---
name: docx
description: Reads DOCX files.
---
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- skills/pdf/run.sh exec --
#!/bin/sh
-- skills/pdf/sub/notes.md --
Notes.
-- @tag v1 --
`

const acmeName = "github.com/acme/skills"

// hosts are those that a client of a test reaches: all of them are the forge.
func hosts() []string {
	return []string{"github.com", "codeload.github.com", "api.github.com", "gitlab.com", "plain.example", "files.example", "site.example", "cdn.example",
		"registry.npmjs.org", "npm.corp.example"}
}

// newClient makes a client with an empty store that reaches the forge and nothing else.
func newClient(t testing.TB, forge *fetchtest.Forge, change ...func(*fetch.Config)) *fetch.Client {
	t.Helper()
	config := fetch.Config{Store: newStore(t, t.TempDir()), Settings: map[string]fetch.HostSettings{}}
	for _, host := range hosts() {
		config.Settings[host] = fetch.HostSettings{Connect: forge.Addr(), CA: forge.CA()}
	}
	for _, c := range change {
		c(&config)
	}
	c, err := fetch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newStore(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// in makes clients use the store in a directory.
func in(t testing.TB, dir string) func(*fetch.Config) {
	return func(c *fetch.Config) { c.Store = newStore(t, dir) }
}

func offline(c *fetch.Config) { c.Offline = true }

func locate(t testing.TB, text string) source.Locator {
	t.Helper()
	l, err := source.Parse(text, source.DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func resolve(t testing.TB, c *fetch.Client, text string) source.Revision {
	t.Helper()
	rev, err := c.Resolve(context.Background(), locate(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func fetchTree(t testing.TB, c *fetch.Client, rev source.Revision) *fetch.Tree {
	t.Helper()
	tree, err := c.Fetch(context.Background(), rev)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func load(t testing.TB, tree *fetch.Tree, paths ...string) {
	t.Helper()
	if err := tree.Load(context.Background(), paths...); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, tree *fetch.Tree, name string) string {
	t.Helper()
	data, err := fs.ReadFile(tree.FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// requests checks how many requests the forge has seen since the last check.
func requests(t testing.TB, forge *fetchtest.Forge, want int) {
	t.Helper()
	log := forge.Requests()
	if len(log) != want {
		t.Errorf("%d requests, want %d:", len(log), want)
		for _, r := range log {
			t.Logf("%s %s%s %s %q: %d, %d up, %d down", r.Method, r.Host, r.Path, r.Command, r.Arguments, r.Status, r.Up, r.Down)
		}
	}
	forge.Reset()
}

// code checks the code of an error, and that it says something.
func code(t testing.TB, err error, want fetch.Code) *fetch.Error {
	t.Helper()
	var e *fetch.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want code %s", err, want)
	}
	if e.Kind != want || e.Error() == "" {
		t.Fatalf("error %q has code %s, want %s", e, e.Kind, want)
	}
	return e
}

// listing is a tree in lines "mode path content", as ls gives it.
func listing(t testing.TB, files fs.FS, root string) string {
	t.Helper()
	var lines []string
	err := fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = files.(fs.ReadLinkFS).ReadLink(name)
			data = []byte(target)
		case info.Mode()&fs.ModeIrregular == 0:
			data, err = fs.ReadFile(files, name)
		}
		kind := map[bool]string{false: "-", true: "x"}[info.Mode()&0o111 != 0]
		if !info.Mode().IsRegular() {
			kind = info.Mode().Type().String()[:1]
		}
		lines = append(lines, line(kind, name, string(data)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func line(kind, name, data string) string {
	if len(data) > 60 {
		data = fmt.Sprintf("%d bytes, %x", len(data), sha256.Sum256([]byte(data)))
	}
	return fmt.Sprintf("%s %q %q\n", kind, name, data)
}

// gitListing is the same of a revision, as git itself has it.
func gitListing(t testing.TB, dir, revision, below string) string {
	t.Helper()
	var lines []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(git(t, dir, "ls-tree", "-r", "-z", revision, "--", below), "\x00"), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(head)
		data := ""
		if fields[1] == "blob" {
			data = git(t, dir, "cat-file", "blob", fields[2])
		}
		kind := map[string]string{"100644": "-", "100755": "x", "120000": "L", "160000": "?"}[fields[0]]
		lines = append(lines, line(kind, name, data))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir=" + dir, "-c", "safe.directory=*"}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// sane checks that a store holds nothing half-written.
func sane(t testing.TB, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*", "*", "tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the store: %v, %v", left, err)
	}
}

// names are those of a directory, parted by blanks.
func names(t testing.TB, files fs.FS, dir string) string {
	t.Helper()
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// sorted sorts lines by their bytes, as listing does.
func sorted(text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func bodyOf(t testing.TB, resp *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
