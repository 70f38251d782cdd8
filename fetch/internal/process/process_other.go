//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// Alone has nothing to do here: no program asks a terminal that was told not to.
func Alone(*exec.Cmd) {}

// End ends a process; its children lose its pipes.
func End(process *os.Process) { _ = process.Kill() }
