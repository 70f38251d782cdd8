package catalog

import (
	"errors"
	"strings"
	"testing"
)

func TestSplitCutsAtTheFences(t *testing.T) {
	const open, missing = "fence_unclosed", "frontmatter_missing"
	for _, c := range []struct{ in, front, body, reason string }{
		{in: "---\na: 1\n---\nB", front: "a: 1", body: "B"},
		{in: "---\r\na: 1\r\n---\r\nB\r\n", front: "a: 1", body: "B"},
		{in: "---\ra: 1\r---\rB\r", front: "a: 1", body: "B"},
		{in: "\ufeff---\na: 1\n---\nB", front: "a: 1", body: "B"},
		{in: "\ufeff\ufeff---\na: 1\n---\nB", front: "a: 1", body: "B"},
		{in: "\n---\na: 1\n---\nB", front: "a: 1", body: "B"},
		{in: "  ---\na: 1\n---\nB", front: "a: 1", body: "B"},
		{in: "--- \t\na: 1\n---  \nB", front: "a: 1", body: "B"},
		{in: "---\na: 1\n ---\nB", reason: open},
		{in: "---\na: 1\n---x\nB", reason: open},
		{in: "---\na: 1\n----\nB", reason: open},
		{in: "---\na: 1\n...\nB", reason: open},
		{in: "---\na: 1\n---", front: "a: 1"},
		{in: "---\na: 1\n---\n", front: "a: 1"},
		{in: "---\na: 1\n", reason: open},
		{in: "---\n---\nB", body: "B"},
		{in: "---\n\n---\nB", body: "B"},
		{in: "---\n# c\n---\nB", front: "# c", body: "B"},
		{in: "---", reason: open},
		{in: "--- hello\nB", reason: open},
		{in: "---a: 1\n---\nB", reason: open},
		{in: "just text", reason: missing},
		{in: "text\n---\na: 1\n---\nB", reason: missing},
		{in: "a: 1\n---\nB", reason: missing},
		{in: "", reason: missing},
		{in: "  \n", reason: missing},
		{in: "---\na: 1\n---\nx\n\n---\n\ny", front: "a: 1", body: "x\n\n---\n\ny"},
		{in: "---\na: 1\n---\n---\nb: 2\n---\nB", front: "a: 1", body: "---\nb: 2\n---\nB"},
		{in: "---\na: |\n  ---\n  t\n---\nB", front: "a: |\n  ---\n  t", body: "B"},
		{in: "+++\na=1\n+++\nB", reason: missing},
		{in: "<!-- c -->\n---\na: 1\n---\nB", reason: missing},
		{in: "---\na: 1\n---\u2028B", reason: open},
		{in: "---\na: 1\n\u2014\u2014\u2014\nB", reason: open},
		{in: "\u200b---\na: 1\n---\nB", reason: missing},
		{in: "---\na: 1\n---\nx\u2028---\u0085---\f---\ny", front: "a: 1", body: "x\u2028---\u0085---\f---\ny"},
	} {
		d, err := Split([]byte(c.in))
		if err == nil && !d.Has {
			if d.Body != normalize(c.in) || d.Front != "" {
				t.Errorf("%q: the body is %q", c.in, d.Body)
			}
			_, _, err = Parse([]byte(c.in), Rules{})
		}
		var e *Error
		switch errors.As(err, &e); {
		case c.reason != "":
			if e == nil || e.Reason != c.reason || e.Kind != "invalid_skill" {
				t.Errorf("%q: got %v, want %s", c.in, err, c.reason)
			}
		case err != nil:
			t.Errorf("%q: %v", c.in, err)
		case d.Front != c.front || strings.Trim(d.Body, "\n") != c.body:
			t.Errorf("%q: got %q and %q, want %q and %q", c.in, d.Front, strings.Trim(d.Body, "\n"), c.front, c.body)
		}
	}
}

func TestSplitNamesTheLineAndTheRemedy(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "the file is empty",
		"---\na: 1\n ---\nB":               "line 3 is an indented ---",
		"---\na: 1\nb: 2\n---x":            "line 4 has text right behind the ---",
		"---\na: 1\n-----------\n":         "line 3 looks like a delimiter made longer by a formatter",
		"---\na: 1\n...\n":                 "line 3 is ...",
		"---\na: 1\n\u2014\u2014\u2014\n":  "line 3 holds dashes that are not hyphens",
		"---\na: 1\nb\n":                   "no line is exactly ---",
		"```yaml\n---\na: 1\n---\n":        "line 1 opens a code fence; remove it",
		"<!-- x -->\n---\n":                "line 1 is an HTML comment; move it below the frontmatter",
		"<!DOCTYPE html>\n<html>":          "line 1 opens an HTML page",
		"+++\na=1\n+++":                    "line 1 opens TOML",
		"\u200b---\na: 1\n---":             "line 1 begins with the invisible character U+200B",
		"name: x\n---\n":                   "line 1 is a key; the first line must be ---",
		"----\nname: x\n----\n":            "line 1 is not a delimiter: it has more than three dashes",
		"---a: 1\n---\n":                   "line 1 is not a delimiter: it must be --- and nothing else",
		"\n\n----\n":                       "line 3 is not a delimiter",
		"Sure!\n\n---\nname: x\n---\n":     "the frontmatter begins on line 3; it must begin on line 1",
		"../a/SKILL.md\n":                  "../a/SKILL.md; probably a symlink committed as text",
		"just text":                        "there is no frontmatter: line 1 must be ---",
		lfsPointer + "v1\noid sha256:00\n": "line 1 opens a Git LFS pointer",
	} {
		if _, _, err := Parse([]byte(in), Rules{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", in, err, want)
		}
	}
}

// Counted by what is allocated: ten times the text may cost ten times, not a
// hundred times as much, and looking for a fence copies nothing.
func TestWorkGrowsWithTheTextAndNotWithItsSquare(t *testing.T) {
	document := func(lines int) []byte {
		return []byte(skill("pdf", "d") + strings.Repeat("a line of the body\r\n", lines))
	}
	parse := func(lines int) uint64 {
		raw := document(lines)
		return allocated(func() {
			if _, _, err := Parse(raw, Rules{}); err != nil {
				t.Error(err)
			}
		})
	}
	if small, large := parse(4_000), parse(40_000); large > 12*small {
		t.Errorf("4,000 lines allocate %d bytes, 40,000 lines %d", small, large)
	}
	unclosed := "---\n" + strings.Repeat("a: 1\n", 300_000)
	used := allocated(func() {
		if _, err := split(unclosed); err == nil {
			t.Error("no error")
		}
	})
	if used > 64<<10 {
		t.Errorf("an unclosed front matter of %d bytes allocates %d", len(unclosed), used)
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"---\na: 1\n---\nB", "---", "--- \n---", "\ufeff\n---\n\n---", "---\n---x\n---\t\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		text := normalize(in)
		d, err := split(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if !d.Has {
			if d.Body != text {
				t.Error("without front matter the body is not the whole")
			}
			return
		}
		lines := strings.Split(text, "\n")
		if d.Close > len(lines) || !isFence(lines[d.Close-1]) && d.Line != d.Close {
			t.Errorf("line %d of %q is no fence", d.Close, text)
		}
		joined := strings.Join(lines[d.Line-1:d.Close-1], "\n")
		if d.Front != joined && d.Front != strings.TrimSuffix(joined, "\n") {
			t.Errorf("front %q, lines %q", d.Front, joined)
		}
		if !strings.HasSuffix(text, d.Body) {
			t.Error("the body is not the end of the text")
		}
	})
}
