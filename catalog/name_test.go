package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestDirectoryNames(t *testing.T) {
	const unsafeName, format = "unsafe_name", "invalid_skill"
	for _, c := range []struct{ name, want, codes, fault string }{
		{name: "pdf", want: "pdf"}, {name: "1-2-3", want: "1-2-3"}, {name: strings.Repeat("x", 64), want: strings.Repeat("x", 64)},
		{name: "files:summarize", want: "files-summarize", codes: "name_format"},
		{name: "PDF-Tools", want: "PDF-Tools", codes: "name_format"},
		{name: "pdf_tools", want: "pdf_tools", codes: "name_format"},
		{name: "pdf-", want: "pdf-", codes: "name_format"}, {name: "pdf--x", want: "pdf--x", codes: "name_format"},
		{name: ".", fault: unsafeName}, {name: "..", fault: unsafeName}, {name: "", fault: unsafeName}, {name: "  ", fault: unsafeName},
		{name: "a/b", want: "a-b", codes: "name_format"}, {name: "SSL/TLS", want: "ssl-tls", codes: "name_format"},
		{name: `a\b`, fault: unsafeName}, {name: "../x", fault: unsafeName}, {name: "a/../b", fault: unsafeName}, {name: "/etc", fault: unsafeName},
		{name: "a b", want: "a-b", codes: "name_format"}, {name: "Ferry Times", want: "ferry-times", codes: "name_format"},
		{name: "Nut & Bolt", want: "nut-bolt", codes: "name_format"}, {name: "Dr: Who", want: "dr-who", codes: "name_format"},
		{name: "データ", want: "データ", codes: "name_format"}, {name: "竹笛", want: "竹笛", codes: "name_format"},
		{name: "Größe", want: "Größe", codes: "name_format"}, {name: "Gro\u0308ße", want: "größe", codes: "name_format"},
		{name: "ＰＤＦ", fault: unsafeName}, {name: "p\u0430ge", want: "p\u0430ge", codes: "name_format mixed_scripts"},
		{name: "\u0440df", want: "\u0440df", codes: "name_format mixed_scripts"}, {name: "\u0442\u0435\u0441\u0442", want: "\u0442\u0435\u0441\u0442", codes: "name_format"},
		{name: "a:b:c", fault: format}, {name: ":b", fault: format}, {name: "a:", fault: format}, {name: "A:b", fault: format},
		{name: "pdf\n", want: "pdf"}, {name: "pdf ", want: "pdf"}, {name: "pdf.", fault: unsafeName},
		{name: "-3knots", want: "3knots", codes: "name_format"}, {name: ".hidden", want: "hidden", codes: "name_format"},
		{name: "tide-4.2", want: "tide-4.2", codes: "name_format"}, {name: "🔧 Fix it", want: "fix-it", codes: "name_format"},
		{name: "!!!", fault: unsafeName}, {name: "-", fault: unsafeName}, {name: "p\u202edf", fault: unsafeName}, {name: "a\x00b", fault: unsafeName},
		{name: "a\x1bb", fault: unsafeName}, {name: "\xff", fault: unsafeName}, {name: "con", fault: unsafeName}, {name: "COM1.txt", fault: unsafeName},
		{name: "LPT\u00b9", fault: unsafeName}, {name: "console", want: "console"}, {name: strings.Repeat("x", 65), want: strings.Repeat("x", 65), codes: "too_long"},
		{name: strings.Repeat("x", 256), fault: unsafeName}, {name: `a"b|c?*`, want: "a-b-c", codes: "name_format"},
	} {
		got, findings, err := DirectoryName(c.name)
		var e *Error
		if errors.As(err, &e) != (c.fault != "") || e != nil && e.Kind != c.fault {
			t.Errorf("%q: error %v, want %s", c.name, err, c.fault)
		}
		if got != c.want || strings.Join(codes(findings), " ") != c.codes {
			t.Errorf("%q: got %q %v, want %q %s", c.name, got, findings, c.want, c.codes)
		}
	}
}

func TestPathPartsThatAreSafeEverywhere(t *testing.T) {
	for _, name := range []string{"pdf", "a.b", "a b", "竹笛", "con-x", "com", "com10", strings.Repeat("x", 255), "größe"} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", ".a", "-a", "a/b", `a\b`, "a:b", "a\x00", "a\nb", "a\x7f", "a\u0085", "a\u202eb", "a\u2066",
		"a.", "a ", "con", "NUL", "con.txt", "nul.tar.gz", "com1", "lpt9", "conin$", strings.Repeat("x", 256), "gro\u0308ße", "\xff", "a?", "a*", "a|b"} {
		if err := CheckName(name); reasonOf(err) != strings.TrimSpace("unsafe_name  "+name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPathsBelowASkill(t *testing.T) {
	for _, name := range []string{"SKILL.md", "references/a.md", "..a/b", "...", "a/..b", "a b", "~/x", ".github/ci.yml", "a:b.md", "%2e%2e/x",
		"con.txt", "größe", strings.Repeat("n", 251) + ".txt", ".gitignore", "git/x", "a.git/b", "\u00a0"} {
		if err := CheckPath(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for want, names := range map[string][]string{
		"path_escape": {"..", "../x", "a/../../x", "../pdf-evil/x", "/etc/passwd", "//srv/x", "a/.."},
		"unsafe_name": {"", ".", "./a", "a//b", "a/", `C:\x`, `a\b.md`, `\\srv\share`, "a\x00b", "a\nb", "a\x7f", "a\u0085b", "\xff",
			".git", ".git/config", "a/.git/hooks/x", ".GIT", ".Git/x", "git~1", "GIT~1/x", ".g\u200cit", ".git\u200d/x", ".git.", ".git ", ".git . .",
			".git::$INDEX_ALLOCATION", ".git:x", "\ufeff.git", strings.Repeat("n", 256), strings.Repeat("abcdefgh/", 114)},
	} {
		for _, name := range names {
			var e *Error
			if err := CheckPath(name); !errors.As(err, &e) || e.Kind != want {
				t.Errorf("%q: %v, want %s", name, err, want)
			}
		}
	}
}

func FuzzDirectoryName(f *testing.F) {
	for _, seed := range []string{"pdf", "files:summarize", "Ferry Times", "../x", "竹笛", "p\u0430ge", "con", "ＰＤＦ", "İ", "ǅ", "-.-a", "a\u0301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		dir, _, err := DirectoryName(name)
		if err != nil {
			if dir != "" {
				t.Errorf("%q: %q beside %v", name, dir, err)
			}
			return
		}
		if CheckName(dir) != nil || strings.ContainsAny(dir, ` /\:*?"<>|`) || !norm.NFC.IsNormalString(dir) {
			t.Errorf("%q is installed as %q: %v", name, dir, CheckName(dir))
		}
		if again, _, err := DirectoryName(dir); err != nil || again != dir {
			t.Errorf("%q: %q becomes %q, %v", name, dir, again, err)
		}
	})
}

func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../x", ".git/x", "a\\b", ".g\u200cit", "a//b", "git~1", ".git . .:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if CheckPath(name) != nil {
			return
		}
		for part := range strings.SplitSeq(name, "/") {
			lower := strings.ToLower(part)
			if part == "" || part == "." || part == ".." || lower == ".git" || lower == "git~1" || len(part) > 255 {
				t.Errorf("%q has the part %q", name, part)
			}
		}
		if !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00\n\r\x1b") {
			t.Errorf("%q passed", name)
		}
	})
}

func ExampleDirectoryName() {
	dir, findings, err := DirectoryName("Ferry Times")
	fmt.Println(dir, findings[0].Code, err)
	_, _, err = DirectoryName("../etc")
	fmt.Println(err)
	// Output:
	// ferry-times name_format <nil>
	// "../etc" is a path, not a name
}

func ExampleCheckPath() {
	fmt.Println(CheckPath("references/a.md"))
	fmt.Println(CheckPath("../a.md"))
	// Output:
	// <nil>
	// "../a.md" leaves the skill
}

func ExampleCheckName() {
	fmt.Println(CheckName("nul.txt"))
	// Output: "nul.txt" is the name of a Windows device
}
