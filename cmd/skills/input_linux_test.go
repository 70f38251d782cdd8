package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// A pipe that never ends is left at the first signal: nothing is changed, exit 130.
func TestAPipeIsReadUntilASignal(t *testing.T) {
	m := newMachine(t)
	if err := syscall.Mkfifo(m.path("project/list"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, signal := range map[string]os.Signal{"interrupt": syscall.SIGINT, "terminate": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			c := m.command("project", "install", "-f", "list")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			pipe, err := os.OpenFile(m.path("project/list"), os.O_WRONLY, 0) // opens when the program has
			if err != nil {
				t.Fatal(err)
			}
			defer pipe.Close()
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("%v, want exit status 130", err)
			}
		})
	}
}
