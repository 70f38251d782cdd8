package fetch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"skills/fetch/store"
	"skills/source"
)

// waiting is a client with a store of its own.
func waiting(t *testing.T, config Config) *Client {
	t.Helper()
	var err error
	if config.Store, err = store.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { config.Store.Close() })
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Who has given up does not wait for another one's transfer from the same repository.
func TestAContextEndsTheWaitForATransfer(t *testing.T) {
	c := waiting(t, Config{})
	l := source.Locator{Kind: source.Git, Host: "github.com", Owner: "o", Repo: "r", URL: "https://github.com/o/r.git", Transport: source.HTTPS}
	s, err := c.session(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.turn.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	rev := source.Revision{Locator: l, Commit: strings.Repeat("1", 40)}
	trees := map[string]string{"x": strings.Repeat("2", 40)}
	for name, call := range map[string]func(context.Context) error{
		"Fetch":      func(ctx context.Context) error { _, err := c.Fetch(ctx, rev); return err },
		"FetchTrees": func(ctx context.Context) error { _, err := c.FetchTrees(ctx, l, trees); return err },
		"treesNow":   func(ctx context.Context) error { _, err := c.treesNow(ctx, &rev, trees); return err },
		"Load":       func(ctx context.Context) error { return s.load(ctx, nil, rev, nil) },
		"an offer":   func(ctx context.Context) error { return (&offer{turn: s.turn}).load(ctx, nil) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- call(ctx) }()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Git's configuration is read once, but nobody waits longer than his context for it, and who gave up spoils nothing.
func TestAContextEndsTheWaitForGitsConfiguration(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no shell scripts there")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\necho >>'" + dir + "/runs'\n[ -e '" + dir + "/quick' ] || exec tail -f /dev/null\nprintf 'ssh.variant\\nsimple\\0'\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := waiting(t, Config{Git: filepath.Join(dir, "git"), SSH: SSH{Program: "/usr/bin/ssh"}})
	first, giveUp := context.WithCancel(t.Context())
	gone, leave := context.WithCancel(t.Context())
	leave()
	ended := make(chan error)
	go func() { ended <- c.ssh.prepare(first, c) }()
	for { // until it runs
		if _, err := os.Stat(filepath.Join(dir, "runs")); err == nil {
			break
		}
		runtime.Gosched()
	}
	if err := c.ssh.prepare(gone, c); !errors.Is(err, context.Canceled) {
		t.Errorf("while another one reads it: %v", err)
	}
	giveUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that reads it: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "quick"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.ssh.prepare(t.Context(), c); err != nil || c.ssh.settings.Variant != "simple" || c.ssh.client.Load() != nil {
			t.Errorf("afterwards: %+v, %v", c.ssh.settings, err)
		}
	}
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(runs) != "\n\n" {
		t.Errorf("git ran %d times, %v", len(runs), err)
	}
}
