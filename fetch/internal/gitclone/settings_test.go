package gitclone

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"skills/fetch/fetchtest"
)

func TestSettingsOfGitAreRead(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	text := `[core]
	sshCommand = ssh -i \"a key\"
[ssh]
	variant = simple
[url "git@mirror.example:"]
	insteadOf = https://github.com/
	insteadOf = git@github.com:
	pushInsteadOf = ssh://push.example/
[url "x"]
	other = y
`
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	git := System{Program: mustGit(t), Env: environ(t, "GIT_CONFIG_GLOBAL="+config, "GIT_DIR=/nonexistent")}
	got := git.Settings(t.Context())
	want := Settings{`ssh -i "a key"`, "simple", []string{"https://github.com/", "git@github.com:"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for url, want := range map[string]bool{"git@github.com:o/r": true, "ssh://git@github.com/o/r": false, "https://github.com/o/r": true, "ssh://push.example/o/r": false} {
		if got.Rewritten(url) != want {
			t.Errorf("%s is rewritten: %v", url, !want)
		}
	}
	for name, s := range map[string]System{"no git": {}, "git is gone": {Program: "/nonexistent"}, "nothing configured": {Program: git.Program, Env: environ(t)}} {
		if got := s.Settings(t.Context()); !reflect.DeepEqual(got, Settings{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A directory that everybody can write may hold a repository with settings of its own, which lead elsewhere and run programs.
func TestSettingsAreThoseOfTheUserAndNotOfADirectory(t *testing.T) {
	f := fetchtest.New(t, repository)
	bare := f.Repo("github.com/acme/skills").GitDir()
	open, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	(&target{t: t, dir: open}).git("init", "--quiet")
	evil := "[core]\nsshCommand = touch " + ran + "\nfsmonitor = touch " + ran + "\n[url \"/nowhere/\"]\ninsteadOf = https://in.example/deep\n[alias]\nls-remote = !touch " + ran + "\n"
	home := t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(open, ".git", "config"): evil,
		filepath.Join(home, ".gitconfig"):     "[include]\npath = more\n[includeIf \"gitdir:" + open + "/\"]\npath = more-there\n",
		filepath.Join(home, "more"):           "[url \"file://" + bare + "\"]\ninsteadOf = https://in.example/deep/repo\n[core]\nsshCommand = my-ssh\n",
		filepath.Join(home, "more-there"):     evil,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := System{Program: mustGit(t), URL: "https://in.example/deep/repo", Temp: open, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}}
	if got, want := git.Settings(t.Context()), (Settings{"my-ssh", "", []string{"https://in.example/deep/repo"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	git.URL = "https://in.example/deep" // which only the directory knows
	if s := git.Settings(t.Context()); s.Rewritten(git.URL) {
		t.Error("the directory's settings count")
	}
	git.URL = "https://in.example/deep/repo"
	if refs, err := git.Refs(t.Context()); err != nil || len(refs) == 0 {
		t.Errorf("%+v, %v", refs, err)
	}
	commit := f.Repo("github.com/acme/skills").ID("main")
	g := newTarget(t)
	if err := git.Fetch(t.Context(), commit, "refs/heads/main", g.sink); err != nil {
		t.Fatal(err)
	}
	g.holds(commit, "pdf/SKILL.md", "pdf/run.sh")
	git.URL = "git@h.example:o/r"
	_, _ = git.Refs(t.Context()) // by an ssh that is not there
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the directory ran")
	}
}
