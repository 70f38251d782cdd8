package catalog

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

func (p *skillParser) line(key string) int { return p.entries[key].line }

// required reads name or description.
func (p *skillParser) required(key string) string {
	text, ok := p.text(key)
	trimmed := strings.TrimSpace(text)
	switch {
	case !ok:
		p.fault(invalid("invalid_field", key, p.line(key), "%s must be a text", key))
	case trimmed == "" && text != "" && key == "description" && p.blankTexts:
		p.report("blank_description:description", p.line(key), "description is nothing but blanks")
	case trimmed == "":
		p.absent(key)
	case key == "description" && strings.ContainsRune(text, 0):
		p.fault(invalid("invalid_field", key, p.line(key), "description holds a NUL control character"))
	case key == "name" && trimmed != text:
		p.report("name_whitespace:name", p.line(key), "name has blanks around it")
	case key == "description" && utf8.RuneCountInString(text) > softDescription:
		p.report("too_long:description", p.line(key), "description has %d characters, more than %d", utf8.RuneCountInString(text), softDescription)
	}
	return trimmed
}

// absent says that a field is missing, and which key was probably meant. Where a name need not be there the caller takes
// that of the directory, which nobody knows here.
func (p *skillParser) absent(key string) {
	if key == "name" && p.flat {
		p.report("name_defaulted:name", p.line(key), "the frontmatter has no name; that of the directory is meant")
		return
	}
	e := invalid("missing_field", key, p.line(key), "the frontmatter has no %s", key)
	for _, other := range slices.Sorted(maps.Keys(p.entries)) {
		if misspelled(other) == key {
			e.Line = p.line(other)
			e.Message += fmt.Sprintf("; unknown key %q: did you mean %q?", other, key)
		}
	}
	p.fault(e)
}

// text reads a field that wants text. A scalar of another type is taken as it is
// written, with a finding; ok is false for lists and mappings. Absent is "".
func (p *skillParser) text(key string) (text string, ok bool) {
	e := p.entries[key]
	switch v := e.value.(type) {
	case nil:
		return "", true
	case string:
		if !isText(e.node) {
			p.coerced(key, key, e.node.ShortTag()[2:])
		}
		return v, true
	case bool:
		p.coerced(key, key, "bool")
		return fmt.Sprint(v), true
	}
	return "", false
}

// coerced reports a scalar that is no text under a code that may be narrowed by a case.
func (p *skillParser) coerced(code, key, kind string) {
	code, ending := "type_coerced:"+code, ""
	if p.severity(code) != SeverityError {
		ending = "; it is taken as written"
	}
	p.report(code, p.line(key), "%s is not a text but %s%s", key, kind, ending)
}

// notNull reports a key that is there without a value, for who makes a difference between that and no key.
func (p *skillParser) notNull(keys ...string) {
	for _, key := range keys {
		if e, there := p.entries[key]; there && e.value == nil {
			p.report("invalid_field:"+key+":null", e.line, "%s has no value", key)
		}
	}
}

// optional reads the fields that a skill can be used without. What does not fit
// stays in Frontmatter, is not shown, and is reported.
func (p *skillParser) optional() {
	p.notNull("version", "allowed-tools", "tools", "user-invocable", "argument-hint", "license")
	p.skill.License, p.skill.Compatibility = p.shown("license"), p.shown("compatibility")
	p.shown("version")
	p.compatibility()
	p.metadata()
	p.scope()
	p.argumentHint()
	p.flag("user-invocable", &p.skill.UserInvocable)
	hidden := false
	p.flag("disable-model-invocation", &hidden)
	p.skill.ModelInvocable = !hidden
}

func (p *skillParser) compatibility() {
	const key = "compatibility"
	text, there := p.entries[key].value.(string)
	if n := utf8.RuneCountInString(text); n > softCompatible {
		p.report("too_long:compatibility", p.line(key), "compatibility has %d characters, more than %d", n, softCompatible)
	}
	if there && strings.TrimSpace(text) == "" {
		p.report("invalid_field:compatibility:blank", p.line(key), "compatibility is blank")
	}
}

func (p *skillParser) metadata() {
	const key = "metadata"
	e := p.entries[key]
	switch v := e.value.(type) {
	case nil:
	case map[string]any:
		p.skill.Metadata = v
		p.metadataValues(e)
	default:
		p.report("invalid_field:metadata", e.line, "metadata is not a mapping")
	}
}

// metadataValues reports what is no text, as the specification wants all of them.
func (p *skillParser) metadataValues(e entry) {
	for i := 0; i+1 < len(e.node.Content); i += 2 {
		key, value := e.node.Content[i], e.node.Content[i+1]
		if isText(value) {
			continue
		}
		line := e.line
		if key.Line > 0 { // none in a mapping that another reader made
			line = key.Line + p.offset
		}
		p.report("invalid_field:metadata:value", line, "metadata: the value of %q is %s", key.Value, noText(value))
	}
}

// noText says what a value is instead of a text, and what to write: quotes around a list would say something else.
func noText(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list and no text; write its entries as one text"
	case n.Kind == yaml.MappingNode:
		return "a mapping and no text; give each of its keys a key of its own"
	case n.ShortTag() == "!!null":
		return "missing; write a text, or leave the key out"
	}
	return "no text; put it in quotes"
}

func (p *skillParser) shown(key string) string {
	text, ok := p.text(key)
	if !ok {
		p.report("invalid_field:"+key, p.line(key), "%s is not a text; it is not shown", key)
	}
	return strings.TrimSpace(text)
}

// scope reads required_scope: a list of texts, or one text.
func (p *skillParser) scope() {
	const key = "required_scope"
	e, there := p.entries[key]
	if !there {
		return
	}
	list, ok := texts(e)
	if !ok {
		p.report("invalid_field:required_scope", e.line, "required_scope is neither a text nor a list of texts")
		return
	}
	p.skill.RequiredScope = list
}

// texts gives the texts of a list, or a text as a list of one; ok is false for anything else.
func texts(e entry) (list []string, ok bool) {
	switch v := e.value.(type) {
	case string:
		return []string{v}, isText(e.node)
	case []any:
		list = make([]string, len(v))
		for i, item := range v {
			if list[i], ok = item.(string); !ok || !isText(e.node.Content[i]) {
				return nil, false
			}
		}
		return list, true
	}
	return nil, false
}

// argumentHint takes `[file]` as the text it is: square brackets are how hints
// are written, and YAML makes a list of them.
func (p *skillParser) argumentHint() {
	const key = "argument-hint"
	e := p.entries[key]
	switch e.value.(type) {
	case []any:
		p.bracketedHint(e)
	case map[string]any:
		p.report("invalid_field:argument-hint:mapping", e.line, "%s is not a text", key)
	case string:
		if !isText(e.node) {
			p.coerced("argument-hint:scalar", key, e.node.ShortTag()[2:])
		}
	case bool:
		p.coerced("argument-hint:scalar", key, "bool")
	}
}

func (p *skillParser) bracketedHint(e entry) {
	if p.severity("type_coerced:argument-hint") == SeverityError || p.front == "" {
		p.coerced(e.key, e.key, "a list")
		return
	}
	lines := strings.Split(p.front, "\n")
	_, text, _ := strings.Cut(lines[e.line-p.offset-1], ":")
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		if p.severity("type_coerced:argument-hint") != "" {
			p.skill.Frontmatter[e.key] = text
		}
		p.coerced(e.key, e.key, "a list")
	}
}

// flag reads a field that is true or false, and leaves the value alone where it is neither.
func (p *skillParser) flag(key string, value *bool) {
	e := p.entries[key]
	given := e.value
	if s, ok := given.(string); ok && (s == "true" || s == "false") {
		p.report("type_coerced:"+key, e.line, "%s is a text; it is taken for %s", key, s)
		given = s == "true"
	}
	switch v := given.(type) {
	case nil:
	case bool:
		*value = v
	default:
		p.report("invalid_field:"+key, e.line, "%s is neither true nor false; %v is assumed", key, *value)
	}
}

// judgeKeys reports the keys that no reader of the profile knows.
func (p *skillParser) judgeKeys() {
	for _, e := range p.entriesOf(func(string) bool { return true }) {
		known := misspelled(e.key)
		switch {
		case known != "":
			p.reportKey("unknown_key", e.key, e.line, "the key %q is not known; did you mean %q?", e.key, known)
		case e.key == "<<":
			p.reportKey("unknown_key", "<<", e.line, "the key << merges nothing here")
		case p.closed && !standardKey(e.key), p.rules.UnknownKeys && !knownKey(e.key):
			p.reportKey("unknown_key", e.key, e.line, "the key %q is not known", e.key)
		}
	}
}

// standardKey lists the keys of the specification.
func standardKey(key string) bool {
	switch key {
	case "name", "description", "license", "compatibility", "allowed-tools", "metadata":
		return true
	}
	return false
}

// knownKey lists the keys that any of the profiles reads.
func knownKey(key string) bool {
	switch key {
	case "version", "tools", "user-invocable", "disable-model-invocation", "argument-hint", "required_scope", "hooks", "tool":
		return true
	}
	return standardKey(key) || deprecatedKey(key)
}

// misspelled gives the standard key that a key differs from only by letter case
// or signs around it. Any other unknown key is the author's own business.
func misspelled(key string) string {
	plain := strings.Trim(strings.ToLower(key), "+-*#_ \t")
	if plain != key && standardKey(plain) {
		return plain
	}
	return ""
}

// deprecatedKey lists the keys that zidane has moved below metadata.
func deprecatedKey(key string) bool {
	switch key {
	case "paths", "model", "thinking", "effort":
		return true
	}
	return false
}

// entriesOf gives the entries of some keys in the order of the file.
func (p *skillParser) entriesOf(wanted func(key string) bool) (list []entry) {
	for _, key := range p.keys {
		if wanted(key) {
			list = append(list, p.entries[key])
		}
	}
	return list
}

// migrate moves those keys to where they are read now. What metadata says itself counts.
func (p *skillParser) migrate() {
	if !p.flat {
		return
	}
	moved := maps.Clone(p.skill.Metadata)
	for _, e := range p.entriesOf(deprecatedKey) {
		if moved == nil {
			moved = map[string]any{}
		}
		key := "zidane." + e.key
		if _, there := moved[key]; there {
			p.reportKey("deprecated_field", e.key, e.line, "the key %q is deprecated; metadata holds %q, which counts", e.key, key)
		} else {
			moved[key] = listed(e).value
			p.reportKey("deprecated_field", e.key, e.line, "the key %q is deprecated; write %q below metadata", e.key, key)
		}
		delete(p.skill.Frontmatter, e.key)
	}
	if moved != nil {
		p.skill.Metadata, p.skill.Frontmatter["metadata"] = moved, moved
	}
}

var placeholder = regexp.MustCompile(`(?m)^(?:name|description):[ \t]*["']?(\{\{.*|\{%.*|<%.*|\$\{.*)$`)
