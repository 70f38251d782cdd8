// Package document reads TOML into a tree whose values know their lines, beside the list of statements with their byte
// ranges, so that a reader can name the line of a fault and an editor can change one value and leave every other byte.
//
// A text counts as TOML when two independent readers, BurntSushi/toml and pelletier/go-toml, both accept it: the first lets some
// redefinitions of tables through, and neither may ever disagree with what is written here. Limits come before both, since deep nesting
// and long dotted keys cost them stack and time.
//
//	doc, err := document.Parse(data)
//	n := doc.Root.Get("skills")
package document

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the longest text that is read. A lock of 10,000 skills has 4 MB.
const MaxBytes = 8 << 20

// maxDepth is how many parts a key, and how many lists and inline tables in each other, a value may have.
const maxDepth = 32

// Kind says what a value is, in the words that messages use.
type Kind string

// The kinds that readers of this package tell apart.
const (
	String  Kind = "a string"
	Integer Kind = "an integer"
	Boolean Kind = "a boolean"
	Other   Kind = "a float or a date"
	List    Kind = "a list"
	Table   Kind = "a table"
)

// Node is a value. For a table Items are its members in the order of the file, for a list its elements.
type Node struct {
	// Key is the last part of the name; "" for the root and for elements of a list.
	Key string
	// Kind says which of the other fields hold something.
	Kind Kind
	// Text is the value of a string, with "\r\n" that stands in a multi-line string read as "\n"; the written text for other scalars.
	Text string
	// Items are members or elements.
	Items []*Node
	// Line is where the value's name begins (for elements: the value), counted from 1.
	Line int

	members map[string]*Node
}

// Get returns the member of that name, nil when there is none.
func (n *Node) Get(key string) *Node { return n.members[key] }

// put adds a member, or an element when the key is "".
func (n *Node) put(child *Node) *Node {
	n.Items = append(n.Items, child)
	if n.Kind == Table {
		if n.members == nil {
			n.members = map[string]*Node{}
		}
		n.members[child.Key] = child
	}
	return child
}

// Span is a range of bytes, Start included, End not.
type Span struct{ Start, End int }

// Statement is one header or one "key = value".
type Statement struct {
	// Header is true for [table] and [[table]].
	Header bool
	// Table is the path of the header that a key stands under; for a header its own path.
	Table []string
	// Path is the whole path of what is set or opened.
	Path []string
	// Lines are the lines of the statement from the first blank to the end of a comment, without the last line end.
	Lines Span
	// Key is the name as written, Value the value; both are empty ranges for headers.
	Key, Value Span
}

// Under reports whether what the statement sets or opens is path itself or below it.
func (s Statement) Under(path ...string) bool {
	if len(s.Path) < len(path) {
		return false
	}
	for i, part := range path {
		if s.Path[i] != part {
			return false
		}
	}
	return true
}

// Document is a text with its tree and its statements in the order of the file.
type Document struct {
	Data       []byte
	Root       *Node
	Statements []Statement

	starts []int // offset of each line
}

// Line gives the line of an offset, counted from 1.
func (d *Document) Line(offset int) int {
	return sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > offset })
}

// Raw gives the written text of a range with its line ends as "\n".
func (d *Document) Raw(s Span) string {
	return string(bytes.ReplaceAll(d.Data[s.Start:s.End], []byte("\r\n"), []byte("\n")))
}

// Start is the offset of the first byte behind a byte order mark.
func (d *Document) Start() int {
	if bytes.HasPrefix(d.Data, byteOrderMark()) {
		return len(byteOrderMark())
	}
	return 0
}

// LineEnd gives the line end to use for new lines at an offset: the one that ends the line there, else the first of the text, else "\n".
func (d *Document) LineEnd(offset int) string {
	for _, from := range []int{offset, 0} {
		if i := bytes.IndexByte(d.Data[from:], '\n'); i >= 0 {
			if i > 0 && d.Data[from+i-1] == '\r' {
				return "\r\n"
			}
			return "\n"
		}
	}
	return "\n"
}

// lines widens a range to whole lines, without the last line end.
func (d *Document) lines(s Span) Span {
	start := bytes.LastIndexByte(d.Data[:s.Start], '\n') + 1
	end := len(d.Data)
	if i := bytes.IndexByte(d.Data[s.End:], '\n'); i >= 0 {
		end = s.End + i
		if end > s.End && d.Data[end-1] == '\r' {
			end--
		}
	}
	return Span{max(start, d.Start()), end}
}

func byteOrderMark() []byte { return utf8.AppendRune(nil, '\uFEFF') }

// Lines lists line numbers for a sentence: "5", "5 and 9", "5, 9 and 14".
func Lines(numbers []int) string {
	var text strings.Builder
	for i, n := range numbers {
		switch {
		case i == 0:
		case i == len(numbers)-1:
			text.WriteString(" and ")
		default:
			text.WriteString(", ")
		}
		fmt.Fprint(&text, n)
	}
	return text.String()
}

// Conflict says on which lines merge conflict markers stand.
func Conflict(lines []int) string {
	if len(lines) == 1 {
		return "a merge conflict marker on line " + Lines(lines)
	}
	return "merge conflict markers on lines " + Lines(lines)
}
