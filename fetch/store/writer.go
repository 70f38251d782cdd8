package store

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Writer takes in the files of a whole tree, as archives and other transports deliver them, computes the ids that git
// would give, and keeps the result as one pack. It is used by one goroutine. Call Finish or Abort in the end.
type Writer struct {
	draft *draft
	known map[ID]bool // written by this writer
	root  *directory
}

// directory is a tree under construction: a name holds a file's entry or another directory.
type directory struct {
	files map[string]Entry
	dirs  map[string]*directory
}

// NewWriter begins a tree.
func (r *Repository) NewWriter(ctx context.Context, limits Limits) (*Writer, error) {
	d, err := r.newDraft(ctx, limits)
	if err != nil {
		return nil, err
	}
	return &Writer{draft: d, known: map[ID]bool{}, root: &directory{}}, nil
}

// File adds one file: a slash separated path without empty, "." or ".." elements, the mode (ModeFile, ModeExecutable, or
// ModeLink with the target as content) and exactly size bytes from in. Errors of in are returned as they are. A path that
// came before is replaced, as archives do.
func (w *Writer) File(path string, mode Mode, size int64, in io.Reader) (ID, error) {
	if mode != ModeFile && mode != ModeExecutable && mode != ModeLink {
		return ID{}, fmt.Errorf("%w: mode %o for %q", ErrPack, mode, path)
	}
	if size > w.draft.limits.Object {
		return ID{}, &LimitError{"bytes in one object", w.draft.limits.Object}
	}
	if w.draft.stats.Bytes += size; w.draft.stats.Bytes > w.draft.limits.Unpacked {
		return ID{}, &LimitError{"unpacked bytes", w.draft.limits.Unpacked}
	}
	dir, name, err := w.place(path)
	if err != nil {
		return ID{}, err
	}
	id, err := w.object(Blob, size, func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	})
	if err != nil {
		return ID{}, err
	}
	if dir.dirs[name] != nil {
		return ID{}, fmt.Errorf("%w: %q is a file and a directory", ErrPack, path)
	}
	if dir.files == nil {
		dir.files = map[string]Entry{}
	}
	dir.files[name] = Entry{Name: name, Mode: mode, ID: id}
	return id, nil
}

// object writes an object once: what is here already is taken back.
func (w *Writer) object(kind Kind, size int64, write func(io.Writer) error) (ID, error) {
	d := w.draft
	rec, err := d.put(kind, size, write)
	if err != nil {
		return ID{}, err
	}
	if !w.known[rec.id] && !d.repo.Has(rec.id) {
		w.known[rec.id] = true
		return rec.id, d.add(rec)
	}
	if err := d.out.Flush(); err != nil {
		return ID{}, err
	}
	d.offset = rec.offset
	return rec.id, d.ctx.Err()
}

// place finds the directory of path and makes it where it is missing.
func (w *Writer) place(path string) (*directory, string, error) {
	parts := strings.Split(path, "/")
	dir := w.root
	for i, part := range parts {
		if err := checkElement(part); err != nil {
			return nil, "", err
		}
		if i == len(parts)-1 {
			break
		}
		if _, ok := dir.files[part]; ok {
			return nil, "", fmt.Errorf("%w: %q is a file and a directory", ErrPack, strings.Join(parts[:i+1], "/"))
		}
		if dir.dirs == nil {
			dir.dirs = map[string]*directory{}
		}
		if dir.dirs[part] == nil {
			dir.dirs[part] = &directory{}
		}
		dir = dir.dirs[part]
	}
	return dir, parts[len(parts)-1], nil
}

// Finish writes the trees and keeps the pack. It returns the id of the root tree.
func (w *Writer) Finish() (ID, Stats, error) {
	defer w.draft.abort()
	root, err := w.tree(w.root)
	if err != nil {
		return ID{}, w.draft.stats, err
	}
	return root, w.draft.stats, w.draft.finish()
}

// Abort forgets everything. After Finish it does nothing.
func (w *Writer) Abort() { w.draft.abort() }

func (w *Writer) tree(dir *directory) (ID, error) {
	var entries []Entry
	for _, e := range dir.files {
		entries = append(entries, e)
	}
	for name, sub := range dir.dirs {
		id, err := w.tree(sub)
		if err != nil {
			return ID{}, err
		}
		entries = append(entries, Entry{Name: name, Mode: ModeTree, ID: id})
	}
	data := encodeTree(entries)
	return w.object(Tree, int64(len(data)), func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}
