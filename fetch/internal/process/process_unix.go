//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Alone gives a process that is to be started a session of its own: without a terminal nothing can be asked, and its children end with it.
func Alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// End ends a process that is alone, and its children. One that was waited for has left its number to others.
func End(process *os.Process) {
	if process.Signal(syscall.Signal(0)) == nil {
		_ = syscall.Kill(-process.Pid, syscall.SIGKILL)
	}
}
