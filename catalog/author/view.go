package author

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"skills/catalog"
)

// view is a text as the patient reader and the profile see it.
type view struct {
	text     string
	lines    []string // with their ends
	fence    int      // line of the opening fence, from 1
	close    int      // line of the closing one
	skill    *catalog.Skill
	findings []catalog.Finding // of the patient reader
	tools    []catalog.Finding // of the profile, about allowed-tools
	shift    int               // lines that were put in below the opening fence to be able to read
	nameless bool              // there is no name
	wordless bool              // there is no description
	partial  bool              // not all keys could be read
	lenient  int               // how much the patient reader has to say
	strict   int               // how much the profile has to say
	masked   bool              // the profile stopped reading before the values
}

// look reads a text. The error is that of the patient reader, which can go without a name and a description.
func (f *fixer) look(text string) (*view, error) {
	v := &view{text: text, lines: splitLines(text)}
	v.findFences()
	if err := v.patient(); err != nil {
		return nil, err
	}
	_, findings, err := catalog.Parse([]byte(text), f.rules)
	v.strict = len(findings)
	var e *catalog.Error
	if errors.As(err, &e) {
		if e.Kind == "invalid_input" { // the profile is not known
			return nil, err
		}
		v.strict++
		v.masked = e.Reason == "yaml" || e.Reason == "frontmatter_missing" || e.Reason == "fence_unclosed" || e.Reason == "not_a_mapping"
		findings = append(findings, e.Finding())
	}
	for _, found := range findings {
		if line := v.lineOf("allowed-tools"); line > 0 && found.Line == line {
			v.tools = append(v.tools, found)
		}
	}
	return v, nil
}

// patient reads as an install does. Where name or description are missing, others stand in for them.
func (v *view) patient() error {
	text := v.text
	for {
		skill, findings, err := catalog.Parse([]byte(text), catalog.Rules{UnknownKeys: true})
		var e *catalog.Error
		switch {
		case err == nil:
			v.skill, v.findings = skill, findings
			for i := range findings {
				if findings[i].Line > v.fence {
					findings[i].Line -= v.shift
				}
			}
			v.lenient = len(findings) + v.shift
			v.partial = slices.ContainsFunc(findings, func(f catalog.Finding) bool { return f.Code == "unreadable" })
			return nil
		case !errors.As(err, &e) || e.Reason != "missing_field" || v.shift == 2 || v.close == 0:
			return err
		}
		v.nameless = v.nameless || e.At == "name"
		v.wordless = v.wordless || e.At == "description"
		v.shift++
		text = v.with(v.fence, v.fence, v.lines[v.fence-1]+v.standIns())
	}
}

// standIns are the lines for what is missing.
func (v *view) standIns() string {
	var b strings.Builder
	end := lineEnd(v.lines[v.fence-1])
	if v.nameless {
		b.WriteString("name: stand-in" + end)
	}
	if v.wordless {
		b.WriteString("description: stand-in" + end)
	}
	return b.String()
}

// splitLines cuts a text behind its line ends, \n, \r\n and \r.
func splitLines(text string) []string {
	var lines []string
	for text != "" {
		at := strings.IndexAny(text, "\r\n")
		if at < 0 {
			return append(lines, text)
		}
		if strings.HasPrefix(text[at:], "\r\n") {
			at++
		}
		lines, text = append(lines, text[:at+1]), text[at+1:]
	}
	return lines
}

func lineEnd(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }

// findFences finds the lines around the front matter; close is 0 when there is none.
func (v *view) findFences() {
	for i, line := range v.lines {
		line = strings.TrimLeft(line, "\ufeff")
		fence := strings.TrimRight(line, " \t\r\n") == "---"
		switch {
		case v.fence == 0 && strings.TrimLeft(strings.TrimRight(line, " \t\r\n"), " \t") == "---":
			v.fence = i + 1
		case v.fence == 0 && strings.TrimSpace(line) != "":
			return
		case v.fence > 0 && fence:
			v.close = i + 1
			return
		}
	}
}

// lineOf gives the line of a key; 0 when it is not there.
func (v *view) lineOf(key string) int {
	line := v.skill.Lines[key]
	if line == 0 || line-v.shift <= v.fence || v.nameless && key == "name" || v.wordless && key == "description" {
		return 0
	}
	return line - v.shift
}

// keyAt gives the key on a line; "" for none.
func (v *view) keyAt(line int) string {
	if v.partial {
		return "" // lines of other keys may belong to it
	}
	for _, key := range v.keys() {
		if v.lineOf(key) == line {
			return key
		}
	}
	return ""
}

// keys gives the keys that are there, sorted.
func (v *view) keys() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(v.skill.Lines)), func(key string) bool { return v.lineOf(key) == 0 })
}

// spellings counts the keys that are one but for letter case.
func (v *view) spellings(lower string) int {
	n := 0
	for _, key := range v.keys() {
		if strings.ToLower(key) == lower {
			n++
		}
	}
	return n
}

func isStandard(key string) bool {
	return slices.Contains([]string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}, key)
}

// with gives the text with other lines in the place of those from first to last.
func (v *view) with(first, last int, lines string) string {
	return strings.Join(v.lines[:first-1], "") + lines + strings.Join(v.lines[last:], "")
}

// end gives the last line of the key on a line: what is deeper, and items of a list, belong to it; blanks and comments behind do not.
func (v *view) end(line int) int {
	indent, last := indentation(v.lines[line-1]), line
	for at := line + 1; at < v.close; at++ {
		text := strings.TrimSpace(v.lines[at-1])
		item := text == "-" || strings.HasPrefix(text, "- ")
		switch deep := indentation(v.lines[at-1]) > indent; {
		case text == "", !deep && text[0] == '#':
			continue
		case !deep && !item:
			return last
		}
		last = at
	}
	return last
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// withValue gives the text with another value for the key on a line; ok is false where that would lose a comment.
func (v *view) withValue(line int, value string) (text string, ok bool) {
	first, end := v.lines[line-1], v.end(line)
	colon := colonOf(first)
	if colon < 0 || line <= v.fence || line >= v.close {
		return "", false
	}
	head, rest := first[:colon+1], strings.TrimRight(first[colon+1:], "\r\n")
	value = strings.ReplaceAll(value, "\n", lineEnd(first))
	gap := rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
	if end > line {
		if strings.Contains(strings.Join(v.lines[line-1:end], ""), "#") {
			return "", false
		}
		return v.with(line, end, head+spaced(gap, value)+lineEnd(v.lines[end-1])), true
	}
	rest = rest[len(gap):]
	return v.with(line, line, head+spaced(gap, value)+rest[tokenEnd(rest):]+lineEnd(first)), true
}

// spaced puts the blanks before a value that stood there, one where there were none; a list begins on the next line.
func spaced(gap, value string) string {
	switch {
	case strings.HasPrefix(value, "\n"), strings.HasPrefix(value, "\r"):
		return value
	case gap == "":
		return " " + value
	}
	return gap + value
}

// colonOf gives the place of the colon that ends the key of a line, -1 for none.
func colonOf(line string) int {
	at := indentation(line)
	if at < len(line) && strings.ContainsRune(`"'`, rune(line[at])) {
		end := strings.IndexByte(line[at+1:], line[at])
		if end < 0 {
			return -1
		}
		at += end + 2
	}
	for ; at < len(line); at++ {
		if line[at] == ':' && (at+1 == len(line) || strings.ContainsRune(" \t\r\n", rune(line[at+1]))) {
			return at
		}
	}
	return -1
}

// tokenEnd gives where the value ends that a text begins with, before blanks and a comment.
func tokenEnd(text string) int {
	if end := quotedEnd(text); end > 0 && commentOrNothing(text[end:]) {
		return end
	}
	for _, sign := range []string{" #", "\t#"} {
		if at := strings.Index(text, sign); at >= 0 {
			text = text[:at]
		}
	}
	return len(strings.TrimRight(text, " \t"))
}

// quotedEnd gives where the quoted value ends that a text begins with, 0 for none.
func quotedEnd(text string) int {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return 0
	}
	for at := 1; at < len(text); at++ {
		switch {
		case text[at] == '\\' && text[0] == '"':
			at++
		case text[at] == text[0] && text[0] == '\'' && strings.HasPrefix(text[at:], "''"):
			at++
		case text[at] == text[0]:
			return at + 1
		}
	}
	return 0
}

func commentOrNothing(text string) bool {
	trimmed := strings.TrimLeft(text, " \t")
	return trimmed == "" || trimmed[0] == '#' && trimmed != text
}

// asText gives the text that a scalar of the front matter was written as.
func asText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

// quoteMetadata puts numbers and dates in quotes that are values of metadata, all at once. Their places are those of the nodes.
func quoteMetadata(v *view) []proposal {
	if v.close == 0 || v.partial {
		return nil
	}
	lines := slices.Clone(v.lines)
	changed := 0
	for _, n := range v.typedMetadata() {
		at := v.fence + n.Line - 1
		if at >= v.close-1 {
			return nil
		}
		line := []rune(lines[at])
		column := n.Column - 1
		if column > len(line) || !strings.HasPrefix(string(line[column:]), n.Value) {
			continue
		}
		lines[at] = string(line[:column]) + scalar(n.Value) + strings.TrimPrefix(string(line[column:]), n.Value)
		changed = max(changed, at+1)
	}
	if changed == 0 {
		return nil
	}
	return []proposal{{text: strings.Join(lines, ""), change: change("invalid_field", changed, "the numbers in metadata are put in quotes, since they are texts")}}
}

// typedMetadata lists the plain scalars of metadata that readers take for numbers and dates, the last first, so that those before
// keep their places; none where the front matter is no YAML.
func (v *view) typedMetadata() (found []*yaml.Node) {
	defer func() {
		if recover() != nil { // yaml.v3 has answered hostile input so
			found = nil
		}
	}()
	var document yaml.Node
	if yaml.Unmarshal([]byte(strings.Join(v.lines[v.fence:v.close-1], "")), &document) != nil || len(document.Content) == 0 {
		return nil
	}
	root := document.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "metadata" && root.Content[i+1].Kind == yaml.MappingNode {
			found = append(found, typedValues(root.Content[i+1])...)
		}
	}
	slices.Reverse(found)
	return found
}

func typedValues(mapping *yaml.Node) []*yaml.Node {
	var found []*yaml.Node
	for i := 1; i < len(mapping.Content); i += 2 {
		n := mapping.Content[i]
		typed := slices.Contains([]string{"!!int", "!!float", "!!timestamp"}, n.ShortTag())
		if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Anchor == "" && typed {
			found = append(found, n)
		}
	}
	return found
}

// sameValues tells whether two readings say the same: all keys but for the letter case of standard ones, with their values, the
// entries of allowed-tools, and the body. Tools that were not declared may be after a key got its name, which allows less.
func sameValues(a, b *view) bool {
	if a.skill.Body != b.skill.Body || !reflect.DeepEqual(a.values(b), b.values(a)) {
		return false
	}
	if a.skill.AllowedTools == nil {
		return b.skill.AllowedTools == nil || a.lineOf("allowed-tools") == 0 && b.lineOf("allowed-tools") > 0
	}
	return b.skill.AllowedTools != nil && slices.Equal(a.skill.AllowedTools, b.skill.AllowedTools)
}

// values gives the front matter for a comparison with another: names of keys, and texts, as they are meant. A name that one of the
// two lacks does not count.
func (v *view) values(other *view) map[string]any {
	values := map[string]any{}
	for key, value := range v.skill.Frontmatter {
		lower := strings.ToLower(key)
		text, isText := asText(value)
		switch {
		case lower == "name" && (v.nameless && v.spellings("name") == 0 || other.nameless && other.spellings("name") == 0):
			continue
		case v.nameless && key == "name", v.wordless && key == "description":
			continue
		case lower == "name" && isText:
			value = strings.TrimSpace(text)
		case lower == "allowed-tools" && v.skill.AllowedTools != nil && other.skill.AllowedTools != nil:
			continue // compared by its entries
		case isText && slices.Contains([]string{"description", "license", "compatibility", "version", "argument-hint"}, lower):
			value = text
		}
		if isStandard(lower) && v.spellings(lower) == 1 { // two spellings are two keys
			key = lower
		}
		values[key] = value
	}
	return values
}
