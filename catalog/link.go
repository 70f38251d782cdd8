package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// maxHops bounds the links on the way to one file, as Linux does.
const maxHops = 40

// linkError says why a path through links leads nowhere. Reached is the path
// that was missing, Link and Target the last link on the way.
type linkError struct {
	kind         error // errEscape, errDangling, errLoop
	link, target string
	reached      string
}

var (
	errEscape   = errors.New("leaves the repository")
	errDangling = errors.New("points at nothing")
	errLoop     = errors.New("leads back to itself")
)

func (e *linkError) Error() string {
	if e.link == "" {
		return fmt.Sprintf("%q is not there", e.reached)
	}
	return fmt.Sprintf("the link %q to %q %s", e.link, e.target, e.kind)
}

func (e *linkError) Unwrap() error { return e.kind }

// follow resolves every link on the way to name and gives the path without
// links and what stands there. The file system's root is never left, whatever
// its own idea of links is: targets are read as text, part by part.
func follow(fsys fs.FS, name string) (string, fs.FileInfo, error) {
	e := &linkError{kind: errDangling}
	rest, at, hops := strings.Split(name, "/"), ".", 0
	info, err := fs.Lstat(fsys, ".")
	for len(rest) > 0 && err == nil {
		part := rest[0]
		rest = rest[1:]
		e.reached = path.Join(at, part)
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && at == ".", isGit(part):
			e.kind = errEscape
			return "", nil, e
		case part == "..":
			at = path.Dir(at)
			info, err = fs.Lstat(fsys, at)
			continue
		case !info.IsDir():
			return "", nil, e
		}
		if info, err = fs.Lstat(fsys, e.reached); err != nil {
			break
		}
		if info.Mode().Type() != fs.ModeSymlink {
			at = e.reached
			continue
		}
		if hops++; hops > maxHops {
			e.kind = errLoop
			return "", nil, e
		}
		e.link = e.reached
		if e.target, err = fs.ReadLink(fsys, e.reached); err != nil {
			break
		}
		if isAbsolute(e.target) {
			e.kind = errEscape
			return "", nil, e
		}
		rest = append(strings.Split(e.target, "/"), rest...)
		info, err = fs.Lstat(fsys, at)
	}
	if err != nil {
		return "", nil, e
	}
	return at, info, nil
}

// isAbsolute covers what is absolute on any system, so that a link means the
// same everywhere.
func isAbsolute(target string) bool {
	return strings.HasPrefix(target, "/") || strings.HasPrefix(target, `\`) ||
		len(target) > 1 && target[1] == ':' && !strings.ContainsAny(target[:1], "./")
}

// within says whether a path lies in a directory ("." holds everything).
func within(dir, name string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}
