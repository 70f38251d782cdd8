package transaction

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// fewFiles is up to how many files are synchronised one by one. Above it one call for the whole file system is cheaper.
const fewFiles = 64

// writeFile replaces a file as a whole and makes that last: write beside, synchronise, rename, synchronise the directory. A file
// behind a link is replaced where the link leads, so that the link stays.
func writeFile(file File) error {
	path := file.Path
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	if file.Data == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	temporary, err := writeBeside(path, file.Data)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return syncDir(filepath.Dir(path))
}

// writeBeside writes the data to a new file in the directory of path, with the mode of the file that is there.
func writeBeside(path string, data []byte) (name string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".skills-write-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	return f.Name(), f.Sync()
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
