package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/disk"
)

func TestProgramsAreWrittenExecutable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	d := notes()
	d.Resources = map[string][]byte{"scripts/run": []byte("#!/bin/sh\n"), "scripts/lib.py": []byte("x = 1\n"), "empty": nil, "a.md": []byte(" #!")}
	path, err := disk.Write(t.TempDir(), d)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"scripts/run": true, "scripts/lib.py": false, "empty": false, "a.md": false, "SKILL.md": false} {
		info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
		if err != nil || info.Mode()&0o100 != 0 != want || info.Mode()&0o600 != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestWriteErrors are of one type, whatever the system says.
func TestWriteErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, filepath.Join(file, "below"), "a\x00b"} {
		_, err := disk.Write(dir, notes())
		if e, ok := err.(*catalog.Error); !ok || e.Kind != "io_error" || e.Path != dir {
			t.Errorf("%q: %#v", dir, err)
		}
	}
	dir := t.TempDir()
	if _, err := disk.Write(dir, notes()); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Write(dir, notes()); err.(*catalog.Error).Kind != "already_exists" {
		t.Errorf("%v", err)
	}
}

func TestLoadNamesTheNameless(t *testing.T) {
	dir := layOut(t, map[string]string{"x/SKILL.md": "---\ndescription: d\n---\n", "y/SKILL.md": "---\nname: z\ndescription: d\n---\n", "-o/SKILL.md": "---\ndescription: d\n---\n"})
	t.Chdir(filepath.Join(dir, "x"))
	for path, want := range map[string]string{"SKILL.md": "x", "../x/SKILL.md": "x", filepath.Join(dir, "x/SKILL.md"): "x", "../y/SKILL.md": "z", "../-o/SKILL.md": ""} {
		t.Run("S4-4 "+path, func(t *testing.T) {
			skill, findings, err := disk.Load(path, catalog.Rules{Profile: catalog.ProfileZidane})
			if err != nil || skill.Name != want || (len(findings) == 0) != (want == "z") {
				t.Errorf("%+v, %v, %v", skill, findings, err)
			}
		})
	}
}

// TestResolveSkillsErrors are not joined where there is one, and leave nothing behind.
func TestResolveSkillsErrors(t *testing.T) {
	tmp := t.TempDir()
	base := disk.Options{Home: tmp, WorkingDir: tmp}
	inline := []author.Definition{notes()}
	for what, o := range map[string]disk.AgentOptions{
		"already_exists": {Options: base, Inline: append(inline, notes()), TempDir: tmp},
		"invalid_input":  {Options: base, Inline: inline, TempDir: tmp, Catalog: []*catalog.Skill{nil}},
	} {
		s, err := disk.ResolveSkills(t.Context(), o)
		if e, ok := err.(*catalog.Error); !ok || e.Kind != what || s != nil {
			t.Errorf("%s: %#v", what, err)
		}
	}
	_, err := disk.ResolveSkills(t.Context(), disk.AgentOptions{Options: base, Inline: []author.Definition{{Name: "X"}}, TempDir: tmp})
	if e := (*catalog.Error)(nil); !errors.As(err, &e) || e.At != "name" {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	if err := new(disk.Skills).Cleanup(); err != nil {
		t.Error(err)
	}
}
