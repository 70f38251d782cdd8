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
	journal string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.journal = filepath.Join(t.TempDir(), "journals", "one.json")
	for name, text := range map[string]string{
		"skills/replaced/SKILL.md": "old", "skills/replaced/gone.md": "old", "skills/removed/SKILL.md": "old",
		"skills/kept/SKILL.md": "edited", "skills/other/SKILL.md": "not ours", "agent/other/SKILL.md": "not ours",
		"manifest": "old manifest", "lock": "old lock",
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

// state lists all that is in the world, and whether a journal is left.
func (w *world) state() string {
	w.t.Helper()
	var lines []string
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(w.dir, path)
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
	if exists(w.journal) {
		lines = append(lines, "a journal")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// change does everything that a transaction can; stop is called at each point of it.
func (w *world) change(stop func(string)) error {
	t, err := Begin(w.journal)
	if err != nil {
		return err
	}
	t.reached = stop
	skills, agent := filepath.Join(w.dir, "skills"), filepath.Join(w.dir, "agent")
	for _, name := range []string{"replaced", "added", "kept"} {
		root, err := t.Replace(skills, name)
		if err != nil {
			return err
		}
		if err := root.WriteFile("SKILL.md", []byte("new"), 0o644); err != nil {
			return err
		}
		if err := root.Close(); err != nil {
			return err
		}
	}
	stop("written")
	err = errors.Join(
		t.Keep(skills, "kept", filepath.Join(w.dir, "backup", "kept")),
		t.Remove(skills, "removed"),
		t.Remove(skills, "absent"),
		t.Link(agent, "added", "../skills/added"),
		t.Link(agent, "linked", "../skills/linked"),
	)
	if err != nil {
		return err
	}
	return t.Commit(context.Background(),
		File{Path: filepath.Join(w.dir, "manifest"), Data: []byte("new manifest")},
		File{Path: filepath.Join(w.dir, "lock"), Data: []byte("new lock")})
}

const after = `agent/added -> ../skills/added
agent/linked -> ../skills/linked
agent/other/SKILL.md: not ours
backup/kept/SKILL.md: edited
lock: new lock
manifest: new manifest
skills/added/SKILL.md: new
skills/kept/SKILL.md: new
skills/other/SKILL.md: not ours
skills/replaced/SKILL.md: new`

func TestCommitDoesEverything(t *testing.T) {
	w := newWorld(t)
	if err := w.change(func(string) {}); err != nil {
		t.Fatal(err)
	}
	if got := w.state(); got != after {
		t.Errorf("after the change:\n%s\nwant:\n%s", got, after)
	}
}

// crash is what a test throws at a point, so that nothing after it runs, as after kill -9.
type crash string

// points lists the points that a whole change reaches.
func points(t *testing.T) []string {
	var all []string
	if err := newWorld(t).change(func(point string) { all = append(all, point) }); err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("only these points were reached: %q", all)
	}
	return all
}

func TestACrashAtAnyPointLeavesOldOrNewState(t *testing.T) {
	for i, point := range points(t) {
		t.Run(fmt.Sprint(i, " ", point), func(t *testing.T) {
			w := newWorld(t)
			before := w.state()
			crashAt(t, w, i)
			if found, err := Recover(w.journal); err != nil || !found {
				t.Fatalf("recover: found %v, error %v", found, err)
			}
			want := before
			if point == "file lock" || point == "kept kept" {
				want = after
			}
			if got := w.state(); got != want {
				t.Errorf("after recovery:\n%s\nwant:\n%s", got, want)
			}
			if found, err := Recover(w.journal); err != nil || found {
				t.Errorf("recover again: found %v, error %v", found, err)
			}
		})
	}
}

// crashAt runs the change and stops at its n-th point.
func crashAt(t *testing.T, w *world, n int) {
	t.Helper()
	defer func() {
		if _, ok := recover().(crash); !ok {
			t.Fatal("the change did not stop")
		}
	}()
	count := 0
	err := w.change(func(point string) {
		if count == n {
			panic(crash(point))
		}
		count++
	})
	t.Fatalf("the change ended: %v", err)
}

func TestACrashInRecoveryIsRecovered(t *testing.T) {
	w := newWorld(t)
	before := w.state()
	crashAt(t, w, slices.Index(points(t), "file manifest"))
	r, err := readRecord(w.journal)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Changes[:2] { // half of the way back, out of order
		if err := r.Changes[i].undo(r.Stage); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Recover(w.journal); err != nil {
		t.Fatal(err)
	}
	if got := w.state(); got != before {
		t.Errorf("after recovery:\n%s\nwant:\n%s", got, before)
	}
}

func TestAnErrorUndoesEverything(t *testing.T) {
	w := newWorld(t)
	w.write("lock.d/x", "")
	before := w.state()
	tr, err := Begin(w.journal)
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
	tr, err := Begin(w.journal)
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
	crashAt(t, w, slices.Index(points(t), "file manifest"))
	w.write("manifest", "mine now")
	if _, err := Recover(w.journal); err != nil {
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
	if err := w.change(func(string) {}); err != nil {
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
	tr, err := Begin(w.journal)
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
	crashAt(t, w, 0)
	if _, err := Begin(w.journal); err == nil {
		t.Error("a second transaction began over an unfinished one")
	}
}

func TestADamagedJournalIsSaid(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(journal, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Recover(journal); err == nil || !strings.Contains(err.Error(), journal) {
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
