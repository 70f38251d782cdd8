package fetchtest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

const acmeURL = "https://github.com/acme/skills"

func TestCloneGivesWhatWasPutIn(t *testing.T) {
	f := fetchtest.New(t, acme)
	dir := clone(t, f, acmeURL)
	git(t, f, dir, "fsck", "--strict")

	equal(t, "changed file", read(t, filepath.Join(dir, "skills/pdf/SKILL.md")), "changed\n")
	equal(t, "file with a blank", read(t, filepath.Join(dir, "with blank.md")), "x\n")
	equal(t, "binary file", read(t, filepath.Join(dir, "bin")), "\x00\x01\x02\xff")
	info, err := os.Stat(filepath.Join(dir, "skills/pdf/run.sh"))
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("run.sh: %v, %v, want an executable file", info, err)
	}
	target, err := os.Readlink(filepath.Join(dir, "skills/link"))
	if err != nil || target != "pdf/SKILL.md" {
		t.Errorf("link: %q, %v", target, err)
	}
	equal(t, "subjects", git(t, f, dir, "log", "--format=%s"), "Second commit\nAdd files\n")
	equal(t, "tags", git(t, f, dir, "for-each-ref", "--format=%(refname:short) %(objecttype) %(contents:subject)", "refs/tags"),
		"v1 commit Add files\nv2 tag Second release.\n")
	equal(t, "branch", git(t, f, dir, "ls-tree", "-r", "--name-only", "origin/feature/x"),
		"only-here.md\nskills/link\nskills/pdf/SKILL.md\nskills/pdf/run.sh\nvendor/x\n")
	equal(t, "gitlink", git(t, f, dir, "ls-tree", "origin/feature/x", "vendor/x"),
		"160000 commit 1111111111111111111111111111111111111111\tvendor/x\n")
	contains(t, "refs", git(t, f, dir, "ls-remote", acmeURL), f.Repo("github.com/acme/skills").ID("feature/x")+"\trefs/pull/1/head")
}

// The same history made by git itself, command by command, has the same ids.
func TestCommitsAreReproducible(t *testing.T) {
	f := fetchtest.New(t, `
-- @repo example.com/a/b --
-- a.txt --
one
-- @commit Two words --
-- b/c.sh exec --
two
`)
	dir := t.TempDir()
	for _, key := range []string{"GIT_AUTHOR", "GIT_COMMITTER"} {
		t.Setenv(key+"_NAME", "Forge")
		t.Setenv(key+"_EMAIL", "forge@example.com")
	}
	at := func(date string) {
		t.Setenv("GIT_AUTHOR_DATE", date)
		t.Setenv("GIT_COMMITTER_DATE", date)
	}
	git(t, f, dir, "init", "--quiet")
	write(t, filepath.Join(dir, "a.txt"), "one\n")
	git(t, f, dir, "add", ".")
	at("2024-01-01T00:00:00Z")
	git(t, f, dir, "commit", "--quiet", "--message", "Add files")
	write(t, filepath.Join(dir, "b/c.sh"), "two\n")
	git(t, f, dir, "add", ".")
	git(t, f, dir, "update-index", "--chmod=+x", "b/c.sh")
	at("2024-01-01T01:00:00Z")
	git(t, f, dir, "commit", "--quiet", "--message", "Two words")

	want := strings.TrimSpace(git(t, f, dir, "rev-parse", "HEAD"))
	equal(t, "commit", f.Repo("example.com/a/b").ID("main"), want)
	equal(t, "the name of a repository, whatever its case", f.Repo("Example.com/A/b").ID("main"), want)
}

func TestAddGoesOnWithARepository(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	first, second, branch := repo.ID("v1"), repo.ID("main"), repo.ID("feature/x")
	f.Add(`
-- @repo github.com/acme/skills --
-- @commit Third --
-- bin delete --
-- @branch feature/x main --
-- @delete refs/pull/1/head --
-- @branch topic v1 --
-- "@odd" --
A name like a directive.
`)
	equal(t, "parent of the new commit", repo.ID("main~1"), second)
	equal(t, "branch set anew", repo.ID("feature/x"), repo.ID("main"))
	equal(t, "parent on a new branch", repo.ID("topic~1"), first)
	dir := clone(t, f, acmeURL)
	if _, err := os.Stat(filepath.Join(dir, "bin")); err == nil {
		t.Error("the deleted file is there")
	}
	contains(t, "quoted name", git(t, f, dir, "ls-tree", "--name-only", "origin/topic"), "@odd\n")
	refs := git(t, f, dir, "ls-remote")
	if strings.Contains(refs, "refs/pull/1/head") || strings.Contains(refs, branch) {
		t.Errorf("the deleted ref or the old tip is still there:\n%s", refs)
	}

	f.Add("-- @repo github.com/acme/skills head=trunk --\n-- new.md --\nOn trunk.\n")
	contains(t, "HEAD", git(t, f, dir, "ls-remote", "--symref", acmeURL, "HEAD"), "ref: refs/heads/trunk\tHEAD")
	equal(t, "parent on the new head", repo.ID("trunk~1"), repo.ID("main"))
}

func TestEmptyRepository(t *testing.T) {
	f := fetchtest.New(t, "-- @repo github.com/acme/empty --\n")
	equal(t, "refs", git(t, f, "", "ls-remote", "https://github.com/acme/empty"), "")
	clone(t, f, "https://github.com/acme/empty")
}

func TestAddFSTakesADirectoryWhole(t *testing.T) {
	f := fetchtest.New(t)
	source := t.TempDir()
	write(t, filepath.Join(source, "skills/a/SKILL.md"), "a")
	write(t, filepath.Join(source, ".git/config"), "not part of it")
	write(t, filepath.Join(source, "run"), "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(source, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside", filepath.Join(source, "link")); err != nil {
		t.Fatal(err)
	}
	repo := f.AddFS("git.example.com/group/sub/repo", os.DirFS(source))
	dir := clone(t, f, "https://git.example.com/group/sub/repo.git")
	want := git(t, f, "", "-c", "core.excludesFile=", "--git-dir="+repo.GitDir(), "ls-tree", "-r", "HEAD")
	equal(t, "clone", git(t, f, dir, "ls-tree", "-r", "HEAD"), want)
	for _, part := range []string{"100644 blob", "\tskills/a/SKILL.md", "100755 blob", "\trun", "120000 blob", "\tlink"} {
		contains(t, "entries", want, part)
	}
	if strings.Contains(want, ".git/") {
		t.Errorf("a .git directory was taken:\n%s", want)
	}

	if err := os.Remove(filepath.Join(source, "link")); err != nil {
		t.Fatal(err)
	}
	f.AddFS("git.example.com/group/sub/repo", os.DirFS(source))
	equal(t, "files of the second commit", git(t, f, "", "--git-dir="+repo.GitDir(), "ls-tree", "-r", "--name-only", "HEAD"),
		"run\nskills/a/SKILL.md\n")
	equal(t, "commits", git(t, f, "", "--git-dir="+repo.GitDir(), "rev-list", "--count", "HEAD"), "2\n")
}

// snapshot lists a directory with sizes and times.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMountServesAGitDirectoryAndWritesNothing(t *testing.T) {
	origin := fetchtest.New(t, acme)
	bare := filepath.Join(t.TempDir(), "bare.git")
	git(t, origin, "", "clone", "--quiet", "--mirror", acmeURL, bare)
	work := clone(t, origin, acmeURL)

	f := fetchtest.New(t)
	before := snapshot(t, bare)
	repo := f.Mount("github.com/mirrored/skills", bare)
	repo.Set(fetchtest.Settings{Filter: "all"})
	dir := clone(t, f, "https://github.com/mirrored/skills", "--filter=blob:limit=1", "--depth=1")
	equal(t, "clone", git(t, f, dir, "rev-parse", "HEAD"), repo.ID("main")+"\n")
	get(t, f.Client(), "https://codeload.github.com/mirrored/skills/tar.gz/main")
	get(t, f.Client(), "https://api.github.com/repos/mirrored/skills/git/trees/main?recursive=1")
	equal(t, "git directory after it was served", snapshot(t, bare), before)

	f.Mount("github.com/mirrored/work", work)
	contains(t, "work tree", git(t, f, "", "ls-remote", "https://github.com/mirrored/work", "HEAD"), repo.ID("main")+"\tHEAD\n")
}

func TestNewestProtocolIsSwitchable(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	commands := map[string]string{"": "ls-refs fetch", "2": "ls-refs fetch", "1": "upload-pack", "0": "upload-pack"}
	for setting, want := range commands {
		repo.Set(fetchtest.Settings{Protocol: setting})
		f.Reset()
		clone(t, f, acmeURL)
		var seen []string
		for _, r := range f.Requests() {
			if r.Command != "info/refs" {
				seen = append(seen, r.Command)
			}
		}
		equal(t, "commands for protocol "+setting, strings.Join(seen, " "), want)
	}
	repo.Set(fetchtest.Settings{Protocol: "0"})
	a := command(t, f, acmeURL, "command=ls-refs", "")
	if strings.Contains(a.body, "refs/heads") {
		t.Errorf("an old server answered a new command: %d %q", a.StatusCode, a.body)
	}
}

func TestFiltersAreServedAsSet(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	tests := []struct{ setting, filter, refusal string }{
		{"", "blob:none", ""},
		{"", "tree:0", ""},
		{"", "tree:2", "tree filter allows max depth 0"},
		{"", "combine:blob:none+tree:0", "filter 'combine' not supported"},
		{"", "blob:limit=10", "filter 'blob:limit' not supported"},
		{"blob:none", "blob:none", ""},
		{"blob:none", "tree:0", "filter 'tree' not supported"},
		{"blob:none,combine,tree:3", "combine:blob:none+tree:3", ""},
		{"blob:none,combine,tree:3", "combine:blob:none+tree:4", "tree filter allows max depth 3"},
		{"all", "combine:blob:none+tree:9", ""},
		{"all", "object:type=commit", ""},
		{"none", "blob:none", "unexpected line"},
	}
	for _, test := range tests {
		repo.Set(fetchtest.Settings{Filter: test.setting})
		a := command(t, f, acmeURL, "command=fetch", "", "deepen 1", "filter "+test.filter, "want "+repo.ID("main"), "done")
		if name := test.setting + " " + test.filter; test.refusal == "" {
			contains(t, name, a.body, "packfile")
		} else if strings.Contains(a.body, "packfile") {
			t.Errorf("%s: it is served", name)
		} else if a.body != "" { // git 2.39 says nothing where a filter is no argument at all
			contains(t, name, a.body, test.refusal)
		}
	}
	repo.Set(fetchtest.Settings{Filter: "none"})
	a := get(t, f.Client(), acmeURL+"/info/refs?service=git-upload-pack", "Git-Protocol", "version=2")
	if strings.Contains(a.body, "filter") {
		t.Errorf("filters are off and announced: %q", a.body)
	}
}

func TestWantsAreAnsweredAsSet(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	ids := map[string]string{"tip": repo.ID("main"), "tag": repo.ID("v2"), "commit": repo.ID("v1"),
		"old commit": repo.ID("feature/x~1"), "tree": repo.ID("main:skills/pdf"), "blob": repo.ID("main:skills/pdf/SKILL.md"),
		"unknown": strings.Repeat("12", 20)}
	f.Add("-- @repo github.com/acme/skills --\n-- @delete refs/tags/v1 --\n")
	tests := map[string]string{
		"":        "tip tag commit old commit tree blob",
		"any":     "tip tag commit old commit tree blob",
		"commits": "tip tag commit old commit",
		"tips":    "tip tag",
	}
	for setting, allowed := range tests {
		repo.Set(fetchtest.Settings{Wants: setting})
		for kind, id := range ids {
			a := command(t, f, acmeURL, "command=fetch", "", "want "+id, "done")
			if got, want := strings.Contains(a.body, "packfile"), strings.Contains(allowed, kind); got != want {
				t.Errorf("wants=%s: a want of a %s: served %v, want %v: %.80q", setting, kind, got, want, a.body)
			} else if !want {
				contains(t, kind, a.body, "not our ref "+id)
			}
		}
	}

	// The older versions, asked by git itself.
	for setting, want := range map[string]bool{"tips": false, "commits": true, "any": true} {
		dir := clone(t, f, acmeURL, "--depth=1")
		repo.Set(fetchtest.Settings{Wants: setting})
		out, err := tryGit(f, dir, "-c", "protocol.version=0", "fetch", acmeURL, ids["commit"])
		if (err == nil) != want {
			t.Errorf("wants=%s, protocol 0: %v\n%s", setting, err, out)
		}
	}
}

func TestHiddenRefsAreNotShown(t *testing.T) {
	f := fetchtest.New(t, acme)
	f.Add("-- @repo github.com/acme/skills hide=refs/pull,refs/tags --\n")
	refs := git(t, f, "", "ls-remote", acmeURL)
	contains(t, "refs", refs, "refs/heads/feature/x")
	if strings.Contains(refs, "refs/pull") || strings.Contains(refs, "refs/tags") {
		t.Errorf("hidden refs are shown:\n%s", refs)
	}
}

func TestPrivateRepositoryOpensWithItsToken(t *testing.T) {
	f := fetchtest.New(t, acme, `
-- @repo github.com/acme/private token=s3cret --
-- a --
-- @repo github.com/acme/other token=0ther --
-- a --
`)
	url := "https://github.com/acme/private/info/refs?service=git-upload-pack"
	basic := func(token string) []string { // base64 is git's affair; net/http does it here
		r, _ := http.NewRequest(http.MethodGet, url, nil)
		r.SetBasicAuth("x-access-token", token)
		return []string{"Authorization", r.Header.Get("Authorization")}
	}
	tests := []struct {
		name   string
		header []string
		status int
	}{
		{"no token", nil, 401},
		{"bad token", basic("wrong"), 401},
		{"token of another repository", basic("0ther"), 404},
		{"good token, Basic", basic("s3cret"), 200},
		{"good token, Bearer", []string{"Authorization", "Bearer s3cret"}, 200},
		{"good token, token", []string{"Authorization", "token s3cret"}, 200},
	}
	for _, test := range tests {
		a := get(t, f.Client(), url, test.header...)
		equal(t, test.name, a.StatusCode, test.status)
		if test.status == 401 {
			contains(t, test.name, a.Header.Get("WWW-Authenticate"), "Basic ")
		}
	}
	equal(t, "unknown repository", get(t, f.Client(), "https://github.com/acme/none/info/refs?service=git-upload-pack").StatusCode, 401)
	equal(t, "bad token for a public repository",
		get(t, f.Client(), acmeURL+"/info/refs?service=git-upload-pack", basic("wrong")...).StatusCode, 401)

	f.Reset()
	clone(t, f, "https://x-access-token:s3cret@github.com/acme/private")
	log := f.Requests()
	if last := log[len(log)-1]; !last.Authorized || last.Status != 200 {
		t.Errorf("last request: %+v", last)
	}
	if text := fmt.Sprintf("%+v", log); strings.Contains(text, "s3cret") {
		t.Errorf("the log holds the token: %s", text)
	}
}

func TestRenamedRepositoryRedirectsEveryRequest(t *testing.T) {
	f := fetchtest.New(t, acme)
	f.Add("-- @repo github.com/acme/skills formerly=github.com/old/Name,other.example.com/skills --\n")
	tests := map[string]string{
		"https://github.com/old/name.git/info/refs?service=git-upload-pack":     acmeURL + ".git/info/refs?service=git-upload-pack",
		"https://other.example.com/skills/info/refs?service=git-upload-pack":    acmeURL + ".git/info/refs?service=git-upload-pack",
		"https://github.com/old/name/tree/main":                                 acmeURL + "/tree/main",
		"https://codeload.github.com/old/name/tar.gz/main":                      "https://codeload.github.com/acme/skills/tar.gz/main",
		"https://raw.githubusercontent.com/old/name/main/bin":                   "https://raw.githubusercontent.com/acme/skills/main/bin",
		"https://api.github.com/repos/old/name/commits/main":                    "https://api.github.com/repos/acme/skills/commits/main",
		"https://api.github.com/repos/old/name/git/trees/main?recursive=1&more": "https://api.github.com/repos/acme/skills/git/trees/main?recursive=1&more",
	}
	for from, to := range tests {
		a := get(t, f.Client(), from)
		equal(t, from, a.StatusCode, http.StatusMovedPermanently)
		equal(t, from, a.Header.Get("Location"), to)
	}
	a := command(t, f, "https://github.com/old/name", "command=ls-refs", "")
	equal(t, "POST", a.StatusCode, http.StatusMovedPermanently)
	equal(t, "POST", a.Header.Get("Location"), acmeURL+".git/git-upload-pack")
	clone(t, f, "https://github.com/old/name")

	f.Add("-- @repo github.com/acme/skills formerly= --\n")
	equal(t, "after the name is given up", get(t, f.Client(), "https://github.com/old/name").StatusCode, 404)
}

func TestCompressedAndChunkedCommandsAreRead(t *testing.T) {
	f := fetchtest.New(t, acme)
	plain := packets("command=fetch", "", "deepen 1", "want "+f.Repo("github.com/acme/skills").ID("main"), "done")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, plain)
	_ = z.Close()
	header := []string{"Content-Type", "application/x-git-upload-pack-request", "Git-Protocol", "version=2", "Content-Encoding", "gzip"}
	for version, client := range clients(t, f) {
		f.Reset()
		for _, test := range []struct {
			name   string
			body   io.Reader
			header []string
		}{
			{"compressed", bytes.NewReader(zipped.Bytes()), header},
			{"chunked", io.MultiReader(strings.NewReader(plain)), header[:4]}, // a reader without a known length
		} {
			a := do(t, client, http.MethodPost, acmeURL+"/git-upload-pack", test.body, test.header...)
			contains(t, version+" "+test.name, a.body, "packfile")
		}
		for _, r := range f.Requests() {
			if r.Command != "fetch" || !slices.Contains(r.Arguments, "deepen 1") {
				t.Errorf("%s: the log does not know the command: %+v", version, r)
			}
		}
		equal(t, "bytes up", f.Requests()[0].Up, int64(zipped.Len()))
		equal(t, "bytes up", f.Requests()[1].Up, int64(len(plain)))
	}
}

func TestNothingCanBePushed(t *testing.T) {
	f := fetchtest.New(t, acme)
	dir := clone(t, f, acmeURL)
	if out, err := tryGit(f, dir, "push", "origin", "HEAD:refs/heads/new"); err == nil {
		t.Errorf("the push went through:\n%s", out)
	}
	equal(t, "POST", do(t, f.Client(), http.MethodPost, acmeURL+"/git-receive-pack", nil).StatusCode, http.StatusForbidden)
}
