package transaction

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// fewFiles is up to how many files are synchronised one by one. Above it one call for the whole file system is cheaper.
const fewFiles = 64

// writeFile replaces a file as a whole and makes that last: write beside, synchronise, rename, synchronise the directory. A file
// behind a link is replaced where the link leads, so that the link stays. The stage's name keeps the new file apart until then.
func writeFile(file File, stage string) error {
	path := file.Path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if file.Data == nil {
		return remove(path)
	}
	temporary := beside(path, stage)
	if err := writeBeside(temporary, path, file.Data); err != nil {
		return errors.Join(err, remove(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, remove(temporary))
	}
	return syncDir(filepath.Dir(path))
}

// beside is where the new content of a file is until it takes the file's place.
func beside(path, stage string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	return filepath.Join(filepath.Dir(path), stage+"-"+filepath.Base(path))
}

// remove removes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeBeside writes the data to a new file, with the mode of the file at path. What an interrupted one left behind goes.
func writeBeside(temporary, path string, data []byte) (err error) {
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), remove(temporary)); err != nil {
		return err
	}
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// exists tells whether an entry is there, a dangling link included.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// keep moves an entry to its backup, which may lie on another file system. There a copy appears as a whole; an interrupted one is
// made anew.
func keep(from, to, stage string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if !exists(to) {
		temporary := beside(to, stage)
		if err := os.RemoveAll(temporary); err != nil {
			return err
		}
		if err := duplicate(from, temporary); err != nil {
			return errors.Join(err, os.RemoveAll(temporary))
		}
		if err := os.Rename(temporary, to); err != nil {
			return err
		}
	}
	return os.RemoveAll(from)
}

// duplicate copies a directory, a file or a link.
func duplicate(from, to string) error {
	info, err := os.Lstat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return os.CopyFS(to, os.DirFS(from))
	case info.Mode().Type() == fs.ModeSymlink:
		text, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(text, to))
	}
	data, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, data, info.Mode().Perm()))
}

// syncTree makes the files below dir last.
func syncTree(dir string) error {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (entry.Type().IsRegular() || entry.IsDir()) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(files) > fewFiles {
		if err := syncFileSystem(dir); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	group, _ := errgroup.WithContext(context.Background())
	group.SetLimit(8)
	for _, path := range files {
		group.Go(func() error { return syncPath(path) })
	}
	return group.Wait()
}

// syncPath makes one file or directory last.
func syncPath(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return syncDir(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
