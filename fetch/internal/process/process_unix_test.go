//go:build unix

package process_test

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"skills/fetch/internal/process"
)

// A process that is alone leads a session, and none of its children outlives it: the pipe that they hold ends.
func TestAProcessThatIsAloneEndsWithItsChildren(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo $$; tail -f /dev/null & exec tail -f /dev/null")
	process.Alone(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	number, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
	if group, groupErr := syscall.Getpgid(number); err != nil || groupErr != nil || group != number {
		t.Errorf("process %q is in the group %d: %v, %v", lines.Text(), group, err, groupErr)
	}
	process.End(cmd.Process)
	if lines.Scan() {
		t.Errorf("it said %q", lines.Text())
	}
	_ = cmd.Wait()
	process.End(cmd.Process) // whose number may be another's by now
}
