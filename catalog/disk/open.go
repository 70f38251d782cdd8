package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"skills/catalog/internal/links"
)

// FS is a directory of this machine as a file system. It implements [fs.ReadDirFS], [fs.StatFS] and [fs.ReadLinkFS], and the methods by
// which catalog/resource confines paths. Links are followed, out of the directory too. Its errors are *fs.PathError with the path on
// disk. It holds nothing open and is safe for concurrent use.
type FS struct{ dir string }

// Open gives the file system of a directory, relative to the working directory at that moment ("" is that one itself). Whether it is there shows when it is
// used.
func Open(dir string) *FS {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &FS{dir}
}

// Abs gives the path of a name on disk, as it is written, without a look at links.
func (f *FS) Abs(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// place is Abs for names that the file system has.
func (f *FS) place(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return f.Abs(name), nil
}

// Open opens a file or a directory for reading, and nothing else: it waits for no pipe.
func (f *FS) Open(name string) (fs.File, error) {
	full, err := f.place("open", name)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return plain(file, err)
}

// OpenIn opens name below the directory dir for reading. The directory may be a link, but no link below it leads out of it, also when it
// was made a moment ago; absolute ones are refused.
func (f *FS) OpenIn(dir, name string) (fs.File, error) {
	full, err := f.place("open", dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, absent(err)
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return plain(file, err)
}

// plain refuses what is neither a file nor a directory. That is asked of the open file, since a path may mean another by then.
func plain(file *os.File, err error) (fs.File, error) {
	if err != nil {
		return nil, absent(err)
	}
	info, err := file.Stat()
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file.Name(), Err: links.ErrSpecial}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// absent says that a name which is too long to be there is not there.
func absent(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) && errors.Is(e.Err, syscall.ENAMETOOLONG) {
		return &fs.PathError{Op: e.Op, Path: e.Path, Err: fs.ErrNotExist}
	}
	return err
}

// ReadDir lists a directory, sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	full, err := f.place("readdir", name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(full)
	return entries, absent(err)
}

// Stat describes what a name leads to.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	full, err := f.place("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(full)
	return info, absent(err)
}

// Lstat describes the name itself, be it a link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	full, err := f.place("lstat", name)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(full)
	return info, absent(err)
}

// ReadLink gives the text of a link as it is written.
func (f *FS) ReadLink(name string) (string, error) {
	full, err := f.place("readlink", name)
	if err != nil {
		return "", err
	}
	target, err := os.Readlink(full)
	return target, absent(err)
}

// RealPath gives the absolute path of a name with all links followed, slash separated on every system. What is not there stays as it is
// written. The error names a link that leads back to itself, or is the system's.
func (f *FS) RealPath(name string) (string, error) {
	full, err := f.place("realpath", name)
	if err != nil {
		return "", err
	}
	real, err := links.Resolve(machine{}, machineName(full), true)
	if err != nil {
		return "", absent(err)
	}
	return filepath.ToSlash(machinePath(real)), nil
}
