package merge

import (
	"os"
	"path/filepath"
	"testing"
)

// onSide is a Content; "!" in front makes it executable, "-" is no file.
func onSide(text string) *Content {
	switch {
	case text == "-":
		return nil
	case text != "" && text[0] == '!':
		return &Content{Data: []byte(text[1:]), Executable: true}
	}
	return &Content{Data: []byte(text)}
}

func TestPatch(t *testing.T) {
	const head = "diff --git a/x b/x\n"
	for name, c := range map[string]struct{ old, new, want string }{
		"nothing":           {"-", "-", ""},
		"equal":             {"a\n", "a\n", ""},
		"equal executables": {"!a\n", "!a\n", ""},
		"text":              {"a\n", "b\n", head + "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
		"new":               {"-", "a\n", head + "new file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n"},
		"new executable":    {"-", "!a\n", head + "new file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n"},
		"gone":              {"!a\n", "-", head + "deleted file mode 100755\n--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
		"new and empty":     {"-", "", head + "new file mode 100644\n\n"},
		"empty and gone":    {"", "-", head + "deleted file mode 100644\n\n"},
		"mode":              {"a\n", "!a\n", head + "old mode 100644\nnew mode 100755\n\n"},
		"mode and text":     {"!a\n", "b\n", head + "old mode 100755\nnew mode 100644\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
		"binary":            {"\x00", "\x00\x00", "Binary files a/x and b/x differ\n"},
		"new binary":        {"-", "!\x00", "Binary files /dev/null and b/x differ\n"},
		"binary and mode":   {"\x00", "!\x00\x00", "Binary files a/x and b/x differ\n" + head + "old mode 100644\nnew mode 100755\n\n"},
	} {
		if got := string(Patch("x", onSide(c.old), onSide(c.new))); got != c.want {
			t.Errorf("%s: got %q\nwant %q", name, got, c.want)
		}
	}
	if got, want := string(Patch("a \"b", onSide("-"), onSide(""))), "diff --git \"a/a \\\"b\" \"b/a \\\"b\"\nnew file mode 100644\n\n"; got != want {
		t.Errorf("quoted name: got %q\nwant %q", got, want)
	}
}

// Git takes what Patch makes of a directory, header after header, and leaves out the binary files alone.
func TestGitTakesPatches(t *testing.T) {
	dir := t.TempDir()
	var patch []byte
	for _, f := range []struct{ name, old, new string }{
		{"a mode", "a\n", "!a\n"}, {"b.png", "\x00old", "\x00new"}, {"c/text", "1\n2\n3\n", "1\ntwo\n3\n"}, {"d/new", "-", "!#!/bin/sh\n"},
		{"e/empty", "-", ""}, {"f.png", "\x00old", "!\x00new"}, {"g gone", "!a\n", "-"}, {"h/wiped", "", "-"}, {"i\"quoted", "a", "b"}, {"j.png", "-", "\x00"},
	} {
		if old := onSide(f.old); old != nil {
			write(t, dir, map[string]string{f.name: string(old.Data)})
			if err := os.Chmod(filepath.Join(dir, f.name), 0o644|map[bool]os.FileMode{true: 0o111}[old.Executable]); err != nil {
				t.Fatal(err)
			}
		}
		patch = append(patch, Patch(f.name, onSide(f.old), onSide(f.new))...)
	}
	run(t, dir, string(patch), []string{"git", "apply", "-"})
	for name, want := range map[string]string{
		"a mode": "!a\n", "b.png": "\x00old", "c/text": "1\ntwo\n3\n", "d/new": "!#!/bin/sh\n", "e/empty": "", "f.png": "!\x00old", "i\"quoted": "b",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		info, statErr := os.Stat(filepath.Join(dir, name))
		if err != nil || statErr != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if executable := info.Mode()&0o100 != 0; string(data) != string(onSide(want).Data) || executable != onSide(want).Executable {
			t.Errorf("%s: got %q, executable %v; want %q", name, data, executable, want)
		}
	}
	for _, name := range []string{"g gone", "h/wiped", "j.png"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}
