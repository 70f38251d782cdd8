package document_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	burntsushi "github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	pelletier "github.com/pelletier/go-toml/v2"

	"skills/lockfile/internal/document"
)

func Example() {
	doc, err := document.Parse([]byte("# wanted\n[skills]\npdf = \"acme/pdf\" # forms\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	n := doc.Root.Get("skills").Get("pdf")
	value := doc.Statements[1].Value
	fmt.Println(n.Line, n.Text, doc.Raw(value))
	// Output: 3 acme/pdf "acme/pdf"
}

const everyForm = `top = 1
a.b.c = "dotted"
a.b.'d e' = 'literal'

[table] # comment
list = [
  "x", # first
  { k = "y" },
  [ "z" ],
]
inline = { p.q = true, r = "s" }

[[array]]
n = "1"
[array.sub]
m = "2"
[[array]]
n = "3"
["quoted.key"]
text = """
one
two"""
[deep.er]
f = 1.5
[deep]
g = 2024-01-02
`

func TestTreeHoldsWhatEveryFormSays(t *testing.T) {
	doc := parse(t, everyForm)
	for path, want := range map[string]struct {
		text string
		line int
	}{
		"top": {"1", 1}, "a/b/c": {"dotted", 2}, "a/b/d e": {"literal", 3},
		"table/list/0": {"x", 7}, "table/list/1/k": {"y", 8}, "table/list/2/0": {"z", 9},
		"table/inline/p/q": {"true", 11}, "table/inline/r": {"s", 11},
		"array/0/n": {"1", 14}, "array/0/sub/m": {"2", 16}, "array/1/n": {"3", 18},
		"quoted.key/text": {"one\ntwo", 20}, "deep/er/f": {"1.5", 24}, "deep/g": {"2024-01-02", 26},
	} {
		n := find(doc.Root, path)
		if n == nil || n.Text != want.text || n.Line != want.line {
			t.Errorf("%s: got %+v, want %q on line %d", path, n, want.text, want.line)
		}
	}
}

// find goes down by names and by numbers of elements.
func find(n *document.Node, path string) *document.Node {
	for part := range strings.SplitSeq(path, "/") {
		if n == nil {
			return nil
		}
		if n.Kind == document.List {
			n = n.Items[part[0]-'0']
		} else {
			n = n.Get(part)
		}
	}
	return n
}

func TestStatementsCoverTheirBytes(t *testing.T) {
	for _, lineEnd := range []string{"\n", "\r\n"} {
		text := "\uFEFF" + strings.ReplaceAll("[s]\n  'a b'.c  =  [1,\n2] # x\n[[t]] # y\n", "\n", lineEnd)
		doc := parse(t, text)
		var got []string
		for _, s := range doc.Statements {
			got = append(got, fmt.Sprintf("%v %v %v|%s|%s|%s", s.Header, s.Table, s.Path, doc.Raw(s.Lines), doc.Raw(s.Key), doc.Raw(s.Value)))
		}
		want := []string{
			"true [s] [s]|[s]||",
			"false [s] [s a b c]|  'a b'.c  =  [1,\n2] # x|'a b'.c|[1,\n2]",
			"true [t] [t]|[[t]] # y||",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestUnderIsAboutWholeParts(t *testing.T) {
	s := document.Statement{Path: []string{"skills", "pdf", "source"}}
	for _, path := range [][]string{nil, {"skills"}, {"skills", "pdf"}, {"skills", "pdf", "source"}} {
		if !s.Under(path...) {
			t.Errorf("not under %q", path)
		}
	}
	for _, path := range [][]string{{"skill"}, {"skills", "pd"}, {"skills", "pdf", "source", "x"}} {
		if s.Under(path...) {
			t.Errorf("under %q", path)
		}
	}
}

func TestLineEndsInStringsAreNewlines(t *testing.T) {
	for in, want := range map[string]string{
		"x = \"\"\"\r\na\r\nb\\r\\n\"\"\"\r\n": "a\nb\r\n",
		"x = '''\r\na\r\n'''\r\n":              "a\n",
		"x = \"\"\"a\\\r\n  b\"\"\"\r\n":       "ab",
		"x = \"a\\r\\nb\"\n":                   "a\r\nb",
		"x = [\"\"\"a\r\n\"\"\"]":              "",
	} {
		n := parse(t, in).Root.Get("x")
		if n.Kind == document.List {
			n, want = n.Items[0], "a\n"
		}
		if n.Text != want {
			t.Errorf("%q: got %q, want %q", in, n.Text, want)
		}
	}
}

func TestLineEndFollowsItsLine(t *testing.T) {
	doc := parse(t, "a = 1\r\nb = 2\nc = 3")
	for offset, want := range map[int]string{0: "\r\n", 5: "\r\n", 7: "\n", 12: "\n", 13: "\r\n", 18: "\r\n"} {
		if got := doc.LineEnd(offset); got != want {
			t.Errorf("at %d: got %q, want %q", offset, got, want)
		}
	}
	if got := parse(t, "a = 1").LineEnd(0); got != "\n" {
		t.Errorf("without any: got %q", got)
	}
}

func TestBadTextNamesItsLine(t *testing.T) {
	nested := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for in, line := range map[string]int{
		"a = 1\nb = \n":                           2,
		"a = 1\n\na = 2\n":                        3,
		"[t]\nx = 1\n[t]\n":                       3,
		"a.b = 1\n[a]\nc = 2\n":                   2, // BurntSushi/toml lets this pass
		"a = 1\nb = 08\n":                         2,
		"a = 1\nb = \"\xff\"\n":                   2,
		"a = 1\nb = [\n\"x\"\n":                   3,
		"a = 1\rb = 2\n":                          1,
		"a = 1\n\nb = " + nested:                  3,
		strings.Repeat("a.", 40) + "b = 1":        1,
		"\n[" + strings.Repeat("a.", 40) + "b]\n": 2,
		"a = 1\nb = 'x":                           2,
	} {
		_, err := document.Parse([]byte(in))
		var syntax *document.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: got %v", in, err)
			continue
		}
		if syntax.Line != line || syntax.Message == "" || syntax.Markers != nil {
			t.Errorf("%q: got %+v, want line %d", in, syntax, line)
		}
	}
}

func TestOverlongTextIsRefused(t *testing.T) {
	if _, err := document.Parse([]byte(strings.Repeat("\n", document.MaxBytes+1))); err == nil {
		t.Error("no error")
	}
}

func TestConflictMarkersAreFoundWhereTheyStopTheReading(t *testing.T) {
	conflict := "a = 1\n<<<<<<< HEAD\nb = 2\n||||||| base\n=======\nb = 3\n>>>>>>> other\n"
	for in, want := range map[string][]int{
		conflict: {2, 4, 5, 7},
		strings.ReplaceAll(conflict, "\n", "\r\n"):   {2, 4, 5, 7},
		"a = 1\n=======\n":                           {2},
		"a = \"\"\"\nTitle\n=======\n\"\"\"\nb = \n": nil,
		"a = \n=======\n":                            nil,
		"======== = 1\n":                             nil,
		"a = 1\n========\n":                          nil,
	} {
		_, err := document.Parse([]byte(in))
		var syntax *document.SyntaxError
		if !errors.As(err, &syntax) || !slices.Equal(syntax.Markers, want) {
			t.Errorf("%q: got %+v, want %v", in, err, want)
		}
	}
	parse(t, "a = \"\"\"\n<<<<<<< HEAD\n=======\n\"\"\"\n")
}

func TestLinesMakeASentence(t *testing.T) {
	for want, in := range map[string][]int{"": nil, "5": {5}, "5 and 9": {5, 9}, "5, 9 and 14": {5, 9, 14}} {
		if got := document.Lines(in); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func parse(t *testing.T, text string) *document.Document {
	t.Helper()
	doc, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return doc
}

// FuzzParse holds the tree against what BurntSushi/toml and pelletier/go-toml decode.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{everyForm, "\uFEFFa = 1", "a = \"\"\"\r\nx\r\n\"\"\"", "[[a]]\n[[a.b]]\n[[a]]\n[a.b]\n", "x = {a=1,\n#c\nb=2,}\n",
		"a.b=1\n[a]\n", "<<<<<<< x\n", "a={}\na.b=1", "[a]\n[[a]]\n", "a=[]\n[[a]]\n", "[a.a]\na=1\n[a.a.a]\n", "\"\\u0000\"=''", "a=[{},\n{b.c=1}]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := document.Parse(data)
		if err != nil {
			return
		}
		values := map[string]any{}
		if err := burntsushi.Unmarshal(data, &values); err != nil {
			t.Fatal(err)
		}
		compare(t, "BurntSushi", doc.Root, values)
		values = map[string]any{}
		if err := pelletier.Unmarshal([]byte(strings.TrimPrefix(string(data), "\uFEFF")), &values); err != nil {
			t.Fatal(err)
		}
		compare(t, "pelletier", doc.Root, values)
		for i, s := range doc.Statements {
			if i > 0 && s.Lines.Start <= doc.Statements[i-1].Lines.End {
				t.Fatalf("statements %d and %d share bytes", i-1, i)
			}
		}
	})
}

// compare holds a node against a decoded value; a reader may keep "\r\n" in strings.
func compare(t *testing.T, reader string, n *document.Node, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		if n.Kind != document.Table || len(n.Items) != len(v) {
			t.Fatalf("%s: %+v is not %v", reader, n, v)
		}
		for key, member := range v {
			compare(t, reader, n.Get(key), member)
		}
	case []map[string]any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		compare(t, reader, n, list)
	case []any:
		if n.Kind != document.List || len(n.Items) != len(v) {
			t.Fatalf("%s: %+v is not %v", reader, n, v)
		}
		for i, element := range v {
			compare(t, reader, n.Items[i], element)
		}
	case string:
		if n.Kind != document.String || newlines(n.Text) != newlines(v) {
			t.Fatalf("%s: %+v is not %q", reader, n, v)
		}
	default:
		if n.Kind == document.String || n.Kind == document.Table || n.Kind == document.List {
			t.Fatalf("%s: %+v is not %v", reader, n, v)
		}
	}
}

func newlines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func TestOneConflictMarkerIsOne(t *testing.T) {
	for want, lines := range map[string][]int{"a merge conflict marker on line 7": {7}, "merge conflict markers on lines 2, 4 and 6": {2, 4, 6}} {
		if got := document.Conflict(lines); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
