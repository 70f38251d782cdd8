//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"skills/fetch/fetchtest"
)

// interrupted begins a command that waits, interrupts it once it does, and wants exit status 130 without further words.
func interrupted(t *testing.T, c *exec.Cmd, waits func() bool) {
	t.Helper()
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); !waits(); runtime.Gosched() {
		if time.Now().After(end) {
			_ = c.Process.Kill()
			t.Fatalf("%q does not wait: %s", c.Args, said.String())
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if exit := c.ProcessState.ExitCode(); exit != 130 || !strings.Contains(said.String(), "interrupted") || strings.Contains(said.String(), "signal") {
		t.Errorf("%q: exit status %d, %s", c.Args, exit, said.String())
	}
}

// cli.md: Ctrl-C is exit 130, whatever command waits, with --json too.
func TestEveryCommandThatWaitsIsInterrupted(t *testing.T) {
	for _, line := range []string{
		"resolve --online acme/kit", "resolve --online --json acme/kit acme/odd", "add acme/kit --all", "add --list https://example.com", "show acme/kit", "outdated", "outdated --json", "update",
		"install", "diff --upstream", "pin notes main",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "kit.txtar", "odd.txtar")
			m.forge.Add(site)
			m.configure(t, "")
			if !strings.HasPrefix(line, "add") {
				m.skills(t, 0, "add", "acme/kit/skills/notes")
			}
			if line == "install" {
				manifest := "[skills]\npdf = \"acme/kit/skills/pdf\"\n"
				if err := os.WriteFile(m.path("project/skills.toml"), []byte(manifest), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := len(m.forge.Requests())
			m.forge.Fault(fetchtest.Fault{Do: fetchtest.Stall(-1)})
			interrupted(t, m.command("project", strings.Fields(line)...), func() bool { return len(m.forge.Requests()) > before })
		})
	}
}

// What git runs ends with it: an ssh that says nothing is not left behind, whatever asks it.
func TestAnInterruptLeavesNoSSHBehind(t *testing.T) {
	for name, text := range map[string]string{
		"that git asks for its options": `case $1 in -G) `, "that git runs": `case $1 in -G) exit 0;; *) `,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			program, pid := filepath.Join(m.dir, "wrapper"), filepath.Join(m.dir, "pid")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"echo $$ >'"+pid+".new'; mv '"+pid+".new' '"+pid+"'; exec tail -f /dev/null;; esac\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			c := m.command("project", "add", "git@github.com:acme/kit.git")
			c.Env = append(c.Env, "GIT_SSH_COMMAND="+program)
			var number []byte
			interrupted(t, c, func() bool {
				number, _ = os.ReadFile(pid)
				return number != nil
			})
			var process int
			if err := json.Unmarshal(bytes.TrimSpace(number), &process); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(process, 0); err == nil && !zombie(process) {
				t.Errorf("process %d goes on", process)
				_ = syscall.Kill(process, syscall.SIGKILL)
			}
		})
	}
}

// zombie tells whether a process has ended and only its number is left, which nobody asked for yet.
func zombie(process int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(process)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}
