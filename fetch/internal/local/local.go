// Package local opens sources on this machine: a directory as an [fs.FS], one SKILL.md as the
// directory that holds it, or an archive.
//
// Rules it enforces:
//
//   - nothing outside of the directory is read: it is opened as an [os.Root], so links that
//     lead out give an error, whenever they were made;
//   - ".git" does not exist, at no level;
//   - what is neither a file nor a folder (a socket, a device) is not opened, for that may
//     never return;
//   - an error names the full path.
//
// It reads no environment: where "~" and relative paths begin is told by the caller.
//
// A use:
//
//	name, err := local.Path("~/skills", home, workingDirectory)
//	source, err := local.Open(name)
//	defer source.Close()
//	if source.Archive != "" { … } else { walk(source.FS) }
package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Code is the word for a kind of error.
type Code string

// The codes of errors.
const (
	NotFound    Code = "not_found"
	Forbidden   Code = "forbidden"   // the system refuses to read it
	Unsupported Code = "unsupported" // a path of another system, a file that is no source
	Failed      Code = "io_error"    // the disk
)

// Error says what is wrong with a source on this machine.
type Error struct {
	Code Code
	Path string
	Text string
	Err  error // the cause, if any
}

// Error is a sentence that begins with the path.
func (e *Error) Error() string { return fmt.Sprintf("%q %s", e.Path, e.Text) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Path makes an absolute path of text as a user writes it: "~" is home, and a relative path
// begins at dir. A path with a drive is an error on systems without drives, and "~name"
// always is one.
func Path(text, home, dir string) (string, error) {
	return onSystem(runtime.GOOS, text, home, dir)
}

func onSystem(system, text, home, dir string) (string, error) {
	unsupported := func(reason string) (string, error) {
		return "", &Error{Code: Unsupported, Path: text, Text: reason}
	}
	if system != "windows" && isWindows(text) {
		return unsupported("is a path of Windows, which this system does not have")
	}
	first, rest, _ := strings.Cut(filepath.ToSlash(text), "/")
	switch {
	case text == "":
		return unsupported("names no directory")
	case first == "~" && home == "":
		return unsupported("begins at the home directory, which is not known")
	case first == "~":
		return filepath.Join(home, filepath.FromSlash(rest)), nil
	case strings.HasPrefix(first, "~"):
		if _, err := os.Lstat(filepath.Join(dir, first)); err != nil {
			return unsupported("is in the home directory of another user; write its full path")
		}
	case filepath.IsAbs(text):
		return filepath.Clean(text), nil
	}
	return filepath.Join(dir, text), nil
}

// isWindows tells "C:\x", "C:/x", "C:" and "\\server\share".
func isWindows(text string) bool {
	if strings.HasPrefix(text, `\\`) {
		return true
	}
	if len(text) < 2 || text[1] != ':' || text[0]|0x20 < 'a' || text[0]|0x20 > 'z' {
		return false
	}
	return len(text) == 2 || text[2] == '\\' || text[2] == '/'
}

// Source is a source on this machine that exists.
type Source struct {
	Path    string // absolute; the directory, also when a SKILL.md was named
	File    bool   // one SKILL.md was named: this skill and no other
	Archive string // the archive file; FS is nil then, and so nothing is open
	FS      *FS    // the directory
}

// Close releases the directory.
func (s *Source) Close() error {
	if s.FS == nil {
		return nil
	}
	return s.FS.root.Close()
}

// Open finds out what stands at an absolute path: a directory, a SKILL.md (in any case), or
// a file with the name of an archive (.zip, .skill, .tar, .tar.gz, .tgz).
func Open(name string) (*Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, describe(name, err)
	}
	source := &Source{Path: name}
	switch {
	case info.IsDir():
	case info.Mode().IsRegular() && strings.EqualFold(filepath.Base(name), "SKILL.md"):
		source.Path, source.File = filepath.Dir(name), true
	case info.Mode().IsRegular() && IsArchive(name):
		source.Archive = name
		return source, nil
	default:
		return nil, &Error{Code: Unsupported, Path: name, Text: "is neither a directory nor a SKILL.md nor an archive (zip, skill, tar, tar.gz, tgz)"}
	}
	root, err := os.OpenRoot(source.Path)
	if err != nil {
		return nil, describe(name, err)
	}
	source.FS = &FS{root: root, files: root.FS(), dir: source.Path}
	return source, nil
}

// IsArchive tells by its name whether a file is taken for an archive.
func IsArchive(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{".zip", ".skill", ".tar", ".tar.gz", ".tgz"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func describe(name string, err error) error {
	e := &Error{Code: Failed, Path: name, Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Text = NotFound, "does not exist"
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Text = Forbidden, "cannot be read: permission denied"
	default:
		e.Text = "cannot be read: " + reason(err)
	}
	return e
}

// reason is an error without the path that os puts before it.
func reason(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}
