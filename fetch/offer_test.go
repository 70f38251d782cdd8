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

// ofSite is what a client keeps of a site.
func ofSite(t *testing.T, c *Client) *artifact {
	t.Helper()
	a, err := c.storedSite(source.Revision{Locator: source.Locator{Kind: source.Site, Host: "site.example", URL: "https://site.example"}})
	if err != nil {
		t.Fatal(err)
	}
	return a
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
	a := ofSite(t, c)
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
	a = ofSite(t, c)
	o := newOffer(a, lockedIndex(a.rev.Locator, digests))
	files, err := filepath.Glob(filepath.Join(dir, "facts", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	for _, e := range o.index.Entries {
		if o.lacks(e.Digest) {
			t.Errorf("%s is not known", e.Name)
		}
	}
}

// An index of 8 MB takes its time to be read, and is opened for every call.
func TestAnIndexIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	c := storing(t, dir)
	a := ofSite(t, c)
	data := []byte(`{"skills":[{"name":"a","files":["SKILL.md"]},{"name":"b","files":["SKILL.md"]}]}`)
	index, err := usableIndex(a.rev.Locator, "https://site.example/.well-known/skills/index.json", data)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := a.keepIndex(t.Context(), index, data)
	if err != nil {
		t.Fatal(err)
	}
	part := source.Locator{Kind: source.Site, Host: "site.example", URL: "https://site.example/b", Path: "b"}
	for _, c := range []*Client{c, storing(t, dir)} {
		var first *site.Index
		for range 2 {
			o, err := c.openSite(rev)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = o.index
			}
			if o.index != first || len(first.Entries) != 2 {
				t.Errorf("%d entries, read again %v", len(first.Entries), o.index != first)
			}
			if meant, reduced := below(o.index, part); !reduced || len(meant.Entries) != 1 || meant.Entries[0].Name != "b" {
				t.Errorf("%+v", meant) // which leaves the index whole
			}
		}
	}
}

// The address of a tarball is replaced where it is one of the public registry, not where it begins like one.
func TestTarballsOfThePublicRegistryComeFromTheMirror(t *testing.T) {
	for _, test := range [][3]string{
		{"https://registry.npmjs.org/x/-/x-1.tgz", "https://npm.corp.example/base/", "https://npm.corp.example/base/x/-/x-1.tgz"},
		{"https://Registry.npmjs.org:443/x/-/x-1.tgz?v=1", "https://npm.corp.example", "https://npm.corp.example/x/-/x-1.tgz?v=1"},
		{"https://registry.npmjs.org.evil.example/x.tgz", "https://npm.corp.example", "https://registry.npmjs.org.evil.example/x.tgz"},
		{"https://registry.npmjs.org@evil.example/x.tgz", "https://npm.corp.example", "https://registry.npmjs.org@evil.example/x.tgz"},
		{"https://registry.npmjs.org/x/-/x-1.tgz", "https://registry.npmjs.org.corp.example", "https://registry.npmjs.org.corp.example/x/-/x-1.tgz"},
		{"https://registry.npmjs.org/x/-/x-1.tgz", "https://registry.npmjs.org/", "https://registry.npmjs.org/x/-/x-1.tgz"},
		{"https://cdn.example/x.tgz", "https://npm.corp.example", "https://cdn.example/x.tgz"},
	} {
		if got := mirrored(test[0], test[1]); got != test[2] {
			t.Errorf("%s in %s: %s, want %s", test[0], test[1], got, test[2])
		}
	}
}

// Anybody may lead to public hosts and their services, and to nothing else that a client trusts.
func TestHostsToWhichAnybodyMayLead(t *testing.T) {
	hosts := source.DefaultHosts().With(source.Host{Name: "git.corp.example", Kind: source.GitHub, AllowPort: true}).
		With(source.Host{Name: "gitlab.com", Kind: source.GitLab, API: "https://api.corp.example"})
	c, err := New(Config{Hosts: hosts, Registries: map[string]string{"": "https://NPM.corp.example:443/base"},
		Settings: map[string]HostSettings{"github.com": {}, "mine.example": {}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github.com", "git.corp.example", "gitlab.com"} {
		host, _ := hosts.Lookup(name)
		c.trust(host, source.Locator{Kind: source.Git, Host: name, Owner: "o", Repo: "r"})
	}
	for host, want := range map[string]bool{
		"github.com": true, "codeload.github.com": true, "raw.githubusercontent.com": true, "gitlab.com": true,
		"github.com:8443": false, "github1s.com": false, "git.corp.example": false, "git.corp.example:8443": false, "api.corp.example": false,
		"npm.corp.example": false, "mine.example": false, "": false,
	} {
		if c.shared(host) != want {
			t.Errorf("%q: shared %v", host, !want)
		}
	}
	if !c.trusted("npm.corp.example") {
		t.Error("the registry is not trusted in the one spelling that is asked for")
	}
}
