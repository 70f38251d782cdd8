package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const fence = "---"

// Document is a SKILL.md cut at its fences, with \n as the only line end.
type Document struct {
	Has   bool   // a frontmatter is there
	Front string // the text between the fences, without its last newline
	Body  string // as it stands below the closing fence; the whole text when there is no frontmatter
	Line  int    // line of the file that Front begins on, from 1
	Close int    // line of the closing fence

	leading bool // blanks stood before the opening fence
	blanks  int  // line of a fence with blanks behind it, 0 for none
}

// Split cuts a SKILL.md at its fences: a first line of three hyphens and the next line of three hyphens, with nothing but blanks
// behind them. Byte order marks and blank lines in front are skipped, and CR and CRLF count as \n. A text whose first line opens
// no frontmatter is a body and nothing else, without an error.
//
// The error is an *Error "invalid_skill": fence_unclosed, not_text for NUL bytes and what is not UTF-8 anywhere, too_long for a
// file that Parse does not read either and for a frontmatter of more than 64 KiB. The work is one pass over the lines up to the
// closing fence.
func Split(raw []byte) (Document, error) {
	if err := outset(raw, maxDocumentBytes); err != nil {
		return Document{}, err
	}
	if _, what, at := notText(raw); at >= 0 {
		return Document{}, notTextError(raw, what, at)
	}
	d, err := split(normalize(string(raw)))
	if err != nil {
		return Document{}, err
	}
	return d, d.bounded()
}

// bounded refuses a frontmatter that nobody wrote by hand.
func (d Document) bounded() error {
	if len(d.Front) > maxFrontBytes {
		return invalid("too_long", "frontmatter", d.Line, "the frontmatter has more than %d bytes", maxFrontBytes)
	}
	return nil
}

// normalize drops byte order marks and turns every line end into \n. U+2028,
// U+0085 and form feeds end no line.
func normalize(text string) string {
	for strings.HasPrefix(text, "\ufeff") {
		text = text[len("\ufeff"):]
	}
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// isFence says whether a line is a delimiter: three hyphens and nothing but
// blanks behind them.
func isFence(line string) bool {
	rest, ok := strings.CutPrefix(line, fence)
	return ok && strings.Trim(rest, " \t") == ""
}

// split cuts a normalized text. Only the first closing line counts.
func split(text string) (Document, error) {
	inner := strings.TrimLeft(text, " \t\n")
	skipped := text[:len(text)-len(inner)]
	first, rest, more := strings.Cut(inner, "\n")
	d := Document{leading: skipped != "", Line: strings.Count(skipped, "\n") + 2}
	switch {
	case isFence(first) && !more:
		return d, d.unclosed("")
	case isFence(first):
		d.note(first, d.Line-1)
		if !d.cut(rest) {
			return d, d.unclosed(rest)
		}
	case strings.HasPrefix(first, fence):
		return d, d.missing(text)
	default:
		d.Body = text
	}
	return d, nil
}

// note remembers a fence that some systems do not take for one.
func (d *Document) note(line string, number int) {
	if line != fence && d.blanks == 0 {
		d.blanks = number
	}
}

// cut finds the closing fence below the opening one.
func (d *Document) cut(rest string) bool {
	d.Close = d.Line
	at := 0
	for line := range strings.Lines(rest) {
		if plain := strings.TrimSuffix(line, "\n"); isFence(plain) {
			d.note(plain, d.Close)
			d.Has = true
			d.Front = strings.TrimSuffix(rest[:at], "\n")
			d.Body = rest[at+len(line):]
			return true
		}
		at += len(line)
		d.Close++
	}
	return false
}

// unclosed explains a front matter without an end, naming the line that was most
// likely meant to be it.
func (d Document) unclosed(rest string) error {
	e := &Error{Kind: "invalid_skill", Reason: "fence_unclosed", Message: "the frontmatter is never closed: no line is exactly ---"}
	line := d.Line
	for text := range strings.SplitSeq(rest, "\n") {
		if why := nearFence(text); why != "" {
			e.Line = line
			e.Message = fmt.Sprintf("line %d %s, so the frontmatter is never closed", line, why)
			return e
		}
		line++
	}
	return e
}

// nearFence says what keeps a line from being the delimiter that it resembles.
func nearFence(line string) string {
	trimmed := strings.Trim(line, " \t")
	switch {
	case trimmed == "":
		return ""
	case trimmed == fence:
		return "is an indented ---"
	case len(trimmed) > 3 && strings.Trim(trimmed, "-") == "":
		return "looks like a delimiter made longer by a formatter"
	case strings.HasPrefix(line, fence):
		return "has text right behind the ---"
	case trimmed == "...":
		return "is ..., which is no delimiter here"
	case strings.Trim(trimmed, "—–―−") == "":
		return "holds dashes that are not hyphens"
	}
	return ""
}

var keyLine = regexp.MustCompile(`^(name|description)[ \t]*:`)

// missing explains a first line that opens no front matter. A line that begins
// with three hyphens was meant to open one, so it is an unclosed fence instead.
func (d Document) missing(text string) *Error {
	text = strings.TrimLeft(text, " \t\n")
	first, _, _ := strings.Cut(text, "\n")
	line := d.Line - 1
	e := &Error{Kind: "invalid_skill", Reason: "frontmatter_missing", Line: line}
	if strings.HasPrefix(first, fence) {
		e.Reason = "fence_unclosed"
	}
	e.Message = fmt.Sprintf("line %d %s", line, firstLineFault(first))
	switch {
	case text == "":
		e.Line, e.Message = 0, "the file is empty"
	case linkText(text):
		e.Message = fmt.Sprintf("the file is text that names %s; probably a symlink committed as text", strings.TrimSpace(text))
		e.Hint = "name the skill that lies there"
	case strings.HasPrefix(first, lfsPointer):
		e.Hint = "ask the author to commit the file itself"
	case firstLineFault(first) == "":
		e.Message = fmt.Sprintf("there is no frontmatter: line %d must be ---", line)
		if at := laterFence(text); at > 0 {
			e.Message = fmt.Sprintf("the frontmatter begins on line %d; it must begin on line 1", line+at-1)
		}
	}
	return e
}

// firstLineFault says what stands on the first line in place of the delimiter,
// "" when it is ordinary text.
func firstLineFault(first string) string {
	r, _ := utf8.DecodeRuneInString(first)
	lower := strings.ToLower(first)
	switch {
	case strings.HasPrefix(first, "----"):
		return "is not a delimiter: it has more than three dashes"
	case strings.HasPrefix(first, fence):
		return "is not a delimiter: it must be --- and nothing else"
	case strings.HasPrefix(first, "```"), strings.HasPrefix(first, "~~~"):
		return "opens a code fence; remove it"
	case strings.HasPrefix(first, "<!--"):
		return "is an HTML comment; move it below the frontmatter"
	case strings.HasPrefix(lower, "<!doctype"), strings.HasPrefix(lower, "<html"):
		return "opens an HTML page, not a SKILL.md"
	case strings.HasPrefix(first, "+++"):
		return "opens TOML; the frontmatter must be YAML between two --- lines"
	case strings.HasPrefix(first, lfsPointer):
		return "opens a Git LFS pointer; the content is not in the repository"
	case isInvisible(r):
		return fmt.Sprintf("begins with the invisible character U+%04X; remove it", r)
	case keyLine.MatchString(first):
		return "is a key; the first line must be ---"
	}
	return ""
}

// linkText says whether a whole file is one relative path, the shape that a
// symbolic link takes when it was committed from a system without links.
func linkText(text string) bool {
	text = strings.TrimSpace(text)
	relative := strings.HasPrefix(text, "../") || strings.HasPrefix(text, "./") || strings.HasSuffix(text, "/SKILL.md")
	return relative && len(text) < 1024 && !strings.ContainsAny(text, "\n\t:")
}

// laterFence gives the line (from 1) of a front matter that begins too late, 0
// when there is none: a delimiter that is directly followed by a key.
func laterFence(text string) int {
	line, opened := 0, 0
	for l := range strings.SplitSeq(text, "\n") {
		line++
		if opened > 0 && keyLine.MatchString(l) {
			return opened
		}
		opened = 0
		if isFence(l) {
			opened = line
		}
	}
	return 0
}

// isInvisible covers what editors do not show: zero-width characters and inner
// byte order marks.
func isInvisible(r rune) bool {
	return r == '\ufeff' || r >= '\u200b' && r <= '\u200f' || r >= '\u2060' && r <= '\u2064'
}
