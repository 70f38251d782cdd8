package resource

import (
	"errors"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/catalog"
)

// want checks that an error is the one that callers branch on: its kind, and the path as it was written.
func want(t *testing.T, err error, kind, rel string) {
	t.Helper()
	if kind == "" {
		if err != nil {
			t.Errorf("error is %v", err)
		}
		return
	}
	var e *catalog.Error
	if !errors.As(err, &e) {
		t.Errorf("error is %v, want %s", err, kind)
		return
	}
	if e.Code() != kind || e.Rel != rel {
		t.Errorf("error is %s about %q (%v), want %s about %q", e.Code(), e.Rel, err, kind, rel)
	}
	if len(e.Hints()) != 1 || e.Hint == "" || e.Message == "" {
		t.Errorf("%v has no message or no hint of its own", e)
	}
}

// pathCase is one path below a skill: what it is as the key of a bundle, and as a registry takes it.
type pathCase struct {
	id, rel, clean, kind string
	written, writtenKind string // as a registry takes it, where that differs
}

func pathCases() []pathCase {
	bad := "invalid_input"
	long := strings.Repeat("é", 512)
	return []pathCase{
		{id: "3.5-1", rel: "references/a.md", clean: "references/a.md"},
		{id: "3.5-2", rel: "./references//a.md", clean: "references/a.md"},
		{id: "3.5-5", rel: "   ", kind: bad},
		{id: "3.5-6", rel: " F.md ", clean: "F.md", written: " F.md "},
		{id: "3.5-7", rel: ".", kind: bad},
		{id: "3.5-7 a/..", rel: "a/..", kind: bad},
		{id: "3.5-8", rel: "..", kind: "path_escape"},
		{id: "3.5-8 ../x", rel: "../x", kind: "path_escape"},
		{id: "3.5-8 a/../../x", rel: "a/../../x", kind: "path_escape"},
		{id: "3.5-9", rel: "../pdf-evil/x", kind: "path_escape"},
		{id: "3.5-10", rel: "/etc/passwd", kind: bad},
		{id: `3.5-11 C:\x`, rel: `C:\x`, kind: bad},
		{id: "3.5-11 C:/x", rel: "C:/x", kind: bad},
		{id: "3.5-11 c:x", rel: "c:x", kind: bad},
		{id: "3.5-12", rel: `\\srv\share\x`, kind: bad},
		{id: "3.5-12 slashes", rel: "//srv/x", kind: bad},
		{id: "3.5-13", rel: `a\b.md`, kind: bad},
		{id: "3.5-14", rel: "a\x00b", kind: bad},
		{id: "3.5-15", rel: "a\nb", kind: bad},
		{id: "3.5-15 DEL", rel: "a\x7f", kind: bad},
		{id: "3.5-16", rel: "%2e%2e/x", clean: "%2e%2e/x"},
		{id: "3.5-17", rel: "https://e/a", kind: bad},
		{id: "3.5-17 file", rel: "file:///x", kind: bad},
		{id: "3.5-18", rel: "~/x", clean: "~/x"},
		{id: "3.5-19", rel: "..a/b", clean: "..a/b"},
		{id: "3.5-19 dots", rel: "...", clean: "..."},
		{id: "3.5-19 a/..b", rel: "a/..b", clean: "a/..b"},
		{id: "3.5-20", rel: long, clean: long},
		{id: "3.5-20 513", rel: long + "x", kind: "too_long"},
		{id: "3.5-20 parts", rel: strings.Repeat("ab/", 170) + "cd", clean: strings.Repeat("ab/", 170) + "cd"},
		{id: "3.5-20 hostile", rel: strings.Repeat("a/../", 1<<16) + "x", kind: "too_long"},
		{id: "3.5-21", rel: "references/", clean: "references"},
		{id: "3.5-26", rel: "SKILL.md", clean: "SKILL.md"},
		{id: "3.5-27", rel: "a.md:stream", kind: bad},
		{id: "S2-20 F", rel: "./references/F.md", clean: "references/F.md"},
		{id: "S2-20 parts", rel: "a//b/./c", clean: "a/b/c"},
		{id: "S2-20 up and down", rel: "scripts/../references/a.md", clean: "references/a.md"},
		{id: "S2-20 empty", rel: "", kind: bad},
		{id: "S2-20 two blanks", rel: "  ", kind: bad},
		{id: "S2-20 slash", rel: "/x", kind: bad},
		{id: "S4-38 a/../b", rel: "a/../b", clean: "b"},
		{id: "S4-38 a/b.md", rel: "a/b.md", clean: "a/b.md"},
		{id: "S4-38 c:/x", rel: "c:/x", kind: bad},
		{id: "trimmed newline", rel: "a.md\n", clean: "a.md", writtenKind: bad},
		{id: "not UTF-8", rel: "a\xff", kind: bad},
		{id: "C1 control", rel: "a\u0085b", kind: bad},
		{id: "git directory", rel: "a/.GIT/hooks/x", kind: bad},
		{id: "git short name", rel: "git~1/x", kind: bad},
		{id: "no git directory", rel: ".github/x.git", clean: ".github/x.git"},
		{id: "right to left", rel: "קבצים/א.md", clean: "קבצים/א.md"},
	}
}

func TestClean(t *testing.T) {
	for _, c := range pathCases() {
		t.Run(c.id, func(t *testing.T) {
			got, err := Clean(c.rel)
			want(t, err, c.kind, c.rel)
			if got != c.clean {
				t.Errorf("%q becomes %q, want %q", c.rel, got, c.clean)
			}
		})
	}
}

// reference cleans a path by a stack of parts, without the library's path.Clean.
func reference(rel string) (clean string, inside bool) {
	var stack []string
	for part := range strings.SplitSeq(strings.TrimSpace(rel), "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && len(stack) == 0:
			return "", false
		case part == "..":
			stack = stack[:len(stack)-1]
		default:
			stack = append(stack, part)
		}
	}
	return strings.Join(stack, "/"), len(stack) > 0
}

func FuzzClean(f *testing.F) {
	for _, c := range pathCases() {
		f.Add(c.rel[:min(len(c.rel), 2000)])
	}
	f.Fuzz(func(t *testing.T, rel string) {
		got, err := Clean(rel)
		inner, inside := reference(rel)
		if err != nil {
			var e *catalog.Error
			if !errors.As(err, &e) || !slices.Contains([]string{"invalid_input", "path_escape", "too_long"}, e.Kind) || got != "" {
				t.Errorf("%q: %q, %v", rel, got, err)
			}
			return
		}
		if !inside || got != inner {
			t.Errorf("%q becomes %q; by a stack of parts it is %q, %v", rel, got, inner, inside)
		}
		if strings.ContainsAny(got, `:\`) || path.IsAbs(got) || utf8.RuneCountInString(got) > 512 || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q", rel, got)
		}
		if again, err := Clean(got); err != nil || again != strings.TrimSpace(got) && again != path.Clean(strings.TrimSpace(got)) {
			t.Errorf("%q becomes %q and that %q, %v", rel, got, again, err)
		}
	})
}
