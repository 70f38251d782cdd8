package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"skills/catalog"
	"skills/fetch"
	"skills/lockfile/manifest"
	"skills/source"
)

// UpdateRequest says which skills move to the newest revision, and what happens to those that were edited here. Without a word on
// that they stay at their revision and count as not done; only one word is possible.
type UpdateRequest struct {
	Names  []string // installed skills; none for all
	Latest bool     // beyond what the manifest allows, which is then rewritten
	Merge  bool     // edits and update are brought together
	Keep   bool     // edited skills stay as they are, on purpose
	Force  bool     // edited skills are replaced; they are moved to a backup
}

// Changes is what an update changes in one skill. Paths are below the skill, sorted.
type Changes struct {
	Added, Removed, Modified []string
	Executables              []string // that are new, or became executable
	Tools                    []string // entries of allowed-tools that are new
	Hooks                    []catalog.Hook
}

// PlanUpdate plans moving skills to the newest revision that the manifest allows. What did not change in its source costs one listing
// of refs a repository and no download.
func (e *Engine) PlanUpdate(ctx context.Context, request UpdateRequest) (*Plan, error) {
	if request.Merge && request.Keep || request.Merge && request.Force || request.Keep && request.Force {
		return nil, contradiction("edited skills can be merged, kept or replaced, and only one of these at a time", "choose one")
	}
	if err := e.recover(ctx); err != nil {
		return nil, err
	}
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	u := &updater{
		planner: e.planner(records, "", request.Force), tracker: &tracker{engine: e, records: records, trees: map[string]Tree{}},
		request: request, entries: map[string]manifest.Skill{},
	}
	all, err := u.track(ctx, request.Names)
	if err != nil {
		return nil, err
	}
	plan := e.newPlan(records)
	plan.Steps = u.steps(ctx, all)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return plan.seal(records.apply(plan.Steps, true, u.entries))
}

// updater plans the steps of one request.
type updater struct {
	*planner
	*tracker
	request UpdateRequest
	entries map[string]manifest.Skill // of the manifest, to be rewritten
}

// steps plans all skills: first what moved is found out, then the files of each revision are loaded at once.
func (u *updater) steps(ctx context.Context, all []*tracked) []Step {
	steps := make([]Step, len(all))
	loads := map[Tree][]string{}
	for i, s := range all {
		steps[i] = stepOf(s.lock)
		steps[i].Path = u.planner.engine.shown(u.planner.engine.canonical() + "/" + s.lock.Name)
		steps[i].Err = u.find(ctx, &steps[i], s)
		if steps[i].Err == nil && steps[i].tree != nil {
			loads[steps[i].tree] = append(loads[steps[i].tree], steps[i].From)
		}
	}
	failure := load(ctx, loads)
	for i, s := range all {
		step := &steps[i]
		if step.Err == nil && step.tree != nil {
			step.Err = failure(step.tree, step.From)
		}
		if step.Err == nil && step.tree != nil {
			step.Err = u.plan(ctx, step, s)
		}
		if step.Err != nil {
			step.Action, step.Err, step.moves = Failed, naming(step.Name, step.Err), nil
		}
	}
	return steps
}

// naming makes an error name the skill, unless it does.
func naming(name string, err error) error {
	var known *Error
	if errors.As(err, &known) && known.Name == name || strings.HasPrefix(err.Error(), quote(name)) {
		return err
	}
	return fmt.Errorf("%q: %w", name, err)
}

// find finds out whether a skill moved. The tree of the step is set when it did.
func (u *updater) find(ctx context.Context, step *Step, s *tracked) error {
	step.Action = Unchanged
	switch {
	case s.err != nil:
		return s.err
	case s.locator.Kind != source.Git:
		return u.findOther(ctx, step, s)
	case isProposal(s.locator.Ref):
		step.Action, step.passed = Skipped, true
		step.Reason, step.Hint = s.locator.Ref+" is a change that was proposed, so it is not moved", "add it again to take what it holds now"
		return nil
	}
	target := u.settled(ctx, u.target(s))
	if target.Err != nil {
		return target.Err
	}
	tree, path, moved, err := u.moved(ctx, s, target.Revision)
	if err != nil {
		return err
	}
	if moved {
		step.tree, step.From, step.follows = tree, path, path != s.lock.Path
		step.Tree = "" // that was of the old files
	}
	u.record(step, s, target.Revision)
	if step.follows && s.entry.Source != "" {
		u.relocate(step, s)
	}
	return nil
}

// target is the revision to move to: the newest that is allowed, or with Latest the newest.
func (u *updater) target(s *tracked) fetch.Resolution {
	if u.request.Latest && !s.pinned && s.entry.Source != "" {
		return s.latest
	}
	return s.wanted
}

// findOther finds out whether a skill moved whose source has no commits. What has the digest that the lock says is not fetched.
func (u *updater) findOther(ctx context.Context, step *Step, s *tracked) error {
	target := u.target(s)
	now, err := u.current(ctx, s, target, true)
	if err != nil {
		return err
	}
	step.lock.Digest, step.lock.Tree = now.lock.Digest, now.Tree
	if s.locator.Kind == source.NPM {
		u.recordVersion(step, s, target.Revision.Ref)
	}
	if now.tree != nil && now.Digest != s.lock.Hash {
		step.tree, step.Tree = now.tree, "" // that was of the old files
	}
	return nil
}

// recordVersion notes the version of a package for the lock, and for the manifest when it goes beyond what that allows.
func (u *updater) recordVersion(step *Step, s *tracked, number string) {
	step.lock.Resolved = number
	step.Ref, step.lock.Ref = s.locator.Ref, s.locator.Ref
	if s.locator.Ref == "" || s.wanted.Err == nil && s.wanted.Revision.Ref == number {
		return
	}
	ref := number
	if s.lock.Resolved != s.locator.Ref { // a range, be it only "1"
		ref = "^" + number
	}
	l := s.locator
	entry := s.entry
	if entry.Ref != "" {
		entry.Ref = ref
	} else {
		l.Ref = ref
		entry.Source = l.Canonical()
	}
	step.Ref, step.lock.Ref = ref, ref
	u.entries[step.Name] = entry
}

// relocate writes the new place of a skill that moved within its source into the manifest.
func (u *updater) relocate(step *Step, s *tracked) {
	entry, ok := u.entries[step.Name]
	if !ok {
		entry = s.entry
	}
	ref := cmp.Or(entry.Ref, step.Ref)
	u.planner.engine.repoint(&entry, s.locator, step.From, ref)
	u.entries[step.Name] = entry
}

// record notes the new revision for the lock, and for the manifest when it goes beyond what that allows. What the lock knows of the same
// files stays where a host that hides its refs says less.
func (u *updater) record(step *Step, s *tracked, revision source.Revision) {
	same := step.tree == nil && s.lock.Ref == s.locator.Ref && (revision.Commit == "" || revision.Commit == s.lock.Commit)
	step.Ref, step.lock.Ref = s.locator.Ref, s.locator.Ref
	if !same || revision.Ref != "" {
		step.Commit, step.lock.Commit, step.lock.Resolved = revision.Commit, revision.Commit, revision.Ref
	}
	tag, tagged := strings.CutPrefix(revision.Ref, "refs/tags/")
	if !u.request.Latest || s.pinned || !tagged || s.wanted.Revision.Commit == revision.Commit {
		return
	}
	ref := tag
	if source.IsRange(s.locator.Ref) {
		ref = "^" + strings.TrimLeft(tag[strings.LastIndexAny(tag, "@-")+1:], "v")
	}
	entry := s.entry
	if entry.Ref == "" { // it stands in the text
		u.planner.engine.repoint(&entry, s.locator, s.lock.Path, ref)
	}
	entry.Ref, step.Ref, step.lock.Ref = ref, ref, ref
	u.entries[step.Name] = entry
}

// plan plans a skill whose files are loaded.
func (u *updater) plan(ctx context.Context, step *Step, s *tracked) error {
	at, err := u.look(ctx, step.Name, s.lock)
	if err != nil {
		return err
	}
	if at.owner == edited && !u.request.Force && !u.request.Merge {
		u.leave(step, s)
		return nil
	}
	if err := u.measure(ctx, step); err != nil {
		return err
	}
	before := u.before(s, at)
	if err := u.describe(step, before, at); err != nil {
		return err
	}
	step.lock.Path, step.lock.Tree, step.lock.Hash, step.lock.License = step.From, step.Tree, step.Digest, step.Skill.License
	if at.owner == edited && u.request.Merge {
		if err := u.merge(ctx, step, s); err != nil {
			return err
		}
	}
	return u.place(ctx, step, s.entry)
}

// leave leaves an edited skill at its revision.
func (u *updater) leave(step *Step, s *tracked) {
	*step = stepOf(s.lock)
	delete(u.entries, step.Name)
	step.Path = u.planner.engine.shown(u.planner.engine.canonical() + "/" + s.lock.Name)
	step.Action, step.Reason = Unchanged, "it was edited since it was installed and stays as it is"
	if !u.request.Keep {
		step.Action = Skipped
		step.Reason = "it was edited since it was installed"
		step.Hint = "go on with --merge (edits and update together), --keep (leave it), or --force (replace it, the edited one is kept in " + BackupDir + ")"
	}
}

// before are the contents as they were installed, when they are still known.
func (u *updater) before(s *tracked, at entry) contents {
	switch {
	case at.plain != nil:
		return at.plain
	case at.owner == ours:
		return at.found.withoutJunk()
	}
	return u.planner.engine.recall(s.lock.Hash)
}

// describe lists what changes in a skill.
func (u *updater) describe(step *Step, before contents, at entry) error {
	document, err := fs.ReadFile(step.tree.FS(), manifestOf(step.files))
	if err != nil {
		return err
	}
	skill, findings, err := catalog.Parse(document, catalog.Rules{})
	if err != nil {
		return err
	}
	step.Skill, step.Findings = skill, append(findings, step.Findings...)
	step.Changes = changesBetween(before, step.contents)
	old := &catalog.Skill{}
	if at.found != nil {
		old = u.planner.engine.parseInstalled(step.Name)
	}
	step.Changes.Tools = without(skill.AllowedTools, old.AllowedTools)
	if old.Name != "" && old.Name != skill.Name {
		step.Findings = append(step.Findings, renamed(step.Name, old.Name, skill.Name))
	}
	for _, hook := range skill.Hooks {
		if !slices.ContainsFunc(old.Hooks, func(h catalog.Hook) bool { return h.Event == hook.Event && h.Command == hook.Command }) {
			step.Changes.Hooks = append(step.Changes.Hooks, hook)
		}
	}
	return nil
}

// renamed says that a skill has another name in its source now: it stays where it is, since manifest and agents know it by that.
func renamed(directory, before, now string) catalog.Finding {
	return catalog.Finding{
		Code: "renamed", Severity: catalog.SeverityWarning, File: "SKILL.md",
		Message: fmt.Sprintf("the skill was called %q and is called %q now; it stays in %q until you remove it and add it anew", before, now, directory),
	}
}

// manifestOf is where the bytes of SKILL.md are.
func manifestOf(files []catalog.File) string {
	for _, file := range files {
		if file.Path == "SKILL.md" {
			return file.From
		}
	}
	return "SKILL.md"
}

// parseInstalled reads the SKILL.md of an installed skill; what cannot be read is empty.
func (e *Engine) parseInstalled(name string) *catalog.Skill {
	tree := diskTree{e.canonical() + "/" + name}
	document, err := fs.ReadFile(tree.FS(), "SKILL.md")
	if err != nil {
		return &catalog.Skill{}
	}
	skill, _, err := catalog.Parse(document, catalog.Rules{})
	if err != nil {
		return &catalog.Skill{}
	}
	return skill
}

// changesBetween compares contents.
func changesBetween(before, after contents) *Changes {
	c := &Changes{}
	was := byPath(before)
	for _, d := range compare(before, after) {
		switch d.state {
		case "extra":
			c.Added = append(c.Added, d.path)
		case "missing":
			c.Removed = append(c.Removed, d.path)
		default:
			c.Modified = append(c.Modified, d.path)
		}
	}
	for _, file := range after {
		if old, ok := was[file.path]; file.executable && !(ok && old.executable) {
			c.Executables = append(c.Executables, file.path)
		}
	}
	return c
}

// without gives the entries of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(entry string) bool { return slices.Contains(b, entry) })
}

// PlanPin plans holding a skill at a ref, "" for the commit that is installed, for a reason, which may be empty. Only the records
// change; where the ref is another revision, an update brings its files.
func (e *Engine) PlanPin(ctx context.Context, name, ref, reason string) (*Plan, error) {
	return e.planHold(name, func(entry *manifest.Skill, step *Step, l source.Locator) error {
		return e.pin(ctx, ref, reason, entry, step, l)
	})
}

// PlanUnpin plans letting a pinned skill follow again what it followed before.
func (e *Engine) PlanUnpin(name string) (*Plan, error) { return e.planHold(name, e.unpin) }

// planHold plans a change of what a skill follows.
func (e *Engine) planHold(name string, change func(*manifest.Skill, *Step, source.Locator) error) (*Plan, error) {
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	skill, ok := records.lock.Get(name)
	if !ok {
		return nil, e.notInstalled(name, records.lock)
	}
	entry, ok := records.manifest.Get(name)
	var l source.Locator
	if ok && entry.Source != "" {
		if l, err = e.locator(entry.Source, entry.Ref, entry.Path); err != nil {
			return nil, err
		}
	}
	if skill.Commit == "" && l.Kind != source.NPM {
		return nil, &Error{
			Kind: "unsupported", Name: name, Message: fmt.Sprintf("%q has no entry in the manifest that could be held at a commit or a version", name),
			Hint: "only skills out of repositories and packages that the manifest names can be pinned",
		}
	}
	step := stepOf(skill)
	step.Action, step.Path = Unchanged, e.shown(e.canonical()+"/"+skill.Name)
	if err := change(&entry, &step, l); err != nil {
		return nil, err
	}
	step.Ref = step.lock.Ref
	plan := e.newPlan(records)
	plan.Steps = []Step{step}
	return plan.seal(records.apply(plan.Steps, true, map[string]manifest.Skill{step.Name: entry}))
}

// pin holds a skill.
func (e *Engine) pin(ctx context.Context, ref, reason string, entry *manifest.Skill, step *Step, l source.Locator) error {
	if !isCommit(step.lock.Ref) && step.lock.Tracks == "" {
		step.lock.Tracks = cmp.Or(step.lock.Ref, "HEAD")
	}
	held := cmp.Or(ref, step.lock.Commit, step.lock.Resolved)
	step.Reason = "held at " + held
	e.repoint(entry, l, step.lock.Path, held)
	entry.Reason = reason
	if ref == "" {
		step.lock.Ref = held
		return nil
	}
	l.Ref, l.RefKind, l.Ambiguous = ref, source.AnyRef, false
	revision, err := e.config.Fetcher.Resolve(ctx, l)
	now := (&tracker{engine: e, trees: map[string]Tree{}}).settled(ctx, fetch.Resolution{Revision: revision, Err: err})
	if revision, err = now.Revision, now.Err; err != nil || revision.Commit == step.lock.Commit && (l.Kind != source.NPM || revision.Ref == step.lock.Resolved) {
		step.lock.Ref = held
		return err
	}
	step.Hint = "bring its files with: skills install" // until then the lock says what is here
	return nil
}

// unpin lets a skill go on.
func (e *Engine) unpin(entry *manifest.Skill, step *Step, l source.Locator) error {
	if step.lock.Tracks == "" && entry.Reason == "" && !isCommit(l.Ref) {
		step.Reason = "it is not pinned"
		return nil
	}
	step.lock.Ref = strings.TrimPrefix(step.lock.Tracks, "HEAD")
	step.lock.Tracks = ""
	e.repoint(entry, l, step.lock.Path, step.lock.Ref)
	entry.Reason = ""
	step.Reason = "follows " + cmp.Or(step.lock.Ref, "the default branch") + " again"
	return nil
}

// repoint gives a manifest entry another path and ref, whatever its source text said.
func (e *Engine) repoint(entry *manifest.Skill, l source.Locator, path, ref string) {
	l.Path, l.Ref, l.RefKind, l.Ambiguous, l.File = "", "", source.AnyRef, false, false
	entry.Source, entry.Path, entry.Ref = strings.TrimPrefix(l.Canonical(), "https://"), path, ref
}
