package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Bounds that an author is told of: those of Smarter for the files of a skill, and the specification's advice for its instructions.
const (
	softLines    = 500
	softFiles    = 100
	softFileText = 500_000
)

// Inspect judges the skill in a directory as its author wants to know it: what Parse finds; what only the place tells, such as a
// name that is not the directory's or a reference to a file that is not there; what an install would refuse. What makes the
// skill unusable is a finding as well, of severity error, with the reason or the kind of the *Error as its code; the skill is nil
// then. File of a finding is a path below dir.
//
// The directory's name is the last part of dir; "." has none. All files are read. The error is about reading, or the cause
// of a cancelled ctx, never about the skill.
func Inspect(ctx context.Context, fsys fs.FS, dir string, rules Rules) (*Skill, []Finding, error) {
	i := &inspection{fsys: fsys, dir: dir, rules: rules}
	if err := i.manifest(); err != nil {
		return nil, nil, err
	}
	if i.skill != nil {
		i.place()
		i.text()
	}
	if err := i.files(ctx); err != nil {
		return nil, nil, err
	}
	return i.skill, i.findings, nil
}

type inspection struct {
	fsys     fs.FS
	dir      string
	rules    Rules
	name     string // of the manifest, as spelled
	skill    *Skill
	findings []Finding
}

// report adds a finding, unless the profile keeps silent about it.
func (i *inspection) report(code, file string, line int, format string, args ...any) {
	severity := i.rules.Profile.Severity(code)
	code, _, _ = strings.Cut(code, ":")
	if severity != "" {
		i.findings = append(i.findings, Finding{code, severity, file, line, fmt.Sprintf(format, args...)})
	}
}

// fault makes what keeps a skill from being used a finding; anything else stays an error.
func (i *inspection) fault(err error, file string) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	code := e.Kind
	if e.Reason != "" {
		code = e.Reason
	}
	message := e.Message
	if hints := e.Hints(); len(hints) > 0 {
		message += "; " + hints[0]
	}
	i.findings = append(i.findings, Finding{code, SeverityError, file, e.Line, message})
	return nil
}

// manifest reads the SKILL.md.
func (i *inspection) manifest() error {
	entries, err := fs.ReadDir(i.fsys, i.dir)
	if err != nil {
		return err
	}
	if i.name = manifestOf(entries); i.name == "" {
		return i.fault(&Error{Kind: "not_found", Message: "there is no SKILL.md", Hint: "write one with: skills init"}, "")
	}
	if i.name != manifestName {
		i.report("manifest_case", i.name, 0, "the manifest is spelled %s, not %s", i.name, manifestName)
	}
	raw, err := readDocument(i.fsys, path.Join(i.dir, i.name))
	if err != nil {
		return err
	}
	skill, findings, err := Parse(raw, i.rules)
	for _, f := range findings {
		f.File = i.name
		i.findings = append(i.findings, f)
	}
	if err != nil {
		return i.fault(err, i.name)
	}
	i.skill = skill
	i.findings = append(i.findings, skill.escapes(i.name)...)
	return nil
}

// place compares the skill with where it lies.
func (i *inspection) place() {
	base := path.Base(i.dir)
	if i.skill.Name != "" && i.dir != "." && base != i.skill.Name && base != i.skill.directory {
		i.report("name_mismatch", i.name, i.skill.Lines["name"], "the skill is named %q, its directory %q", i.skill.Name, base)
	}
}

// text judges the instructions: their length, and whether what they refer to is there.
func (i *inspection) text() {
	if lines := strings.Count(i.skill.Document, "\n"); lines > softLines {
		i.report("long_skill", i.name, 0, "the file has %d lines, more than %d; move what is not needed at first into files beside it", lines, softLines)
	}
	found := references([]byte(i.skill.Document), false)
	for _, reference := range found.paths {
		if _, err := fs.Stat(i.fsys, path.Join(i.dir, reference)); errors.Is(err, fs.ErrNotExist) {
			code := "missing_reference"
			if found.spans[reference] {
				code = "missing_reference:span"
			}
			i.report(code, i.name, 0, "the instructions refer to %q, which is not there", reference)
		}
	}
}

// files looks at what an install would write.
func (i *inspection) files(ctx context.Context) error {
	list, findings, err := Files(ctx, i.fsys, i.dir, Limits{})
	for _, f := range findings {
		f.File = strings.TrimPrefix(strings.TrimPrefix(f.File, i.dir), "/")
		i.findings = append(i.findings, f)
	}
	if err != nil {
		return i.fault(err, "")
	}
	if n := len(list) - 1; n > softFiles {
		i.report("limit", "", 0, "the skill has %d files beside its manifest, more than %d", n, softFiles)
	}
	for _, file := range list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := i.content(file); err != nil {
			return err
		}
	}
	return nil
}

// content looks into one file.
func (i *inspection) content(file File) error {
	in, err := i.fsys.Open(file.From)
	if err != nil {
		return err
	}
	defer in.Close()
	var length characters
	findings, err := ContentFindings(file.Path, io.TeeReader(in, &length))
	if err != nil {
		return err
	}
	i.findings = append(i.findings, findings...)
	if file.Path != manifestName && length > softFileText {
		i.report("too_long:file", file.Path, 0, "the file has %d characters, more than %d", length, softFileText)
	}
	return nil
}

// characters counts the characters of UTF-8 that is written to it.
type characters int

func (c *characters) Write(text []byte) (int, error) {
	for _, b := range text {
		if b&0xc0 != 0x80 {
			*c++
		}
	}
	return len(text), nil
}
