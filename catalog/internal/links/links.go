// Package links finds where a path leads when every symbolic link on the way is followed, also where the end of it is not there. It
// reads the text of links itself, part by part, so the answer is the same on every file system and costs a bounded number of looks.
//
//	real, err := links.Resolve(fsys, "skills/pdf/a.md", false)
package links

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

const (
	maxHops   = 40   // links on one way, as Linux allows
	maxTarget = 4096 // bytes of the text of one link
)

// Why a path leads nowhere. ErrSpecial is for those who open what Resolve found.
var (
	ErrEscape  = errors.New("leads out of the file system")
	ErrLoop    = errors.New("leads back to itself")
	ErrSpecial = errors.New("neither a file nor a directory")
)

// Error is a link that leads nowhere: its path without links before it, its text, and ErrEscape, ErrLoop or [fs.ErrInvalid].
type Error struct {
	Link, Target string
	Err          error
}

// Error names the link and where it points.
func (e *Error) Error() string { return fmt.Sprintf("the link %q to %q %v", e.Link, e.Target, e.Err) }

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// Resolve gives the path that name leads to, free of links. What is not there stays as it is written, so a link to nothing gives the
// path where a file written through it would be. With whole set the file system is all there is: "/" in a link is its root, and above
// the root is the root. Without, such links are an *Error "leads out". Other errors are those of the file system.
func Resolve(fsys fs.FS, name string, whole bool) (string, error) {
	w := &way{fsys: fsys, whole: whole, at: ".", rest: strings.Split(name, "/"), last: Error{Link: name, Target: name}}
	for len(w.rest) > 0 {
		part := w.rest[0]
		w.rest = w.rest[1:]
		if err := w.step(part); err != nil {
			return "", err
		}
	}
	return w.at, nil
}

// way is how far Resolve has come: at is free of links, rest is still to go.
type way struct {
	fsys  fs.FS
	whole bool
	at    string
	file  bool // at is there and no directory, so that nothing is below it
	rest  []string
	hops  int
	last  Error // the last link
}

func (w *way) fail(why error) error {
	w.last.Err = why
	return &w.last
}

func (w *way) step(part string) error {
	switch {
	case part == "" || part == ".", part == ".." && w.at == "." && w.whole:
		return nil
	case part == ".." && w.at == ".":
		return w.fail(ErrEscape)
	case part == "..":
		w.at, w.file = path.Dir(w.at), false
		return nil
	}
	next := path.Join(w.at, part)
	if w.file {
		w.at = next
		return nil
	}
	info, err := fs.Lstat(w.fsys, next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.at = next
		return nil
	case err != nil:
		return err
	}
	return w.enter(next, info.Mode())
}

// enter goes on to what is there. Junctions of Windows are irregular files that have a text like links.
func (w *way) enter(next string, mode fs.FileMode) error {
	if mode&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		target, err := fs.ReadLink(w.fsys, next)
		if err == nil {
			return w.follow(next, target)
		}
		if mode&fs.ModeSymlink != 0 {
			return err
		}
	}
	w.at, w.file = next, !mode.IsDir()
	return nil
}

// follow puts the text of a link in front of what is still to go.
func (w *way) follow(link, target string) error {
	w.last = Error{Link: link, Target: target}
	if w.hops++; w.hops > maxHops {
		return w.fail(ErrLoop)
	}
	if len(target) > maxTarget {
		return w.fail(fs.ErrInvalid)
	}
	switch {
	case w.whole && strings.HasPrefix(target, "/"):
		w.at = "."
	case !w.whole && Absolute(target):
		return w.fail(ErrEscape)
	}
	w.rest = append(strings.Split(target, "/"), w.rest...)
	return nil
}

// Absolute covers what is absolute on any system, so that a link means the same everywhere.
func Absolute(target string) bool {
	return strings.HasPrefix(target, "/") || strings.HasPrefix(target, `\`) ||
		len(target) > 1 && target[1] == ':' && !strings.ContainsAny(target[:1], "./")
}

// Within reports whether a path lies in a directory or is it. Both are slash separated and free of links; "." holds everything.
func Within(dir, name string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}
