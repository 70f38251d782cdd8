//go:build unix

package gitclone

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestCancelledContextEndsGit(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Skip(err)
	}
	// the pipe opens when git runs; then git waits for ever
	program := script(t, "git", "echo > '"+started+"'; exec tail -f /dev/null")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(started)
		cancel()
	}()
	if _, err := (System{Program: program, URL: "https://h/r", Env: environ(t)}).Refs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
