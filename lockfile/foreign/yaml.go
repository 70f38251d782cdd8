package foreign

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// parseYAML reads a text whose root is a table. Values are read as nodes, never into Go types, which would make dates and floats
// of what was written and expand aliases without a bound.
func (r *reader) parseYAML(data []byte) (root *value, err error) {
	// The YAML reader has answered hostile input with run-time panics before; a library must not die of a file.
	defer func() {
		if recover() != nil {
			root, err = nil, r.damaged(1, "not valid YAML: the YAML reader gave up on it")
		}
	}()
	if err := r.conflict(data); err != nil {
		return nil, err
	}
	// The YAML reader needs up to 400 bytes for a value, and none comes without one of these.
	marks := 0
	for _, mark := range []string{"\n", ",", ":", "[", "{"} {
		marks += bytes.Count(data, []byte(mark))
	}
	if marks > maxValues {
		return nil, r.damaged(1, "it holds more than %d values", maxValues)
	}
	node, err := r.single(data)
	if err != nil {
		return nil, err
	}
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, r.damaged(1, "the text is not a table")
	}
	c := converter{builder{fault: r.damaged}}
	return c.value(node, 0)
}

// single parses exactly one document; nil when there is none.
func (r *reader) single(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	if errors.Is(err, io.EOF) || err == nil && len(first.Content) == 0 {
		return nil, nil
	}
	if err == nil {
		if err = decoder.Decode(&second); err == nil {
			return nil, r.damaged(second.Line, "it holds a second YAML document")
		}
	}
	if !errors.Is(err, io.EOF) {
		line, message := position(err)
		return nil, r.damaged(line, "not valid YAML: %s", message)
	}
	return first.Content[0], nil
}

var yamlError = regexp.MustCompile(`(?s)^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// position takes the YAML reader's error apart.
func position(err error) (line int, message string) {
	m := yamlError.FindStringSubmatch(err.Error())
	line, _ = strconv.Atoi(m[1])
	return max(line, 1), m[2]
}

// converter turns nodes into values.
type converter struct{ builder }

// value converts a node and what is below it.
func (c *converter) value(n *yaml.Node, depth int) (*value, error) {
	if err := c.admit(n.Line, depth); err != nil {
		return nil, err
	}
	v := &value{line: n.Line, kind: kindOf(n), text: n.Value}
	switch v.kind {
	case array, table:
		return v, c.items(v, n, depth+1)
	}
	if n.Kind == yaml.AliasNode {
		aliased, err := c.value(n.Alias, depth+1)
		if err == nil {
			aliased.line = v.line
		}
		return aliased, err
	}
	return v, nil
}

// kindOf tells what a node is. Whatever else a plain scalar could mean, it is text: a commit of digits, a version 1.10.
func kindOf(n *yaml.Node) kind {
	switch {
	case n.Kind == yaml.SequenceNode:
		return array
	case n.Kind == yaml.MappingNode:
		return table
	}
	switch n.ShortTag() {
	case "!!null":
		return null
	case "!!bool":
		return boolean
	case "!!str", "!!int", "!!float", "!!timestamp":
		return text
	}
	return other
}

// items converts members or elements.
func (c *converter) items(v *value, n *yaml.Node, depth int) error {
	step := 1
	if v.kind == table {
		step = 2
	}
	for i := step - 1; i < len(n.Content); i += step {
		item, err := c.value(n.Content[i], depth)
		if err != nil {
			return err
		}
		if key := n.Content[i+1-step]; step == 2 {
			if key.Kind != yaml.ScalarNode {
				return c.fault(key.Line, "an alias, a list or a table stands where a key must be")
			}
			item.key, item.line = key.Value, key.Line
		}
		v.items = append(v.items, item)
	}
	if v.kind == table {
		return c.members(v)
	}
	return nil
}
