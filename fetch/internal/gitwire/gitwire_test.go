package gitwire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/web"
)

const text = `
-- @repo github.com/acme/skills --
-- skills/pdf/SKILL.md --
pdf
-- skills/pdf/run.sh exec --
run
-- skills/docx/SKILL.md --
docx
-- @tag v1 --
An annotated tag.
-- @commit second --
-- README.md --
more
-- @branch feature/x --
`

const (
	name = "github.com/acme/skills"
	url  = "https://github.com/acme/skills.git"
)

func connect(t *testing.T, forge *fetchtest.Forge, host string) *web.Client {
	t.Helper()
	hosts := map[string]web.Host{}
	for _, h := range []string{"github.com", "other.example", host} {
		hosts[h] = web.Host{Connect: forge.Addr(), CA: forge.CA()}
	}
	client, err := web.New(web.Config{Hosts: hosts, Retries: -1, Trusted: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

func remote(t *testing.T, forge *fetchtest.Forge, url string) *gitwire.Remote {
	t.Helper()
	return gitwire.New(connect(t, forge, "github.com"), url)
}

func TestRefsAreThoseOfThePrefixes(t *testing.T) {
	forge := fetchtest.New(t, text)
	repo := forge.Repo(name)
	r := remote(t, forge, url)
	refs, err := r.Refs(context.Background(), "HEAD", "refs/tags/v")
	if err != nil {
		t.Fatal(err)
	}
	want := []gitwire.Ref{
		{Name: "HEAD", ID: repo.ID("HEAD"), Target: "refs/heads/main"},
		{Name: "refs/tags/v1", ID: repo.ID("refs/tags/v1"), Peeled: repo.ID("v1^{commit}")},
	}
	if !slices.Equal(refs, want) {
		t.Errorf("refs %+v, want %+v", refs, want)
	}
	if got := refs[1].Commit(); got != repo.ID("v1^{commit}") {
		t.Errorf("the tag leads to %s", got)
	}
	if got := refs[0].Commit(); got != repo.ID("HEAD") {
		t.Errorf("HEAD leads to %s", got)
	}
	all, err := r.Refs(context.Background())
	if err != nil || len(all) != 4 {
		t.Errorf("all refs: %+v, %v", all, err)
	}
	log := forge.Requests()
	if len(log) != 2 || log[0].Command != "ls-refs" || log[0].Method != "POST" {
		t.Errorf("requests %+v", log)
	}
}

// objects lists what is in a pack, as git reads it.
func objects(t *testing.T, pack io.Reader) []string {
	t.Helper()
	dir := t.TempDir()
	data, err := io.ReadAll(pack)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "x.pack")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "index-pack", file)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git index-pack: %v\n%s", err, out)
	}
	index, err := os.Open(filepath.Join(dir, "x.idx"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	show := exec.Command("git", "show-index")
	show.Stdin = index
	out, err := show.Output()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(string(out)) {
		ids = append(ids, strings.Fields(line)[1])
	}
	slices.Sort(ids)
	return ids
}

func TestFetchBringsWhatTheFilterLeaves(t *testing.T) {
	forge := fetchtest.New(t, text)
	repo := forge.Repo(name)
	repo.Set(fetchtest.Settings{Filter: "all"})
	id := repo.ID
	r := remote(t, forge, url)
	trees := []string{id("main^{tree}"), id("main:skills"), id("main:skills/pdf"), id("main:skills/docx")}
	for _, test := range []struct {
		filter string
		wants  []string
		want   []string
	}{
		{"blob:none", []string{id("main")}, append([]string{id("main")}, trees...)},
		{"combine:blob:none+tree:2", []string{id("main")}, []string{id("main"), id("main^{tree}"), id("main:skills")}},
		{"tree:0", []string{id("main")}, []string{id("main")}},
		{"", []string{id("main:skills/pdf")}, []string{id("main:skills/pdf"), id("main:skills/pdf/SKILL.md"), id("main:skills/pdf/run.sh")}},
		{"", []string{id("main:README.md"), id("main:skills/docx")}, []string{id("main:README.md"), id("main:skills/docx"), id("main:skills/docx/SKILL.md")}},
	} {
		pack, err := r.Fetch(context.Background(), gitwire.Request{Wants: test.wants, Filter: test.filter})
		if err != nil {
			t.Fatalf("%s %s: %v", test.filter, test.wants, err)
		}
		got := objects(t, pack)
		pack.Close()
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s %s: objects %v, want %v", test.filter, test.wants, got, test.want)
		}
	}
	if n := forge.Counts("").Requests; n != 5 {
		t.Errorf("%d requests for 5 packs", n)
	}
}

func TestRefusalsHaveTypes(t *testing.T) {
	forge := fetchtest.New(t, text)
	repo := forge.Repo(name)
	for _, test := range []struct {
		name     string
		settings fetchtest.Settings
		request  gitwire.Request
		missing  bool
		filter   bool // what the server says of itself
	}{
		{"filter of a kind", fetchtest.Settings{}, gitwire.Request{Wants: []string{repo.ID("main")}, Filter: "combine:blob:none+tree:1"}, false, true},
		{"any filter", fetchtest.Settings{Filter: "none"}, gitwire.Request{Wants: []string{repo.ID("main")}, Filter: "blob:none"}, false, false},
		{"unknown object", fetchtest.Settings{}, gitwire.Request{Wants: []string{strings.Repeat("1", 40)}}, true, true},
		{"tree", fetchtest.Settings{Wants: "commits"}, gitwire.Request{Wants: []string{repo.ID("main^{tree}")}}, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			repo.Set(test.settings)
			r := remote(t, forge, url)
			_, err := r.Fetch(context.Background(), test.request)
			var refused *gitwire.RefusedError
			if !errors.As(err, &refused) || refused.MissingObject() != test.missing || refused.Error() == "" {
				t.Errorf("error %v, want a refusal, missing object %v", err, test.missing)
			}
			able, err := r.Capabilities(context.Background())
			if err != nil || able.Filter != test.filter || able.ObjectFormat != "sha1" {
				t.Errorf("capabilities %+v, %v", able, err)
			}
		})
	}
}

func TestOldServersAreToldByTheirRefs(t *testing.T) {
	forge := fetchtest.New(t, text)
	for _, protocol := range []string{"0", "1"} {
		forge.Repo(name).Set(fetchtest.Settings{Protocol: protocol})
		r := remote(t, forge, url)
		if _, err := r.Refs(context.Background(), "HEAD"); !errors.Is(err, gitwire.ErrOldProtocol) {
			t.Errorf("version %s: %v", protocol, err)
		}
		if _, err := r.Capabilities(context.Background()); !errors.Is(err, gitwire.ErrOldProtocol) {
			t.Errorf("version %s: %v", protocol, err)
		}
	}
}

func TestWhatIsNotGitIsSaidToBeNot(t *testing.T) {
	forge := fetchtest.New(t, text)
	forge.Fault(fetchtest.Fault{Do: fetchtest.Answer(200, "<html>", "Content-Type", "text/html")})
	r := remote(t, forge, url)
	if _, err := r.Refs(context.Background()); !errors.Is(err, gitwire.ErrNotGit) {
		t.Errorf("error %v", err)
	}
	if _, err := r.Fetch(context.Background(), gitwire.Request{}); !errors.Is(err, gitwire.ErrNotGit) {
		t.Errorf("error %v", err)
	}
	if _, err := r.Capabilities(context.Background()); !errors.Is(err, gitwire.ErrNotGit) {
		t.Errorf("error %v", err)
	}
}

func TestRenamedRepositoryIsAskedAtItsNewPlace(t *testing.T) {
	forge := fetchtest.New(t, text)
	forge.Repo(name).Set(fetchtest.Settings{Formerly: "github.com/old/one"})
	r := remote(t, forge, "https://github.com/old/one.git")
	for range 2 {
		if _, err := r.Refs(context.Background(), "HEAD"); err != nil {
			t.Fatal(err)
		}
	}
	if n := forge.Counts("").Requests; n != 3 {
		t.Errorf("%d requests, want the redirect met once", n)
	}
}

func TestRedirectsAreBounded(t *testing.T) {
	forge := fetchtest.New(t, text)
	forge.Fault(fetchtest.Fault{Do: fetchtest.Answer(302, "", "Location", url+"/git-upload-pack")})
	if _, err := remote(t, forge, url).Refs(context.Background()); err == nil || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("error %v", err)
	}
	if n := forge.Counts("").Requests; n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

func TestCutPackIsNoEnd(t *testing.T) {
	forge := fetchtest.New(t, text)
	want := gitwire.Request{Wants: []string{forge.Repo(name).ID("main")}}
	for _, at := range []int64{0, 3, 20, 60, 200} {
		forge.Heal()
		forge.Fault(fetchtest.Fault{Command: "fetch", Do: fetchtest.Cut(at)})
		pack, err := remote(t, forge, url).Fetch(context.Background(), want)
		if err == nil {
			_, err = io.Copy(io.Discard, pack)
			pack.Close()
		}
		var failure *web.Error
		if !errors.As(err, &failure) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: error %v", at, err)
		}
	}
}

func TestListingIsBounded(t *testing.T) {
	forge := fetchtest.New(t, text)
	line := fmt.Sprintf("%04x%s refs/heads/%s\n", 4+40+1+11+100+1, strings.Repeat("1", 40), strings.Repeat("x", 100))
	body := strings.Repeat(line, 17<<20/len(line)) + "0000"
	forge.Fault(fetchtest.Fault{Do: fetchtest.Answer(200, body, "Content-Type", "application/x-git-upload-pack-result")})
	_, err := remote(t, forge, url).Refs(context.Background())
	var failure *web.Error
	if !errors.As(err, &failure) || failure.Kind != web.TooLarge {
		t.Errorf("error %v", err)
	}
}

func TestRequestsAreSmall(t *testing.T) {
	var sent bytes.Buffer
	doer := doerFunc(func(req *http.Request) (*http.Response, error) {
		if req.Header.Get("Git-Protocol") != "version=2" || req.Header.Get("Content-Type") != "application/x-git-upload-pack-request" {
			t.Errorf("header %v", req.Header)
		}
		_, _ = io.Copy(&sent, req.Body)
		return nil, errors.New("enough")
	})
	id := strings.Repeat("a", 40)
	_, _ = gitwire.New(doer, url).Fetch(context.Background(), gitwire.Request{Wants: []string{id}, Filter: "blob:none"})
	want := "0012command=fetch\n00010010no-progress\n000eofs-delta\n000ddeepen 1\n0015filter blob:none\n0032want " + id + "\n0009done\n0000"
	if sent.String() != want {
		t.Errorf("sent %q, want %q", sent.String(), want)
	}
}

type doerFunc func(*http.Request) (*http.Response, error)

func (f doerFunc) Do(req *http.Request) (*http.Response, error) { return f(req) }

func TestStatusesAreErrorsOfTheClient(t *testing.T) {
	forge := fetchtest.New(t, text)
	for _, status := range []int{400, 403, 404, 410, 500} {
		forge.Heal()
		forge.Fault(fetchtest.Fault{Do: fetchtest.Answer(status, "")})
		r := remote(t, forge, url)
		_, refsErr := r.Refs(context.Background())
		_, fetchErr := r.Fetch(context.Background(), gitwire.Request{})
		_, capabilitiesErr := r.Capabilities(context.Background())
		for _, err := range []error{refsErr, fetchErr, capabilitiesErr} {
			var failure *web.Error
			if !errors.As(err, &failure) || failure.Status != status {
				t.Errorf("%d: %v", status, err)
			}
		}
	}
}

func TestEmptyRepositoryHasNoRefs(t *testing.T) {
	forge := fetchtest.New(t, "-- @repo github.com/acme/skills --\n")
	if refs, err := remote(t, forge, url).Refs(context.Background(), "HEAD", "refs/heads/"); err != nil || len(refs) != 0 {
		t.Errorf("refs %v, %v", refs, err)
	}
}

func TestConnectionIsUsedAgain(t *testing.T) {
	forge := fetchtest.New(t, text)
	r := remote(t, forge, url)
	for range 3 {
		refs, err := r.Refs(context.Background(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		pack, err := r.Fetch(context.Background(), gitwire.Request{Wants: []string{refs[0].ID}, Filter: "blob:none"})
		if err != nil {
			t.Fatal(err)
		}
		objects(t, pack)
		pack.Close()
	}
	if n := forge.Counts("").Connections; n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestAddressThatIsNoneIsAnError(t *testing.T) {
	r := gitwire.New(doerFunc(func(*http.Request) (*http.Response, error) { panic("a request was sent") }), "https://\x00")
	if _, err := r.Refs(context.Background()); err == nil {
		t.Error("no error")
	}
}
