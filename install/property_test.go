package install_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/install"
	"skills/lockfile/manifest"
)

// life is a project to which anything happens.
type life struct {
	*place
	t       *testing.T
	history *history
	random  *rand.Rand
	told    []string        // what happened
	edited  map[string]bool // skills whose files are not those of the lock, by a person's doing
	texts   map[string]bool // that a person wrote, each one only once
}

// names are the skills of the kit.
func (l *life) names(n int) []string {
	all := []string{"pdf", "notes", "forms", "lint", "maps"}
	l.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// one picks one of several.
func one[T any](l *life, of ...T) T { return of[l.random.IntN(len(of))] }

// tell notes what happens and fails the test with all of it.
func (l *life) tell(format string, values ...any) {
	l.told = append(l.told, fmt.Sprintf(format, values...))
}

func (l *life) fail(format string, values ...any) {
	l.t.Helper()
	l.t.Fatalf("%s\nafter:\n%s\nthere is:\n%s", fmt.Sprintf(format, values...), strings.Join(l.told, "\n"), l.files(l.t))
}

// command is a command line of a person.
func (l *life) command() func(context.Context) (*install.Plan, error) {
	force := l.random.IntN(3) == 0
	switch l.random.IntN(4) {
	case 0:
		r := request(l.t, one(l, "acme/kit", "acme/kit", "acme/kit#v1"), l.names(1+l.random.IntN(2))...)
		r.Force, r.Mode = force, one(l, "", install.ModeCopy, install.ModeLink)
		l.tell("add %+v", r)
		return func(ctx context.Context) (*install.Plan, error) { return l.PlanAdd(ctx, r) }
	case 1:
		r := install.RemoveRequest{Names: l.names(1 + l.random.IntN(2)), Force: force}
		l.tell("remove %+v", r)
		return func(ctx context.Context) (*install.Plan, error) { return l.PlanRemove(ctx, r) }
	case 2:
		r := one(l, install.UpdateRequest{}, install.UpdateRequest{Merge: true}, install.UpdateRequest{Keep: true}, install.UpdateRequest{Force: true})
		l.tell("update %+v", r)
		return func(ctx context.Context) (*install.Plan, error) { return l.PlanUpdate(ctx, r) }
	default:
		r := install.InstallRequest{Force: force, Prune: one(l, true, false), Mode: one(l, "", install.ModeCopy, install.ModeLink)}
		l.tell("install %+v", r)
		return func(ctx context.Context) (*install.Plan, error) { return l.PlanInstall(ctx, r) }
	}
}

// live lets one thing happen: a command, one that dies, an edit, a loss, or a change upstream.
func (l *life) live() {
	switch kind := l.random.IntN(10); {
	case kind < 4:
		plan := l.command()
		_, _ = l.Do(context.Background(), plan) // what cannot be done is none of the business of this test
		before, asked := l.files(l.t), l.history.counts
		again, err := l.Do(context.Background(), plan)
		if after := l.files(l.t); after != before || err == nil && !again.Idle() {
			l.fail("the second run did something: %+v; before it there was:\n%s", again, before)
		}
		if last := l.told[len(l.told)-1]; strings.HasPrefix(last, "install") && err == nil && !again.Failed() && l.history.counts != asked {
			l.fail("the second run asked %d times", l.history.counts-asked)
		}
	case kind < 7:
		plan, n := l.command(), l.random.IntN(40)
		l.tell("… which dies at point %d", n)
		_, _ = l.crash(n, func() error { _, err := l.Do(context.Background(), plan); return err })
		l.wake(l.t)
	case kind < 8:
		l.edit()
	case kind < 9:
		name := l.names(1)[0]
		dir := one(l, ".agents/skills/", ".claude/skills/") + name
		l.tell("%s is lost", dir)
		l.lose(dir)
		l.edited[name] = true
	default:
		commit := commitOf(one(l, "1", "2"))
		l.tell("upstream is at %s", commit[:1])
		l.history.refs[kit+" "], l.history.refs[kit+" main"] = commit, commit
	}
}

// edit writes a text that nobody wrote before into an installed skill.
func (l *life) edit() {
	name := l.names(1)[0]
	file := fmt.Sprintf(".agents/skills/%s/%s", name, one(l, "SKILL.md", "docs/more.md", "mine.md"))
	if _, err := os.Stat(filepath.Dir(l.path(file))); err != nil {
		return
	}
	old, _ := os.ReadFile(l.path(file)) // none is no text
	text := fmt.Sprintf("Text %d of a person.", len(l.told))
	l.tell("%s is edited: %s", file, text)
	l.write(l.t, file, string(old)+text+"\n")
	l.texts[text], l.edited[name] = true, true
}

// lose removes a directory with the texts that are nowhere else.
func (l *life) lose(dir string) {
	if err := os.RemoveAll(l.path(dir)); err != nil {
		l.t.Fatal(err)
	}
	left := l.files(l.t)
	for text := range l.texts {
		if !strings.Contains(left, text) {
			delete(l.texts, text)
		}
	}
}

// check looks for what must always be so.
func (l *life) check(foreign map[string]string) {
	all := l.files(l.t)
	if strings.Contains(all, ".skills-stage-") {
		l.fail("a stage is left")
	}
	for name, text := range foreign {
		if data, err := os.ReadFile(l.path(name)); err != nil || string(data) != text {
			l.fail("%s holds %q, error %v; want %q", name, data, err, text)
		}
	}
	for text := range l.texts {
		if !strings.Contains(all, text) {
			l.fail("%q of a person is gone", text)
		}
	}
	names := []string{"own"}
	for _, skill := range l.lock(l.t).Skills() {
		names = append(names, skill.Name)
		want := l.locked(skill.Commit, skill.Path)
		canonical, seen := l.listed(".agents/skills/"+skill.Name), l.listed(".claude/skills/"+skill.Name)
		if slices.Equal(canonical, want) && slices.Equal(seen, want) {
			delete(l.edited, skill.Name)
		} else if !l.edited[skill.Name] {
			l.fail("%q is\n%q and\n%q, want\n%q", skill.Name, canonical, seen, want)
		}
	}
	for _, dir := range []string{".agents/skills/*", ".claude/skills/*"} {
		found, err := filepath.Glob(l.path(dir))
		if err != nil {
			l.t.Fatal(err)
		}
		for _, path := range found {
			if name := filepath.Base(path); !slices.Contains(names, name) {
				l.fail("%s is there, and the lock names %q", path, names)
			}
		}
	}
	toml, err := os.ReadFile(l.path("skills.toml"))
	if named, parseErr := manifest.Parse(toml, "skills.toml"); parseErr != nil || len(named.Skills) != len(names)-1 {
		l.fail("the lock names %q, and the manifest %+v, error %v", names, named, errors.Join(err, parseErr))
	}
}

// locked lists the files of a directory of a commit.
func (l *life) locked(commit, dir string) (lines []string) {
	for name, file := range l.history.trees[commit] {
		if rest, inside := strings.CutPrefix(name, dir+"/"); inside {
			lines = append(lines, fmt.Sprintf("%s %q %v", rest, file.Data, file.Mode&0o111 != 0))
		}
	}
	slices.Sort(lines)
	return lines
}

// listed lists the files of a directory of the project, links followed.
func (l *life) listed(dir string) (lines []string) {
	root, err := filepath.EvalSymlinks(l.path(dir))
	if err != nil {
		return nil
	}
	_ = fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		info, _ := entry.Info()
		lines = append(lines, fmt.Sprintf("%s %q %v", name, data, info.Mode()&0o111 != 0))
		return err
	})
	slices.Sort(lines)
	return lines
}

// Whatever is done, by whom and however it ends: the lock is what is on the disk unless a person changed that, nothing of theirs
// goes, and what was done once is done.
func TestWhateverHappensTheProjectIsWhole(t *testing.T) {
	foreign := map[string]string{"README.md": "Mine.\n", ".claude/skills/own/SKILL.md": "Mine.\n", ".agents/skills/own/SKILL.md": "Mine.\n"}
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := &life{t: t, random: rand.New(rand.NewPCG(seed, 5)), edited: map[string]bool{}, texts: map[string]bool{}}
			c := command{prepare: func(_ testing.TB, _ *place, h *history) { l.history = h }}
			l.place = c.scene(t)
			for range 16 {
				l.live()
				l.check(foreign)
			}
		})
	}
}
