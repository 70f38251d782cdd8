package manifest

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/lockfile/internal/document"
)

// editor collects changes of byte ranges of one text.
type editor struct {
	doc      *document.Document
	changes  []change
	cuts     []document.Span // whole lines without their last line end
	obstacle string          // why the text cannot be edited
}

// change puts text in the place of a range.
type change struct {
	document.Span
	text string
}

func (e *editor) replace(s document.Span, text string) {
	e.changes = append(e.changes, change{s, text})
}

// after adds lines below the line that ends at an offset.
func (e *editor) after(offset int, lines ...string) {
	end := e.doc.LineEnd(offset)
	e.replace(document.Span{Start: offset, End: offset}, end+strings.Join(lines, end))
}

// apply gives the changed text.
func (e *editor) apply() []byte {
	for _, s := range e.joined() {
		e.changes = append(e.changes, change{Span: e.withLineEnd(s)})
	}
	slices.SortStableFunc(e.changes, func(a, b change) int { return a.Start - b.Start })
	var text []byte
	at := 0
	for _, c := range e.changes {
		text = append(text, e.doc.Data[at:max(at, c.Start)]...)
		text = append(text, c.text...)
		at = max(at, c.End)
	}
	return append(text, e.doc.Data[at:]...)
}

// joined gives the lines to cut with neighbours made one, since a run of lines goes with one line end before it.
func (e *editor) joined() []document.Span {
	slices.SortFunc(e.cuts, func(a, b document.Span) int { return a.Start - b.Start })
	var runs []document.Span
	for _, s := range e.cuts {
		if n := len(runs); n > 0 && s.Start <= e.nextLine(runs[n-1].End) {
			runs[n-1].End = max(runs[n-1].End, s.End)
			continue
		}
		runs = append(runs, s)
	}
	return runs
}

// withLineEnd widens lines by the line end before them, so that a missing one at the end of the file stays missing; at the start
// of the file by the one behind.
func (e *editor) withLineEnd(s document.Span) document.Span {
	if s.Start == e.doc.Start() {
		return document.Span{Start: s.Start, End: e.nextLine(s.End)}
	}
	before := bytes.TrimSuffix(bytes.TrimSuffix(e.doc.Data[:s.Start], []byte("\n")), []byte("\r"))
	return document.Span{Start: len(before), End: s.End}
}

// nextLine is where the line behind the one that ends at an offset begins.
func (e *editor) nextLine(end int) int {
	rest := e.doc.Data[end:]
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("\r")), []byte("\n"))
	return len(e.doc.Data) - len(rest)
}

// of gives the statements that match.
func (e *editor) of(match func(document.Statement) bool) []document.Statement {
	var found []document.Statement
	for _, s := range e.doc.Statements {
		if match(s) {
			found = append(found, s)
		}
	}
	return found
}

// under gives the statements that set or open a path or something below it.
func (e *editor) under(path ...string) []document.Statement {
	return e.of(func(s document.Statement) bool { return s.Under(path...) })
}

// top sets a top-level key, or takes it away when present is false.
func (e *editor) top(key, value string, present bool) {
	keys := e.of(func(s document.Statement) bool { return !s.Header && len(s.Table) == 0 })
	i := slices.IndexFunc(keys, func(s document.Statement) bool { return s.Under(key) })
	switch {
	case i >= 0 && present:
		e.replace(keys[i].Value, value)
	case i >= 0:
		e.cuts = append(e.cuts, keys[i].Lines)
	case !present:
	case len(keys) > 0:
		e.after(keys[len(keys)-1].Lines.End, key+" = "+value)
	default:
		e.first(key + " = " + value)
	}
}

// first adds a line at the start of the file, and a blank line when something follows.
func (e *editor) first(line string) {
	start := e.doc.Start()
	end := e.doc.LineEnd(start)
	rest := e.doc.Data[start:]
	if len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' {
		end += end
	}
	e.replace(document.Span{Start: start, End: start}, line+end)
}

// cut takes away what says something at or below a path of [skills]: a key with its lines, a header with the blank lines before
// it and all that stands under it up to its last key.
func (e *editor) cut(path ...string) {
	path = append([]string{"skills"}, path...)
	for _, s := range e.under(path...) {
		switch {
		case s.Header:
			e.cuts = append(e.cuts, document.Span{Start: e.beforeBlanks(s.Lines.Start), End: s.Lines.End})
		case len(s.Table) >= len(path): // its header goes too and was the last to be cut
			e.cuts[len(e.cuts)-1].End = s.Lines.End
		default:
			e.cuts = append(e.cuts, s.Lines)
		}
	}
}

// beforeBlanks is where the blank lines before a line begin.
func (e *editor) beforeBlanks(start int) int {
	for start > e.doc.Start() {
		previous := bytes.LastIndexByte(e.doc.Data[:start-1], '\n') + 1
		if len(bytes.TrimSpace(e.doc.Data[previous:start])) > 0 {
			break
		}
		start = previous
	}
	return max(start, e.doc.Start())
}

// inlineSkills gives the range of the value when the file says skills = { … }.
func (e *editor) inlineSkills() (document.Span, bool) {
	for _, s := range e.under("skills") {
		if !s.Header && len(s.Path) == 1 {
			return s.Value, true
		}
	}
	return document.Span{}, false
}

// rewrite writes skills = { … } anew. That would lose comments and lines, so it is done for one line only.
func (e *editor) rewrite(s document.Span, skills []Skill) {
	if bytes.ContainsRune(e.doc.Data[s.Start:s.End], '\n') {
		e.obstacle = `"skills" is an inline table of several lines`
		return
	}
	var all []field
	for _, skill := range skills {
		all = append(all, field{skill.Name, skill.value(e.doc.LineEnd(s.End))})
	}
	e.replace(s, inlineTable(all))
}

// change makes an entry say something else where it stands.
func (e *editor) change(old, s Skill) {
	var direct []document.Statement // name.field = value
	for _, st := range e.under("skills", s.Name) {
		switch {
		case st.Header:
		case len(st.Path) == 2: // name = value
			e.replace(st.Value, s.value(e.doc.LineEnd(st.Value.End)))
			return
		case len(st.Path) == 3:
			direct = append(direct, st)
		}
	}
	end := e.doc.LineEnd(direct[0].Lines.End) // there is one: a source or a text
	want := s.fields(end)
	if before := old.fields(end); !slices.ContainsFunc(direct, sets("resources")) { // name.resources.file = value, or [name.resources]
		if valueOf(before, "resources") == valueOf(want, "resources") {
			want = without(want, "resources")
		} else {
			e.cut(s.Name, "resources")
		}
	}
	e.changeFields(direct, old.fields(end), want)
}

// changeFields leaves equal fields, gives others their new value, and lets new ones take the lines of those that go.
func (e *editor) changeFields(direct []document.Statement, old, want []field) {
	var gone []document.Statement
	for _, s := range direct {
		key := s.Path[2]
		value := valueOf(want, key)
		want = without(want, key)
		switch value {
		case "":
			gone = append(gone, s)
		case valueOf(old, key):
		default:
			e.replace(s.Value, value)
		}
	}
	for _, s := range gone {
		if len(want) == 0 {
			e.cuts = append(e.cuts, s.Lines)
			continue
		}
		e.replace(document.Span{Start: s.Key.Start, End: s.Value.End}, sibling(s, want[0]))
		want = want[1:]
	}
	last := direct[len(direct)-1]
	for _, f := range want {
		e.after(last.Lines.End, e.indent(last)+sibling(last, f))
	}
}

func sets(key string) func(document.Statement) bool {
	return func(s document.Statement) bool { return s.Path[2] == key }
}

// sibling writes a field as a statement with the same prefix of its name as another.
func sibling(s document.Statement, f field) string {
	var name strings.Builder
	for _, part := range s.Path[len(s.Table):2] {
		name.WriteString(document.Key(part) + ".")
	}
	return name.String() + document.Key(f.key) + " = " + f.value
}

// indent is what stands before a statement on its line.
func (e *editor) indent(s document.Statement) string {
	return string(e.doc.Data[s.Lines.Start:s.Key.Start])
}

// add writes new entries in the way that the file has its entries.
func (e *editor) add(skills []Skill) {
	if len(skills) == 0 {
		return
	}
	all := e.under("skills")
	var header, inside, dotted []document.Statement
	for _, s := range all {
		switch {
		case s.Header && len(s.Path) == 1:
			header = append(header, s)
		case !s.Header && len(s.Table) == 1:
			inside = append(inside, s)
		case !s.Header && len(s.Table) == 0:
			dotted = append(dotted, s)
		}
	}
	switch {
	case len(header) > 0:
		e.addLines(header[0], inside, skills)
	case len(dotted) > 0:
		e.addDotted(dotted[len(dotted)-1], skills)
	case len(all) > 0:
		e.addTables(all[len(all)-1], skills)
	default:
		e.addHeader(skills)
	}
}

// addLines adds to [skills], with the same indentation, and the "=" under the others when they are aligned. Where the entries are
// sorted by the bytes of their names they stay so, so that two branches that add different skills merge; else new ones come last.
func (e *editor) addLines(header document.Statement, inside []document.Statement, skills []Skill) {
	indent, last := "", header
	if len(inside) > 0 {
		last = inside[len(inside)-1]
		indent = e.indent(last)
	}
	byName := func(a, b document.Statement) int { return strings.Compare(a.Path[1], b.Path[1]) }
	sorted := slices.IsSortedFunc(inside, byName)
	if sorted {
		skills = slices.SortedFunc(slices.Values(skills), func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	}
	width := e.alignment(inside)
	for _, s := range skills {
		key := indent + document.Key(s.Name)
		if pad := width - utf8.RuneCountInString(key) - 1; pad > 0 {
			key += strings.Repeat(" ", pad)
		}
		before := last
		if sorted {
			before = header
			for _, other := range inside {
				if other.Path[1] < s.Name {
					before = other
				}
			}
		}
		e.after(before.Lines.End, key+" = "+s.value(e.doc.LineEnd(before.Lines.End)))
	}
}

// alignment is the column, in characters, in which all entries have their "="; 0 when they differ or when nothing shows that this
// is on purpose.
func (e *editor) alignment(inside []document.Statement) int {
	column, padded := 0, false
	for i, s := range inside {
		to := s.Key.End + bytes.IndexByte(e.doc.Data[s.Key.End:], '=')
		at := utf8.RuneCount(e.doc.Data[s.Lines.Start:to])
		if i > 0 && at != column {
			return 0
		}
		column = at
		padded = padded || to-s.Key.End > 1
	}
	if !padded {
		return 0
	}
	return column
}

// addDotted adds skills.name = value below another such line.
func (e *editor) addDotted(last document.Statement, skills []Skill) {
	for _, s := range skills {
		e.after(last.Lines.End, e.indent(last)+"skills."+document.Key(s.Name)+" = "+s.value(e.doc.LineEnd(last.Lines.End)))
	}
}

// addTables adds [skills.name] tables below the last.
func (e *editor) addTables(last document.Statement, skills []Skill) {
	for _, s := range skills {
		lines := []string{"", "[skills." + document.Key(s.Name) + "]"}
		for _, f := range s.fields(e.doc.LineEnd(last.Lines.End)) {
			lines = append(lines, f.key+" = "+f.value)
		}
		e.after(last.Lines.End, lines...)
	}
}

// addHeader adds [skills] behind everything, with a blank line before it.
func (e *editor) addHeader(skills []Skill) {
	end := e.doc.LineEnd(e.doc.Start())
	lines := []string{"[skills]"}
	for _, s := range skills {
		lines = append(lines, document.Key(s.Name)+" = "+s.value(end))
	}
	last := len(bytes.TrimRight(e.doc.Data, "\r\n"))
	if last <= e.doc.Start() {
		e.replace(document.Span{Start: e.doc.Start(), End: e.doc.Start()}, strings.Join(lines, end)+end)
		return
	}
	e.after(last, append([]string{""}, lines...)...)
}
