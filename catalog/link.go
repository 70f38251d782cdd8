package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"skills/catalog/internal/links"
	"skills/source/names"
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
	w := &way{fsys: fsys, at: ".", rest: strings.Split(name, "/"), fault: linkError{kind: errDangling}}
	if err := w.stand(); err != nil {
		return "", nil, err
	}
	for len(w.rest) > 0 {
		part := w.rest[0]
		w.rest = w.rest[1:]
		if err := w.step(part); err != nil {
			return "", nil, err
		}
	}
	return w.at, w.info, nil
}

// way is how far follow has come: at is free of links, rest is still to go.
type way struct {
	fsys  fs.FS
	at    string
	info  fs.FileInfo // of at
	rest  []string
	hops  int
	fault linkError
}

// stand looks at where the way has come to.
func (w *way) stand() (err error) {
	if w.info, err = fs.Lstat(w.fsys, w.at); err != nil {
		return &w.fault
	}
	return nil
}

func (w *way) fail(kind error) error {
	w.fault.kind = kind
	return &w.fault
}

func (w *way) step(part string) error {
	w.fault.reached = path.Join(w.at, part)
	switch {
	case part == "" || part == ".":
		return nil
	case part == ".." && w.at == ".", names.IsGit(part):
		return w.fail(errEscape)
	case part == "..":
		w.at = path.Dir(w.at)
		return w.stand()
	case !w.info.IsDir():
		return &w.fault
	}
	info, err := fs.Lstat(w.fsys, w.fault.reached)
	if err != nil {
		return &w.fault
	}
	if info.Mode().Type() == fs.ModeSymlink {
		return w.link(w.fault.reached)
	}
	w.at, w.info = w.fault.reached, info
	return nil
}

// link puts the target of a link in front of what is still to go.
func (w *way) link(name string) (err error) {
	if w.hops++; w.hops > maxHops {
		return w.fail(errLoop)
	}
	w.fault.link = name
	if w.fault.target, err = fs.ReadLink(w.fsys, name); err != nil {
		return &w.fault
	}
	if links.Absolute(w.fault.target) {
		return w.fail(errEscape)
	}
	w.rest = append(strings.Split(w.fault.target, "/"), w.rest...)
	return nil
}

// within says whether a path lies in a directory ("." holds everything).
func within(dir, name string) bool { return links.Within(dir, name) }
