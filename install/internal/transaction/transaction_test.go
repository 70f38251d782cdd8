package transaction

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// world is a project with everything that a transaction can meet: a skill to replace, one to add, one to remove, one to keep a copy
// of, links old and new, and two files.
type world struct {
	t       *testing.T
	dir     string
	journal Journal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.journal.Path = filepath.Join(t.TempDir(), "journals", "one.json")
	for name, text := range map[string]string{
		"skills/replaced/SKILL.md": "old", "skills/replaced/gone.md": "old", "skills/removed/SKILL.md": "old",
		"skills/kept/SKILL.md": "edited", "skills/other/SKILL.md": "not ours", "agent/other/SKILL.md": "not ours",
		"old/agent/removed/SKILL.md": "old", "manifest": "old manifest", "lock": "old lock", "gone": "old",
	} {
		w.write(name, text)
	}
	if err := os.Symlink("../elsewhere", filepath.Join(w.dir, "agent/linked")); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// state lists all that is in the world, empty directories too, and what is left of a journal.
func (w *world) state() string {
	w.t.Helper()
	var lines []string
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(w.dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if inside, err := os.ReadDir(path); err != nil || len(inside) == 0 {
				lines = append(lines, name+"/")
			}
			return nil
		}
		if entry.Type() == fs.ModeSymlink {
			text, err := os.Readlink(path)
			lines = append(lines, name+" -> "+text)
			return err
		}
		data, err := os.ReadFile(path)
		lines = append(lines, name+": "+string(data))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(w.journal.Path)); len(left) > 0 {
		lines = append(lines, fmt.Sprint("a journal ", left, err))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// change does everything that a transaction can; stop is called at each point of it.
func (w *world) change(stop func(string)) error {
	w.journal.Reached = stop
	defer func() { w.journal.Reached = nil }()
	t, err := w.journal.Begin()
	if err != nil {
		return err
	}
	skills, agent, made := filepath.Join(w.dir, "skills"), filepath.Join(w.dir, "agent"), filepath.Join(w.dir, "new", "agent")
	if err := errors.Join(t.MakeDir(skills), t.MakeDir(made)); err != nil {
		return err
	}
	for _, name := range []string{"replaced", "added", "kept"} {
		root, err := t.Replace(skills, name)
		if err != nil {
			return err
		}
		if err := errors.Join(root.WriteFile("SKILL.md", []byte("new"), 0o644), root.Close()); err != nil {
			return err
		}
	}
	t.Prune(filepath.Join(w.dir, "old", "agent"), filepath.Join(w.dir, "old"), w.dir)
	err = errors.Join(
		t.Keep(skills, "kept", filepath.Join(w.dir, "backup", "kept")),
		t.Remove(skills, "removed"),
		t.Remove(skills, "absent"),
		t.Remove(filepath.Join(w.dir, "old", "agent"), "removed"),
		t.Link(agent, "added", "../skills/added"),
		t.Link(agent, "linked", "../skills/linked"),
		t.Link(made, "added", "../../skills/added"),
	)
	if err != nil {
		return err
	}
	return t.Commit(context.Background(),
		File{Path: filepath.Join(w.dir, "manifest"), Data: []byte("new manifest")},
		File{Path: filepath.Join(w.dir, "gone")},
		File{Path: filepath.Join(w.dir, "lock"), Data: []byte("new lock")})
}

const after = `agent/added -> ../skills/added
agent/linked -> ../skills/linked
agent/other/SKILL.md: not ours
backup/kept/SKILL.md: edited
lock: new lock
manifest: new manifest
new/agent/added -> ../../skills/added
skills/added/SKILL.md: new
skills/kept/SKILL.md: new
skills/other/SKILL.md: not ours
skills/replaced/SKILL.md: new`

func TestCommitDoesEverything(t *testing.T) {
	w := newWorld(t)
	if err := w.change(nil); err != nil {
		t.Fatal(err)
	}
	if got := w.state(); got != after {
		t.Errorf("after the change:\n%s\nwant:\n%s", got, after)
	}
}

// crash is what a test throws at a point, so that nothing after it runs, as after kill -9.
type crash string

// points lists the points that something reaches.
func points(t *testing.T, least int, do func(stop func(string)) error) []string {
	t.Helper()
	var all []string
	if err := do(func(point string) { all = append(all, point) }); err != nil {
		t.Fatal(err)
	}
	if len(all) < least {
		t.Fatalf("only these points were reached: %q", all)
	}
	return all
}

// changePoints lists the points of a whole change.
func changePoints(t *testing.T) []string { return points(t, 30, newWorld(t).change) }

// stopAt does something and stops it at its n-th point.
func stopAt(t *testing.T, n int, do func(stop func(string)) error) {
	t.Helper()
	defer func() {
		if _, ok := recover().(crash); !ok {
			t.Fatal("it did not stop")
		}
	}()
	count := 0
	err := do(func(point string) {
		if count == n {
			panic(crash(point))
		}
		count++
	})
	t.Fatalf("it ended: %v", err)
}

// crashAt stops a change at its first point of a name.
func (w *world) crashAt(point string) {
	w.t.Helper()
	stopAt(w.t, slices.Index(changePoints(w.t), point), w.change)
}

// recover brings an interrupted change to an end; stop is called at each point of that.
func (w *world) recover(stop func(string)) error {
	w.journal.Reached = stop
	defer func() { w.journal.Reached = nil }()
	found, err := w.journal.Recover()
	if err == nil && !found {
		err = errors.New("there was no interrupted change")
	}
	return err
}

// Wherever a change stops, the old state or the new one comes out, and so it does when the recovery stops as well, wherever.
func TestACrashAtAnyPointLeavesOldOrNewState(t *testing.T) {
	all := changePoints(t)
	commit := slices.Index(all, "marked committed")
	for i, point := range all {
		t.Run(fmt.Sprint(i, " ", point), func(t *testing.T) {
			w := newWorld(t)
			want := w.state()
			if i >= commit {
				want = after
			}
			stopAt(t, i, w.change)
			var again []string
			if err := w.recover(func(point string) { again = append(again, point) }); err != nil {
				t.Fatal(err)
			}
			if got := w.state(); got != want {
				t.Errorf("after recovery:\n%s\nwant:\n%s", got, want)
			}
			if found, err := w.journal.Recover(); err != nil || found {
				t.Errorf("recover again: found %v, error %v", found, err)
			}
			for j, second := range again {
				if (i+j)%3 != 0 {
					continue // each point meets a third of the others, which is still each kind of them
				}
				w := newWorld(t)
				stopAt(t, i, w.change)
				stopAt(t, j, w.recover)
				if err := w.recover(nil); err != nil {
					t.Fatalf("after %q: %v", second, err)
				}
				if got := w.state(); got != want {
					t.Errorf("after another crash at %q:\n%s\nwant:\n%s", second, got, want)
				}
			}
		})
	}
}

// A process that is killed while it removes what is left over leaves half of it, which must not be taken for the old state.
func TestWhatIsLeftOverIsNeverTakenForTheOldState(t *testing.T) {
	for _, point := range []string{"marked committed", "marked "} {
		w := newWorld(t)
		want := after
		if point == "marked " {
			want = w.state()
			w.crashAt("file manifest")
			stopAt(t, slices.Index(points(t, 10, func(stop func(string)) error {
				v := newWorld(t)
				v.crashAt("file manifest")
				return v.recover(stop)
			}), point), w.recover)
		} else {
			w.crashAt(point)
		}
		stages, err := filepath.Glob(filepath.Join(w.dir, "skills", StagePrefix+"*"))
		if err != nil || len(stages) != 1 {
			t.Fatalf("stages %q, error %v", stages, err)
		}
		for _, name := range []string{"new/added/SKILL.md", "old/removed/SKILL.md", "old/replaced/gone.md"} {
			if err := os.RemoveAll(filepath.Join(stages[0], name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.recover(nil); err != nil {
			t.Fatal(err)
		}
		if got := w.state(); got != want {
			t.Errorf("after %q:\n%s\nwant:\n%s", point, got, want)
		}
	}
}

// A change of which no file differs is done or not done as any other.
func TestAChangeWithoutNewFilesIsCommittedAsAWhole(t *testing.T) {
	change := func(w *world) func(func(string)) error {
		return func(stop func(string)) error {
			w.journal.Reached = stop
			defer func() { w.journal.Reached = nil }()
			tr, err := w.journal.Begin()
			if err != nil {
				return err
			}
			skills := filepath.Join(w.dir, "skills")
			err = errors.Join(tr.Link(skills, "replaced", "other"), tr.Link(skills, "kept", "other"), tr.Keep(skills, "kept", filepath.Join(w.dir, "backup", "kept")),
				tr.Keep(skills, "replaced", filepath.Join(w.dir, "backup", "replaced")))
			return errors.Join(err, tr.Commit(context.Background(), File{Path: filepath.Join(w.dir, "lock"), Data: []byte("old lock")}))
		}
	}
	w := newWorld(t)
	before := w.state()
	all := points(t, 10, change(w))
	done := w.state()
	for i, point := range all {
		w := newWorld(t)
		stopAt(t, i, change(w))
		if err := w.recover(nil); err != nil {
			t.Fatal(err)
		}
		if got := w.state(); got != before && got != done {
			t.Errorf("after a crash at %q:\n%s", point, got)
		}
	}
}

func TestAnErrorUndoesEverything(t *testing.T) {
	w := newWorld(t)
	w.write("lock.d/x", "")
	before := w.state()
	tr, err := w.journal.Begin()
	if err != nil {
		t.Fatal(err)
	}
	root, err := tr.Replace(filepath.Join(w.dir, "skills"), "replaced")
	if err != nil {
		t.Fatal(err)
	}
	root.Close()
	err = tr.Commit(context.Background(),
		File{Path: filepath.Join(w.dir, "manifest"), Data: []byte("new")},
		File{Path: filepath.Join(w.dir, "lock.d", "x", "y"), Data: []byte("new")}) // x is a file
	if err == nil {
		t.Fatal("a lock was written below a file")
	}
	if got := w.state(); got != before {
		t.Errorf("after the error:\n%s\nwant:\n%s", got, before)
	}
}

func TestCancelledBeforeTheFirstRenameChangesNothing(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the user left")
	cancel(cause)
	tr, err := w.journal.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Link(filepath.Join(w.dir, "agent"), "x", "y"); err != nil {
		t.Fatal(err)
	}
	if err := tr.Commit(ctx, File{Path: filepath.Join(w.dir, "lock"), Data: []byte("new")}); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	if got := w.state(); got != before {
		t.Errorf("after cancelling:\n%s\nwant:\n%s", got, before)
	}
}

func TestAnEditAfterACrashIsKept(t *testing.T) {
	w := newWorld(t)
	w.crashAt("file manifest")
	w.write("manifest", "mine now")
	if err := w.recover(nil); err != nil {
		t.Fatal(err)
	}
	if got := w.state(); !strings.Contains(got, "manifest: mine now") {
		t.Errorf("the edit is gone:\n%s", got)
	}
}

func TestAFileBehindALinkIsReplacedWhereItLies(t *testing.T) {
	w := newWorld(t)
	w.write("dotfiles/lock", "old")
	link := filepath.Join(w.dir, "lock")
	if err := errors.Join(os.Remove(link), os.Symlink("dotfiles/lock", link)); err != nil {
		t.Fatal(err)
	}
	if err := w.change(nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"lock -> dotfiles/lock", "dotfiles/lock: new lock"} {
		if got := w.state(); !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}

func TestNamesThatArePathsAreRefused(t *testing.T) {
	w := newWorld(t)
	tr, err := w.journal.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "a/b", "../x", "/x"} {
		if err := tr.Link(w.dir, name, "x"); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	if err := tr.Abort(); err != nil {
		t.Fatal(err)
	}
}

func TestBeginRefusesAnUnfinishedChange(t *testing.T) {
	w := newWorld(t)
	w.crashAt("staged everything")
	if _, err := w.journal.Begin(); err == nil {
		t.Error("a second transaction began over an unfinished one")
	}
}

func TestADamagedJournalIsSaid(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(journal, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Journal{Path: journal}).Recover(); err == nil || !strings.Contains(err.Error(), journal) {
		t.Errorf("error %v, want one that names %q", err, journal)
	}
}

// The two renames that stand in where names cannot be exchanged are undone as well.
func TestUndoOfTwoRenames(t *testing.T) {
	for _, stop := range []int{1, 2} {
		dir := t.TempDir()
		c := change{Dir: dir, Name: "a", Fresh: true, Had: true}
		for _, name := range []string{"a", "s/new/a", "s/old"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "a", "mine"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		err := os.Rename(c.path(), c.former("s"))
		if stop == 2 {
			err = errors.Join(err, os.Rename(c.staged("s"), c.path()))
		}
		if err = errors.Join(err, c.undo("s")); err != nil {
			t.Fatal(err)
		}
		if !exists(filepath.Join(dir, "a", "mine")) {
			t.Errorf("stopped after %d renames: the old entry is not back", stop)
		}
	}
}

// What somebody puts in a place after a crash is theirs.
func TestWhatIsMadeAfterACrashIsNotTakenAway(t *testing.T) {
	for name, entry := range map[string]string{"placed added": "added", "replaced replaced": "replaced", "removed removed": "removed"} {
		w := newWorld(t)
		w.crashAt(name)
		place := filepath.Join(w.dir, "skills", entry)
		if err := os.Rename(place, filepath.Join(w.dir, "aside")); err != nil && entry != "removed" {
			t.Fatal(err)
		}
		w.write("skills/"+entry+"/SKILL.md", "mine now")
		err := w.recover(nil)
		if data, _ := os.ReadFile(filepath.Join(place, "SKILL.md")); string(data) != "mine now" {
			t.Errorf("%s: %q, error %v", name, data, err)
		}
		if entry == "added" {
			continue // nothing old is to come back
		}
		if err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: error %v, want one that names %q", name, err, place)
		}
		if err := errors.Join(os.RemoveAll(place), w.recover(nil)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(place, "SKILL.md")); string(data) != "old" {
			t.Errorf("%s, moved away: %q, error %v", name, data, err)
		}
	}
}

// A backup may lie on another file system than what is kept.
func TestABackupOnAnotherFileSystem(t *testing.T) {
	w := newWorld(t)
	other, err := os.MkdirTemp("/dev/shm", "skills-test-")
	if err != nil {
		t.Skip("there is no other file system: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(other) })
	w.write("skills/kept/run.sh", "#!/bin/sh\n")
	if err := errors.Join(os.Chmod(filepath.Join(w.dir, "skills/kept/run.sh"), 0o755), os.Symlink(other, filepath.Join(w.dir, "backup"))); err != nil {
		t.Fatal(err)
	}
	w.crashAt("marked committed")
	w.write("backup/"+w.stage()+"-kept/half", "of an interrupted copy")
	if err := w.recover(nil); err != nil {
		t.Fatal(err)
	}
	if got, want := w.state(), strings.Replace(after, "backup/kept/SKILL.md: edited", "backup -> "+other, 1); got != want {
		t.Errorf("state:\n%s\nwant:\n%s", got, want)
	}
	left, err := os.ReadDir(other)
	info, statErr := os.Stat(filepath.Join(other, "kept", "run.sh"))
	if err := errors.Join(err, statErr); err != nil || len(left) != 1 || info.Mode().Perm() != 0o755 {
		t.Errorf("backups %v, %v, error %v", left, info, err)
	}
}

// stage is the name of the stage of a change that was interrupted.
func (w *world) stage() string {
	w.t.Helper()
	r, err := readRecord(w.journal)
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Stage
}

// duplicate copies whatever can be in a place.
func TestDuplicate(t *testing.T) {
	w := newWorld(t)
	for from, want := range map[string]string{"agent/linked": "copy -> ../elsewhere", "manifest": "copy: old manifest", "skills/removed": "copy/SKILL.md: old"} {
		to := filepath.Join(w.dir, "copy")
		if err := duplicate(filepath.Join(w.dir, from), to); err != nil {
			t.Fatal(err)
		}
		if got := w.state(); !strings.Contains(got, want) {
			t.Errorf("%s: %q is missing:\n%s", from, want, got)
		}
		if err := os.RemoveAll(to); err != nil {
			t.Fatal(err)
		}
	}
}
