package expand

import (
	"fmt"
	"regexp"
	"strings"

	"skills/catalog"
)

// Span is a command that the author of a skill wants to be run. Line counts from 1.
type Span struct {
	Command string // without blanks at both ends
	Line    int
}

// Template is a text with its tokens and spans. It does not change and may be used by
// several goroutines.
type Template struct {
	pieces   []piece
	spans    []Span
	findings []catalog.Finding
	takes    bool // a token takes arguments
}

// piece is a token, a shell span (span is not nil), or other text.
type piece struct {
	text  string
	token bool
	span  *Span
}

// Parse finds tokens and spans. Any text is a template; the work grows with its length.
func Parse(text string) *Template {
	t := &Template{}
	r := reader{template: t}
	for line := range strings.Lines(text) {
		r.line(line)
	}
	r.flush()
	return t
}

// Spans lists the commands that would run, in the order in which they would.
func (t *Template) Spans() []Span { return append([]Span(nil), t.spans...) }

// Findings tells what looks like a shell span and is none: a warning
// "shell_span_in_code" for each one in fenced code. Lines are those of the text.
func (t *Template) Findings() []catalog.Finding { return append([]catalog.Finding(nil), t.findings...) }

// reader reads a template line by line.
type reader struct {
	template *Template
	number   int             // of the line
	plain    strings.Builder // text since the last span
	fence    string          // the run that opened the code we are in, "" outside
	indent   int             // how far in it stands
}

// A fence may stand in quotes and lists. In doubt the rest of a text is code, where
// nothing runs.
var (
	fenceOpening = regexp.MustCompile("^(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(?:(`{3,})[^`]*|(~{3,}).*)$")
	fenceClosing = regexp.MustCompile("^[ \t>]*(`{3,}|~{3,})[ \t]*$")
)

func (r *reader) line(line string) {
	r.number++
	bare := strings.TrimRight(line, "\r\n")
	found := codeSpans(bare)
	if r.isCode(bare) {
		for _, f := range found {
			r.report(f.command)
		}
		r.plain.WriteString(line)
		return
	}
	at := 0
	for _, f := range found {
		r.plain.WriteString(line[at:f.start])
		r.flush()
		span := Span{f.command, r.number}
		r.template.spans = append(r.template.spans, span)
		r.template.pieces = append(r.template.pieces, piece{text: line[f.start:f.end], span: &span})
		at = f.end
	}
	r.plain.WriteString(line[at:])
}

// isCode tells whether a line belongs to fenced code, fences included.
func (r *reader) isCode(line string) bool {
	if r.fence == "" {
		m := fenceOpening.FindStringSubmatchIndex(line)
		if m == nil {
			return false
		}
		start, end := max(m[2], m[4]), max(m[3], m[5])
		r.fence, r.indent = line[start:end], start
		return true
	}
	if m := fenceClosing.FindStringSubmatchIndex(line); m != nil && m[2] <= r.indent+3 && strings.HasPrefix(line[m[2]:m[3]], r.fence) {
		r.fence = ""
	}
	return true
}

// flush makes pieces of the text before a span, or before the end.
func (r *reader) flush() {
	text := r.plain.String()
	r.plain.Reset()
	at := 0
	for _, m := range token.FindAllStringIndex(text, -1) {
		r.add(text[at:m[0]], false)
		name, escaped := strings.CutPrefix(text[m[0]:m[1]], `\`)
		r.add(name, !escaped)
		r.template.takes = r.template.takes || !escaped && takesArguments(name)
		at = m[1]
	}
	r.add(text[at:], false)
}

func (r *reader) add(text string, isToken bool) {
	if text != "" {
		r.template.pieces = append(r.template.pieces, piece{text: text, token: isToken})
	}
}

func (r *reader) report(command string) {
	r.template.findings = append(r.template.findings, catalog.Finding{
		Code: "shell_span_in_code", Severity: catalog.SeverityWarning, Line: r.number,
		Message: fmt.Sprintf("the shell command %q stands in fenced code and is left as text", command),
	})
}

// codeSpan is a shell span in a line.
type codeSpan struct {
	start, end int
	command    string
}

// codeSpans reads the code spans of a line, which go from a run of backticks to the
// next one of the same length, and gives those that are shell spans.
func codeSpans(line string) []codeSpan {
	runs := backticks.FindAllStringIndex(line, -1)
	partner := partners(runs)
	var found []codeSpan
	for i := 0; i < len(runs); i++ {
		start, last := runs[i][0], partner[i]
		if last < 0 || escaped(line, start) {
			continue
		}
		command := strings.TrimSpace(line[runs[i][1]:runs[last][0]])
		bang := start - 1
		if bang >= 0 && line[bang] == '!' && (bang == 0 || line[bang-1] == ' ' || line[bang-1] == '\t') && command != "" {
			found = append(found, codeSpan{bang, runs[last][1], command})
		}
		i = last
	}
	return found
}

var backticks = regexp.MustCompile("`+")

// partners gives the next run of the same length for each run, -1 where there is none.
func partners(runs [][]int) []int {
	partner, next := make([]int, len(runs)), map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		length := runs[i][1] - runs[i][0]
		partner[i] = -1
		if j, found := next[length]; found {
			partner[i] = j
		}
		next[length] = i
	}
	return partner
}

// escaped tells whether a backslash in front, which is not escaped itself, takes a
// backtick its meaning.
func escaped(line string, at int) bool {
	before := line[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
