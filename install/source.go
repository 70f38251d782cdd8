package install

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"skills/catalog"
	"skills/catalog/marketplace"
	"skills/lockfile/manifest"
	"skills/source"
)

// Source is a source that was resolved and listed.
type Source struct {
	Locator  source.Locator // as asked
	Revision source.Revision
	Listing  *catalog.Listing

	tree      Tree
	notes     []string               // on the source as a whole, for who installs from it
	renamed   []string               // likewise, on plugins that were asked for
	unmatched []*catalog.SelectError // of selectors that are meant for several sources
	follow    []marketplace.Plugin   // plugins in other sources that are wanted
}

// Open resolves and lists a source. The manifests of its candidates are not read yet. With full everything is listed that a selector
// could reach.
func (e *Engine) Open(ctx context.Context, locator source.Locator, full bool) (*Source, error) {
	records, err := e.read()
	if err != nil {
		return nil, err
	}
	return e.open(ctx, records.manifest.Policy, locator, full)
}

// open opens a source that a policy admits.
func (e *Engine) open(ctx context.Context, policy manifest.Policy, locator source.Locator, full bool) (*Source, error) {
	tree, err := e.bring(ctx, policy, locator, "")
	if err != nil {
		return nil, err
	}
	return e.list(ctx, locator, tree, full, nil)
}

// list lists what was fetched for a locator; with a plugin, as the place of that one.
func (e *Engine) list(ctx context.Context, locator source.Locator, tree Tree, full bool, plugin *marketplace.Plugin) (*Source, error) {
	revision := tree.Revision()
	at := revision.Locator
	if plugin != nil {
		at = locator // the tree may be that of several
	}
	listing, err := catalog.Walk(ctx, tree.FS(), catalog.WalkOptions{Below: below(at), Full: full, Fallback: fallback(at), Plugin: plugin})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", locator.Input, err)
	}
	s := &Source{Locator: locator, Revision: revision, Listing: listing, tree: tree}
	for _, n := range revision.Locator.Notes[min(len(locator.Notes), len(revision.Locator.Notes)):] {
		s.notes = append(s.notes, n.Message) // what was learnt only now
	}
	for _, f := range notMeant(locator) {
		listing.Findings = append(listing.Findings, f)
		s.notes = append(s.notes, f.Message)
	}
	if indexed(tree) { // of other trees each skill tells
		listing.Findings = append(listing.Findings, leftOut(tree)...)
		for _, f := range leftOut(tree) {
			s.notes = append(s.notes, f.Message)
		}
	}
	return s, nil
}

// notMeant gives findings on the parts of a text that are not taken as they are written, though a person may have meant something by them.
func notMeant(locator source.Locator) (findings []catalog.Finding) {
	for _, n := range locator.Notes {
		if n.Code == "fragment_ignored" || n.Code == "unencrypted" {
			findings = append(findings, catalog.Finding{Code: n.Code, Severity: catalog.SeverityWarning, Message: n.Message})
		}
	}
	return findings
}

// indexed tells whether the directories at the top of a tree are skills of their names: an index says so.
func indexed(tree Tree) bool {
	t, ok := tree.(interface{ Indexed() bool })
	return ok && t.Indexed()
}

// digestOf is the digest of the artifact that a directory of a tree came out of, "" when there is none.
func digestOf(tree Tree, path string) string {
	if t, ok := tree.(interface{ Digest(string) string }); ok {
		return t.Digest(path)
	}
	return tree.Revision().Digest
}

// below is the directory of the tree at which to look: the path of a repository or a package. The tree of another source is what was
// asked for.
func below(locator source.Locator) string {
	if hasPath(locator) {
		return locator.Path
	}
	return ""
}

// hasPath tells whether the path of a locator is one in its tree.
func hasPath(locator source.Locator) bool {
	return locator.Kind == source.Git || locator.Kind == source.NPM
}

// fallback is the name for a skill at the root that has none of its own.
func fallback(locator source.Locator) string {
	if locator.Kind == source.Archive && locator.Path == "" {
		locator.Path = path.Base(locator.URL)
	}
	return locator.Directory()
}

// Read loads and parses the manifests of the visible candidates, or of all of them.
func (s *Source) Read(ctx context.Context, hidden bool) error {
	if err := s.tree.Load(ctx, s.Listing.Manifests(hidden)...); err != nil {
		return err
	}
	if err := s.Listing.Read(ctx, s.tree.FS(), hidden); err != nil {
		return fmt.Errorf("%s: %w", s.Locator.Input, err)
	}
	return nil
}

// Choose opens a source and returns the candidates that a request means, or all that are visible, without asking. Of a single one the
// files are loaded.
func (e *Engine) Choose(ctx context.Context, request SourceRequest, full bool) (*Source, []catalog.Candidate, error) {
	records, err := e.read()
	if err != nil {
		return nil, nil, err
	}
	everything := func(_ context.Context, s *Source) ([]catalog.Candidate, error) { return s.Listing.Visible(), nil }
	return e.choose(ctx, request, choice{policy: records.manifest.Policy, ask: everything, look: true}, full)
}

// Load brings whole candidates, so that their files can be looked at.
func (s *Source) Load(ctx context.Context, candidates ...catalog.Candidate) error {
	var paths []string
	for _, c := range candidates {
		paths = append(paths, c.Path)
	}
	return s.tree.Load(ctx, paths...)
}

// Files lists what installing a loaded candidate would write, with the number of bytes.
func (e *Engine) Files(ctx context.Context, s *Source, c catalog.Candidate) (files []catalog.File, size int64, findings []catalog.Finding, err error) {
	files, findings, err = catalog.Files(ctx, s.tree.FS(), c.Path, e.config.Limits)
	if err != nil {
		return nil, 0, nil, err
	}
	for _, file := range files {
		n, err := sizeOf(s, file)
		if err != nil {
			return nil, 0, nil, err
		}
		size += n
	}
	_, told, err := readContents(ctx, s.tree.FS(), files, e.config.Limits)
	return files, size, append(findings, told...), err
}

// sizeOf asks for the size of one file.
func sizeOf(s *Source, file catalog.File) (int64, error) {
	f, err := s.tree.FS().Open(file.From)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// choice is what a request says about which candidates are wanted.
type choice struct {
	policy    manifest.Policy // of the project
	selectors []string
	plugins   []string // whose skills are wanted
	remote    bool     // plugins that lie elsewhere are followed
	named     string   // the skill that is meant when there are several and no selector
	all       bool
	look      bool // nothing is installed: several candidates need not be loaded
	shared    bool // the selectors are meant for several sources, so those that fit nothing here are no error yet
	ask       func(context.Context, *Source) ([]catalog.Candidate, error)
}

// choose opens a source and returns the wanted candidates with all their bytes loaded.
func (e *Engine) choose(ctx context.Context, request SourceRequest, c choice, full bool) (*Source, []catalog.Candidate, error) {
	locator := request.Locator
	c.selectors, c.plugins, c.remote, c.shared = request.Skills, request.Plugins, request.Remote, c.shared || request.Remote
	if locator.Skill != "" && len(c.selectors) == 0 {
		c.selectors = []string{locator.Skill}
	}
	s, err := e.open(ctx, c.policy, locator, full)
	if err != nil {
		return nil, nil, err
	}
	for _, note := range s.notes {
		if !c.look {
			e.config.Event(Event{Kind: "warning", Message: note})
		}
	}
	chosen, err := s.choose(ctx, c)
	var missing *catalog.SelectError
	if locator.SkillOrRef && len(request.Skills) == 0 && errors.As(err, &missing) && missing.Kind == "not_found" {
		return e.chooseRef(ctx, request, c, full, err)
	}
	for _, note := range s.renamed {
		e.note(note)
	}
	if err == nil && len(s.follow) > 0 && !c.remote {
		err = e.elsewhere(s.follow[0])
	}
	if err != nil || c.look && len(chosen) > 1 {
		return s, chosen, err
	}
	return s, chosen, s.Load(ctx, chosen...)
}

// chooseRef takes what stood behind "@" for a ref, since no skill has that name. When there is no such ref either, the first error
// is the better one.
func (e *Engine) chooseRef(ctx context.Context, request SourceRequest, c choice, full bool, first error) (*Source, []catalog.Candidate, error) {
	name := request.Locator.Skill
	locator, err := request.Locator.WithRef(name)
	if err != nil {
		return nil, nil, first
	}
	s, err := e.open(ctx, c.policy, locator, full)
	if err != nil {
		return nil, nil, first
	}
	e.note(fmt.Sprintf("no skill is named %q, so it is taken for the ref of that name", name))
	c.selectors = nil
	chosen, err := s.choose(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	return s, chosen, s.Load(ctx, chosen...)
}

// choose applies the choice. Manifests are not loaded on their own when it is clear without them what is wanted: whole directories
// are then loaded at once, which is one request less.
func (s *Source) choose(ctx context.Context, c choice) ([]catalog.Candidate, error) {
	if len(c.plugins) > 0 {
		return s.inPlugins(ctx, c)
	}
	visible := s.Listing.Visible()
	if len(c.selectors) == 0 && (c.all || len(visible) == 1) {
		if err := s.Load(ctx, visible...); err != nil {
			return nil, err
		}
	}
	if only := s.only(c); only != nil {
		return s.readOnly(ctx, only, c.selectors)
	}
	err := s.Read(ctx, false)
	if c.remote {
		s.follow = s.remotePlugins()
	}
	if err != nil && !(c.remote && s.offers(err)) {
		return nil, err
	}
	visible = s.Listing.Visible()
	switch {
	case err != nil:
		return s.sharedSelectors(ctx, c.selectors)
	case len(c.selectors) > 0 && c.shared:
		return s.sharedSelectors(ctx, c.selectors)
	case len(c.selectors) > 0:
		return s.selected(ctx, c.selectors)
	case c.all || len(visible) == 1:
		return visible, nil
	case c.named != "" && len(visible) > 0:
		return s.selected(ctx, []string{c.named})
	case len(visible) == 0:
		return nil, &Error{Kind: "not_found", Name: s.Locator.Input, Message: quote(s.Locator.Input) + " holds no skill that can be seen", Hint: "look everywhere with --full-depth"}
	case c.ask != nil:
		return c.ask(ctx, s)
	}
	return nil, &ChooseError{Source: s}
}

// only gives the manifests of the skills that selectors name, where an index says that directories are called like their skills: then
// the others need not be brought. It is nil where that does not hold.
func (s *Source) only(c choice) []string {
	if !indexed(s.tree) || len(c.selectors) == 0 || c.shared {
		return nil
	}
	var manifests []string
	for _, selector := range c.selectors {
		i := slices.IndexFunc(s.Listing.Visible(), func(candidate catalog.Candidate) bool { return candidate.Path == selector })
		if i < 0 {
			return nil
		}
		manifests = append(manifests, s.Listing.Visible()[i].Manifest)
	}
	return manifests
}

// readOnly reads some manifests and applies the selectors that name them.
func (s *Source) readOnly(ctx context.Context, manifests, selectors []string) ([]catalog.Candidate, error) {
	if err := s.tree.Load(ctx, manifests...); err != nil {
		return nil, err
	}
	if err := s.Listing.Read(ctx, s.tree.FS(), false); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Locator.Input, err)
	}
	return s.Listing.Select(selectors)
}

// sharedSelectors applies those selectors that mean something here, and notes the others.
func (s *Source) sharedSelectors(ctx context.Context, selectors []string) ([]catalog.Candidate, error) {
	var fitting []string
	for _, selector := range selectors {
		_, err := s.selected(ctx, []string{selector})
		var missing *catalog.SelectError
		switch {
		case errors.As(err, &missing) && missing.Kind == "not_found":
			s.unmatched = append(s.unmatched, missing)
		case err != nil:
			return nil, err
		default:
			fitting = append(fitting, selector)
		}
	}
	if len(fitting) == 0 {
		return nil, nil
	}
	return s.Listing.Select(fitting)
}

// selected applies selectors, which reach hidden candidates when no visible one is meant.
func (s *Source) selected(ctx context.Context, selectors []string) ([]catalog.Candidate, error) {
	chosen, err := s.Listing.Select(selectors)
	var missing *catalog.SelectError
	if errors.As(err, &missing) && missing.Kind == "not_found" && s.Listing.Hidden() > 0 {
		if err := s.Read(ctx, true); err != nil {
			return nil, err
		}
		return s.Listing.Select(selectors)
	}
	return chosen, err
}
