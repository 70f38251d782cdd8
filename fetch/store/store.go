// Package store keeps fetched git objects on disk, by what they are.
//
// Everything that is fetched becomes git objects (blobs and trees of archives and single files are computed from their
// bytes), kept per repository in packs: one file each, written as a stream, whose index stands at its end. So content is
// stored once, found by its id, and read straight from the pack into its destination; nothing is held in memory whole.
//
// Rules enforced here:
//
//   - a pack is taken in only when every object in it was inflated, bounded by [Limits] and hashed; deltas are resolved on
//     arrival and kept whole, so that a read never depends on more than one object;
//   - every object is hashed again when it is read: a damaged pack is an error for the reader, is put away, and from then
//     on counts as absent;
//   - files appear by renaming a finished temporary file, so several processes may share one store and a killed one
//     leaves nothing but a temporary file, which a later run removes;
//   - every write goes through an [os.Root]; no name from outside becomes a path.
//
// On disk: tmp/ holds what is on its way here; git/NAME/ is a repository, where NAME is made of its key, which stands in the file "key"; pack-HASH are its packs;
// roots.json names the trees of commits that came without their object. facts/ holds what was learnt about hosts. All of
// it may be removed at any time.
//
// Use:
//
//	s, err := store.Open(dir)
//	r, err := s.Repository("github.com/o/r")
//	stats, err := r.AddPack(ctx, body, store.Limits{})
//	tree, err := r.Commit(id)
//	entries, err := r.Tree(tree)
//	content, err := r.Open(entries[0].ID)
package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

var (
	// ErrMissing says that the store has no object of that id.
	ErrMissing = errors.New("object not in the store")
	// ErrDamaged says that stored bytes are not what their id says. The pack that held them is put away.
	ErrDamaged = errors.New("stored object is damaged")
	// ErrPack says that a stream is no well-formed pack, or that its end is missing.
	ErrPack = errors.New("malformed pack")
)

// LimitError says that a stream went beyond one of its [Limits].
type LimitError struct {
	What  string // "bytes", "unpacked bytes", "objects", "bytes in one object", "levels of directories", "times the packed size"
	Limit int64
}

// Error names the bound that was exceeded.
func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d %s", e.Limit, e.What)
}

// Limits bounds one stream into the store. A field that is zero stands for its value in [DefaultLimits].
type Limits struct {
	Bytes    int64 // bytes read from the stream
	Unpacked int64 // bytes of all objects together, inflated
	Object   int64 // bytes of one object, inflated
	Objects  int   // number of objects
	Depth    int   // parts of a path; packs have no paths, the readers of their trees count
	Ratio    int64 // inflated bytes for each byte read, looked at after the first 8 MiB
}

// ratioFrom is how much may be inflated before its ratio counts, in bytes: small files of one letter are no attack.
const ratioFrom = 8 << 20

// DefaultLimits are far above any repository of skills: 1 GiB as sent, 4 GiB unpacked, 256 MiB in one object, 250,000
// objects, 64 levels, 200 bytes from one.
func DefaultLimits() Limits {
	return Limits{Bytes: 1 << 30, Unpacked: 4 << 30, Object: 256 << 20, Objects: 250_000, Depth: 64, Ratio: 200}
}

// OrDefault fills in what is zero.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits()
	if l.Bytes > 0 {
		d.Bytes = l.Bytes
	}
	if l.Unpacked > 0 {
		d.Unpacked = l.Unpacked
	}
	if l.Object > 0 {
		d.Object = l.Object
	}
	if l.Objects > 0 {
		d.Objects = l.Objects
	}
	if l.Depth > 0 {
		d.Depth = l.Depth
	}
	if l.Ratio > 0 {
		d.Ratio = l.Ratio
	}
	return d
}

// Stats says what one stream brought.
type Stats struct {
	Objects  int   // objects taken in
	Deltas   int   // of these, sent as deltas
	Bytes    int64 // bytes read from the stream
	Unpacked int64 // bytes of all objects, inflated
}

// Store is a directory of repositories. Its methods may be called from several goroutines, and several processes may have
// the same directory open.
type Store struct {
	root *os.Root

	mu    sync.Mutex
	repos map[string]*Repository
}

// Open opens the store in dir and creates the directory where it is missing.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Store{root: root, repos: map[string]*Repository{}}, nil
}

// Close closes the files of all repositories.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, r := range s.repos {
		errs = append(errs, r.close())
	}
	s.repos = map[string]*Repository{}
	return errors.Join(append(errs, s.root.Close())...)
}

// Repository returns the repository that key names, such as "github.com/o/r"; letter case does not matter. Nothing is
// written before the first object arrives. Equal keys give the same value.
func (s *Store) Repository(key string) (*Repository, error) {
	key = strings.ToLower(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[key]; r != nil {
		return r, nil
	}
	r := &Repository{root: s.root, dir: "git/" + fileName(key), key: key}
	if err := r.Reload(); err != nil {
		return nil, err
	}
	s.repos[key] = r
	return r, nil
}

// fileName makes one safe file name of any text: what can be read of it, then a hash, since the first part alone would
// not tell "a/b" from "a+b".
func fileName(text string) string {
	sum := sha256.Sum256([]byte(text))
	readable := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '+'
	}, text)
	readable = strings.TrimLeft(readable[:min(len(readable), 80)], ".-")
	return readable + "-" + hex.EncodeToString(sum[:8])
}

// Temporary makes a file for what is on its way into the store. Done closes and removes it; what a killed process left is removed by a later
// call, after a day.
func (s *Store) Temporary() (file *os.File, done func(), err error) {
	const dir = "tmp"
	if err := s.root.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	sweep(s.root, dir)
	file, name, err := temporary(s.root, dir)
	if err != nil {
		return nil, nil, err
	}
	return file, func() {
		_ = file.Close()
		_ = s.root.Remove(name)
	}, nil
}

// temporary creates a file below dir whose name no other process uses.
func temporary(root *os.Root, dir string) (*os.File, string, error) {
	name := dir + "/tmp-" + rand.Text()
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	return f, name, err
}

// sweep removes temporary files that killed processes left in dir. A day is longer than any fetch.
func sweep(root *os.Root, dir string) {
	entries, _ := fs.ReadDir(root.FS(), dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), "tmp-") && time.Since(info.ModTime()) > 24*time.Hour {
			_ = root.Remove(dir + "/" + e.Name()) // another process may have been quicker
		}
	}
}
