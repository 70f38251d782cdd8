//go:build unix

package gitclone

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe is a file that whoever reads it waits for.
func pipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	return name
}

// Each run has a bound, which the error tells.
func TestGitThatDoesNotEndIsEnded(t *testing.T) {
	silent := "exec tail -f /dev/null"
	for name, test := range map[string]struct {
		text string
		ask  func(s System) error
	}{
		"listing": {silent, func(s System) error {
			_, err := s.Refs(t.Context())
			return err
		}},
		"fetch": {`for word; do case $word in fetch) ` + silent + `;; esac; done`, func(s System) error {
			return s.Fetch(t.Context(), strings.Repeat("1", 40), "", nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := System{Program: script(t, "git", test.text), URL: "ssh://git@h.example/o/r", Env: environ(t), Temp: t.TempDir(),
				Listing: time.Hour, Total: time.Hour}
			if name == "listing" {
				s.Listing = 200 * time.Millisecond
			} else {
				s.Total = time.Second
			}
			var e *Error
			if err := test.ask(s); !errors.As(err, &e) || e.Code != Timeout || !strings.Contains(e.Text, "h.example") || e.Hint == "" {
				t.Errorf("error %v", err)
			}
		})
	}
}

// What git runs, and waits for, ends with it.
func TestCancelledContextEndsWhatGitRuns(t *testing.T) {
	started := pipe(t)
	program := script(t, "git", "(echo $(exec sh -c 'echo $PPID') > '"+started+"'; exec tail -f /dev/null)")
	ctx, cancel := context.WithCancel(t.Context())
	child := make(chan int, 1)
	go func() {
		text, _ := os.ReadFile(started)
		number, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		child <- number
		cancel()
	}()
	if _, err := (System{Program: program, URL: "https://h/r", Env: environ(t)}).Refs(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	process := <-child
	if process <= 1 {
		t.Fatalf("process %d", process)
	}
	alive := filepath.Join("/proc", strconv.Itoa(process), "cmdline") // of a process that has ended it is empty or gone
	for end := time.Now().Add(10 * time.Second); ; {                  // nobody here is told of the end of a child's child
		if data, err := os.ReadFile(alive); err != nil || len(data) == 0 {
			break
		} else if time.Now().After(end) {
			_ = syscall.Kill(process, syscall.SIGKILL)
			t.Fatalf("process %d goes on", process)
		}
	}
}
