package author

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// Definition is a skill as its author says it. Empty texts and nil maps are left out of the file.
//
// Values in Metadata and Extra are string, bool, nil, []any, []string, map[string]any and map[string]string; numbers are refused,
// since readers disagree about them: write "1.0".
type Definition struct {
	Name, Description, License, Compatibility string

	Metadata     map[string]any
	AllowedTools []string       // nil: the skill says nothing about tools; empty and not nil: it allows none
	Extra        map[string]any // other keys of the front matter, such as argument-hint

	Instructions string            // Markdown below the front matter; line ends become "\n", newlines around it go
	Source       string            // where the definition comes from, "inline" when it is empty; not in the file
	Resources    map[string][]byte // the other files by their slash separated path below the skill; a program begins with "#!"
}

// clone gives a definition that shares nothing with d, its texts as a file would hold them.
func (d Definition) clone() Definition {
	d.Metadata, d.Extra = cloneMap(d.Metadata), cloneMap(d.Extra)
	d.AllowedTools = slices.Clone(d.AllowedTools)
	d.Instructions = body(d.Instructions)
	d.Resources = maps.Clone(d.Resources)
	for name, data := range d.Resources {
		d.Resources[name] = bytes.Clone(data)
	}
	return d
}

// body gives instructions as they read back.
func body(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.Trim(text, "\n")
}

func cloneMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	return plain(m, 0).(map[string]any)
}

// plain copies a value, with typed lists and maps as those of any. What lies too deep, as in a map that holds itself, is left as
// it is: checkValue refuses it.
func plain(value any, depth int) any {
	if depth > maxLevels {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		return copyMap(v, depth)
	case map[string]string:
		return copyMap(v, depth)
	case []any:
		return copyList(v, depth)
	case []string:
		return copyList(v, depth)
	}
	return value
}

func copyMap[V any](m map[string]V, depth int) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[key] = plain(value, depth+1)
	}
	return out
}

func copyList[V any](list []V, depth int) []any {
	out := make([]any, len(list))
	for i, value := range list {
		out[i] = plain(value, depth+1)
	}
	return out
}
