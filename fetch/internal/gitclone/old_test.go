package gitclone

import (
	"context"
	"errors"
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

const repository = `-- @repo github.com/acme/skills protocol=0 --
-- pdf/SKILL.md --
one
-- @commit two --
-- pdf/SKILL.md --
two
-- pdf/run.sh exec --
#!/bin/sh
-- @tag v1 --
the first
-- @commit three --
-- pdf/SKILL.md --
three
-- @branch dev --
-- @commit four --
-- dev.md --
four
`

// forge starts one and a client for it.
func forge(t *testing.T, texts ...string) (*fetchtest.Forge, *web.Client) {
	t.Helper()
	f := fetchtest.New(t, texts...)
	host := web.Host{CA: f.CA(), Connect: f.Addr()}
	client, err := web.New(web.Config{Retries: -1, Hosts: map[string]web.Host{"github.com": host, "old.example": host}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return f, client
}

// target is an empty repository into which git itself indexes packs: what git does not take
// as whole is not whole.
type target struct {
	t     *testing.T
	dir   string
	packs int
}

func newTarget(t *testing.T) *target {
	t.Helper()
	target := &target{t: t, dir: t.TempDir()}
	target.git("init", "--quiet", "--bare", ".")
	return target
}

func (g *target) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (g *target) sink(pack io.Reader) error {
	g.packs++
	cmd := exec.Command("git", "index-pack", "--stdin")
	cmd.Dir, cmd.Stdin = g.dir, pack
	cmd.Env = append(os.Environ(), "GIT_DIR="+g.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return nil
}

// holds checks that the whole tree of a commit is there.
func (g *target) holds(commit string, files ...string) {
	g.t.Helper()
	got := strings.Fields(g.git("ls-tree", "-r", "--name-only", commit))
	if !slices.Equal(got, files) {
		g.t.Errorf("commit %s holds %q, want %q", commit, got, files)
	}
	for _, file := range files {
		g.git("cat-file", "-e", commit+":"+file)
	}
}

// has tells whether an object is there.
func (g *target) has(id string) bool {
	cmd := exec.Command("git", "cat-file", "-e", id)
	cmd.Dir = g.dir
	return cmd.Run() == nil
}

const address = "https://github.com/acme/skills.git"

func TestOldProtocolListsRefs(t *testing.T) {
	f, client := forge(t, repository)
	got, err := NewOld(client, address).Refs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := f.Repo("github.com/acme/skills")
	want := []gitwire.Ref{
		{Name: "HEAD", ID: r.ID("main"), Target: "refs/heads/main"},
		{Name: "refs/heads/dev", ID: r.ID("dev")},
		{Name: "refs/heads/main", ID: r.ID("main")},
		{Name: "refs/tags/v1", ID: r.ID("v1"), Peeled: r.ID("v1^{commit}")},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOldProtocolBringsOneCommit(t *testing.T) {
	for _, test := range []struct {
		name, wants, revision, ref string
		history                    bool // earlier commits come as well
		files                      []string
	}{
		{"tip", "tips", "main", "refs/heads/main", false, []string{"pdf/SKILL.md", "pdf/run.sh"}},
		{"commit of a tag", "tips", "v1^{commit}", "refs/tags/v1", false, []string{"pdf/SKILL.md", "pdf/run.sh"}},
		{"old commit that may be wanted", "commits", "main~2", "", false, []string{"pdf/SKILL.md"}},
		{"old commit of a ref", "tips", "main~2", "refs/heads/main", true, []string{"pdf/SKILL.md"}},
		{"old commit of an unknown ref", "tips", "main~2", "", true, []string{"pdf/SKILL.md"}},
		{"old commit of a ref that is gone", "tips", "main~2", "refs/heads/gone", true, []string{"pdf/SKILL.md"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, client := forge(t, repository)
			r := f.Repo("github.com/acme/skills")
			settings := r.Settings()
			settings.Wants = test.wants
			r.Set(settings)
			g := newTarget(t)
			commit := r.ID(test.revision)
			if err := NewOld(client, address).Fetch(t.Context(), commit, test.ref, g.sink); err != nil {
				t.Fatal(err)
			}
			g.holds(commit, test.files...)
			if first := r.ID("main~2"); commit != first && g.has(first) {
				t.Error("the history came as well")
			}
			if g.has(r.ID("main")) != (test.history || commit == r.ID("main")) {
				t.Errorf("the tip came: %v", !test.history)
			}
			if g.packs != 1 {
				t.Errorf("%d packs", g.packs)
			}
		})
	}
}

func TestOldProtocolTakesTwoRequests(t *testing.T) {
	f, client := forge(t, repository)
	o := NewOld(client, address)
	if _, err := o.Refs(t.Context()); err != nil {
		t.Fatal(err)
	}
	commit := f.Repo("github.com/acme/skills").ID("main")
	if err := o.Fetch(t.Context(), commit, "refs/heads/main", newTarget(t).sink); err != nil {
		t.Fatal(err)
	}
	if n := len(f.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestOldProtocolFollowsARenamedRepository(t *testing.T) {
	text := strings.Replace(repository, "protocol=0", "protocol=0 formerly=github.com/old/name", 1)
	f, client := forge(t, text)
	g := newTarget(t)
	commit := f.Repo("github.com/acme/skills").ID("main")
	if err := NewOld(client, "https://github.com/old/name.git").Fetch(t.Context(), commit, "", g.sink); err != nil {
		t.Fatal(err)
	}
	g.holds(commit, "pdf/SKILL.md", "pdf/run.sh")
}

func TestOldProtocolErrors(t *testing.T) {
	site := "-- @site old.example --\n-- r.git/info/refs --\n<html>Sign in</html>\n"
	f, client := forge(t, repository, site, "-- @repo github.com/acme/empty protocol=0 --\n")
	ctx := t.Context()
	var status *web.Error
	if _, err := NewOld(client, "https://github.com/acme/gone.git").Refs(ctx); !errors.As(err, &status) || status.Kind != web.Status {
		t.Errorf("a missing repository: %v", err)
	}
	if _, err := NewOld(client, "https://old.example/r.git").Refs(ctx); !errors.Is(err, gitwire.ErrNotGit) {
		t.Errorf("a web page: %v", err)
	}
	if refs, err := NewOld(client, "https://github.com/acme/empty.git").Refs(ctx); len(refs) != 0 || err != nil {
		t.Errorf("an empty repository: %v, %v", refs, err)
	}
	r := f.Repo("github.com/acme/skills")
	settings := r.Settings()
	settings.Wants = "commits"
	r.Set(settings)
	missing := strings.Repeat("12", 20)
	var e *Error
	err := NewOld(client, address).Fetch(ctx, missing, "", newTarget(t).sink)
	if !errors.As(err, &e) || e.Code != NotFound || !strings.Contains(e.Text, missing) {
		t.Errorf("a missing commit: %v", err)
	}
	boom := errors.New("disk full")
	if err := NewOld(client, address).Fetch(ctx, r.ID("main"), "", func(io.Reader) error { return boom }); err != boom {
		t.Errorf("the sink's error became %v", err)
	}
	f.Fault(fetchtest.Fault{Host: "github.com", Path: "git-upload-pack", Do: fetchtest.Cut(100)})
	if err := NewOld(client, address).Fetch(ctx, r.ID("main"), "", newTarget(t).sink); err == nil {
		t.Error("a pack that breaks off counts as whole")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := NewOld(client, address).Refs(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("a done context: %v", err)
	}
}

func TestListingOfRefsIsBounded(t *testing.T) {
	resp := &http.Response{
		StatusCode: 200, ContentLength: maxRefs + 1, Body: io.NopCloser(strings.NewReader("")),
		Header:  http.Header{"Content-Type": {"application/x-git-upload-pack-advertisement"}},
		Request: &http.Request{Method: http.MethodGet},
	}
	resp.Request, _ = http.NewRequest(http.MethodGet, address, nil)
	var e *web.Error
	if err := check(resp); !errors.As(err, &e) || e.Kind != web.TooLarge {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsSaidIsShownSafely(t *testing.T) {
	for said, want := range map[string]string{
		"fatal: unable to access 'https://user:secret@host/x'": "fatal: unable to access 'https://host/x'",
		"https://token@host/ and ssh://git@host/":              "https://host/ and ssh://host/",
		"red \x1b[31m, bell \a, bidi \u202e":                   "red [31m, bell , bidi ",
	} {
		if got := clean(said); got != want {
			t.Errorf("%q becomes %q", said, got)
		}
	}
}

func TestTips(t *testing.T) {
	refs := []gitwire.Ref{{Name: "HEAD", ID: "1"}, {Name: "refs/heads/a", ID: "1"}, {Name: "refs/heads/b", ID: "1"},
		{Name: "refs/heads/c", ID: "2"}, {Name: "refs/pull/1/head", ID: "3"}}
	if got := tips(refs, "refs/pull/1/head"); !slices.Equal(got, []string{"3"}) {
		t.Errorf("a ref gives %q", got)
	}
	if got := tips(refs, ""); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("no ref gives %q", got)
	}
}

func mustGit(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	program, err = filepath.Abs(program)
	if err != nil {
		t.Fatal(err)
	}
	return program
}
