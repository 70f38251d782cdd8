package catalog

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/util"
)

// inlineReader reads the links and code spans of one block as CommonMark has them. It
// never looks back and stops looking ahead where another link of the same kind
// could begin, so its work grows with the length of the text.
type inlineReader struct {
	text    []byte
	targets map[string]string
	open    []bracket
	dead    int             // brackets below this one hold a link, so they open none
	runs    map[int][]int   // where runs of that many backticks begin, passed ones dropped
	gone    map[string]bool // closing signs that come no more
	found   []mention
	hidden  [][2]int // spans that hold no bare words
	looked  int      // bytes read ahead or again, for the test that holds them down
}

// bracket is one that is open. Text with brackets in it is no label.
type bracket struct {
	at            int // behind it
	image, nested bool
}

func (r *inlineReader) scan() {
	for at := 0; at < len(r.text); {
		at = r.step(at)
	}
}

// step reads what begins at a place and says where it ends.
func (r *inlineReader) step(at int) int {
	switch r.text[at] {
	case '\\':
		return at + 2
	case '`':
		return r.code(at)
	case '<':
		return r.angle(at)
	case '[':
		return r.push(at+1, false)
	case '!':
		if bytes.HasPrefix(r.text[at:], []byte("![")) {
			return r.push(at+2, true)
		}
	case ']':
		return r.close(at)
	}
	return at + 1
}

func (r *inlineReader) code(at int) int {
	from := at
	for from < len(r.text) && r.text[from] == '`' {
		from++
	}
	to := r.run(from-at, from)
	if to < 0 {
		return from
	}
	if name := codePath(string(r.text[from:to])); name != "" {
		r.take(from, to, mention{at: from, path: name, span: true})
	}
	return to + from - at
}

// run finds the next run of exactly so many backticks, -1 for none.
func (r *inlineReader) run(length, from int) int {
	if r.runs == nil {
		r.runs = map[int][]int{}
		for i := 0; i < len(r.text); i++ {
			start := i
			for i < len(r.text) && r.text[i] == '`' {
				i++
			}
			r.runs[i-start] = append(r.runs[i-start], start)
		}
	}
	list := r.runs[length]
	for len(list) > 0 && list[0] < from {
		list = list[1:]
	}
	r.runs[length] = list
	if len(list) == 0 {
		return -1
	}
	return list[0]
}

// tag is an autolink, or an HTML tag.
var tag = regexp.MustCompile(`^<(?:([A-Za-z][A-Za-z0-9.+-]{1,31}:[^<>\x00-\x20]*)|/[A-Za-z][A-Za-z0-9-]*\s*|` +
	`[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*\s*/?)>`)

// angle passes over comments and the like, autolinks and tags.
func (r *inlineReader) angle(at int) int {
	rest := r.text[at:]
	for _, form := range [...][2]string{{"<!-->", ""}, {"<!--->", ""}, {"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}} {
		if !bytes.HasPrefix(rest, []byte(form[0])) {
			continue
		}
		if end := r.until(at+len(form[0]), form[1]); end >= 0 {
			r.hide(at, end)
			return end
		}
	}
	m := tag.FindSubmatchIndex(rest)
	if m == nil {
		return at + 1
	}
	if m[2] >= 0 {
		r.hide(at, at+m[1])
	}
	return at + m[1]
}

func (r *inlineReader) until(at int, closing string) int {
	if r.gone[closing] {
		return -1
	}
	i := bytes.Index(r.text[at:], []byte(closing))
	if i < 0 {
		r.gone[closing] = true
		return -1
	}
	return at + i + len(closing)
}

func (r *inlineReader) push(at int, image bool) int {
	if last := len(r.open) - 1; last >= 0 {
		r.open[last].nested = true
	}
	r.open = append(r.open, bracket{at: at, image: image})
	return at
}

// close ends the last open bracket. A link holds no other link, an image may.
func (r *inlineReader) close(at int) int {
	last := len(r.open) - 1
	if last < 0 {
		return at + 1
	}
	b := r.open[last]
	r.open = r.open[:last]
	alive := b.image || last >= r.dead
	r.dead = min(r.dead, last)
	if !alive {
		return at + 1
	}
	name, end := r.target(b, at)
	if end < 0 {
		return at + 1
	}
	r.take(at, end, mention{at: at, path: name})
	if !b.image {
		r.dead = last
	}
	return end
}

// target reads what a bracket that closes at a place points to; the end is -1 when
// it points nowhere.
func (r *inlineReader) target(b bracket, at int) (name string, end int) {
	c := cursor{r.text, at + 1}
	target, ok := c.inlineTarget()
	r.looked += c.at - at
	if ok {
		return linkPath(target), c.at
	}
	end = at + 1
	label, nested := r.text[b.at:at], b.nested
	c.at = end
	full, ok := c.label()
	r.looked += c.at - at
	if ok {
		end = c.at
		if !util.IsBlank(full) {
			label, nested = full, false
		}
	}
	if nested {
		return "", -1
	}
	r.looked += len(label)
	name, ok = r.targets[util.ToLinkReference(label)]
	if !ok {
		return "", -1
	}
	return name, end
}

func (r *inlineReader) take(from, to int, found mention) {
	r.found = append(r.found, found)
	r.hide(from, to)
}

func (r *inlineReader) hide(from, to int) { r.hidden = append(r.hidden, [2]int{from, to}) }

// plain gives the text with blanks for what is hidden. It spoils the reader's own.
func (r *inlineReader) plain() []byte {
	for _, span := range r.hidden {
		copy(r.text[span[0]:span[1]], bytes.Repeat([]byte(" "), span[1]-span[0]))
	}
	return r.text
}

// maxParens bounds the parentheses in each other in a target, as CommonMark allows.
const maxParens = 32

// cursor reads the parts of links. What does not fit leaves it where that showed.
type cursor struct {
	text []byte
	at   int
}

// peek gives the next byte, 0 at the end.
func (c *cursor) peek() byte {
	if c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

func (c *cursor) eat(sign byte) bool {
	if c.peek() != sign {
		return false
	}
	c.at++
	return true
}

// space says whether there were blanks or line ends to pass.
func (c *cursor) space() bool {
	from := c.at
	for util.IsSpace(c.peek()) {
		c.at++
	}
	return c.at > from
}

// lineEnd says whether nothing but blanks came before the end of the line.
func (c *cursor) lineEnd() bool {
	for c.peek() == ' ' || c.peek() == '\t' {
		c.at++
	}
	return c.eat('\n') || c.at == len(c.text)
}

// until reads up to the first of the closing signs that no backslash precedes.
// A refused sign does not fit.
func (c *cursor) until(closing byte, refused string) ([]byte, bool) {
	from := c.at
	for ; c.at < len(c.text); c.at++ {
		switch sign := c.peek(); {
		case sign == closing:
			c.at++
			return c.text[from : c.at-1], true
		case strings.IndexByte(refused, sign) >= 0:
			return nil, false
		case sign == '\\':
			c.at++
		}
	}
	c.at = len(c.text)
	return nil, false
}

func (c *cursor) label() ([]byte, bool) {
	if !c.eat('[') {
		return nil, false
	}
	return c.until(']', "[")
}

func (c *cursor) title() bool {
	ok := false
	switch {
	case c.eat('"'):
		_, ok = c.until('"', "")
	case c.eat('\''):
		_, ok = c.until('\'', "")
	case c.eat('('):
		_, ok = c.until(')', "(")
	}
	return ok
}

func (c *cursor) destination() ([]byte, bool) {
	if c.eat('<') {
		return c.until('>', "<\n")
	}
	from, parens := c.at, 0
	for ; c.at < len(c.text) && c.peek() > ' ' && c.peek() != 0x7f; c.at++ {
		switch c.peek() {
		case '\\':
			if c.at+1 < len(c.text) && util.IsPunct(c.text[c.at+1]) {
				c.at++
			}
		case '(':
			if parens++; parens > maxParens {
				return nil, false
			}
		case ')':
			if parens--; parens < 0 {
				return c.text[from:c.at], c.at > from
			}
		}
	}
	return c.text[from:c.at], c.at > from && parens == 0
}

// inlineTarget reads (target "title").
func (c *cursor) inlineTarget() ([]byte, bool) {
	if !c.eat('(') {
		return nil, false
	}
	c.space()
	if c.eat(')') {
		return nil, true
	}
	target, ok := c.destination()
	if ok && c.space() && c.title() {
		c.space()
	}
	return target, ok && c.eat(')')
}

// definition reads [label]: target "title" and the end of its line. A title that
// does not fit may be the next line's text.
func (c *cursor) definition() (label, target []byte, ok bool) {
	c.space()
	if label, ok = c.label(); !ok || util.IsBlank(label) || !c.eat(':') {
		return nil, nil, false
	}
	c.space()
	if target, ok = c.destination(); !ok {
		return nil, nil, false
	}
	from := c.at
	ok = c.lineEnd()
	end := c.at
	c.at = from
	if c.space() && c.title() && c.lineEnd() {
		return label, target, true
	}
	c.at = end
	return label, target, ok
}
