package fetch_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

// undigested are sources of which nothing has a digest.
const undigested = `
-- @site cdn.example --
-- lint/SKILL.md type=text/markdown --
---
name: lint
---
first
-- @discovery site.example version=0.1.0 --
-- a/SKILL.md --
first a
-- a/more/b.md --
more
-- c/SKILL.md --
first c
`

// gitTree asks git for the id of a tree of files.
func gitTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var out []byte
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "-A"}, {"write-tree"}} {
		command := exec.Command("git", arguments...)
		command.Dir = dir
		var err error
		if out, err = command.Output(); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSpace(string(out))
}

// treeID is what a tree says of a directory.
func treeID(t *testing.T, tree *fetch.Tree, name string) string {
	t.Helper()
	id, _ := tree.FS().(interface{ ObjectID(string) (string, bool) }).ObjectID(name)
	return id
}

// What was brought once is had by its git tree id, whatever was looked at since then and whoever answers.
func TestWithoutADigestTheTreeIDIsEnough(t *testing.T) {
	forge, dir := fetchtest.New(t, undigested), t.TempDir()
	c := newClient(t, forge, in(t, dir))
	file, site := locate(t, "https://cdn.example/lint/SKILL.md"), locate(t, "https://site.example")
	want := map[string]string{
		"":  gitTree(t, map[string]string{"SKILL.md": "---\nname: lint\n---\nfirst\n"}),
		"a": gitTree(t, map[string]string{"SKILL.md": "first a\n", "more/b.md": "more\n"}),
	}
	bring(t, c, file, "", want[""])
	bring(t, c, site, "a", want["a"])
	forge.Add(strings.ReplaceAll(undigested, "first", "second"))
	now := newClient(t, forge, in(t, dir)) // looks at what is newer
	bring(t, now, file, "", gitTree(t, map[string]string{"SKILL.md": "---\nname: lint\n---\nsecond\n"}))
	bring(t, now, site, "a", gitTree(t, map[string]string{"SKILL.md": "second a\n", "more/b.md": "more\n"}))
	forge.Reset()
	for _, change := range []func(*fetch.Config){func(*fetch.Config) {}, offline} {
		c := newClient(t, forge, in(t, dir), change)
		tree, err := c.FetchTrees(t.Context(), file, map[string]string{"": want[""]})
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, tree, "SKILL.md"); !strings.HasSuffix(text, "first\n") || tree.Digest("") != "" || tree.Revision().Tree != want[""] {
			t.Errorf("%q, digest %q, revision %+v", text, tree.Digest(""), tree.Revision())
		}
		if tree, err = c.FetchTrees(t.Context(), site, map[string]string{"a": want["a"]}); err != nil {
			t.Fatal(err)
		}
		if text := read(t, tree, "a/SKILL.md"); text != "first a\n" || tree.Digest("a") != "" || treeID(t, tree, "a") != want["a"] {
			t.Errorf("%q, digest %q, id %q", text, tree.Digest("a"), treeID(t, tree, "a"))
		}
	}
	requests(t, forge, 0)

	// Of a site what is here comes from here, and the rest as it is now; what is nowhere tells so.
	none := strings.Repeat("1", 40)
	tree, err := newClient(t, forge, in(t, dir)).FetchTrees(t.Context(), site, map[string]string{"a": want["a"], "c": none, "d": none})
	if err != nil {
		t.Fatal(err)
	}
	if a, c := read(t, tree, "a/SKILL.md"), read(t, tree, "c/SKILL.md"); a != "first a\n" || c != "second c\n" || treeID(t, tree, "c") == none {
		t.Errorf("%q, %q", a, c)
	}
	_, err = fs.ReadFile(tree.FS(), "d/SKILL.md")
	code(t, err, fetch.NotFound)
	for _, l := range []source.Locator{file, site} {
		_, err = newClient(t, forge, offline).FetchTrees(t.Context(), l, map[string]string{"a": none})
		code(t, err, fetch.Offline)
	}
}

// bring brings a directory, which has the id that git gives it.
func bring(t *testing.T, c *fetch.Client, l source.Locator, path, want string) {
	t.Helper()
	rev, err := c.Resolve(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	tree := fetchTree(t, c, rev)
	if err := tree.Load(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	name := path
	if name == "" {
		name = "."
	}
	if id := treeID(t, tree, name); id != want {
		t.Errorf("%s has the id %q, git says %q", l.URL, id, want)
	}
}
