package resource

import (
	"errors"
	"math"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

// TestBoundsOfRead takes what is below 0 for 0, and the largest bound for one.
func TestBoundsOfRead(t *testing.T) {
	fsys := fstest.MapFS{"s/SKILL.md": file(""), "s/a": file("text"), "s/empty": file("")}
	for most, want := range map[int64]string{-1: "", math.MinInt64: "", 0: "", 3: "", 4: "text", math.MaxInt64: "text"} {
		raw, err := Read(fsys, "s", "a", most)
		var e *catalog.Error
		if string(raw) != want || (want == "") != (errors.As(err, &e) && e.Kind == "too_large") {
			t.Errorf("at most %d: %q, %v", most, raw, err)
		}
		if raw, err := Read(fsys, "s", "empty", most); err != nil || len(raw) > 0 {
			t.Errorf("at most %d: %q, %v", most, raw, err)
		}
	}
}

// TestDirectoriesOfFS are paths in the file system: the top by two names, and nothing absolute.
func TestDirectoriesOfFS(t *testing.T) {
	fsys := fstest.MapFS{"s/SKILL.md": file(""), "s/a": file("text"), "a": file("top")}
	for dir, want := range map[string]string{"": "top", ".": "top", "s": "text"} {
		if raw, err := Read(fsys, dir, "a", 9); string(raw) != want {
			t.Errorf("%q: %q, %v", dir, raw, err)
		}
	}
	for _, dir := range []string{"/s", "/", "./s", "s/", "../s", "s/..", "s//t"} {
		_, read := Read(fsys, dir, "a", 9)
		_, _, listed := List(fsys, dir, Options{})
		for _, err := range []error{read, listed} {
			var e *catalog.Error
			if !errors.As(err, &e) || e.Kind != "invalid_input" || e.At != dir {
				t.Errorf("%q: %#v", dir, err)
			}
		}
	}
	if p, err := Confine(nil, "/home/a/skills/s", "a", Remote); err != nil || p.Path != "/home/a/skills/s/a" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestLimitsBelowOne(t *testing.T) {
	if got := (Limits{-1, -1, -1, math.MinInt}).OrDefault(); got != (Limits{16, 4096, 1024, 2048}) {
		t.Errorf("%+v", got)
	}
	if got := (Limits{1, 2, 3, 4}).OrDefault(); got != (Limits{1, 2, 3, 4}) {
		t.Errorf("%+v", got)
	}
}
