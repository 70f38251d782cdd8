package fetch_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

const links = `
-- @repo github.com/acme/links --
-- real/SKILL.md --
real
-- real/run exec --
run
-- alias symlink --
real
-- dir/SKILL.md symlink --
../real/SKILL.md
-- dir/chain symlink --
SKILL.md
-- dir/abs symlink --
/etc/passwd
-- dir/out symlink --
../../outside
-- dir/dangling symlink --
nowhere
-- dir/loop symlink --
loop
-- module gitlink --
`

func linksTree(t *testing.T, paths ...string) (*fetch.Tree, *fetchtest.Forge) {
	t.Helper()
	forge := fetchtest.New(t, links)
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "acme/links"))
	load(t, tree, paths...)
	return tree, forge
}

func TestFileSystemKeepsTheRulesOfFS(t *testing.T) {
	forge := fetchtest.New(t, zooText())
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "zoo/skills"))
	load(t, tree, ".")
	if err := fstest.TestFS(tree.FS(), "skills/a/SKILL.md", "skills/a/link", "skills/über/with blank", "README.md"); err != nil {
		t.Error(err)
	}
}

func TestListingIsCompleteBeforeAnythingIsLoaded(t *testing.T) {
	tree, forge := linksTree(t)
	files := tree.FS()
	modes := map[string]fs.FileMode{
		".": fs.ModeDir | 0o755, "real": fs.ModeDir | 0o755, "real/SKILL.md": 0o644, "real/run": 0o755,
		"alias": fs.ModeSymlink | 0o777, "module": fs.ModeIrregular,
	}
	for name, want := range modes {
		info, err := files.(fs.ReadLinkFS).Lstat(name)
		if err != nil || info.Mode() != want || info.Size() != 0 && !info.IsDir() || info.IsDir() != want.IsDir() {
			t.Errorf("%s: %v, %v; want mode %v", name, info, err, want)
		}
	}
	for _, name := range []string{"real/SKILL.md", "real/run"} {
		if _, err := files.Open(name); !errors.Is(err, fetch.ErrNotLoaded) {
			t.Errorf("open %s: %v", name, err)
		}
	}
	if _, err := files.(fs.ReadLinkFS).ReadLink("alias"); !errors.Is(err, fetch.ErrNotLoaded) {
		t.Errorf("a link that was not loaded: %v", err)
	}
	if _, err := files.Open("module"); err == nil {
		t.Error("a submodule opens")
	}
	ids := files.(interface {
		ObjectID(string) (string, bool)
	})
	for name, revision := range map[string]string{".": "main^{tree}", "real": "main:real", "real/run": "main:real/run", "module": "main:module"} {
		if id, ok := ids.ObjectID(name); !ok || id != forge.Repo("github.com/acme/links").ID(revision) {
			t.Errorf("%s has id %q", name, id)
		}
	}
	for _, name := range []string{"none", "../x", "/abs", ""} {
		if id, ok := ids.ObjectID(name); ok {
			t.Errorf("%q has id %s", name, id)
		}
	}
}

func TestLinksAreFollowedInsideTheTree(t *testing.T) {
	tree, _ := linksTree(t, ".")
	for name, want := range map[string]string{"real/SKILL.md": "real\n", "dir/SKILL.md": "real\n", "dir/chain": "real\n"} {
		if got := read(t, tree, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	entries, err := fs.ReadDir(tree.FS(), "alias")
	if err != nil || len(entries) != 2 {
		t.Errorf("a link to a directory: %v, %v", entries, err)
	}
	for _, name := range []string{"dir/abs", "dir/out", "dir/dangling", "dir/loop"} {
		if _, err := fs.ReadFile(tree.FS(), name); err == nil {
			t.Errorf("%s leads somewhere", name)
		}
		if _, err := fs.Stat(tree.FS(), name); err == nil {
			t.Errorf("%s leads somewhere", name)
		}
		if target, err := tree.FS().(fs.ReadLinkFS).ReadLink(name); err != nil || target == "" {
			t.Errorf("%s: %q, %v", name, target, err)
		}
	}
	if _, err := tree.FS().(fs.ReadLinkFS).ReadLink("real/run"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a file read as a link: %v", err)
	}
}

func TestLoadingALinkBringsWhatItPointsAt(t *testing.T) {
	tree, forge := linksTree(t)
	forge.Reset()
	load(t, tree, "dir/chain", "dir/abs", "dir/out", "dir/dangling", "dir/loop")
	if got := read(t, tree, "dir/chain"); got != "real\n" {
		t.Errorf("content %q", got)
	}
	if _, err := tree.FS().Open("real/run"); !errors.Is(err, fetch.ErrNotLoaded) {
		t.Errorf("what no link points at: %v", err)
	}
	requests(t, forge, 2) // the links, all of whose directory comes, and the target of the last
}

func TestLoadingNothingIsNoRequest(t *testing.T) {
	tree, forge := linksTree(t)
	forge.Reset()
	load(t, tree)
	load(t, tree, "module")
	requests(t, forge, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := tree.Load(ctx, "real"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// No path is nothing, and the root is everything, however it is written.
func TestLoadOfNothingAndOfEverything(t *testing.T) {
	forge := fetchtest.New(t, acme)
	for _, root := range []string{"", "."} {
		c := newClient(t, forge)
		tree := fetchTree(t, c, resolve(t, c, "acme/skills"))
		load(t, tree)
		if _, err := fs.ReadFile(tree.FS(), "README.md"); !errors.Is(err, fetch.ErrNotLoaded) {
			t.Errorf("error %v", err)
		}
		load(t, tree, root)
		for _, name := range []string{"README.md", "skills/pdf/sub/notes.md"} {
			if _, err := fs.ReadFile(tree.FS(), name); err != nil {
				t.Errorf("%q: %v", root, err)
			}
		}
	}
}
