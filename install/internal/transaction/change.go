package transaction

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// change is one entry of one directory.
type change struct {
	Dir    string `json:"dir"`
	Name   string `json:"name"`
	Fresh  bool   `json:"fresh"`  // something new comes; else the entry is removed
	Had    bool   `json:"had"`    // something was there before
	Inode  uint64 `json:"inode"`  // of the new entry, 0 where the system has none
	Backup string `json:"backup"` // where the old entry goes, "" to remove it
}

func (c change) path() string               { return filepath.Join(c.Dir, c.Name) }
func (c change) staged(stage string) string { return filepath.Join(c.Dir, stage, newFolder, c.Name) }
func (c change) former(stage string) string { return filepath.Join(c.Dir, stage, oldFolder, c.Name) }

// apply moves the old entry out and the new one in. Where the system can exchange two names the entry is never absent.
func (c change) apply(r *record) error {
	switch {
	case !c.Had && !c.Fresh:
		return nil
	case !c.Had:
		if err := os.Rename(c.staged(r.Stage), c.path()); err != nil {
			return err
		}
		r.journal.reached("placed", c.Name)
		return nil
	case !c.Fresh:
		if err := os.Rename(c.path(), c.former(r.Stage)); err != nil {
			return err
		}
		r.journal.reached("removed", c.Name)
		return nil
	}
	return c.exchange(r)
}

// exchange swaps the staged and the present entry and files the latter as the former one.
func (c change) exchange(r *record) error {
	err := exchange(c.staged(r.Stage), c.path())
	if errors.Is(err, errors.ErrUnsupported) {
		if err := os.Rename(c.path(), c.former(r.Stage)); err != nil {
			return err
		}
		r.journal.reached("moved away", c.Name)
		if err := os.Rename(c.staged(r.Stage), c.path()); err != nil {
			return err
		}
		r.journal.reached("replaced", c.Name)
		return nil
	}
	if err != nil {
		return err
	}
	r.journal.reached("exchanged", c.Name)
	if err := os.Rename(c.staged(r.Stage), c.former(r.Stage)); err != nil {
		return err
	}
	r.journal.reached("replaced", c.Name)
	return nil
}

// undo puts the old entry back, from wherever the change stopped, and the new one back into the stage.
func (c change) undo(stage string) error {
	former, staged := exists(c.former(stage)), exists(c.staged(stage))
	swapped := !former && staged && c.Had && !c.is(c.staged(stage)) // the old entry is where the new one was
	switch {
	case former || swapped:
		if exists(c.path()) && !(c.Fresh && c.is(c.path())) {
			return fmt.Errorf("%q was made while a change was interrupted: move it away and run the command again", c.path())
		}
	case c.Fresh && !c.Had && !staged && exists(c.path()) && c.is(c.path()): // it was placed
		return os.Rename(c.path(), c.staged(stage))
	default:
		return nil // it had not begun, or is undone
	}
	switch {
	case swapped && exists(c.path()):
		return exchange(c.staged(stage), c.path())
	case swapped:
		return os.Rename(c.staged(stage), c.path())
	case exists(c.path()):
		if err := os.Rename(c.path(), c.staged(stage)); err != nil {
			return err
		}
	}
	return os.Rename(c.former(stage), c.path())
}

// is tells whether an entry is the new one of the change, as far as the system can tell.
func (c change) is(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && (c.Inode == 0 || inode(info) == c.Inode)
}
