package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/catalog/resource"
)

// Confine says where rel lies below the directory dir of this machine and refuses what lies elsewhere, by the text and through links:
// [resource.Confine] for who has no file system at hand. Abs of the result is absolute and has no link replaced. The error is a
// *catalog.Error.
func Confine(dir, rel string, o ...resource.Option) (resource.Place, error) {
	return resource.Confine(Open(dir), ".", rel, o...)
}

// machine is all of this system as one file system: a name is an absolute path without its first slash, with slashes, on Windows with
// the volume as its first part. Links to absolute paths begin with a slash.
type machine struct{}

func machineName(abs string) string {
	volume := filepath.VolumeName(abs)
	rest := strings.TrimPrefix(filepath.ToSlash(abs[len(volume):]), "/")
	if volume == "" {
		return rest
	}
	return volume + "/" + rest
}

func machinePath(name string) string {
	volume := filepath.VolumeName(filepath.FromSlash(name))
	return volume + string(filepath.Separator) + filepath.FromSlash(strings.TrimPrefix(name[len(volume):], "/"))
}

func (machine) Open(name string) (fs.File, error) { return os.Open(machinePath(name)) }

func (machine) Lstat(name string) (fs.FileInfo, error) {
	info, err := os.Lstat(machinePath(name))
	return info, absent(err)
}

func (machine) ReadLink(name string) (string, error) {
	target, err := os.Readlink(machinePath(name))
	switch {
	case err != nil:
		return "", err
	case filepath.IsAbs(target):
		return "/" + machineName(target), nil
	case os.IsPathSeparator(target[0]): // of the same volume, on Windows
		return "/" + machineName(filepath.VolumeName(machinePath(name))+target), nil
	}
	return filepath.ToSlash(target), nil
}
