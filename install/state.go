package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"skills/lockfile"
)

// State is how an installed skill compares to the lock.
type State string

// The states of skills and of what agents see. Files that differ are "modified", "missing", "extra", or "line-endings" when nothing else
// differs, as a checkout on Windows makes them. A [Diff] tells besides when only the executable bit differs: "mode".
const (
	StateOK        State = "ok"
	StateModified  State = "modified"
	StateMissing   State = "missing"
	StateUnmanaged State = "unmanaged"

	extra       State = "extra"
	lineEndings State = "line-endings"
	modeOnly    State = "mode"
)

// Installed is a skill as it is on the disk.
type Installed struct {
	Name    string
	State   State
	Lock    lockfile.Skill // zero for unmanaged ones
	Path    string         // of the canonical directory, as documents show it
	Files   []FileState    // those that differ, sorted by path; nil when it is not known which
	Targets []Target       // what agents see, sorted by agent; State is set, "missing" for a link that leads nowhere
}

// FileState is a file of an installed skill that is not as it was.
type FileState struct {
	Path  string // below the skill
	State State
	Text  string // a patch, where [Diff] was asked: its paths are those below the root; "" for line ends alone
}

// LineEndings tells whether nothing but line ends differs.
func (f FileState) LineEndings() bool { return f.State == lineEndings }

// Installed compares everything that is installed in the scope, or the skills of the given names, with the lock. It changes nothing
// and waits for nobody. Skills in the canonical directory that the lock does not name are unmanaged.
func (e *Engine) Installed(ctx context.Context, names ...string) ([]Installed, error) {
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	found, err := e.present(records.lock)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		for _, name := range names {
			if !slices.Contains(found, name) {
				return nil, e.notInstalled(name, records.lock)
			}
		}
		found = names
	}
	all := make([]Installed, len(found))
	served := e.everyTarget()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, name := range found {
		group.Go(func() (err error) {
			all[i], err = e.installed(ctx, records.lock, served, name)
			return err
		})
	}
	return all, group.Wait()
}

// present lists the names that the lock or the canonical directory has, sorted.
func (e *Engine) present(lock *lockfile.Lock) ([]string, error) {
	var names []string
	for _, skill := range lock.Skills() {
		names = append(names, skill.Name)
	}
	entries, err := os.ReadDir(e.canonical())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if _, err := os.Stat(filepath.Join(e.canonical(), entry.Name(), "SKILL.md")); err == nil {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// installed compares one skill.
func (e *Engine) installed(ctx context.Context, lock *lockfile.Lock, served []target, name string) (Installed, error) {
	before, locked := lock.Get(name)
	result := Installed{Name: name, Lock: before, Path: e.shown(filepath.Join(e.canonical(), name)), State: StateUnmanaged}
	at, err := e.inspectCanonical(ctx, name, before)
	if err != nil {
		return result, err
	}
	if locked {
		result.State = stateOf(at)
	}
	if result.State == StateModified {
		result.Files = e.differences(name, before.Hash, at)
	}
	result.Targets, err = e.targetStates(ctx, served, name, before)
	return result, err
}

// stateOf says how an entry that the lock names compares to it.
func stateOf(at entry) State {
	switch at.owner {
	case ours:
		return StateOK
	case nobody:
		return StateMissing
	default:
		return StateModified
	}
}

// differences names the files of an edited skill that differ, when its contents are still known.
func (e *Engine) differences(name, digest string, at entry) []FileState {
	known := e.recall(digest)
	if known == nil {
		return nil
	}
	before, now := byPath(known), byPath(at.found)
	root, err := os.OpenRoot(filepath.Join(e.canonical(), name))
	if err != nil {
		return nil
	}
	defer root.Close()
	all := []FileState{}
	for _, d := range compare(known, at.found.withoutJunk()) {
		state := State(d.state)
		was, is := before[d.path], now[d.path]
		if state == StateModified && was.executable == is.executable && onlyLineEndings(root, d.path, was.sum) {
			state = lineEndings
		}
		all = append(all, FileState{Path: d.path, State: state})
	}
	return all
}

// byPath finds contents by their paths.
func byPath(all contents) map[string]content {
	found := map[string]content{}
	for _, file := range all {
		found[file.path] = file
	}
	return found
}

// targetStates tells what the agents see: those that read the canonical directory and are there, and those whose directory has the
// name.
func (e *Engine) targetStates(ctx context.Context, served []target, name string, before lockfile.Skill) ([]Target, error) {
	var all []Target
	for _, t := range served {
		at, err := e.inspectTarget(ctx, t.dir, name, before.Hash)
		if err != nil {
			return nil, err
		}
		if at.owner == nobody {
			continue
		}
		state := map[owner]State{ours: StateOK, edited: StateModified, foreign: StateUnmanaged}[at.owner]
		path := filepath.Join(t.dir, name)
		if _, err := os.Stat(path); at.link && err != nil {
			state = StateMissing
		}
		for _, id := range t.agents {
			all = append(all, Target{Agent: id, Path: e.shown(path), State: state})
		}
	}
	all = append(all, e.directStates(name)...)
	slices.SortFunc(all, func(a, b Target) int { return strings.Compare(a.Agent, b.Agent) })
	return all, nil
}

// directStates lists the agents that are there and read the canonical directory.
func (e *Engine) directStates(name string) []Target {
	path := filepath.Join(e.canonical(), name)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	var all []Target
	for _, agent := range e.config.Agents.Detected(e.config.Environment) {
		if needs, err := agent.NeedsLink(e.config.Scope, e.config.Environment); err == nil && !needs {
			all = append(all, Target{Agent: agent.ID, Path: e.shown(path), State: StateOK})
		}
	}
	return all
}
