//go:build unix

package disk

import (
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"skills/catalog"
)

// TestPipes would wait without end if one were opened for reading.
func TestPipes(t *testing.T) {
	t.Run("S1-18 FIFO", func(t *testing.T) {
		dir := t.TempDir()
		lay(t, dir, map[string]string{"R/ok/SKILL.md": skill("ok", ""), "R/l -> pipe": "", "R/b/SKILL.md -> ../pipe": "", "R/a/": ""})
		for _, name := range []string{"R/pipe", "R/a/SKILL.md", "R/ok/in"} {
			if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, told := readRoot(t, dir, true)
		if !slices.Equal(namesOf(r), []string{"ok"}) || !slices.Equal(told, []string{"not_a_file /R/a/SKILL.md", "not_a_file /R/b/SKILL.md"}) {
			t.Errorf("skills are %q, told was %q", namesOf(r), told)
		}
		var e *catalog.Error
		if _, err := r.Resource("ok", "in"); !errors.As(err, &e) || e.Kind != "not_a_file" {
			t.Errorf("error is %v", err)
		}
		c, _ := r.Get("ok")
		if len(c.Resources) > 0 {
			t.Errorf("resources are %+v", c.Resources)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "root"), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := New(t.Context(), Options{Roots: []RootInput{{Path: filepath.Join(dir, "root")}}}); err != nil || len(r.Findings()) != 1 {
			t.Errorf("%v, %v", r, err)
		}
	})
}
