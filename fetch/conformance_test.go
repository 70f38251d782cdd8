package fetch_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/source"
)

// zoo has what transports may disagree about: modes, links, names whose order in a tree is not that of their bytes, names that
// are not ASCII, an empty file, bytes that are no text, line ends, equal files, files alike enough for deltas.
const zoo = `
-- @repo github.com/zoo/skills --
-- README.md --
Read me.
-- skills/SKILL.md --
---
name: skills
description: Makes the directory one that a site can offer.
---
-- skills/a/SKILL.md --
---
name: a
description: The first.
---
-- skills/a/run exec --
#!/bin/sh
echo a
-- skills/a/empty base64 --
-- skills/a/bytes base64 --
AAECA/8KDQo=
-- skills/a/link symlink --
run
-- skills/a.b/SKILL.md --
---
name: a.b
description: Sorts before a/ in one order and behind it in the other.
---
-- skills/a-b --
A file between directories.
-- skills/a0 --
Another.
-- "skills/\u00fcber/\u65e5\u672c.md" --
Not ASCII.
-- "skills/\u00fcber/with blank" --
A blank.
-- skills/z/one/two/three/copy exec --
#!/bin/sh
echo a
-- skills/z/long.md base64 --
%s
-- skills/z/longer.md base64 --
%s
-- @tag v1 --
The first release.
`

// A host that serves nothing but git.
const plainName = "plain.example/zoo/skills"

func zooText() string {
	long := strings.Repeat("Line that two files share, with a number: 1234567890.\r\n", 300)
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	text := fmt.Sprintf(zoo, encode(long), encode(long+"and more"))
	return text + strings.Replace(text, zooName, plainName, 1)
}

const zooName = "github.com/zoo/skills"

// transport is one way to get a tree: it prepares the forge, and says what the client needs.
type transport struct {
	settings fetchtest.Settings
	faults   []fetchtest.Fault
	config   func(*testing.T, *fetchtest.Forge, *fetch.Config)
	fetch    func(*testing.T, *fetch.Client, *fetchtest.Forge) *fetch.Tree
	uses     string // what the log must show: the command of a request, or its host
	noIDs    bool   // the source knows no git ids
	plain    bool   // from the host that serves nothing but git
}

// blocked refuses git, whatever is asked.
func blocked() []fetchtest.Fault {
	return []fetchtest.Fault{{Host: "github.com", Path: "zoo/skills", Do: fetchtest.Answer(403, "no git here")}}
}

func transports() map[string]transport {
	remember := func(facts ...string) func(*testing.T, *fetchtest.Forge, *fetch.Config) {
		return func(t *testing.T, _ *fetchtest.Forge, c *fetch.Config) {
			for i := 0; i < len(facts); i += 2 {
				if err := c.Store.Remember("git github.com", facts[i], facts[i+1]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return map[string]transport{
		"v2 blob:none":            {uses: "fetch"},
		"v2 combine":              {settings: fetchtest.Settings{Filter: "all"}, config: remember("combine", "yes"), uses: "fetch"},
		"v2 combine refused":      {config: remember("combine", "yes"), uses: "fetch"},
		"v2 without filters":      {settings: fetchtest.Settings{Filter: "none"}, uses: "fetch"},
		"v2 gives commits only":   {settings: fetchtest.Settings{Wants: "commits"}, uses: "fetch"},
		"v2 gives tips only":      {settings: fetchtest.Settings{Wants: "tips"}, uses: "fetch"},
		"v1":                      {settings: fetchtest.Settings{Protocol: "1"}, uses: "upload-pack"},
		"v0":                      {settings: fetchtest.Settings{Protocol: "0"}, uses: "upload-pack", plain: true},
		"v0 without filters":      {settings: fetchtest.Settings{Protocol: "0", Filter: "none", Wants: "tips"}, uses: "upload-pack", plain: true},
		"v2 from a plain host":    {uses: "fetch", plain: true},
		"archive where git fails": {faults: blocked(), uses: "codeload.github.com"},
		"locked trees":            {fetch: locked, uses: "fetch"},
		"locked trees by commit":  {settings: fetchtest.Settings{Wants: "commits"}, fetch: locked, uses: "fetch"},
		"system git":              {settings: fetchtest.Settings{Token: "secret"}, config: systemGit, uses: "fetch"},
		"ssh":                     overSSH(fetchtest.Settings{}, "git@github.com:zoo/skills.git//skills#main", "ls-refs", "fetch", "fetch"),
		"ssh by URL":              overSSH(fetchtest.Settings{}, "ssh://me@github.com:7999/zoo/skills//skills#main", "ls-refs", "fetch", "fetch"),
		"ssh without filters":     overSSH(fetchtest.Settings{Filter: "none"}, "git+ssh://git@github.com/zoo/skills.git//skills#main", "ls-refs", "fetch"),
		"ssh to a plain host":     overSSH(fetchtest.Settings{}, "git@plain.example:zoo/skills//skills#main", "ls-refs", "fetch", "fetch"),
		"ssh in version 0":        overSSH(fetchtest.Settings{Protocol: "0"}, "git@github.com:zoo/skills.git//skills#main", "", "", "upload-pack"),
		"ssh locked trees":        overSSH(fetchtest.Settings{}, "", "fetch"),
		"archive by address":      {fetch: byArchive, uses: "files.example"},
		"zip by address":          {fetch: byZip, uses: "files.example"},
		"archive on this machine": {fetch: localArchive},
		"entry of a site":         {fetch: bySite, uses: "site.example"},
		"npm package":             {fetch: byPackage, uses: "registry.npmjs.org"},
		"directory":               {fetch: localDirectory, noIDs: true},
		"built in":                {config: builtIn, fetch: builtin, noIDs: true},
	}
}

func locked(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	repo := forge.Repo(zooName)
	l := locate(t, "https://github.com/zoo/skills/tree/"+repo.ID("main"))
	tree, err := c.FetchTrees(context.Background(), l, map[string]string{"": repo.ID("main^{tree}")})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// systemGit lets git know a password that the client does not.
func systemGit(t *testing.T, forge *fetchtest.Forge, c *fetch.Config) {
	for name, s := range c.Settings { // git knows nothing of a configured place, but both know a proxy
		s.Connect = ""
		c.Settings[name] = s
	}
	proxy := &url.URL{Scheme: "http", Host: forge.Addr()}
	c.Proxy = func(*http.Request) (*url.URL, error) { return proxy, nil }
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	c.Git = program
	for _, setting := range forge.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "http.https://github.com/.extraHeader")
	t.Setenv("GIT_CONFIG_VALUE_0", "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte("x:secret")))
}

func archiveOf(t *testing.T, forge *fetchtest.Forge) []byte {
	return []byte(git(t, forge.Repo(zooName).GitDir(), "archive", "--format=tar.gz", "main"))
}

func byArchive(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pack.tar.gz"), archiveOf(t, forge), 0o644); err != nil {
		t.Fatal(err)
	}
	forge.AddSite("files.example", os.DirFS(dir))
	return fetchTree(t, c, resolve(t, c, "https://files.example/pack.tar.gz"))
}

// published gives the files of the repository to another directive of the forge, from a name on.
func published(t *testing.T, forge *fetchtest.Forge, directive, from string) {
	text := zooText()
	text = text[strings.Index(text, "-- "+from):strings.Index(text, "-- @tag")]
	forge.Add("-- " + directive + " --\n" + text)
}

func byZip(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	published(t, forge, "@archive files.example/pack.zip", "README.md")
	return fetchTree(t, c, resolve(t, c, "https://files.example/pack.zip"))
}

func bySite(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	published(t, forge, "@discovery site.example", "skills/SKILL.md")
	tree := fetchTree(t, c, resolve(t, c, "https://site.example"))
	load(t, tree, "skills")
	return tree
}

func byPackage(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	published(t, forge, "@npm registry.npmjs.org zoo 1.0.0", "README.md")
	return fetchTree(t, c, resolve(t, c, "npm:zoo"))
}

func localArchive(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	name := filepath.Join(t.TempDir(), "pack.tar.gz")
	if err := os.WriteFile(name, archiveOf(t, forge), 0o644); err != nil {
		t.Fatal(err)
	}
	return fetchTree(t, c, resolve(t, c, name))
}

// checkOut makes a work tree with git itself.
func checkOut(t *testing.T, forge *fetchtest.Forge) string {
	dir := t.TempDir()
	git(t, forge.Repo(zooName).GitDir(), "--work-tree="+dir, "checkout", "-q", "main", "--", ".")
	return dir
}

func localDirectory(t *testing.T, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	return fetchTree(t, c, resolve(t, c, checkOut(t, forge)))
}

func builtIn(t *testing.T, forge *fetchtest.Forge, c *fetch.Config) {
	parent := t.TempDir()
	if err := os.Rename(checkOut(t, forge), filepath.Join(parent, "zoo")); err != nil {
		t.Fatal(err)
	}
	c.Builtin = os.DirFS(parent)
}

func builtin(t *testing.T, c *fetch.Client, _ *fetchtest.Forge) *fetch.Tree {
	return fetchTree(t, c, resolve(t, c, "builtin:zoo"))
}

// eachTransport runs a test for each way, all with one forge.
func eachTransport(t *testing.T, test func(t *testing.T, tr transport, c *fetch.Client, forge *fetchtest.Forge)) {
	forge := fetchtest.New(t, zooText())
	for name, tr := range transports() {
		t.Run(name, func(t *testing.T) {
			for _, repo := range []string{zooName, plainName} {
				forge.Repo(repo).Set(tr.settings)
			}
			for _, f := range tr.faults {
				forge.Fault(f)
			}
			defer forge.Heal()
			forge.Reset()
			dir := t.TempDir()
			c := newClient(t, forge, in(t, dir), func(config *fetch.Config) {
				if tr.config != nil {
					tr.config(t, forge, config)
				}
			})
			test(t, tr, c, forge)
			sane(t, dir)
		})
	}
}

func TestEveryTransportGivesTheSameTree(t *testing.T) {
	eachTransport(t, func(t *testing.T, tr transport, c *fetch.Client, forge *fetchtest.Forge) {
		repo := forge.Repo(zooName)
		tree := get(t, tr, c, forge)
		load(t, tree, "skills")
		if got, want := listing(t, tree.FS(), "skills"), gitListing(t, repo.GitDir(), "main", "skills"); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		checkIDs(t, tree, repo, tr.noIDs)
		if !used(forge, tr.uses) {
			t.Errorf("no request of %q in %+v", tr.uses, forge.Requests())
		}
	})
}

func get(t *testing.T, tr transport, c *fetch.Client, forge *fetchtest.Forge) *fetch.Tree {
	if tr.fetch != nil {
		return tr.fetch(t, c, forge)
	}
	text := "https://github.com/zoo/skills/tree/main/skills"
	if tr.plain {
		text = "git+https://plain.example/zoo/skills//skills#main"
	}
	tree := fetchTree(t, c, resolve(t, c, text))
	if got, want := tree.Revision().Commit, forge.Repo(zooName).ID("main"); got != want {
		t.Errorf("commit %s, want %s", got, want)
	}
	return tree
}

func used(forge *fetchtest.Forge, what string) bool {
	return what == "" || slices.ContainsFunc(forge.Requests(), func(r fetchtest.Request) bool {
		return r.Command == what || r.Host == what
	})
}

// checkIDs compares the ids of a directory, a file and a link with those of git.
func checkIDs(t *testing.T, tree *fetch.Tree, repo *fetchtest.Repo, none bool) {
	t.Helper()
	files, ok := tree.FS().(interface {
		ObjectID(string) (string, bool)
	})
	if !ok {
		if !none {
			t.Error("the tree has no ids")
		}
		return
	}
	for _, name := range []string{"skills", "skills/a", "skills/a/run", "skills/a/link", "skills/z/one"} {
		if id, _ := files.ObjectID(name); id != repo.ID("main:"+name) {
			t.Errorf("%s has id %q, git says %s", name, id, repo.ID("main:"+name))
		}
	}
}

// digest is the digest of a directory: links replaced, one line a file, sorted by the bytes of the path.
func digest(t *testing.T, files fs.FS, dir string) string {
	t.Helper()
	sub, err := fs.Sub(files, dir)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	err = fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := fs.Stat(sub, name)
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(sub, name)
		kind := map[bool]string{false: "-", true: "x"}[info.Mode()&0o111 != 0]
		lines = append(lines, name+"\x00"+fmt.Sprintf("%x %s %s\n", sha256.Sum256(data), kind, name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	sum := sha256.New()
	for _, line := range lines {
		_, line, _ = strings.Cut(line, "\x00")
		sum.Write([]byte(line))
	}
	return "s1:" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

func TestEveryTransportGivesTheSameDigest(t *testing.T) {
	eachTransport(t, func(t *testing.T, tr transport, c *fetch.Client, forge *fetchtest.Forge) {
		tree := get(t, tr, c, forge)
		load(t, tree, "skills/a")
		if got, want := digest(t, tree.FS(), "skills/a"), digest(t, os.DirFS(checkOut(t, forge)), "skills/a"); got != want {
			t.Errorf("digest %s, want %s", got, want)
		}
	})
}

func TestSSHIsLeftToTheSystemsGit(t *testing.T) {
	forge := fetchtest.New(t, zooText())
	repo := forge.Repo(zooName)
	script := filepath.Join(t.TempDir(), "ssh") // runs the command that ssh would run on the other side
	text := fmt.Sprintf("#!/bin/sh\nfor last; do :; done\nexec git ${last%%%% *}  %q\n", repo.GitDir())
	text = strings.Replace(text, "git ${last%% *}", "${last%% *}", 1)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_SSH", script)
	t.Setenv("GIT_SSH_VARIANT", "simple")
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, forge, func(config *fetch.Config) { config.Git = program })
	rev := resolve(t, c, "git@github.com:zoo/skills.git//skills/a#main")
	if rev.Locator.Transport != source.SSH || rev.Commit != repo.ID("main") {
		t.Errorf("revision %+v", rev)
	}
	tree := fetchTree(t, c, rev)
	load(t, tree, "skills/a")
	if got, want := listing(t, tree.FS(), "skills/a"), gitListing(t, repo.GitDir(), "main", "skills/a"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	requests(t, forge, 0)
}
