package install

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"skills/install/agents"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
	"skills/source/names"
)

// RemoveRequest says what to remove: a name or a source at least.
type RemoveRequest struct {
	Names   []string         // names of installed skills
	Sources []source.Locator // what came from them: all of a repository, or what its path, ref and selector say
	Agents  []string         // only for these agents; nil: for all, with the skill itself
	Force   bool             // also what was edited or not installed by this program; it is moved to a backup
}

// PlanRemove plans what removing changes.
func (e *Engine) PlanRemove(ctx context.Context, request RemoveRequest) (*Plan, error) {
	if len(request.Names)+len(request.Sources) == 0 {
		return nil, contradiction("nothing is named that is to be removed", "name skills or sources")
	}
	if err := e.checkPlaces(request.Agents, ""); err != nil {
		return nil, err
	}
	if err := e.recover(ctx); err != nil {
		return nil, err
	}
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	names, err := e.named(records.lock, request)
	if err != nil {
		return nil, err
	}
	plan := e.newPlan(records)
	r := &remover{engine: e, request: request, lock: records.lock, manifest: records.manifest, served: e.everyTarget()}
	for _, name := range names {
		plan.Steps = append(plan.Steps, r.prune(ctx, name))
	}
	if request.Agents == nil {
		return plan.seal(records.apply(plan.Steps, true, nil))
	}
	files, err := records.apply(nil, true, nil) // the skill stays, and so does its lock
	if changed := r.without(records, plan.Steps); err == nil && changed != nil {
		files[0].data, err = records.manifest.Set(changed...)
	}
	return plan.seal(files, err)
}

// without gives the manifest entries of skills that some agents do not get any more, so that an install does not bring them back.
func (r *remover) without(records *records, steps []Step) (changed []manifest.Skill) {
	for _, step := range steps {
		entry, ok := records.manifest.Get(step.Name)
		if !ok || step.Action != Removed {
			continue
		}
		left := []string{}
		for _, id := range r.engine.chosenAgents(entry.Agents, records.manifest.Agents) {
			if !slices.Contains(r.request.Agents, id) {
				left = append(left, id)
			}
		}
		entry.Agents = left
		changed = append(changed, entry)
	}
	return changed
}

// named lists the names that a request means, each once. Names and sources that match nothing are errors.
func (e *Engine) named(lock *lockfile.Lock, request RemoveRequest) ([]string, error) {
	names := slices.Clone(request.Names)
	for _, l := range request.Sources {
		before := len(names)
		for _, skill := range lock.Skills() {
			if cameFrom(skill, l) {
				names = append(names, skill.Name)
			}
		}
		if len(names) == before {
			return nil, &Error{Kind: "not_installed", Name: l.Input, Message: "nothing is installed from " + quote(l.Input), Hint: e.seeInstalled()}
		}
	}
	for _, name := range names {
		if err := checkWord(name); err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// cameFrom tells whether a locked skill is what a source text means: its repository, and its path, ref and name where the text says
// them. Hosts do not tell letter case in names of repositories.
func cameFrom(skill lockfile.Skill, l source.Locator) bool {
	named := l.Skill == "" || l.Skill == skill.Name || l.Skill == skill.Skill
	switch {
	case !strings.EqualFold(skill.Source, l.Source()) || !named:
		return false
	case l.Kind != source.Git:
		return true
	case l.Ambiguous:
		return answers(skill, l)
	}
	below := l.Path == "" || skill.Path == l.Path || strings.HasPrefix(skill.Path, l.Path+"/")
	return below && (l.Ref == "" || slices.Contains([]string{skill.Ref, skill.Commit, skill.Resolved}, l.Ref) || strings.HasSuffix(skill.Resolved, "/"+l.Ref))
}

// remover plans the steps of one request.
type remover struct {
	engine   *Engine
	request  RemoveRequest
	lock     *lockfile.Lock
	manifest *manifest.Manifest
	served   []target
}

// prune plans that a skill goes; what cannot go is a step that failed.
func (r *remover) prune(ctx context.Context, name string) Step {
	step, err := r.step(ctx, name)
	if err != nil {
		step.Action, step.Err, step.moves = Failed, err, nil
	}
	return step
}

// step plans one skill.
func (r *remover) step(ctx context.Context, name string) (Step, error) {
	e := r.engine
	before, locked := r.lock.Get(name)
	step := Step{
		Name: name, Action: Removed, Path: e.shown(e.canonical() + "/" + name), Source: before.Source, From: before.Path,
		Ref: before.Ref, Commit: before.Commit, Tree: before.Tree, Digest: before.Hash, lock: before,
	}
	at, err := e.inspectCanonical(ctx, name, before)
	if err != nil {
		return step, err
	}
	targets, err := r.targets(ctx, &step, before)
	if err != nil {
		return step, err
	}
	if !locked && at.owner == nobody && len(targets) == 0 {
		if _, named := r.manifest.Get(name); named && r.request.Agents == nil {
			return step, nil // wanted and never installed: its entry goes
		}
		return step, e.notInstalled(name, r.lock)
	}
	if r.request.Agents != nil {
		return step, r.onlyAgents(&step, at)
	}
	if err := r.ofPack(before); err != nil {
		return step, err
	}
	if at.owner == nobody {
		return step, nil
	}
	return step, r.canonical(&step, at)
}

// ofPack refuses to remove a skill that a pack of the manifest would bring back.
func (r *remover) ofPack(skill lockfile.Skill) error {
	if _, named := r.manifest.Get(skill.Name); named || skill.Source == "" {
		return nil
	}
	for i := range r.manifest.Packs {
		pack := &r.manifest.Packs[i]
		l, err := r.engine.locator(pack.Source, pack.Ref, pack.Path)
		if err == nil && answers(skill, l) && inPack(pack, skill) {
			return &Error{
				Kind: "unsupported", Name: skill.Name, Message: fmt.Sprintf("%q belongs to the pack of %s, line %d of the manifest, which would bring it back", skill.Name, pack.Source, pack.Line),
				Hint: "write exclude = [" + quote(skill.Name) + "] there, or take the pack out, then: skills install --prune",
			}
		}
	}
	return nil
}

// canonical plans that the skill itself goes.
func (r *remover) canonical(step *Step, at entry) error {
	if at.owner != ours && !r.request.Force {
		kind, what := "already_exists", "was not installed by this program"
		if at.owner == edited {
			kind, what = "modified", "was edited since it was installed"
		}
		return &Error{
			Kind: kind, Name: step.Name, Message: fmt.Sprintf("%s %s", quote(step.Path), what),
			Hint: "--force removes it and keeps it in " + BackupDir,
		}
	}
	m := move{dir: r.engine.canonical(), name: step.Name, kind: takeAway, keep: at.owner != ours, seen: at.seen}
	if m.keep {
		step.Backups = append(step.Backups, step.Path)
	}
	step.moves = append(step.moves, m)
	return nil
}

// targets plans that links and copies go, of all agents or of those of the request, and returns their directories. What is not ours
// in an agent's directory is left alone.
func (r *remover) targets(ctx context.Context, step *Step, before lockfile.Skill) ([]string, error) {
	wanted := r.served
	if r.request.Agents != nil {
		chosen, _, err := r.engine.targets(r.request.Agents)
		if err != nil {
			return nil, err
		}
		wanted = chosen
	}
	var dirs []string
	for _, t := range wanted {
		at, err := r.engine.inspectTarget(ctx, t.dir, step.Name, before.Hash)
		if err != nil {
			return nil, err
		}
		if at.owner == ours || at.owner == edited && r.request.Force {
			r.takeAway(step, t, at)
			dirs = append(dirs, t.dir)
		} else if at.owner == edited {
			path := r.engine.shown(filepath.Join(t.dir, step.Name))
			return nil, &Error{Kind: "modified", Name: step.Name, Message: quote(path) + " was edited since it was installed", Hint: "--force removes it and keeps it in " + BackupDir}
		}
	}
	return dirs, nil
}

// takeAway plans that the entry of one directory of agents goes.
func (r *remover) takeAway(step *Step, t target, at entry) {
	path := r.engine.shown(filepath.Join(t.dir, step.Name))
	mode := ModeCopy
	if at.link {
		mode = ModeLink
	}
	for _, id := range t.agents {
		step.Targets = append(step.Targets, Target{Agent: id, Path: path, Mode: mode})
	}
	m := move{dir: t.dir, name: step.Name, kind: takeAway, keep: at.owner == edited, seen: at.seen}
	if m.keep {
		step.Backups = append(step.Backups, path)
	}
	step.moves = append(step.moves, m)
	step.Changed = append(step.Changed, path)
}

// onlyAgents ends a step that takes a skill from some agents only. Agents that read the canonical directory keep seeing it.
func (r *remover) onlyAgents(step *Step, at entry) error {
	_, direct, err := r.engine.targets(r.request.Agents)
	if err != nil {
		return err
	}
	if len(direct) > 0 && at.owner != nobody {
		return &Error{
			Kind: "unsupported", Name: step.Name,
			Message: fmt.Sprintf("%s reads %s itself, so %q cannot be taken from it alone", strings.Join(direct, ", "), agents.SkillsDir, step.Name),
			Hint:    "remove the skill for all agents: skills remove " + step.Name,
		}
	}
	if len(step.moves) == 0 {
		step.Action, step.Reason = Skipped, fmt.Sprintf("%s does not have it", strings.Join(r.request.Agents, ", "))
	}
	return nil
}

// notInstalled is the error for a name that nothing has, with the nearest names.
func (e *Engine) notInstalled(name string, lock *lockfile.Lock) error {
	hint := e.seeInstalled()
	var known []string
	for _, skill := range lock.Skills() {
		known = append(known, skill.Name)
	}
	for _, near := range names.Near(name, known, 1) {
		hint = fmt.Sprintf("is %q meant? If not, ", near) + hint
	}
	return &Error{Kind: "not_installed", Name: name, Message: fmt.Sprintf("no skill %q is installed", name), Hint: hint}
}

// seeInstalled is the command that lists what is installed in the scope.
func (e *Engine) seeInstalled() string {
	if e.config.Scope == agents.UserScope {
		return "see what is installed with: skills list -g"
	}
	return "see what is installed with: skills list"
}
