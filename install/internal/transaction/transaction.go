// Package transaction replaces entries of directories and then files, all of them or none, whatever happens meanwhile.
//
// New directories and links are made in a stage beside their destination, so that they lie on the same file system, and are put in
// place by renames. The last file written is the commit point: when a process dies before it, [Recover] brings back the old state,
// and when it dies after it, Recover cleans up.
//
// Rules kept here:
//
//   - Nothing is removed before the commit point. What was in the way is moved into the stage first.
//   - Every write goes through an [os.Root] of the stage; an entry's name is one path element.
//   - The journal lies where the caller says, outside of what it describes: it names directories, so one that came with a
//     project that somebody else wrote must never be believed.
//   - One transaction at a time for one journal. The caller holds a lock.
//
// A use:
//
//	t, err := transaction.Begin(journal)
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

// Transaction collects changes; nothing that exists is touched before Commit. Replace, Link and Remove may be called from several
// goroutines.
type Transaction struct {
	journal string
	stage   string // name of the stage in each directory
	mutex   sync.Mutex
	roots   map[string]*os.Root // of each directory's stage
	record  record
	// reached is called at each point at which a crash would leave another state behind. Tests stop there.
	reached func(point string)
}

// Begin starts a transaction whose journal is the file of the given absolute path. A journal that exists is an error: a transaction
// that did not end has to be recovered first.
func Begin(journal string) (*Transaction, error) {
	if _, err := os.Lstat(journal); err == nil {
		return nil, fmt.Errorf("an interrupted change is recorded in %q: it has to be recovered first", journal)
	}
	var id [6]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	t := &Transaction{
		journal: journal,
		stage:   StagePrefix + hex.EncodeToString(id[:]),
		roots:   map[string]*os.Root{},
		reached: func(string) {},
	}
	t.record.Stage = t.stage
	return t, nil
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
	return nil
}

// open makes the stage of a directory, once. The journal names it before it exists.
func (t *Transaction) open(dir string) (*os.Root, error) {
	if root := t.roots[dir]; root != nil {
		return root, nil
	}
	t.record.Dirs = append(t.record.Dirs, dir)
	if err := t.record.write(t.journal); err != nil {
		return nil, err
	}
	root, err := makeStage(dir, t.stage)
	if err != nil {
		return nil, err
	}
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

// Commit puts everything in place and writes the files in their order; the last of them is the commit point. On an error the old
// state is there again. The context is looked at until the first rename.
func (t *Transaction) Commit(ctx context.Context, files ...File) error {
	if err := t.prepare(ctx, files); err != nil {
		return errors.Join(err, t.Abort())
	}
	if err := t.swap(); err != nil {
		return t.fail(err)
	}
	for _, file := range files {
		if err := writeFile(file); err != nil {
			return t.fail(err)
		}
		t.reached("file " + filepath.Base(file.Path))
	}
	t.close()
	return t.record.finish(t.journal, t.reached)
}

// prepare writes the staged bytes to the disk and the journal with all that undoing needs.
func (t *Transaction) prepare(ctx context.Context, files []File) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for dir := range t.roots {
		if err := syncTree(filepath.Join(dir, t.stage)); err != nil {
			return err
		}
	}
	t.reached("staged")
	if err := t.record.describe(files); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return t.record.write(t.journal)
}

// swap renames everything into place.
func (t *Transaction) swap() error {
	for _, c := range t.record.Changes {
		if err := c.apply(t.stage, t.reached); err != nil {
			return err
		}
	}
	for dir := range t.roots {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// fail undoes what was done and says why.
func (t *Transaction) fail(err error) error {
	t.close()
	if undo := t.record.undo(t.journal); undo != nil {
		return errors.Join(err, fmt.Errorf("the change could not be undone and will be at the next run: %w", undo))
	}
	return err
}

// Abort forgets everything that was staged. After Commit it does nothing.
func (t *Transaction) Abort() error {
	if len(t.roots) == 0 {
		return nil
	}
	t.close()
	return t.record.discard(t.journal)
}

// close lets go of the stages.
func (t *Transaction) close() {
	for _, root := range t.roots {
		_ = root.Close() // opened for names only
	}
	t.roots = nil
}

// Recover brings an interrupted transaction to an end: the old state when its last file was not written, else the new one. It
// returns whether there was one.
func Recover(journal string) (bool, error) {
	r, err := readRecord(journal)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	committed, err := r.committed()
	switch {
	case err != nil:
		return true, err
	case committed:
		return true, r.finish(journal, func(string) {})
	default:
		return true, r.undo(journal)
	}
}
