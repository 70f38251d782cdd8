package gitclone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitwire"
)

// environ is a small environment in which nothing of this machine counts.
func environ(t *testing.T, more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}, more...)
}

// script writes a program.
func script(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// ssh is a stand-in for ssh: it logs its arguments and runs the command here.
func ssh(t *testing.T) (program, log string) {
	log = filepath.Join(t.TempDir(), "log")
	return script(t, "ssh", `for last; do :; done; echo "$*" >> '`+log+`'; exec sh -c "$last"`), log
}

func TestSystemGitListsRefs(t *testing.T) {
	f := fetchtest.New(t, repository)
	r := f.Repo("github.com/acme/skills")
	got, err := System{Program: mustGit(t), URL: "file://" + r.GitDir(), Env: environ(t)}.Refs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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

func TestSystemGitBringsOneCommit(t *testing.T) {
	f := fetchtest.New(t, repository)
	r := f.Repo("github.com/acme/skills")
	temp := t.TempDir()
	program, log := ssh(t)
	for name, s := range map[string]System{
		"file": {URL: "file://" + r.GitDir(), Env: environ(t)},
		"ssh":  {URL: "ssh://git@example.com" + r.GitDir(), Env: environ(t, "GIT_SSH_COMMAND="+program)},
	} {
		for revision, files := range map[string][]string{
			"main": {"pdf/SKILL.md", "pdf/run.sh"}, "main~2": {"pdf/SKILL.md"}, "v1^{commit}": {"pdf/SKILL.md", "pdf/run.sh"},
		} {
			s.Program, s.Temp = mustGit(t), temp
			g := newTarget(t)
			commit := r.ID(revision)
			if err := s.Fetch(t.Context(), commit, "refs/heads/main", g.sink); err != nil {
				t.Fatalf("%s: %s: %v", name, revision, err)
			}
			g.holds(commit, files...)
			if revision == "main" && g.has(r.ID("main~1")) {
				t.Errorf("%s: the parent came", name)
			}
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%d temporary repositories are left", len(left))
	}
	if said, err := os.ReadFile(log); err != nil || !strings.Contains(string(said), "git@example.com git-upload-pack") {
		t.Errorf("ssh was called so: %s, %v", said, err)
	}
}

func TestSystemGitFetchesTheHistoryWhereACommitMayNotBeAsked(t *testing.T) {
	f := fetchtest.New(t, repository)
	r := f.Repo("github.com/acme/skills")
	// version 0 without allowAnySHA1InWant: git itself refuses the request
	env := environ(t, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.version", "GIT_CONFIG_VALUE_0=0")
	bare := t.TempDir()
	copyRepository(t, r.GitDir(), bare)
	for _, ref := range []string{"refs/heads/main", ""} {
		g := newTarget(t)
		commit := r.ID("main~2")
		s := System{Program: mustGit(t), URL: "file://" + bare, Env: env}
		if err := s.Fetch(t.Context(), commit, ref, g.sink); err != nil {
			t.Fatal(err)
		}
		g.holds(commit, "pdf/SKILL.md")
		if !g.has(r.ID("main")) || g.has(r.ID("dev")) != (ref == "") {
			t.Errorf("ref %q: main came: %v, dev came: %v", ref, g.has(r.ID("main")), g.has(r.ID("dev")))
		}
	}
}

// copyRepository makes a plain copy without the forge's settings.
func copyRepository(t *testing.T, from, to string) {
	t.Helper()
	g := &target{t: t, dir: to}
	g.git("clone", "--quiet", "--mirror", from, ".")
}

func TestSystemGitErrors(t *testing.T) {
	f := fetchtest.New(t, repository)
	dir := f.Repo("github.com/acme/skills").GitDir()
	missing := strings.Repeat("12", 20)
	for _, test := range []struct {
		name string
		s    System
		code Code
		text string // part of the error
	}{
		{"no git", System{URL: "ssh://u:secret@h/r"}, NoGit, "git"},
		{"git is gone", System{Program: "/nonexistent/git", URL: "ssh://h/r"}, NoGit, "git"},
		{"git is not in the path", System{Program: "git-that-is-not-there", URL: "ssh://h/r"}, NoGit, "git"},
		{"no repository", System{URL: "file:///nonexistent/r.git"}, NotFound, "/nonexistent/r.git"},
		{"no commit", System{URL: "file://" + dir}, NotFound, missing},
		{"address like an option", System{URL: "--upload-pack=touch /tmp/evil"}, Failed, "blocked"},
		{"address that runs a program", System{URL: "ext::sh -c true"}, Failed, "not allowed"},
		{"ssh host like an option", System{URL: "ssh://-oProxyCommand=true/r"}, Failed, "ProxyCommand"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.s.Program == "" && test.code != NoGit {
				test.s.Program = mustGit(t)
			}
			test.s.Env = environ(t)
			err := test.s.Fetch(t.Context(), missing, "", newTarget(t).sink)
			var e *Error
			if !errors.As(err, &e) || e.Code != test.code || !strings.Contains(e.Text, test.text) || strings.Contains(e.Text, "secret") {
				t.Fatalf("got %v (%+v)", err, e)
			}
			if test.code == NoGit && !strings.Contains(strings.Join(e.Hints(), ""), "install git") {
				t.Errorf("hints %q", e.Hints())
			}
			if _, err := test.s.Refs(t.Context()); err == nil && test.name != "no commit" {
				t.Error("refs are listed")
			}
		})
	}
}

func TestSystemGitsWordsAreUnderstood(t *testing.T) {
	for _, test := range []struct {
		said string
		code Code
		text string
	}{
		{"git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure", Forbidden, "Permission denied (publickey)."},
		{"Host key verification failed.\nfatal: Could not read from remote repository.", HostKeyUnknown, "the key of h is not known"},
		{"fatal: could not read Username for 'https://tok@h': terminal prompts disabled", Forbidden, "could not read Username for 'https://h'"},
		{"fatal: unable to access 'https://u:secret@h/': Could not resolve host: h", DNS, "Could not resolve host: h"},
		{"ssh: connect to host h port 22: Connection refused\nfatal: Could not read from remote repository.", Network, "Connection refused"},
		{"remote: Repository not found.\nfatal: repository 'https://h/r/' not found", NotFound, "repository 'https://h/r/' not found"},
		{"fatal: remote error: upload-pack: not our ref 12", NotFound, "not our ref"},
		{"fatal: something else", Failed, "something else"},
		{"", Failed, "no reason"},
	} {
		program := script(t, "git", "cat >&2 <<'END'\n"+test.said+"\nEND\nexit 128\n")
		_, err := System{Program: program, URL: "https://u:secret@h/r", Env: environ(t)}.Refs(t.Context())
		var e *Error
		if !errors.As(err, &e) || e.Code != test.code || !strings.Contains(e.Text, test.text) || strings.Contains(e.Text, "secret") {
			t.Errorf("%q: got %v", test.said, err)
		}
	}
}

func TestSystemGitRunsSilentAndAlone(t *testing.T) {
	for _, test := range []struct {
		name, url, configured string
		env                   []string
		want, without         []string
	}{
		{"ssh by default", "git@h:r", "", nil,
			[]string{"GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=10", "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C"}, nil},
		{"ssh of the environment", "git@h:r", "", []string{"GIT_SSH_COMMAND=my-ssh"}, []string{"GIT_SSH_COMMAND=my-ssh"}, nil},
		{"ssh program of the environment", "git@h:r", "", []string{"GIT_SSH=plink"}, []string{"GIT_SSH=plink"}, []string{"GIT_SSH_COMMAND"}},
		{"ssh of the configuration", "git@h:r", "my-ssh", nil, nil, []string{"GIT_SSH_COMMAND"}},
		{"inside a hook", "https://h/r", "", []string{"GIT_DIR=/x", "GIT_INDEX_FILE=/y", "GIT_TRACE=1", "GIT_TRACE_CURL=1", "KEPT=1"},
			[]string{"KEPT=1", "GIT_DIR=" + os.DevNull}, []string{"GIT_DIR=/x", "GIT_INDEX_FILE", "GIT_TRACE", "GIT_TRACE_CURL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := script(t, "git", `if [ "$1" = config ]; then printf 'core.sshcommand\n%s\0' '`+test.configured+`'; exit; fi
for word; do printf 'refs/arg\t%s\n' "$word"; done
env | while read -r line; do printf 'refs/env\t%s\n' "$line"; done
printf 'refs/pwd\t%s\n' "$PWD"`)
			temp := t.TempDir()
			refs, err := System{Program: program, URL: test.url, Env: environ(t, test.env...), Temp: temp}.Refs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string][]string{}
			for _, r := range refs {
				seen[r.ID] = append(seen[r.ID], r.Name)
			}
			for _, want := range test.want {
				if !slices.Contains(seen["refs/env"], want) {
					t.Errorf("%s is not set", want)
				}
			}
			for _, name := range test.without {
				if slices.ContainsFunc(seen["refs/env"], func(v string) bool { return strings.HasPrefix(v+"=", name+"=") }) {
					t.Errorf("%s is set", name)
				}
			}
			args := strings.Join(seen["refs/arg"], " ")
			if !strings.Contains(args, "-c protocol.ext.allow=never") || !strings.Contains(args, "-c core.hooksPath=") || !strings.HasSuffix(args, "-- "+test.url) {
				t.Errorf("called with %s", args)
			}
			if where := seen["refs/pwd"]; len(where) != 1 || where[0] != temp {
				t.Errorf("ran in %q", where)
			}
		})
	}
}

func TestWhatGitWritesIsBounded(t *testing.T) {
	program := script(t, "git", "head -c 17000000 /dev/zero")
	_, err := System{Program: program, URL: "https://h/r", Env: environ(t)}.Refs(t.Context())
	if err == nil {
		t.Error("17 MB of refs were taken")
	}
	b := &bounded{limit: 3, cut: true}
	if n, err := b.Write([]byte("12345")); n != 5 || err != nil || b.kept.String() != "123" {
		t.Errorf("a cut writer gives %d, %v, %q", n, err, b.kept.String())
	}
}

func ExampleSystem() {
	_, err := System{URL: "ssh://git@example.com/o/r.git"}.Refs(context.Background())
	fmt.Println(err)
	// Output: "ssh://example.com/o/r.git" needs the git program, which is not on this machine
}

func ExampleOld() {
	repository := NewOld(nil, "https://old.example/r.git")
	fetch := func(ctx context.Context, commit string) error {
		return repository.Fetch(ctx, commit, "refs/heads/main", func(pack io.Reader) error {
			_, err := io.Copy(io.Discard, pack) // a store checks and keeps it
			return err
		})
	}
	_ = fetch
}
