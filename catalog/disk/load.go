package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"skills/catalog"
	"skills/catalog/internal/links"
)

// maxDocument is how many bytes of a SKILL.md are read: more than any document that catalog.Parse takes.
const maxDocument = 8 << 20

// Load reads the SKILL.md at a path and parses it under the rules. Location of the skill and File of the findings are the path exactly
// as it is handed in. Links are followed. A skill that needs no name, under ProfileZidane, has that of the directory it is in.
//
// The error is a *catalog.Error with the path: what catalog.Parse says about the text, "not_found" where nothing is, "not_a_file" for a
// directory, a pipe, a device or a path below a file, else "io_error".
func Load(path string, rules catalog.Rules) (*catalog.Skill, []catalog.Finding, error) {
	raw, err := read(path)
	if err != nil {
		return nil, nil, FileError(err, path)
	}
	skill, findings, err := catalog.Parse(raw, rules)
	for i := range findings {
		findings[i].File = cmp.Or(findings[i].File, path)
	}
	if err != nil {
		if e := (*catalog.Error)(nil); errors.As(err, &e) {
			e.Path = path
		}
		return nil, findings, err
	}
	skill.Location, skill.Name = path, cmp.Or(skill.Name, directoryOf(path))
	return skill, findings, nil
}

// directoryOf gives the name of the directory that a file is in, "" where it has none that a skill could have.
func directoryOf(path string) string {
	abs, err := filepath.Abs(path)
	if name := filepath.Base(filepath.Dir(abs)); err == nil && catalog.CheckName(name) == nil {
		return name
	}
	return ""
}

// read gives the bytes of a regular file up to the bound of a document.
func read(path string) ([]byte, error) {
	file, err := plain(os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.IsDir() {
		return nil, cmp.Or(err, error(syscall.EISDIR))
	}
	return io.ReadAll(io.LimitReader(file, maxDocument))
}

// FileError turns what the system says about a file into the error that callers branch on, a *catalog.Error with the path: "not_found",
// "not_a_file" for a directory or anything else where a file should be and for a file where a directory should be, else "io_error". It
// gives nil for nil, and errors that are *catalog.Error already as they are.
func FileError(err error, path string) error {
	if e := (*catalog.Error)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	e := &catalog.Error{Kind: "io_error", At: path, Path: path, Hint: "see that it can be read"}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Kind, e.Message, e.Hint = "not_found", fmt.Sprintf("%q is not there", path), "see how it is spelled"
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR), errors.Is(err, links.ErrSpecial):
		e.Kind, e.Message, e.Hint = "not_a_file", fmt.Sprintf("%q is not a file", path), "name a file"
	default:
		e.Message = fmt.Sprintf("%q cannot be read: %v", path, cause(err))
	}
	return e
}

// cause leaves out the path, which is named already.
func cause(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
