package resource

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"skills/catalog"
)

func TestFind(t *testing.T) {
	few := []string{"forms.md", "a/x.md", "b/x.md"}
	cased := []string{"A.md", "a.md", "Scripts/Run.sh", "scripts/fill.py", "deep/CAF\u00c9.md", "readme.md", "docs/README.md"}
	for _, c := range []struct {
		id, wanted, got, kind, says string
		in                          []string
	}{
		{"S2-46 other case", "FORMS.md", "forms.md", "", "", few},
		{"S2-46 not clean", "./forms.md", "forms.md", "", "", few},
		{"S2-46 base name twice", "x.md", "", "ambiguous", `may be "a/x.md", "b/x.md"`, few},
		{"S2-46 none", "nope", "", "not_found", `there are "a/x.md", "b/x.md", "forms.md"`, few},
		{"S2-46 exact before case", "a.md", "a.md", "", "", cased},
		{"S2-46 exact before case, the other", "A.md", "A.md", "", "", cased},
		{"S2-46 path in another case", "SCRIPTS/run.SH", "Scripts/Run.sh", "", "", cased},
		{"S2-46 base name", "fill.py", "scripts/fill.py", "", "", cased},
		{"S2-46 base name in another case", "Fill.PY", "scripts/fill.py", "", "", cased},
		{"S2-46 blanks", " fill.py ", "scripts/fill.py", "", "", cased},
		{"S2-46 a path before base names", "README.md", "readme.md", "", "", cased},
		{"S2-46 other form of a letter", "cafe\u0301.md", "deep/CAF\u00c9.md", "", "", cased},
		{"S2-46 base names are no paths", "other/fill.py", "", "not_found", "", cased},
		{"S2-46 no directories", "scripts", "", "not_found", "", cased},
		{"S2-46 nothing there", "a.md", "", "not_found", "it has no other files", nil},
		{"S2-20 up", "../forms.md", "", "path_escape", "", few},
		{"S2-20 empty", "", "", "invalid_input", "", few},
		{"S2-20 absolute", "/forms.md", "", "invalid_input", "", few},
		{"3.5-28", "REFERENCES/A.MD", "references/a.md", "", "", []string{"references/a.md"}},
		{"two in other cases", "b.MD", "", "ambiguous", `may be "B.md", "b.md"`, []string{"b.md", "B.md"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, err := Find(c.in, c.wanted)
			want(t, err, c.kind, c.wanted)
			if got != c.got || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q is %q, %v, want %q, %s", c.wanted, got, err, c.got, c.says)
			}
		})
	}
	var e *catalog.Error
	if _, err := Find(few, "x.md"); !errors.As(err, &e) || strings.Join(e.Paths, " ") != "a/x.md b/x.md" {
		t.Errorf("the two are not with the error %v", err)
	}
}

func TestFindNamesAFew(t *testing.T) {
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("d%03d/x.md", i))
	}
	for _, wanted := range []string{"nope", "x.md"} {
		_, err := Find(many, wanted)
		if err == nil || !strings.HasSuffix(err.Error(), `"d019/x.md", 980 more`) || strings.Count(err.Error(), "d0") != 20 {
			t.Errorf("%s: error is %v", wanted, err)
		}
	}
}
