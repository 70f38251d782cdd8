package merge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	for name, c := range map[string]struct {
		oldName, newName, old, new, want string
	}{
		"equal":     {"x", "x", "a\n", "a\n", ""},
		"empty":     {"x", "x", "", "", ""},
		"one line":  {"x", "x", "a\n", "b\n", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
		"new file":  {"", "d/x", "", "a\nb\n", "--- /dev/null\n+++ b/d/x\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"old file":  {"d/x", "", "a\n", "", "--- a/d/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
		"emptied":   {"x", "x", "a\n", "", "--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-a\n"},
		"no end":    {"x", "x", "a", "a\n", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"no end 2":  {"x", "x", "a\nb", "A\nb", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n"},
		"line ends": {"x", "x", "a\n", "a\r\n", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+a\r\n"},
		"context": {"x", "x", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\nN\n",
			"--- a/x\n+++ b/x\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+N\n"},
		"two hunks": {"x", "x", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "A\n2\n3\n4\n5\n6\n7\n8\nB\n",
			"--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-1\n+A\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+B\n"},
		"a header as text":   {"x", "x", "", "--- a/y\n+++ b/y\n", "--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+--- a/y\n++++ b/y\n"},
		"binary":             {"x", "x", "a\x00", "a\n", "Binary files a/x and b/x differ\n"},
		"new binary":         {"", "x", "", "\x89PNG\n", "Binary files /dev/null and b/x differ\n"},
		"too long":           {"x", "x", strings.Repeat("\n", mostLines+1), "", "Files a/x and b/x differ\n"},
		"too long by now":    {"x", "x", "", strings.Repeat("\n", mostLines+1), "Files a/x and b/x differ\n"},
		"name with blank":    {"a b", "a b", "", "a\n", "--- a/a b\t\n+++ b/a b\t\n@@ -0,0 +1,1 @@\n+a\n"},
		"name with line end": {"a\n+b", "a\n+b", "", "a\n", "--- \"a/a\\012+b\"\n+++ \"b/a\\012+b\"\n@@ -0,0 +1,1 @@\n+a\n"},
		"name with quotes":   {`a"\`, `a"\`, "", "a\n", `--- "a/a\"\\"` + "\n" + `+++ "b/a\"\\"` + "\n@@ -0,0 +1,1 @@\n+a\n"},
		"name with escape":   {"\x1b[31m", "\x1b[31m", "\x00", "", "Binary files \"a/\\033[31m\" and \"b/\\033[31m\" differ\n"},
		"name turned round":  {"a\u202eb", "a\u202eb", "\x00", "", "Binary files \"a/a\\342\\200\\256b\" and \"b/a\\342\\200\\256b\" differ\n"},
		"name without form":  {"\xff", "\xff", "\x00", "", "Binary files \"a/\\377\" and \"b/\\377\" differ\n"},
		"foreign name":       {"代码", "代码", "\x00", "", "Binary files a/代码 and b/代码 differ\n"},
	} {
		if got := string(Unified(c.oldName, c.newName, []byte(c.old), []byte(c.new))); got != c.want {
			t.Errorf("%s: got %q\nwant %q", name, got, c.want)
		}
	}
}

// run lets a program apply a patch in a directory.
func run(t *testing.T, dir, patch string, program []string) {
	t.Helper()
	if program[0] == "git" {
		if out, status := git(t, dir, patch, program[1:]...); status != 0 {
			t.Fatalf("git refuses %q: %s", patch, out)
		}
		return
	}
	c := exec.Command(program[0], program[1:]...)
	c.Dir, c.Stdin = dir, strings.NewReader(patch)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s refuses %q: %v: %s", program[0], patch, err, out)
	}
}

// programs are those that take diffs on this machine: git always, and GNU patch, which knows quoted names.
func programs() [][]string {
	all := [][]string{{"git", "apply", "--whitespace=nowarn", "-"}}
	if version, err := exec.Command("patch", "--version").Output(); err == nil && strings.HasPrefix(string(version), "GNU") {
		all = append(all, []string{"patch", "-p1", "--quiet", "--no-backup-if-mismatch"})
	}
	return all
}

func TestProgramsTakeDiffs(t *testing.T) {
	for name, c := range map[string]struct{ file, old, new string }{
		"change":                    {"x", "a\nb\nc\n", "a\nB\nc\n"},
		"new file":                  {"d/e/x.md", "", "a\nb\n"},
		"deleted file":              {"d/x.md", "a\nb\n", ""},
		"line end lost":             {"x", "a\nb\n", "a\nb"},
		"line end found":            {"x", "a\nb", "a\nb\n"},
		"no line end on either":     {"x", "a\nb", "A\nb"},
		"Windows":                   {"x", "a\r\nb\r\n", "a\r\nB\r\n"},
		"to Windows":                {"x", "a\nb\n", "a\r\nb\r\n"},
		"blank lines":               {"x", "\n\n\n\na\n", "\n\na\n\n\n"},
		"text that looks like diff": {"x", "-- a\n@@ -1 +1 @@\n", "++ b\n\\ No newline at end of file\n"},
		"name with blanks":          {"a b/c d.md", "a\n", "b\n"},
		"new file with blanks":      {"a b/c d.md", "", "b\n"},
		"name with quotes":          {`say "hi"\.md`, "a\n", "b\n"},
		"foreign name":              {"代码/é.md", "a\n", "b\n"},
		"far apart":                 {"x", strings.Repeat("a\n", 50) + "b\n" + strings.Repeat("c\n", 50), "x\n" + strings.Repeat("a\n", 50) + strings.Repeat("c\n", 51)},
	} {
		oldName, newName := c.file, c.file
		if c.old == "" {
			oldName = ""
		}
		if c.new == "" {
			newName = ""
		}
		patch := string(Unified(oldName, newName, []byte(c.old), []byte(c.new)))
		for _, program := range programs() {
			t.Run(name+" by "+program[0], func(t *testing.T) {
				dir := t.TempDir()
				if c.old != "" {
					write(t, dir, map[string]string{c.file: c.old})
				}
				run(t, dir, patch, program)
				if got, err := os.ReadFile(filepath.Join(dir, c.file)); string(got) != c.new || (err == nil) != (c.new != "") {
					t.Errorf("got %q by %q, want %q", got, patch, c.new)
				}
			})
		}
	}
}

// One diff over many files takes one call of each program.
func TestProgramsTakeDiffsOfDocuments(t *testing.T) {
	for _, program := range programs() {
		t.Run(program[0], func(t *testing.T) {
			dir := t.TempDir()
			var patch strings.Builder
			want := map[string]string{}
			for seed := range uint64(100) {
				r := rand.New(rand.NewPCG(seed, 4))
				d, name := document(r), fmt.Sprintf("%d.md", seed)
				want[name] = edited(r, d, "mine")
				write(t, dir, map[string]string{name: joined(d)})
				patch.Write(Unified(name, name, []byte(joined(d)), []byte(want[name])))
			}
			run(t, dir, patch.String(), program)
			for name, text := range want {
				if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
					t.Errorf("%s: %v, %q, want %q", name, err, got, text)
				}
			}
		})
	}
}

// patched applies a diff by the words of the format: the numbers of each hunk must fit, and its old lines must be there.
func patched(old, patch string) (string, error) {
	lines := strings.SplitAfter(patch, "\n")[2:] // without the names
	rest, at := strings.SplitAfter(old, "\n"), 1
	var text strings.Builder
	for i := 0; i < len(lines) && lines[i] != ""; {
		var oldStart, oldLines, newStart, newLines int
		if _, err := fmt.Sscanf(lines[i], "@@ -%d,%d +%d,%d @@", &oldStart, &oldLines, &newStart, &newLines); err != nil {
			return "", err
		}
		if oldLines == 0 {
			oldStart++
		}
		for ; at < oldStart; at++ {
			text.WriteString(rest[0])
			rest = rest[1:]
		}
		for i++; oldLines+newLines > 0; i++ {
			line := lines[i][1:]
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\\") {
				line = strings.TrimSuffix(line, "\n")
			}
			if lines[i][0] == '\\' {
				continue
			}
			if lines[i][0] != '+' {
				if rest[0] != line {
					return "", strconv.ErrSyntax
				}
				rest, at, oldLines = rest[1:], at+1, oldLines-1
			}
			if lines[i][0] != '-' {
				text.WriteString(line)
				newLines--
			}
		}
		if i < len(lines) && strings.HasPrefix(lines[i], "\\") {
			i++
		}
	}
	return text.String() + strings.Join(rest, ""), nil
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc")
	f.Add("", "a")
	f.Add("\\\n", "\\ No newline at end of file\n\\")
	f.Fuzz(func(t *testing.T, old, new string) {
		patch := string(Unified("x", "x", []byte(old), []byte(new)))
		switch {
		case old == new && patch != "", old != new && patch == "":
			t.Errorf("%q to %q gives %q", old, new, patch)
		case !strings.HasPrefix(patch, "--- "):
			return
		}
		if got, err := patched(old, patch); err != nil || got != new {
			t.Errorf("%v: %q makes %q out of %q, not %q", err, patch, got, old, new)
		}
	})
}

func ExampleUnified() {
	fmt.Printf("%s", Unified("pdf/SKILL.md", "pdf/SKILL.md", []byte("# PDF\nRead it.\n"), []byte("# PDF\nRead it twice.\n")))
	// Output:
	// --- a/pdf/SKILL.md
	// +++ b/pdf/SKILL.md
	// @@ -1,2 +1,2 @@
	//  # PDF
	// -Read it.
	// +Read it twice.
}

func BenchmarkUnified(b *testing.B) {
	old := []byte(strings.Repeat("sentence\n\nanother\n", mostLines/3))
	changed := append([]byte("new\n"), old...)
	b.SetBytes(int64(len(old)))
	b.ReportAllocs()
	for b.Loop() {
		Unified("x", "x", old, changed)
	}
}
