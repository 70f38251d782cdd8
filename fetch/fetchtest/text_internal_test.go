package fetchtest

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       []section
	}{
		{"nothing", "", nil},
		{"only a comment", "a\n-- b\nc --\n---\n--  --\n", nil},
		{"one file", "-- a --\nx\ny\n", []section{{line: 1, words: []string{"a"}, text: "x\ny\n"}}},
		{"no newline at the end", "-- a --\nx", []section{{line: 1, words: []string{"a"}, text: "x\n"}}},
		{"marker at the very end", "-- a --", []section{{line: 1, words: []string{"a"}}}},
		{"blanks in a marker", "--  a   exec  --\n", []section{{line: 1, words: []string{"a", "exec"}}}},
		{"markers with CRLF", "-- a --\r\nx\r\n-- b --\r\n", []section{{line: 1, words: []string{"a"}, text: "x\r\n"}, {line: 3, words: []string{"b"}}}},
		{"fences are no markers", "-- a --\n---\nname: x\n---\n", []section{{line: 1, words: []string{"a"}, text: "---\nname: x\n---\n"}}},
		{"indented markers are text", "-- a --\n -- b --\n", []section{{line: 1, words: []string{"a"}, text: " -- b --\n"}}},
		{"directive", "c\n-- @commit Two words --\n", []section{{line: 2, words: []string{"@commit", "Two", "words"}, directive: true}}},
		{"quoted", `-- "a b\n\xff" exec --` + "\n", []section{{line: 1, words: []string{"a b\n\xff", "exec"}}}},
		{"quoted directive is a file", `-- "@a" --` + "\n", []section{{line: 1, words: []string{"@a"}}}},
	}
	for _, test := range tests {
		got, err := parse(test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v, want %+v", test.name, got, err, test.want)
		}
	}
	for _, text := range []string{`-- "a --`, `-- "\q" --`, "-- \"a\nb\" --\n-- \"\" \" --\n-- \"x --"} {
		if got, err := parse(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// What parse took apart and is put together again is taken apart the same way.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "-- a --\nx", "c\r\n-- \"a b\" exec --\r\n-- @tag v1 --\nz", "-- -- --\n-- a -- b --\n", "-- \"\" --\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sections, err := parse(text)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, s := range sections {
			name := strconv.Quote(s.words[0])
			if s.directive {
				name = s.words[0]
			}
			b.WriteString("-- " + strings.Join(append([]string{name}, s.words[1:]...), " ") + " --\n" + s.text)
		}
		again, err := parse(b.String())
		if err != nil || len(again) != len(sections) {
			t.Fatalf("%q: %v, %d sections, want %d", b.String(), err, len(again), len(sections))
		}
		for i, s := range sections {
			if !reflect.DeepEqual(again[i].words, s.words) || again[i].text != s.text || again[i].directive != s.directive {
				t.Errorf("got %+v, want %+v", again[i], s)
			}
		}
	})
}

func TestParseCommand(t *testing.T) {
	tests := []struct {
		name, body, command string
		arguments           []string
	}{
		{"version 2", "0014command=ls-refs\n0015agent=git/2.39.5\n00010009peel\n000csymrefs\n0000", "ls-refs", []string{"peel", "symrefs"}},
		{"version 2 without arguments", "0014command=ls-refs\n0000", "ls-refs", nil},
		{"version 0", "0032want 1111111111111111111111111111111111111111\n000ddeepen 1\n00000009done\n", "upload-pack",
			[]string{"want 1111111111111111111111111111111111111111", "deepen 1", "done"}},
		{"nothing", "", "upload-pack", nil},
		{"no packet lines", "hello world", "upload-pack", nil},
		{"a length beyond the end", "0012command=fetch\n00ffwant", "fetch", nil},
		{"a length that is none", "0012command=fetch\n0002x", "fetch", nil},
	}
	for _, test := range tests {
		command, arguments := parseCommand([]byte(test.body))
		if command != test.command || !reflect.DeepEqual(arguments, test.arguments) {
			t.Errorf("%s: got %q %q, want %q %q", test.name, command, arguments, test.command, test.arguments)
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add([]byte("0014command=ls-refs\n00010009peel\n0000"))
	f.Add([]byte("0002"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, arguments := parseCommand(body)
		if size := len(strings.Join(arguments, "")); size > len(body) {
			t.Errorf("%d bytes of arguments out of %d", size, len(body))
		}
	})
}

func TestQuotePath(t *testing.T) {
	for path, want := range map[string]string{"a b": "a b", `a"b\`: `a"b\`, `"a`: `"\"a"`, "a\nb\"\\": `"a\nb\"\\"`, "\xff": "\xff"} {
		if got := quotePath(path); got != want {
			t.Errorf("%q: got %s, want %s", path, got, want)
		}
	}
}

func TestOddNamesArriveAsTheyAre(t *testing.T) {
	f := New(t, "-- @repo a.com/b --\n"+`-- "\"q" --`+"\n"+`-- "a\nb" --`+"\n"+`-- "l\xe9" --`+"\n"+`-- "tab\t" --`+"\n")
	out, err := f.Repo("a.com/b").git(t.Context(), "ls-tree", "-z", "--name-only", "main").Output()
	if want := "\"q\x00a\nb\x00l\xe9\x00tab\t\x00"; err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}
