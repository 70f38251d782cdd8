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
// and waits for nobody. Skills that are there and that the lock does not name are unmanaged; those that the manifest alone names are
// missing, and their Lock is zero.
func (e *Engine) Installed(ctx context.Context, names ...string) ([]Installed, error) {
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	served := e.everyTarget()
	found, err := e.present(records, served)
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
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, name := range found {
		group.Go(func() (err error) {
			all[i], err = e.installed(ctx, records, served, name)
			return err
		})
	}
	return all, group.Wait()
}

// present lists the names that records or directories have, sorted.
func (e *Engine) present(records *records, served []target) ([]string, error) {
	var names []string
	for _, skill := range records.lock.Skills() {
		names = append(names, skill.Name)
	}
	for _, skill := range records.manifest.Skills {
		names = append(names, skill.Name)
	}
	dirs := []string{e.canonical()}
	for _, t := range served {
		dirs = append(dirs, t.dir)
	}
	for _, dir := range dirs {
		found, err := skillsIn(dir)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// skillsIn lists the skills in a directory, which need not be there.
func skillsIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, entry.Name(), "SKILL.md")); err == nil {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// installed compares one skill.
func (e *Engine) installed(ctx context.Context, records *records, served []target, name string) (Installed, error) {
	before, locked := records.lock.Get(name)
	entry, named := records.manifest.Get(name)
	result := Installed{Name: name, Lock: before, Path: e.shown(filepath.Join(e.canonical(), name)), State: StateUnmanaged}
	at, err := e.inspectCanonical(ctx, name, before)
	if err != nil {
		return result, err
	}
	if locked || named && at.owner == nobody {
		result.State = stateOf(at)
	}
	if result.State == StateModified || at.plain != nil {
		result.Files = e.differences(name, before.Hash, at)
	}
	chosen := e.chosenAgents(entry.Agents, records.manifest.Agents)
	if result.Targets, err = e.targetStates(ctx, served, before, name, chosen); err == nil && locked && named {
		result.Targets = append(result.Targets, e.missingStates(chosen, name)...)
		slices.SortFunc(result.Targets, func(a, b Target) int { return strings.Compare(a.Agent, b.Agent) })
	}
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

// differences names the files of an installed skill that differ, when its contents are still known.
func (e *Engine) differences(name, digest string, at entry) []FileState {
	known := at.plain
	if known == nil {
		known = e.recall(digest)
	}
	if known == nil {
		return nil
	}
	return changes(filepath.Join(e.canonical(), name), known, at.found)
}

// changes names the files of a directory that are not as they were, but for what nobody wrote.
func changes(dir string, before, now contents) []FileState {
	was, is := byPath(before), byPath(now)
	all := []FileState{}
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer root.Close()
	}
	for _, d := range compare(before, now.withoutJunk()) {
		state := State(d.state)
		if err == nil && onlyLineEndings(root, d, was, is) {
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
func (e *Engine) targetStates(ctx context.Context, served []target, before lockfile.Skill, name string, chosen []string) ([]Target, error) {
	var all []Target
	for _, t := range served {
		at, err := e.inspectTarget(ctx, t.dir, name, before.Hash)
		if err != nil {
			return nil, err
		}
		if at.owner == nobody {
			continue
		}
		state := map[owner]State{ours: StateOK, edited: StateModified, others: StateUnmanaged}[at.owner]
		path := filepath.Join(t.dir, name)
		if _, err := os.Stat(path); at.link && err != nil {
			state = StateMissing
		}
		for _, id := range t.agents {
			all = append(all, Target{Agent: id, Path: e.shown(path), State: state})
		}
	}
	all = append(all, e.directStates(name, chosen)...)
	slices.SortFunc(all, func(a, b Target) int { return strings.Compare(a.Agent, b.Agent) })
	return all, nil
}

// missingStates lists the chosen agents that have nothing of a skill in their directories.
func (e *Engine) missingStates(chosen []string, name string) []Target {
	links, _, err := e.targets(chosen)
	if err != nil {
		return nil // an agent that is not known any more sees nothing
	}
	var all []Target
	for _, t := range links {
		path := filepath.Join(t.dir, name)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, id := range t.agents {
			all = append(all, Target{Agent: id, Path: e.shown(path), State: StateMissing})
		}
	}
	return all
}

// directStates lists the agents that are there or chosen and read the canonical directory.
func (e *Engine) directStates(name string, chosen []string) []Target {
	path := filepath.Join(e.canonical(), name)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	for _, agent := range e.config.Agents.Detected(e.config.Environment) {
		if _, err := agent.Path(e.config.Scope, e.config.Environment); err == nil {
			chosen = append(chosen, agent.ID)
		}
	}
	_, direct, err := e.targets(chosen)
	if err != nil {
		return nil // an agent that is not known any more sees nothing
	}
	slices.Sort(direct)
	var all []Target
	for _, id := range slices.Compact(direct) {
		all = append(all, Target{Agent: id, Path: e.shown(path), State: StateOK})
	}
	return all
}
