// Package transaction replaces entries of directories and then files, all of them or none, whatever happens meanwhile.
//
// New directories and links are made in a stage beside their destination, so that they lie on the same file system, and are put in
// place by renames; then the files are written. The commit point is a mark in the journal: when a process dies before it,
// [Journal.Recover] brings back the old state, and when it dies after it, Recover cleans up.
//
// Rules kept here:
//
//   - Nothing is removed before the commit point, and nothing new before all that is old is back. What was in the way is moved into
//     the stage first.
//   - What somebody else put in a place since a crash is not taken away.
//   - Every write goes through an [os.Root] of the stage; an entry's name is one path element.
//   - The journal lies where the caller says, outside of what it describes: it names directories, so one that came with a
//     project that somebody else wrote must never be believed.
//   - One transaction at a time for one journal. The caller holds a lock.
//
// A use:
//
//	t, err := transaction.Journal{Path: path}.Begin()
//	root, err := t.Replace("/p/.agents/skills", "pdf") // write the files of the skill below root
//	err = t.Link("/p/.claude/skills", "pdf", "../../.agents/skills/pdf")
//	err = t.Commit(ctx, transaction.File{Path: "/p/skills.lock", Data: lock})
package transaction

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// StagePrefix begins the name of each stage. A stage holds no SKILL.md at its first level, so agents that look one level deep see
// no skill in it.
const StagePrefix = ".skills-stage-"

// The two folders of a stage: what is to come, and what was there.
const (
	newFolder = "new"
	oldFolder = "old"
)

// File is one file to be written after the directories are in place. Data nil removes it.
type File struct {
	Path string // absolute
	Data []byte
}

// Journal is where transactions are recorded, one at a time.
type Journal struct {
	Path string // absolute
	// Reached is called at each point at which a crash would leave another state behind; while things are staged, from several
	// goroutines and with a text that begins with "stage ". Tests stop there. Nil for nothing.
	Reached func(point string)
}

// reached tells that a point was reached.
func (j Journal) reached(what, name string) {
	if j.Reached != nil {
		j.Reached(what + " " + name)
	}
}

// Transaction collects changes; nothing that exists is touched before Commit. MakeDir, Replace, Link, Remove and Keep may be called
// from several goroutines.
type Transaction struct {
	mutex  sync.Mutex
	roots  map[string]*os.Root // of each directory's stage
	record record
	begun  bool // the journal is written
}

// Begin starts a transaction. A journal that exists is an error: a transaction that did not end has to be recovered first.
func (j Journal) Begin() (*Transaction, error) {
	if exists(j.Path) {
		return nil, fmt.Errorf("an interrupted change is recorded in %q: it has to be recovered first", j.Path)
	}
	var id [6]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	return &Transaction{
		roots:  map[string]*os.Root{},
		record: record{Stage: StagePrefix + hex.EncodeToString(id[:]), journal: j},
	}, nil
}

// MakeDir makes a directory and its parents as far as they are missing. They go again when they are empty and the old state is
// brought back.
func (t *Transaction) MakeDir(dir string) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	var missing []string
	for ; !exists(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		missing = append(missing, dir)
	}
	if len(missing) == 0 {
		return nil
	}
	t.record.Made = append(missing, t.record.Made...) // the innermost first
	if err := t.note(); err != nil {
		return err
	}
	for _, dir := range slices.Backward(missing) {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		t.record.journal.reached("stage directory", filepath.Base(dir))
	}
	return nil
}

// note writes the journal while things are staged.
func (t *Transaction) note() error {
	t.begun = true
	if err := t.record.write(); err != nil {
		return err
	}
	t.record.journal.reached("stage", "journal")
	return nil
}

// Replace returns the root of an empty directory that becomes the entry name of the directory dir at Commit. The caller closes it.
func (t *Transaction) Replace(dir, name string) (root *os.Root, err error) {
	err = t.stageEntry(change{Dir: dir, Name: name, Fresh: true}, func(stage *os.Root, staged string) error {
		if err := stage.Mkdir(staged, 0o755); err != nil {
			return err
		}
		root, err = stage.OpenRoot(staged)
		return err
	})
	return root, err
}

// Link makes the entry name of the directory dir a symbolic link with the given text. After an error the same entry may be replaced
// by a directory, for there are systems on which links are not to be had.
func (t *Transaction) Link(dir, name, text string) error {
	return t.stageEntry(change{Dir: dir, Name: name, Fresh: true}, func(stage *os.Root, staged string) error {
		return stage.Symlink(text, staged)
	})
}

// Remove takes the entry name out of the directory dir.
func (t *Transaction) Remove(dir, name string) error {
	return t.stageEntry(change{Dir: dir, Name: name}, func(*os.Root, string) error { return nil })
}

// Keep moves what the entry name of dir holds now to the absolute path backup at Commit, instead of removing it.
func (t *Transaction) Keep(dir, name, backup string) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for i := range t.record.Changes {
		if c := &t.record.Changes[i]; c.Dir == dir && c.Name == name {
			c.Backup = backup
			return nil
		}
	}
	return fmt.Errorf("nothing is to change at %q", filepath.Join(dir, name))
}

// Prune removes directories at Commit in which nothing is left then: give a directory before its parent.
func (t *Transaction) Prune(dirs ...string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.record.Emptied = append(t.record.Emptied, dirs...)
}

// stageEntry makes the new entry of a change in the stage and notes the change.
func (t *Transaction) stageEntry(c change, make func(stage *os.Root, staged string) error) error {
	if c.Name == "" || c.Name != filepath.Base(c.Name) || c.Name == "." || c.Name == ".." {
		return fmt.Errorf("%q is no name of a directory entry", c.Name)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	stage, err := t.open(c.Dir)
	if err != nil {
		return err
	}
	if err := make(stage, filepath.Join(newFolder, c.Name)); err != nil {
		return err
	}
	t.record.Changes = append(t.record.Changes, c)
	t.record.journal.reached("stage entry", c.Name)
	return nil
}

// open makes the stage of a directory, once. The journal names it before it exists.
func (t *Transaction) open(dir string) (*os.Root, error) {
	if root := t.roots[dir]; root != nil {
		return root, nil
	}
	t.record.Dirs = append(t.record.Dirs, dir)
	if err := t.note(); err != nil {
		return nil, err
	}
	root, err := makeStage(dir, t.record.Stage)
	if err != nil {
		return nil, err
	}
	t.record.journal.reached("stage in", filepath.Base(dir))
	t.roots[dir] = root
	return root, nil
}

// makeStage creates the folders of a stage and opens it.
func makeStage(dir, name string) (*os.Root, error) {
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	for _, folder := range []string{name, filepath.Join(name, newFolder), filepath.Join(name, oldFolder)} {
		if err := parent.Mkdir(folder, 0o755); err != nil {
			return nil, err
		}
	}
	return parent.OpenRoot(name)
}

// Commit puts everything in place and writes the files in their order. On an error the old state is there again. The context is
// looked at until the first rename.
func (t *Transaction) Commit(ctx context.Context, files ...File) error {
	if err := t.prepare(ctx, files); err != nil {
		return errors.Join(err, t.Abort())
	}
	t.begun = false
	err := t.swap()
	if err == nil {
		err = t.record.writeFiles()
	}
	if err == nil {
		err = t.record.mark(committed)
	}
	t.close()
	if err == nil {
		return t.record.finish()
	}
	t.record.State = ready
	if undo := t.record.undo(); undo != nil {
		return errors.Join(err, fmt.Errorf("the change could not be undone and will be at the next run: %w", undo))
	}
	return err
}

// prepare writes the staged bytes to the disk and the journal with all that undoing needs.
func (t *Transaction) prepare(ctx context.Context, files []File) error {
	t.record.journal.reached("staged", "everything")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for dir := range t.roots {
		if err := syncTree(filepath.Join(dir, t.record.Stage)); err != nil {
			return err
		}
	}
	if err := t.record.describe(files); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t.begun = true
	return t.record.mark(ready)
}

// swap renames everything into place.
func (t *Transaction) swap() error {
	for _, c := range t.record.Changes {
		if err := c.apply(&t.record); err != nil {
			return err
		}
	}
	return t.record.syncDirs()
}

// Abort forgets everything that was staged. After Commit it does nothing.
func (t *Transaction) Abort() error {
	t.close()
	if !t.begun {
		return nil
	}
	t.begun = false
	return t.record.discard(t.record.Made)
}

// close lets go of the stages.
func (t *Transaction) close() {
	for _, root := range t.roots {
		_ = root.Close() // opened for names only
	}
	t.roots = nil
}

// Recover brings an interrupted transaction to an end: the new state when it was committed, else the old one. It returns whether
// there was one.
func (j Journal) Recover() (bool, error) {
	r, err := readRecord(j)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if r.State == committed {
		return true, r.finish()
	}
	return true, r.undo()
}
