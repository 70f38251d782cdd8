//go:build !unix

package gitssh

import (
	"os"
	"os/exec"
)

// alone has nothing to do here: ssh asks no terminal with BatchMode.
func alone(*exec.Cmd) {}

// end ends a process; its children lose its pipes.
func end(process *os.Process) { _ = process.Kill() }
