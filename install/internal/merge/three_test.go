package merge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// words makes a text of a line for each word; "~" behind the last leaves its line end out.
func words(text string) string {
	lines := strings.Join(strings.Fields(text), "\n") + "\n"
	return strings.TrimSuffix(strings.TrimSuffix(lines, "\n"), "~") + strings.Repeat("\n", 1-strings.Count(text, "~"))
}

// conflictOf returns a conflict with words on both sides.
func conflictOf(mine, theirs string) string {
	side := func(text string) string {
		if text == "" {
			return ""
		}
		return words(text)
	}
	return "<<<<<<< mine\n" + side(mine) + "=======\n" + side(theirs) + ">>>>>>> theirs\n"
}

// cases are merges of words with what comes of them by hand, the same as in git.
func cases() map[string]struct{ base, mine, theirs, want string } {
	return map[string]struct{ base, mine, theirs, want string }{
		"nobody changes":                      {"a b c", "a b c", "a b c", words("a b c")},
		"mine changes":                        {"a b c", "a B c", "a b c", words("a B c")},
		"theirs changes":                      {"a b c", "a b c", "a B c", words("a B c")},
		"both change alike":                   {"a b c", "a B c", "a B c", words("a B c")},
		"both change, apart":                  {"a b c d", "A b c d", "a b c D", words("A b c D")},
		"one line apart":                      {"a b c", "A b c", "a b C", words("A b C")},
		"neighbours":                          {"a b c d", "a B c d", "a b C d", "a\n" + conflictOf("B c", "b C") + "d\n"},
		"same line":                           {"a b c", "a X c", "a Y c", "a\n" + conflictOf("X", "Y") + "c\n"},
		"both insert at one place":            {"a b", "a X b", "a Y b", "a\n" + conflictOf("X", "Y") + "b\n"},
		"both insert the same":                {"a b", "a X b", "a X b", words("a X b")},
		"insert apart":                        {"a b c", "X a b c", "a b c Y", words("X a b c Y")},
		"delete apart":                        {"a b c d e", "a c d e", "a b c e", words("a c e")},
		"delete and insert side by side":      {"a b c", "a c", "a b X c", "a\n" + conflictOf("", "b X") + "c\n"},
		"delete what the other changes":       {"a b c", "a c", "a B c", "a\n" + conflictOf("", "B") + "c\n"},
		"change what the other deletes":       {"a b c", "a B c", "a c", "a\n" + conflictOf("B", "") + "c\n"},
		"both delete the same":                {"a b c", "a c", "a c", words("a c")},
		"shared beginning of a conflict":      {"a b c", "a S X c", "a S Y c", "a\nS\n" + conflictOf("X", "Y") + "c\n"},
		"shared end of a conflict":            {"a b c", "a X S c", "a Y S c", "a\n" + conflictOf("X", "Y") + "S\nc\n"},
		"conflicts three lines apart are one": {"a 1 2 3 b", "A 1 2 3 B", "X 1 2 3 Y", conflictOf("A 1 2 3 B", "X 1 2 3 Y")},
		"conflicts four lines apart are two":  {"a 1 2 3 4 b", "A 1 2 3 4 B", "X 1 2 3 4 Y", conflictOf("A", "X") + words("1 2 3 4") + conflictOf("B", "Y")},
		"a change between conflicts":          {"a 1 c 2 b", "A 1 C 2 B", "X 1 c 2 Y", conflictOf("A", "X") + words("1 C 2") + conflictOf("B", "Y")},
		"one change over two":                 {"a b c d e", "a X e", "a B c D e", "a\n" + conflictOf("X", "B c D") + "e\n"},
		"everything new from an empty base":   {"~", "a b c", "a X c", "a\n" + conflictOf("b", "X") + "c\n"},
		"mine empties the file":               {"a b", "~", "a b c", conflictOf("", "a b c")},
		"mine takes the last line end":        {"a b c", "a b c~", "A b c", words("A b c~")},
		"theirs adds the last line end":       {"a b c~", "A b c~", "a b c", words("A b c")},
		"no last line end anywhere":           {"a b c~", "A b c~", "a b C~", words("A b C~")},
		"conflict without last line end":      {"a b~", "a X~", "a Y~", "a\n" + conflictOf("X", "Y")},
		"conflict about the last line end":    {"a b", "a b~", "a b c", "a\n" + conflictOf("b", "b c")},
	}
}

func TestThree(t *testing.T) {
	dir := t.TempDir()
	for name, c := range cases() {
		t.Run(name, func(t *testing.T) {
			base, mine, theirs := words(c.base), words(c.mine), words(c.theirs)
			got, conflicts := three(base, mine, theirs)
			if want := strings.Count(c.want, "<<<<<<<"); got != c.want || conflicts != want {
				t.Errorf("%d conflicts %q\nwant %d %q", conflicts, got, want, c.want)
			}
			if merged, n := mergeFile(t, dir, base, mine, theirs); merged != c.want || n != conflicts {
				t.Errorf("git has %d conflicts %q", n, merged)
			}
		})
	}
}

// A few lines repeat, so that there are several shortest ways from one text to the other.
func TestChangesAmongEqualLinesFindTheirPlace(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ base, mine, theirs string }{
		"blank lines":              {"a . b . c . d", "a . X . b . c . d", "a . b . c . X . d"},
		"same line added":          {"a x b", "a x x b", "a x x b"},
		"same line taken":          {"a x x x b", "a x x b", "a x x x b c"},
		"insertions that meet":     {"x x", "x y x y x", "x x z"},
		"fences":                   {"` a ` . ` b `", "` a ` . ` n ` . ` b `", "` a ` . ` c `"},
		"insertion joins deletion": {"a b b c d", "a b c X d", "a b b c d e"},
	} {
		base, mine, theirs := words(c.base), words(c.mine), words(c.theirs)
		want, conflicts := mergeFile(t, dir, base, mine, theirs)
		if got, n := three(base, mine, theirs); got != want || n != conflicts {
			t.Errorf("%s: %d conflicts %q\ngit has %d %q", name, n, got, conflicts, want)
		}
	}
}

func TestLineEndsAreMergedAsOneProperty(t *testing.T) {
	const unix, windows = "a\nb\nc\n", "a\r\nb\r\nc\r\n"
	for name, c := range map[string]struct {
		base, mine, theirs, want string
		conflicts                int
	}{
		"checkout of Windows":             {unix, windows, "a\nb\nC\n", "a\r\nb\r\nC\r\n", 0},
		"checkout of Windows, edited":     {unix, "A\r\nb\r\nc\r\n", "a\nb\nC\n", "A\r\nb\r\nC\r\n", 0},
		"upstream goes to Windows":        {unix, "A\nb\nc\n", windows, "A\r\nb\r\nc\r\n", 0},
		"upstream leaves Windows":         {windows, "A\r\nb\r\nc\r\n", unix, "A\nb\nc\n", 0},
		"both go to Windows":              {unix, "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n", 0},
		"Windows everywhere":              {windows, "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n", 0},
		"markers too":                     {windows, "a\r\nX\r\nc\r\n", "a\r\nY\r\nc\r\n", "a\r\n<<<<<<< mine\r\nX\r\n=======\r\nY\r\n>>>>>>> theirs\r\nc\r\n", 1},
		"last line without end":           {"a\nb\nc", "a\r\nb\r\nc", "A\nb\nc", "A\r\nb\r\nc", 0},
		"a base without line ends":        {"a", "a\r\nb\r\n", "a\r\n", "a\r\n<<<<<<< mine\r\nb\r\n=======\r\n>>>>>>> theirs\r\n", 1},
		"mine without line ends":          {windows, "c", "a\r\nb\r\nc\r\nd\r\n", "<<<<<<< mine\r\nc\r\n=======\r\na\r\nb\r\nc\r\nd\r\n>>>>>>> theirs\r\n", 1},
		"a return inside a line":          {unix, "a\rx\r\r\nb\r\nc\r\n", "a\nb\nC\n", "a\rx\r\r\nb\r\nC\r\n", 0},
		"mixed ends stay with their line": {"a\nb\r\nc\n", "a\nb\r\nC\n", "A\nb\r\nc\n", "A\nb\r\nC\n", 0},
		"mixed ends against regular ones": {"a\nb\n", "a\r\nb\n", "a\nB\n", "<<<<<<< mine\na\r\nb\n=======\na\nB\n>>>>>>> theirs\n", 1},
	} {
		if got, n := three(c.base, c.mine, c.theirs); got != c.want || n != c.conflicts {
			t.Errorf("%s: %d conflicts %q\nwant %d %q", name, n, got, c.conflicts, c.want)
		}
	}
}

func TestLabelsCannotBreakTheirLine(t *testing.T) {
	got, _ := Three([]byte("a"), []byte("b"), []byte("c"), Labels{" my\n=======\r edits\t", ""})
	if want := "<<<<<<< my ======= edits\nb\n=======\nc\n>>>>>>>\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTextsWithTooManyLinesAreOneConflict(t *testing.T) {
	long := strings.Repeat("x\n", mostLines)
	for name, c := range map[string]struct {
		base, mine, theirs, want string
		conflicts                int
	}{
		"as long as allowed": {long, "a\n" + long[2:], long[2:] + "b\n", "a\n" + long[4:] + "b\n", 0},
		"mine too long":      {"m\n", "a\n" + long, "m\nb\n", "<<<<<<< mine\na\n" + long + "=======\nm\nb\n>>>>>>> theirs\n", 1},
		"theirs too long":    {"m\n", "m\na\n", long + "b~", "<<<<<<< mine\nm\na\n=======\n" + long + "b~\n>>>>>>> theirs\n", 1},
		"base too long":      {long + "m\n", "a\n", "b\n", conflictOf("a", "b"), 1},
		"only mine changes":  {long + "m\n", long, long + "m\n", long, 0},
		"both alike":         {"m\n", long + "m\n", long + "m\n", long + "m\n", 0},
	} {
		if got, n := three(c.base, c.mine, c.theirs); got != c.want || n != c.conflicts {
			t.Errorf("%s: %d conflicts, %d bytes, want %d and %d", name, n, len(got), c.conflicts, len(c.want))
		}
	}
}

func TestLongLinesMerge(t *testing.T) {
	long := func(letter string) string { return strings.Repeat(letter, 1<<20) + "\n" }
	got, n := three(long("a")+"x\n"+long("b"), long("A")+"x\n"+long("b"), long("a")+"x\n"+long("B"))
	if n != 0 || got != long("A")+"x\n"+long("B") {
		t.Errorf("%d conflicts, %d bytes", n, len(got))
	}
}

// resolve takes one side of each conflict.
func resolve(merged, side string) string {
	var all strings.Builder
	in := ""
	for line := range strings.Lines(merged) {
		switch text := strings.TrimRight(line, "\r\n"); {
		case strings.HasPrefix(text, "<<<<<<< "):
			in = "mine"
		case text == "=======":
			in = "theirs"
		case strings.HasPrefix(text, ">>>>>>> "):
			in = ""
		case in == "" || in == side:
			all.WriteString(line)
		}
	}
	return all.String()
}

// laws are what holds for all merges of texts that look like no marker.
func laws(t *testing.T, base, mine, theirs string) {
	t.Helper()
	for name, c := range map[string][4]string{
		"only mine changed":   {base, mine, base, mine},
		"only theirs changed": {base, base, theirs, theirs},
		"both are equal":      {base, mine, mine, mine},
	} {
		if got, n := three(c[0], c[1], c[2]); got != c[3] || n != 0 {
			t.Errorf("%s: merge of %q, %q, %q has %d conflicts: %q", name, c[0], c[1], c[2], n, got)
		}
	}
	merged, n := three(base, mine, theirs)
	swapped, m := three(base, theirs, mine)
	if n == 0 != (m == 0) || resolve(merged, "mine") != resolve(swapped, "theirs") || resolve(merged, "theirs") != resolve(swapped, "mine") {
		t.Errorf("base %q, mine %q, theirs %q: %d conflicts %q\nswapped %d %q", base, mine, theirs, n, merged, m, swapped)
	}
	if markers := strings.Count(merged, "<<<<<<< mine"); markers != n {
		t.Errorf("%d conflicts and %d markers in %q", n, markers, merged)
	}
	known := base + "\n" + mine + "\n" + theirs + "\n"
	for line := range strings.Lines(resolve(merged, "mine") + "\n" + resolve(merged, "theirs")) {
		if !strings.Contains(known, strings.TrimRight(line, "\r\n")) {
			t.Errorf("%q comes from nowhere", line)
		}
	}
}

func TestLawsOfMerging(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		text := func() string {
			lines := make([]string, r.IntN(12))
			for i := range lines {
				lines[i] = string(rune('a'+r.IntN(3))) + []string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)]
			}
			return strings.TrimSuffix(strings.Join(lines, ""), []string{"", "", "\n"}[r.IntN(3)])
		}
		laws(t, text(), text(), text())
	}
}

func FuzzThree(f *testing.F) {
	for _, c := range cases() {
		f.Add(words(c.base), words(c.mine), words(c.theirs))
	}
	f.Add("a\nb\n", "a\r\nb\r\n", "a\nB\n")
	f.Add("a\r\nb", "a\r\nb\r", "\r\n\r\n")
	f.Fuzz(func(t *testing.T, base, mine, theirs string) {
		if strings.ContainsAny(base+mine+theirs, "<=>") {
			t.Skip("looks like markers")
		}
		laws(t, base, mine, theirs)
	})
}

func TestBinary(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want bool
	}{
		"empty":                          {"", false},
		"text":                           {"a\nb\r\n", false},
		"UTF-8":                          {"caf\u00e9 \u4ee3\u7801 \U0001f600", false},
		"UTF-8 with mark":                {"\ufeffa", false},
		"replacement character":          {"\ufffd", false},
		"NUL":                            {"a\x00b", true},
		"UTF-16":                         {"\xff\xfea\x00", true},
		"Latin-1":                        {"caf\xe9", true},
		"PNG":                            {"\x89PNG\r\n\x1a\n", true},
		"cut character":                  {"a\xe4\xbb", true},
		"NUL at the border":              {strings.Repeat("a", 7999) + "\x00", true},
		"NUL behind the border":          {strings.Repeat("a", 8000) + "\x00", false},
		"two bytes across the border":    {strings.Repeat("a", 7999) + "\u00e9", false},
		"three bytes across the border":  {strings.Repeat("a", 7998) + "\u4ee3", false},
		"four bytes across the border":   {strings.Repeat("a", 7997) + "\U0001f600", false},
		"four bytes, one before it":      {strings.Repeat("a", 7999) + "\U0001f600", false},
		"stray bytes before the border":  {strings.Repeat("a", 7996) + "\x80\x80\x80\x80" + "a", true},
		"Latin-1 well before the border": {strings.Repeat("a", 7000) + "\xe9" + strings.Repeat("a", 7000), true},
	} {
		if got := Binary([]byte(c.data)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func ExampleThree() {
	locked := "# Forms\n\nRead the file.\nFill it.\nSave it.\n"
	edited := "# Forms\n\nRead the file twice.\nFill it.\nSave it.\n"
	upstream := "# Forms\n\nRead the file.\nFill it.\nSave it as PDF.\n"
	merged, conflicts := Three([]byte(locked), []byte(edited), []byte(upstream), Labels{Mine: "local edits", Theirs: "v2.0.0"})
	fmt.Printf("%s%d conflicts\n", merged, conflicts)
	// Output:
	// # Forms
	//
	// Read the file twice.
	// Fill it.
	// Save it as PDF.
	// 0 conflicts
}

func ExampleThree_conflict() {
	merged, conflicts := Three([]byte("Save it.\n"), []byte("Save it twice.\n"), []byte("Print it.\n"), Labels{Mine: "local edits", Theirs: "v2.0.0"})
	fmt.Printf("%s%d conflict\n", merged, conflicts)
	// Output:
	// <<<<<<< local edits
	// Save it twice.
	// =======
	// Print it.
	// >>>>>>> v2.0.0
	// 1 conflict
}

func ExampleBinary() {
	fmt.Println(Binary([]byte("name: pdf\n")), Binary([]byte("\x89PNG\r\n\x1a\n")))
	// Output: false true
}

func BenchmarkThree(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	noise := func() []byte {
		lines := make([]byte, 2*mostLines)
		for i := range mostLines {
			lines[2*i], lines[2*i+1] = 'a'+byte(r.IntN(2)), '\n'
		}
		return lines
	}
	numbered := func(lines, from, every int) []byte {
		var text bytes.Buffer
		for i := range lines {
			if i%every == from {
				fmt.Fprintf(&text, "change %d by %d\n", i, from)
			} else {
				fmt.Fprintf(&text, "sentence %d\n", i)
			}
		}
		return text.Bytes()
	}
	for _, c := range []struct {
		name               string
		base, mine, theirs []byte
	}{
		{"skill of 300 lines", numbered(300, 100, 100), numbered(300, 10, 50), numbered(300, 20, 50)},
		{"100,000 lines, 4,000 edits", numbered(mostLines, 100, 100), numbered(mostLines, 10, 50), numbered(mostLines, 20, 50)},
		{"100,000 new lines", numbered(mostLines, 1, 1), numbered(mostLines, 0, 1), numbered(mostLines, 3, 4)},
		{"100,000 lines of two kinds", noise(), noise(), noise()},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.base) + len(c.mine) + len(c.theirs)))
			b.ReportAllocs()
			for b.Loop() {
				Three(c.base, c.mine, c.theirs, Labels{"mine", "theirs"})
			}
		})
	}
}
