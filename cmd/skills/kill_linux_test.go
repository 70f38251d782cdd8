package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Options of ptrace(2) and wait4(2) that package syscall does not name.
const (
	traceSystemCalls = 0x1
	traceThreads     = 0x8
	killWithTracer   = 0x100000
	everyThread      = 0x40000000 // __WALL
	ofThisThread     = 0x20000000 // __WNOTHREAD
)

// killAt runs a command and kills it where the system call is, entered or left by any thread, at which stop says so. It tells whether
// that came before the end of the command.
func killAt(c *exec.Cmd, stop func() bool) (killed bool, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // which is the tracer, and ends with this goroutine
		c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
		if err = c.Start(); err == nil {
			killed, err = trace(c.Process.Pid, stop)
			_ = c.Process.Release() // it was waited for
		}
	}()
	<-done
	return killed, err
}

// trace goes from system call to system call.
func trace(pid int, stop func() bool) (killed bool, err error) {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, everyThread, nil); err != nil {
		return false, err
	}
	if err := syscall.PtraceSetOptions(pid, traceSystemCalls|traceThreads|killWithTracer); err != nil {
		return false, err
	}
	for thread, signal := pid, 0; ; {
		if err := syscall.PtraceSyscall(thread, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return killed, err
		}
		if thread, err = syscall.Wait4(-1, &status, everyThread|ofThisThread, nil); err != nil {
			return killed, err
		}
		switch signal = 0; {
		case !status.Stopped():
			if thread == pid {
				return killed, nil
			}
		case status.StopSignal() == syscall.SIGTRAP|0x80: // a system call
			if !killed && stop() {
				killed = true
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					return killed, err
				}
			}
		case status.StopSignal() != syscall.SIGTRAP && status.StopSignal() != syscall.SIGSTOP: // neither a new thread nor its parent
			signal = int(status.StopSignal())
		}
	}
}

// changing tells whether a change of the machine is under way, by its journal: not by one that is not written yet.
func (m *machine) changing() bool {
	found, err := filepath.Glob(m.path("cache/journals/[0-9a-f]*.json"))
	return err == nil && len(found) > 0
}

// reset makes project and cache what they were when they were saved.
func (m *machine) reset(t *testing.T) {
	t.Helper()
	for _, name := range []string{"project", "cache"} {
		if err := errors.Join(os.RemoveAll(m.path(name)), os.CopyFS(m.path(name), os.DirFS(m.path("saved/"+name)))); err != nil {
			t.Fatal(err)
		}
	}
}

// Whenever a command is killed, at whatever system call, the next one finds everything old or everything new, and the same command
// once more ends as it would have.
func TestKilledAtAnySystemCall(t *testing.T) {
	const kills = 10 // of each command: two before it changes anything, the others while it does
	program := build(t)
	for name, c := range map[string]struct{ before, command []string }{
		"add":     {nil, []string{"add", "acme/kit", "-s", "pdf", "-s", "notes", "--force", "--copy"}},
		"install": {[]string{"add", "acme/kit", "-s", "pdf", "-s", "notes"}, []string{"install", "--prune", "--copy", "--force"}},
		"update":  {[]string{"add", "acme/versions", "-s", "lint", "-s", "move", "-s", "still"}, []string{"update", "--force"}},
		"remove":  {[]string{"add", "acme/kit", "-s", "pdf", "-s", "notes"}, []string{"remove", "pdf", "notes", "--force"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "kit.txtar", "versions.txtar")
			m.program = program
			m.prepare(t, c.before)
			before := m.state(t) + m.verify(t)
			all, early, change := m.calls(t, c.command)
			after := m.state(t) + m.verify(t)
			if before == after {
				t.Fatal("the command did nothing")
			}
			killed := 0
			for i := range kills {
				at := early * (i + 1) / 3
				if i >= 2 {
					at = change * (i - 2) / (kills - 2)
				}
				m.reset(t)
				if !m.kill(t, c.command, i >= 2, at) {
					continue // it was quicker this time
				}
				killed++
				m.skills(t, 1, "remove", "no-such-skill")
				state := m.state(t) + m.verify(t)
				if state != before && state != after {
					t.Fatalf("killed at %d of %d, %d:\n%s\nbefore:\n%s\nafter:\n%s", at, early, change, state, before, after)
				}
				if c.command[0] == "remove" && state == after {
					continue // there is nothing to remove any more
				}
				m.skills(t, 0, c.command...)
				if again := m.state(t) + m.verify(t); again != after {
					t.Fatalf("once more after a kill at %d of %d, %d:\n%s\nwant:\n%s", at, early, change, again, after)
				}
			}
			t.Logf("%d of %d kills among %d system calls, %d of them while things change", killed, kills, all/2, change/2)
			if killed == 0 { // one is killed as soon as it changes something, however quick it is
				t.Error("no run was killed")
			}
		})
	}
}

// verify is what the program says of what is installed; no change may be under way.
func (m *machine) verify(t *testing.T) string {
	t.Helper()
	if m.changing() {
		t.Error("a journal is left")
	}
	out, err := m.command("project", "verify", "-v").CombinedOutput()
	return fmt.Sprintf("%s%v\n", out, err)
}

// kill runs a command and kills it at its n-th system call, or at the n-th since it began to change something.
func (m *machine) kill(t *testing.T, command []string, changing bool, n int) bool {
	t.Helper()
	count := 0
	killed, err := killAt(m.command("project", command...), func() bool {
		if count > 0 || !changing || m.changing() {
			count++
		}
		return count > n
	})
	if err != nil {
		t.Fatal(err)
	}
	return killed
}

// prepare makes a project in which there is something to do, and saves it.
func (m *machine) prepare(t *testing.T, before []string) {
	t.Helper()
	if before != nil {
		m.skills(t, 0, before...)
	}
	more, err := os.ReadFile("../../testdata/repos/versions-more.txtar")
	if err != nil {
		t.Fatal(err)
	}
	m.forge.Add(string(more))
	for name, text := range map[string]string{
		"README.md": "Mine.\n", ".claude/skills/own/SKILL.md": "Mine.\n", ".agents/skills/notes/mine.md": "Mine.\n", ".agents/skills/lint/mine.md": "Mine.\n",
	} {
		file := m.path("project/" + name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(m.path("cache"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"project", "cache"} {
		if err := os.CopyFS(m.path("saved/"+name), os.DirFS(m.path(name))); err != nil {
			t.Fatal(err)
		}
	}
}

// calls runs a command to its end and counts its system calls, entered and left: all, those before it changes something, and those
// while it does.
func (m *machine) calls(t *testing.T, command []string) (all, early, change int) {
	t.Helper()
	if _, err := killAt(m.command("project", command...), func() bool {
		switch all++; {
		case m.changing():
			change++
		case change == 0:
			early++
		}
		return false
	}); errors.Is(err, syscall.EPERM) {
		t.Skip("this system lets nobody trace a process: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return all, early, change
}
