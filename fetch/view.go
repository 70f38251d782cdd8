package fetch

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"skills/fetch/store"
)

// ErrNotLoaded says that a file is in the listing, but its content was not loaded.
var ErrNotLoaded = errors.New("not loaded")

// maxHops bounds a chain of links.
const maxHops = 16

// view shows a listing and the contents in the store as a file system.
type view struct {
	root *node
	repo *store.Repository
}

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// lookup finds an entry; the name is checked.
func (v *view) lookup(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, fail(op, name, fs.ErrInvalid)
	}
	n := v.root.find(name)
	if n == nil {
		return nil, fail(op, name, fs.ErrNotExist)
	}
	return n, nil
}

// follow finds what a name leads to when its last element is a link. Links out of the tree lead nowhere.
func (v *view) follow(op, name string) (*node, error) {
	at := name
	for range maxHops {
		n, err := v.lookup(op, at)
		if err != nil || n.mode != store.ModeLink {
			return n, err
		}
		target, err := v.ReadLink(at)
		if err != nil {
			return nil, err
		}
		at = path.Join(path.Dir(at), target)
		if path.IsAbs(target) || !fs.ValidPath(at) {
			return nil, fail(op, name, fs.ErrNotExist)
		}
	}
	return nil, fail(op, name, errors.New("too many links"))
}

// Open opens a file for reading or a directory for listing. A link at the end of the name is followed.
func (v *view) Open(name string) (fs.File, error) {
	n, err := v.follow("open", name)
	if err != nil {
		return nil, err
	}
	info := v.info(n, name)
	if n.mode == store.ModeTree {
		return &openDir{info: info, entries: v.entries(n)}, nil
	}
	in, err := v.content(n)
	if err != nil {
		return nil, fail("open", name, err)
	}
	return &openFile{ReadCloser: in, info: info}, nil
}

func (v *view) content(n *node) (io.ReadCloser, error) {
	in, err := v.repo.Open(n.id)
	if errors.Is(err, store.ErrMissing) {
		return nil, ErrNotLoaded
	}
	return in, err
}

// ReadDir lists a directory, sorted by name.
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := v.follow("readdir", name)
	if err != nil {
		return nil, err
	}
	if n.mode != store.ModeTree {
		return nil, fail("readdir", name, errors.New("not a directory"))
	}
	return v.entries(n), nil
}

func (v *view) entries(n *node) []fs.DirEntry {
	entries := make([]fs.DirEntry, len(n.children))
	for i, c := range n.children {
		entries[i] = fs.FileInfoToDirEntry(v.info(c, c.name))
	}
	return entries
}

// Stat describes what a name leads to.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	n, err := v.follow("stat", name)
	if err != nil {
		return nil, err
	}
	return v.info(n, name), nil
}

// Lstat describes an entry, which may be a link.
func (v *view) Lstat(name string) (fs.FileInfo, error) {
	n, err := v.lookup("lstat", name)
	if err != nil {
		return nil, err
	}
	return v.info(n, name), nil
}

// ReadLink gives the text of a link.
func (v *view) ReadLink(name string) (string, error) {
	n, err := v.lookup("readlink", name)
	if err != nil {
		return "", err
	}
	if n.mode != store.ModeLink {
		return "", fail("readlink", name, fs.ErrInvalid)
	}
	in, err := v.content(n)
	if err != nil {
		return "", fail("readlink", name, err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, 4097))
	if err == nil && len(text) > 4096 { // PATH_MAX of Linux
		err = errors.New("a link this long leads nowhere")
	}
	if err != nil {
		return "", fail("readlink", name, err)
	}
	return string(text), nil
}

// ObjectID gives the git id of a file or directory.
func (v *view) ObjectID(name string) (id string, ok bool) {
	n, err := v.lookup("id", name)
	if err != nil || n.id.IsZero() {
		return "", false
	}
	return n.id.String(), true
}

func (v *view) info(n *node, name string) *info {
	return &info{name: path.Base(name), node: n, view: v}
}

// info describes one entry. Its size is looked up when it is asked for.
type info struct {
	name string
	node *node
	view *view
}

// Name is the last element of the path.
func (i *info) Name() string { return i.name }

// Size is in bytes; 0 for what was not loaded.
func (i *info) Size() int64 {
	if i.node.mode == store.ModeTree || i.node.mode == store.ModeSubmodule {
		return 0
	}
	_, size, _ := i.view.repo.Stat(i.node.id)
	return size
}

// Mode is the kind and whether the file can be executed.
func (i *info) Mode() fs.FileMode {
	switch i.node.mode {
	case store.ModeTree:
		return fs.ModeDir | 0o755
	case store.ModeExecutable:
		return 0o755
	case store.ModeLink:
		return fs.ModeSymlink | 0o777
	case store.ModeSubmodule:
		return fs.ModeIrregular
	}
	return 0o644
}

// ModTime is not known to git.
func (i *info) ModTime() time.Time { return time.Time{} }

// IsDir reports whether the entry is a directory.
func (i *info) IsDir() bool { return i.node.mode == store.ModeTree }

// Sys gives nothing.
func (i *info) Sys() any { return nil }

// openFile is a file that is being read.
type openFile struct {
	io.ReadCloser
	info *info
}

// Stat describes the file.
func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// openDir is a directory that is being listed.
type openDir struct {
	info    *info
	entries []fs.DirEntry
}

// Stat describes the directory.
func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }

// Read fails: a directory has no content.
func (d *openDir) Read([]byte) (int, error) {
	return 0, fail("read", d.info.name, errors.New("is a directory"))
}

// Close ends the listing.
func (d *openDir) Close() error { return nil }

// ReadDir gives the next n entries, all that are left for n <= 0.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(d.entries) {
		if n > 0 && len(d.entries) == 0 {
			return nil, io.EOF
		}
		n = len(d.entries)
	}
	next := d.entries[:n]
	d.entries = d.entries[n:]
	return next, nil
}
