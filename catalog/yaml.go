package catalog

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	maxLevels = 32     // levels of lists and mappings in a front matter
	maxNodes  = 50_000 // values after aliases: a front matter of 64 KiB cannot hold as many without them
)

// yamlError says why a front matter is no YAML that is read here. A hostile one
// (tags, aliases that explode, endless nesting) is never read in part.
type yamlError struct {
	line    int    // in the front matter, from 1; 0 when unknown
	reason  string // of the Error, "yaml" when empty
	message string
	hint    string // what to do, "" for the usual
	hostile bool
}

func (e *yamlError) Error() string { return e.message }

// entry is one top-level key with its value: node as parsed, value as Skill
// documents it.
type entry struct {
	key   string
	line  int // in the front matter, from 1
	node  *yaml.Node
	value any
}

// decode reads a front matter as YAML nodes, never into Go types: those would
// make dates and floats of what people wrote, merge `<<` and expand aliases
// without a bound.
func decode(front string) (entries []entry, err error) {
	// yaml.v3 has answered hostile input with run-time panics before; a
	// library must not die of a file.
	defer func() {
		if r := recover(); r != nil {
			entries, err = nil, &yamlError{message: "the YAML reader gave up on it", hostile: true}
		}
	}()
	masked, unmask := mask(front + "\n") // a block value keeps its newline at the end, too
	root, err := singleDocument(masked)
	switch {
	case err != nil || root == nil:
		return nil, err
	case root.Kind != yaml.MappingNode:
		return nil, &yamlError{line: root.Line, reason: "not_a_mapping", message: "it is not a mapping of keys to values", hostile: true}
	}
	if err := tagged(root); err != nil {
		return nil, err
	}
	c := converter{unmask: unmask}
	return c.entries(root)
}

// entries gives the top level in the order of the file, doubled keys included.
func (c *converter) entries(root *yaml.Node) (list []entry, err error) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		e := entry{line: root.Content[i].Line, node: root.Content[i+1]}
		if e.key, err = c.key(root.Content[i]); err != nil {
			return nil, err
		}
		if e.value, err = c.value(e.node, 1); err != nil {
			return nil, err
		}
		if e.node.Kind == yaml.AliasNode {
			e.node = e.node.Alias
		}
		list = append(list, e)
	}
	return list, nil
}

// singleDocument parses exactly one document; nil when there is none.
func singleDocument(text string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	if errors.Is(err, io.EOF) || err == nil && len(first.Content) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, readerError(err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, &yamlError{line: second.Line, message: "it holds a second YAML document", hostile: true}
	}
	return first.Content[0], nil
}

var readerLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// readerError takes the reader's line and text apart.
func readerError(err error) *yamlError {
	m := readerLine.FindStringSubmatch(err.Error())
	if m == nil {
		return &yamlError{message: err.Error()}
	}
	line, _ := strconv.Atoi(m[1])
	exceeded := strings.Contains(m[2], "exceeded max depth")
	return &yamlError{line: max(line, 1), message: m[2], hostile: exceeded}
}

// converter turns nodes into plain values and counts what it visits.
type converter struct {
	unmask func(string) string
	nodes  int
}

// key gives a mapping key as its source text, whatever YAML takes it for.
func (c *converter) key(n *yaml.Node) (string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", &yamlError{line: n.Line, message: "a list or a mapping stands where a key must be"}
	}
	return c.unmask(n.Value), nil
}

// value gives a node as Skill.Frontmatter documents it.
func (c *converter) value(n *yaml.Node, depth int) (any, error) {
	c.nodes++
	switch {
	case c.nodes > maxNodes:
		return nil, &yamlError{line: n.Line, message: "its aliases expand to too much", hostile: true}
	case depth > maxLevels:
		return nil, &yamlError{line: n.Line, message: fmt.Sprintf("it is nested more than %d levels deep", maxLevels), hostile: true}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		return c.list(n, depth)
	case yaml.MappingNode:
		return c.mapping(n, depth)
	}
	return c.scalar(n), nil
}

func (c *converter) list(n *yaml.Node, depth int) (any, error) {
	list := make([]any, len(n.Content))
	for i, item := range n.Content {
		var err error
		if list[i], err = c.value(item, depth+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (c *converter) mapping(n *yaml.Node, depth int) (any, error) {
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, err := c.key(n.Content[i])
		if err != nil {
			return nil, err
		}
		if m[key], err = c.value(n.Content[i+1], depth+1); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// scalar keeps the source text; only null, true and false are more than text.
func (c *converter) scalar(n *yaml.Node) any {
	if n.Style == 0 {
		switch {
		case n.Tag == "!!null":
			return nil
		case n.Value == "true":
			return true
		case n.Value == "false":
			return false
		}
	}
	return c.unmask(n.Value)
}

// tagged refuses explicit tags anywhere: they exist to make a reader build
// something else than text.
func tagged(n *yaml.Node) error {
	if n.Style&yaml.TaggedStyle != 0 {
		return &yamlError{line: n.Line, message: fmt.Sprintf("the tag %s is refused", n.Tag), hostile: true}
	}
	for _, child := range n.Content {
		if err := tagged(child); err != nil {
			return err
		}
	}
	return nil
}

var surrogates = regexp.MustCompile(`\\(?:\\|u[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2}))`)

// joinSurrogates writes the UTF-16 pairs that JSON writers emit for emoji as one
// escape, which is the only form that yaml.v3 reads.
func joinSurrogates(front string) string {
	return surrogates.ReplaceAllStringFunc(front, func(s string) string {
		if len(s) != len(`\ud83d\udc1d`) {
			return s
		}
		high, _ := strconv.ParseUint(s[2:6], 16, 32)
		low, _ := strconv.ParseUint(s[8:12], 16, 32)
		return fmt.Sprintf(`\U%08X`, 0x10000+(high-0xd800)<<10+(low-0xdc00))
	})
}

// mask hides the characters that yaml.v3 refuses (controls) or takes for line
// ends (U+0085, U+2028, U+2029) behind private-use characters, and gives the
// function that brings them back.
func mask(text string) (string, func(string) string) {
	plane := freePlane(text)
	if plane == 0 || !strings.ContainsFunc(text, awkward) {
		return text, func(s string) string { return s }
	}
	masked := strings.Map(func(r rune) rune {
		if awkward(r) {
			return plane + r
		}
		return r
	}, text)
	return masked, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r&^0xffff == plane {
				return r - plane
			}
			return r
		}, s)
	}
}

// freePlane gives a plane of private-use characters that a text does not use; 0
// when it uses both, and then the YAML reader has its way.
func freePlane(text string) rune {
	for _, plane := range []rune{0xf0000, 0x100000} {
		if !strings.ContainsFunc(text, func(r rune) bool { return r&^0xffff == plane }) {
			return plane
		}
	}
	return 0
}

// awkward is what YAML 1.1 does not print, and its line ends beyond \n.
func awkward(r rune) bool {
	switch {
	case r == '\t', r == '\n':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029:
		return true
	}
	return r == 0xfeff || r == 0xfffe || r == 0xffff
}
