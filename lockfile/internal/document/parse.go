package document

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	burntsushi "github.com/BurntSushi/toml"
	pelletier "github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// SyntaxError says why a text is not TOML, or that it is over a limit.
type SyntaxError struct {
	// Line is counted from 1.
	Line int
	// Message has no position in it.
	Message string
	// Markers are the lines of merge conflict markers, when it is they that stopped the reading; else nil.
	Markers []int
}

// Error gives the line and the message.
func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// marker is what git leaves in a file that it could not merge, with the names of the sides behind it.
var marker = regexp.MustCompile(`^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)`)

// Parse reads a text. The error is a *SyntaxError.
func Parse(data []byte) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, &SyntaxError{Line: 1, Message: fmt.Sprintf("%d bytes are more than the %d that are read", len(data), MaxBytes)}
	}
	d := &Document{Data: data, Root: &Node{Kind: Table, Line: 1}, starts: []int{0}}
	for i, b := range data {
		if b == '\n' {
			d.starts = append(d.starts, i+1)
		}
	}
	b := builder{Document: d, base: d.Start(), current: d.Root}
	err := b.read()
	if err == nil {
		err = check(data[b.base:])
	}
	if err != nil {
		return nil, d.withMarkers(err)
	}
	return d, nil
}

// withMarkers adds the lines of conflict markers when the reading stopped at one: a line of equals signs inside a string is no conflict.
func (d *Document) withMarkers(e *SyntaxError) *SyntaxError {
	lines := bytes.Split(d.Data, []byte("\n"))
	if e.Line < 1 || e.Line > len(lines) || !marker.Match(lines[e.Line-1]) {
		return e
	}
	for i, line := range lines {
		if marker.Match(line) {
			e.Markers = append(e.Markers, i+1)
		}
	}
	return e
}

// check asks both readers whether the text is TOML.
func check(data []byte) *SyntaxError {
	var values map[string]any
	if _, err := burntsushi.Decode(string(data), &values); err != nil {
		var parse burntsushi.ParseError
		if errors.As(err, &parse) {
			return &SyntaxError{Line: parse.Position.Line, Message: parse.Message}
		}
		return &SyntaxError{Line: 1, Message: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	var again map[string]any
	if err := pelletier.Unmarshal(data, &again); err != nil {
		line := 1
		var decode *pelletier.DecodeError
		if errors.As(err, &decode) {
			line, _ = decode.Position()
		}
		return &SyntaxError{Line: line, Message: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return nil
}

// builder fills a document from the expressions of the parser.
type builder struct {
	*Document
	parser  unstable.Parser
	base    int      // offset of the parser's first byte
	table   []string // path of the last header
	current *Node    // the table that the last header opened
}

// read goes through all expressions.
func (b *builder) read() *SyntaxError {
	b.parser.Reset(b.Data[b.base:])
	for b.parser.NextExpression() {
		if err := b.expression(b.parser.Expression()); err != nil {
			return err
		}
	}
	var parse *unstable.ParserError
	if err := b.parser.Error(); errors.As(err, &parse) {
		at := b.base + int(b.parser.Range(parse.Highlight).Offset)
		return &SyntaxError{Line: b.Line(at), Message: parse.Message}
	}
	return nil
}

// expression adds a header or a key with its value.
func (b *builder) expression(e *unstable.Node) *SyntaxError {
	path, key := b.key(e)
	if len(path) > maxDepth {
		return b.tooDeep(key.Start)
	}
	if e.Kind == unstable.KeyValue {
		s := Statement{Table: b.table, Path: append(b.table[:len(b.table):len(b.table)], path...), Key: key}
		s.Value = Span{b.valueStart(key.End), b.base + int(e.Raw.Offset+e.Raw.Length)}
		s.Lines = b.lines(Span{key.Start, s.Value.End})
		b.Statements = append(b.Statements, s)
		return b.member(b.current, e, 0)
	}
	b.table = path
	b.current = b.open(path, b.Line(key.Start), e.Kind == unstable.ArrayTable)
	b.Statements = append(b.Statements, Statement{Header: true, Table: path, Path: path, Lines: b.lines(key)})
	return nil
}

// key gives the parts of a name and where it stands.
func (b *builder) key(e *unstable.Node) (path []string, at Span) {
	for it := e.Key(); it.Next(); {
		raw := it.Node().Raw
		if path == nil {
			at.Start = b.base + int(raw.Offset)
		}
		at.End = b.base + int(raw.Offset+raw.Length)
		path = append(path, string(it.Node().Data))
	}
	return path, at
}

// valueStart is the first byte of the value behind a name.
func (b *builder) valueStart(keyEnd int) int {
	i := keyEnd + bytes.IndexByte(b.Data[keyEnd:], '=') + 1
	for b.Data[i] == ' ' || b.Data[i] == '\t' {
		i++
	}
	return i
}

// open walks from the root along a header's path and makes what is not there. A text in which the path crosses a value that is no
// table is refused by check, so that the loose node given then is never seen.
func (b *builder) open(path []string, line int, element bool) *Node {
	n := b.Root
	for i, part := range path {
		next := n.Get(part)
		if next == nil {
			kind := Table
			if element && i == len(path)-1 {
				kind = List
			}
			next = n.put(&Node{Key: part, Kind: kind, Line: line})
		}
		n = next
		if n.Kind == List && !(element && i == len(path)-1) && len(n.Items) > 0 {
			n = n.Items[len(n.Items)-1]
		}
	}
	if element {
		return n.put(&Node{Kind: Table, Line: line})
	}
	return n
}

// member puts a "key = value" into a table, through the tables that a dotted key names.
func (b *builder) member(n *Node, e *unstable.Node, depth int) *SyntaxError {
	path, at := b.key(e)
	if depth+len(path) > maxDepth {
		return b.tooDeep(at.Start)
	}
	line := b.Line(at.Start)
	last := len(path) - 1
	for _, part := range path[:last] {
		next := n.Get(part)
		if next == nil {
			next = n.put(&Node{Key: part, Kind: Table, Line: line})
		}
		n = next
	}
	value, err := b.value(e.Value(), line, depth+len(path))
	if err == nil {
		value.Key = path[last]
		n.put(value)
	}
	return err
}

// value reads a value; line is where its name stands.
func (b *builder) value(e *unstable.Node, line, depth int) (*Node, *SyntaxError) {
	n := &Node{Kind: kindOf(e.Kind), Line: line, Text: string(e.Data)}
	if n.Kind == String {
		n.Text = b.text(e)
	}
	if depth > maxDepth {
		return nil, b.tooDeep(b.starts[line-1])
	}
	for it := e.Children(); it.Next(); {
		if err := b.item(n, it.Node(), depth); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// item reads a member of an inline table or an element of a list.
func (b *builder) item(n *Node, e *unstable.Node, depth int) *SyntaxError {
	if e.Kind == unstable.KeyValue {
		return b.member(n, e, depth)
	}
	line := n.Line
	if e.Raw.Length > 0 {
		line = b.Line(b.base + int(e.Raw.Offset))
	}
	element, err := b.value(e, line, depth+1)
	if err == nil {
		n.put(element)
	}
	return err
}

// text gives a string's value. TOML lets a reader choose the line end of a multi-line string, and a checkout that turned "\n" into
// "\r\n" must not change what is installed, so it is "\n" here.
func (b *builder) text(e *unstable.Node) string {
	raw := b.parser.Raw(e.Raw)
	if !bytes.Contains(raw, []byte("\r\n")) {
		return string(e.Data)
	}
	var parser unstable.Parser
	parser.Reset(append([]byte("x = "), bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))...))
	parser.NextExpression()
	return string(parser.Expression().Value().Data)
}

func (b *builder) tooDeep(offset int) *SyntaxError {
	return &SyntaxError{Line: b.Line(offset), Message: fmt.Sprintf("names or values are more than %d levels deep", maxDepth)}
}

func kindOf(k unstable.Kind) Kind {
	switch k {
	case unstable.String:
		return String
	case unstable.Integer:
		return Integer
	case unstable.Bool:
		return Boolean
	case unstable.Array:
		return List
	case unstable.InlineTable:
		return Table
	}
	return Other
}
