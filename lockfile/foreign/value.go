package foreign

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"skills/source/names"
)

const (
	maxDepth  = 32      // levels of lists and tables
	maxValues = 500_000 // after aliases; the lock of ten thousand skills has a quarter of them
	maxText   = 4096    // bytes of a value that is used: the longest path
)

// kind says what a value is, in the words that messages use.
type kind string

const (
	null    kind = "null"
	boolean kind = "a boolean"
	number  kind = "a number"
	text    kind = "a string"
	array   kind = "a list"
	table   kind = "a table"
	other   kind = "a value with a tag"
)

// value is a value of JSON or YAML.
type value struct {
	key   string // its name in the table that holds it
	line  int    // where its name begins, for the elements of a list the value; counted from 1
	kind  kind
	text  string   // of a scalar, as read
	items []*value // members or elements
}

// get gives the member of a name, nil when there is none or it is null.
func (v *value) get(key string) *value {
	for _, item := range v.items {
		if v.kind == table && item.key == key && item.kind != null {
			return item
		}
	}
	return nil
}

// builder counts what a parser reads.
type builder struct {
	values int
	fault  func(line int, format string, args ...any) error
}

// admit keeps depth and number within bounds.
func (b *builder) admit(line, depth int) error {
	b.values++
	switch {
	case depth > maxDepth:
		return b.fault(line, "lists and tables are more than %d levels deep", maxDepth)
	case b.values > maxValues:
		return b.fault(line, "it holds more than %d values", maxValues)
	}
	return nil
}

// members refuses a table in which a key stands twice: one of the two values would be lost.
func (b *builder) members(v *value) error {
	seen := make(map[string]int, len(v.items))
	for _, item := range v.items {
		if line, doubled := seen[item.key]; doubled {
			return b.fault(item.line, "key %q stands on line %d as well", clip(item.key), line)
		}
		seen[item.key] = item.line
	}
	return nil
}

// clip shortens a text for a message.
func clip(text string) string {
	if len(text) <= 80 {
		return text
	}
	return strings.ToValidUTF8(text[:80], "") + "…"
}

// fields reads the members of a table and keeps the first fault that it meets. No value gets into a fault: it may hold a token.
type fields struct {
	table *value
	err   error
}

// open begins to read a table.
func open(v *value) *fields {
	f := &fields{table: v}
	if v.kind != table {
		f.fail("the entry is %s, not a table", v.kind)
	}
	return f
}

// fail keeps the first fault.
func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// text gives a string; "" when there is none.
func (f *fields) text(key string) string {
	v := f.table.get(key)
	if v == nil {
		return ""
	}
	if err := checkText(v); err != nil {
		f.fail("%q on line %d %w", key, v.line, err)
		return ""
	}
	return v.text
}

// credentials finds a password, or a token in the place of a user, in an address anywhere in a text. What only source.Parse can tell is
// left to it.
var credentials = regexp.MustCompile(`://[^/@\s]*:[^/@\s]*@|(?i:https?)://[^/@\s]+@`)

// checkText holds for every string that is used.
func checkText(v *value) error {
	switch {
	case v.kind != text:
		return fmt.Errorf("is %s, not a string", v.kind)
	case len(v.text) > maxText:
		return fmt.Errorf("is longer than %d bytes", maxText)
	case strings.ContainsFunc(v.text, names.Unseen):
		return errors.New("holds a control or bidirectional character")
	case credentials.MatchString(v.text):
		return errors.New("holds credentials")
	}
	return nil
}

// claim gives a string that nothing depends on; "" when there is none that can be shown.
func (f *fields) claim(key string) string {
	if v := f.table.get(key); v != nil && checkText(v) == nil {
		return v.text
	}
	return ""
}

// texts gives a list of strings; nil when there is none.
func (f *fields) texts(key string) []string {
	v := f.table.get(key)
	if v == nil {
		return nil
	}
	if v.kind != array {
		f.fail("%q on line %d is %s, not a list", key, v.line, v.kind)
	}
	list := make([]string, 0, len(v.items))
	for _, item := range v.items {
		if err := checkText(item); err != nil {
			f.fail("an element of %q on line %d %w", key, item.line, err)
		}
		list = append(list, item.text)
	}
	return list
}

// is gives a boolean; false when there is none.
func (f *fields) is(key string) bool {
	v := f.table.get(key)
	if v != nil && v.kind != boolean {
		f.fail("%q on line %d is %s, not a boolean", key, v.line, v.kind)
	}
	return v != nil && strings.EqualFold(v.text, "true")
}
