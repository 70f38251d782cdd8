package gitclone

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
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
