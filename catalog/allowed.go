package catalog

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// softTools is how many entries of allowed-tools pass without a word.
const softTools = 128

// splitTools cuts an allowed-tools text at blanks and commas outside
// parentheses. A closing one too many changes nothing, an open one swallows the
// rest: neither makes the list allow more than it says.
func splitTools(text string) []string {
	var list []string
	depth, start := 0, -1
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth = max(depth-1, 0)
		case depth == 0 && (r == ',' || r == ' ' || r == '\t' || r == '\n'):
			if start >= 0 {
				list = append(list, text[start:i])
			}
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		list = append(list, strings.TrimRight(text[start:], " \t\n"))
	}
	return list
}

// tools reads allowed-tools, else tools. What cannot be read allows nothing:
// it counts as declared, since an absent list would allow everything.
func (p *skillParser) tools() {
	const key = "allowed-tools"
	e, there := p.entries[key]
	switch {
	case e.value != nil:
		p.skill.AllowedToolsDeclared = true
		list, ok := p.toolList(e)
		if !ok {
			p.report("invalid_field", e.line, "allowed-tools is neither a text nor a list of texts; no tool counts as allowed")
		}
		p.skill.AllowedTools = list
		p.judgeTools(e.line)
	case p.mentions(key):
		p.skill.AllowedToolsDeclared = true
		p.report("invalid_field", 0, "allowed-tools cannot be read; no tool counts as allowed")
	default:
		p.aliasTools(there)
	}
}

// aliasTools reads the key tools, which other agents use for other things.
func (p *skillParser) aliasTools(emptyBeside bool) {
	alias := p.entries["tools"]
	if alias.value == nil {
		return
	}
	list, ok := p.toolList(alias)
	if !ok {
		p.report("invalid_field:tools", alias.line, "tools is not a list of tool names and is left alone")
		return
	}
	if emptyBeside {
		p.report("invalid_field", p.line("allowed-tools"), "allowed-tools is empty; tools is taken instead")
	}
	p.skill.AllowedTools, p.skill.AllowedToolsDeclared = list, true
	p.judgeTools(alias.line)
}

// toolList reads a text or a list of texts; ok is false for anything else.
func (p *skillParser) toolList(e entry) (list []string, ok bool) {
	switch e.value.(type) {
	case string:
		if isText(e.node) {
			return append([]string{}, splitTools(e.value.(string))...), true
		}
	case []any:
		return p.toolItems(e)
	}
	return []string{}, false
}

func (p *skillParser) toolItems(e entry) (list []string, ok bool) {
	list = []string{}
	for i, item := range e.value.([]any) {
		text, ok := item.(string)
		if !ok || !isText(e.node.Content[i]) {
			return []string{}, false
		}
		if text = strings.TrimSpace(text); text == "" {
			p.report("invalid_field", e.line, "%s holds a blank item", e.key)
			continue
		}
		list = append(list, text)
	}
	return p.joinCut(list, e.line), true
}

// isText says whether YAML takes a scalar for text and not for a number or a date.
func isText(n *yaml.Node) bool { return n.Style != 0 || n.ShortTag() == "!!str" }

// joinCut puts together what YAML cut at a comma inside parentheses: the flow
// list `[Bash(a, b)]` has the items `Bash(a` and `b)`.
func (p *skillParser) joinCut(list []string, line int) []string {
	for i := 0; i+1 < len(list); i++ {
		if balance(list[i]) > 0 && balance(list[i+1]) < 0 && balance(list[i]+list[i+1]) == 0 {
			list[i] += ", " + list[i+1]
			list = append(list[:i+1], list[i+2:]...)
			p.report("unbalanced", line, "YAML cuts %q at the comma; put it in quotes", list[i])
		}
	}
	return list
}

func balance(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }

// judgeTools reports entries that will not mean what their author thinks.
func (p *skillParser) judgeTools(line int) {
	if n := len(p.skill.AllowedTools); n > softTools {
		p.report("limit", line, "allowed-tools has %d entries", n)
	}
	for _, tool := range p.skill.AllowedTools {
		open := strings.IndexByte(tool, '(')
		switch {
		case balance(tool) != 0:
			p.report("unbalanced", line, "the parentheses of %q do not pair up", tool)
		case open == 0:
			p.report("stray_parens", line, "%q stands apart from its tool, which is allowed whole now", tool)
		case open < 0 && strings.Contains(tool, ","):
			p.report("tool_item_has_separator", line, "%q is one entry", tool)
		case strings.ContainsAny(tool, ";，；") || open > 0 && !strings.HasSuffix(tool, ")"):
			p.report("tool_format", line, "%q is one entry and names no tool", tool)
		}
	}
}
