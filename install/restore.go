package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"skills/catalog"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
	"skills/source/names"
)

// InstallRequest says how the scope is made to match its manifest and its lock.
type InstallRequest struct {
	Manifest *manifest.Manifest // in place of the scope's own, which is then left alone; nil for that
	Frozen   bool               // the lock is the law: what it does not say is an error, and nothing is resolved
	Prune    bool               // skills that the manifest does not name any more go with their files
	Agents   []string           // as in [AddRequest], for all
	Mode     Mode
	Force    bool // also what is in the way or was edited; it is moved to a backup
	Refresh  bool // sources are resolved anew, though the lock has something for them; packs are not
	Relock   bool // a lock that is damaged or holds a merge conflict is made anew; it is moved to a backup
}

// PlanInstall plans what makes the disk match manifest and lock, and the lock match the manifest. What is locked and in place costs no
// request; what is locked and missing is fetched by its ids, one request a repository; what is not locked is resolved.
func (e *Engine) PlanInstall(ctx context.Context, request InstallRequest) (*Plan, error) {
	if err := e.checkPlaces(request.Agents, request.Mode); err != nil {
		return nil, err
	}
	if err := e.recover(ctx); err != nil {
		return nil, err
	}
	records, err := e.read()
	if request.Relock && err != nil {
		err = e.relock(records, err)
	}
	if err != nil {
		return nil, err
	}
	if request.Manifest != nil && records.files[0].data != nil {
		return nil, &Error{
			Kind: "invalid_input", Name: e.config.Manifest, Message: "the lock here belongs to " + quote(e.shown(e.config.Manifest)) + ", and another manifest would rewrite it",
			Hint: "install the other one in a directory of its own (-C DIR), or add its skills with: skills add",
		}
	}
	if request.Manifest != nil {
		records.manifest = request.Manifest
		if err := e.checkTexts(request.Manifest); err != nil {
			return nil, err
		}
	}
	if records.files[0].data == nil && request.Manifest == nil {
		if err := e.withoutManifest(records, request.Frozen); err != nil {
			return nil, err
		}
	}
	r := &restorer{planner: e.planner(records, request.Mode, request.Force), request: request}
	if err := r.match(); err != nil {
		return nil, err
	}
	if err := r.frozen(); err != nil {
		return nil, err
	}
	plan := e.newPlan(records)
	plan.Steps = append(r.locked(ctx), r.resolved(ctx)...)
	plan.Steps = append(plan.Steps, r.dropped(ctx, plan.Steps)...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := plan.Err(); request.Frozen && err != nil {
		return nil, err
	}
	files, err := records.apply(plan.Steps, false, nil)
	if records.unread != nil {
		files = slices.Insert(files, 0, *records.unread)
		plan.previous = slices.Insert(plan.previous, 0, file{path: records.unread.path})
	}
	return plan.seal(files, err)
}

// withoutManifest refuses to install from nothing. A lock alone does not say what is wanted, so that its records would go.
func (e *Engine) withoutManifest(records *records, frozen bool) error {
	missing := &Error{
		Kind: "not_found", Name: e.config.Manifest, Message: "there is no " + quote(e.shown(e.config.Manifest)) + " to install from",
		Hint: "add a skill with \"skills add SOURCE\", which writes it, or name a file with --file",
	}
	locked := len(records.lock.Skills()) > 0
	if !locked && records.files[1].data != nil {
		return nil
	}
	if locked {
		missing.Message = "the lock names skills, and there is no " + quote(e.shown(e.config.Manifest)) + " that wants them"
		missing.Hint = "install from the file that the lock was made from: skills install --file FILE; or write a skills.toml; or remove the skills: skills remove NAME"
	}
	if locked && frozen {
		missing.Kind = "lock_mismatch"
	}
	return missing
}

// restorer plans the steps of one request.
type restorer struct {
	*planner
	request InstallRequest
	wanted  []wanted
	extra   []lockfile.Skill // locked and not wanted
}

// frozen lists where manifest and lock disagree, when that is an error.
func (r *restorer) frozen() error {
	if !r.request.Frozen {
		return nil
	}
	var all []error
	for _, w := range r.wanted {
		if w.lock == nil {
			all = append(all, frozenError(w.entry.Name, fmt.Sprintf("%q is in the manifest and the lock has nothing for it", w.entry.Name)))
		}
	}
	for _, skill := range r.extra {
		all = append(all, frozenError(skill.Name, fmt.Sprintf("%q is in the lock and not in the manifest", skill.Name)))
	}
	return errors.Join(all...)
}

// frozenError is a disagreement under --frozen.
func frozenError(name, message string) error {
	return &Error{Kind: "lock_mismatch", Name: name, Message: message, Hint: "run \"skills install\" without --frozen, look at the change of skills.lock, and commit it"}
}

// locked plans what the lock has: nothing for what is in place, and files by their ids for what is not.
func (r *restorer) locked(ctx context.Context) []Step {
	steps := make([]Step, len(r.wanted))
	groups := map[string][]int{}
	for i, w := range r.wanted {
		if w.lock == nil {
			continue
		}
		steps[i] = stepOf(*w.lock)
		steps[i].line = w.line()
		r.taken[names.Fold(steps[i].Name)] = steps[i]
		ready, err := r.present(ctx, &steps[i], w)
		switch {
		case err != nil:
			steps[i].Action, steps[i].Err, steps[i].moves = Failed, err, nil
		case !ready:
			key := groupOf(w)
			groups[key] = append(groups[key], i)
		}
	}
	r.fetch(ctx, steps, groups)
	return slices.DeleteFunc(steps, func(s Step) bool { return s.Name == "" })
}

// stepOf begins the step of a locked skill.
func stepOf(skill lockfile.Skill) Step {
	return Step{
		Name: skill.Name, Source: skill.Source, From: skill.Path, Ref: skill.Ref, Commit: skill.Commit, Tree: skill.Tree,
		Digest: skill.Hash, lock: skill,
	}
}

// present plans a skill whose files are here: in place, or in the manifest. It returns false when they have to be fetched.
func (r *restorer) present(ctx context.Context, step *Step, w wanted) (bool, error) {
	e := r.engine
	if w.entry.Inline != nil {
		return true, r.inline(ctx, step, w)
	}
	step.Path = e.shown(filepath.Join(e.canonical(), step.Name))
	at, err := r.look(ctx, step.Name, step.lock)
	if err != nil {
		return true, err
	}
	switch {
	case at.owner == edited && r.request.Frozen && !r.force:
		return true, &Error{
			Kind: "lock_mismatch", Name: step.Name, Message: fmt.Sprintf("%s was edited since it was installed, and the lock says otherwise", step.Path),
			Hint: "see the edits with: skills diff " + step.Name + "; --force restores it and keeps the edited one in " + BackupDir,
		}
	case at.owner == edited && !r.force:
		step.Action = Unchanged
		step.Reason, step.Hint = step.Path+" was edited since it was installed and stays as it is", "--force restores it and keeps the edited one in "+BackupDir
		return true, nil
	case at.owner != ours:
		return false, nil
	}
	step.tree = diskTree{filepath.Join(e.canonical(), step.Name)}
	step.contents = at.found.withoutJunk()
	switch {
	case at.plain != nil:
		step.contents = at.plain
	case step.contents.digest() != step.Digest:
		step.contents = at.found
	}
	for _, c := range step.contents {
		step.files = append(step.files, catalog.File{Path: c.path, Executable: c.executable, From: c.path})
	}
	err = r.place(ctx, step, r.agentsOf(w))
	if at.plain != nil && slices.ContainsFunc(step.moves, func(m move) bool { return m.kind == writeCopy }) {
		*step = stepOf(step.lock) // what is here has other line ends than a copy is to have
		return false, err
	}
	return true, err
}

// agentsOf is the manifest entry as far as it says for whom and how; the request goes first.
func (r *restorer) agentsOf(w wanted) manifest.Skill {
	entry := w.entry
	if r.request.Agents != nil {
		entry.Agents = r.request.Agents
	}
	return entry
}

// fetch brings the missing files, repositories side by side, and plans their places.
func (r *restorer) fetch(ctx context.Context, steps []Step, groups map[string][]int) {
	trees := make(map[string]Tree, len(groups))
	failures := make(map[string]error, len(groups))
	var group errgroup.Group
	group.SetLimit(8)
	results := make(chan func(), len(groups))
	for key, members := range groups {
		group.Go(func() error {
			tree, err := r.fetchGroup(ctx, members)
			results <- func() { trees[key], failures[key] = tree, err }
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	close(results)
	for result := range results {
		result()
	}
	for key, members := range groups {
		for _, i := range members {
			if err := r.fetched(ctx, &steps[i], r.wanted[i], trees[key], failures[key]); err != nil {
				steps[i].Action, steps[i].Err, steps[i].moves = Failed, err, nil
			}
		}
	}
}

// groupOf is the same for locked skills whose files come together: those of one revision, or of one artifact. A site has an artifact
// for each skill, and one index.
func groupOf(w wanted) string {
	key := w.lock.Source + " " + w.lock.Commit + " " + w.lock.Resolved
	id := idOf(*w.lock, w.locator)
	switch {
	case w.locator.Kind == source.Git:
		return key
	case w.locator.Kind == source.Site && id != "":
		return key + " known"
	}
	return key + " " + id
}

// fetchGroup brings the files of several locked skills of one group.
func (r *restorer) fetchGroup(ctx context.Context, members []int) (Tree, error) {
	w := r.wanted[members[0]]
	var locks []lockfile.Skill
	var paths []string
	for _, i := range members {
		locks, paths = append(locks, *r.wanted[i].lock), append(paths, r.wanted[i].lock.Path)
	}
	if err := r.engine.allowed(r.records.manifest.Policy, w.locator); err != nil {
		return nil, err
	}
	tree, err := r.engine.fetchLocked(ctx, w.locator, locks)
	if tree == nil && err == nil {
		return r.fetchRevision(ctx, w, paths)
	}
	return tree, err
}

// idOf is what a lock knows the files of a skill by: the digest of their artifact, or their git tree id where the source is a repository or has
// no digests. "" is possible, as of imported ones.
func idOf(lock lockfile.Skill, l source.Locator) string {
	if l.Kind == source.Git {
		return lock.Tree
	}
	return cmp.Or(lock.Digest, lock.Tree)
}

// fetchLocked brings skills of one group by what a lock knows of them. It gives nil when the lock knows none of some, whose commit may not be
// known either.
func (e *Engine) fetchLocked(ctx context.Context, l source.Locator, locks []lockfile.Skill) (Tree, error) {
	ids := map[string]string{}
	for _, lock := range locks {
		if ids[lock.Path] = idOf(lock, l); ids[lock.Path] == "" {
			return nil, nil
		}
	}
	switch l.Kind {
	case source.Git:
		l.Ref, l.RefKind, l.Path, l.Ambiguous = locks[0].Commit, source.CommitRef, "", false
	case source.NPM:
		l.Ref = locks[0].Resolved
	}
	return e.config.Fetcher.FetchTrees(ctx, l, ids)
}

// fetchRevision brings locked skills of sources without git ids: whole, to be compared with the digest in the lock.
func (r *restorer) fetchRevision(ctx context.Context, w wanted, paths []string) (Tree, error) {
	revision := source.Revision{Locator: w.locator, Commit: w.lock.Commit}
	if w.lock.Commit == "" {
		var err error
		if revision, err = r.engine.config.Fetcher.Resolve(ctx, w.locator); err != nil {
			return nil, err
		}
	}
	tree, err := r.engine.config.Fetcher.Fetch(ctx, revision)
	if err != nil {
		return nil, err
	}
	if err := tree.Load(ctx, paths...); err != nil && (len(paths) == 1 || !indexed(tree)) {
		return nil, err
	}
	return tree, nil // of an index the files of each tell their own
}

// fetched plans the place of a skill whose files came, after comparing them with the lock.
func (r *restorer) fetched(ctx context.Context, step *Step, w wanted, tree Tree, err error) error {
	if err != nil {
		return fmt.Errorf("%q: %w", step.Name, err)
	}
	step.tree = tree
	locked := *step
	if err := r.measure(ctx, step); err != nil {
		return fmt.Errorf("%q: %w", step.Name, err)
	}
	if step.Digest != locked.Digest {
		return &Error{
			Kind: "integrity", Name: step.Name,
			Message: fmt.Sprintf("%q of %s has the digest %s, expected %s as the lock says", step.Name, place(step.Source, step.From), step.Digest, locked.Digest),
			Hint:    "if the change is wanted, add the skill again",
		}
	}
	step.Tree = locked.Tree
	return r.place(ctx, step, r.agentsOf(w))
}

// inline plans a skill that stands in the manifest.
func (r *restorer) inline(ctx context.Context, step *Step, w wanted) error {
	skill, findings, err := r.engine.Document(w.entry)
	if err != nil {
		return r.records.manifest.Invalid(w.entry, err)
	}
	files, missing := r.engine.inlineFiles(w.entry)
	step.Name, step.Skill, step.Findings, step.tree = w.entry.Name, skill, append(findings, missing...), &memoryTree{files}
	if err := r.measure(ctx, step); err != nil {
		return err
	}
	if r.request.Frozen && step.Digest != step.lock.Hash {
		return frozenError(step.Name, fmt.Sprintf("%q in the manifest has the digest %s, and the lock says %s", step.Name, step.Digest, step.lock.Hash))
	}
	step.lock = locked(*step, source.Revision{})
	return r.place(ctx, step, r.agentsOf(w))
}

// resolved plans what the lock has nothing for.
func (r *restorer) resolved(ctx context.Context) []Step {
	var steps []Step
	var open []wanted
	for _, w := range r.wanted {
		switch {
		case w.lock != nil:
		case w.entry.Inline != nil:
			step := Step{}
			if err := r.inline(ctx, &step, w); err != nil {
				step = Step{Name: w.entry.Name, Action: Failed, Err: err}
			}
			steps = append(steps, step)
		default:
			open = append(open, w)
		}
	}
	all := make([]chosen, len(open))
	var group errgroup.Group
	group.SetLimit(8)
	for i, w := range open {
		group.Go(func() error {
			all[i] = r.choose(ctx, w)
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	for i, w := range open {
		steps = append(steps, r.added(ctx, w, all[i])...)
	}
	return steps
}

// choose opens the source of a wish and picks what is wanted of it.
func (r *restorer) choose(ctx context.Context, w wanted) chosen {
	c := chosen{request: SourceRequest{Locator: w.locator}}
	want := choice{policy: r.records.manifest.Policy, named: cmp.Or(w.entry.Select, w.entry.Name)}
	if w.entry.Select == "" && w.entry.Path != "" && !hasPath(w.locator) {
		want.named = w.entry.Path
	}
	if w.pack != nil {
		c.request.Skills = w.pack.Include
		want.named, want.all = "", len(w.pack.Include) == 0 && w.locator.Skill == ""
	}
	c.source, c.candidates, c.err = r.engine.choose(ctx, c.request, want, false)
	if w.pack != nil {
		c.candidates = slices.DeleteFunc(c.candidates, func(candidate catalog.Candidate) bool {
			_, named := r.records.manifest.Get(candidate.Directory) // an entry of its own goes first
			named = named || slices.ContainsFunc(r.wanted, func(o wanted) bool { return o.pack == w.pack && o.lock != nil && o.entry.Name == candidate.Directory })
			return named || slices.ContainsFunc(w.pack.Exclude, func(pattern string) bool {
				return catalog.Matches(pattern, candidate.Path, candidate.Name)
			})
		})
	}
	return c
}

// added plans what was resolved.
func (r *restorer) added(ctx context.Context, w wanted, c chosen) []Step {
	request := AddRequest{Agents: r.agentsOf(w).Agents, Mode: r.mode, Force: r.force}
	if w.pack == nil {
		request.As = w.entry.Name
	}
	if c.err != nil {
		return []Step{{Name: w.entry.Name, Action: Failed, Err: fmt.Errorf("%q: %w", w.entry.Name, c.err)}}
	}
	a := &adder{planner: r.planner, request: request, entries: map[string]manifest.Skill{}, line: w.line()}
	return a.steps(ctx, c)
}

// dropped plans that the records of what the manifest does not name any more go, and with Prune their files.
func (r *restorer) dropped(ctx context.Context, planned []Step) []Step {
	var steps []Step
	remover := &remover{engine: r.engine, request: RemoveRequest{Force: r.force}, lock: r.records.lock, manifest: r.records.manifest, served: r.served}
	for _, skill := range r.extra {
		if slices.ContainsFunc(planned, func(s Step) bool { return s.Action == Failed || s.Name == skill.Name }) {
			continue // what failed may be what this is of
		}
		step := stepOf(skill)
		step.Action, step.Path = Removed, r.engine.shown(filepath.Join(r.engine.canonical(), skill.Name))
		step.Reason, step.Hint = "the manifest does not name it any more, so its record goes and its files stay", "--prune removes them"
		if r.request.Prune {
			step = remover.prune(ctx, skill.Name)
		}
		steps = append(steps, step)
	}
	if !r.request.Prune {
		return steps
	}
	for _, name := range r.orphans(ctx, planned) {
		steps = append(steps, remover.prune(ctx, name))
	}
	return steps
}

// orphans lists what this program once installed and neither manifest nor lock names any more.
func (r *restorer) orphans(ctx context.Context, planned []Step) []string {
	present, err := skillsIn(r.engine.canonical())
	if err != nil {
		return nil // nothing can be there to prune
	}
	var names []string
	for _, name := range present {
		_, locked := r.records.lock.Get(name)
		wanted := slices.ContainsFunc(planned, func(s Step) bool { return s.Name == name })
		failed := slices.ContainsFunc(planned, func(s Step) bool { return s.Action == Failed })
		if locked || wanted || failed { // what failed may be what these are of
			continue
		}
		if at, err := r.engine.inspectCanonical(ctx, name, lockfile.Skill{}); err == nil && at.owner == ours {
			names = append(names, name)
		}
	}
	return names
}
