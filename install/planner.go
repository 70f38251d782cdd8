package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skills/catalog"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
	"skills/source/names"
)

// planner decides what happens on the disk for the steps of one plan.
type planner struct {
	engine  *Engine
	records *records
	served  []target // existing directories of all agents
	mode    Mode     // that the request asks for, "" for none
	force   bool
	taken   map[string]Step   // steps of this plan by folded name
	locked  map[string]string // names in the lock by folded name
	seen    map[string]entry  // canonical places by name
	choices map[string]choices
}

// choices is what an answer to the question for which agents comes to.
type choices struct {
	links  []target
	direct []string
}

// planner makes a planner for the present state of the disk.
func (e *Engine) planner(records *records, mode Mode, force bool) *planner {
	p := &planner{
		engine: e, records: records, served: e.everyTarget(), mode: mode, force: force, taken: map[string]Step{}, locked: map[string]string{},
		seen: map[string]entry{}, choices: map[string]choices{},
	}
	for _, skill := range records.lock.Skills() {
		p.locked[names.Fold(skill.Name)] = skill.Name
	}
	return p
}

// look tells what is at the canonical place of a name. It reads it once.
func (p *planner) look(ctx context.Context, name string, before lockfile.Skill) (entry, error) {
	if at, ok := p.seen[name]; ok {
		return at, nil
	}
	at, err := p.engine.inspectCanonical(ctx, name, before)
	if err == nil {
		p.seen[name] = at
	}
	return at, err
}

// chosen gives the directories for the agents of a manifest entry, and the agents that need none. It finds out once.
func (p *planner) chosen(agents []string) (choices, error) {
	key := fmt.Sprintf("%v %q", agents == nil, agents)
	c, ok := p.choices[key]
	if ok {
		return c, nil
	}
	var err error
	c.links, c.direct, err = p.engine.targets(p.engine.chosenAgents(agents, p.records.manifest.Agents))
	if err == nil {
		p.choices[key] = c
	}
	return c, err
}

// measure lists and hashes the files of a step.
func (p *planner) measure(ctx context.Context, step *Step) error {
	files, findings, err := catalog.Files(ctx, step.tree.FS(), step.From, p.engine.config.Limits)
	if err != nil {
		return err
	}
	step.files = files
	step.Findings = append(slices.Clone(step.Findings), findings...)
	contents, findings, err := readContents(ctx, step.tree.FS(), files, p.engine.config.Limits)
	if err != nil {
		return err
	}
	step.contents, step.Digest = contents, contents.digest()
	step.Findings = append(step.Findings, findings...)
	if !indexed(step.tree) {
		step.Findings = append(step.Findings, leftOut(step.tree)...)
	}
	step.Tree = cmp.Or(treeOf(step), step.Tree)
	return nil
}

// treeOf is the git id of the directory of a step, by which it is had again: that of a commit from its host and from the store, that of what has
// no digest from the store.
func treeOf(step *Step) string {
	ids, ok := step.tree.FS().(interface{ ObjectID(string) (string, bool) })
	kind := step.tree.Revision().Locator.Kind
	undigested := (kind == source.File || kind == source.Site) && digestOf(step.tree, step.From) == ""
	if !ok || step.Commit == "" && !undigested {
		return ""
	}
	id, _ := ids.ObjectID(dotted(step.From))
	return id
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
func (p *planner) place(ctx context.Context, step *Step, entry manifest.Skill) error {
	e := p.engine
	step.Path = e.shown(e.canonical() + "/" + step.Name)
	before, locked := p.records.lock.Get(step.Name)
	if err := p.conflict(step, before, locked); err != nil {
		return err
	}
	at, err := p.look(ctx, step.Name, before)
	if err != nil {
		return err
	}
	if err := p.canonical(step, at, locked); err != nil || step.Action == Skipped {
		return err
	}
	if err := p.agents(ctx, step, before, entry); err != nil {
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
func (p *planner) conflict(step *Step, before lockfile.Skill, locked bool) error {
	if !locked {
		return p.foldConflict(step)
	}
	if before.Source == step.Source && (before.Path == step.From || step.follows) || p.force {
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
func (p *planner) foldConflict(step *Step) error {
	other, ok := p.locked[names.Fold(step.Name)]
	if !ok || other == step.Name {
		return nil
	}
	return &Error{
		Kind: "conflict", Name: step.Name,
		Message: fmt.Sprintf("%q and the installed %q are one directory on some systems", step.Name, other),
		Hint:    "install it under another name with --as NAME",
	}
}

// place names a directory of a source.
func place(identity, path string) string {
	if path == "" {
		return identity
	}
	return strings.TrimSuffix(identity, "/") + ", " + path
}

// canonical decides what happens to .agents/skills/NAME.
func (p *planner) canonical(step *Step, at entry, locked bool) error {
	write := move{dir: p.engine.canonical(), name: step.Name, kind: writeCopy, seen: at.seen}
	switch {
	case at.owner == nobody:
		step.Action = Added
	case at.digest == step.Digest:
		step.Action = Unchanged
		return nil
	case at.owner == ours || step.written != "":
		step.Action = Updated
	case p.force:
		step.Action, write.keep = Updated, true
		step.Backups = append(step.Backups, step.Path)
	case at.owner == edited:
		step.Action = Skipped
		step.Reason, step.Hint = step.Path+" was edited since it was installed", "--force replaces it and keeps the edited one in "+BackupDir
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
func (p *planner) agents(ctx context.Context, step *Step, before lockfile.Skill, entry manifest.Skill) error {
	e := p.engine
	c, err := p.chosen(entry.Agents)
	if err != nil {
		return err
	}
	wanted := slices.Clone(c.links)
	for _, id := range c.direct {
		step.Targets = append(step.Targets, Target{Agent: id, Path: step.Path, Mode: ModeDirect})
	}
	for _, t := range p.served {
		if slices.ContainsFunc(wanted, func(w target) bool { return w.dir == t.dir }) {
			continue
		}
		at, err := e.inspectTarget(ctx, t.dir, step.Name, before.Hash)
		if err != nil {
			return err
		}
		if at.owner == ours || at.owner == edited {
			wanted = append(wanted, t)
		}
	}
	mode := firstMode(p.mode, Mode(entry.Mode), Mode(p.records.manifest.Mode), e.config.Mode)
	for _, t := range wanted {
		if err := p.target(ctx, step, before, t, mode); err != nil {
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
func (p *planner) target(ctx context.Context, step *Step, before lockfile.Skill, t target, mode Mode) error {
	e := p.engine
	path := e.shown(t.dir + "/" + step.Name)
	at, err := e.inspectTarget(ctx, t.dir, step.Name, before.Hash)
	if err != nil {
		return err
	}
	if copied := at.owner == ours && !at.link; t.copies || mode == "" && copied {
		mode = ModeCopy // a copy that is there stays one until something else is asked for
	}
	mode = firstMode(mode, ModeLink)
	for _, id := range t.agents {
		step.Targets = append(step.Targets, Target{Agent: id, Path: path, Mode: mode})
	}
	if at.owner == others && at.digest == step.Digest {
		at.owner = ours // the very bytes that would be written
	}
	done := at.link && mode == ModeLink || !at.link && mode == ModeCopy && at.digest == step.Digest
	if at.owner == ours && done {
		return nil
	}
	m := move{dir: t.dir, name: step.Name, kind: writeLink, seen: at.seen}
	if mode == ModeCopy {
		m.kind = writeCopy
	}
	if at.owner == others || at.owner == edited {
		if !p.force {
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

// errAgain says that a step is that of another once more, which harms nobody.
var errAgain = errors.New("it is wanted twice")

// take claims the directory name of a step within the plan.
func (p *planner) take(step Step) error {
	key := names.Fold(step.Name)
	other, ok := p.taken[key]
	switch {
	case !ok:
		p.taken[key] = step
		return nil
	case other.Source == step.Source && other.From == step.From && other.Ref == step.Ref:
		return errAgain
	}
	first, second := dotted(other.From), dotted(step.From)
	if other.Source != step.Source || first == second {
		first, second = placeAt(other), placeAt(step)
	}
	conflict := &Error{
		Kind: "conflict", Name: step.Name,
		Message: fmt.Sprintf("%q and %q would have one directory %q, and the first takes it", first, second, step.Name),
		Hint:    "add the other by its path, under another name with --as",
	}
	if step.line > 0 {
		conflict.Message = fmt.Sprintf("%q of line %d and %q of line %d would have one directory %q, and the first takes it", first, other.line, second, step.line, step.Name)
		conflict.Hint = "leave one of them out, or give it a name of its own: a key in [skills] of skills.toml, or --as NAME behind it in a list"
	}
	return conflict
}

// placeAt names a directory of a source at the ref that was asked for.
func placeAt(step Step) string {
	if step.Ref == "" {
		return place(step.Source, step.From)
	}
	return place(step.Source+"#"+step.Ref, step.From)
}
