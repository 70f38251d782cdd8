package store

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Writer takes in the files of a whole tree, as archives and other transports deliver them, computes the ids that git
// would give, and keeps the result as one pack. It is used by one goroutine. Call Finish or Abort in the end.
type Writer struct {
	draft  *draft
	known  map[ID]bool // written by this writer
	files  []file      // in the order in which they came; the trees are made in the end
	buffer []byte
}

// file is an entry with its whole path.
type file struct {
	path string
	mode Mode
	id   ID
}

// NewWriter begins a tree.
func (r *Repository) NewWriter(ctx context.Context, limits Limits) (*Writer, error) {
	d, err := r.newDraft(ctx, limits)
	if err != nil {
		return nil, err
	}
	return &Writer{draft: d, known: map[ID]bool{}, buffer: make([]byte, 32<<10)}, nil
}

// File adds one file: a slash separated path without empty, "." or ".." elements, the mode (ModeFile, ModeExecutable, or
// ModeLink with the target as content) and exactly size bytes from in. Errors of in are returned as they are. A path that
// came before is replaced, as archives do; one that is a directory, too, is an error of Finish.
func (w *Writer) File(path string, mode Mode, size int64, in io.Reader) (ID, error) {
	if mode != ModeFile && mode != ModeExecutable && mode != ModeLink {
		return ID{}, fmt.Errorf("%w: mode %o for %q", ErrPack, mode, path)
	}
	for part := range strings.SplitSeq(path, "/") {
		if err := checkElement(part); err != nil {
			return ID{}, err
		}
	}
	if strings.Count(path, "/") >= w.draft.limits.Depth {
		return ID{}, &LimitError{"levels of directories", int64(w.draft.limits.Depth)}
	}
	if size > w.draft.limits.Object {
		return ID{}, &LimitError{"bytes in one object", w.draft.limits.Object}
	}
	if w.draft.stats.Bytes += size; w.draft.stats.Bytes > w.draft.limits.Unpacked {
		return ID{}, &LimitError{"unpacked bytes", w.draft.limits.Unpacked}
	}
	if len(w.files) >= w.draft.limits.Objects {
		return ID{}, &LimitError{"objects", int64(w.draft.limits.Objects)}
	}
	id, err := w.object(Blob, size, func(out io.Writer) error {
		_, err := io.CopyBuffer(out, in, w.buffer) // io.Copy would make one for each file
		return err
	})
	if err == nil {
		w.files = append(w.files, file{strings.Clone(path), mode, id})
	}
	return id, err
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

// Finish writes the trees and keeps the pack. It returns the id of the root tree.
func (w *Writer) Finish() (ID, Stats, error) {
	defer w.draft.abort()
	slices.SortStableFunc(w.files, func(a, b file) int { return compareSlashed(a.path, b.path) })
	root, err := w.tree("", w.files)
	if err != nil {
		return ID{}, w.draft.stats, err
	}
	return root, w.draft.stats, w.draft.finish()
}

// compareSlashed sorts the files of a directory together: a slash comes before every other byte.
func compareSlashed(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < len(a) && n < len(b) && (a[n] == '/') != (b[n] == '/') {
		if a[n] == '/' {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}

// Abort forgets everything. After Finish it does nothing.
func (w *Writer) Abort() { w.draft.abort() }

// tree writes the directory whose files, sorted, all begin with prefix.
func (w *Writer) tree(prefix string, files []file) (ID, error) {
	var entries []Entry
	for len(files) > 0 {
		name, _, below := strings.Cut(files[0].path[len(prefix):], "/")
		e := Entry{Name: name, Mode: files[0].mode, ID: files[0].id}
		n := 1
		if below {
			inner := prefix + name + "/"
			for n < len(files) && strings.HasPrefix(files[n].path, inner) {
				n++
			}
			id, err := w.tree(inner, files[:n])
			if err != nil {
				return ID{}, err
			}
			e.Mode, e.ID = ModeTree, id
		}
		files = files[n:]
		last := len(entries) - 1
		switch {
		case last < 0 || entries[last].Name != name:
			entries = append(entries, e)
		case below || entries[last].Mode == ModeTree:
			return ID{}, fmt.Errorf("%w: %q is a file and a directory", ErrPack, prefix+name)
		default:
			entries[last] = e // the later one
		}
	}
	data := encodeTree(entries)
	return w.object(Tree, int64(len(data)), func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}
