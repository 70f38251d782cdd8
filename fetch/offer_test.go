package fetch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/fetch/internal/site"
	"skills/fetch/store"
	"skills/source"
)

// storing is a client of a store in a directory, which asks nobody.
func storing(t *testing.T, dir string) *Client {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := New(Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An index of 1,300 skills with 1,000 files each took a minute to be shown: files were sorted again after every one.
func TestFilesOfAnEntryAreSortedOnce(t *testing.T) {
	e := site.Entry{Name: "x", Kind: site.Files, Files: []string{"a/z/1", "SKILL.md", "a.txt", "a/2", "a-b"}}
	for i := range 20_000 {
		e.Files = append(e.Files, fmt.Sprintf("f%05d", 99_999-i))
	}
	start := time.Now()
	n := (&offer{}).placeholder(e)
	if took := time.Since(start); took > 2*time.Second { // 10 ms; 5 s when each is sorted in
		t.Errorf("took %v", took)
	}
	if n.files() != len(e.Files) || n.find("a/z/1") == nil || n.find("a/2") == nil || n.find("f80000") == nil {
		t.Errorf("%d files", n.files())
	}
	for _, dir := range []*node{n, n.find("a")} {
		if !slices.IsSortedFunc(dir.children, byName) {
			t.Errorf("%q is not sorted", dir.name)
		}
	}
}

// What the store knows of an artifact is read once, not for each of 10,000 entries.
func TestFactsOfASiteAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	c := storing(t, dir)
	rev := source.Revision{Locator: source.Locator{Kind: source.Site, Host: "site.example", URL: "https://site.example"}}
	a, err := c.storedSite(rev)
	if err != nil {
		t.Fatal(err)
	}
	root, _, err := a.write(t.Context(), map[string][]byte{"SKILL.md": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]string{}
	for i := range 3 {
		digests[fmt.Sprint("skill", i)] = "sha256:" + strings.Repeat(fmt.Sprint(i), 64)
		a.rev.Digest = digests[fmt.Sprint("skill", i)]
		a.remember(root)
	}
	if a, err = c.storedSite(rev); err != nil {
		t.Fatal(err)
	}
	o := newOffer(a, lockedIndex(rev.Locator, digests))
	files, err := filepath.Glob(filepath.Join(dir, "facts", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	for _, e := range o.index.Entries {
		if !o.has(e) {
			t.Errorf("%s is not known", e.Name)
		}
	}
}
