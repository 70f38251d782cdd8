package author

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/catalog"
	"skills/source/names"
)

// maxName is how many characters a name has at most, as the specification says.
const maxName = 64

// Define checks a definition at author time and gives a copy in the form in which it reads back, with Source "inline" when it has
// none. Nothing lenient happens here: what the specification refuses, other keys than its own among it, and what a file could not
// hold, is an error.
//
// The error joins all faults, and its Unwrap() []error gives them: each is a *catalog.Error with the field in At, and those of a name
// say one by one what is wrong with it. In metadata the specification has texts alone; lists, mappings, truth values and null are let
// through, since every reader gives them back, and Parse warns of them under ProfileSpec.
//
// That the name is that of its directory is for who knows the directory.
func Define(d Definition) (Definition, error) {
	d = d.clone()
	d.Source = cmp.Or(d.Source, "inline")
	faults := append(nameFaults(d.Name), toolFaults(d.AllowedTools)...)
	faults = append(faults, resourceFaults(d.Resources)...)
	if unwritable := d.writable(); len(unwritable) > 0 {
		faults = append(faults, unwritable...)
	} else {
		faults = append(faults, specFaults(d.text(), len(nameFaults(d.Name)) > 0)...)
	}
	if len(faults) > 0 {
		return Definition{}, errors.Join(faults...)
	}
	return d, nil
}

// Skill gives the definition as a skill that was read, for hosts that keep theirs in code, as in registry.Sources.Catalog: what
// catalog.Parse makes of its text, without Resources. The error is that of [Define].
func (d Definition) Skill() (*catalog.Skill, error) {
	d, err := Define(d)
	if err != nil {
		return nil, err
	}
	skill, _, err := catalog.Parse(d.text(), catalog.Rules{})
	return skill, err
}

// nameLine is where Format writes the name.
const nameLine = 2

// specFaults reads the text as the specification does. What it says about the name has been said better when something was.
func specFaults(text []byte, named bool) []error {
	_, findings, err := catalog.Parse(text, catalog.Rules{Profile: catalog.ProfileSpec})
	var faults []error
	var first *catalog.Error
	if errors.As(err, &first) && !(named && first.Line == nameLine) {
		first.Line = 0 // of a file that nobody has seen
		faults = append(faults, first)
	}
	for _, f := range findings {
		if f.Severity == catalog.SeverityError && !(named && f.Line == nameLine) {
			faults = append(faults, fault(f.Code, keyOn(text, f.Line), "%s", f.Message))
		}
	}
	return faults
}

// keyOn gives the key on a line of what Format wrote.
func keyOn(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	key, _, _ := strings.Cut(lines[line-1], ":")
	return key
}

var otherSigns = regexp.MustCompile(`[^\p{Lu}a-z0-9-]+`)

// nameFaults lists what is wrong with a name: 1 to 64 of the lower case letters a to z, digits and hyphens, no hyphen at an end
// and none doubled, and no name that Windows keeps for a device.
func nameFaults(name string) []error {
	if name == "" {
		return []error{fault("missing_field", "name", "the name is empty")}
	}
	var faults []error
	add := func(wrong bool, reason, format string, args ...any) {
		if wrong {
			faults = append(faults, fault(reason, "name", format, args...))
		}
	}
	n := utf8.RuneCountInString(name)
	add(n > maxName, "too_long", "the name has %d characters, more than %d", n, maxName)
	add(strings.ToLower(name) != name, "name_format", "the name %q has capital letters", name)
	if others := otherSigns.FindAllString(name, -1); others != nil {
		add(true, "name_format", "the name %q holds %q; it is made of the letters a to z, digits and hyphens", name, strings.Join(others, ""))
	}
	add(strings.HasPrefix(name, "-"), "name_format", "the name %q begins with a hyphen", name)
	add(strings.HasSuffix(name, "-") && name != "-", "name_format", "the name %q ends with a hyphen", name)
	add(strings.Contains(name, "--"), "name_format", "the name %q has two hyphens in a row", name)
	if err := catalog.CheckName(name); err != nil && faults == nil {
		faults = append(faults, err)
	}
	return faults
}

// toolFaults lists entries that would not be read as they are meant.
func toolFaults(tools []string) []error {
	var faults []error
	for _, tool := range tools {
		switch {
		case strings.TrimSpace(tool) == "": // the specification says it
		case strings.TrimSpace(tool) != tool:
			faults = append(faults, fault("invalid_field", "allowed-tools", "the entry %q of allowed-tools has blanks around it", tool))
		case !balanced(tool):
			faults = append(faults, fault("invalid_field", "allowed-tools", "the parentheses of %q do not pair up", tool))
		}
	}
	return faults
}

func balanced(tool string) bool {
	depth := 0
	for _, r := range tool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// resourceFaults lists paths that cannot lie beside a SKILL.md, on any system.
func resourceFaults(resources map[string][]byte) []error {
	var faults []error
	taken := map[string]string{names.Fold("SKILL.md"): "SKILL.md"}
	for _, path := range slices.Sorted(maps.Keys(resources)) {
		if err := names.CheckFile(path); err != nil {
			faults = append(faults, &catalog.Error{Kind: "invalid_input", At: "resources", Rel: path, Message: "the resource " + quoted(path) + " " + err.Error()})
		}
		if other, twice := taken[names.Fold(path)]; twice {
			faults = append(faults, &catalog.Error{Kind: "already_exists", At: "resources", Rel: path, Message: quoted(other) + " and " + quoted(path) + " are one file on some systems"})
		}
		taken[names.Fold(path)] = path
	}
	return append(faults, nested(taken)...)
}

// nested lists files that lie below what is a file.
func nested(taken map[string]string) []error {
	var faults []error
	for _, fold := range slices.Sorted(maps.Keys(taken)) {
		for i := range len(fold) {
			if file, ok := taken[fold[:i]]; ok && fold[i] == '/' {
				faults = append(faults, &catalog.Error{Kind: "already_exists", At: "resources", Rel: taken[fold], Message: quoted(taken[fold]) + " lies below " + quoted(file) + ", which is a file"})
			}
		}
	}
	return faults
}
