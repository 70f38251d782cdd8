package install

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"skills/catalog"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
)

// SourceRequest is one source to add from.
type SourceRequest struct {
	Locator source.Locator
	Skills  []string // selectors: names, paths in the source, globs
}

// AddRequest says what to add.
type AddRequest struct {
	Sources []SourceRequest
	All     bool // all that is visible, where no selectors are given
	Full    bool // everything that a selector could reach counts as visible
	// Ask chooses among several candidates; nil makes that a [ChooseError].
	Ask    func(context.Context, *Source) ([]catalog.Candidate, error)
	As     string   // another name, for one skill
	Agents []string // ids; nil: see [Config]. Empty and not nil: none but those that read the canonical directory
	Mode   Mode     // "": see [Config]
	Force  bool     // move what is in the way to a backup
	NoSave bool     // leave the manifest as it is
}

// chosen is a source with the candidates that are wanted of it, or the reason why there are none.
type chosen struct {
	request    SourceRequest
	source     *Source
	candidates []catalog.Candidate
	err        error
}

// PlanAdd resolves, fetches and chooses, and plans what adding changes. Skills that cannot be had are steps that failed; with one
// source that cannot be had at all there is no plan, but its error.
func (e *Engine) PlanAdd(ctx context.Context, request AddRequest) (*Plan, error) {
	if err := e.checkAdd(request); err != nil {
		return nil, err
	}
	if err := e.recover(ctx); err != nil {
		return nil, err
	}
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	all, err := e.chooseAll(ctx, request)
	if err != nil {
		return nil, err
	}
	planner := &adder{engine: e, request: request, records: records, entries: map[string]manifest.Skill{}, served: e.everyTarget()}
	plan := &Plan{previous: slices.Clone(records.files)}
	for _, c := range all {
		plan.Steps = append(plan.Steps, planner.steps(ctx, c)...)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	plan.sort()
	plan.files, err = records.apply(plan.Steps, !request.NoSave, planner.entries)
	return plan, err
}

// checkAdd refuses requests that contradict themselves.
func (e *Engine) checkAdd(request AddRequest) error {
	if request.As != "" {
		if err := catalog.CheckName(request.As); err != nil {
			return err
		}
		if len(request.Sources) != 1 || request.All || len(request.Sources[0].Skills) > 1 {
			return &Error{Kind: "invalid_input", Name: request.As, Message: "another name can be given to one skill only", Hint: "choose one source and one skill with --skill"}
		}
	}
	_, _, err := e.targets(request.Agents)
	return err
}

// chooseAll opens the sources side by side. Errors stay with their source, but for a question that has to be answered first.
func (e *Engine) chooseAll(ctx context.Context, request AddRequest) ([]chosen, error) {
	all := make([]chosen, len(request.Sources))
	var group errgroup.Group
	group.SetLimit(8)
	for i, wanted := range request.Sources {
		group.Go(func() error {
			c := &all[i]
			c.request = wanted
			c.source, c.candidates, c.err = e.choose(ctx, wanted, choice{all: request.All, ask: request.Ask}, request.Full)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, c := range all {
		if _, question := c.err.(*ChooseError); c.err != nil && (question || len(all) == 1 || ctx.Err() != nil) {
			return nil, c.err
		}
	}
	return all, nil
}

// adder plans the steps of one request.
type adder struct {
	engine  *Engine
	request AddRequest
	records *records
	entries map[string]manifest.Skill // manifest entries by name
	served  []target                  // existing directories of all agents
	taken   map[string]Step           // steps of this plan by folded name
}

// steps plans the candidates of one source.
func (a *adder) steps(ctx context.Context, c chosen) []Step {
	if c.err != nil {
		return []Step{{Name: c.request.Locator.Input, Action: Failed, Err: c.err}}
	}
	var steps []Step
	for _, candidate := range c.candidates {
		step := a.step(ctx, c, candidate)
		if step.Err != nil {
			step.Action, step.moves = Failed, nil
		}
		steps = append(steps, step)
	}
	return steps
}

// step plans one candidate.
func (a *adder) step(ctx context.Context, c chosen, candidate catalog.Candidate) Step {
	revision := c.source.Revision
	step := Step{
		Name: candidate.Directory, Source: revision.Locator.Source(), From: candidate.Path, Ref: revision.Locator.Ref,
		Commit: revision.Commit, Findings: candidate.Findings, Skill: candidate.Skill, tree: c.source.tree,
	}
	if a.request.As != "" {
		step.Name = a.request.As
	}
	if !candidate.Usable {
		step.Name = candidate.Name
		step.Err = fmt.Errorf("%s: %w", candidate.Manifest, candidate.Err)
		return step
	}
	if step.Err = a.take(step); step.Err != nil {
		return step
	}
	if step.Err = a.measure(ctx, &step); step.Err != nil {
		return step
	}
	step.lock = locked(step, revision)
	entry := wish(step, revision.Locator)
	entry.Agents, entry.Mode = a.request.Agents, string(a.request.Mode)
	if old, ok := a.records.manifest.Get(step.Name); ok {
		entry = keepWish(old, entry)
	}
	if step.Err = a.place(ctx, &step, entry); step.Err == nil && step.Action != Skipped {
		a.entries[step.Name] = entry
	}
	return step
}

// keepWish carries over what a manifest entry said of agents and mode when the request says nothing.
func keepWish(old, entry manifest.Skill) manifest.Skill {
	if entry.Agents == nil {
		entry.Agents = old.Agents
	}
	if entry.Mode == "" {
		entry.Mode = old.Mode
	}
	return entry
}

// take claims the directory name of a step within the plan.
func (a *adder) take(step Step) error {
	if a.taken == nil {
		a.taken = map[string]Step{}
	}
	key := catalog.Fold(step.Name)
	other, ok := a.taken[key]
	if !ok {
		a.taken[key] = step
		return nil
	}
	first, second := dotted(other.From), dotted(step.From)
	if other.Source != step.Source {
		first, second = place(other.Source, other.From), place(step.Source, step.From)
	}
	return &Error{
		Kind: "conflict", Name: step.Name,
		Message: fmt.Sprintf("%q and %q would have one directory %q, and the first takes it", first, second, step.Name),
		Hint:    "add the other by its path, under another name with --as",
	}
}

// measure lists and hashes the files of a step.
func (a *adder) measure(ctx context.Context, step *Step) error {
	files, findings, err := catalog.Files(ctx, step.tree.FS(), step.From, a.engine.config.Limits)
	if err != nil {
		return err
	}
	step.files = files
	step.Findings = append(slices.Clone(step.Findings), findings...)
	contents, findings, err := readContents(ctx, step.tree.FS(), files, a.engine.config.Limits)
	if err != nil {
		return err
	}
	step.contents, step.Digest = contents, contents.digest()
	step.Findings = append(step.Findings, findings...)
	step.Findings = append(step.Findings, leftOut(step.tree)...)
	if ids, ok := step.tree.FS().(interface{ ObjectID(string) (string, bool) }); ok && step.Commit != "" {
		step.Tree, _ = ids.ObjectID(dotted(step.From))
	}
	return nil
}

// leftOut tells what a source did not give, such as a file that a document refers to.
func leftOut(tree Tree) []catalog.Finding {
	noted, ok := tree.(interface{ Notes() []source.Note })
	if !ok {
		return nil
	}
	var findings []catalog.Finding
	for _, note := range noted.Notes() {
		findings = append(findings, catalog.Finding{Code: note.Code, Severity: catalog.SeverityWarning, Message: note.Message})
	}
	return findings
}

// dotted is a path as file systems want it.
func dotted(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// place decides what happens to the canonical directory and to the agents' directories.
func (a *adder) place(ctx context.Context, step *Step, entry manifest.Skill) error {
	e := a.engine
	step.Path = SkillsDir + "/" + step.Name
	step.Path = e.shown(e.canonical() + "/" + step.Name)
	before, locked := a.records.lock.Get(step.Name)
	if err := a.conflict(step, before, locked); err != nil {
		return err
	}
	at, err := e.inspectCanonical(ctx, step.Name, before)
	if err != nil {
		return err
	}
	if err := a.canonical(step, at, locked); err != nil || step.Action == Skipped {
		return err
	}
	if err := a.agents(ctx, step, before, entry); err != nil {
		return err
	}
	if step.Action == Unchanged && (len(step.moves) > 0 || before.Hash != step.Digest) {
		step.Action = Updated
		if !locked {
			step.Action = Added
		}
	}
	return nil
}

// conflict refuses a name that the lock has from another place.
func (a *adder) conflict(step *Step, before lockfile.Skill, locked bool) error {
	if !locked {
		return a.foldConflict(step)
	}
	if before.Source == step.Source && before.Path == step.From || a.request.Force {
		return nil
	}
	from, to := place(before.Source, before.Path), place(step.Source, step.From)
	return &Error{
		Kind: "conflict", Name: step.Name,
		Message: fmt.Sprintf("%q is installed from %s, and this one comes from %s", step.Name, from, to),
		Hint:    "install it beside the other with --as NAME, or replace the other with --force",
	}
}

// foldConflict refuses a name that is another locked one on systems that do not tell letters apart.
func (a *adder) foldConflict(step *Step) error {
	for _, other := range a.records.lock.Skills() {
		if other.Name != step.Name && catalog.Fold(other.Name) == catalog.Fold(step.Name) {
			return &Error{
				Kind: "conflict", Name: step.Name,
				Message: fmt.Sprintf("%q and the installed %q are one directory on some systems", step.Name, other.Name),
				Hint:    "install it under another name with --as NAME",
			}
		}
	}
	return nil
}

// place names a directory of a source.
func place(identity, path string) string {
	if path == "" {
		return identity
	}
	return strings.TrimSuffix(identity, "/") + ", " + path
}

// canonical decides what happens to .agents/skills/NAME.
func (a *adder) canonical(step *Step, at entry, locked bool) error {
	write := move{dir: a.engine.canonical(), name: step.Name, kind: writeCopy}
	switch {
	case at.owner == nobody:
		step.Action = Added
	case at.digest == step.Digest:
		step.Action = Unchanged
		return nil
	case at.owner == ours:
		step.Action = Updated
	case a.request.Force:
		step.Action, write.keep = Updated, true
		step.Backups = append(step.Backups, step.Path)
	case at.owner == edited:
		step.Action = Skipped
		step.Reason = fmt.Sprintf("%s was edited since it was installed; --force replaces it and keeps the edited one in %s", step.Path, BackupDir)
		return nil
	default:
		return &Error{
			Kind: "already_exists", Name: step.Name,
			Message: fmt.Sprintf("%s is there and was not installed by this program", quote(step.Path)),
			Hint:    "choose another name with --as NAME, or replace it with --force, which keeps it in " + BackupDir,
		}
	}
	step.moves = append(step.moves, write)
	return nil
}

// agents decides what happens in the directories of the agents: of those chosen, and of those that have the skill already.
func (a *adder) agents(ctx context.Context, step *Step, before lockfile.Skill, entry manifest.Skill) error {
	e := a.engine
	wanted, direct, err := e.targets(e.chosenAgents(entry.Agents, a.records.manifest.Agents))
	if err != nil {
		return err
	}
	for _, id := range direct {
		step.Targets = append(step.Targets, Target{Agent: id, Path: step.Path, Mode: ModeDirect})
	}
	served, err := e.served(ctx, a.served, step.Name, before.Hash)
	if err != nil {
		return err
	}
	for _, t := range a.served {
		if _, ok := served[t.dir]; ok && !slices.ContainsFunc(wanted, func(w target) bool { return w.dir == t.dir }) {
			wanted = append(wanted, t)
		}
	}
	mode := firstMode(a.request.Mode, Mode(entry.Mode), Mode(a.records.manifest.Mode), e.config.Mode, ModeLink)
	for _, t := range wanted {
		if err := a.target(ctx, step, before, t, mode); err != nil {
			return err
		}
	}
	slices.SortFunc(step.Targets, func(a, b Target) int { return strings.Compare(a.Agent, b.Agent) })
	return nil
}

// firstMode is the first mode that says something.
func firstMode(modes ...Mode) Mode {
	for _, mode := range modes {
		if mode != "" {
			return mode
		}
	}
	return ""
}

// target decides what happens in one directory of agents.
func (a *adder) target(ctx context.Context, step *Step, before lockfile.Skill, t target, mode Mode) error {
	e := a.engine
	if t.copies {
		mode = ModeCopy
	}
	path := e.shown(t.dir + "/" + step.Name)
	for _, id := range t.agents {
		step.Targets = append(step.Targets, Target{Agent: id, Path: path, Mode: mode})
	}
	at, err := e.inspectTarget(ctx, t.dir, step.Name, before.Hash)
	if err != nil {
		return err
	}
	if at.owner == foreign && at.digest == step.Digest {
		at.owner = ours // the very bytes that would be written
	}
	done := at.link && mode == ModeLink || !at.link && mode == ModeCopy && at.digest == step.Digest
	if at.owner == ours && done {
		return nil
	}
	m := move{dir: t.dir, name: step.Name, kind: writeLink}
	if mode == ModeCopy {
		m.kind = writeCopy
	}
	if at.owner == foreign || at.owner == edited {
		if !a.request.Force {
			return &Error{
				Kind: "already_exists", Name: step.Name,
				Message: fmt.Sprintf("%s is there and is not what this program installed", quote(path)),
				Hint:    "choose another name with --as NAME or other agents with --agent, or replace it with --force, which keeps it in " + BackupDir,
			}
		}
		m.keep = true
		step.Backups = append(step.Backups, path)
	}
	step.moves = append(step.moves, m)
	step.Changed = append(step.Changed, path)
	return nil
}
