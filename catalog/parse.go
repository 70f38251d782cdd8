package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Bounds of one document. The first three in characters, warned about at the
// soft bound and refused at ten times that.
const (
	softDocument     = 200_000
	softDescription  = 1_024
	softCompatible   = 500
	maxFrontBytes    = 64 << 10
	maxFindings      = 100 // more help nobody
	maxDocumentBytes = 4 * 10 * softDocument
)

// Parse reads the text of a SKILL.md under the rules of a profile. It does no I/O.
//
// The error is an *Error that says why the document is no usable skill: the first fault in the order in which the profile
// looks. The findings come with and without one, and the error is not among them (its Finding method gives it as one); faults
// beyond the first are findings of severity error, but for ProfileInstall, which stops at the first. Under ProfileInstall the
// body is never judged: bytes that are not text are a warning there and an error in the front matter.
//
// A skill that ProfileZidane reads may have no name (finding name_defaulted): that of its directory is meant.
func Parse(raw []byte, rules Rules) (*Skill, []Finding, error) {
	p, err := newParser(rules)
	if err != nil {
		return nil, nil, err
	}
	if err := p.document(raw); err != nil {
		return nil, p.findings, err
	}
	return p.result()
}

// Validate judges a front matter that is a mapping already, as a YAML or JSON reader gives it: the standard fields, not the body
// and not the directory. Numbers and dates in it count as such, not as text. The skill has no Body, Document and Lines; the
// findings and the error are as those of Parse, without lines.
func Validate(front map[string]any, rules Rules) (*Skill, []Finding, error) {
	p, err := newParser(rules)
	if err != nil {
		return nil, nil, err
	}
	entries, err := entriesOf(front)
	if err != nil {
		return nil, nil, p.yamlFault(err)
	}
	p.mapping(entries)
	clear(p.skill.Lines)
	return p.result()
}

// skillParser collects what one document yields.
type skillParser struct {
	rules Rules
	traits
	findings []Finding
	err      *Error // the first one
	skill    *Skill
	offset   int // line of the file = line of the front matter + offset
	front    string
	partial  bool     // some keys could not be read
	keys     []string // in the order of the file
	entries  map[string]entry
}

func newParser(rules Rules) (*skillParser, error) {
	if rules.Profile.column() < 0 {
		e := &Error{Kind: "invalid_input", At: string(rules.Profile), Message: fmt.Sprintf("profile %q is not known", rules.Profile)}
		return nil, e.advise(otherProfile())
	}
	return &skillParser{rules: rules, traits: rules.Profile.traits(), entries: map[string]entry{}, skill: &Skill{
		UserInvocable: true, ModelInvocable: true,
		RequiredScope: []string{},
		Frontmatter:   map[string]any{},
		Lines:         map[string]int{},
	}}, nil
}

func (p *skillParser) result() (*Skill, []Finding, error) {
	if p.err != nil {
		return nil, p.findings, p.err
	}
	return p.skill, p.findings, nil
}

func (p *skillParser) severity(code string) Severity { return p.rules.Profile.Severity(code) }

// report says something about the skill: a code, narrowed by the field that it is about and by a case
// ("invalid_field:tools:blank"). What comes of it is the profile's matter.
func (p *skillParser) report(code string, line int, format string, args ...any) {
	_, at, _ := strings.Cut(code, ":")
	at, _, _ = strings.Cut(at, ":")
	p.reportKey(code, at, line, format, args...)
}

// reportKey is report for keys that may have any name.
func (p *skillParser) reportKey(code, at string, line int, format string, args ...any) {
	short, _, _ := strings.Cut(code, ":")
	switch severity := p.severity(code); severity {
	case "":
	case SeverityError:
		e := invalid(errorReason(code), at, line, format, args...)
		e.finding = short
		p.fault(e)
	default:
		p.add(Finding{Code: short, Severity: severity, Line: line, Message: fmt.Sprintf(format, args...)})
	}
}

func (p *skillParser) add(f Finding) {
	if len(p.findings) < maxFindings {
		p.findings = append(p.findings, f)
	}
}

// fault keeps the first error; those after it are findings.
func (p *skillParser) fault(e *Error) {
	if p.err == nil {
		p.err = e
		return
	}
	p.add(e.Finding())
}

// errorReason gives the reason of the error that a code becomes.
func errorReason(code string) string {
	short, _, _ := strings.Cut(code, ":")
	switch short {
	case "leading_whitespace", "lone_cr":
		return "frontmatter_missing"
	case "fence_blanks":
		return "fence_unclosed"
	case "duplicate_key":
		return "yaml"
	case "blank_description":
		return "missing_field"
	case "name_format":
		return "name_format"
	case "too_long":
		if code != "too_long:compatibility" {
			return "too_long"
		}
	}
	return "invalid_field"
}

func invalid(reason, at string, line int, format string, args ...any) *Error {
	return &Error{Kind: "invalid_skill", Reason: reason, At: at, Line: line, Message: fmt.Sprintf(format, args...)}
}

// advise gives the error a hint of its own.
func (e *Error) advise(hint string) *Error {
	e.Hint = hint
	return e
}

// document reads a whole file. What it returns leaves nothing to look at; the rest is in p.err.
func (p *skillParser) document(raw []byte) error {
	if err := outset(raw, p.bytes); err != nil {
		return err
	}
	text := normalize(string(raw))
	characters := len(text) // at the most; counting them all takes time
	if characters > softDocument {
		characters = utf8.RuneCountInString(text)
	}
	if characters > p.characters {
		return invalid("too_long", "", 0, "the file has more than %d characters", p.characters)
	}
	d, err := split(text)
	if bad := p.encoding(raw, d); bad != nil {
		return bad
	}
	if err == nil && !d.Has {
		err = d.missing(text)
	}
	if err != nil {
		return p.withoutFront(err)
	}
	if err := d.bounded(); err != nil {
		return err
	}
	p.fences(raw, d)
	p.surroundings(d, text, characters)
	p.front, p.offset = d.Front, d.Line-1
	return p.frontmatter()
}

// outset refuses what is not worth splitting.
func outset(raw []byte, most int) error {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return &Error{Kind: "invalid_skill", Reason: "not_text", Message: "the file is UTF-16", Hint: "save it as UTF-8"}
	case len(raw) > most:
		return invalid("too_long", "", 0, "the file has more than %d bytes", most)
	}
	return nil
}

// withoutFront puts the error as systems do that take a file without a front matter for one without fields.
func (p *skillParser) withoutFront(err error) error {
	var e *Error
	if errors.As(err, &e) && p.noFrontmatter != "" && (p.flat || e.Reason == "frontmatter_missing") {
		e.Reason, e.At, e.Hint = "missing_field", p.noFrontmatter, cmp.Or(e.Hint, writeHint(e))
		e.Message = fmt.Sprintf("there is no %s: %s", p.noFrontmatter, e.Message)
	}
	return err
}

// fences reports what some systems do not take for a fence or a line end.
func (p *skillParser) fences(raw []byte, d Document) {
	if d.leading {
		p.report("leading_whitespace", d.Line-1, "blanks stand before the frontmatter")
	}
	if d.blanks > 0 {
		p.report("fence_blanks", d.blanks, "line %d has blanks behind the ---", d.blanks)
	}
	if p.severity("lone_cr") == "" {
		return
	}
	if line := loneReturn(raw, d.Close); line > 0 {
		p.report("lone_cr", line, "line %d ends in a carriage return without a newline", line)
	}
}

// loneReturn gives the line among the first ones that ends in a carriage return alone, 0 for none.
func loneReturn(raw []byte, lines int) int {
	line := 1
	for i, c := range raw {
		switch {
		case line > lines:
			return 0
		case c == '\r' && (i+1 == len(raw) || raw[i+1] != '\n'):
			return line
		case c == '\n':
			line++
		}
	}
	return 0
}

// surroundings keeps the body and reports what a reader of the file would
// stumble over outside the front matter.
func (p *skillParser) surroundings(d Document, text string, characters int) {
	p.skill.Document = text
	p.skill.Body = strings.Trim(d.Body, "\n")
	if !p.keepsBlanks {
		p.skill.Body = p.skill.BodyTrimmed()
	}
	p.skill.Size = len(p.skill.Body)
	if characters > softDocument {
		p.report("too_long", 0, "the file has %d characters, more than %d", characters, softDocument)
	}
	if p.skill.BodyTrimmed() == "" {
		p.report("empty_body", d.Close, "there are no instructions below the frontmatter")
	}
	if before, _, found := strings.Cut(d.Body, "${CLAUDE_PLUGIN_ROOT}"); found {
		p.report("plugin_root", d.Close+1+strings.Count(before, "\n"), "${CLAUDE_PLUGIN_ROOT} is empty outside a plugin")
	}
}

// encoding looks for bytes that are not UTF-8 text. In the front matter, and
// where there is none, they are an error; in the body what the profile says.
func (p *skillParser) encoding(raw []byte, d Document) error {
	code, what, at := notText(raw)
	if at < 0 {
		return nil
	}
	e := notTextError(raw, what, at)
	if !d.Has || e.Line <= d.Close || p.severity(code) == SeverityError {
		return e
	}
	p.report(code, e.Line, "%s from byte %d", what, at)
	return nil
}

func notTextError(raw []byte, what string, at int) *Error {
	line := 1 + strings.Count(normalize(string(raw[:at])), "\n")
	e := invalid("not_text", "", line, "%s from byte %d", what, at)
	if bytes.Count(raw, []byte{0}) > len(raw)/3 {
		e.Hint = "it looks like UTF-16; save it as UTF-8"
	}
	return e
}

// notText finds the first byte that no text has; at is -1 for none.
func notText(raw []byte) (code, what string, at int) {
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return "nul_bytes", "NUL bytes", at
	}
	at = invalidAt(raw)
	if at >= 0 && !utf8.FullRune(raw[at:]) {
		return "not_utf8", "cut in the middle of a character", at
	}
	return "not_utf8", "not UTF-8", at
}

// invalidAt gives the offset of the first byte that is not UTF-8, -1 for none.
func invalidAt(raw []byte) int {
	if utf8.Valid(raw) {
		return -1
	}
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// frontmatter reads the keys and looks at them.
func (p *skillParser) frontmatter() error {
	if m := placeholder.FindStringSubmatch(p.front); m != nil && p.repairs {
		return invalid("template", "name", p.offset+1, "it is a template, no skill: a value is the placeholder %s", m[1])
	}
	got, err := p.read()
	if err != nil {
		return p.yamlFault(err)
	}
	if len(got.entries) == 0 && !p.emptyMapping {
		return invalid("not_a_mapping", "", p.offset, "the frontmatter is no mapping of keys to values")
	}
	p.tell(got)
	p.mapping(got.entries)
	return nil
}

// read reads the front matter as the profile does.
func (p *skillParser) read() (reading, error) {
	switch {
	case p.flat:
		return reading{entries: readFlat(p.front)}, nil
	case p.repairs:
		return read(p.front)
	}
	return readStrictly(p.front)
}

// mapping looks at the fields in the order in which the profile tells their faults.
func (p *skillParser) mapping(entries []entry) {
	steps := []func(){
		func() { p.keep(entries) },
		func() { p.skill.Name = p.required("name") }, p.formatEarly,
		func() { p.skill.Description = p.required("description") },
		p.optional, p.tools, p.hooks, p.migrate, p.judgeKeys, p.formatLate,
	}
	for _, step := range steps {
		if step(); p.err != nil && p.oneError {
			return
		}
	}
}

func (p *skillParser) yamlFault(err error) error {
	var y *yamlError
	if !errors.As(err, &y) {
		return err
	}
	e := invalid("yaml", "frontmatter", 0, "the frontmatter cannot be read: %s", y.message)
	if y.reason != "" {
		e.Reason, e.At = y.reason, ""
	}
	if y.line > 0 {
		e.Line = y.line + p.offset
	}
	e.Hint = cmp.Or(y.hint, "put the value in quotes")
	if e.Reason != "yaml" || y.hostile {
		e.Hint = "" // the usual one
	}
	return e
}

// tell reports what the reading had to do.
func (p *skillParser) tell(got reading) {
	for _, line := range got.repaired {
		p.report("yaml_repaired", line+p.offset, "the value is not valid YAML and was taken as plain text; put it in quotes")
	}
	p.tellLost(got.lost)
	p.tellCharacters()
}

func (p *skillParser) tellCharacters() {
	if strings.ContainsFunc(p.front, func(r rune) bool { return r == 0x85 || r == 0x2028 || r == 0x2029 }) {
		p.report("line_separator", 0, "the frontmatter holds a Unicode line separator")
	}
	if at := strings.IndexFunc(p.front, isControl); at >= 0 {
		p.report("control_character", p.offset+1+strings.Count(p.front[:at], "\n"), "the frontmatter holds a control character")
	}
}

func (p *skillParser) tellLost(lost []chunk) {
	p.partial = len(lost) > 0
	var keys []string
	for _, c := range lost {
		keys = append(keys, fmt.Sprintf("%s (line %d)", c.key, c.line+p.offset))
	}
	if p.partial {
		p.report("unreadable", lost[0].line+p.offset, "no valid YAML: only name and description were read, not %s", strings.Join(keys, ", "))
	}
}

// keep stores the entries: of a doubled key the last wins, but which name or
// description is meant would be a guess.
func (p *skillParser) keep(entries []entry) {
	for _, e := range entries {
		e.line += p.offset
		if before, twice := p.entries[e.key]; twice {
			p.twice(e, before.value)
		} else {
			p.keys = append(p.keys, e.key)
		}
		p.entries[e.key] = e
		p.skill.Lines[e.key] = e.line
		p.skill.Frontmatter[e.key] = e.value
	}
}

func (p *skillParser) twice(e entry, before any) {
	identity := e.key == "name" || e.key == "description"
	if identity && p.severity("duplicate_key:differs") == SeverityError && !reflect.DeepEqual(before, e.value) {
		p.fault(invalid("invalid_field", e.key, e.line, "%s is there twice with different values", e.key).advise("keep one of them"))
		return
	}
	p.reportKey("duplicate_key", e.key, e.line, "%s is there twice; the last one counts", e.key)
}
