package install

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing/fstest"

	"skills/catalog"
	"skills/lockfile/manifest"
)

// Document reads the SKILL.md that stands in a manifest entry, as an install does; all is nil for an entry that names a source. The
// error is that of catalog.Parse.
func (e *Engine) Document(entry manifest.Skill) (*catalog.Skill, []catalog.Finding, error) {
	if entry.Inline == nil {
		return nil, nil, nil
	}
	return catalog.Parse([]byte(entry.Inline.Document), catalog.Rules{})
}

// checkTexts refuses a manifest whose texts are no skills, before anything is asked or changed. Each error names the entry's line.
func (e *Engine) checkTexts(m *manifest.Manifest) error {
	var all []error
	for _, entry := range m.Skills {
		if _, _, err := e.Document(entry); err != nil {
			all = append(all, m.Invalid(entry, err))
		}
	}
	return errors.Join(all...)
}

// inlineFiles are the files of a skill that stands in the manifest. Where the manifest does not hold the contents of a file, those
// that are installed stay; a finding names what is nowhere.
func (e *Engine) inlineFiles(entry manifest.Skill) (fstest.MapFS, []catalog.Finding) {
	files := fstest.MapFS{"SKILL.md": {Data: []byte(entry.Inline.Document)}}
	for name, text := range entry.Inline.Resources {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var findings []catalog.Finding
	for _, name := range entry.Inline.Unavailable {
		if file := e.keptFile(entry.Name, name); file != nil {
			files[name] = file
			continue
		}
		findings = append(findings, catalog.Finding{
			Code: "resource_unavailable", Severity: catalog.SeverityWarning, File: name,
			Message: fmt.Sprintf("the contents of %q are not in the manifest, so the file is left out", name),
		})
	}
	return files, findings
}

// keptFile reads a file of an installed skill; nil when it is not there, is no plain file, or is larger than one may be.
func (e *Engine) keptFile(skill, name string) *fstest.MapFile {
	dir := filepath.Join(e.canonical(), skill)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	file, err := readFile(root, filepath.FromSlash(name), e.config.Limits.FileBytes)
	if err != nil {
		return nil
	}
	return file
}

// readFile reads a plain file below a root, at most so many bytes.
func readFile(root *os.Root, name string, limit int64) (*fstest.MapFile, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Kind: "unsupported", Name: name, Message: quote(name) + " is no plain file"}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &Error{Kind: "too_large", Name: name, Message: fmt.Sprintf("%q has more than %d bytes", name, limit)}
	}
	return &fstest.MapFile{Data: data, Mode: info.Mode().Perm()}, err
}
