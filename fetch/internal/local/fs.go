package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FS is a directory as a file system without ".git". It implements [fs.ReadDirFS],
// [fs.StatFS] and [fs.ReadLinkFS]. Links are followed inside the directory.
// Its errors are *fs.PathError with the full path.
type FS struct {
	root  *os.Root
	files fs.FS // of root
	dir   string
}

// check refuses names that this file system does not have.
func (f *FS) check(op, name string) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if strings.Contains("/"+name+"/", "/.git/") {
		return f.wrap(&fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}, name)
	}
	return nil
}

// wrap puts the full path into an error.
func (f *FS) wrap(err error, name string) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return &fs.PathError{Op: e.Op, Path: filepath.Join(f.dir, filepath.FromSlash(name)), Err: e.Err}
	}
	return err
}

// Open opens a file or a folder, and nothing else.
func (f *FS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, f.wrap(&fs.PathError{Op: "open", Err: errors.New("neither a file nor a folder")}, name)
	}
	file, err := f.files.Open(name)
	if err != nil {
		return nil, f.wrap(err, name)
	}
	if dir, ok := file.(fs.ReadDirFile); ok && info.IsDir() {
		return &directory{dir}, nil
	}
	return file, nil
}

// directory leaves out ".git".
type directory struct{ fs.ReadDirFile }

// ReadDir is that of [fs.ReadDirFile].
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		entries, err := d.ReadDirFile.ReadDir(n)
		read := len(entries)
		entries = visible(entries)
		if n <= 0 || err != nil || len(entries) > 0 || read == 0 {
			return entries, err
		}
	}
}

func visible(entries []fs.DirEntry) []fs.DirEntry {
	kept := entries[:0]
	for _, e := range entries {
		if e.Name() != ".git" {
			kept = append(kept, e)
		}
	}
	return kept
}

// ReadDir lists a folder, sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.check("readdir", name); err != nil {
		return nil, err
	}
	entries, err := f.files.(fs.ReadDirFS).ReadDir(name)
	return visible(entries), f.wrap(err, name)
}

// Stat describes what name leads to.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if err := f.check("stat", name); err != nil {
		return nil, err
	}
	info, err := f.files.(fs.StatFS).Stat(name)
	return info, f.wrap(err, name)
}

// Lstat describes name itself, be it a link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if err := f.check("lstat", name); err != nil {
		return nil, err
	}
	info, err := f.files.(fs.ReadLinkFS).Lstat(name)
	return info, f.wrap(err, name)
}

// ReadLink returns the target of a link as it is written.
func (f *FS) ReadLink(name string) (string, error) {
	if err := f.check("readlink", name); err != nil {
		return "", err
	}
	target, err := f.files.(fs.ReadLinkFS).ReadLink(name)
	return target, f.wrap(err, name)
}
