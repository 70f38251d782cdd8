//go:build unix

package gitssh

import (
	"os"
	"os/exec"
	"syscall"
)

// alone gives the process a session of its own: without a terminal nothing can be asked, and its children end with it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// end ends a process that is alone, and its children. One that was waited for has left its number to others.
func end(process *os.Process) {
	if process.Signal(syscall.Signal(0)) == nil {
		_ = syscall.Kill(-process.Pid, syscall.SIGKILL)
	}
}
