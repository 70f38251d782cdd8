package catalog

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"gopkg.in/yaml.v3"
)

// entriesOf turns a mapping that another reader made into what decode makes of text, in the order of the keys.
func entriesOf(front map[string]any) ([]entry, error) {
	c := converter{unmask: func(s string) string { return s }}
	var list []entry
	for _, key := range slices.Sorted(maps.Keys(front)) {
		e := entry{key: key}
		var err error
		if e.node, err = nodeOf(reflect.ValueOf(front[key]), 1); err == nil {
			e.value, err = c.value(e.node, 1)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// nodeOf gives a Go value as YAML has it: text in quotes, so that nothing is taken for a number that is none.
func nodeOf(v reflect.Value, depth int) (*yaml.Node, error) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case depth > maxLevels:
		return nil, &yamlError{message: fmt.Sprintf("it is nested more than %d levels deep", maxLevels), hostile: true}
	case !v.IsValid():
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
	case v.Kind() == reflect.Map:
		return mappingNode(v, depth)
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		return sequenceNode(v, depth)
	}
	return scalarNode(v), nil
}

func sequenceNode(v reflect.Value, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range v.Len() {
		item, err := nodeOf(v.Index(i), depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, item)
	}
	return n, nil
}

func mappingNode(v reflect.Value, depth int) (*yaml.Node, error) {
	values := map[string]reflect.Value{}
	for key, value := range v.Seq2() {
		values[fmt.Sprint(key)] = value
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value, err := nodeOf(values[key], depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, textNode(key), value)
	}
	return n, nil
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
}

// scalarNode keeps the kind of a value in the tag; its text is what Go prints, and the day or the RFC 3339 form of a time.
func scalarNode(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!" + v.Type().String(), Value: fmt.Sprint(v.Interface())}
	switch value := v.Interface().(type) {
	case string:
		return textNode(value)
	case time.Time:
		n.Tag, n.Value = "!!timestamp", value.Format(time.RFC3339)
		if value.Equal(value.Truncate(24 * time.Hour)) {
			n.Value = value.Format(time.DateOnly)
		}
	}
	return n
}
