package fetchtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

// overSSH runs git with a server of ssh, and the user's settings left out.
func overSSH(t *testing.T, f *fetchtest.Forge, command string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = append(append(os.Environ(), f.Environ()...), "GIT_SSH_COMMAND="+command)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestGitClonesOverSSH(t *testing.T) {
	f := fetchtest.New(t, acme)
	s := fetchtest.NewSSH(t, f)
	for _, address := range []string{"git@github.com:acme/skills.git", "ssh://me@github.com:7999/acme/skills", "localhost:" + f.Repo("github.com/acme/skills").GitDir()} {
		dir := filepath.Join(t.TempDir(), "clone")
		if out, err := overSSH(t, f, s.Command("key"), "clone", "--quiet", address, dir); err != nil {
			t.Fatalf("%s: %v: %s", address, err, out)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "skills/pdf/SKILL.md")); err != nil || string(data) != "changed\n" {
			t.Errorf("%s: %q, %v", address, data, err)
		}
	}
	counts := s.Counts()
	if counts.Connections != 3 || counts.Up < 1000 || counts.Down < 1000 {
		t.Errorf("counts %+v", counts)
	}
}

func TestRequestsOverSSHAreInTheLog(t *testing.T) {
	f := fetchtest.New(t, acme)
	s := fetchtest.NewSSH(t, f)
	repo := f.Repo("github.com/acme/skills")
	list := func(want ...string) {
		t.Helper()
		if out, err := overSSH(t, f, s.Command("key"), "ls-remote", "git@github.com:Acme/Skills.git", "main"); err != nil || !strings.Contains(out, repo.ID("main")) {
			t.Fatalf("%v: %s", err, out)
		}
		var got []string
		for _, r := range s.Requests() {
			got = append(got, r.Host+" "+r.Path+" "+r.Proto+" "+r.Command)
		}
		if !slices.Equal(got, want) {
			t.Errorf("requests %q, want %q", got, want)
		}
		s.Reset()
	}
	list("github.com Acme/Skills.git version=2 ls-refs")
	repo.Set(fetchtest.Settings{Protocol: "0"})
	list("github.com Acme/Skills.git version=2 ")
	repo.Set(fetchtest.Settings{})
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := overSSH(t, f, s.Command("key"), "clone", "--quiet", "--depth=1", "--filter=blob:none", "--no-checkout", "git@github.com:acme/skills", dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	log := s.Requests()
	if len(log) != 2 || log[0].Command != "ls-refs" || log[1].Command != "fetch" || !slices.Contains(log[1].Arguments, "filter blob:none") {
		t.Errorf("log %+v", log)
	}
	repo.Set(fetchtest.Settings{Filter: "none"})
	if out, _ := overSSH(t, f, s.Command("key"), "clone", "--quiet", "--filter=blob:none", "--no-checkout", "git@github.com:acme/skills", dir+"2"); !strings.Contains(out, "filtering not recognized") {
		t.Errorf("git says %q of filters", out)
	}
}

func TestSSHRefuses(t *testing.T) {
	f := fetchtest.New(t, acme)
	s := fetchtest.NewSSH(t, f)
	if err := s.NewKey("other"); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "known_hosts")
	batch := []string{"-o", "BatchMode=yes"}
	for name, test := range map[string]struct {
		key, path string
		options   []string
		want      string
	}{
		"another key":      {"other", "acme/skills", batch, "Permission denied (publickey)"},
		"no key":           {"", "acme/skills", batch, "Permission denied (publickey)"},
		"an unknown host":  {"key", "acme/skills", append(batch, "-o", "UserKnownHostsFile="+empty), "Host key verification failed"},
		"no repository":    {"key", "acme/none", batch, "Repository not found"},
		"no host of forge": {"key", "/nowhere", batch, "Repository not found"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := overSSH(t, f, s.Command(test.key, test.options...), "ls-remote", "git@github.com:"+test.path)
			if err == nil || !strings.Contains(out, test.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	if err := os.Remove(filepath.Join(s.Dir(), "bin", "git-upload-pack")); err != nil {
		t.Fatal(err)
	}
	if out, err := overSSH(t, f, s.Command("key"), "ls-remote", "git@github.com:acme/skills"); err == nil || !strings.Contains(out, "git-upload-pack") {
		t.Errorf("without git: %v: %s", err, out)
	}
}

func TestSSHServesWhatComesLaterAndEnds(t *testing.T) {
	f := fetchtest.New(t)
	s, err := f.StartSSH()
	if err != nil {
		t.Skip(err)
	}
	f.Add(acme)
	if out, err := overSSH(t, f, s.Command("key"), "ls-remote", "git@github.com:acme/skills"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if out, err := overSSH(t, f, s.Command("key"), "ls-remote", "git@github.com:acme/skills"); err == nil {
		t.Errorf("after the end: %s", out)
	}
	f.Repo("github.com/acme/skills").Set(fetchtest.Settings{}) // tells nobody
}

func ExampleForge_StartSSH() {
	f, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		panic(err)
	}
	defer f.Close()
	f.Add("-- @repo git.example/o/r --\n-- SKILL.md --\n")
	s, err := f.StartSSH()
	if err != nil {
		return // there is no sshd on this machine
	}
	defer s.Close()
	cmd := exec.Command("git", "ls-remote", "git@git.example:o/r", "HEAD")
	cmd.Env = append(os.Environ(), "GIT_SSH_COMMAND="+s.Command("key"))
	out, err := cmd.CombinedOutput()
	fmt.Println(strings.Contains(string(out), f.Repo("git.example/o/r").ID("main")), err)
}
