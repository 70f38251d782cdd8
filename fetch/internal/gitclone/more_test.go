package gitclone

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/web"
)

func TestEveryOldVersionGivesTheSame(t *testing.T) {
	for _, protocol := range []string{"0", "1", "2"} { // a server of version 2 still speaks the old ones
		f, client := forge(t, strings.Replace(repository, "protocol=0", "protocol="+protocol, 1))
		g := newTarget(t)
		commit := f.Repo("github.com/acme/skills").ID("main")
		if err := NewOld(client, address).Fetch(t.Context(), commit, "refs/heads/main", g.sink); err != nil {
			t.Fatalf("version %s: %v", protocol, err)
		}
		g.holds(commit, "pdf/SKILL.md", "pdf/run.sh")
		if got := g.git("show", commit+":pdf/SKILL.md"); got != "three" {
			t.Errorf("version %s: SKILL.md holds %q", protocol, got)
		}
		if got := g.git("ls-tree", commit+":pdf", "run.sh"); !strings.HasPrefix(got, "100755 ") {
			t.Errorf("version %s: run.sh is %s", protocol, got)
		}
	}
}

func TestOldTakesCallsFromSeveralGoroutines(t *testing.T) {
	f, client := forge(t, repository)
	o := NewOld(client, address)
	r := f.Repo("github.com/acme/skills")
	var group sync.WaitGroup
	for _, revision := range []string{"main", "dev", "v1^{commit}"} {
		g, commit := newTarget(t), r.ID(revision)
		group.Go(func() {
			if err := o.Fetch(t.Context(), commit, "", g.sink); err != nil {
				t.Errorf("%s: %v", revision, err)
			}
		})
		group.Go(func() {
			if refs, err := o.Refs(t.Context()); err != nil || len(refs) != 4 {
				t.Errorf("refs: %v, %v", refs, err)
			}
		})
	}
	group.Wait()
}

func TestRateLimitAndServerErrorKeepTheirKind(t *testing.T) {
	f, client := forge(t, repository)
	for status, kind := range map[int]web.Kind{429: web.RateLimited, 500: web.Status} {
		f.Heal()
		f.Fault(fetchtest.Fault{Host: "github.com", Do: fetchtest.Answer(status, "")})
		var e *web.Error
		if _, err := NewOld(client, address).Refs(t.Context()); !errors.As(err, &e) || e.Kind != kind || e.Status != status {
			t.Errorf("%d: got %v", status, err)
		}
	}
}

func TestNothingToAskForIsNotFound(t *testing.T) {
	f, client := forge(t, "-- @repo github.com/acme/skills protocol=0 wants=tips --\n-- a.md --\na\n-- @ref refs/pull/1/head --\n")
	r := f.Repo("github.com/acme/skills")
	r.Set(fetchtest.Settings{Protocol: "0", Wants: "tips", Hide: "refs/heads"})
	var e *Error
	err := NewOld(client, address).Fetch(t.Context(), strings.Repeat("12", 20), "refs/heads/main", newTarget(t).sink)
	if !errors.As(err, &e) || e.Code != NotFound {
		t.Errorf("got %v", err)
	}
}

func TestErrorsHaveHintsOnlyWhereThereIsOne(t *testing.T) {
	if hints := (&Error{Text: "x"}).Hints(); hints != nil {
		t.Errorf("hints %q", hints)
	}
	cause := errors.New("cause")
	e := &Error{Text: "x", Hint: "do y", Err: cause}
	if len(e.Hints()) != 1 || !errors.Is(e, cause) || e.Error() != "x" {
		t.Errorf("got %v, %q", e, e.Hints())
	}
}

func TestSystemGitNeedsItsTemporaryDirectory(t *testing.T) {
	s := System{Program: mustGit(t), URL: "https://h/r", Env: environ(t), Temp: "/nonexistent"}
	if err := s.Fetch(t.Context(), strings.Repeat("12", 20), "", func(io.Reader) error { return nil }); err == nil {
		t.Error("a repository was made nowhere")
	}
}

func TestSystemGitGivesTheSinksErrorAsItIs(t *testing.T) {
	f := fetchtest.New(t, repository)
	r := f.Repo("github.com/acme/skills")
	full := errors.New("no space left on device")
	s := System{Program: mustGit(t), URL: "file://" + r.GitDir(), Env: environ(t)}
	if err := s.Fetch(t.Context(), r.ID("main"), "", func(io.Reader) error { return full }); err != full {
		t.Errorf("got %v", err)
	}
	if err := give(t.TempDir(), nil); err == nil {
		t.Error("a repository without packs gave something")
	}
}

func TestLinesOfRefs(t *testing.T) {
	refs := appendRef(nil, gitwire.Ref{Name: "refs/tags/v1^{}", ID: "2"})
	if len(refs) != 1 || refs[0].Name != "refs/tags/v1^{}" {
		t.Errorf("a peeled line without its tag gives %+v", refs)
	}
	program := script(t, "git", `printf 'ref: refs/heads/main\tHEAD\n12\tHEAD\nno tab\n13\trefs/tags/v1\n14\trefs/tags/v1^{}\n'`)
	got, err := System{Program: program, URL: "https://h/r", Env: environ(t)}.Refs(t.Context())
	if err != nil || len(got) != 2 || got[0].Target != "refs/heads/main" || got[1].Peeled != "14" || got[1].Target != "" {
		t.Errorf("got %+v, %v", got, err)
	}
}
