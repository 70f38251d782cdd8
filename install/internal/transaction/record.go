package transaction

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// record is what the journal holds: enough to go back, or to clean up.
type record struct {
	Stage   string    `json:"stage"`
	Dirs    []string  `json:"dirs"`    // directories that hold a stage
	Changes []change  `json:"changes"` // empty or without Ready: nothing was renamed yet
	Written []written `json:"written"`
	Ready   bool      `json:"ready"` // renames may have begun
}

// written is a file that Commit writes, with what it replaced.
type written struct {
	Path string `json:"path"`
	Old  []byte `json:"old"` // nil when there was none
	New  []byte `json:"new"` // nil when it is removed
}

// change is one entry of one directory.
type change struct {
	Dir    string `json:"dir"`
	Name   string `json:"name"`
	Fresh  bool   `json:"fresh"`  // something new comes; else the entry is removed
	Had    bool   `json:"had"`    // something was there before
	Inode  uint64 `json:"inode"`  // of the staged entry, 0 where the system has none
	Backup string `json:"backup"` // where the old entry goes, "" to remove it
}

func (c change) path() string               { return filepath.Join(c.Dir, c.Name) }
func (c change) staged(stage string) string { return filepath.Join(c.Dir, stage, newFolder, c.Name) }
func (c change) former(stage string) string { return filepath.Join(c.Dir, stage, oldFolder, c.Name) }

// describe completes the record with what is on the disk now.
func (r *record) describe(files []File) error {
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Had = exists(c.path())
		if c.Fresh {
			info, err := os.Lstat(c.staged(r.Stage))
			if err != nil {
				return err
			}
			c.Inode = inode(info)
		}
	}
	for _, file := range files {
		old, err := os.ReadFile(file.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r.Written = append(r.Written, written{Path: file.Path, Old: old, New: file.Data})
	}
	r.Ready = true
	return nil
}

// write puts the record into the journal, so that a crash finds the old or the new one.
func (r *record) write(journal string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(journal), 0o755); err != nil {
		return err
	}
	return writeFile(File{Path: journal, Data: data})
}

// readRecord reads a journal.
func readRecord(journal string) (*record, error) {
	data, err := os.ReadFile(journal)
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("the record %q of an interrupted change is damaged: %w; look at the directories it names, then remove it", journal, err)
	}
	return &r, nil
}

// apply moves the old entry out and the new one in. Where the system can exchange two names the entry is never absent.
func (c change) apply(stage string, reached func(string)) error {
	switch {
	case !c.Had && !c.Fresh:
		return nil
	case !c.Had:
		if err := os.Rename(c.staged(stage), c.path()); err != nil {
			return err
		}
		reached("placed " + c.Name)
		return nil
	case !c.Fresh:
		if err := os.Rename(c.path(), c.former(stage)); err != nil {
			return err
		}
		reached("removed " + c.Name)
		return nil
	}
	return c.exchange(stage, reached)
}

// exchange swaps the staged and the present entry and files the latter as the former one.
func (c change) exchange(stage string, reached func(string)) error {
	err := exchange(c.staged(stage), c.path())
	if errors.Is(err, errors.ErrUnsupported) {
		if err := os.Rename(c.path(), c.former(stage)); err != nil {
			return err
		}
		reached("moved away " + c.Name)
		if err := os.Rename(c.staged(stage), c.path()); err != nil {
			return err
		}
		reached("replaced " + c.Name)
		return nil
	}
	if err != nil {
		return err
	}
	reached("exchanged " + c.Name)
	if err := os.Rename(c.staged(stage), c.former(stage)); err != nil {
		return err
	}
	reached("replaced " + c.Name)
	return nil
}

// undo brings every entry and file back and ends the record.
func (r *record) undo(journal string) error {
	if r.Ready {
		for i := len(r.Written) - 1; i >= 0; i-- {
			if err := r.Written[i].undo(); err != nil {
				return err
			}
		}
		for i := len(r.Changes) - 1; i >= 0; i-- {
			if err := r.Changes[i].undo(r.Stage); err != nil {
				return err
			}
		}
	}
	return r.discard(journal)
}

// undo writes the old content when the new one is there. A file that somebody changed since is left alone.
func (w written) undo() error {
	now, err := os.ReadFile(w.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, w.New) || (now == nil) != (w.New == nil) {
		return nil
	}
	return writeFile(File{Path: w.Path, Data: w.Old})
}

// undo puts the old entry back, from wherever the change stopped.
func (c change) undo(stage string) error {
	switch {
	case exists(c.former(stage)): // it was moved away; what is in its place, if anything, is the new one
		return c.restore(stage)
	case !c.Fresh: // the removal had not begun
		return nil
	case exists(c.staged(stage)):
		if c.Had && c.exchanged(stage) {
			return exchange(c.staged(stage), c.path())
		}
		return nil
	case !c.Had && exists(c.path()): // it was placed
		return os.Rename(c.path(), c.staged(stage))
	}
	return nil
}

// restore moves the former entry back over the new one.
func (c change) restore(stage string) error {
	if c.Fresh && !exists(c.staged(stage)) && exists(c.path()) {
		if err := os.Rename(c.path(), c.staged(stage)); err != nil {
			return err
		}
	}
	return os.Rename(c.former(stage), c.path())
}

// exchanged tells whether the staged name holds another entry than was staged, which is then the former one.
func (c change) exchanged(stage string) bool {
	info, err := os.Lstat(c.staged(stage))
	return err == nil && inode(info) != c.Inode
}

// committed tells whether the last file is written as the transaction wanted it. Without files, or with a last file that did not
// change, only the end of the record tells, so an interrupted one is undone.
func (r *record) committed() (bool, error) {
	if !r.Ready || len(r.Written) == 0 {
		return false, nil
	}
	last := r.Written[len(r.Written)-1]
	if bytes.Equal(last.Old, last.New) {
		return false, nil
	}
	now, err := os.ReadFile(last.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return bytes.Equal(now, last.New), nil
}

// finish moves what is to be kept to its backup, and cleans up.
func (r *record) finish(journal string, reached func(string)) error {
	for _, c := range r.Changes {
		if c.Backup == "" || !exists(c.former(r.Stage)) {
			continue
		}
		if err := keep(c.former(r.Stage), c.Backup); err != nil {
			return fmt.Errorf("the former %q is kept in %q, for it could not be moved to %q: %w", c.path(), c.former(r.Stage), c.Backup, err)
		}
		reached("kept " + c.Name)
	}
	return r.discard(journal)
}

// keep moves an entry to its backup.
func keep(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// discard removes the stages, then the journal.
func (r *record) discard(journal string) error {
	for _, dir := range r.Dirs {
		if err := os.RemoveAll(filepath.Join(dir, r.Stage)); err != nil {
			return err
		}
	}
	if err := os.Remove(journal); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// exists tells whether an entry is there, a dangling link included.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
