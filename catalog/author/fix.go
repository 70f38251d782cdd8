package author

import (
	"strings"

	"skills/catalog"
)

// maxChanges is how many places of one file are mended; no person makes as many mistakes of these kinds.
const maxChanges = 200

// Fix mends in the text of a SKILL.md what has one right answer, and keeps every other byte, comments and line ends too. The rules
// say what is a fault; directory is the name of the directory that the file is in, "" when it is not known.
//
// It takes away byte order marks and blanks before the front matter; puts values in quotes that are no valid YAML but can be one
// text only, and numbers and dates where text is due; takes blanks away around the name; writes the letter case of standard keys
// right; drops the second of two equal keys; brings allowed-tools into the form of the specification; and gives a
// skill without a name that of its directory. It never changes what a value says and never makes allowed-tools say more: each change is
// read again, and kept only when every value is the same and there is less to complain about. What is mended is not changed again by
// a second call.
//
// The changes say what was done, each with the line at the time and severity info. The error is a *catalog.Error for a text of
// which not even a lenient reader makes values, and then, as when nothing can be mended, fixed is raw.
func Fix(raw []byte, rules catalog.Rules, directory string) (fixed []byte, changes []catalog.Finding, err error) {
	f := &fixer{rules: rules, directory: directory}
	if f.now, err = f.look(string(raw)); err != nil {
		return raw, nil, err
	}
	for f.round() && len(f.changes) < maxChanges {
	}
	if len(f.changes) == 0 {
		return raw, nil, nil
	}
	return []byte(f.now.text), f.changes, nil
}

// fixer mends one text.
type fixer struct {
	rules     catalog.Rules
	directory string
	now       *view
	changes   []catalog.Finding
}

// proposal is the text with one change more.
type proposal struct {
	text   string
	change catalog.Finding
	always bool // worth it though nothing is complained about
}

// round makes the changes of each kind that hold, and tells whether there were any.
func (f *fixer) round() bool {
	before := len(f.changes)
	for _, propose := range []func(*view) []proposal{
		f.keyCase, quoteRepaired, equalKeys, nameBlanks, quoteTyped, quoteMetadata, toolsForm, f.missingName, leading, byteOrderMark,
	} {
		for f.first(propose) && len(f.changes) < maxChanges {
		}
	}
	return len(f.changes) > before
}

// first makes the first change of a kind that holds.
func (f *fixer) first(propose func(*view) []proposal) bool {
	for _, p := range propose(f.now) {
		next, err := f.look(p.text)
		if err != nil || !sameValues(f.now, next) || !better(f.now, next, p.always) {
			continue
		}
		f.now = next
		p.change.Severity = catalog.SeverityInfo
		f.changes = append(f.changes, p.change)
		return true
	}
	return false
}

// better tells whether a text has less to complain about for the profile, and not more for the patient reader. Where a fault keeps the
// profile from reading on, the patient reader, whom none does, says what there is to mend.
func better(a, b *view, always bool) bool {
	if b.strict > a.strict && !a.masked || b.lenient > a.lenient {
		return false
	}
	return always || a.masked && b.lenient < a.lenient || b.strict < a.strict && !b.masked
}

// change is what is said of a change.
func change(code string, line int, message string) catalog.Finding {
	return catalog.Finding{Code: code, Line: line, Message: message}
}

// byteOrderMark takes the marks in front away.
func byteOrderMark(v *view) []proposal {
	rest := strings.TrimLeft(v.text, "\ufeff")
	if rest == v.text {
		return nil
	}
	return []proposal{{text: rest, change: change("byte_order_mark", 1, "the byte order mark is taken away"), always: true}}
}

// leading takes away what is blank before the front matter. A mark in front is another change.
func leading(v *view) []proposal {
	rest := strings.TrimLeft(v.text, "\ufeff")
	mark, inner := v.text[:len(v.text)-len(rest)], strings.TrimLeft(rest, " \t\r\n")
	if inner == rest {
		return nil
	}
	return []proposal{{text: mark + inner, change: change("leading_whitespace", 1, "the blanks before the frontmatter are taken away"), always: true}}
}

// quoteRepaired puts values in quotes that only the patient reader understood.
func quoteRepaired(v *view) []proposal {
	return v.rewritten("yaml_repaired", func(_ string, value any) (string, string) {
		text, _ := value.(string)
		return scalar(text), "is put in quotes"
	})
}

// quoteTyped puts numbers, dates and the like in quotes where text is due.
func quoteTyped(v *view) []proposal {
	return v.rewritten("type_coerced", func(key string, value any) (string, string) {
		text, ok := asText(value)
		if !ok || key == "user-invocable" || key == "disable-model-invocation" {
			return "", ""
		}
		return scalar(text), "is put in quotes, since it is a text"
	})
}

// nameBlanks takes blanks away around the name.
func nameBlanks(v *view) []proposal {
	return v.rewritten("name_whitespace", func(string, any) (string, string) {
		return scalar(v.skill.Name), "loses the blanks around it"
	})
}

// rewritten proposes another value for each key that the patient reader reports under a code.
func (v *view) rewritten(code string, value func(key string, value any) (text, done string)) []proposal {
	var all []proposal
	for _, f := range v.findings {
		key := v.keyAt(f.Line)
		if f.Code != code || key == "" {
			continue
		}
		text, done := value(key, v.skill.Frontmatter[key])
		if text == "" {
			continue
		}
		if next, ok := v.withValue(f.Line, text); ok {
			all = append(all, proposal{text: next, change: change(code, f.Line, key+" "+done)})
		}
	}
	return all
}

// equalKeys drops the last of several keys of one name; that nothing changes by it is seen when it is read again.
func equalKeys(v *view) []proposal {
	var all []proposal
	for _, f := range v.findings {
		key := v.keyAt(f.Line)
		if f.Code != "duplicate_key" || key == "" {
			continue
		}
		end := v.end(f.Line)
		if strings.Contains(strings.Join(v.lines[f.Line-1:end], ""), "#") {
			continue // it may be a comment
		}
		text := strings.Join(v.lines[:f.Line-1], "") + strings.Join(v.lines[end:], "")
		all = append(all, proposal{text: text, change: change("duplicate_key", f.Line, "the second "+key+", which says the same, is taken away")})
	}
	return all
}

// keyCase writes a standard key in small letters where it is the only one of that name.
func (f *fixer) keyCase(v *view) []proposal {
	var all []proposal
	for _, key := range v.keys() {
		lower := strings.ToLower(key)
		if lower == key || !isStandard(lower) || v.spellings(lower) > 1 {
			continue
		}
		at := v.lineOf(key)
		line := v.lines[at-1]
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if rest, ok := strings.CutPrefix(line[len(indent):], key); ok {
			all = append(all, proposal{text: v.with(at, at, indent+lower+rest), change: change("unknown_key", at, "the key "+key+" becomes "+lower)})
		}
	}
	return all
}

// toolsForm writes allowed-tools in the form that the specification has: entries with blanks between, or a list.
func toolsForm(v *view) []proposal {
	const key = "allowed-tools"
	at := v.lineOf(key)
	if at == 0 || len(v.skill.AllowedTools) == 0 || v.tools == nil {
		return nil
	}
	var w writer
	w.value(toolsValue(v.skill.AllowedTools), "")
	next, ok := v.withValue(at, strings.TrimSuffix(strings.TrimPrefix(w.String(), " "), "\n"))
	if !ok {
		return nil
	}
	return []proposal{{text: next, change: change("allowed_tools_form", at, "allowed-tools is written so that all readers see the same entries")}}
}

// missingName gives a skill that says no name that of its directory, which is what readers take and what the specification wants.
func (f *fixer) missingName(v *view) []proposal {
	if !v.nameless || v.spellings("name") > 0 || len(nameFaults(f.directory)) > 0 || catalog.CheckName(f.directory) != nil {
		return nil
	}
	line := "name: " + scalar(f.directory) + lineEnd(v.lines[v.fence-1])
	return []proposal{{text: v.with(v.fence, v.fence, v.lines[v.fence-1]+line), change: change("missing_field", v.fence+1, "the name is that of the directory")}}
}
