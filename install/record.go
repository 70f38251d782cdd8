package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
)

// records are manifest and lock as they are on the disk.
type records struct {
	manifest *manifest.Manifest
	lock     *lockfile.Lock
	files    []file // the bytes read: manifest, then lock
	unread   *file  // the backup of a lock that is made anew
}

// bytes reads manifest and lock as they are; nil for what is not there.
func (e *Engine) bytes() ([]file, error) {
	var all []file
	for _, path := range []string{e.config.Manifest, e.config.Lock} {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, file{path, data})
	}
	return all, nil
}

// read reads manifest and lock. Those that are not there are empty; those that cannot be understood are errors, never empty.
func (e *Engine) read() (*records, error) {
	r := &records{}
	var err error
	if r.files, err = e.bytes(); err != nil {
		return nil, err
	}
	if r.manifest, err = manifest.Parse(r.files[0].data, e.shown(e.config.Manifest)); err != nil {
		return nil, err
	}
	if r.files[1].data == nil {
		r.lock = lockfile.New()
		return r, nil
	}
	r.lock, err = lockfile.Parse(r.files[1].data, e.shown(e.config.Lock))
	return r, err
}

// relock begins a lock anew where the present one cannot be read for the given reason. Of a merge conflict, what is beyond doubt stays.
func (e *Engine) relock(r *records, reason error) error {
	var unread *lockfile.Error
	if !errors.As(reason, &unread) || unread.Kind == "lock_newer" {
		return reason
	}
	r.lock = lockfile.Mend(r.files[1].data, unread.File)
	r.unread = &file{e.freeBackup(filepath.Base(e.config.Lock), nil), r.files[1].data}
	e.note(fmt.Sprintf("%v; it is made anew, and the old one is kept in %s", reason, e.shown(r.unread.path)))
	return nil
}

// apply works the steps into copies of the records and returns the files to write. With save unset the manifest stays as it is.
func (r *records) apply(steps []Step, save bool, entries map[string]manifest.Skill) ([]file, error) {
	text, before := r.files[0].data, r.lock.Bytes()
	var set []manifest.Skill
	var gone []string
	for _, step := range slices.SortedStableFunc(slices.Values(steps), byName) {
		switch step.Action {
		case Added, Updated, Unchanged:
			if err := r.lock.Put(step.lock); err != nil {
				return nil, err
			}
			if entry, ok := entries[step.Name]; ok && !r.says(entry) {
				set = append(set, entry)
			}
		case Removed:
			r.lock.Remove(step.Name)
			if _, ok := r.manifest.Get(step.Name); ok {
				gone = append(gone, step.Name)
			}
		}
	}
	if save && len(set)+len(gone) > 0 {
		var err error
		if text, err = r.edit(set, gone); err != nil {
			return nil, err
		}
	}
	lock := r.lock.Bytes()
	if r.unread == nil && bytes.Equal(lock, before) { // the same in other bytes, as after a checkout on Windows, stays; and none stays none
		lock = r.files[1].data
	}
	return []file{{r.files[0].path, text}, {r.files[1].path, lock}}, nil
}

// says tells whether the manifest has just this entry.
func (r *records) says(entry manifest.Skill) bool {
	old, ok := r.manifest.Get(entry.Name)
	entry.Line = old.Line
	return ok && reflect.DeepEqual(old, entry)
}

// edit changes the text of the manifest.
func (r *records) edit(set []manifest.Skill, gone []string) ([]byte, error) {
	if len(set) > 0 {
		return r.manifest.Set(set...)
	}
	return r.manifest.Delete(gone...)
}

// wish is the manifest entry for an installed skill: what the person asked for, as a person would write it. A page of a git host says
// source, ref and path in one text; where that does not do, path and ref have keys of their own.
func wish(step Step, locator source.Locator) manifest.Skill {
	entry := manifest.Skill{Name: step.Name}
	switch {
	case locator.Kind != source.Git:
		entry.Path = step.From
	case locator.Ref == "" || source.IsRange(locator.Ref):
		entry.Path, entry.Ref = step.From, locator.Ref
		locator.Path, locator.Ref, locator.File = "", "", false
	default:
		locator.Path, locator.File = step.From, false
	}
	locator.Skill, locator.SkillOrRef = "", false
	entry.Source = strings.TrimPrefix(locator.Canonical(), "https://")
	return entry
}

// locked is the lock entry of an installed skill.
func locked(step Step, revision source.Revision) lockfile.Skill {
	entry := lockfile.Skill{
		Name: step.Name, Source: step.Source, Path: step.From, Ref: step.Ref, Resolved: revision.Ref,
		Commit: step.Commit, Tree: step.Tree, Hash: step.Digest, Digest: digestOf(step.tree, step.From), License: step.Skill.License,
	}
	if step.Skill.Name != step.Name {
		entry.Skill = step.Skill.Name
	}
	return entry
}

func quote(text string) string { return fmt.Sprintf("%q", text) }
