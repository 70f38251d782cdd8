package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/catalog/resource"
)

// asAnybody makes closed files closed to this test, also where it runs as root: its thread, and no other, gives up root's right to
// pass over the rights of files (capabilities(7)). The goroutine never lets go of the thread, so that ends with the test.
func asAnybody(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var had [2]unix.CapUserData
	if err := unix.Capget(&header, &had[0]); err != nil {
		t.Fatal(err)
	}
	less := had
	less[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	if err := unix.Capset(&header, &less[0]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Capset(&header, &had[0]); err != nil {
			t.Error(err)
		}
	})
}

// closed takes all rights from files and directories below dir until the test ends.
func closed(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(dir, name)
		t.Cleanup(func() { _ = os.Chmod(file, 0o755) })
		if err := os.Chmod(file, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatMayNotBeReadOnDisk(t *testing.T) {
	dir := layOut(t, map[string]string{"s/f": "x", "s/d/g": "g"})
	closed(t, dir, "s/f", "s/d")
	asAnybody(t)
	if _, err := os.ReadFile(filepath.Join(dir, "s/f")); !errors.Is(err, os.ErrPermission) {
		t.Fatalf("a closed file can be read: %v", err)
	}
	f := disk.Open(dir)
	_, err := resource.Read(f, "s", "f", 10)
	kindIs(t, err, "io_error")
	_, err = resource.Stat(f, "s", "d/g")
	kindIs(t, err, "io_error")
	list, findings, err := resource.List(f, "s", resource.Options{})
	if err != nil || len(list) != 1 || len(findings) != 1 || findings[0].Code != "io_error" {
		t.Errorf("listed %v, %v, %v", list, findings, err)
	}
}

func TestARootThatMayNotBeReadOnDisk(t *testing.T) {
	t.Run("3.8-11", func(t *testing.T) {
		dir := layOut(t, map[string]string{"R/a/SKILL.md": "---\nname: a\ndescription: d\n---\n", "S/b/SKILL.md": "---\nname: b\ndescription: d\n---\n"})
		closed(t, dir, "R")
		asAnybody(t)
		var told []string
		r, err := disk.New(t.Context(), disk.Options{
			Roots: []disk.RootInput{{Path: filepath.Join(dir, "R")}, {Path: filepath.Join(dir, "S")}},
			Warn:  func(f catalog.Finding) { told = append(told, f.Code+" "+strings.TrimPrefix(f.File, dir)) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if list := r.List(); len(list) != 1 || list[0].Name != "b" || !slices.Equal(told, []string{"io_error /R"}) {
			t.Errorf("listed %v, told %q", list, told)
		}
	})
}
