package author

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/catalog"
)

// Bounds of what is written.
const (
	maxLevels = 30  // levels of lists and mappings; readers stop a little above
	maxKey    = 128 // bytes of a key; YAML itself ends at 1,024
)

// Format gives the bytes of SKILL.md. Keys come in the order name, description, license, compatibility, metadata, allowed-tools,
// then the others sorted. Texts stand plain where every reader of YAML takes them for the same text, else in quotes, on one line.
// allowed-tools is a text with blanks between, or a list with an entry a line where an entry holds a blank or a comma of its own.
//
// It writes what it is given: whether that is a good skill is for [Define]. The error joins a *catalog.Error, "invalid_skill", for each
// thing that no file can hold: text that is not UTF-8, numbers, values without an end, keys that have a field of their own.
func Format(d Definition) ([]byte, error) {
	d = d.clone()
	if err := errors.Join(d.writable()...); err != nil {
		return nil, err
	}
	return d.text(), nil
}

// text writes what is writable.
func (d Definition) text() []byte {
	var w writer
	w.text("---\n")
	for _, f := range d.standard() {
		w.field(f.key, f.value)
	}
	for _, key := range slices.Sorted(maps.Keys(d.Extra)) {
		w.field(key, d.Extra[key])
	}
	w.text("---\n")
	if d.Instructions != "" {
		w.text("\n" + d.Instructions + "\n")
	}
	return []byte(w.String())
}

// field is a key of the front matter with its value.
type field struct {
	key   string
	value any
}

// standard gives the standard keys that are there, in their order.
func (d Definition) standard() []field {
	all := []field{{"name", d.Name}, {"description", d.Description}}
	for _, f := range []field{{"license", d.License}, {"compatibility", d.Compatibility}} {
		if f.value != "" {
			all = append(all, f)
		}
	}
	if d.Metadata != nil {
		all = append(all, field{"metadata", d.Metadata})
	}
	if d.AllowedTools != nil {
		all = append(all, field{"allowed-tools", toolsValue(d.AllowedTools)})
	}
	return all
}

// toolsValue gives one text when that is split into the same entries again, else the list.
func toolsValue(tools []string) any {
	if slices.ContainsFunc(tools, apart) {
		return copyList(tools, 0)
	}
	return strings.Join(tools, " ")
}

// apart tells whether an entry needs a line of its own: one with a blank or comma outside of parentheses, or with parentheses that
// would swallow its neighbours.
func apart(tool string) bool {
	depth := 0
	for _, r := range tool {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth <= 0 && (r == ',' || unicode.IsSpace(r)):
			return true
		}
		if depth < 0 {
			return true
		}
	}
	return depth != 0 || tool == ""
}

// writable lists what no file can hold.
func (d Definition) writable() []error {
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(d.Extra)) {
		if slices.Contains([]string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}, key) {
			faults = append(faults, fault("invalid_field", key, "the key %q has a field of its own", key))
		}
	}
	for _, f := range append(d.standard(), field{"", d.Extra}) {
		if err := checkValue(f.value, f.key, 0); err != nil {
			faults = append(faults, err)
		}
	}
	if !utf8.ValidString(d.Instructions) || strings.ContainsRune(d.Instructions, 0) {
		faults = append(faults, fault("not_text", "", "the instructions are not UTF-8 text"))
	}
	return faults
}

func fault(reason, at, format string, args ...any) *catalog.Error {
	return &catalog.Error{Kind: "invalid_skill", Reason: reason, At: at, Message: fmt.Sprintf(format, args...)}
}

// checkValue says why a value of a key cannot be written.
func checkValue(value any, key string, depth int) error {
	if depth > maxLevels {
		return fault("invalid_field", key, "%q is nested more than %d levels deep", key, maxLevels)
	}
	switch v := value.(type) {
	case nil, bool:
		return nil
	case string:
		if !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			return fault("not_text", key, "%q is not UTF-8 text", key)
		}
		return nil
	case []any:
		for _, item := range v {
			if err := checkValue(item, key, depth+1); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		return checkMap(v, key, depth)
	}
	return fault("invalid_field", key, "%q holds a value of the type %T; write it as text", key, value)
}

func checkMap(m map[string]any, at string, depth int) error {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		where := strings.TrimPrefix(at+"."+key, ".")
		if key == "" || len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) {
			return fault("invalid_field", at, "the key %q cannot be written", key)
		}
		if err := checkValue(m[key], where, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// writer writes a front matter.
type writer struct{ strings.Builder }

func (w *writer) text(parts ...string) {
	for _, part := range parts {
		w.WriteString(part)
	}
}

func (w *writer) field(key string, value any) {
	w.text(scalar(key), ":")
	w.value(value, "")
}

// value writes what stands behind a colon or a hyphen, and the newline.
func (w *writer) value(value any, indent string) {
	switch v := value.(type) {
	case nil:
		w.text(" null\n")
	case bool:
		w.text(" ", strconv.FormatBool(v), "\n")
	case string:
		w.text(" ", scalar(v), "\n")
	case []any:
		w.list(v, indent)
	case map[string]any:
		w.mapping(v, indent)
	}
}

func (w *writer) list(list []any, indent string) {
	if len(list) == 0 {
		w.text(" []\n")
		return
	}
	w.text("\n")
	for _, item := range list {
		w.text(indent, "  -")
		w.value(item, indent+"  ")
	}
}

func (w *writer) mapping(m map[string]any, indent string) {
	if len(m) == 0 {
		w.text(" {}\n")
		return
	}
	w.text("\n")
	for _, key := range slices.Sorted(maps.Keys(m)) {
		w.text(indent, "  ", scalar(key), ":")
		w.value(m[key], indent+"  ")
	}
}

var (
	plainText = regexp.MustCompile(`^\p{L}[^\t\n\r]*$`)
	typedText = regexp.MustCompile(`(?i)^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$`)
)

// scalar writes a text on one line: plain where no reader can take it for anything else, else in quotes, of the kind that needs no
// escapes where there is one, since some readers know none. The escapes of Go are a part of those of YAML.
func scalar(text string) string {
	quoted := strconv.Quote(text)
	unescaped := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1:len(quoted)-1]) == text
	switch {
	case unescaped && isPlain(text):
		return text
	case unescaped && strings.ContainsAny(text, `"\`) && !strings.Contains(text, "'"):
		return "'" + text + "'"
	}
	return quoted
}

// isPlain tells whether a text without awkward characters needs no quotes.
func isPlain(text string) bool {
	return plainText.MatchString(text) && !typedText.MatchString(text) && strings.TrimRight(text, " :") == text &&
		!strings.Contains(text, ": ") && !strings.Contains(text, " #")
}
