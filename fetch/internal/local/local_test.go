package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree writes files; a name that ends in "@" is a link to the content.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		link := strings.HasSuffix(name, "@")
		name = filepath.Join(dir, strings.TrimSuffix(name, "@"))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if link {
			err = os.Symlink(content, name)
		} else {
			err = os.WriteFile(name, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, name string) *Source {
	t.Helper()
	source, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	return source
}

func wantCode(t *testing.T, err error, code Code) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got error %v, want one of code %s", err, code)
	}
	return e
}

func TestPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table holds paths of other systems")
	}
	for _, test := range []struct{ text, want string }{
		{"~", "/home/me"}, {"~/skills", "/home/me/skills"}, {"~/", "/home/me"}, {"~/../x", "/home/x"},
		{"./x", "/work/x"}, {"../x", "/x"}, {".", "/work"}, {"x/y", "/work/x/y"}, {"/abs/./x/", "/abs/x"},
		{"a:b", "/work/a:b"}, {"./C:/x", "/work/C:/x"},
		{`C:\skills`, ""}, {"C:/skills", ""}, {"d:", ""}, {`\\srv\share`, ""}, {"~other/x", ""}, {"", ""},
	} {
		got, err := Path(test.text, "/home/me", "/work")
		if got != test.want {
			t.Errorf("%q gives %q, %v", test.text, got, err)
		}
		if test.want == "" {
			wantCode(t, err, Unsupported)
		}
	}
	_, err := Path("~/x", "", "/work")
	wantCode(t, err, Unsupported)
	if _, err := onSystem("windows", `C:\skills`, "", ""); err != nil {
		t.Errorf("a drive is refused on Windows: %v", err)
	}
	dir := tree(t, map[string]string{"~odd/SKILL.md": ""})
	if got, err := Path("~odd", "/home/me", dir); err != nil || got != filepath.Join(dir, "~odd") {
		t.Errorf("a directory that exists gives %q, %v", got, err)
	}
}

func TestOpenTellsWhatStandsThere(t *testing.T) {
	dir := tree(t, map[string]string{
		"x/SKILL.md": "s", "y/skill.md": "s", "z/README.md": "r", "pack.ZIP": "", "pack.tar.gz": "", "p.skill": "", "p.tgz": "", "p.tar": "",
		"link@": "x", "dangling@": "nowhere",
	})
	for _, test := range []struct {
		name, path string
		file       bool
		archive    bool
		code       Code
	}{
		{"x", "x", false, false, ""},
		{"link", "link", false, false, ""},
		{"x/SKILL.md", "x", true, false, ""},
		{"y/skill.md", "y", true, false, ""},
		{"pack.ZIP", "pack.ZIP", false, true, ""},
		{"pack.tar.gz", "pack.tar.gz", false, true, ""},
		{"p.skill", "p.skill", false, true, ""},
		{"p.tgz", "p.tgz", false, true, ""},
		{"p.tar", "p.tar", false, true, ""},
		{"z/README.md", "", false, false, Unsupported},
		{"gone", "", false, false, NotFound},
		{"dangling", "", false, false, NotFound},
		{"x/SKILL.md/deeper", "", false, false, Failed},
	} {
		name := filepath.Join(dir, test.name)
		got, err := Open(name)
		if test.code != "" {
			if e := wantCode(t, err, test.code); e.Path != name || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: the error names %q: %v", test.name, e.Path, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		want := &Source{Path: filepath.Join(dir, test.path), File: test.file}
		if test.archive {
			want.Archive = want.Path
		}
		if got.Path != want.Path || got.File != want.File || got.Archive != want.Archive || (got.FS == nil) != test.archive {
			t.Errorf("%s: got %+v, want %+v", test.name, got, want)
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDirectoryIsAFileSystemWithoutGit(t *testing.T) {
	dir := tree(t, map[string]string{
		".git/config": "secret", "sub/.git": "gitdir: x", ".gitignore": "i", "SKILL.md": "s", "sub/a.md": "a", "in@": "sub/a.md",
	})
	if err := os.Chmod(filepath.Join(dir, "sub/a.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	fsys := open(t, dir).FS
	if err := fstest.TestFS(fsys, ".gitignore", "SKILL.md", "sub/a.md", "in"); err != nil {
		t.Error(err)
	}
	var names []string
	fs.WalkDir(fsys, ".", func(name string, _ fs.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if diff := cmp.Diff([]string{".", ".gitignore", "SKILL.md", "in", "sub", "sub/a.md"}, names); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{".git", ".git/config", "sub/.git"} {
		if _, err := fs.ReadFile(fsys, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := fsys.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := fsys.Lstat("in"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link has mode %v, %v", info, err)
	}
	if target, err := fsys.ReadLink("in"); err != nil || target != "sub/a.md" {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if info, err := fsys.Stat("sub/a.md"); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the x bit is lost: %v, %v", info, err)
	}
}

func TestFolderWithNothingButGitReadsEmpty(t *testing.T) {
	fsys := open(t, tree(t, map[string]string{".git/config": ""})).FS
	f, err := fsys.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := f.(fs.ReadDirFile).ReadDir(1)
	if len(entries) != 0 || err == nil {
		t.Errorf("got %v, %v", entries, err)
	}
}

func TestLinksDoNotLeadOut(t *testing.T) {
	outside := tree(t, map[string]string{"secret": "s"})
	dir := tree(t, map[string]string{
		"abs@": filepath.Join(outside, "secret"), "up@": "../" + filepath.Base(outside) + "/secret", "folder@": outside, "chain@": "abs", "SKILL.md": "",
	})
	fsys := open(t, dir).FS
	for _, name := range []string{"abs", "up", "folder", "folder/secret", "chain"} {
		if _, err := fs.ReadFile(fsys, name); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fsys.ReadDir("folder"); err == nil {
		t.Error("a folder outside was listed")
	}
	// a link that is put in place of a folder later does not help either
	if err := os.Symlink(outside, filepath.Join(dir, "late")); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(fsys, "late/secret"); err == nil {
		t.Error("a link made later was followed")
	}
}

func TestUnreadableIsAnErrorThatNamesThePath(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("root reads everything: only the errors' text is looked at")
	}
	dir := tree(t, map[string]string{"a/SKILL.md": "", "b/c": ""})
	for _, name := range []string{"a/SKILL.md", "b"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "b"), 0o755) })
	fsys := open(t, dir).FS
	if os.Getuid() != 0 {
		for _, name := range []string{"a/SKILL.md", "b/c"} {
			if _, err := fs.ReadFile(fsys, name); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), filepath.Join(dir, name)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := Open(filepath.Join(dir, "b", "c"))
		wantCode(t, err, Forbidden)
	}
	e := wantCode(t, describe("/x", &fs.PathError{Op: "stat", Path: "/x", Err: fs.ErrPermission}), Forbidden)
	if e.Error() != `"/x" cannot be read: permission denied` {
		t.Error(e)
	}
	if _, err := fs.ReadFile(fsys, "../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a path that is none: %v", err)
	}
}

func ExampleOpen() {
	name, err := Path("gone", "/home/me", "/nowhere")
	if err == nil {
		_, err = Open(name)
	}
	fmt.Println(err)
	// Output: "/nowhere/gone" does not exist
}
