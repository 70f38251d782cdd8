package catalog

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// readFlat reads a front matter line by line, as zidane does: keys with texts, lists of texts one level deep and mappings of
// texts one level deep. Nothing is typed, a key ends at its first colon, and what stands in brackets stays text. A line that is
// none of these is passed over, so that nothing is an error.
func readFlat(front string) []entry {
	var list []entry
	(&flatReader{lines: strings.Split(front, "\n")}).keys(0, func(key string, line int, below []string, value string) {
		n := flatValue(value, below, 0)
		if value == "" && key != "name" && key != "description" {
			n = flatBlock(below)
		}
		list = append(list, entry{key: key, line: line, node: n, value: plain(n)})
	})
	return list
}

// plain gives a node as Skill documents it, every scalar being text; what is not there is nil.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, plain(item))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	}
	if n.Style == 0 && n.Value == "" {
		return nil
	}
	return n.Value
}

// flatReader stands at the line that is read next.
type flatReader struct {
	lines []string
	at    int
}

// keys calls f for each key at an indentation with the lines below that are indented more.
func (r *flatReader) keys(indent int, f func(key string, line int, below []string, value string)) {
	for r.at < len(r.lines) {
		text := r.lines[r.at]
		r.at++
		if key, value, ok := flatKey(text); ok && indentation(text) == indent {
			line := r.at
			f(key, line, r.below(indent, value == ""), value)
		}
	}
}

// flatKey takes a line apart at its first colon.
func flatKey(line string) (key, value string, ok bool) {
	line = strings.TrimSpace(line)
	if key, value, ok = strings.Cut(line, ": "); !ok {
		key, ok = strings.CutSuffix(line, ":")
	}
	key = strings.Trim(strings.TrimSpace(key), `"'`)
	if !ok || key == "" || strings.ContainsAny(key[:1], "#-") {
		return "", "", false
	}
	value = strings.TrimSpace(value)
	if strings.HasPrefix(value, "#") {
		value = ""
	}
	return key, value, true
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// below takes the lines that are blank, a comment, or indented more; those of a list may stand right below their key.
func (r *flatReader) below(indent int, list bool) []string {
	start := r.at
	for ; r.at < len(r.lines); r.at++ {
		line, text := r.lines[r.at], strings.TrimSpace(r.lines[r.at])
		item := list && indentation(line) == indent && strings.HasPrefix(text, "- ")
		if text != "" && text[0] != '#' && indentation(line) <= indent && !item {
			break
		}
	}
	return r.lines[start:r.at]
}

// flatBlock reads what stands below a key without a value: a list, a mapping, or a text.
func flatBlock(below []string) *yaml.Node {
	for _, line := range below {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if strings.HasPrefix(text, "- ") {
			return flatList(below, indentation(line))
		}
		if _, _, ok := flatKey(line); ok {
			return flatMapping(below, indentation(line))
		}
		break
	}
	return flatValue("", below, 0)
}

func flatList(lines []string, indent int) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	r := flatReader{lines: lines}
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		r.at++
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok && indentation(line) == indent {
			n.Content = append(n.Content, flatScalar(strings.TrimSpace(item)))
		}
	}
	return n
}

func flatMapping(lines []string, indent int) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	(&flatReader{lines: lines}).keys(indent, func(key string, _ int, below []string, value string) {
		n.Content = append(n.Content, textNode(key), flatValue(value, below, indent))
	})
	return n
}

// flatValue reads a text: a block scalar, or what stands on the line and carries on below.
func flatValue(value string, below []string, indent int) *yaml.Node {
	if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
		block := []string{value}
		for _, line := range below {
			block = append(block, line[min(indent, indentation(line)):])
		}
		if n := flatDecode(strings.Join(block, "\n")); n != nil {
			return n
		}
	}
	parts := []string{value}
	for _, line := range below {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			parts = append(parts, text)
		}
	}
	return flatScalar(strings.TrimSpace(strings.Join(parts, " ")))
}

// flatScalar reads a text on one line, in quotes or as it stands up to a comment.
func flatScalar(text string) *yaml.Node {
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") {
		if n := flatDecode(text); n != nil {
			return n
		}
	}
	text, _, _ = strings.Cut(text, " #")
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.TrimSpace(text)}
}

// flatDecode reads a value by the rules of YAML; nil when it is no text there.
func flatDecode(value string) *yaml.Node {
	entries, err := decode(joinSurrogates("a: " + value))
	if err != nil || len(entries) != 1 {
		return nil
	}
	if text, ok := entries[0].value.(string); ok {
		return textNode(text)
	}
	return nil
}

// listed gives a text in brackets as the list that it is written as, any other value as it is.
func listed(e entry) entry {
	text, ok := e.value.(string)
	if !ok || e.node.Style != 0 || !strings.HasPrefix(text, "[") {
		return e
	}
	if entries, err := decode("a: " + text); err == nil && len(entries) == 1 {
		e.node, e.value = entries[0].node, entries[0].value
	}
	return e
}
