package ui

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisibleShowsWhatATerminalWouldObeyOrHide(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"ascii", "Reads PDFs. ~", "Reads PDFs. ~"},
		{"empty", "", ""},
		{"newline and tab stay", "a\n\tb", "a\n\tb"},
		{"windows line ends", "a\r\nb\r\n", "a\nb\n"},
		{"carriage return overwrites", "evil\rgood", `evil\x0dgood`},
		{"escape sequence", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"link (OSC 8)", "\x1b]8;;http://e\x07x", `\x1b]8;;http://e\x07x`},
		{"backspace, bell, NUL, delete", "a\b\a\x00\x7f", `a\x08\x07\x00\x7f`},
		{"C1 control", "\u009b2J\u0085", `\u009b2J\u0085`},
		{"bytes that are no UTF-8", "a\xff\xc3", `a\xff\xc3`},
		{"a surrogate in UTF-8", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
		{"bidirectional embeddings", "p\u202edf\u202c", `p\u202edf\u202c`},
		{"bidirectional isolates", "\u2066a\u2069", `\u2066a\u2069`},
		{"bidirectional marks", "\u200e\u200f\u061c", `\u200e\u200f\u061c`},
		{"tag characters", "x\U000e0041\U000e007f", `x\U000e0041\U000e007f`},
		{"supplementary variation selectors", "x\U000e0100\U000e01ef", `x\U000e0100\U000e01ef`},
		{"variation selectors", "x\ufe00\ufe0d", `x\ufe00\ufe0d`},
		{"zero width", "p\u200bd\u2060f\ufeff", `p\u200bd\u2060f\ufeff`},
		{"joiners between latin letters", "p\u200dd\u200cf", `p\u200dd\u200cf`},
		{"invisible operators", "a\u2061\u2064", `a\u2061\u2064`},
		{"deprecated format characters", "\u206a\u206f", `\u206a\u206f`},
		{"interlinear annotation", "\ufff9\ufffb", `\ufff9\ufffb`},
		{"soft hyphen", "a\u00adb", `a\u00adb`},
		{"mongolian vowel separator", "\u180e", `\u180e`},
		{"fillers", "\u115f\u1160\u3164\uffa0\u2800", `\u115f\u1160\u3164\uffa0\u2800`},
		{"combining grapheme joiner", "a\u034fb", `a\u034fb`},
		{"line and paragraph separator", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"private use and unassigned", "\ue000\u0378", `\ue000\u0378`},
		{"letters of many scripts", "代码审查 データ рdf Ωμέγα עברית", "代码审查 データ рdf Ωμέγα עברית"},
		{"accents, composed and not", "é e\u0301", "é e\u0301"},
		{"spaces of other kinds", "a\u00a0b\u3000c", "a\u00a0b\u3000c"},
		{"emoji with style", "❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e", "❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e"},
		{"style of nothing", "\ufe0fa\ufe0f", `\ufe0fa\ufe0f`},
		{"a second style hides bits", "❤\ufe0f\ufe0e", "❤\ufe0f" + `\ufe0e`},
		{"emoji family", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
		{"emoji with skin and sex", "🏃🏽\u200d♂\ufe0f", "🏃🏽\u200d♂\ufe0f"},
		{"emoji that nods", "🙂\u200d↔\ufe0f", "🙂\u200d↔\ufe0f"},
		{"joiner after a style that hides", "❤\ufe0f\ufe0f\u200d🔥", "❤\ufe0f" + `\ufe0f\u200d` + "🔥"},
		{"joiner before a byte that is no character", "👨\u200d\xf0", "👨" + `\u200d\xf0`},
		{"joiner before a sign without a shape", "👨\u200d\u2800", "👨" + `\u200d\u2800`},
		{"joiner after an emoji before text", "👨\u200dx", `👨\u200dx`},
		{"persian non-joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"hindi joiner", "क्\u200dष", "क्\u200dष"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Visible(test.text); got != test.want {
				t.Errorf("Visible(%+q) is %+q, want %+q", test.text, got, test.want)
			}
		})
	}
}

func TestOneLineIsOneLine(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"one", "one"},
		{"Reads PDFs.\nUse when asked.\n", "Reads PDFs. Use when asked. "},
		{"a \t\n\n  b", "a b"},
		{"a\r\n\r\nb", "a b"},
		{"a    b", "a    b"}, // padding that a format asked for stays
		{"a\vb\fc", `a\x0bb\x0cc`},
		{"a\u2028b", `a\u2028b`},
	} {
		if got := OneLine(test.text); got != test.want {
			t.Errorf("OneLine(%q) is %q, want %q", test.text, got, test.want)
		}
	}
}

func TestCutCountsColumns(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"abcdef", 1, "…"},
		{"abcdef", 0, "…"},
		{"", 0, ""},
		{"代码审查", 8, "代码审查"},
		{"代码审查", 7, "代码审…"},
		{"代码审查", 6, "代码…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301…"},
		{"a\nb c d", 4, "a b…"},
		{"\x1b[31mred", 8, `\x1b[31…`},
		{"👨\u200d👩\u200d👧 family", 4, "👨\u200d👩\u200d👧 …"},
	} {
		if got := Cut(test.text, test.columns); got != test.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", test.text, test.columns, got, test.want)
		}
	}
}

// hidden lists what must never reach a terminal, written down from the classes of invisible and deceptive text, not from the code.
const hidden = "\x00\x01\x07\b\v\f\r\x0e\x1b\x1f\x7f\u0080\u0085\u009b\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029" +
	"\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2064\u2066\u2067\u2068\u2069\u206a\u206f\u3164\ufeff\uffa0\ufff9\ufffb" +
	"\U000e0001\U000e0020\U000e007f\U000e0100\U000e01ef"

func TestNothingHiddenPassesWhereverItStands(t *testing.T) {
	for _, r := range hidden {
		for _, text := range []string{string(r), "a" + string(r) + "b", "👨" + string(r) + "👩", "ی" + string(r) + "خ", strings.Repeat(string(r), 3)} {
			if got := Visible(text); strings.ContainsRune(got, r) {
				t.Errorf("%U passes in %+q", r, text)
			}
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\xffb\x1b[0m")
	f.Add(hidden)
	f.Add("👨\u200d👩\ufe0f\ufe0f می\u200cخواهم\r\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		if i := strings.IndexAny(got, hidden); i >= 0 {
			t.Fatalf("%+q holds something hidden at %d", got, i)
		}
		if again := Visible(got); again != got {
			t.Fatalf("%+q is visible but becomes %+q", got, again)
		}
		if line := OneLine(text); strings.ContainsAny(line, "\n\t") {
			t.Fatalf("%q is not one line", line)
		}
	})
}
