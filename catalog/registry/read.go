package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/catalog"
)

// skill reads the directory of that name in a root. Both results are nil for a
// directory that is no skill, or that is left out as malformed.
func (s *scanner) skill(r Root, name string) (*Info, error) {
	manifest, err := s.manifest(r, name)
	if err != nil || manifest == "" {
		return nil, err
	}
	info, err := s.parse(r, name, name+"/"+manifest)
	if err != nil {
		return nil, s.leaveOut(r, name, manifest, err)
	}
	return info, nil
}

// mismatch tells when a skill is not named as its directory, as severely as the
// profile takes it.
func (s *scanner) mismatch(info *Info, directory string) error {
	const code = "name_mismatch"
	f := warning(code, info.Path, "the directory is named %q and the skill %q", directory, info.Name)
	switch f.Severity = s.config.Rules.Profile.Severity(code); {
	case directory == info.Name || f.Severity == "":
		return nil
	case f.Severity == catalog.SeverityError:
		return &catalog.Error{Kind: "invalid_skill", Reason: "invalid_field", At: "name", Message: f.Message, Hint: "give both the same name"}
	}
	info.Findings = append(info.Findings, f)
	s.warn(f)
	return nil
}

// leaveOut settles that the skill in a directory cannot be used. What it would be named
// nobody knows, so the name of the directory stands for it.
func (s *scanner) leaveOut(r Root, directory, manifest string, err error) error {
	var e *catalog.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Path = r.shown(directory + "/" + manifest)
	if s.strict(r, directory) {
		return e
	}
	s.warn(catalog.Finding{Code: e.Kind, Severity: catalog.SeverityWarning, File: e.Path, Line: e.Line, Message: "the skill is left out: " + e.Message})
	return nil
}

// manifest names the manifest of a directory: SKILL.md before other spellings,
// these in the order of their bytes.
func (s *scanner) manifest(r Root, name string) (string, error) {
	entries, _, err := s.entries(r.FS, r.at(name), 1<<len(manifestName), func(e fs.DirEntry) bool { return isManifest(e.Name()) })
	if stopped := s.alive(); stopped != nil {
		return "", stopped
	}
	if err != nil {
		s.warn(warning("io_error", r.shown(name), "the directory cannot be read: %v", plain(err)))
		return "", nil
	}
	var usable []string
	var fault error
	for _, e := range entries {
		switch ok, err := s.isFile(r, e, name+"/"+e.Name()); {
		case ok:
			usable = append(usable, e.Name())
		case err != nil:
			fault = s.leaveOut(r, name, e.Name(), err)
		}
	}
	if len(usable) == 0 {
		return "", fault
	}
	if slices.Contains(usable, manifestName) {
		usable = append([]string{manifestName}, slices.DeleteFunc(usable, func(name string) bool { return name == manifestName })...)
	}
	s.spelling(r, name, usable)
	return usable[0], nil
}

// isManifest tells spellings of SKILL.md. Letters outside ASCII that fold to
// these are other letters.
func isManifest(name string) bool {
	return len(name) == len(manifestName) && strings.EqualFold(name, manifestName)
}

// isFile tells whether a manifest is a regular file or leads to one. The error
// says what else it is.
func (s *scanner) isFile(r Root, e fs.DirEntry, below string) (bool, error) {
	kind := e.Type()
	if isLink(e) {
		info := s.target(r, e, below)
		if info == nil {
			return false, nil
		}
		kind = info.Mode().Type()
	}
	if kind.IsRegular() {
		return true, nil
	}
	return false, &catalog.Error{Kind: "not_a_file", Message: e.Name() + " is no regular file", Hint: "put the text of the skill there"}
}

// spelling tells when other systems would find another manifest, or none.
func (s *scanner) spelling(r Root, name string, usable []string) {
	file := r.shown(name + "/" + usable[0])
	switch {
	case len(usable) > 1:
		s.warn(warning("manifest_case", file, "the manifest is there in several spellings; %s is read", usable[0]))
	case usable[0] != manifestName && s.config.Rules.Profile != catalog.ProfileClarvis:
		s.warn(warning("manifest_case", file, "the manifest is spelled %s, not %s as agents on Linux look for", usable[0], manifestName))
	}
}

// parse reads and judges a manifest.
func (s *scanner) parse(r Root, name, below string) (*Info, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	raw, err := readAtMost(r.FS, r.at(below), s.config.Limits.Manifest)
	if err != nil {
		return nil, err
	}
	if text, err := catalog.Split(raw); err == nil && utf8.RuneCountInString(text.Front) > s.config.Limits.Front {
		return nil, &catalog.Error{Kind: "invalid_skill", Reason: "too_long", At: "frontmatter", Message: fmt.Sprintf("the frontmatter has more than %d characters", s.config.Limits.Front)}
	}
	skill, findings, err := catalog.Parse(raw, s.config.Rules)
	if err != nil {
		return nil, err
	}
	skill.Location = r.shown(below)
	skill.Name = cmp.Or(skill.Name, name) // zidane reads skills without one
	info := s.info(skill, findings)
	info.Scope, info.Source, info.Root, info.Dir = r.Scope, r.Source, r.Path, r.shown(name)
	return info, s.mismatch(info, name)
}

// info makes the record of a skill.
func (s *scanner) info(skill *catalog.Skill, findings []catalog.Finding) *Info {
	for at := range findings {
		findings[at].File = skill.Location
	}
	info := infoOf(skill, findings)
	info.Disabled = info.Disabled || slices.Contains(s.config.Disabled, info.Name)
	info.place = &place{body: skill.Body}
	return &info
}

// readAtMost reads a file that is no longer than that. The error is a
// *catalog.Error.
func readAtMost(fsys fs.FS, name string, most int) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, unread(name, err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	switch {
	case err != nil:
		return nil, unread(name, err)
	case len(raw) > most:
		return nil, &catalog.Error{Kind: "invalid_skill", Reason: "too_long", Message: fmt.Sprintf("%s has more than %d bytes", path.Base(name), most)}
	}
	return raw, nil
}

func unread(name string, err error) error {
	kind := "io_error"
	if errors.Is(err, fs.ErrNotExist) {
		kind = "not_found"
	}
	return &catalog.Error{Kind: kind, Message: fmt.Sprintf("%s cannot be read: %v", path.Base(name), plain(err)), Hint: "see who may read it"}
}
