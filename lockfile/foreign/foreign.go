// Package foreign reads what other installers recorded, so that their skills can be adopted.
//
// Four records are read, told by their names: skills-lock.json (version 1) and .skill-lock.json (version 3) of the npm tool
// "skills", the second shared with gh skill, apm.lock.yaml (versions 1 and 2), and the keys that gh skill adds to the front matter
// of an installed SKILL.md.
//
// Reading is lenient about what is not known and strict about what counts: unknown keys are passed over; a version that is not
// known, text that cannot be parsed, merge conflict markers and doubled keys are errors that name the line, never an empty
// record, for the tools that own these files lose entries that way. One entry that cannot be used does not hide the others: it is there
// with the reason.
//
// Records are input from outside: sizes, depth and the expansion of aliases are bounded, paths in a source are clean and relative,
// and an address with credentials is refused without repeating them. The names of entries are as recorded; whoever makes a
// directory of one checks it.
//
// The package does no I/O and writes nothing: bytes in, values out. The files stay their owners'.
//
//	record, err := foreign.Parse("skills-lock.json", data, source.DefaultHosts())
//	…
//	for _, e := range record.Entries {
//		if e.Text == "" { … e.Problem says why it cannot be imported }
//	}
package foreign

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"skills/lockfile/internal/document"
	"skills/source"
)

// Kind says which file a record was read from.
type Kind string

// The kinds of records.
const (
	NPMProject  Kind = "npm-project"  // skills-lock.json of the npm tool "skills"
	NPMUser     Kind = "npm-user"     // .skill-lock.json of the npm tool "skills", which gh skill writes as well
	APM         Kind = "apm"          // apm.lock.yaml
	FrontMatter Kind = "front-matter" // the metadata that gh skill adds to a SKILL.md
)

// Record is what one file says.
type Record struct {
	Kind Kind
	// Version is the version of the format; 0 for FrontMatter, which has none.
	Version int
	// Entries are sorted by Name, then Text, then Line. Names may be there twice: apm knows packages, not names.
	Entries []Entry
	// Agents are the ids of the agents that were chosen last, as recorded; nil when the file does not say.
	Agents []string
	// Findings are what else was recorded and is not in Entries, in the order of the file.
	Findings []Finding
}

// Entry is one skill as another installer recorded it. Without Text it cannot be imported, and Problem says why. With Text and
// Problem it can be, but what was installed cannot be told from what is there now. With Text alone, Commit, Tree, Digest or the exact
// version in Ref says what was installed.
type Entry struct {
	// Name is the name as recorded: any text at all. "" for a SKILL.md without one, whose directory has the name.
	Name string
	// Text is a source text that source.Parse reads, with the hosts that Parse was given; "" when there is none. For a
	// repository it holds Ref and Path. The path of a directory is relative to the directory of the record.
	Text string
	// Path is the directory in what Text delivers, slash separated and clean; "" for its root.
	Path string
	// Skill is the name to look for below Path when the record does not say the skill's own directory; else "".
	Skill string
	// Ref is what was asked for: a branch, tag, commit, semver range, or the version of a package; "" for the default.
	Ref string
	// Commit is the commit id, 40 or 64 lower-case hex digits; "" when unknown.
	Commit string
	// Tree is the git tree id of the directory, 40 lower-case hex digits; "" when unknown. The npm tool asks for it after it has
	// fetched, so it may be of a later commit than the files on disk.
	Tree string
	// Digest is "sha256:" or "sha512:" and hex over the bytes of the artifact of a site or registry; "" when unknown.
	Digest string
	// Pinned says that the person asked the other tool to hold the skill at Ref, Reason in a few words how; else "".
	Pinned bool
	Reason string
	// License is what the skill or its package claims; "" when it claims nothing.
	License string
	// File is the name that Parse was given, Line where the entry begins, counted from 1.
	File string
	Line int
	// Problem says what is missing or wrong; "" when nothing is.
	Problem string
}

// Finding is a remark on something that is recorded and not imported.
//
// Codes: "no_skill" (a package without a skill), "not_imported" (servers, agents, subagents).
type Finding struct {
	Code    string
	Line    int
	Message string
}

const (
	maxBytes   = 8 << 20 // of a record; a thousand skills have 0.3 MB
	maxEntries = 20_000
)

// Parse reads the text of a record. The last part of name, which is slash separated, says which one it is, and errors begin with name;
// hosts are those of the user, for addresses that only they make readable. A SKILL.md to which gh skill added nothing has no
// entries. Every error is an *Error.
func Parse(name string, data []byte, hosts source.Hosts) (*Record, error) {
	r := reader{file: name, hosts: hosts}
	read, isKnown := r.readers()[path.Base(name)]
	switch {
	case !isKnown:
		return nil, &Error{Kind: "foreign_unknown", File: name, Message: "not the name of a record that is read here",
			Hint: "known are skills-lock.json, .skill-lock.json, apm.lock.yaml and SKILL.md"}
	case len(data) > maxBytes:
		return nil, r.damaged(1, "%d bytes are more than the %d that are read", len(data), maxBytes)
	}
	if err := read(bytes.TrimPrefix(data, []byte("\ufeff"))); err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.record.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Text, b.Text), cmp.Compare(a.Line, b.Line))
	})
	return &r.record, nil
}

// reader reads one record.
type reader struct {
	file   string
	hosts  source.Hosts
	record Record
}

// readers are the readers by the names of files.
func (r *reader) readers() map[string]func([]byte) error {
	return map[string]func([]byte) error{
		"skills-lock.json": func(data []byte) error { return r.npmLock(data, NPMProject, 1) },
		".skill-lock.json": func(data []byte) error { return r.npmLock(data, NPMUser, 3) },
		"apm.lock.yaml":    r.apmLock,
		"SKILL.md":         r.skillFile,
	}
}

// version admits the versions of a format that are read.
func (r *reader) version(root *value, key string, want kind, known ...int) error {
	v := root.get(key)
	if v == nil {
		return r.damaged(root.line, "%q is missing", key)
	}
	n, err := strconv.Atoi(v.text)
	if v.kind != want || err != nil {
		return r.damaged(v.line, "%q is not a whole number", key)
	}
	if !slices.Contains(known, n) {
		return &Error{Kind: "foreign_version", File: r.file, Line: v.line,
			Message: fmt.Sprintf("version %d is not read here, only %s", n, document.Lines(known)),
			Hint:    "use the tool and the release that wrote the file to see what it holds, and add the skills by their sources"}
	}
	r.record.Version = n
	return nil
}

// add takes an entry up. An entry that cannot be imported keeps its name, its place and the reason alone. The error is that there
// are too many.
func (r *reader) add(e Entry, err error) error {
	if len(r.record.Entries) == maxEntries {
		return r.damaged(e.Line, "there are more than %d skills", maxEntries)
	}
	e.File = r.file
	if err != nil {
		e = Entry{Name: e.Name, File: e.File, Line: e.Line, Problem: err.Error()}
	}
	r.record.Entries = append(r.record.Entries, e)
	return nil
}

// find takes a finding up.
func (r *reader) find(code string, line int, format string, args ...any) {
	r.record.Findings = append(r.record.Findings, Finding{Code: code, Line: line, Message: fmt.Sprintf(format, args...)})
}
