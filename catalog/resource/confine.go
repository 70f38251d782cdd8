package resource

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"skills/catalog"
	"skills/catalog/internal/links"
)

// Option is a set of changes to what Confine does; they are joined with |.
type Option uint8

// The options. Remote is for a file system that is elsewhere: the verdict is on the text alone, fsys is not used and may be nil, and dir
// is any slash separated path, absolute ones too. Root admits the directory itself, "." or "a/..", as Clarvis does. NoLinks takes paths through links below
// dir for ones that are not there.
const (
	Remote Option = 1 << iota
	Root
	NoLinks
)

// Place is where a path below a skill's directory lies. All of it is as written: links in it are not replaced by what they lead to.
type Place struct {
	Rel  string // clean, below the directory; "." for itself
	Path string // Rel below the directory, in the file system
	Abs  string // Path on disk where the file system knows, an absolute path of this system; else Path
	Note string // what is odd about it though it is fine, "" for nothing

	from  string // the way to it in the file system that has no link below the directory
	inner string // from, below the directory
}

// Confine says where rel lies below dir, a directory of fsys ("." or "" for its top, never an absolute path), and refuses what lies
// elsewhere: by the text, then through every link on the way. Nothing needs to be there, dir neither; dir may be or be reached by a link. What is missing stays as written, so a path
// through a link that leads out is refused also where its end is still to be made. Blanks in rel count.
//
// A file system that lies on disk and so has links that lead out of it offers RealPath(name string) (string, error), the absolute path
// without links, slash separated, of what may not be there; and Abs(name string) string, the path as written. Elsewhere links are read
// with [fs.ReadLinkFS] and do not leave fsys.
//
// The error is a *catalog.Error with Rel: what [Clean] says, "invalid_input" with At for a dir that is no path of fsys, "path_escape" for links that lead out, "io_error" for links that lead
// back to themselves and where the disk does not tell. It is a verdict of one moment: [Open] holds it until the file is open.
func Confine(fsys fs.FS, dir, rel string, o ...Option) (Place, error) {
	var set Option
	for _, one := range o {
		set |= one
	}
	name, err := cleaned(rel, rel, set&Root != 0)
	if err != nil {
		return Place{}, err
	}
	if set&Remote != 0 {
		return written(nil, dir, name), nil
	}
	if !fs.ValidPath(cmp.Or(dir, ".")) {
		e := failure("invalid_input", rel, "write its path in the file system, such as skills/pdf", "the directory %q is not a clean path of the file system", dir)
		e.At = dir
		return Place{}, e
	}
	p := written(fsys, dir, name)
	if err := p.follow(fsys, path.Join(".", dir)); err != nil {
		return Place{}, judged(err, rel)
	}
	if set&NoLinks != 0 && p.inner != p.Rel {
		return Place{}, missing(rel, "a link is on the way to %q", rel)
	}
	return p, nil
}

// written gives the place of a clean path, by the text alone.
func written(fsys fs.FS, dir, name string) Place {
	p := Place{Rel: name, Path: path.Join(dir, name), Note: note(name)}
	p.Abs, p.inner, p.from = p.Path, name, p.Path
	if disk, ok := fsys.(interface{ Abs(string) string }); ok {
		p.Abs = disk.Abs(p.Path)
	}
	return p
}

func note(name string) string {
	if name == "~" || strings.HasPrefix(name, "~/") {
		return fmt.Sprintf("%q is a path below the skill, not below the home directory", name)
	}
	return ""
}

// follow sets from and inner by the real paths of dir and of the place.
func (p *Place) follow(fsys fs.FS, dir string) error {
	disk, onDisk := fsys.(interface {
		RealPath(string) (string, error)
	})
	real := func(name string) (string, error) { return links.Resolve(fsys, name, false) }
	if onDisk {
		real = disk.RealPath
	}
	base, err := real(dir)
	if err != nil {
		return err
	}
	end, err := real(path.Join(dir, p.Rel))
	if err != nil {
		return err
	}
	if !links.Within(base, end) {
		return outside(end)
	}
	p.inner, p.from = below(base, end), end
	if onDisk {
		p.from = path.Join(dir, p.inner)
	}
	return nil
}

// outside is where a path ended that had to end in a skill.
type outside string

func (o outside) Error() string { return fmt.Sprintf("it leads to %q", string(o)) }

func (o outside) Unwrap() error { return links.ErrEscape }

// below gives the path of name in a directory that it is within.
func below(dir, name string) string {
	if dir != "." {
		name = strings.TrimPrefix(strings.TrimPrefix(name, strings.TrimSuffix(dir, "/")), "/")
	}
	return path.Join(".", name)
}

// judged turns what a file system says about a path below a skill into the error that callers branch on.
func judged(err error, rel string) error {
	var known *catalog.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, links.ErrEscape):
		return escape(rel, "%q escapes from the skill: %v", rel, err)
	case errors.Is(err, links.ErrLoop):
		return failure("io_error", rel, "see where the links lead", "%q leads back to itself through links", rel)
	case errors.Is(err, links.ErrSpecial):
		return notFile(rel)
	case errors.Is(err, fs.ErrNotExist):
		return missing(rel, "%q is not there", rel)
	}
	return failure("io_error", rel, "see that the file can be read", "%q cannot be looked at: %v", rel, err)
}

func missing(rel, format string, args ...any) error {
	return failure("not_found", rel, "list the files of the skill", format, args...)
}

func notFile(rel string) error {
	return failure("not_a_file", rel, "name a file, not a directory", "%q is not a file", rel)
}
