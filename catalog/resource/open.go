package resource

import (
	"io"
	"io/fs"
	"math"
	"path"
	"strings"

	"skills/catalog"
)

// Stat looks at one file of the skill at dir without opening it.
//
// The error is a *catalog.Error: what [Confine] says, "not_found" where nothing is, "not_a_file" for the directory itself and everything
// that is no regular file.
func Stat(fsys fs.FS, dir, rel string, o ...Option) (Resource, error) {
	at, err := Confine(fsys, dir, rel, append(o, Root)...)
	if err != nil {
		return Resource{}, err
	}
	info, err := at.lstat(fsys)
	switch {
	case err != nil && at.blocked(fsys):
		return Resource{}, notFile(rel)
	case err != nil:
		return Resource{}, judged(err, rel)
	case !info.Mode().IsRegular():
		return Resource{}, notFile(rel)
	}
	return resource(at, info), nil
}

// blocked says whether something is missing since it is below a file.
func (p Place) blocked(fsys fs.FS) bool {
	base := strings.TrimSuffix(p.from, p.inner)
	for at := path.Dir(p.inner); at != "."; at = path.Dir(at) {
		if info, err := fs.Lstat(fsys, base+at); err == nil {
			return !info.IsDir()
		}
	}
	return false
}

// Open opens one file of the skill at dir. The errors are those of [Stat]. Pipes and the like are never waited for.
//
// A link that is put in the way between the check and the opening is refused where the file system can open below a directory: it then
// has OpenIn(dir, name string) (fs.File, error), which leaves dir through no link, however late it came.
func Open(fsys fs.FS, dir, rel string, o ...Option) (fs.File, error) {
	at, err := Stat(fsys, dir, rel, o...)
	if err != nil {
		return nil, err
	}
	file, err := open(fsys, dir, at.Place)
	if err != nil {
		// Should the way have changed since it was looked at, it says why.
		if _, changed := Stat(fsys, dir, rel, o...); changed != nil {
			return nil, changed
		}
		return nil, judged(err, rel)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, notFile(rel)
	}
	return file, nil
}

func open(fsys fs.FS, dir string, at Place) (fs.File, error) {
	if disk, ok := fsys.(interface {
		OpenIn(dir, name string) (fs.File, error)
	}); ok {
		return disk.OpenIn(path.Join(".", dir), at.inner)
	}
	return fsys.Open(at.from)
}

// Read gives the bytes of one file of the skill at dir. The errors are those of [Open], and "too_large" for a file of more than so
// many bytes; a bound below 0 counts as 0, which only an empty file keeps.
func Read(fsys fs.FS, dir, rel string, most int64, o ...Option) ([]byte, error) {
	file, err := Open(fsys, dir, rel, o...)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	most = min(max(most, 0), math.MaxInt64-1)
	raw, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, judged(err, rel)
	case int64(len(raw)) > most:
		return nil, tooLarge(rel, most)
	}
	return raw, nil
}

func tooLarge(rel string, most int64) *catalog.Error {
	return failure("too_large", rel, "read it in parts", "%q has more than %d bytes", rel, most)
}
