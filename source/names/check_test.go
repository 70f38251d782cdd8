package names_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/source/names"
)

func Example() {
	fmt.Println(names.Check("pdf"))
	fmt.Println(names.Check("../pdf"))
	fmt.Println(names.Fold("PDF") == names.Fold("pdf"))
	// Output:
	// <nil>
	// begins with "."
	// true
}

func TestSafeNames(t *testing.T) {
	for _, name := range []string{"pdf", "reed_pipe", "moth--trap-", "tide-4.2", "Otter", "代码审查", "Nut & Bolt", "x~1", "conx", "com", "com10", "lpt", "nul-x",
		strings.Repeat("a", 255), "caf\u00e9", "a.b.c"} {
		if err := names.Check(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if err := names.CheckFile(name); err != nil {
			t.Errorf("file %q: %v", name, err)
		}
	}
}

func TestUnsafeNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".hidden", "-3knots", "a/b", `a\b`, "a:b", "a\x00b", "a\nb", "a\x7f", "a\u0085", "a\u202Eb", "a\u2066",
		"a\u200F", "a*b", "what?", `a"b`, "a<b", "a>b", "a|b", "trailing.", "trailing ", "con", "CON", "con.txt", "nul", "com1", "LPT9.tar.gz", "com²", "aux .md", "CONIN$", strings.Repeat("a", 256),
		"cafe\u0301", "\xff"} {
		if names.Check(name) == nil {
			t.Errorf("%q is admitted", name)
		}
	}
}

func TestPathsToWrite(t *testing.T) {
	for path, good := range map[string]bool{
		"assets/template.md": true, "a": true, ".hidden/x": true, "-x": true, "a b/c": true,
		"": false, "/a": false, "a/": false, "a//b": false, "./a": false, "../a": false, "a/../b": false, "a/..": false, ".": false,
		`a\b`: false, `..\a`: false, "C:/x": false, "a/con.md": false, "a/b.": false, ".git/config": false, ".g\u200cit/x": false, "x/GIT~1": false, ".github/x": true, "x/.GIT/y": false, "a\nb": false,
		strings.Repeat("a/", 3000) + "a": false,
	} {
		if err := names.CheckFile(path); (err == nil) != good {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestPathsInASource(t *testing.T) {
	for path, good := range map[string]bool{
		"skills/pdf": true, ".claude/skills/pdf": true, "icons/devicon:react": true, "d\u00e9mo": true, "my skills/a": true, "con": true,
		"": false, "/skills": false, "skills/": false, "a//b": false, "..": false, "a/../b": false, "./a": false, `a\b`: false, "a\x00": false, "a/\u202Eb": false,
		"\xff": false,
	} {
		if err := names.CheckPath(path); (err == nil) != good {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestFilesThatCameWithASkill(t *testing.T) {
	for path, want := range map[string]error{
		"a:b.md": nil, "con.txt": nil, "a\u202e": nil, "cafe\u0301": nil, ".github/x": nil, "a.git/b": nil,
		"": names.Empty, "a//b": names.Empty, "./a": names.Here, "a/..": names.Up, "/a": names.Absolute, `a\b`: names.Backslash, "a\nb": names.Control,
		"\xff": names.NotUTF8, "x/.GIT/y": names.Git, ".git . .": names.Git, ".git::$INDEX_ALLOCATION": names.Git, "\ufeff.git": names.Git, "GIT~1": names.Git,
		strings.Repeat("n", 256): names.Long, strings.Repeat("a/", 3000): names.LongPath,
	} {
		if err := names.CheckBelow(path); err != want {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

func TestFilesOnWindows(t *testing.T) {
	for name, want := range map[string]error{
		"a b.md": nil, ".hidden": nil, "-x": nil, "console": nil, "lpt": nil,
		"a:b": names.Sign, `a\b`: names.Sign, "what?": names.Sign, "a.": names.End, "a ": names.End, "Nul.tar.gz": names.Device, "com³": names.Device,
	} {
		if err := names.CheckWindows(name); err != want {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}

func TestFoldIsBlindForCaseAndNormalForm(t *testing.T) {
	for _, pair := range [][2]string{{"Otter", "oTTER"}, {"caf\u00e9", "cafe\u0301"}, {"CAF\u00c9", "cafe\u0301"}, {"\u212Aelvin", "kelvin"}, {"\u03c3", "\u03c2"}, {"stra\u00dfe", "STRASSE"}} {
		if names.Fold(pair[0]) != names.Fold(pair[1]) {
			t.Errorf("%q and %q are two", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"a", "b"}, {"reed_pipe", "reed-pipe"}, {"p\u0430ge", "page"}} {
		if names.Fold(pair[0]) == names.Fold(pair[1]) {
			t.Errorf("%q and %q are one", pair[0], pair[1])
		}
	}
}

// FuzzChecks: what is admitted stays below the directory that it is joined to, what is admitted on all systems is on each, and folding
// is stable.
func FuzzChecks(f *testing.F) {
	for _, seed := range []string{"pdf", "../x", "a/b", "a/../..", `..\x`, "C:x", "\u0130", "\u1E9E", "a\u0345\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if fold := names.Fold(text); utf8.ValidString(text) && names.Fold(fold) != fold {
			t.Errorf("%q folds to %q and on to %q", text, fold, names.Fold(fold))
		}
		if names.Check(text) == nil && (filepath.Join("/s", text) != "/s/"+text || strings.Contains(text, "/")) {
			t.Errorf("name %q is not one entry", text)
		}
		if names.CheckFile(text) == nil && (names.CheckBelow(text) != nil || names.CheckPath(text) != nil) {
			t.Errorf("%q is a file for all systems and refused: %v, %v", text, names.CheckBelow(text), names.CheckPath(text))
		}
		for _, check := range []func(string) error{names.CheckFile, names.CheckBelow, names.CheckPath} {
			if check(text) == nil && (!filepath.IsLocal(text) || filepath.Join("/s", text) != "/s/"+text) {
				t.Errorf("path %q is not a clean one below", text)
			}
		}
	})
}

func TestFoldOfAScriptWhoseCapitalsAreTheFoldedForm(t *testing.T) {
	if a, b := names.Fold("\u13dc"), names.Fold("\uabac"); a != b || names.Fold(a) != a {
		t.Errorf("folded to %+q and %+q, want one stable form", a, b)
	}
}
