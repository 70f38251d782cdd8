package manifest

import (
	"maps"
	"slices"
	"strings"

	"skills/lockfile/internal/document"
)

// field is one key of a skill's table with its value as written.
type field struct{ key, value string }

// fields gives what a skill says, in the order of fieldNames, as TOML.
func (s Skill) fields(lineEnd string) []field {
	var all []field
	add := func(key, value string) {
		if value != "" {
			all = append(all, field{key, document.Quote(value)})
		}
	}
	add("source", s.Source)
	add("path", s.Path)
	add("ref", s.Ref)
	if s.Inline != nil {
		all = append(all, field{"skill", document.QuoteLines(s.Inline.Document, lineEnd)})
		if s.Inline.Resources != nil {
			all = append(all, field{"resources", s.Inline.resources(lineEnd)})
		}
	}
	if s.Agents != nil {
		all = append(all, field{"agents", list(s.Agents)})
	}
	add("mode", s.Mode)
	add("reason", s.Reason)
	return all
}

// resources writes the files as an inline table; those of several lines keep their lines.
func (in *Inline) resources(lineEnd string) string {
	var all []field
	for _, path := range slices.Sorted(maps.Keys(in.Resources)) {
		text := in.Resources[path]
		value := document.Quote(text)
		if strings.Count(text, "\n") > 1 {
			value = document.QuoteLines(text, lineEnd)
		}
		all = append(all, field{path, value})
	}
	return inlineTable(all)
}

// value writes the right side of an entry: the source alone when that says everything, else an inline table.
func (s Skill) value(lineEnd string) string {
	all := s.fields(lineEnd)
	if len(all) == 1 && all[0].key == "source" {
		return all[0].value
	}
	return inlineTable(all)
}

func inlineTable(all []field) string {
	if len(all) == 0 {
		return "{}"
	}
	var parts []string
	for _, f := range all {
		parts = append(parts, document.Key(f.key)+" = "+f.value)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func list(texts []string) string {
	var parts []string
	for _, text := range texts {
		parts = append(parts, document.Quote(text))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// valueOf gives what a field says; "" when it is not there.
func valueOf(all []field, key string) string {
	for _, f := range all {
		if f.key == key {
			return f.value
		}
	}
	return ""
}

func without(all []field, key string) []field {
	return slices.DeleteFunc(slices.Clone(all), func(f field) bool { return f.key == key })
}
