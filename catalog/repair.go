package catalog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds of a second look: keys that are read one by one, and brackets that make each reading dear. Nobody writes as many.
const (
	maxChunks   = 1000
	maxBrackets = 5000
)

// chunk is a top-level key of a front matter with the lines below that belong to
// it. A bare word that lacks its colon is a chunk without a value.
type chunk struct {
	key   string   // without quotes
	head  string   // key and colon as written
	value string   // behind the colon on the same line, trimmed
	line  int      // from 1
	rest  []string // the lines below, down to the next chunk
}

var (
	topKey   = regexp.MustCompile(`^((?:[\p{L}\p{N}_$+.<][^\s:]*|"[^"]+"|'[^']+')[ \t]*:)(?:[ \t]+(.*))?$`)
	bareWord = regexp.MustCompile(`^(?:[\p{L}\p{N}_-]+|[\]}],?)[ \t]*$`)
	guarded  = regexp.MustCompile(`(?m)^[ \t]*["'-]*[ \t]*(allowed-tools|hooks)\b`)
)

// chunks cuts a front matter at its top-level keys. A line that is neither a
// key nor part of one puts the whole in doubt: most likely the closing fence is
// missing and this is the body.
func chunks(front string) ([]chunk, *yamlError) {
	var list []chunk
	line := 0
	for text := range strings.SplitSeq(front, "\n") {
		line++
		m := topKey.FindStringSubmatch(text)
		switch {
		case m != nil:
			key := strings.Trim(strings.TrimRight(m[1], ": \t"), `"'`)
			list = append(list, chunk{key: key, head: m[1], value: strings.Trim(m[2], " \t"), line: line})
		case bareWord.MatchString(text) && !strings.HasPrefix(text, "-"):
			list = append(list, chunk{key: strings.TrimSpace(text), head: text, line: line})
		case isContinuation(text) && (len(list) > 0 || strings.TrimSpace(text) == "" || text[0] == '#'):
			if len(list) > 0 {
				last := &list[len(list)-1]
				last.rest = append(last.rest, text)
			}
		default:
			return nil, doubt(line, text)
		}
	}
	return list, nil
}

// isContinuation says whether a line can belong to the key above it: blank, a
// comment, indented by blanks, or a list item.
func isContinuation(line string) bool {
	return strings.Trim(line, " ") == "" || line[0] == '#' || line[0] == ' ' && !strings.HasPrefix(strings.TrimLeft(line, " "), "\t") ||
		line == "-" || strings.HasPrefix(line, "- ")
}

func doubt(line int, text string) *yamlError {
	if strings.HasPrefix(strings.TrimLeft(text, " "), "\t") {
		return &yamlError{line: line, message: "it is indented with a tab; YAML wants blanks", hint: "indent with blanks"}
	}
	e := &yamlError{line: line, message: fmt.Sprintf("%q is not a key", text), hint: "write a key with a colon, and what belongs to a key deeper than it"}
	if !strings.Contains(text, ":") {
		e.message += "; the closing --- seems to be missing"
		e.hint = "close the frontmatter with a line that is exactly ---"
	}
	return e
}

// text gives the chunk as it was written.
func (c chunk) text() string {
	first := c.head
	if c.value != "" {
		first += " " + c.value
	}
	return strings.Join(append([]string{first}, c.rest...), "\n")
}

// continuation gives the lines that carry on the value, trimmed; ok is false
// when one of them is a comment or looks like a key that decides what an agent
// may do, which no repair may swallow.
func (c chunk) continuation() (lines []string, ok bool) {
	rest := c.rest
	for len(rest) > 0 && (strings.Trim(rest[len(rest)-1], " ") == "" || rest[len(rest)-1][0] == '#') {
		rest = rest[:len(rest)-1]
	}
	for _, line := range rest {
		line = strings.Trim(line, " \t")
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "- ") || guarded.MatchString(line) {
			return nil, false
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines, true
}

// quoted gives the chunk with its value as one quoted text, when the value can
// be nothing else than a text: it opens with no character that means something
// in YAML and holds no comment. What the text says never changes.
func (c chunk) quoted() (string, bool) {
	more, ok := c.continuation()
	text := strings.Join(append([]string{c.value}, more...), " ")
	text = strings.Trim(text, " \t")
	switch {
	case !ok, text == "", strings.Contains(text, " #"):
		return "", false
	case c.value == "" && c.key != "description":
		return "", false // the lines below are a mapping that went wrong
	case strings.ContainsRune("{|>&*!", rune(text[0])):
		return "", false
	case text[0] == '[':
		if !bracketedWords(text) || strings.HasSuffix(c.key, "tools") {
			return "", false
		}
	case text[0] == '"', text[0] == '\'':
		if text, ok = innerQuotes(text); !ok || len(more) > 0 {
			return "", false
		}
	case strings.HasPrefix(text, "- ") && strings.HasSuffix(c.key, "tools"):
		return "", false
	}
	line := c.head + " '" + strings.ReplaceAll(text, "'", "''") + "'"
	return line + strings.Repeat("\n", len(c.rest)), true
}

// bracketedWords tells `[bed] [month]` and `[OLD] take the new one` from a list:
// text goes on behind the first closing bracket, and the brackets pair up.
func bracketedWords(text string) bool {
	end := strings.IndexByte(text, ']')
	return end > 0 && end < len(text)-1 && text[end+1] == ' ' &&
		strings.Count(text, "[") == strings.Count(text, "]") && !strings.Contains(text[1:end], "[")
}

// innerQuotes reads a text that opens with a quote and goes on behind the next
// one. `"Mends "teh" in place"` loses the outer quotes, since its second quote
// opens a word; `"A" is a letter` keeps all.
func innerQuotes(text string) (string, bool) {
	q := text[:1]
	second := strings.Index(text[1:], q) + 1
	if strings.Contains(text, `\`) || strings.Count(text, q)%2 != 0 || second == len(text)-1 {
		return "", false
	}
	if text[second-1] == ' ' && strings.HasSuffix(text, q) {
		return text[1 : len(text)-1], true
	}
	return text, true
}

// repaired gives a front matter in which each chunk that YAML refuses by itself
// is one quoted text, and the lines that this changed. Line numbers stay.
func repaired(list []chunk) (string, []int, bool) {
	var parts []string
	var lines []int
	at := 1
	for _, c := range list {
		text := c.text()
		if _, err := decode(text); err != nil {
			var ok bool
			if text, ok = c.quoted(); !ok {
				return "", nil, false
			}
			lines = append(lines, c.line)
		}
		parts = append(parts, strings.Repeat("\n", c.line-at)+text)
		at = c.line + strings.Count(text, "\n") + 1
	}
	return strings.Join(parts, "\n"), lines, len(lines) > 0
}

// essentials reads name and description alone out of a front matter whose rest
// is unreadable, when both stand there once and can mean one thing only.
func essentials(list []chunk) (entries []entry, lost []chunk, ok bool) {
	for _, c := range list {
		if strings.IndexAny(c.value, "*&!") == 0 {
			return nil, nil, false
		}
		if c.key != "name" && c.key != "description" {
			lost = append(lost, c)
			continue
		}
		e, ok := c.alone()
		if !ok || slices.ContainsFunc(entries, func(o entry) bool { return o.key == e.key }) {
			return nil, nil, false
		}
		entries = append(entries, e)
	}
	return entries, lost, len(entries) == 2
}

// alone reads one chunk as a document of its own; ok only for a text.
func (c chunk) alone() (entry, bool) {
	got, err := decode(c.text())
	if err != nil {
		quoted, ok := c.quoted()
		if !ok {
			return entry{}, false
		}
		got, err = decode(quoted)
	}
	if err != nil || len(got) != 1 {
		return entry{}, false
	}
	got[0].line = c.line
	_, text := got[0].value.(string)
	return got[0], text
}

// reading is a front matter as it could be read.
type reading struct {
	entries  []entry
	repaired []int   // lines that were taken as text
	lost     []chunk // keys that could not be read
}

// read is the whole ladder: strict first, then with surrogate pairs joined, then
// with the narrow repair, then name and description alone. The error is the one
// of the strict reading, or the line that puts the whole in doubt.
func read(front string) (reading, error) {
	got, err := readStrictly(front)
	var strict *yamlError
	if err == nil || errors.As(err, &strict) && strict.hostile {
		return got, err
	}
	return readInPart(joinSurrogates(front), err)
}

// readStrictly is the first half of the ladder.
func readStrictly(front string) (reading, error) {
	entries, err := decode(front)
	if err == nil {
		return reading{entries: entries}, nil
	}
	var strict *yamlError
	if !errors.As(err, &strict) || strict.hostile {
		return reading{}, err
	}
	if strings.Count(front, "[")+strings.Count(front, "{") > maxBrackets {
		strict.hostile = true
		return reading{}, strict
	}
	if joined := joinSurrogates(front); joined != front {
		if entries, err := decode(joined); err == nil {
			return reading{entries: entries}, nil
		}
	}
	return reading{}, strict.located(front)
}

// located gives the error the line of the key that is no YAML by itself: the reader notices some faults lines later, and counts
// some lines one short. A line that puts the whole in doubt is the better error.
func (e *yamlError) located(front string) *yamlError {
	list, unsure := chunks(front)
	if unsure != nil {
		return unsure
	}
	for _, c := range list[:min(len(list), maxChunks)] {
		var fault *yamlError
		if _, err := decode(c.text()); errors.As(err, &fault) && !strings.HasPrefix(fault.message, "unknown anchor") {
			return &yamlError{line: c.line + min(max(fault.line-1, 0), len(c.rest)), message: fault.message}
		}
	}
	return e
}

// readInPart reads what is no YAML as a whole.
func readInPart(front string, strict error) (reading, error) {
	list, unsure := chunks(front)
	if unsure != nil {
		return reading{}, unsure
	}
	if len(list) > maxChunks {
		return reading{}, strict
	}
	if text, lines, ok := repaired(list); ok {
		if entries, err := decode(text); err == nil {
			return reading{entries: entries, repaired: lines}, nil
		}
	}
	if entries, lost, ok := essentials(list); ok {
		return reading{entries: entries, lost: lost}, nil
	}
	return reading{}, strict
}
