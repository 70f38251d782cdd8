package install

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing/fstest"

	"skills/catalog"
	"skills/install/internal/merge"
	"skills/lockfile"
)

// side is one of the three sides of a merge.
type side struct {
	contents contents
	files    fs.FS
	from     map[string]string // where the bytes of a path are in files
}

// plan is the side as the merge sees it.
func (s side) plan() map[string]merge.File {
	all := map[string]merge.File{}
	for _, c := range s.contents {
		all[c.path] = merge.File{Sum: c.sum, Executable: c.executable}
	}
	return all
}

// read gives the bytes of a path, none when the side does not have it.
func (s side) read(path string) ([]byte, error) {
	from, ok := s.from[path]
	if !ok {
		return nil, nil
	}
	return fs.ReadFile(s.files, from)
}

// sideOf is a measured skill as a side.
func sideOf(step *Step) side {
	s := side{contents: step.contents, files: step.tree.FS(), from: map[string]string{}}
	for _, file := range step.files {
		s.from[file.Path] = file.From
	}
	return s
}

// merge brings the edits of an installed skill and an update together. What is written is neither; the lock says what upstream has.
func (u *updater) merge(ctx context.Context, step *Step, s *tracked) error {
	base, err := u.base(ctx, s)
	if err != nil {
		return err
	}
	dir := filepath.Join(u.planner.engine.canonical(), step.Name)
	found, _, err := diskContents(ctx, dir)
	if err != nil {
		return err
	}
	mine := side{contents: found.withoutJunk(), files: diskTree{dir}.FS(), from: map[string]string{}}
	for _, c := range mine.contents {
		mine.from[c.path] = c.path
	}
	theirs := sideOf(step)
	result := fstest.MapFS{}
	labels := merge.Labels{Mine: "local edits", Theirs: version(step.lock.Resolved, step.Commit)}
	for _, change := range merge.Plan(base.plan(), mine.plan(), theirs.plan()) {
		conflict, err := mergeFile(result, change, base, mine, theirs, labels)
		if err != nil {
			return err
		}
		if conflict {
			step.Conflicts = append(step.Conflicts, change.Path)
		}
	}
	return u.adopt(ctx, step, result)
}

// mergeFile works one decision into the result and tells whether a conflict is left.
func mergeFile(result fstest.MapFS, change merge.Change, base, mine, theirs side, labels merge.Labels) (conflict bool, err error) {
	conflict = change.Conflict != ""
	var data []byte
	has := true
	switch change.Action {
	case merge.Remove:
		return conflict, nil
	case merge.Take:
		data, err = theirs.read(change.Path)
	case merge.Merge:
		data, conflict, err = mergeTexts(change, base, mine, theirs, labels)
	default:
		_, has = mine.from[change.Path]
		data, err = mine.read(change.Path)
	}
	if err != nil || !has {
		return conflict, err
	}
	mode := fs.FileMode(0o644)
	if change.Executable {
		mode = 0o755
	}
	result[change.Path] = &fstest.MapFile{Data: data, Mode: mode}
	return conflict, nil
}

// mergeTexts merges a file that both sides changed. Binary files are never merged: mine stays.
func mergeTexts(change merge.Change, base, mine, theirs side, labels merge.Labels) ([]byte, bool, error) {
	var texts [3][]byte
	for i, s := range []side{base, mine, theirs} {
		var err error
		if texts[i], err = s.read(change.Path); err != nil {
			return nil, false, err
		}
	}
	if change.Conflict == merge.BothAdded {
		texts[0] = nil
	}
	if merge.Binary(texts[1]) || merge.Binary(texts[2]) {
		return texts[1], true, nil
	}
	merged, conflicts := merge.Three(texts[0], texts[1], texts[2], labels)
	return merged, conflicts > 0, nil
}

// adopt makes the result of a merge what a step writes.
func (u *updater) adopt(ctx context.Context, step *Step, result fstest.MapFS) error {
	files, _, err := catalog.Files(ctx, result, "", u.planner.engine.config.Limits)
	if err != nil {
		return err
	}
	all, _, err := readContents(ctx, result, files, u.planner.engine.config.Limits)
	if err != nil {
		return err
	}
	step.tree, step.files, step.written = &memoryTree{result}, files, all.digest()
	if len(step.Conflicts) > 0 {
		step.Reason = fmt.Sprintf("edits and update contradict each other in %d files: texts have both between markers, of others yours stayed", len(step.Conflicts))
	}
	return nil
}

// base brings the locked files of a skill, from the store where they are there.
func (u *updater) base(ctx context.Context, s *tracked) (side, error) {
	tree, err := u.planner.engine.fetchLocked(ctx, s.locator, []lockfile.Skill{s.lock})
	if tree == nil && err == nil {
		err = &Error{
			Kind: "unsupported", Name: s.lock.Name, Message: fmt.Sprintf("%q cannot be merged, for its source does not keep what was installed", s.lock.Name),
			Hint: "leave it with --keep, or replace it with --force, which keeps the edited one in " + BackupDir,
		}
	}
	if err != nil {
		return side{}, err
	}
	step := stepOf(s.lock)
	step.tree = tree
	if err := u.measure(ctx, &step); err != nil {
		return side{}, err
	}
	return sideOf(&step), nil
}
