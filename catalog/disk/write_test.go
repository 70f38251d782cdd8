package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/disk"
)

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "skills")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path, err := disk.Write(dir, author.Definition{Name: "notes", Description: "Writes notes.", Instructions: "Be brief."})
	relative, _ := filepath.Rel(dir, path)
	fmt.Println(filepath.ToSlash(relative), err)
	_, err = disk.Write(dir, author.Definition{Name: "Notes", Description: "Writes notes."})
	fmt.Println(err)
	// Output:
	// notes/SKILL.md <nil>
	// the name "Notes" has capital letters
}

// everything lists the files below a directory with their texts.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		data, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func notes() author.Definition {
	return author.Definition{
		Name: "notes", Description: "Writes: notes.", AllowedTools: []string{"Read"}, Instructions: "See [it](assets/a b.md).",
		Resources: map[string][]byte{"assets/a b.md": []byte("# A\r\n"), "logo.png": {0x89, 0}},
	}
}

func TestWriteADefinition(t *testing.T) {
	t.Run("S4-2", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "made", "here")
		path, err := disk.Write(dir, notes())
		if err != nil || path != filepath.Join(dir, "notes", "SKILL.md") {
			t.Fatal(path, err)
		}
		want := map[string]string{
			"notes/SKILL.md":      "---\nname: notes\ndescription: \"Writes: notes.\"\nallowed-tools: Read\n---\n\nSee [it](assets/a b.md).\n",
			"notes/assets/a b.md": "# A\r\n", "notes/logo.png": "\x89\x00",
		}
		if diff := cmp.Diff(want, everything(t, dir)); diff != "" {
			t.Error(diff)
		}
		skill, findings, err := disk.Load(path, catalog.Rules{Profile: catalog.ProfileSpec})
		if err != nil || len(findings) > 0 || skill.Description != "Writes: notes." {
			t.Error(skill, findings, err)
		}
	})
}

func TestWhatIsRefusedIsNotWritten(t *testing.T) {
	t.Run("S4-2", func(t *testing.T) {
		for _, change := range []func(*author.Definition){
			func(d *author.Definition) { d.Name = "../notes" }, func(d *author.Definition) { d.Description = "" },
			func(d *author.Definition) { d.Resources = map[string][]byte{"../x": nil} }, func(d *author.Definition) { d.Extra = map[string]any{"own": "x"} },
		} {
			dir := filepath.Join(t.TempDir(), "sub")
			d := notes()
			change(&d)
			path, err := disk.Write(dir, d)
			var e *catalog.Error
			if path != "" || !errors.As(err, &e) {
				t.Errorf("%q, %v", path, err)
			}
			if _, err := os.Lstat(dir); err == nil {
				t.Errorf("%+v: something is there", d)
			}
		}
	})
}

func TestNothingIsOverwritten(t *testing.T) {
	for what, put := range map[string]func(dir string) error{
		"a skill":           func(dir string) error { _, err := disk.Write(filepath.Dir(dir), notes()); return err },
		"a file":            func(dir string) error { return os.WriteFile(dir, []byte("mine"), 0o644) },
		"an empty place":    func(dir string) error { return os.Mkdir(dir, 0o755) },
		"a link":            func(dir string) error { return os.Symlink(filepath.Dir(dir), dir) },
		"a link to nothing": func(dir string) error { return os.Symlink("nowhere", dir) },
		"a link out":        func(dir string) error { return os.Symlink("/", dir) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			if err := put(filepath.Join(dir, "notes")); err != nil {
				if runtime.GOOS == "windows" {
					t.Skip(err)
				}
				t.Fatal(err)
			}
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			d := notes()
			d.Instructions = "Others."
			_, err = disk.Write(dir, d)
			var e *catalog.Error
			if !errors.As(err, &e) || e.Code() != "already_exists" || e.Path != filepath.Join(dir, "notes") || !strings.Contains(e.Error(), "is there already") {
				t.Errorf("%v", err)
			}
			after, err := os.ReadDir(dir)
			if err != nil || len(after) != len(before) {
				t.Errorf("%v, %v", after, err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "notes", "SKILL.md")); err == nil && strings.Contains(string(text), "Others.") {
				t.Error("overwritten")
			}
		})
	}
}

func TestAFileIsNoDirectoryToWriteIn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Write(file, notes()); err == nil {
		t.Error("a file is taken for a directory")
	}
}
