//go:build unix

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A server may ignore that nothing more comes; the program ends ssh all the same before it ends itself.
func TestNoSSHIsLeftBehind(t *testing.T) {
	m := newMachine(t, "kit.txtar")
	repository := m.forge.Repo("github.com/acme/kit").GitDir()
	server := "#!/bin/sh\necho $$ >>'" + m.path("started") + "'\ngit-upload-pack '" + repository + "'\nexec tail -f /dev/null\n"
	if err := os.WriteFile(m.path("ssh"), []byte(server), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"add", "git@github.com:acme/kit", "--skill", "notes"}, {"add", "git@github.com:acme/kit", "--skill", "none"}} {
		command := m.command("project", arguments...)
		command.Env = append(command.Env, "GIT_SSH_COMMAND="+m.path("ssh"), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := command.CombinedOutput()
		if (err != nil) != (arguments[len(arguments)-1] == "none") {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	started, err := os.ReadFile(m.path("started"))
	if err != nil {
		t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(started)) {
		number, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(number, 0) == nil {
			t.Errorf("ssh %d goes on", number)
			_ = syscall.Kill(-number, syscall.SIGKILL)
		}
	}
}
