package gitssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/web"
)

const repository = `
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
	scp  = "git@github.com:acme/skills.git"
)

// serve starts a forge with its ssh server, and a client with the key that opens.
func serve(t *testing.T, change ...func(*Config)) (*fetchtest.Forge, *fetchtest.SSH, *Client) {
	t.Helper()
	forge := fetchtest.New(t, repository)
	server := fetchtest.NewSSH(t, forge)
	config := Config{Command: server.Command("key")}
	for _, c := range change {
		c(&config)
	}
	client := New(config)
	t.Cleanup(client.Close)
	return forge, server, client
}

func mustRemote(t *testing.T, c *Client, url string) *Remote {
	t.Helper()
	r, err := c.Remote(url)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objects gives a pack to git, and returns the ids in it.
func objects(t *testing.T, pack io.ReadCloser) []string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet", "--bare", "."}, {"index-pack", "--stdin"}, {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		if args[0] == "index-pack" {
			cmd.Stdin = pack
		}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		if args[0] == "cat-file" {
			return strings.Fields(string(out))
		}
	}
	return nil
}

// bring fetches and returns the ids that came.
func bring(t *testing.T, r *Remote, filter string, wants ...string) []string {
	t.Helper()
	pack, err := r.Fetch(t.Context(), gitwire.Request{Wants: wants, Filter: filter})
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	return objects(t, pack)
}

func connections(t *testing.T, server *fetchtest.SSH, want int) {
	t.Helper()
	if got := server.Counts().Connections; got != want {
		t.Errorf("%d connections, want %d", got, want)
	}
}

func TestOneConnectionServesAllRequests(t *testing.T) {
	forge, server, client := serve(t)
	repo := forge.Repo(name)
	r := mustRemote(t, client, scp)
	refs, err := r.Refs(t.Context(), "HEAD", "refs/tags/")
	if err != nil {
		t.Fatal(err)
	}
	want := []gitwire.Ref{
		{Name: "HEAD", ID: repo.ID("main"), Target: "refs/heads/main"},
		{Name: "refs/tags/v1", ID: repo.ID("v1"), Peeled: repo.ID("v1^{commit}")},
	}
	if !slices.Equal(refs, want) {
		t.Errorf("refs %+v, want %+v", refs, want)
	}
	listing := bring(t, r, "blob:none", repo.ID("main"))
	if !slices.Contains(listing, repo.ID("main:skills/pdf")) || slices.Contains(listing, repo.ID("main:README.md")) || slices.Contains(listing, repo.ID("main~1")) {
		t.Errorf("without blobs came %q", listing)
	}
	tree := bring(t, r, "", repo.ID("main:skills/pdf"))
	if !slices.Contains(tree, repo.ID("main:skills/pdf/run.sh")) || slices.Contains(tree, repo.ID("main:skills/docx/SKILL.md")) {
		t.Errorf("with a tree came %q", tree)
	}
	whole := bring(t, r, "", repo.ID("main"))
	if !slices.Contains(whole, repo.ID("main:README.md")) || slices.Contains(whole, repo.ID("main~1")) {
		t.Errorf("with the commit came %q", whole)
	}
	connections(t, server, 1)
	var commands []string
	for _, request := range server.Requests() {
		commands = append(commands, request.Proto+" "+request.Command)
	}
	if want := []string{"version=2 ls-refs", "version=2 fetch", "version=2 fetch", "version=2 fetch"}; !slices.Equal(commands, want) {
		t.Errorf("commands %q, want %q", commands, want)
	}
}

func TestEveryFormOfAddressLeadsThere(t *testing.T) {
	forge, server, client := serve(t)
	for i, url := range []string{scp, "github.com:acme/skills", "ssh://git@github.com/acme/skills.git", "ssh://github.com:7999/acme/skills", "ssh://me@github.com/%61cme/skills"} {
		refs, err := mustRemote(t, client, url).Refs(t.Context(), "refs/heads/main")
		if err != nil || len(refs) != 1 || refs[0].ID != forge.Repo(name).ID("main") {
			t.Errorf("%s: %+v, %v", url, refs, err)
		}
		connections(t, server, i+1)
	}
}

// The login shell of the other side reads the command: what the path says must stay the path.
func TestPathsReachTheServerAsTheyAre(t *testing.T) {
	forge, server, client := serve(t)
	for _, odd := range []string{"it's $(touch evil) `touch evil`;touch evil! <>|&", `-upload "pack" back\slash * ~ 日本`} {
		dir := filepath.Join(t.TempDir(), odd)
		if err := os.CopyFS(dir, os.DirFS(forge.Repo(name).GitDir())); err != nil {
			t.Fatal(err)
		}
		refs, err := mustRemote(t, client, "github.com:"+dir).Refs(t.Context(), "refs/heads/main")
		if err != nil || len(refs) != 1 {
			t.Errorf("%q: %+v, %v", odd, refs, err)
		}
		log := server.Requests()
		if last := log[len(log)-1]; last.Path != dir {
			t.Errorf("%q: the server was asked for %q", odd, last.Path)
		}
	}
}

func TestRequestsTakeTurns(t *testing.T) {
	forge, server, client := serve(t)
	r := mustRemote(t, client, scp)
	pack, err := r.Fetch(t.Context(), gitwire.Request{Wants: []string{forge.Repo(name).ID("main")}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Refs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("while a pack is read: %v", err)
	}
	listed := make(chan error)
	for range 4 {
		go func() {
			refs, err := r.Refs(t.Context(), "refs/heads/")
			if err == nil && len(refs) != 2 {
				err = fmt.Errorf("refs %+v", refs)
			}
			listed <- err
		}()
	}
	if _, err := io.Copy(io.Discard, pack); err != nil {
		t.Error(err)
	}
	if err := errors.Join(pack.Close(), pack.Close()); err != nil {
		t.Error(err)
	}
	for range 4 {
		if err := <-listed; err != nil {
			t.Error(err)
		}
	}
	connections(t, server, 1)
}

func TestConnectionsAreReplacedWhereTheyCannotBeUsedAgain(t *testing.T) {
	for name, spoil := range map[string]func(*testing.T, *fetchtest.Forge, *fetchtest.SSH, *Client, *Remote){
		"the server left": func(_ *testing.T, _ *fetchtest.Forge, s *fetchtest.SSH, _ *Client, _ *Remote) { s.Disconnect() },
		"the client left": func(_ *testing.T, _ *fetchtest.Forge, _ *fetchtest.SSH, c *Client, _ *Remote) { c.Close() },
		"an object is not there": func(t *testing.T, _ *fetchtest.Forge, _ *fetchtest.SSH, _ *Client, r *Remote) {
			_, err := r.Fetch(t.Context(), gitwire.Request{Wants: []string{strings.Repeat("12", 20)}})
			var refused *gitwire.RefusedError
			if !errors.As(err, &refused) || !refused.MissingObject() {
				t.Errorf("what is not there: %v", err)
			}
		},
		"a pack is not read to its end": func(t *testing.T, f *fetchtest.Forge, _ *fetchtest.SSH, _ *Client, r *Remote) {
			pack, err := r.Fetch(t.Context(), gitwire.Request{Wants: []string{f.Repo("github.com/acme/skills").ID("main")}})
			if err != nil {
				t.Fatal(err)
			}
			_ = pack.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			forge, server, client := serve(t)
			r := mustRemote(t, client, scp)
			if _, err := r.Refs(t.Context(), "HEAD"); err != nil {
				t.Fatal(err)
			}
			spoil(t, forge, server, client, r)
			if refs, err := r.Refs(t.Context(), "HEAD"); err != nil || len(refs) != 1 {
				t.Errorf("afterwards: %+v, %v", refs, err)
			}
			connections(t, server, 2)
		})
	}
}

func TestConnectionThatNobodyUsesEnds(t *testing.T) {
	_, _, client := serve(t, func(c *Config) { c.Timeouts.Keep = time.Millisecond })
	r := mustRemote(t, client, scp)
	if _, err := r.Refs(t.Context(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	if err := r.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn := r.conn
	r.give()
	if conn != nil {
		<-conn.ended
	}
	if refs, err := r.Refs(t.Context(), "HEAD"); err != nil || len(refs) != 1 {
		t.Errorf("afterwards: %+v, %v", refs, err)
	}
}

func TestWhatAServerCannotDoIsSaid(t *testing.T) {
	forge, server, client := serve(t)
	repo := forge.Repo(name)
	repo.Set(fetchtest.Settings{Filter: "none"})
	r := mustRemote(t, client, scp)
	_, err := r.Fetch(t.Context(), gitwire.Request{Wants: []string{repo.ID("main")}, Filter: "blob:none"})
	var refused *gitwire.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("a filter: %v", err)
	}
	if able, err := r.Capabilities(t.Context()); err != nil || able.Filter || able.ObjectFormat != "sha1" {
		t.Errorf("capabilities %+v, %v", able, err)
	}
	if got := bring(t, r, "", repo.ID("main")); !slices.Contains(got, repo.ID("main:README.md")) {
		t.Errorf("without a filter came %q", got)
	}
	connections(t, server, 1)
	for _, old := range []string{"0", "1"} {
		repo.Set(fetchtest.Settings{Protocol: old})
		if _, err := mustRemote(t, client, scp).Refs(t.Context()); !errors.Is(err, gitwire.ErrOldProtocol) {
			t.Errorf("version %s: %v", old, err)
		}
	}
}

func TestRequestsAreToldOf(t *testing.T) {
	var events []web.Event
	forge, _, client := serve(t, func(c *Config) { c.Event = func(e web.Event) { events = append(events, e) } })
	r := mustRemote(t, client, scp)
	if _, err := r.Refs(t.Context(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	bring(t, r, "", forge.Repo(name).ID("main"))
	_, err := r.Fetch(t.Context(), gitwire.Request{Wants: []string{strings.Repeat("12", 20)}})
	var got []string
	for i, e := range events {
		got = append(got, fmt.Sprintf("%s %s%s %t", e.Method, e.Host, e.Path, e.Done))
		if e.Up == 0 || (e.Done && e.Down == 0) || (e.Err != nil) != (i == 5) {
			t.Errorf("event %+v", e)
		}
	}
	list, fetch := "ssh ls-refs github.com/acme/skills.git ", "ssh fetch github.com/acme/skills.git "
	if want := []string{list + "false", list + "true", fetch + "false", fetch + "true", fetch + "false", fetch + "true"}; !slices.Equal(got, want) || events[5].Err != err {
		t.Errorf("events %q, want %q", got, want)
	}
}

func ExampleClient() {
	client := New(Config{Program: "/nonexistent/ssh"})
	defer client.Close()
	remote, err := client.Remote("git@github.com:o/r.git")
	if err != nil {
		panic(err)
	}
	_, err = remote.Refs(context.Background(), "HEAD")
	var failure *gitclone.Error
	fmt.Println(errors.As(err, &failure), failure.Hint)
	// Output: true install OpenSSH, or use the https address of the repository
}
