package catalog

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// softTools is how many entries of allowed-tools pass without a word.
const softTools = 128

// Tools gives the entries of an allowed-tools value: a text, a list of texts, or nil for none. A text is cut at blanks and
// commas outside parentheses, under ProfileClarvis at commas alone, wherever they stand. Entries are trimmed; blank ones are
// dropped, but an error under the profiles that refuse them. The list is never nil and never the one given.
//
// The error is an *Error "invalid_skill" with reason invalid_field for values of other types.
func (r Rules) Tools(value any) ([]string, error) {
	p, err := newParser(r)
	if err != nil {
		return nil, err
	}
	entries, err := entriesOf(map[string]any{allowedTools: value})
	if err != nil {
		return nil, p.yamlFault(err)
	}
	e := entries[0]
	if text, ok := e.value.(string); ok && p.commas && isText(e.node) {
		return cutAtCommas(text), nil
	}
	list, ok := p.toolList(e)
	switch {
	case e.value == nil:
		return []string{}, nil
	case p.err != nil:
		return nil, p.err
	case !ok:
		return nil, invalid("invalid_field", allowedTools, 0, "%s", noTools)
	}
	return list, nil
}

const (
	allowedTools = "allowed-tools"
	noTools      = "allowed-tools is neither a text nor a list of texts"
)

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

// cutAtCommas is how clarvis reads a text of tools.
func cutAtCommas(text string) []string {
	list := []string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// tools reads allowed-tools, else tools. What cannot be read allows nothing:
// its list is empty and not nil, since an absent list would allow everything.
func (p *skillParser) tools() {
	e, there := p.entries[allowedTools]
	switch {
	case e.value != nil:
		list, ok := p.toolList(e)
		if !ok {
			p.report("invalid_field:allowed-tools", e.line, "%s; no tool counts as allowed", noTools)
		}
		p.skill.AllowedTools = list
		p.judgeTools(e)
	case p.mentions(allowedTools):
		p.skill.AllowedTools = []string{}
		p.report("invalid_field:allowed-tools", 0, "allowed-tools cannot be read; no tool counts as allowed")
	case p.aliased:
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
		p.report("invalid_field:allowed-tools:beside", p.line(allowedTools), "allowed-tools is empty; tools is taken instead")
	}
	p.skill.AllowedTools = list
	p.judgeTools(alias)
}

// toolList reads a text or a list of texts; ok is false for anything else.
func (p *skillParser) toolList(e entry) (list []string, ok bool) {
	if p.flat {
		e = listed(e)
	}
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
	items, ok := texts(e)
	if !ok {
		return []string{}, false
	}
	list = []string{}
	for _, text := range items {
		if text = strings.TrimSpace(text); text == "" {
			p.report("invalid_field:"+e.key+":blank", e.line, "%s holds a blank item", e.key)
			continue
		}
		list = append(list, text)
	}
	if p.joins {
		list = p.joinCut(list, e.line)
	}
	return list, true
}

// isText says whether YAML takes a scalar for text and not for a number or a date.
func isText(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Kind == yaml.ScalarNode && (n.Style != 0 || n.ShortTag() == "!!str")
}

// joinCut puts together what YAML cut at a comma inside parentheses: the flow
// list `[Bash(a, b)]` has the items `Bash(a` and `b)`.
func (p *skillParser) joinCut(list []string, line int) []string {
	joined := []string{}
	for _, item := range list {
		last := len(joined) - 1
		if last < 0 || balance(joined[last]) <= 0 || balance(joined[last])+balance(item) != 0 {
			joined = append(joined, item)
			continue
		}
		joined[last] += ", " + item
		p.report("unbalanced:allowed-tools", line, "YAML cuts %q at the comma; put it in quotes", joined[last])
	}
	return joined
}

func balance(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }

// judgeTools reports entries that will not mean what their author thinks.
func (p *skillParser) judgeTools(e entry) {
	if n := len(p.skill.AllowedTools); n > softTools {
		p.report("limit:allowed-tools", e.line, "allowed-tools has %d entries", n)
	}
	if text, ok := e.value.(string); ok && p.severity("tools_ambiguous") != "" {
		if cut := cutAtCommas(text); !slices.Equal(cut, splitTools(text)) {
			p.report("tools_ambiguous:allowed-tools", e.line, "some agents cut %s at commas alone, and read %q; write a list", e.key, cut)
		}
	}
	for _, tool := range p.skill.AllowedTools {
		p.judgeTool(tool, e.line)
	}
}

func (p *skillParser) judgeTool(tool string, line int) {
	open := strings.IndexByte(tool, '(')
	switch {
	case balance(tool) != 0:
		p.report("unbalanced:allowed-tools", line, "the parentheses of %q do not pair up", tool)
	case open == 0:
		p.report("stray_parens:allowed-tools", line, "%q stands apart from its tool, which is allowed whole now", tool)
	case open < 0 && strings.Contains(tool, ","):
		p.report("tool_item_has_separator:allowed-tools", line, "%q is one entry", tool)
	case strings.ContainsAny(tool, ";，；") || open > 0 && !strings.HasSuffix(tool, ")"):
		p.report("tool_format:allowed-tools", line, "%q is one entry and names no tool", tool)
	}
}
