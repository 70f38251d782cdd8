package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Repository holds the objects of one repository. Its methods may be called from several goroutines.
type Repository struct {
	root *os.Root
	dir  string // below root
	key  string

	mu    sync.RWMutex
	packs []*pack              // replaced, never changed in place
	last  atomic.Pointer[pack] // in which the last object was found: its neighbours are likely there, too

	inflaters sync.Pool
}

// Key is the text that the repository was opened by, in lower case.
func (r *Repository) Key() string { return r.key }

// Reload takes in the packs that other processes added. A damaged pack is removed.
func (r *Repository) Reload() error {
	entries, err := fs.ReadDir(r.root.FS(), r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range entries {
		name := r.dir + "/" + e.Name()
		if !strings.HasPrefix(e.Name(), "pack-") || !e.Type().IsRegular() || r.loaded(name) {
			continue
		}
		if err := r.load(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r *Repository) loaded(name string) bool {
	return slices.ContainsFunc(r.packs, func(p *pack) bool { return p.name == name })
}

// load opens one pack; r.mu is held.
func (r *Repository) load(name string) error {
	file, err := r.root.Open(name)
	if err != nil {
		return err
	}
	p, err := openPack(file, name)
	if err == nil {
		r.packs = append(slices.Clip(r.packs), p)
		return nil
	}
	_ = file.Close()
	if errors.Is(err, ErrDamaged) {
		_ = r.root.Remove(name) // where it cannot be removed, it is passed over each time
		return nil
	}
	return err
}

func (r *Repository) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, p := range r.packs {
		errs = append(errs, p.file.Close())
	}
	r.packs = nil
	return errors.Join(errs...)
}

// drop puts a pack away in which a damaged object was found. Its file stays open as long as a reader has it.
func (r *Repository) drop(p *pack) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.packs = slices.DeleteFunc(slices.Clone(r.packs), func(other *pack) bool { return other == p })
	_ = r.root.Remove(p.name) // where that fails, the next reader finds the same damage
}

func (r *Repository) find(id ID) (*pack, record, bool) {
	r.mu.RLock()
	packs := r.packs
	r.mu.RUnlock()
	last := r.last.Load()
	if last != nil && slices.Contains(packs, last) {
		if rec, ok := last.find(id); ok {
			return last, rec, true
		}
	}
	for _, p := range packs {
		if p == last {
			continue
		}
		if rec, ok := p.find(id); ok {
			r.last.Store(p)
			return p, rec, true
		}
	}
	return nil, record{}, false
}

// Has reports whether the object is here. Its content is not read.
func (r *Repository) Has(id ID) bool {
	_, _, ok := r.find(id)
	return ok
}

// Stat returns kind and size in bytes of an object.
func (r *Repository) Stat(id ID) (kind Kind, size int64, ok bool) {
	_, rec, ok := r.find(id)
	return rec.kind, rec.size, ok
}

// Open reads an object's content. The content is hashed on the way: its last Read returns [ErrDamaged] instead of
// [io.EOF] when it is not what id says, so only content that was read to its end may be relied upon.
func (r *Repository) Open(id ID) (io.ReadCloser, error) {
	p, rec, ok := r.find(id)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrMissing, id)
	}
	in := r.inflater()
	if err := in.open(p.file, rec); err != nil {
		r.drop(p)
		return nil, err
	}
	return &reader{in: in, repo: r, pack: p}, nil
}

// read returns the whole content of an object of that kind. Damaged copies are put away and count as missing.
func (r *Repository) read(id ID, kind Kind) ([]byte, error) {
	for {
		p, rec, ok := r.find(id)
		if !ok {
			return nil, fmt.Errorf("%w: %s", ErrMissing, id)
		}
		if rec.kind != kind {
			return nil, fmt.Errorf("%w: %s is of another kind", ErrPack, id)
		}
		in := r.inflater()
		data, err := in.readAll(p.file, rec)
		r.inflaters.Put(in)
		if err == nil {
			return data, nil
		}
		r.drop(p)
	}
}

// Tree reads a tree.
func (r *Repository) Tree(id ID) ([]Entry, error) {
	data, err := r.read(id, Tree)
	if err != nil {
		return nil, err
	}
	return parseTree(data)
}

// Commit returns the root tree of a commit: from the commit object, or as [Repository.SetRoot] recorded it.
func (r *Repository) Commit(id ID) (ID, error) {
	data, err := r.read(id, Commit)
	if err == nil {
		return commitTree(data)
	}
	if root, ok := readFacts(r.root, r.dir+"/roots.json")[id.String()]; ok {
		return ParseID(root)
	}
	return ID{}, err
}

// SetRoot records the root tree of a commit whose object did not come along, as with archives.
func (r *Repository) SetRoot(commit, tree ID) error {
	return addFacts(r.root, r.dir, "roots.json", Facts{commit.String(): tree.String()})
}

// Complete reports whether the tree and everything below it is here, submodules apart. No content is read but that of
// trees.
func (r *Repository) Complete(tree ID) bool {
	return r.complete(tree, map[ID]bool{})
}

// complete looks at each tree once: a hostile repository may name one tree a million times.
func (r *Repository) complete(tree ID, seen map[ID]bool) bool {
	if seen[tree] {
		return true
	}
	seen[tree] = true
	entries, err := r.Tree(tree)
	if err != nil {
		return false
	}
	for _, e := range entries {
		switch {
		case e.Mode == ModeSubmodule:
		case e.Mode == ModeTree && !r.complete(e.ID, seen), e.Mode != ModeTree && !r.Has(e.ID):
			return false
		}
	}
	return true
}
