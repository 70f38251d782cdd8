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

// state says how far a transaction came. Without one nothing is renamed: not yet, or not any more.
type state string

const (
	ready     state = "ready"     // renames may have begun; everything can be undone
	committed state = "committed" // everything is in place; what is left over goes
)

// record is what the journal holds: enough to go back, or to clean up.
type record struct {
	Stage   string    `json:"stage"` // name of the stage in each directory
	State   state     `json:"state"`
	Made    []string  `json:"made"`    // directories that were made, each before its parent
	Dirs    []string  `json:"dirs"`    // directories that hold a stage
	Changes []change  `json:"changes"` // of no meaning without a state
	Written []written `json:"written"` // of no meaning but when ready
	Emptied []string  `json:"emptied"` // directories that go in the end if they are empty, each before its parent

	journal Journal
}

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
	return nil
}

// write puts the record into the journal, so that a crash finds the old or the new one.
func (r *record) write() error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.journal.Path), 0o755); err != nil {
		return err
	}
	return writeFile(File{Path: r.journal.Path, Data: data}, "journal")
}

// mark writes that the transaction came so far.
func (r *record) mark(s state) error {
	r.State = s
	if err := r.write(); err != nil {
		return err
	}
	r.journal.reached("marked", string(s))
	return nil
}

// readRecord reads a journal.
func readRecord(j Journal) (*record, error) {
	data, err := os.ReadFile(j.Path)
	if err != nil {
		return nil, err
	}
	r := record{journal: j}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("the record %q of an interrupted change is damaged: %w; look at the directories it names, then remove it", j.Path, err)
	}
	return &r, nil
}

// syncDirs makes renames last.
func (r *record) syncDirs() error {
	for _, dir := range r.Dirs {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// writeFiles writes the files in their order.
func (r *record) writeFiles() error {
	for _, w := range r.Written {
		if err := writeFile(File{Path: w.Path, Data: w.New}, r.Stage); err != nil {
			return err
		}
		r.journal.reached("file", filepath.Base(w.Path))
	}
	return nil
}

// undo brings every entry and file back and ends the record.
func (r *record) undo() error {
	if r.State == ready {
		for i := len(r.Written) - 1; i >= 0; i-- {
			if err := r.Written[i].undo(r.Stage); err != nil {
				return err
			}
			r.journal.reached("undone", filepath.Base(r.Written[i].Path))
		}
		for i := len(r.Changes) - 1; i >= 0; i-- {
			if err := r.Changes[i].undo(r.Stage); err != nil {
				return err
			}
			r.journal.reached("undone", r.Changes[i].Name)
		}
		if err := errors.Join(r.syncDirs(), r.mark("")); err != nil { // or what is discarded now might be taken for the old state
			return err
		}
	}
	return r.discard(r.Made)
}

// finish moves what is to be kept to its backup, and cleans up.
func (r *record) finish() error {
	for _, c := range r.Changes {
		former := c.former(r.Stage)
		if c.Backup == "" || !exists(former) {
			continue
		}
		if err := keep(former, c.Backup, r.Stage); err != nil {
			return fmt.Errorf("the former %q is kept in %q, for it could not be moved to %q: %w", c.path(), former, c.Backup, err)
		}
		r.journal.reached("kept", c.Name)
	}
	return r.discard(r.Emptied)
}

// discard removes the stages, directories that are empty, and the journal.
func (r *record) discard(empty []string) error {
	for _, dir := range r.Dirs {
		if err := os.RemoveAll(filepath.Join(dir, r.Stage)); err != nil {
			return err
		}
		r.journal.reached("discarded", filepath.Base(dir))
	}
	for _, dir := range empty {
		_ = os.Remove(dir) // one that is not empty stays
	}
	r.journal.reached("discarded", "directories")
	return remove(r.journal.Path)
}

// written is a file that Commit writes, with what it replaced.
type written struct {
	Path string `json:"path"`
	Old  []byte `json:"old"` // nil when there was none
	New  []byte `json:"new"` // nil when it is removed
}

// undo writes the old content when the new one is there. A file that somebody changed since is left alone.
func (w written) undo(stage string) error {
	now, err := os.ReadFile(w.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.Equal(now, w.New) && (now == nil) == (w.New == nil) {
		return writeFile(File{Path: w.Path, Data: w.Old}, stage)
	}
	return remove(beside(w.Path, stage))
}
