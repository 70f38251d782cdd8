package install

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"skills/catalog"
	"skills/fetch"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
)

// tracked is an installed skill with what its source has now.
type tracked struct {
	lock    lockfile.Skill
	entry   manifest.Skill // what the manifest says; only Name is set when it does not name the skill
	locator source.Locator // what the manifest, or else the lock, asks for
	pinned  bool
	wanted  fetch.Resolution // the newest revision that is allowed
	latest  fetch.Resolution // the newest one beyond that
	err     error            // of the locator
}

// tracker asks what the sources of installed skills have now.
type tracker struct {
	engine  *Engine
	records *records
	trees   map[string]Tree // by source and commit
}

// track lists the installed skills of the given names, or all, and asks one listing of refs for each repository.
func (t *tracker) track(ctx context.Context, names []string) ([]*tracked, error) {
	all, err := t.named(names)
	if err != nil {
		return nil, err
	}
	t.resolve(ctx, all)
	return all, context.Cause(ctx)
}

// named lists the installed skills of the given names, or all, and asks nobody.
func (t *tracker) named(names []string) ([]*tracked, error) {
	for _, name := range names {
		if _, ok := t.records.lock.Get(name); !ok {
			return nil, t.engine.notInstalled(name, t.records.lock)
		}
	}
	var all []*tracked
	for _, skill := range t.records.lock.Skills() {
		if len(names) == 0 || slices.Contains(names, skill.Name) {
			all = append(all, t.begin(skill))
		}
	}
	return all, nil
}

// begin finds out what a locked skill follows.
func (t *tracker) begin(skill lockfile.Skill) *tracked {
	s := &tracked{lock: skill, entry: manifest.Skill{Name: skill.Name}}
	text, ref, path := skill.Source, skill.Ref, skill.Path
	if entry, ok := t.records.manifest.Get(skill.Name); ok {
		s.entry = entry
		text, ref, path = entry.Source, entry.Ref, entry.Path
	}
	if s.entry.Inline != nil || text == "" {
		return s
	}
	if s.locator, s.err = t.engine.locator(text, ref, path); s.err != nil {
		return s
	}
	if s.locator.Kind == source.Git {
		if s.locator.Ambiguous {
			s.locator.Ref, s.locator.Ambiguous = skill.Ref, false
		}
		s.locator.Path, s.locator.File = skill.Path, false
	}
	s.pinned = s.entry.Reason != "" || isCommit(s.locator.Ref) || isProposal(s.locator.Ref) || s.locator.Kind == source.NPM && skill.Tracks != ""
	return s
}

// isCommit tells whether a ref is a full commit id, which never moves.
func isCommit(ref string) bool {
	return (len(ref) == 40 || len(ref) == 64) && strings.Trim(ref, "0123456789abcdef") == ""
}

// resolve asks for the allowed and the newest revisions of skills.
func (t *tracker) resolve(ctx context.Context, all []*tracked) {
	var locators []source.Locator
	var targets []*fetch.Resolution
	for _, s := range all {
		if s.err == nil && s.locator.URL != "" {
			s.err = t.engine.allowed(t.records.manifest.Policy, s.locator)
		}
		if s.err != nil || s.locator.Kind == "" { // which stands in the manifest
			continue
		}
		if isProposal(s.locator.Ref) { // what it holds by now is not asked for
			s.wanted.Revision = source.Revision{Locator: s.locator, Ref: s.lock.Resolved, Commit: s.lock.Commit}
			s.latest = s.wanted
			continue
		}
		locators, targets = append(locators, s.locator, s.beyond()), append(targets, &s.wanted, &s.latest)
	}
	for i, r := range t.engine.config.Fetcher.ResolveAll(ctx, locators) {
		*targets[i] = r
	}
}

// beyond is the locator of the newest revision, whatever the manifest allows: the newest version where versions are followed, the
// branch where a branch is.
func (s *tracked) beyond() source.Locator {
	l := s.locator
	if l.Kind == source.NPM {
		if l.Ref != "" && !distTag(l.Ref) {
			l.Ref = ""
		}
		return l
	}
	versions := source.IsRange(l.Ref) || l.Ref != "" && strings.HasPrefix(s.lock.Resolved, "refs/tags/")
	switch {
	case versions:
		l.Ref, l.RefKind = "*", source.TagRef
	case isCommit(l.Ref):
		l.Ref, l.RefKind = "", source.AnyRef
	}
	return l
}

// distTag tells a tag of a package, such as "next", from a version or a range of versions.
func distTag(ref string) bool { return !source.IsRange(ref) && (ref[0] < '0' || ref[0] > '9') }

// tree lists a revision, once.
func (t *tracker) tree(ctx context.Context, revision source.Revision) (Tree, error) {
	if revision.Locator.Kind == source.Git {
		revision.Locator.Path = "" // all skills of the repository out of one listing, and those that moved
	}
	key := keyOf(revision)
	if tree := t.trees[key]; tree != nil {
		return tree, nil
	}
	tree, err := t.engine.config.Fetcher.Fetch(ctx, revision)
	if err == nil {
		t.trees[key] = tree
		t.trees[keyOf(tree.Revision())] = tree // which may know the commit
	}
	return tree, err
}

// keyOf is the same for revisions that are one tree.
func keyOf(revision source.Revision) string {
	key := revision.Locator.Source() + " " + revision.Commit
	if revision.Commit == "" {
		key += revision.Locator.Canonical() + " " + revision.Ref
	}
	return key
}

// settled gives the commit of a revision whose host shows its refs to nobody: its archive says it.
func (t *tracker) settled(ctx context.Context, r fetch.Resolution) fetch.Resolution {
	if r.Err != nil || r.Revision.Commit != "" || r.Revision.Locator.Kind != source.Git {
		return r
	}
	tree, err := t.tree(ctx, r.Revision)
	if r.Err = err; err == nil {
		r.Revision.Commit = tree.Revision().Commit
	}
	return r
}

// moved tells whether a revision has other files for a skill than the lock, and where they are.
func (t *tracker) moved(ctx context.Context, s *tracked, revision source.Revision) (tree Tree, path string, moved bool, err error) {
	if revision.Commit != "" && revision.Commit == s.lock.Commit {
		return nil, s.lock.Path, false, nil
	}
	if tree, err = t.tree(ctx, revision); err != nil {
		return nil, "", false, err
	}
	ids, ok := tree.FS().(interface{ ObjectID(string) (string, bool) })
	if !ok || s.lock.Tree == "" {
		return tree, s.lock.Path, true, nil
	}
	id, found := ids.ObjectID(dotted(s.lock.Path))
	if found {
		return tree, s.lock.Path, id != s.lock.Tree, nil
	}
	path, err = t.follow(ctx, s, tree)
	return tree, path, true, err
}

// follow finds a skill that is not where it was by its name, when exactly one has it.
func (t *tracker) follow(ctx context.Context, s *tracked, tree Tree) (string, error) {
	listing, err := catalog.Walk(ctx, tree.FS(), catalog.WalkOptions{})
	if err != nil {
		return "", gone(s)
	}
	found := &Source{Locator: s.locator, Listing: listing, tree: tree}
	if err := found.Read(ctx, true); err != nil {
		return "", gone(s)
	}
	candidates := slices.DeleteFunc(slices.Clone(listing.Candidates), func(c catalog.Candidate) bool {
		return !c.Usable || c.Name != cmp.Or(s.lock.Skill, s.lock.Name)
	})
	if len(candidates) != 1 {
		return "", gone(s)
	}
	return candidates[0].Path, nil
}

// Outdated is how an installed skill compares to its source.
type Outdated struct {
	Name    string
	Ref     string // what is followed, "" for the default branch
	Current string // a version where versions are followed, else the first digits of the commit or digest
	Wanted  string // the newest that the manifest allows; "" where nothing says which commit or version that is
	Latest  string // the newest beyond that; Wanted where that is not known
	Behind  bool   // Wanted has other files
	Pinned  bool
	Reason  string // why it is pinned
	Err     error  // why its source could not be asked
}

// Outdated compares installed skills, those named or all, with their sources. It writes nothing but the store.
func (e *Engine) Outdated(ctx context.Context, names ...string) ([]Outdated, error) {
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	t := &tracker{engine: e, records: records, trees: map[string]Tree{}}
	all, err := t.track(ctx, names)
	if err != nil {
		return nil, err
	}
	var rows []Outdated
	for _, s := range all {
		rows = append(rows, t.row(ctx, s))
	}
	return rows, context.Cause(ctx)
}

// row compares one skill.
func (t *tracker) row(ctx context.Context, s *tracked) Outdated {
	row := Outdated{Name: s.lock.Name, Ref: s.locator.Ref, Pinned: s.pinned, Reason: s.entry.Reason, Current: installed(s)}
	if isProposal(row.Ref) {
		row.Reason = cmp.Or(row.Reason, "a change that was proposed stays at its commit")
	}
	wanted, latest := t.settled(ctx, s.wanted), t.settled(ctx, s.latest)
	row.Err = cmp.Or(s.err, wanted.Err)
	switch {
	case row.Err != nil:
	case s.locator.Kind == source.Git:
		row.Wanted = version(wanted.Revision.Ref, wanted.Revision.Commit)
		row.Latest = row.Wanted
		if latest.Err == nil {
			row.Latest = version(latest.Revision.Ref, latest.Revision.Commit)
		}
		_, _, row.Behind, row.Err = t.moved(ctx, s, wanted.Revision)
	case s.locator.Kind == source.NPM:
		row.Wanted = s.wanted.Revision.Ref
		row.Latest = cmp.Or(s.latest.Revision.Ref, row.Wanted)
		row.Behind = row.Wanted != row.Current
	default:
		t.compareOther(ctx, s, &row)
	}
	return row
}

// compareOther compares digests: of artifacts, where an index says what they are now without a download, else of contents.
func (t *tracker) compareOther(ctx context.Context, s *tracked, row *Outdated) {
	now, err := t.current(ctx, s, s.wanted, false)
	row.Wanted, row.Err = short(now.Digest), err
	switch {
	case s.lock.Digest != "" && now.lock.Digest != "":
		row.Wanted = shortDigest(now.lock.Digest)
	case err == nil:
		row.Current = short(s.lock.Hash) // which is compared
	}
	row.Behind = err == nil && now.tree != nil && now.Digest != s.lock.Hash
	if err == nil && !row.Behind { // other packing of the same
		row.Wanted = row.Current
	}
	if err != nil {
		row.Wanted = ""
	}
	row.Latest = row.Wanted
}

// installed is how the revision that is installed is shown: as a version, or where there are none by a digest.
func installed(s *tracked) string {
	switch {
	case s.lock.Commit != "" || s.lock.Resolved != "" || s.locator.Kind == source.Git:
		return version(s.lock.Resolved, s.lock.Commit)
	case s.lock.Digest != "":
		return shortDigest(s.lock.Digest)
	}
	return short(s.lock.Hash)
}

// shortDigest cuts the digest of an artifact for people.
func shortDigest(digest string) string {
	_, sum, _ := strings.Cut(digest, ":")
	return short(sum)
}

// version is how a revision is shown: its tag, else the first digits of its commit.
func version(ref, commit string) string {
	if tag, ok := strings.CutPrefix(ref, "refs/tags/"); ok {
		return tag
	}
	if commit == "" && !strings.HasPrefix(ref, "refs/") {
		return ref // of a package
	}
	return short(commit)
}

// short cuts a commit or digest for people.
func short(id string) string { return id[:min(12, len(id))] }

// current measures what a source without commits has now. When the digest of its artifact is the one in the lock, nothing is fetched
// and the step has no tree. Without contents, nothing is fetched either when it is another one, by the word of an index.
func (t *tracker) current(ctx context.Context, s *tracked, now fetch.Resolution, contents bool) (Step, error) {
	step := stepOf(s.lock)
	p := &planner{engine: t.engine}
	if s.entry.Inline != nil {
		files, findings := t.engine.inlineFiles(s.entry)
		step.tree, step.Findings = &memoryTree{files}, findings
		return step, p.measure(ctx, &step)
	}
	if now.Err != nil {
		return step, now.Err
	}
	if step.lock.Digest != "" && now.Revision.Digest == step.lock.Digest || sameVersion(s.lock, now.Revision) {
		return step, nil
	}
	tree, err := t.tree(ctx, now.Revision)
	if err != nil {
		return step, err
	}
	digest := digestOf(tree, step.From)
	if digest != "" && digest == step.lock.Digest {
		return step, nil
	}
	if _, err := fs.Stat(tree.FS(), dotted(step.From)); err != nil {
		return step, gone(s)
	}
	if step.tree = tree; digest != "" && indexed(tree) && !contents {
		step.Digest, step.lock.Digest = "", digest
		return step, nil
	}
	if err := tree.Load(ctx, step.From); err != nil {
		return step, err
	}
	step.lock.Digest = digestOf(tree, step.From)
	return step, p.measure(ctx, &step)
}

// sameVersion tells whether a package has the version in the lock, where the digests of both are no answer: registries have weak
// digests of old packages, and a lock has none of these.
func sameVersion(lock lockfile.Skill, now source.Revision) bool {
	return now.Locator.Kind == source.NPM && lock.Resolved == now.Ref && strings.HasPrefix(now.Digest, "sha1:")
}

// gone is the error for a skill that its source does not have any more.
func gone(s *tracked) error {
	return &Error{
		Kind: "not_found", Name: s.lock.Name, Message: fmt.Sprintf("%q is not in %s any more", s.lock.Name, place(s.lock.Source, s.lock.Path)),
		Hint: "what is installed stays; remove it with: skills remove " + s.lock.Name,
	}
}
