package fetchtest_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"skills/fetch/fetchtest"
)

// What git itself does with partial clones needs filters, wants of single objects and many commands: all of it goes through.
func TestPartialAndSparseClone(t *testing.T) {
	f := fetchtest.New(t, acme)
	dir := clone(t, f, acmeURL, "--depth=1", "--filter=blob:none", "--no-checkout")
	git(t, f, dir, "sparse-checkout", "set", "--no-cone", "/skills/pdf/")
	f.Reset()
	git(t, f, dir, "checkout", "--quiet")
	equal(t, "file", read(t, filepath.Join(dir, "skills/pdf/SKILL.md")), "changed\n")
	if _, err := os.Stat(filepath.Join(dir, "bin")); err == nil {
		t.Error("a file outside of the pattern is there")
	}
	var wants []string
	for _, r := range f.Requests() {
		for _, argument := range r.Arguments {
			if id, ok := strings.CutPrefix(argument, "want "); ok {
				wants = append(wants, id)
			}
		}
	}
	repo := f.Repo("github.com/acme/skills")
	equal(t, "number of blobs", len(wants), 2)
	for _, name := range []string{"main:skills/pdf/SKILL.md", "main:skills/pdf/run.sh"} {
		contains(t, name, strings.Join(wants, " "), repo.ID(name))
	}
}

func TestTreelessCloneFetchesTreesByID(t *testing.T) {
	f := fetchtest.New(t, acme)
	dir := clone(t, f, acmeURL, "--filter=tree:0", "--no-checkout")
	equal(t, "listing", git(t, f, dir, "ls-tree", "--name-only", "-r", "HEAD"),
		"bin\nskills/link\nskills/pdf/SKILL.md\nskills/pdf/run.sh\nwith blank.md\n")
	git(t, f, dir, "checkout", "--quiet", "HEAD")
	equal(t, "file", read(t, filepath.Join(dir, "with blank.md")), "x\n")
}

func TestShallowCloneOfATag(t *testing.T) {
	f := fetchtest.New(t, acme)
	for _, version := range []string{"0", "1", "2"} {
		dir := clone(t, f, acmeURL, "-c", "protocol.version="+version, "--depth=1", "--branch=v1")
		equal(t, "protocol "+version, read(t, filepath.Join(dir, "skills/pdf/SKILL.md")), "---\nname: pdf\n---\n")
		equal(t, "protocol "+version, git(t, f, dir, "rev-list", "--count", "HEAD"), "1\n")
	}
}

func TestFetchOfACommitByItsID(t *testing.T) {
	f := fetchtest.New(t, acme)
	id := f.Repo("github.com/acme/skills").ID("v1")
	dir := t.TempDir()
	git(t, f, dir, "init", "--quiet")
	git(t, f, dir, "fetch", "--quiet", "--depth=1", acmeURL, id)
	equal(t, "commit", git(t, f, dir, "rev-parse", "FETCH_HEAD"), id+"\n")
}

// Names that no client may write are in the tree as they were put in. (The fast-import of git 2.39 writes them; one that refuses skips this.)
func TestHostileNamesAreServed(t *testing.T) {
	f, failures := start(t, fetchtest.Config{})
	f.Add("-- @repo github.com/evil/skills --\n-- ../evil --\n-- .git/config --\n-- a/../../b --\n-- l symlink --\n/etc/passwd\n")
	if len(*failures) > 0 {
		t.Skipf("this git refuses to make such a tree: %s", (*failures)[0])
	}
	a := get(t, f.Client(), "https://api.github.com/repos/evil/skills/git/trees/main?recursive=1")
	for _, name := range []string{"../evil", ".git/config", "a/../../b", "l"} {
		contains(t, "listing", a.body, `"path":"`+name+`"`)
	}
	out, err := tryGit(f, "", "clone", "https://github.com/evil/skills", filepath.Join(t.TempDir(), "clone"))
	if err == nil {
		t.Errorf("git itself checked it out: %s", out)
	}
}

func TestTokensWorkInEveryPlace(t *testing.T) {
	f := fetchtest.New(t, "-- @repo git.example.com/group/private token=s3cret --\n-- a --\n")
	for _, user := range []string{"x-access-token:s3cret", "s3cret:x-oauth-basic", "s3cret:", "anyone:s3cret"} {
		clone(t, f, "https://"+user+"@git.example.com/group/private")
	}
	for _, user := range []string{"s3cret:wrong", "x-access-token:", "x-access-token:S3CRET"} {
		out, err := tryGit(f, "", "ls-remote", "https://"+user+"@git.example.com/group/private")
		if err == nil || !strings.Contains(out, "Authentication failed") {
			t.Errorf("%s: %v %s", user, err, out)
		}
	}
	out, err := tryGit(f, "", "ls-remote", "https://git.example.com/group/private")
	if err == nil || !strings.Contains(out, "could not read Username") {
		t.Errorf("without a token: %v %s", err, out)
	}
}

// net/http drops the token on the way to another host; the redirect of the API opens the archive all the same.
func TestRedirectOfTheAPICarriesNoHeader(t *testing.T) {
	f := fetchtest.New(t, acme)
	f.Repo("github.com/acme/skills").Set(fetchtest.Settings{Token: "s3cret"})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, acmeAPI+"/tarball/main", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer s3cret")
	response, err := f.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	equal(t, "status", response.StatusCode, 200)
	log := f.Requests()
	equal(t, "requests", len(log), 2)
	equal(t, "with a token", [2]bool{log[0].Authorized, log[1].Authorized}, [2]bool{true, false})
	equal(t, "hosts", log[0].Host+" "+log[1].Host, "api.github.com codeload.github.com")
}

func TestEveryRedirectIsCounted(t *testing.T) {
	f := fetchtest.New(t, "-- @site a.example.com --\n-- loop redirect=307 --\nhttps://b.example.com/loop\n"+
		"-- @site b.example.com --\n-- loop redirect=301 --\nhttps://a.example.com/loop\n")
	client := f.Client()
	client.CheckRedirect = func(_ *http.Request, via []*http.Request) error {
		if len(via) == 4 {
			return http.ErrUseLastResponse
		}
		return nil
	}
	response, err := client.Get("https://a.example.com/loop")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	equal(t, "all", f.Counts("").Requests, 4)
	equal(t, "one host", f.Counts("b.example.com").Requests, 2)
}

// A client that leaves in the middle of a pack or an archive must leave nothing behind that Close would wait for.
func TestClientsMayLeaveInTheMiddle(t *testing.T) {
	content := make([]byte, 8<<20)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(content)
	f := fetchtest.New(t)
	repo := f.AddFS("github.com/acme/big", fstest.MapFS{"big": {Data: content}})
	fetch := packets("command=fetch", "", "want "+repo.ID("main"), "done")
	for version, client := range clients(t, f) {
		for url, body := range map[string]string{"https://codeload.github.com/acme/big/tar.gz/main": "", "https://github.com/acme/big/git-upload-pack": fetch} {
			method := http.MethodGet
			if body != "" {
				method = http.MethodPost
			}
			r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-git-upload-pack-request")
			r.Header.Set("Git-Protocol", "version=2")
			response, err := client.Transport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(response.Body, make([]byte, 100_000)); err != nil {
				t.Errorf("%s %s: %v", version, url, err)
			}
			response.Body.Close()
		}
	}
	f.Close()
	for _, r := range f.Requests() {
		if r.Status != 200 || r.Down >= int64(len(content)) {
			t.Errorf("%s: status %d, %d bytes", r.Path, r.Status, r.Down)
		}
	}
}

func TestSettingsAsTextAndAsValue(t *testing.T) {
	f := fetchtest.New(t, "-- @repo a.com/b token=t protocol=1 filter=tree:2,combine wants=tips hide=refs/x formerly=a.com/c release=v1 truncated --\n-- a --\n")
	want := fetchtest.Settings{Token: "t", Protocol: "1", Filter: "tree:2,combine", Wants: "tips", Hide: "refs/x", Formerly: "a.com/c",
		Release: "v1", Truncated: true}
	equal(t, "settings", f.Repo("a.com/b").Settings(), want)
	f.Add("-- @repo a.com/b protocol= --\n")
	want.Protocol = ""
	equal(t, "settings after one was changed", f.Repo("a.com/b").Settings(), want)
	f.Repo("a.com/b").Set(fetchtest.Settings{})
	equal(t, "settings after they were set", f.Repo("a.com/b").Settings(), fetchtest.Settings{})
}

func TestSettingsWithoutSenseAreSaid(t *testing.T) {
	f := fetchtest.New(t, acme)
	repo := f.Repo("github.com/acme/skills")
	fetch := []string{"command=fetch", "", "want " + repo.ID("main"), "done"}
	for _, test := range []struct {
		settings fetchtest.Settings
		want     string
	}{
		{fetchtest.Settings{Protocol: "two"}, `protocol "two" is not 0, 1 or 2`},
		{fetchtest.Settings{Wants: "some"}, `wants "some" is not "any", "commits" or "tips"`},
	} {
		repo.Set(test.settings)
		a := command(t, f, acmeURL, fetch...)
		equal(t, test.want, a.StatusCode, http.StatusInternalServerError)
		contains(t, "message", a.body, test.want)
	}
}

func TestEqualTextsGiveEqualRepositories(t *testing.T) {
	one, two := fetchtest.New(t, acme), fetchtest.New(t, acme)
	equal(t, "refs", git(t, one, "", "ls-remote", acmeURL), git(t, two, "", "ls-remote", acmeURL))
	archive := "https://codeload.github.com/acme/skills/tar.gz/main"
	equal(t, "archives", get(t, one.Client(), archive).body == get(t, two.Client(), archive).body, true)
}

func BenchmarkAdd(b *testing.B) {
	f := fetchtest.New(b)
	for b.Loop() {
		f.Add(acme)
	}
}

func BenchmarkAddFSOfThousandFiles(b *testing.B) {
	f, files := fetchtest.New(b), fstest.MapFS{}
	for i := range 1000 {
		files[filepath.Join("skills", string(rune('a'+i%26)), strings.Repeat("x", i%50)+"-"+strings.Repeat("y", i/50)+".md")] =
			&fstest.MapFile{Data: []byte(strings.Repeat("line\n", i))}
	}
	for b.Loop() {
		f.AddFS("github.com/acme/many", files)
	}
}

func BenchmarkListingOfRefs(b *testing.B) {
	f := fetchtest.New(b, acme)
	body := packets("command=ls-refs", "", "ref-prefix HEAD")
	for b.Loop() {
		r, err := http.NewRequest(http.MethodPost, acmeURL+"/git-upload-pack", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-git-upload-pack-request")
		r.Header.Set("Git-Protocol", "version=2")
		response, err := f.Client().Do(r)
		if err != nil {
			b.Fatal(err)
		}
		response.Body.Close()
	}
}
