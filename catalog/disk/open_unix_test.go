//go:build unix

package disk_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/catalog/resource"
)

// Nobody ever writes into the pipe: who waited for it would wait for ever.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := layOut(t, map[string]string{"s/f": "x", "s/l": "-> pipe"})
	pipe := filepath.Join(dir, "s", "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	f := disk.Open(dir)
	t.Run("S1-18 FIFO", func(t *testing.T) {
		for _, rel := range []string{"pipe", "l"} {
			_, err := resource.Read(f, "s", rel, 10)
			kindIs(t, err, "not_a_file")
			if _, err := disk.Confine(filepath.Join(dir, "s"), rel); err != nil {
				t.Errorf("a pipe is a place: %v", err)
			}
		}
	})
	t.Run("3.5-29 FIFO", func(t *testing.T) {
		swap := func() {
			if err := os.Rename(pipe, filepath.Join(dir, "s", "f")); err != nil {
				t.Fatal(err)
			}
		}
		_, err := resource.Read(swapping{f, swap}, "s", "f", 10)
		kindIs(t, err, "not_a_file")
		pipe = filepath.Join(dir, "s", "f")
	})
	t.Run("S1-35 FIFO", func(t *testing.T) {
		for _, path := range []string{pipe, os.DevNull} {
			_, _, err := disk.Load(path, catalog.Rules{})
			kindIs(t, err, "not_a_file")
		}
		if _, err := f.Open("s/f"); err == nil {
			t.Error("a pipe is opened")
		}
	})
	t.Run("S1-41 FIFO", func(t *testing.T) {
		list, findings, err := resource.List(f, "s", resource.Options{FollowLinks: true})
		if err != nil || len(list) != 0 || len(findings) != 2 {
			t.Errorf("listed %v, %v, %v", list, findings, err)
		}
	})
}
