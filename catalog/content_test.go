package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestContentThatAPersonShouldKnowOf(t *testing.T) {
	pad := strings.Repeat("x", 32<<10-1)
	for text, want := range map[string]string{
		"plain\ttext\r\n\f":          "",
		"":                           "",
		"a\n\x1b[31mred":             "control_character 2",
		"a\x7fb":                     "control_character 1",
		"a\u009bb":                   "control_character 1",
		"a\n\nb\u202ec\u202e":        "bidi_control 3",
		"a\u2066b":                   "bidi_control 1",
		"שלום\u200f עולם\u200e":      "",
		"👨\u200d🍳 🏋\ufe0f caf\ufffd": "",
		"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f": "",
		"🏴 \U000e0067":                     "hidden_text 1",
		"a\U000e0041\U000e0042":            "hidden_text 1",
		lfsPointer + "v1\noid sha256:0\n":  "lfs_pointer 1",
		"see " + lfsPointer:                "",
		"\x00\x1b\u202e":                   "",
		"\xff\xfe caf\xe9 \x97":            "",
		pad + "\u202e":                     "bidi_control 1",
		pad[1:] + "\u202e":                 "bidi_control 1",
		pad[2:] + "\u202e":                 "bidi_control 1",
		pad + pad + "\n\u202e" + pad:       "bidi_control 2",
		pad[3:] + "\U000e0041":             "hidden_text 1",
		pad[:9000] + "\x00\n\x1b":          "control_character 1",
		"\x1b\u202e\U000e0041\n\x1b\u202e": "control_character 1 bidi_control 1 hidden_text 1",
	} {
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
			findings, err := ContentFindings("a.md", r)
			var got []string
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%s %d", f.Code, f.Line))
				if f.File != "a.md" || f.Severity != SeverityWarning {
					t.Errorf("%+v", f)
				}
			}
			if strings.Join(got, " ") != want || err != nil {
				t.Errorf("%.40q, %s: got %v, %v, want %s", text, name, got, err, want)
			}
		}
	}
}

// An installer copies through it, so every byte must pass, binary or not.
func TestContentIsReadToTheEnd(t *testing.T) {
	for _, data := range [][]byte{
		bytes.Repeat([]byte("line\n"), 50_000), append([]byte{0}, bytes.Repeat([]byte("x"), 100_000)...), bytes.Repeat([]byte("é\xe2"), 40_000), nil,
	} {
		var copied bytes.Buffer
		if _, err := ContentFindings("x", io.TeeReader(bytes.NewReader(data), &copied)); err != nil || !bytes.Equal(copied.Bytes(), data) {
			t.Errorf("%d of %d bytes passed, %v", copied.Len(), len(data), err)
		}
	}
	cut := errors.New("cut")
	for _, before := range []string{"", "abc", strings.Repeat("x", 100_000), "\x00" + strings.Repeat("x", 100_000)} {
		if _, err := ContentFindings("x", io.MultiReader(strings.NewReader(before), iotest.ErrReader(cut))); !errors.Is(err, cut) {
			t.Errorf("after %d bytes: %v", len(before), err)
		}
	}
}

func FuzzContentFindings(f *testing.F) {
	for _, seed := range []string{"a\u202e", "🏴\U000e0067\U000e007f", "\x1b", "\xe2\x80", strings.Repeat("é", 5000)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		one, err1 := ContentFindings("x", bytes.NewReader(data))
		two, err2 := ContentFindings("x", iotest.HalfReader(bytes.NewReader(data)))
		if fmt.Sprint(one, err1) != fmt.Sprint(two, err2) {
			t.Errorf("%v %v, in other pieces %v %v", one, err1, two, err2)
		}
	})
}

func ExampleContentFindings() {
	var copied bytes.Buffer
	src := strings.NewReader("Run this:\n\x1b[8mhidden\n")
	findings, err := ContentFindings("notes.md", io.TeeReader(src, &copied))
	fmt.Println(findings[0].Code, findings[0].Line, copied.Len(), err)
	// Output: control_character 2 21 <nil>
}
