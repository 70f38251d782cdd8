package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Severity says what a finding means for the skill it was found in.
type Severity string

// The three severities: an error makes the skill unusable, a warning belongs
// before the eyes of the person who installs, an info is a note for those who
// ask.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Finding is one thing worth saying about a skill or a listing. Code is one of those that the package comment lists, File is a path
// in the file system that was read ("" when unknown), Line counts from 1 (0
// when unknown), Message is one sentence without the file and the line.
type Finding struct {
	Code     string
	Severity Severity
	File     string
	Line     int
	Message  string
}

// MarshalJSON writes code, severity, file, line and message; file and line are
// null when they are unknown.
func (f Finding) MarshalJSON() ([]byte, error) {
	var out struct {
		Code     string   `json:"code"`
		Severity Severity `json:"severity"`
		File     *string  `json:"file"`
		Line     *int     `json:"line"`
		Message  string   `json:"message"`
	}
	out.Code, out.Severity, out.Message = f.Code, f.Severity, f.Message
	if f.File != "" {
		out.File = &f.File
	}
	if f.Line > 0 {
		out.Line = &f.Line
	}
	return json.Marshal(out)
}

// Error says why a document, a path or a name cannot be used.
//
// Kind is one of "invalid_skill" (with a Reason: frontmatter_missing,
// fence_unclosed, yaml, not_a_mapping, missing_field, invalid_field,
// name_format, too_long, not_text, template), "unsafe_name", "path_escape",
// "too_large", "not_found" and "no_skills"; of files on disk and beside a manifest
// also "not_a_file", "io_error", "too_long", "ambiguous", "duplicate_skill" and
// "already_exists"; "invalid_input" of what a caller hands in and what makes no
// sense: a profile that is not known, a path that is none, resources that no skill
// can have, a skill that is nil. At is the front matter field, the argument or the
// path it is about, Line the line in the file from 1; both are zero when unknown.
// Hint says what helps, "" that it is what helps against any error of the kind.
//
// There is no JSON form: a host makes an envelope of its own of Code, Message and
// Fields, as the example does.
type Error struct {
	Kind    string
	Reason  string
	At      string
	Line    int
	Message string
	Hint    string

	Path, Name, Rel string   // the file or directory, the skill, the path below it
	Paths           []string // of "duplicate_skill": the directories, the winner first

	finding string // code of the finding that the profile makes an error
}

// Error gives the message, after the line where one is known.
func (e *Error) Error() string {
	if e.Line > 0 && !strings.HasPrefix(e.Message, "line ") {
		return fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return e.Message
}

// Code gives the kind.
func (e *Error) Code() string { return e.Kind }

// Hints gives what the person can do next: Hint, or what helps against the kind.
func (e *Error) Hints() []string { return []string{cmp.Or(e.Hint, usualHint(e))} }

// Fields gives what the error is about by name: path, name, rel, paths and at, those that are set. With Code and Message they
// are what an envelope of the caller's own needs.
func (e *Error) Fields() map[string]any {
	fields := map[string]any{}
	for name, text := range map[string]string{"path": e.Path, "name": e.Name, "rel": e.Rel, "at": e.At} {
		if text != "" {
			fields[name] = text
		}
	}
	if len(e.Paths) > 0 {
		fields["paths"] = slices.Clone(e.Paths)
	}
	return fields
}

// Finding gives the error as a finding of severity error, for lists that hold both. Its code is the rule that was broken: a code
// of a finding, else the Reason, else the Kind.
func (e *Error) Finding() Finding {
	return Finding{Code: cmp.Or(e.finding, e.Reason, e.Kind), Severity: SeverityError, File: e.Path, Line: e.Line, Message: e.Message}
}

// ExitStatus gives 4 for what is refused for safety, else 1.
func (e *Error) ExitStatus() int {
	if e.Kind == "path_escape" || e.Kind == "unsafe_name" {
		return 4
	}
	return 1
}

// Skill is what a SKILL.md says.
//
// Name and Description are trimmed; Frontmatter holds every key as written:
// text as string (numbers and dates keep their source text), true and false as
// bool, null as nil, lists as []any, mappings as map[string]any. Metadata is the
// metadata key when it is a mapping, else nil. Lines gives the line of each
// top-level key in the file. Under ProfileZidane all values are text, and the
// deprecated keys stand in Metadata and not in Frontmatter.
type Skill struct {
	Name, Description, License, Compatibility string

	Location      string   // the path that was handed to who read the file, as it was; "" after Parse
	RequiredScope []string // required_scope of SkillKit, never nil

	AllowedTools   []string // split entries; nil when there is no allowed-tools, empty and not nil when it allows nothing or cannot be read
	UserInvocable  bool     // true unless user-invocable says false
	ModelInvocable bool     // true unless disable-model-invocation says true

	Hooks       []Hook
	Metadata    map[string]any
	Frontmatter map[string]any
	Lines       map[string]int
	Document    string // the whole text, line ends as \n, without byte order mark
	Body        string // below the closing fence, line ends as \n, without newlines at both ends, in most profiles without blanks
	Size        int    // bytes of Body

	directory string            // what DirectoryName gives for Name
	sum       [sha256.Size]byte // of Body, once that is gone
}

// brief gives a skill that holds on to no document: thousands of them are listed
// at once.
func (s *Skill) brief() *Skill {
	b := *s
	b.sum = sha256.Sum256([]byte(s.Body))
	b.Document, b.Body, b.Metadata, b.Frontmatter, b.Lines = "", "", nil, nil, nil
	for _, text := range []*string{&b.Name, &b.Description, &b.License, &b.Compatibility, &b.directory} {
		*text = strings.Clone(*text)
	}
	b.AllowedTools, b.RequiredScope = cloned(s.AllowedTools), cloned(s.RequiredScope)
	b.Hooks = slices.Clone(s.Hooks)
	for i, h := range b.Hooks {
		b.Hooks[i] = Hook{strings.Clone(h.Event), strings.Clone(h.Matcher), strings.Clone(h.Command), h.Line}
	}
	return &b
}

// cloned copies a list with its texts; nil stays nil.
func cloned(texts []string) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = strings.Clone(text)
	}
	return texts
}

// Namespace gives the part of the name before the colon, as SkillKit has it: a name without one that SkillKit takes is its own
// namespace. "" for any other name.
func (s *Skill) Namespace() string {
	namespace, base, found := strings.Cut(s.Name, ":")
	if !nameSegment.MatchString(namespace) || found && !nameSegment.MatchString(base) {
		return ""
	}
	return namespace
}

// BodyTrimmed gives the body without blanks at both ends. Body keeps them, since
// they carry meaning where it opens with an indented code block.
func (s *Skill) BodyTrimmed() string { return strings.TrimSpace(s.Body) }

// Hook is a command that an agent would run by itself on an event; Matcher ""
// means on any occurrence. Nothing here ever runs one: they are shown before an
// install.
type Hook struct {
	Event, Matcher, Command string
	Line                    int
}

// Candidate is a directory that holds a manifest. Walk fills Path, Manifest,
// Hidden; Read fills the rest.
type Candidate struct {
	Path     string // directory in the file system, "" for the root
	Manifest string // the manifest file as spelled

	Name        string // as the skill says; the base of Path when it is unusable
	Directory   string // the safe directory name to install under
	Description string
	Skill       *Skill // what its front matter says, without Frontmatter, Metadata, Lines and Body; nil until read, and when unusable
	Usable      bool
	Findings    []Finding
	Err         error // why it is unusable

	Hidden bool     // listed on request only: deep, below a skill, in a dot directory, an outranked namesake
	Also   []string // other paths that hold the same content
	Plugin string   // name of the marketplace plugin that it belongs to, the first of several
}

// SelectError says that a selector names no skill ("not_found", with at most three
// Near names and how many Skills the source shows) or several ("ambiguous", with
// their Paths); that a name is no plugin's ("not_found", with all Plugins, which
// are nil otherwise), or that of a plugin in another repository ("elsewhere") or
// without skills ("no_skills").
type SelectError struct {
	Kind     string
	Selector string
	Near     []string
	Skills   int
	Paths    []string
	Plugins  []string
	Message  string
}

// Error gives the message.
func (e *SelectError) Error() string { return e.Message }

// Code gives the kind.
func (e *SelectError) Code() string { return e.Kind }

// Hints names what to write instead.
func (e *SelectError) Hints() []string {
	switch {
	case len(e.Paths) > 0:
		return []string{"name one by its path: " + enumerate(slices.Clone(e.Paths), mostNames)}
	case len(e.Near) > 0:
		return append([]string{meant(e.Near)}, e.plugins()...)
	case len(e.Plugins) > 0:
		return e.plugins()
	case e.Skills == 1:
		return []string{"the source has one skill; see it with --list"}
	case e.Skills > 1:
		return []string{fmt.Sprintf("the source has %d skills; see them with --list", e.Skills)}
	}
	return nil
}

// plugins lists the plugins that there are.
func (e *SelectError) plugins() []string {
	if len(e.Plugins) == 0 {
		return nil
	}
	return []string{"the plugins are: " + enumerate(slices.Clone(e.Plugins), 20)}
}

// File is one file of a skill as it is installed. Path is slash separated below
// the skill; From is the path in the file system that holds its bytes, which
// differs where a link was replaced or the manifest respelled.
type File struct {
	Path       string
	Executable bool
	From       string
}

// Limits bounds one skill: number of files, bytes in total and of one file,
// depth of directories. Fields below 1 mean the defaults, see OrDefault.
type Limits struct {
	Files     int
	Bytes     int64
	FileBytes int64
	Depth     int
}
