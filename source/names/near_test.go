package names

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func ExampleNear() {
	fmt.Println(Near("remvoe", []string{"add", "remove", "resolve"}, 3))
	// Output: [remove]
}

func TestNearWords(t *testing.T) {
	commands := []string{"add", "agents", "cache", "catalog", "completion", "diff", "doctor", "help", "import", "init", "install", "list", "outdated",
		"pin", "read", "remove", "resolve", "show", "unpin", "update", "validate", "verify"}
	refs := []string{"main", "maint", "main", "develop", "release/1", "release/2", "release/3", "release/4", strings.Repeat("x", 300)}
	folders := []string{"skills/docx", "skills/pdf", "skills/pdf-tools", "skills/pfd", "skills/xlsx"}
	for _, test := range []struct {
		word  string
		known []string
		want  []string
	}{
		{"ad", commands, []string{"add"}},
		{"lsit", commands, []string{"list", "init"}},
		{"remvoe", commands, []string{"remove"}},
		{"uninstall", commands, []string{"install"}},
		{"agent", commands, []string{"agents"}},
		{"LIST", commands, []string{"list"}},
		{"pins", commands, []string{"pin"}},
		{"inst", commands, []string{"init", "list", "install"}},
		{"zzzzzz", commands, nil},
		{"", commands, nil},
		{strings.Repeat("add", 1000), commands, []string{"add"}},
		{strings.Repeat("z", 100_000), commands, nil},
		{"main", refs, []string{"main", "maint"}},
		{"Main", refs, []string{"main", "maint"}},
		{"mian", refs, []string{"main", "maint"}},
		{"develp", refs, []string{"develop"}},
		{"release", refs, []string{"release/1", "release/2", "release/3"}},
		{"quite-another", refs, nil},
		{strings.Repeat("x", 300), refs, nil},
		{"skills/pdf", folders, []string{"skills/pdf", "skills/pfd", "skills/docx"}},
		{"skills/xlxs", folders, []string{"skills/xlsx", "skills/docx", "skills/pdf"}},
		{"unlike", folders, nil},
		{"x", []string{"y"}, nil}, // all letters are others
		{"cafe\u0301", []string{"CAF\u00c9"}, []string{"CAF\u00c9"}},
		{"add", nil, nil},
	} {
		if got := Near(test.word, test.known, 3); !slices.Equal(got, test.want) {
			t.Errorf("near %.20q are %q, want %q", test.word, got, test.want)
		}
	}
}

func TestNearWordsThatAreAlike(t *testing.T) {
	known := []string{"notes", "pdf", "pipe", "sheet-a", "sheet-b"}
	for word, want := range map[string][]string{
		"nope": {"notes"}, "bdf": {"pdf"}, "pfd": {"pdf"}, "sheet": {"sheet-a", "sheet-b"}, "quite-another": nil, "": nil,
	} {
		if got := NearAlike(word, known, 3); !slices.Equal(got, want) {
			t.Errorf("near %q and alike are %q, want %q", word, got, want)
		}
	}
	if got, want := Near("nope", known, 3), []string{"notes", "pipe"}; !slices.Equal(got, want) {
		t.Errorf("near \"nope\" are %q, want %q", got, want)
	}
}

func TestNearWordsAreNoMoreThanAskedFor(t *testing.T) {
	for most, want := range [][]string{{}, {"main"}, {"main", "maint"}, {"main", "maint"}} {
		if got := Near("main", []string{"maint", "main"}, most); !slices.Equal(got, want) {
			t.Errorf("%d near are %q, want %q", most, got, want)
		}
	}
}

func TestDistanceCountsTypingErrors(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"pdf", "pdf", 0},
		{"pdf", "", 3},
		{"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
		{"saturday", "sunday", 3},
		{"skill", "skil", 1},
		{"skill", "sikll", 1},
		{"ca", "abc", 3}, // 2 would need an edit between exchanged neighbours, which this measure has not
		{"代码", "代马", 1},
		{strings.Repeat("a", 65), "a", 65},
	} {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := distance([]rune(pair[0]), []rune(pair[1])); got != test.want {
				t.Errorf("from %q to %q are %d steps, want %d", pair[0], pair[1], got, test.want)
			}
		}
	}
}

// FuzzNear: what is offered is known, short and there once, and the word itself comes first.
func FuzzNear(f *testing.F) {
	for _, seed := range []string{"pdf,pfd,PDF", "a,", "main,maint,main", "\u0130,\u1E9E,a\u0345\u0301", strings.Repeat("a", 65) + ",a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		known := strings.Split(text, ",")
		word := known[0]
		near := Near(word, known, 3)
		for i, name := range near {
			if !slices.Contains(known, name) || slices.Contains(near[:i], name) || utf8.RuneCountInString(Fold(name)) > longest {
				t.Errorf("near %q are %q", word, near)
			}
		}
		if size := utf8.RuneCountInString(Fold(word)); utf8.ValidString(text) && size > 1 && size <= longest && (len(near) == 0 || Fold(near[0]) != Fold(word)) {
			t.Errorf("nearest to %q is not itself: %q", word, near)
		}
	})
}

// TestNearOfNone gives no names where none are wanted.
func TestNearOfNone(t *testing.T) {
	for _, most := range []int{-1, 0} {
		if got := Near("pfd", []string{"pdf"}, most); len(got) > 0 {
			t.Errorf("at most %d: %q", most, got)
		}
		if got := NearAlike("pfd", []string{"pdf"}, most); len(got) > 0 {
			t.Errorf("at most %d: %q", most, got)
		}
	}
}
