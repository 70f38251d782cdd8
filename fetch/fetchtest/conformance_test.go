package fetchtest_test

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"skills/fetch/fetchtest"
)

// file is what every way must agree on.
type file struct {
	kind    string // "-" a file, "x" an executable one, "l" a link
	content string
}

// randomTree makes files with odd names, deep directories, links and binary contents. The same seed makes the same tree.
func randomTree(seed uint64) fstest.MapFS {
	random, tree := rand.New(rand.NewPCG(seed, seed)), fstest.MapFS{}
	names := []string{"a", "b c", "ü", "#1", "50%", "q?x", "x+y", "-dash", "UPPER", ".dot", "semi;colon", "a'b", `a"b`, "tab\tbed", "long" + strings.Repeat("g", 120)}
	modes := []fs.FileMode{0o644, 0o755, fs.ModeSymlink | 0o777}
	for i := range 60 {
		parts := []string{fmt.Sprint("d", random.IntN(4))}
		for range random.IntN(4) {
			parts = append(parts, names[random.IntN(len(names))]+"-d")
		}
		content := make([]byte, random.IntN(2000))
		for j := range content {
			content[j] = byte(random.Uint32())
		}
		mode := modes[random.IntN(len(modes))]
		if mode&fs.ModeSymlink != 0 {
			content = []byte(strings.Repeat("../", random.IntN(4)) + fmt.Sprint("target", random.IntN(100)))
		}
		name := path.Join(append(parts, fmt.Sprint(names[random.IntN(len(names))], i))...)
		tree[name] = &fstest.MapFile{Data: content, Mode: mode}
	}
	return tree
}

func expected(tree fstest.MapFS) map[string]file {
	files := map[string]file{}
	for name, f := range tree {
		files[name] = file{map[fs.FileMode]string{0o644: "-", 0o755: "x", fs.ModeSymlink | 0o777: "l"}[f.Mode], string(f.Data)}
	}
	return files
}

func fromClone(t *testing.T, f *fetchtest.Forge) map[string]file {
	t.Helper()
	dir, files := clone(t, f, "https://github.com/acme/random"), map[string]file{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(name)
			files[relative] = file{"l", target}
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		kind := "-"
		if info.Mode()&0o111 != 0 {
			kind = "x"
		}
		files[relative] = file{kind, read(t, name)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func fromArchive(t *testing.T, f *fetchtest.Forge) map[string]file {
	t.Helper()
	headers, contents, _ := unpack(t, get(t, f.Client(), "https://codeload.github.com/acme/random/tar.gz/main").body)
	files := map[string]file{}
	for name, h := range headers {
		relative := strings.TrimPrefix(name, "random-main/")
		switch {
		case h.Typeflag == tar.TypeSymlink:
			files[relative] = file{"l", h.Linkname}
		case h.Typeflag == tar.TypeReg && h.Mode&0o111 != 0:
			files[relative] = file{"x", contents[name]}
		case h.Typeflag == tar.TypeReg:
			files[relative] = file{"-", contents[name]}
		}
	}
	return files
}

// fromListing takes the listing from the API and the contents from the host of raw files.
func fromListing(t *testing.T, f *fetchtest.Forge) map[string]file {
	t.Helper()
	var listing struct {
		SHA  string
		Tree []struct {
			Path, Mode, Type string
			Size             int
		}
	}
	body := get(t, f.Client(), "https://api.github.com/repos/acme/random/git/trees/main?recursive=1").body
	if err := json.Unmarshal([]byte(body), &listing); err != nil {
		t.Fatal(err)
	}
	equal(t, "id of the tree", listing.SHA, f.Repo("github.com/acme/random").ID("main^{tree}"))
	files := map[string]file{}
	for _, e := range listing.Tree {
		if e.Type != "blob" {
			continue
		}
		address := url.URL{Scheme: "https", Host: "raw.githubusercontent.com", Path: "/acme/random/main/" + e.Path}
		a := get(t, f.Client(), address.String())
		equal(t, e.Path+" status", a.StatusCode, 200)
		equal(t, e.Path+" size", len(a.body), e.Size)
		files[e.Path] = file{map[string]string{"100644": "-", "100755": "x", "120000": "l"}[e.Mode], a.body}
	}
	return files
}

// The same tree comes back by every way in which the forge gives it.
func TestEveryWayGivesTheSameFiles(t *testing.T) {
	for seed := range uint64(3) {
		tree := randomTree(seed)
		f := fetchtest.New(t)
		f.AddFS("github.com/acme/random", tree)
		want := expected(tree)
		for way, got := range map[string]map[string]file{"clone": fromClone(t, f), "archive": fromArchive(t, f), "listing": fromListing(t, f)} {
			equal(t, fmt.Sprint("seed ", seed, " ", way, ", files"), len(got), len(want))
			for name, file := range want {
				if got[name] != file {
					t.Errorf("seed %d, %s: %q is %.60q, want %.60q", seed, way, name, got[name], file)
				}
			}
		}
	}
}

// Several repositories in one text, gone back to in the same text.
func TestRepositoriesAndBranchesCanBeGoneBackTo(t *testing.T) {
	f := fetchtest.New(t, `
-- @repo github.com/acme/one --
-- a --
1
-- @branch side --
-- b --
2
-- @branch main --
-- c --
3
-- @repo github.com/acme/two --
-- a --
1
-- @repo github.com/acme/one --
-- d --
4
-- @branch side --
-- a exec --
1
-- b delete --
`)
	one, two := f.Repo("github.com/acme/one"), f.Repo("github.com/acme/two.git")
	list := func(repo *fetchtest.Repo, branch string) string {
		return git(t, f, "", "--git-dir="+repo.GitDir(), "ls-tree", "-r", "--format=%(objectmode) %(path)", branch)
	}
	equal(t, "main", list(one, "main"), "100644 a\n100644 c\n100644 d\n")
	equal(t, "side", list(one, "side"), "100755 a\n")
	equal(t, "side before", list(one, "side~1"), "100644 a\n100644 b\n")
	equal(t, "fork", one.ID("main~2"), one.ID("side~2"))
	equal(t, "first commits of equal repositories", two.ID("main"), one.ID("main~2"))
	equal(t, "refs", git(t, f, "", "ls-remote", "--heads", "https://github.com/acme/two"), two.ID("main")+"\trefs/heads/main\n")
}
