package manifest

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What the documents say of themselves that are written here.
const (
	PluginVersion = "smarter.sh/v1"
	PluginKind    = "SkillPlugin"
)

// FormatPlugins writes skills as SkillPlugin documents, in their order, which [ParsePlugins] reads back to the same skills: a source
// with its url alone, or the text to the letter with its resources, null for those that are unavailable. The same skills give the
// same bytes. Texts of several lines are literal blocks where YAML can hold them so, else quoted.
//
// The error is an *Error: "unsafe_name", "already_exists" and the others of ParsePlugins for what could not be read back,
// "cannot_edit" for what the form has no place for: a ref or a path beside the source, agents, a mode, a reason.
func FormatPlugins(skills ...Skill) ([]byte, error) {
	var b bytes.Buffer
	for i, s := range skills {
		if i > 0 {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\nspec:\n  skillData:\n", PluginVersion, PluginKind, yamlText(s.Name))
		if s.Inline == nil {
			fmt.Fprintf(&b, "    source:\n      url: %s\n", yamlText(s.Source))
			continue
		}
		b.WriteString("    skill: " + yamlBlock(s.Inline.Document, "      "))
		s.Inline.writeFiles(&b)
	}
	return b.Bytes(), readBack(b.Bytes(), skills)
}

// writeFiles writes the resources sorted by their paths.
func (in *Inline) writeFiles(b *bytes.Buffer) {
	if in.Resources == nil && in.Unavailable == nil {
		return
	}
	files := maps.Clone(in.Resources)
	if files == nil {
		files = map[string]string{}
	}
	for _, path := range in.Unavailable {
		files[path] = ""
	}
	if len(files) == 0 {
		b.WriteString("    resources: {}\n")
		return
	}
	b.WriteString("    resources:\n")
	for _, path := range slices.Sorted(maps.Keys(files)) {
		value := "null\n"
		if !slices.Contains(in.Unavailable, path) {
			value = yamlBlock(files[path], "        ")
		}
		b.WriteString("      " + yamlText(path) + ": " + value)
	}
}

// readBack gives nothing out that would not read back as it was given.
func readBack(text []byte, skills []Skill) error {
	m, err := ParsePlugins(text, "")
	if err != nil {
		fault := *err.(*Error)
		fault.Line = 0 // of a text that nobody has seen
		return &fault
	}
	for i, s := range skills {
		s, got := s.clone(), m.Skills[i]
		s.Line, got.Line = 0, 0
		if s.Inline != nil && s.Inline.Resources == nil && s.Inline.Unavailable != nil {
			s.Inline.Resources = map[string]string{}
		}
		if s.Inline != nil {
			slices.Sort(s.Inline.Unavailable)
		}
		if !reflect.DeepEqual(s, got) {
			return m.refuse("cannot_edit", "say it in the source text itself, or in a skills.toml", "skill %q does not read back from a SkillPlugin document as it was given", s.Name)
		}
	}
	return nil
}

var (
	yamlWord  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@#^:-]*[A-Za-z0-9_./-]$`)
	yamlTyped = regexp.MustCompile(`(?i)^(?:no|on|off|yes|true|false|null|nan|inf)$`)
)

// yamlText writes a text on one line, in quotes unless it is a word that means itself everywhere. The escapes of Go are a part of those
// of YAML.
func yamlText(text string) string {
	if yamlWord.MatchString(text) && !yamlTyped.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// yamlBlock writes a text as a literal block below its key, with the newline; in quotes where a block would not keep it.
func yamlBlock(text, indent string) string {
	if !strings.Contains(text, "\n") || strings.ContainsFunc(text, unfitForBlock) || !utf8.ValidString(text) || strings.Trim(text, " \n") == "" {
		return strconv.Quote(text) + "\n"
	}
	header := "|"
	if strings.ContainsRune(" \t\n", rune(text[0])) {
		header += strconv.Itoa(2) // what is deeper belongs to the text
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		header += "-"
	case strings.HasSuffix(text, "\n\n"):
		header += "+"
	}
	var b strings.Builder
	b.WriteString(header + "\n")
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// unfitForBlock tells what YAML does not keep, or not show, in a block: controls, its other line ends, and what is invisible.
func unfitForBlock(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200d', '\ufe0f': // of emoji
		return false
	}
	return !unicode.IsGraphic(r) || r == '\u2028' || r == '\u2029'
}
