package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
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
// The error is an *Error that says why the document is no usable skill; the
// findings come with and without one. The body is never judged: bytes that are
// not text are a warning there and an error in the front matter.
func Parse(raw []byte, rules Rules) (*Skill, []Finding, error) {
	p := newParser(rules.Profile)
	if err := p.document(raw); err != nil {
		return nil, p.findings, err
	}
	return p.skill, p.findings, nil
}

// skillParser collects what one document yields.
type skillParser struct {
	profile  Profile
	findings []Finding
	skill    *Skill
	offset   int // line of the file = line of the front matter + offset
	front    string
	partial  bool // some keys could not be read
	entries  map[string]entry
}

func newParser(profile Profile) *skillParser {
	return &skillParser{profile: profile, skill: &Skill{
		UserInvocable: true, ModelInvocable: true,
		Frontmatter: map[string]any{},
		Lines:       map[string]int{},
	}}
}

// report adds a finding at the severity that the profile gives its code.
func (p *skillParser) report(code string, line int, format string, args ...any) {
	if len(p.findings) == maxFindings {
		return
	}
	short, _, _ := strings.Cut(code, ":")
	p.findings = append(p.findings, Finding{
		Code: short, Severity: severity(p.profile, code), Line: line, Message: fmt.Sprintf(format, args...),
	})
}

// severity is the table of the profiles. A code may carry the field it is about,
// for the few rules that are milder for one field.
func severity(_ Profile, code string) Severity {
	switch code {
	case "type_coerced:version", "invalid_field:metadata", "invalid_field:tools":
		return SeverityInfo
	}
	return SeverityWarning
}

func invalid(reason, at string, line int, format string, args ...any) *Error {
	return &Error{Kind: "invalid_skill", Reason: reason, At: at, Line: line, Message: fmt.Sprintf(format, args...)}
}

// advise gives the error a hint of its own.
func (e *Error) advise(hint string) *Error {
	e.Hint = hint
	return e
}

func (p *skillParser) document(raw []byte) error {
	if err := p.outset(raw); err != nil {
		return err
	}
	text := normalize(string(raw))
	d, err := split(text)
	if bad := p.encoding(raw, d, err != nil); bad != nil {
		return bad
	}
	if err != nil {
		return err
	}
	if len(d.front) > maxFrontBytes {
		return invalid("too_long", "frontmatter", d.line, "the frontmatter has more than %d bytes", maxFrontBytes)
	}
	p.surroundings(d, text)
	p.front, p.offset = d.front, d.line-1
	return p.frontmatter()
}

// outset refuses what is not worth splitting.
func (p *skillParser) outset(raw []byte) error {
	switch {
	case p.profile != "" && p.profile != ProfileInstall:
		return &Error{Kind: "invalid_input", At: string(p.profile), Message: fmt.Sprintf("profile %q is not known", p.profile)}
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return &Error{Kind: "invalid_skill", Reason: "not_text", Message: "the file is UTF-16", Hint: "save it as UTF-8"}
	case len(raw) > maxDocumentBytes, utf8.RuneCount(raw) > 10*softDocument:
		return invalid("too_long", "", 0, "the file has more than %d characters", 10*softDocument)
	}
	return nil
}

// surroundings keeps the body and reports what a reader of the file would
// stumble over outside the front matter.
func (p *skillParser) surroundings(d document, text string) {
	p.skill.Body = strings.Trim(d.body, "\n")
	p.skill.Size = len(p.skill.Body)
	if n := utf8.RuneCountInString(text); n > softDocument {
		p.report("too_long", 0, "the file has %d characters, more than %d", n, softDocument)
	}
	if d.leading {
		p.report("leading_whitespace", d.line-1, "blanks stand before the frontmatter")
	}
	if p.skill.BodyTrimmed() == "" {
		p.report("empty_body", d.close, "there are no instructions below the frontmatter")
	}
	if before, _, found := strings.Cut(d.body, "${CLAUDE_PLUGIN_ROOT}"); found {
		p.report("plugin_root", d.close+1+strings.Count(before, "\n"), "${CLAUDE_PLUGIN_ROOT} is empty outside a plugin")
	}
}

// encoding looks for bytes that are not UTF-8 text. In the front matter, and
// where there is none, they are an error; in the body a warning.
func (p *skillParser) encoding(raw []byte, d document, unsplit bool) error {
	code, what, at := notText(raw)
	if at < 0 {
		return nil
	}
	line := 1 + strings.Count(normalize(string(raw[:at])), "\n")
	if !unsplit && line > d.close {
		p.report(code, line, "%s from byte %d", what, at)
		return nil
	}
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
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

var placeholder = regexp.MustCompile(`(?m)^(?:name|description):[ \t]*["']?(\{\{.*|\{%.*|<%.*|\$\{.*)$`)

// frontmatter reads the keys and checks them in the order name, description,
// the rest, format of the name; the first fault is the error.
func (p *skillParser) frontmatter() error {
	if m := placeholder.FindStringSubmatch(p.front); m != nil {
		return invalid("template", "name", p.offset+1, "it is a template, no skill: a value is the placeholder %s", m[1])
	}
	got, err := read(p.front)
	if err != nil {
		return p.yamlFault(err)
	}
	p.tell(got)
	if err := p.keep(got.entries); err != nil {
		return err
	}
	if p.skill.Name, err = p.required("name"); err != nil {
		return err
	}
	if p.skill.Description, err = p.required("description"); err != nil {
		return err
	}
	p.optional()
	p.tools()
	p.hooks()
	return p.name()
}

// name checks the name at last, since what is missing is told first.
func (p *skillParser) name() error {
	dir, findings, err := DirectoryName(p.skill.Name)
	p.skill.directory = dir
	for _, f := range findings {
		f.Line = p.line("name")
		p.findings = append(p.findings, f)
	}
	var e *Error
	if errors.As(err, &e) {
		e.Line = p.line("name")
	}
	return err
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
	e.Hint = "put the value in quotes"
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
func (p *skillParser) keep(entries []entry) error {
	p.entries = map[string]entry{}
	for _, e := range entries {
		e.line += p.offset
		if err := p.twice(e); err != nil {
			return err
		}
		p.judgeKey(e)
		p.entries[e.key] = e
		p.skill.Lines[e.key] = e.line
		p.skill.Frontmatter[e.key] = e.value
	}
	return nil
}

func (p *skillParser) twice(e entry) error {
	before, twice := p.entries[e.key]
	switch {
	case !twice:
		return nil
	case (e.key == "name" || e.key == "description") && before.value != e.value:
		return invalid("invalid_field", e.key, e.line, "%s is there twice with different values", e.key).advise("keep one of them")
	}
	p.report("duplicate_key", e.line, "%s is there twice; the last one counts", e.key)
	return nil
}

func (p *skillParser) judgeKey(e entry) {
	if known := misspelled(e.key); known != "" {
		p.report("unknown_key", e.line, "the key %q is not known; did you mean %q?", e.key, known)
	}
	if e.key == "<<" {
		p.report("unknown_key", e.line, "the key << merges nothing here")
	}
}

// misspelled gives the standard key that a key differs from only by letter case
// or signs around it. Any other unknown key is the author's own business.
func misspelled(key string) string {
	plain := strings.Trim(strings.ToLower(key), "+-*#_ \t")
	if plain != key && slices.Contains([]string{"name", "description", "license", "compatibility", "allowed-tools", "metadata"}, plain) {
		return plain
	}
	return ""
}

func (p *skillParser) line(key string) int { return p.entries[key].line }

// required reads name or description.
func (p *skillParser) required(key string) (string, error) {
	text, ok := p.text(key)
	trimmed := strings.TrimSpace(text)
	switch {
	case !ok:
		return "", invalid("invalid_field", key, p.line(key), "%s must be a text", key)
	case trimmed == "":
		return "", p.absent(key)
	case key == "description" && strings.ContainsRune(text, 0):
		return "", invalid("invalid_field", key, p.line(key), "description holds a NUL control character")
	case key == "name" && trimmed != text:
		p.report("name_whitespace", p.line(key), "name has blanks around it")
	case key == "description" && utf8.RuneCountInString(text) > softDescription:
		p.report("too_long", p.line(key), "description has %d characters, more than %d", utf8.RuneCountInString(text), softDescription)
	}
	return trimmed, nil
}

// absent says that a field is missing, and which key was probably meant.
func (p *skillParser) absent(key string) error {
	e := invalid("missing_field", key, p.line(key), "the frontmatter has no %s", key)
	for _, other := range slices.Sorted(maps.Keys(p.entries)) {
		if misspelled(other) == key {
			e.Line = p.line(other)
			e.Message += fmt.Sprintf("; unknown key %q: did you mean %q?", other, key)
		}
	}
	return e
}

// text reads a field that wants text. A scalar of another type is taken as it is
// written, with a finding; ok is false for lists and mappings. Absent is "".
func (p *skillParser) text(key string) (text string, ok bool) {
	e := p.entries[key]
	switch v := e.value.(type) {
	case nil:
		return "", true
	case string:
		if !isText(e.node) {
			p.report("type_coerced:"+key, e.line, "%s is not a text but %s; it is taken as written", key, e.node.ShortTag()[2:])
		}
		return v, true
	case bool:
		p.report("type_coerced", e.line, "%s is not a text but bool; it is taken as written", key)
		return fmt.Sprint(v), true
	}
	return "", false
}

// optional reads the fields that a skill can be used without. What does not fit
// stays in Frontmatter, is not shown, and is reported.
func (p *skillParser) optional() {
	p.skill.License, p.skill.Compatibility = p.shown("license"), p.shown("compatibility")
	p.shown("version")
	if n := utf8.RuneCountInString(p.skill.Compatibility); n > softCompatible {
		p.report("too_long", p.line("compatibility"), "compatibility has %d characters, more than %d", n, softCompatible)
	}
	p.metadata()
	p.argumentHint()
	p.invocable()
}

func (p *skillParser) metadata() {
	switch v := p.entries["metadata"].value.(type) {
	case nil:
	case map[string]any:
		p.skill.Metadata = v
	default:
		p.report("invalid_field:metadata", p.line("metadata"), "metadata is not a mapping")
	}
}

func (p *skillParser) shown(key string) string {
	text, ok := p.text(key)
	if !ok {
		p.report("invalid_field", p.line(key), "%s is not a text; it is not shown", key)
	}
	return strings.TrimSpace(text)
}

// argumentHint takes `[file]` as the text it is: square brackets are how hints
// are written, and YAML makes a list of them.
func (p *skillParser) argumentHint() {
	const key = "argument-hint"
	e, ok := p.entries[key]
	if _, flow := e.value.([]any); !ok || !flow {
		return
	}
	lines := strings.Split(p.front, "\n")
	_, text, _ := strings.Cut(lines[e.line-p.offset-1], ":")
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		p.skill.Frontmatter[key] = text
		p.report("type_coerced", e.line, "%s is not a text but a list; it is taken as written", key)
	}
}

func (p *skillParser) invocable() {
	const key = "user-invocable"
	e := p.entries[key]
	text := e.value
	if s, ok := text.(string); ok && (s == "true" || s == "false") {
		p.report("type_coerced", e.line, "%s is a text; it is taken for %s", key, s)
		text = s == "true"
	}
	switch v := text.(type) {
	case nil:
	case bool:
		p.skill.UserInvocable = v
	default:
		p.report("invalid_field", e.line, "%s is neither true nor false; true is assumed", key)
	}
}
