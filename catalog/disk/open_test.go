package disk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog/disk"
	"skills/catalog/resource"
)

// layOut makes files, links ("-> target") and directories ("/" at the end of the name) in a new directory, which it gives free of links.
// $DIR in a target is that directory.
func layOut(t testing.TB, entries map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range entries {
		full := filepath.Join(dir, filepath.FromSlash(name))
		target, isLink := strings.CutPrefix(text, "-> ")
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(filepath.FromSlash(strings.ReplaceAll(target, "$DIR", dir)), full)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o755)
		default:
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// storeEntries is a directory of skills, one of them a link into a store, with links that lead everywhere.
func storeEntries() map[string]string {
	return map[string]string{
		"skills/pdf":                 "-> ../store/pdf",
		"skills/abs":                 "-> $DIR/store/pdf",
		"store/pdf/SKILL.md":         "---\nname: pdf\ndescription: d\n---\nBody.\n",
		"store/pdf/references/a.md":  "a",
		"store/pdf/in.md":            "-> references/a.md",
		"store/pdf/in-abs":           "-> $DIR/store/pdf/references",
		"store/pdf/in-skills":        "-> $DIR/skills/abs/references/a.md",
		"store/pdf/round":            "-> ../../skills/pdf/references",
		"store/pdf/out":              "-> $DIR/elsewhere",
		"store/pdf/out.txt":          "-> ../../elsewhere/x",
		"store/pdf/top":              "-> ../../../../../../../../../../../../../../../../../../etc",
		"store/pdf/gone":             "-> references/new.md",
		"store/pdf/gone-out":         "-> ../../elsewhere/new",
		"store/pdf/loop":             "-> loop",
		"store/pdf/deep/f":           "f",
		"store/pdf/via":              "-> out/../elsewhere/x",
		"store/pdf/references/back":  "-> ..",
		"store/pdf-evil/x":           "evil",
		"elsewhere/x":                "secret",
		"elsewhere/elsewhere/x":      "secret",
		"skills/dangling":            "-> ../nowhere",
		"store/pdf/references/l/m/n": "n",
	}
}

func TestOpenIsAFileSystem(t *testing.T) {
	dir := layOut(t, map[string]string{"a/b": "text", "a/empty/": "", "c": "", "a/l": "-> b", "d": "-> a"})
	if err := fstest.TestFS(disk.Open(dir), "a/b", "a/empty", "c", "a/l"); err != nil {
		t.Error(err)
	}
}

func TestOpenFollowsLinksOutAndReadsThem(t *testing.T) {
	dir := layOut(t, storeEntries())
	f := disk.Open(filepath.Join(dir, "skills"))
	raw, err := fs.ReadFile(f, "pdf/references/a.md")
	if string(raw) != "a" || err != nil {
		t.Errorf("read %q, %v", raw, err)
	}
	if info, err := f.Stat("pdf"); err != nil || !info.IsDir() {
		t.Errorf("a link to a directory is none: %v", err)
	}
	if info, err := f.Lstat("pdf"); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("a link is none: %v", err)
	}
	if target, err := f.ReadLink("pdf"); filepath.ToSlash(target) != "../store/pdf" || err != nil {
		t.Errorf("link is %q, %v", target, err)
	}
	if entries, err := f.ReadDir("pdf/references"); err != nil || len(entries) != 3 {
		t.Errorf("entries are %v, %v", entries, err)
	}
}

func TestOpenIsOfTheDirectoryAtThatMoment(t *testing.T) {
	dir := layOut(t, map[string]string{"one/f": "1", "two/": ""})
	t.Chdir(filepath.Join(dir, "one"))
	f := disk.Open(".")
	t.Chdir(filepath.Join(dir, "two"))
	if raw, err := fs.ReadFile(f, "f"); string(raw) != "1" || err != nil {
		t.Errorf("read %q, %v", raw, err)
	}
	if got := f.Abs("f"); got != filepath.Join(dir, "one", "f") {
		t.Errorf("path is %q", got)
	}
}

func TestNamesThatNoFileHas(t *testing.T) {
	f := disk.Open(layOut(t, map[string]string{"d/f": "x"}))
	for _, name := range []string{"../x", "/etc", "d/", "", "d//f"} {
		_, err1 := f.Open(name)
		_, err2 := f.ReadDir(name)
		_, err3 := f.Stat(name)
		_, err4 := f.Lstat(name)
		_, err5 := f.ReadLink(name)
		_, err6 := f.RealPath(name)
		_, err7 := f.OpenIn(name, "f")
		for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
			if !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%q: error is %v", name, err)
			}
		}
	}
	if _, err := f.Lstat(strings.Repeat("n", 4000)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a name that is too long: %v", err)
	}
}

func TestOpenInLeavesItsDirectoryThroughNoLink(t *testing.T) {
	dir := layOut(t, storeEntries())
	f := disk.Open(filepath.Join(dir, "skills"))
	for name, want := range map[string]string{
		"references/a.md": "a", "in.md": "a", "references/back/in.md": "a", "deep/f": "f",
		"out/x": "", "out.txt": "", "../pdf-evil/x": "", "top/passwd": "", "via": "", "nope": "", "loop": "",
	} {
		for _, skill := range []string{"pdf", "abs"} {
			file, err := f.OpenIn(skill, name)
			if (err == nil) != (want != "") {
				t.Errorf("%s: error is %v", name, err)
			}
			if err != nil {
				continue
			}
			if raw, err := io.ReadAll(file); string(raw) != want || err != nil {
				t.Errorf("%s: read %q, %v", name, raw, err)
			}
			file.Close()
		}
	}
	if _, err := f.OpenIn("nope", "f"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
}

// swapping puts something else in the way between the check and the opening.
type swapping struct {
	*disk.FS
	swap func()
}

func (s swapping) OpenIn(dir, name string) (fs.File, error) {
	s.swap()
	return s.FS.OpenIn(dir, name)
}

func TestALinkPutInTheWayIsNotFollowed(t *testing.T) {
	for _, c := range []struct{ id, old, target, rel, kind string }{
		{"3.5-29", "references/a.md", "../../../elsewhere/x", "references/a.md", "path_escape"},
		{"3.5-29 a directory", "deep", "../../elsewhere", "deep/f", "path_escape"},
		{"3.5-29 through a link", "references/a.md", "../../../elsewhere/x", "in.md", "path_escape"},
		{"3.5-29 to nothing", "deep/f", "nowhere", "deep/f", "not_found"},
		{"3.5-29 a link inside", "deep/f", "../references/a.md", "deep/f", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			dir := layOut(t, storeEntries())
			swap := func() {
				old := filepath.Join(dir, "store/pdf", c.old)
				if err := errors.Join(os.RemoveAll(old), os.Symlink(c.target, old)); err != nil {
					t.Fatal(err)
				}
			}
			raw, err := resource.Read(swapping{disk.Open(filepath.Join(dir, "skills")), swap}, "pdf", c.rel, 100)
			kindIs(t, err, c.kind)
			if strings.Contains(string(raw), "secret") {
				t.Errorf("read %q", raw)
			}
		})
	}
}

// late puts a link in the way after the way was found.
type late struct {
	*disk.FS
	swap func()
	asks *int
}

func (l late) RealPath(name string) (string, error) {
	real, err := l.FS.RealPath(name)
	if *l.asks++; *l.asks == 2 {
		l.swap()
	}
	return real, err
}

func TestALinkPutInTheWayIsNotLookedThrough(t *testing.T) {
	dir := layOut(t, map[string]string{"s/f": "x", "secret": "four", "l": "-> s"})
	file := filepath.Join(dir, "s", "f")
	swap := func() {
		if err := errors.Join(os.Remove(file), os.Symlink("../secret", file)); err != nil {
			t.Fatal(err)
		}
	}
	for _, skill := range []string{"s", "l"} {
		r, err := resource.Stat(late{disk.Open(dir), swap, new(int)}, skill, "f")
		kindIs(t, err, "not_a_file")
		if r.Size != 0 {
			t.Errorf("3.5-29: %+v tells of a file outside", r)
		}
		if err := errors.Join(os.Remove(file), os.WriteFile(file, []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRealPath(t *testing.T) {
	dir := layOut(t, storeEntries())
	f := disk.Open(dir)
	for name, want := range map[string]string{
		".": "", "skills/pdf": "store/pdf", "skills/abs/in-abs/a.md": "store/pdf/references/a.md", "skills/pdf/round": "store/pdf/references",
		"skills/pdf/in-skills": "store/pdf/references/a.md", "skills/pdf/gone": "store/pdf/references/new.md", "skills/dangling/x": "nowhere/x",
		"skills/pdf/gone-out/x": "elsewhere/new/x", "no/such": "no/such", "skills/pdf/in.md/x": "store/pdf/references/a.md/x",
	} {
		got, err := f.RealPath(name)
		if err != nil || got != filepath.ToSlash(filepath.Join(dir, want)) {
			t.Errorf("%s is %q, %v, want %s", name, got, err, want)
		}
		if known, err := filepath.EvalSymlinks(f.Abs(name)); err == nil && filepath.ToSlash(known) != got {
			t.Errorf("%s is %q, by the library %q", name, got, known)
		}
	}
	if _, err := f.RealPath("skills/pdf/loop"); err == nil || !strings.Contains(err.Error(), "leads back to itself") {
		t.Errorf("error is %v", err)
	}
}

// The program of GNU follows links in paths whose end is missing as well.
func TestRealPathIsThatOfCoreutils(t *testing.T) {
	program, err := exec.LookPath("realpath")
	if err != nil {
		t.Skip("there is no realpath")
	}
	dir := layOut(t, storeEntries())
	parts := strings.Fields("skills store pdf abs in.md in-abs in-skills round out out.txt top gone gone-out deep via references back dangling new x nope")
	random := rand.New(rand.NewSource(7))
	args, names := []string{"-m", "--"}, []string{}
	for range 3000 {
		name := []string{"skills/pdf", "store/pdf", "skills/abs", "skills", "."}[random.Intn(5)]
		for range 1 + random.Intn(4) {
			name += "/" + parts[random.Intn(len(parts))]
		}
		name = filepath.ToSlash(filepath.Clean(name))
		names, args = append(names, name), append(args, filepath.Join(dir, name))
	}
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Skipf("realpath has no -m: %v", err)
	}
	f := disk.Open(dir)
	for i, want := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if got, err := f.RealPath(names[i]); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", names[i], got, err, want)
		}
	}
}

func ExampleOpen() {
	f := disk.Open("testdata/none")
	_, err := fs.Stat(f, "pdf")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	fmt.Println(filepath.Base(f.Abs("pdf/SKILL.md")))
	// Output:
	// true
	// SKILL.md
}
