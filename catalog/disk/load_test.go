package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"skills/catalog"
	"skills/catalog/disk"
)

func TestLoad(t *testing.T) {
	dir := layOut(t, map[string]string{
		"t/summarize/SKILL.md": "---\nname: \"files:summarize\"\ndescription: \"Sums up.\"\n---\n\nPlease sum up: {{content}}\n",
		"b/SKILL.md":           "---\r\nname: pdf\r\ndescription: d\r\n---\r\nBody",
		"bad/SKILL.md":         "no frontmatter here",
		"link.md":              "-> b/SKILL.md", "d/": "", "dangling": "-> nowhere", "loop": "-> loop",
	})
	t.Chdir(dir)
	for _, c := range []struct{ id, path, name, kind string }{
		{"S0-1", "t/summarize/SKILL.md", "files:summarize", ""},
		{"S0-3", "./a/../b/SKILL.md", "", "not_found"}, // as the system reads it: there is no a
		{"S0-3 as handed in", "./t/../b/SKILL.md", "pdf", ""},
		{"S0-3 absolute", filepath.Join(dir, "b/SKILL.md"), "pdf", ""},
		{"S0-3 link", "link.md", "pdf", ""},
		{"S0-13", "nope/SKILL.md", "", "not_found"},
		{"S0-13 dangling", "dangling", "", "not_found"},
		{"S0-13 frontmatter", "bad/SKILL.md", "", "invalid_skill"},
		{"S1-35 EISDIR", "d", "", "not_a_file"},
		{"S1-35 ENOTDIR", "link.md/SKILL.md", "", "not_a_file"},
		{"S1-35 other", "loop", "", "io_error"},
		{"no path", "", "", "not_found"},
		{"no path of the system", "a\x00b", "", "io_error"},
		{"too long", strings.Repeat("n", 5000), "", "not_found"},
	} {
		t.Run(c.id, func(t *testing.T) {
			skill, _, err := disk.Load(c.path, catalog.Rules{})
			kindIs(t, err, c.kind)
			if e := (*catalog.Error)(nil); errors.As(err, &e) && (e.Path != c.path || skill != nil) {
				t.Errorf("S1-34: error is about %q, with %v", e.Path, skill)
			}
			if err == nil && (skill.Location != c.path || skill.Name != c.name) {
				t.Errorf("S0-3: location is %q, name %q", skill.Location, skill.Name)
			}
		})
	}
}

func TestLoadIsParse(t *testing.T) {
	text := "\n---\nname: PDF_Tools\ndescription: d\nlicense: 1.0\n---\nBody.\n"
	path := filepath.Join(layOut(t, map[string]string{"SKILL.md": text}), "SKILL.md")
	want, findings, err := catalog.Parse([]byte(text), catalog.Rules{})
	if err != nil || len(findings) == 0 {
		t.Fatal(findings, err)
	}
	got, told, err := disk.Load(path, catalog.Rules{})
	if err != nil || got.Document != want.Document || got.Body != want.Body || len(told) != len(findings) {
		t.Errorf("S0-17: loaded as %+v, %v, %v", got, told, err)
	}
	for i, f := range told {
		if f.File != path || f.Message != findings[i].Message {
			t.Errorf("finding is %+v", f)
		}
	}
}

func TestLoadReadsSoMuch(t *testing.T) {
	path := filepath.Join(layOut(t, map[string]string{"SKILL.md": "---\nname: x\ndescription: d\n---\n"}), "SKILL.md")
	if err := os.Truncate(path, 1<<32); err != nil { // a file with a hole
		t.Skip(err)
	}
	_, _, err := disk.Load(path, catalog.Rules{})
	var e *catalog.Error
	if !errors.As(err, &e) || e.Reason != "too_long" {
		t.Errorf("S1-45: error is %v", err)
	}
}

func TestFileError(t *testing.T) {
	known := &catalog.Error{Kind: "path_escape"}
	for _, c := range []struct {
		id   string
		err  error
		kind string
	}{
		{"S1-35 ENOENT", syscall.ENOENT, "not_found"}, {"S1-35 wrapped", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, "not_found"},
		{"S1-35 EISDIR", syscall.EISDIR, "not_a_file"}, {"S1-35 ENOTDIR", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOTDIR}, "not_a_file"},
		{"S1-35 EACCES", syscall.EACCES, "io_error"}, {"S1-35 any", errors.New("odd"), "io_error"},
		{"S1-35 known", fmt.Errorf("wrapped: %w", known), "path_escape"}, {"S1-35 nil", nil, ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			err := disk.FileError(c.err, "p/x")
			kindIs(t, err, c.kind)
			var e *catalog.Error
			if errors.As(err, &e) && e != known && (e.Path != "p/x" || e.Hint == "" || strings.Count(err.Error(), "x") != strings.Count(err.Error(), `"p/x"`)+strings.Count(err.Error(), "exist")) {
				t.Errorf("error is %+v", e)
			}
		})
	}
}

func ExampleLoad() {
	_, _, err := disk.Load("testdata/none/SKILL.md", catalog.Rules{})
	var e *catalog.Error
	if errors.As(err, &e) {
		fmt.Println(e.Kind, e.Path)
	}
	fmt.Println(err)
	// Output:
	// not_found testdata/none/SKILL.md
	// "testdata/none/SKILL.md" is not there
}

func ExampleFileError() {
	_, err := os.ReadFile("testdata/none")
	fmt.Println(disk.FileError(err, "testdata/none"))
	// Output: "testdata/none" is not there
}
