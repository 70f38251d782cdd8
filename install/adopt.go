package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"skills/catalog"
	"skills/fetch"
	"skills/lockfile/foreign"
	"skills/lockfile/manifest"
	"skills/source"
	"skills/source/names"
)

// SkillFiles lists the SKILL.md of all skills that lie in the canonical directory or in that of an agent, as absolute paths, sorted.
// Links are left out: what they lead to is listed where it lies.
func (e *Engine) SkillFiles() ([]string, error) {
	var all []string
	for _, dir := range append([]target{{dir: e.canonical()}}, e.everyTarget()...) {
		entries, err := os.ReadDir(dir.dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			path := filepath.Join(dir.dir, entry.Name(), "SKILL.md")
			if info, err := os.Lstat(path); entry.IsDir() && err == nil && info.Mode().IsRegular() {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// PlanImport plans the adoption of skills that other installers recorded: manifest and lock get entries for what is here already, and
// nothing else changes. The names of the entries are those of their directories, the paths of local sources count from the root.
//
// What a record pins, by commit, tree id or digest, is locked as that; where the files here differ they stay and count as edited. What
// it does not pin is locked as what its source has now if the files here are the very same. Everything else is skipped, and the
// reason of its step says why. Names that manifest or lock have are unchanged.
func (e *Engine) PlanImport(ctx context.Context, entries []foreign.Entry) (*Plan, error) {
	if err := e.recover(ctx); err != nil {
		return nil, err
	}
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	a := &adopter{planner: e.planner(records, "", false), entries: map[string]manifest.Skill{}}
	plan := e.newPlan(records)
	all := a.begin(entries)
	a.fetch(ctx, all)
	for _, x := range all {
		a.settle(ctx, x)
		plan.Steps = append(plan.Steps, x.step)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	added := slices.DeleteFunc(slices.Clone(plan.Steps), func(s Step) bool { return s.Action != Added })
	return plan.seal(records.apply(added, true, a.entries))
}

// adopter plans the steps of one import.
type adopter struct {
	*planner
	entries map[string]manifest.Skill // of the manifest, by name
}

// adoptee is one recorded skill.
type adoptee struct {
	foreign.Entry
	locator  source.Locator
	revision source.Revision // what is to be locked
	pinned   bool            // the record says what was installed
	step     Step
}

// begin makes one adoptee of each name. Of several records the one counts that knows most; records that contradict each other are an
// error.
func (a *adopter) begin(entries []foreign.Entry) []*adoptee {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(x, y foreign.Entry) int { return cmp.Compare(knowledge(y), knowledge(x)) })
	var all []*adoptee
	first := map[string]*adoptee{}
	for _, entry := range entries {
		x := a.adoptee(entry)
		other := first[names.Fold(x.step.Name)]
		switch {
		case other == nil:
			first[names.Fold(x.step.Name)] = x
			all = append(all, x)
		case other.open() && x.open() && other.locator.Source() != x.locator.Source():
			other.step.Err = &Error{
				Kind: "conflict", Name: x.step.Name,
				Message: fmt.Sprintf("%q comes from %s, and from %s as %s says", x.step.Name, other.Text, x.Text, x.place()),
				Hint:    "name the record that is right: skills import FILE",
			}
		}
	}
	return all
}

// knowledge ranks what entries say of what was installed.
func knowledge(e foreign.Entry) int {
	switch {
	case e.Text == "":
		return 0
	case e.Commit != "":
		return 4
	case e.Tree != "":
		return 3
	case e.Digest != "":
		return 2
	}
	return 1
}

// adoptee reads one entry, without asking anybody.
func (a *adopter) adoptee(entry foreign.Entry) *adoptee {
	x := &adoptee{Entry: entry, step: Step{Name: cmp.Or(entry.Name, entry.File)}}
	if x.step.Name, x.step.Err = a.directory(entry.Name); x.step.Err != nil {
		x.step.Name = cmp.Or(entry.Name, entry.File)
		return x
	}
	x.step.Path = a.engine.shown(filepath.Join(a.engine.canonical(), x.step.Name))
	before, locked := a.records.lock.Get(x.step.Name)
	_, named := a.records.manifest.Get(x.step.Name)
	switch {
	case locked:
		path := x.step.Path
		x.step = stepOf(before)
		x.step.Action, x.step.Path = Unchanged, path
	case named:
		x.step.Action, x.step.Reason, x.step.Hint = Unchanged, "the manifest names it", "lock it with: skills install"
	case entry.Text == "":
		x.skip("cannot be imported: %s", entry.Problem)
	default:
		x.step.Err = a.foldConflict(&x.step)
	}
	if !x.open() {
		return x
	}
	if x.locator, x.step.Err = source.Parse(entry.Text, a.engine.config.Hosts); x.step.Err == nil {
		x.step.Err = a.engine.allowed(a.records.manifest.Policy, x.locator)
	}
	return x
}

// directory gives the name of the directory of a recorded skill. The npm tool writes it in small letters.
func (a *adopter) directory(name string) (string, error) {
	safe, _, err := catalog.DirectoryName(name)
	if err != nil {
		return "", err
	}
	small, _, err := catalog.DirectoryName(strings.ToLower(name))
	if err == nil && !a.there(safe) && a.there(small) {
		return small, nil
	}
	return safe, nil
}

// there tells whether the canonical directory has a name.
func (a *adopter) there(name string) bool {
	_, err := os.Lstat(filepath.Join(a.engine.canonical(), name))
	return err == nil
}

// open tells whether it is not decided yet what happens to a skill.
func (x *adoptee) open() bool { return x.step.Action == "" && x.step.Err == nil }

// place is where the record says so.
func (x *adoptee) place() string {
	if x.Line == 0 {
		return x.File
	}
	return fmt.Sprintf("%s:%d", x.File, x.Line)
}

// skip leaves a skill out.
func (x *adoptee) skip(format string, arguments ...any) {
	x.step.Action, x.step.Reason = Skipped, fmt.Sprintf(format, arguments...)+" ("+x.place()+")"
}

// fetch brings the files that the records name: one listing of refs a repository, then revisions side by side.
func (a *adopter) fetch(ctx context.Context, all []*adoptee) {
	groups := map[string][]*adoptee{}
	var moving []source.Locator
	var heads []string
	for _, x := range all {
		if !x.open() {
			continue
		}
		key := x.group()
		if groups[key] == nil && x.Commit == "" {
			moving, heads = append(moving, x.locator), append(heads, key)
		}
		groups[key] = append(groups[key], x)
	}
	resolved := map[string]fetch.Resolution{}
	for i, r := range a.engine.config.Fetcher.ResolveAll(ctx, moving) {
		resolved[heads[i]] = r
	}
	var group errgroup.Group
	group.SetLimit(8)
	for key, members := range groups {
		r, ok := resolved[key]
		if !ok {
			r.Revision = source.Revision{Locator: members[0].locator, Commit: members[0].Commit}
		}
		group.Go(func() error {
			a.fetchGroup(ctx, r, members)
			return nil
		})
	}
	_ = group.Wait() // errors are in the steps
}

// group is what skills of one revision share.
func (x *adoptee) group() string {
	l := x.locator
	switch {
	case l.Kind != source.Git:
		return l.Canonical()
	case x.Commit != "":
		return l.Source() + " " + x.Commit
	case source.IsRange(l.Ref): // which tags count depends on the skill
		return l.Source() + " " + l.Ref + " " + l.Path
	}
	return l.Source() + " " + l.Ref
}

// fetchGroup brings the files of skills of one revision, and by their tree ids those that the revision does not have any more.
func (a *adopter) fetchGroup(ctx context.Context, r fetch.Resolution, members []*adoptee) {
	var tree Tree
	if r.Err == nil {
		if r.Revision.Locator.Kind == source.Git { // all skills of the repository out of one listing
			r.Revision.Locator.Path, r.Revision.Locator.File = "", false
		}
		tree, r.Err = a.engine.config.Fetcher.Fetch(ctx, r.Revision)
	}
	var paths []string
	var current []*adoptee
	for _, x := range members {
		x.step.Err = r.Err
		if r.Err == nil {
			x.step.Err = x.find(ctx, tree)
		}
		if !x.pinned && x.Tree != "" && x.locator.Kind == source.Git && x.Skill == "" && a.byTree(ctx, x) {
			continue
		}
		if x.step.Err == nil {
			current, paths = append(current, x), append(paths, x.step.From)
		}
	}
	if len(current) == 0 {
		return
	}
	failure := load(ctx, map[Tree][]string{tree: paths})
	for _, x := range current {
		x.step.Err = failure(tree, x.step.From)
	}
}

// find finds the directory of a skill in a revision.
func (x *adoptee) find(ctx context.Context, tree Tree) error {
	x.revision = tree.Revision()
	x.step.tree, x.step.From, x.step.Commit = tree, x.Path, x.revision.Commit
	if x.Skill != "" {
		listing, err := catalog.Walk(ctx, tree.FS(), catalog.WalkOptions{Below: x.Path, Fallback: fallback(x.locator)})
		if err != nil {
			return err
		}
		s := &Source{Locator: x.locator, Listing: listing, tree: tree}
		if err := s.Read(ctx, false); err != nil {
			return err
		}
		chosen, err := s.selected(ctx, []string{x.Skill})
		if err != nil {
			return err
		}
		x.step.From = chosen[0].Path
	}
	if _, err := fs.Stat(tree.FS(), dotted(x.step.From)); err != nil {
		return &Error{Kind: "not_found", Name: x.step.Name, Message: fmt.Sprintf("%q is not in %s any more", x.step.Name, place(x.locator.Source(), x.step.From))}
	}
	id := ""
	if ids, ok := tree.FS().(interface{ ObjectID(string) (string, bool) }); ok {
		id, _ = ids.ObjectID(dotted(x.step.From))
	}
	x.pinned = x.Commit != "" || x.Tree != "" && x.Tree == id || x.Digest != "" && x.Digest == digestOf(tree, x.step.From) ||
		x.locator.Kind == source.NPM && x.locator.Ref == x.revision.Ref
	return nil
}

// byTree brings the files of a skill by the tree id that is recorded, which no ref may have any more, and tells whether the host gave
// them.
func (a *adopter) byTree(ctx context.Context, x *adoptee) bool {
	l := x.locator
	l.Path, l.File = "", false
	tree, err := a.engine.config.Fetcher.FetchTrees(ctx, l, map[string]string{x.Path: x.Tree})
	if err != nil {
		return false
	}
	x.revision, x.pinned = source.Revision{Locator: x.locator}, true
	x.step.tree, x.step.From, x.step.Commit, x.step.Tree, x.step.Err = tree, x.Path, "", x.Tree, nil
	return true
}

// settle decides what happens to a skill.
func (a *adopter) settle(ctx context.Context, x *adoptee) {
	if x.open() {
		x.step.Err = a.adopt(ctx, x)
	}
	if x.step.Err != nil {
		x.step.Action, x.step.Err = Failed, naming(x.step.Name, fmt.Errorf("%s: %w", x.place(), x.step.Err))
	}
}

// adopt compares what was fetched with what is here.
func (a *adopter) adopt(ctx context.Context, x *adoptee) error {
	step := &x.step
	step.Source, step.Ref = x.locator.Source(), x.locator.Ref
	if err := a.measure(ctx, step); err != nil {
		return err
	}
	if !slices.ContainsFunc(step.files, func(f catalog.File) bool { return f.Path == "SKILL.md" }) {
		return &Error{Kind: "not_found", Name: step.Name, Message: fmt.Sprintf("%s holds no SKILL.md", place(step.Source, step.From))}
	}
	document, err := fs.ReadFile(step.tree.FS(), manifestOf(step.files))
	if err != nil {
		return err
	}
	skill, findings, err := catalog.Parse(document, catalog.Rules{})
	if err != nil {
		return err
	}
	step.Skill, step.Findings = skill, append(findings, step.Findings...)
	h, err := a.look(ctx, step)
	if err != nil {
		return err
	}
	if !x.pinned && (h.path == "" || h.altered) {
		x.skip("cannot be pinned: %s", x.doubt(h))
		step.Hint = "take what is there now with: skills add --force " + x.Text
		return nil
	}
	step.lock = locked(*step, x.revision)
	a.entries[step.Name] = x.wish()
	if x.Pinned {
		step.lock.Tracks = "HEAD"
	}
	step.Action = Added
	step.Reason, step.Hint = x.remark(h)
	return nil
}

// wish is the manifest entry of a skill.
func (x *adoptee) wish() manifest.Skill {
	if !x.Pinned {
		return wish(x.step, x.locator)
	}
	l := x.locator
	l.Ref, l.RefKind = "", source.AnyRef
	entry := wish(x.step, l)
	entry.Ref, entry.Reason = x.locator.Ref, x.Reason
	return entry
}

// here is a skill as it lies on the disk.
type here struct {
	path    string   // as documents show it, "" for nowhere
	names   []string // files that are not those of the step
	altered bool     // more than executable bits, which other installers lose
}

// look looks for a skill in the canonical directory, then in those of agents.
func (a *adopter) look(ctx context.Context, step *Step) (here, error) {
	for _, t := range append([]target{{dir: a.engine.canonical()}}, a.served...) {
		dir := filepath.Join(t.dir, step.Name)
		at, err := a.engine.inspect(ctx, dir, "")
		if err != nil {
			return here{}, err
		}
		if at.found == nil { // a link, a file, or nothing
			continue
		}
		h := here{path: a.engine.shown(dir), names: slices.Clone(at.odd), altered: len(at.odd) > 0}
		was, is := byPath(step.contents), byPath(at.found)
		for _, f := range changes(dir, step.contents, at.found) {
			if !f.LineEndings() {
				h.names = append(h.names, f.Path)
				h.altered = h.altered || f.State != StateModified || was[f.Path].sum != is[f.Path].sum
			}
		}
		return h, nil
	}
	return here{}, nil
}

// few names some files of many.
func few(names []string) string {
	const most = 3
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// doubt says why a skill cannot be pinned.
func (x *adoptee) doubt(h here) string {
	why := x.Problem
	switch {
	case x.Tree != "":
		why = "the host has the recorded tree no more"
	case x.Digest != "":
		why = "its source has another digest than the record"
	}
	files := "its files are not here"
	if h.path != "" {
		files = fmt.Sprintf("%s differs from what its source has now: %s", h.path, few(h.names))
	}
	return cmp.Or(why, "the record does not say what was installed") + "; " + files
}

// remark says what there is to say of a skill that was adopted, and what is left to do.
func (x *adoptee) remark(h here) (reason, hint string) {
	switch {
	case h.path == "":
		return "its files are not here", "bring them with: skills install"
	case len(h.names) > 0:
		return fmt.Sprintf("%s differs from what was installed and stays as it is: %s", h.path, few(h.names)), ""
	case h.path != x.step.Path:
		return "it lies in " + h.path, fmt.Sprintf("put it into %s with: skills install", x.step.Path)
	}
	return "", ""
}
