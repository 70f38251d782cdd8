package document_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	burntsushi "github.com/BurntSushi/toml"

	"skills/lockfile/internal/document"
)

func TestKeyIsBareWhenItMayBe(t *testing.T) {
	for in, want := range map[string]string{
		"pdf": "pdf", "a-b_9": "a-b_9", "tide-4.2": `"tide-4.2"`, "": `""`, "代码": `"代码"`, "a b": `"a b"`,
	} {
		if got := document.Key(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestQuoteShowsWhatCannotBeSeen(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 代": `"plain é 代"`, `a"b\c`: `"a\"b\\c"`, "a\nb\tc\r": `"a\nb\tc\r"`, "\u202Ex\x00\x7f": `"\u202Ex\u0000\u007F"`,
		"\U000E0001": `"\U000E0001"`,
	} {
		if got := document.Quote(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestQuoteLinesKeepsLines(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb\n":      "\"\"\"~a~\tb~\"\"\"",
		`say "hi"`:      "\"\"\"~say \"hi\\\"\"\"\"",
		`""""`:          "\"\"\"~\"\"\\\"\\\"\"\"\"",
		"back\\slash\r": "\"\"\"~back\\\\slash\\r\"\"\"",
	} {
		for _, end := range []string{"\n", "\r\n"} {
			if got := document.QuoteLines(in, end); got != strings.ReplaceAll(want, "~", end) {
				t.Errorf("%q: got %q, want %q", in, got, want)
			}
		}
	}
}

// FuzzQuote reads what was written with an independent reader.
func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", `"`, `""`, `"""`, `""""""`, `\"`, "\n", "\r\n", "\ra", "a\\\n b", "\x00\x1f\x7f\u0085", "\uFEFF", "'''", "代\u202E", " \t\n \t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		written := document.Key(text) + " = [" + document.Quote(text) + ", " + document.QuoteLines(text, "\n") + "]\n"
		var values map[string][]string
		if err := burntsushi.Unmarshal([]byte(written), &values); err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		if got := values[text]; len(got) != 2 || got[0] != text || got[1] != text {
			t.Fatalf("%q came back as %q", text, values)
		}
		windows := "x = " + document.QuoteLines(text, "\r\n")
		doc, err := document.Parse([]byte(windows))
		if err != nil || doc.Root.Get("x").Text != text {
			t.Fatalf("%q came back as %v, %v", windows, doc, err)
		}
	})
}
