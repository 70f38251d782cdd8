package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

type testFile struct {
	path string
	mode Mode
	data string
}

func write(t *testing.T, r *Repository, files ...testFile) (ID, Stats) {
	t.Helper()
	w, err := r.NewWriter(context.Background(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, f := range files {
		id, err := w.File(f.path, f.mode, int64(len(f.data)), strings.NewReader(f.data))
		if err != nil {
			t.Fatal(err)
		}
		if want := gitID("blob", f.data); id != want {
			t.Errorf("%s: id %s, want %s", f.path, id, want)
		}
	}
	root, stats, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return root, stats
}

// fixture has the cases in which the order of a tree is not that of its names.
func fixture() []testFile {
	return []testFile{
		{"skills/pdf/SKILL.md", ModeFile, "---\nname: pdf\n---\n"},
		{"skills/pdf/run.sh", ModeExecutable, "#!/bin/sh\n"},
		{"skills/pdf-x", ModeFile, "sorts before the directory"},
		{"skills/pdf.x", ModeFile, "sorts before the directory"},
		{"skills/pdf0", ModeFile, "sorts after it"},
		{"skills/link", ModeLink, "pdf/SKILL.md"},
		{"a/b/c/empty", ModeFile, ""},
		{"\u00fc\xff", ModeFile, "not UTF-8"},
	}
}

func TestWrittenTreeHasTheIDThatGitGives(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	var index strings.Builder
	for _, f := range fixture() {
		id := git(t, dir, f.data, "hash-object", "-w", "--stdin")
		index.WriteString(strings.TrimSuffix(map[Mode]string{ModeFile: "100644 ", ModeExecutable: "100755 ", ModeLink: "120000 "}[f.mode]+id, "\n"))
		index.WriteString("\t" + f.path + "\x00")
	}
	git(t, dir, index.String(), "update-index", "-z", "--index-info")
	want := strings.TrimSpace(git(t, dir, "", "write-tree"))

	r := openRepository(t)
	root, stats := write(t, r, fixture()...)
	if root.String() != want {
		t.Errorf("root %s, git says %s", root, want)
	}
	if !r.Complete(root) {
		t.Error("the tree is not complete")
	}
	for _, f := range fixture() {
		if got := content(t, r, gitID("blob", f.data)); got != f.data {
			t.Errorf("%s: %q, want %q", f.path, got, f.data)
		}
	}
	if want := 7 + 6; stats.Objects != want { // of eight blobs two are equal; the trees: root, skills, pdf, a, b, c
		t.Errorf("%d objects, want %d", stats.Objects, want)
	}
}

func TestEmptyTreeIsWrittenAsGitWritesIt(t *testing.T) {
	root, _ := write(t, openRepository(t))
	if root.String() != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Errorf("root %s", root)
	}
}

func TestContentIsStoredOnce(t *testing.T) {
	r := openRepository(t)
	text := strings.Repeat("0123456789", 5000)
	first, stats := write(t, r, testFile{"a", ModeFile, text}, testFile{"b", ModeFile, text}, testFile{"c", ModeFile, "x"})
	if stats.Objects != 3 { // two blobs and the tree
		t.Errorf("%d objects, want 3", stats.Objects)
	}
	if got := content(t, r, gitID("blob", "x")); got != "x" {
		t.Errorf("what came after the double: %q", got)
	}
	again, stats := write(t, r, testFile{"a", ModeFile, text}, testFile{"b", ModeFile, text}, testFile{"c", ModeFile, "x"})
	if again != first || stats.Objects != 0 {
		t.Errorf("written again: root %s, %d objects", again, stats.Objects)
	}
	if files := append(packFiles(t, r), leftovers(t, r)...); len(files) != 1 {
		t.Errorf("files %v, want one pack", files)
	}
}

func TestDoubleAtTheEndOfAPackDoesNotSpoilItsIndex(t *testing.T) {
	r := openRepository(t)
	noise := make([]byte, 100_000)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	write(t, r, testFile{"a", ModeFile, string(noise)}, testFile{"b", ModeFile, string(noise)})
	reopened, err := openStore(t, r.root.Name()).Repository(r.key)
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, reopened, gitID("blob", string(noise))); got != string(noise) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestLaterFileReplacesAnEarlierOne(t *testing.T) {
	r := openRepository(t)
	root, _ := write(t, r, testFile{"d/a", ModeFile, "old"}, testFile{"d/a", ModeExecutable, "new"})
	want, _ := write(t, r, testFile{"d/a", ModeExecutable, "new"})
	if root != want {
		t.Errorf("root %s, want %s", root, want)
	}
}

func TestUnusableFilesAreRefused(t *testing.T) {
	tests := map[string]testFile{
		"no path":            {"", ModeFile, "x"},
		"absolute":           {"/etc/passwd", ModeFile, "x"},
		"parent":             {"a/../../x", ModeFile, "x"},
		"current":            {"./x", ModeFile, "x"},
		"empty element":      {"a//b", ModeFile, "x"},
		"trailing slash":     {"a/", ModeFile, "x"},
		"NUL":                {"a\x00b", ModeFile, "x"},
		"below a file":       {"file/x", ModeFile, "x"},
		"far below a file":   {"file/x/y/z", ModeFile, "x"},
		"in place of a dir":  {"dir", ModeFile, "x"},
		"a tree":             {"x", ModeTree, "x"},
		"a submodule":        {"x", ModeSubmodule, "x"},
		"no mode":            {"x", 0, "x"},
		"historic mode 0664": {"x", 0o100664, "x"},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			r := openRepository(t)
			w, err := r.NewWriter(context.Background(), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, there := range []string{"file", "file-x", "file.x", "dir/x"} {
				if _, err := w.File(there, ModeFile, 1, strings.NewReader("y")); err != nil {
					t.Fatal(err)
				}
			}
			_, err = w.File(f.path, f.mode, 1, strings.NewReader(f.data))
			if err == nil {
				_, _, err = w.Finish()
			}
			if !errors.Is(err, ErrPack) {
				t.Errorf("error %v, want ErrPack", err)
			}
			w.Abort()
			if left := append(leftovers(t, r), packFiles(t, r)...); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSizeOfAFileMustBeTrue(t *testing.T) {
	for _, size := range []int64{0, 2, 4, 1000} {
		w, err := openRepository(t).NewWriter(context.Background(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.File("x", ModeFile, size, strings.NewReader("abc")); !errors.Is(err, ErrPack) {
			t.Errorf("3 bytes announced as %d: error %v", size, err)
		}
		w.Abort()
	}
}

func TestWriterKeepsItsLimits(t *testing.T) {
	tests := map[string]Limits{
		"bytes in one object": {Object: 9},
		"unpacked bytes":      {Unpacked: 15},
		"objects":             {Objects: 1},
	}
	for what, limits := range tests {
		w, err := openRepository(t).NewWriter(context.Background(), limits)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.File("a", ModeFile, 10, strings.NewReader("0123456789"))
		if err == nil {
			_, err = w.File("b", ModeFile, 10, strings.NewReader("9876543210"))
		}
		var limit *LimitError
		if !errors.As(err, &limit) || limit.What != what {
			t.Errorf("%s: error %v", what, err)
		}
		w.Abort()
	}
}

func TestErrorOfAFileIsReturnedAsItIs(t *testing.T) {
	broken := errors.New("the archive is damaged")
	w, err := openRepository(t).NewWriter(context.Background(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.File("a", ModeFile, 10, iotest.ErrReader(broken)); err != broken {
		t.Errorf("error %v", err)
	}
}

func TestGitReadsTheStreamsOfAPack(t *testing.T) {
	// The entries of a pack that came from git stay as they came: git itself finds them in the file, up to the index.
	dir := gitRepository(t)
	pack := git(t, dir, "", "pack-objects", "--all", "--stdout", "-q", "--window=0")
	r := openRepository(t)
	if _, err := r.AddPack(context.Background(), strings.NewReader(pack), Limits{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(packFiles(t, r)[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte(pack)) {
		t.Error("the pack was changed on its way")
	}
	copied := filepath.Join(t.TempDir(), "copy.pack")
	if err := os.WriteFile(copied, data[:len(pack)], 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "", "index-pack", copied)
}
