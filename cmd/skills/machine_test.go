package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

// machine is a home with Claude Code, a cache and a configuration that leads to a forge. Several processes may work on it.
type machine struct {
	dir     string
	program string
	forge   *fetchtest.Forge
}

// newMachine makes a machine with a forge of the repositories that scripts share.
func newMachine(t *testing.T, repositories ...string) *machine {
	t.Helper()
	program, err := exec.LookPath("skills") // this test binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{dir: t.TempDir(), program: program, forge: fetchtest.New(t)}
	for _, name := range repositories {
		text, err := os.ReadFile(filepath.Join("../../testdata/repos", name))
		if err != nil {
			t.Fatal(err)
		}
		m.forge.Add(string(text))
	}
	config := fmt.Sprintf("[host.%q]\nconnect = %q\nca_file = %q\n", "github.com", m.forge.Addr(), m.forge.CAFile())
	err = errors.Join(os.MkdirAll(m.path("home/.claude"), 0o755), os.MkdirAll(m.path("project/.git"), 0o755), os.WriteFile(m.path("config.toml"), []byte(config), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// build makes the program as it is released. One with a race detector makes several times as many system calls.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "skills")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// path is a path on the machine.
func (m *machine) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

// command is a command line of the program in a directory of the machine.
func (m *machine) command(dir string, arguments ...string) *exec.Cmd {
	c := exec.Command(m.program, arguments...)
	c.Dir = m.path(dir)
	c.Env = []string{"HOME=" + m.path("home"), "SKILLS_CONFIG=" + m.path("config.toml"), "SKILLS_CACHE_DIR=" + m.path("cache"), "PATH=" + os.Getenv("PATH"), "NO_COLOR=1", "GORACE=" + shortRace}
	return c
}

// skills runs the program in the project and wants an exit status.
func (m *machine) skills(t *testing.T, want int, arguments ...string) string {
	t.Helper()
	out, err := m.command("project", arguments...).CombinedOutput()
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Fatalf("skills %q: exit status %d, want %d\n%s", arguments, got, want, out)
	}
	return string(out)
}

// state lists what is in the project, with mode, sum and directories.
func (m *machine) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(m.path("project"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, line := strings.TrimPrefix(path, m.dir), "directory"
		if !entry.IsDir() {
			line, err = describe(path, entry)
		}
		fmt.Fprintf(&b, "%s %s\n", line, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
