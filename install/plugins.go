package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"skills/catalog"
	"skills/catalog/marketplace"
	"skills/lockfile/manifest"
	"skills/source"
	"skills/source/names"
)

// maxFollowed is how many plugins of other repositories one request follows.
const maxFollowed = 100

// Follow opens the plugins in other sources that the request for an opened source means, those that it names or all of them, and tells
// of each what was found, in the order of the marketplace. Each is a source of its own: policies count for it, its commit is the one that
// the marketplace says, and a marketplace in it is not read. One that fails tells its error, has no source, and stops no other.
//
// The error is an *[Error] "too_large" for more than a hundred, or the one of a selector that means nothing in any of them.
func (e *Engine) Follow(ctx context.Context, request SourceRequest, from *Source, full bool, tell func(plugin string, l source.Locator, s *Source, found []catalog.Candidate, err error)) error {
	records, err := e.read()
	if err != nil {
		return err
	}
	all, err := e.follow(ctx, from, request, choice{policy: records.manifest.Policy, selectors: request.Skills, look: true}, full)
	if err != nil {
		return err
	}
	if err := unmatched(append([]chosen{{source: from}}, all...)); err != nil {
		return err
	}
	for _, f := range all {
		tell(f.plugin.Name, f.request.Locator, f.source, f.candidates, f.err)
	}
	return nil
}

// follow opens what from.follow names, each repository once.
func (e *Engine) follow(ctx context.Context, from *Source, request SourceRequest, c choice, full bool) ([]chosen, error) {
	if n := len(from.follow); n > maxFollowed {
		return nil, &Error{
			Kind: "too_large", Name: from.Locator.Input, Message: fmt.Sprintf("%d plugins of its marketplace lie elsewhere, and at most %d are followed at once", n, maxFollowed),
			Hint: "choose some with --plugin NAME",
		}
	}
	all := make([]chosen, len(from.follow))
	groups := map[string][]*chosen{}
	for i, p := range from.follow {
		f := &all[i]
		f.plugin = p
		if f.request.Locator, f.err = e.locate(p); f.err == nil {
			key := f.request.Locator.Source() + " " + f.request.Locator.Ref + " " + p.Remote.Commit
			groups[key] = append(groups[key], f)
		}
	}
	c.all, c.remote, c.shared = true, false, true
	var group errgroup.Group
	group.SetLimit(8)
	for _, members := range groups {
		group.Go(func() error {
			e.followGroup(ctx, members, c, full)
			return nil
		})
	}
	_ = group.Wait() // errors are in the members
	for i := range all {
		e.settle(&all[i], request)
	}
	return all, context.Cause(ctx)
}

// settle names the plugin in its error. That one has no skills is none, unless it was asked for by name.
func (e *Engine) settle(f *chosen, request SourceRequest) {
	var none *catalog.SelectError
	if errors.As(f.err, &none) && none.Kind == "no_skills" && len(request.Plugins) == 0 {
		e.note(none.Message)
		f.err = nil
		for _, selector := range request.Skills {
			f.source.unmatched = append(f.source.unmatched, missingIn(nil, selector))
		}
	}
	if f.err != nil {
		f.source, f.err = nil, fmt.Errorf("plugin %q: %w", f.plugin.Name, f.err)
	}
}

// followGroup opens plugins of one revision: it is fetched once, and so are their files.
func (e *Engine) followGroup(ctx context.Context, members []*chosen, c choice, full bool) {
	l := members[0].request.Locator
	if len(members) > 1 {
		l.Path = ""
	}
	tree, err := e.bring(ctx, c.policy, l, members[0].plugin.Remote.Commit)
	var paths []string
	for _, f := range members {
		if f.err = err; err != nil {
			continue
		}
		if f.source, f.err = e.list(ctx, f.request.Locator, tree, full, &f.plugin); f.err == nil {
			paths = append(paths, f.source.needs(c)...)
		}
	}
	if err == nil {
		err = tree.Load(ctx, paths...)
	}
	for _, f := range members {
		if f.err = cmp.Or(f.err, err); f.err != nil {
			continue
		}
		c.plugins = []string{f.plugin.Name}
		f.candidates, f.err = f.source.choose(ctx, c)
		if f.err == nil && !(c.look && len(f.candidates) > 1) {
			f.err = f.source.Load(ctx, f.candidates...)
		}
	}
}

// needs lists what will be read of a source: whole skills where all of them are installed.
func (s *Source) needs(c choice) []string {
	paths := s.Listing.Manifests(false)
	if !c.look && len(c.selectors) == 0 {
		for _, candidate := range s.Listing.Visible() {
			paths = append(paths, candidate.Path)
		}
	}
	return paths
}

// locate makes the place of a plugin a source. What a marketplace says is no word of the person: only repositories and packages count.
func (e *Engine) locate(p marketplace.Plugin) (source.Locator, error) {
	r, wanted, text := p.Remote, source.Git, p.Remote.Location
	switch r.Kind {
	case "github":
		text = "https://github.com/" + text
	case "npm":
		wanted, text = source.NPM, "npm:"+text
	}
	l, err := source.Parse(text, e.config.Hosts)
	if err == nil && l.URL != "" && (l.Kind == source.Site || l.Kind == source.Archive) && strings.HasPrefix(text, "https://") {
		l, err = source.Parse("git+"+text, e.config.Hosts)
	}
	if err == nil && (l.Kind != wanted || l.Ambiguous || l.Skill != "") {
		err = &Error{Kind: "unsupported", Name: p.Name, Message: fmt.Sprintf("%q is neither a repository nor a package of a registry", r.Location)}
	}
	if err == nil && r.Ref != "" {
		l, err = l.WithRef(r.Ref)
	}
	if err != nil {
		return source.Locator{Input: r.Location}, err
	}
	l.Path, l.File, l.Ambiguous = strings.TrimPrefix(path.Join(l.Path, r.Path), "."), false, false
	return l, cmp.Or(e.knownServer(p, l), e.knownRegistry(p, l))
}

// knownServer refuses a repository over ssh on a host that nobody configured: ssh goes past the guard of the network, and with the person's keys.
func (e *Engine) knownServer(p marketplace.Plugin, l source.Locator) error {
	if _, known := e.config.Hosts.Exact(l.Host); known || l.Transport != source.SSH {
		return nil
	}
	return &Error{
		Kind: "unsupported", Name: p.Name, Message: fmt.Sprintf("%q is fetched over ssh from %s, which is not in your configuration", p.Remote.Location, l.Host),
		Hint: fmt.Sprintf("if you trust it, add the repository itself, or name the host in config.toml: [host.%q]", l.Host),
	}
}

// knownRegistry refuses a package of another registry than the one that is asked: it would be another package.
func (e *Engine) knownRegistry(p marketplace.Plugin, l source.Locator) error {
	known := cmp.Or(e.config.Registries[l.Owner], e.config.Registries[""], "https://registry.npmjs.org")
	if p.Remote.Registry == "" || strings.TrimSuffix(p.Remote.Registry, "/") == strings.TrimSuffix(known, "/") {
		return nil
	}
	return &Error{
		Kind: "unsupported", Name: p.Name, Message: fmt.Sprintf("%q is in the registry %q, and packages of that name come from %q here", p.Remote.Location, p.Remote.Registry, known),
		Hint: "if you trust it, name it for this scope in [npm] of config.toml",
	}
}

// offers tells whether a source without skills has plugins all the same.
func (s *Source) offers(err error) bool {
	var none *catalog.Error
	return errors.As(err, &none) && none.Kind == "no_skills" && len(s.Listing.Plugins()) > 0
}

// remotePlugins gives the plugins that lie elsewhere.
func (s *Source) remotePlugins() []marketplace.Plugin {
	return slices.DeleteFunc(s.Listing.Plugins(), func(p marketplace.Plugin) bool { return p.Remote == nil })
}

// inPlugins gives the skills of the plugins that a choice names, and notes those that are to be followed.
func (s *Source) inPlugins(ctx context.Context, c choice) ([]catalog.Candidate, error) {
	if err := s.Read(ctx, false); err != nil && !s.offers(err) {
		return nil, err
	}
	var all []catalog.Candidate
	for _, name := range c.plugins {
		p, err := s.Listing.FindPlugin(name)
		if err != nil {
			return nil, err
		}
		if p.Name != name {
			s.renamed = append(s.renamed, fmt.Sprintf("the plugin %q is named %q now", name, p.Name))
		}
		if p.Remote != nil {
			s.follow = append(s.follow, p)
			continue
		}
		list, err := s.members(ctx, p.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(list, func(c catalog.Candidate) bool {
			return slices.ContainsFunc(all, func(other catalog.Candidate) bool { return other.Path == c.Path })
		})...)
	}
	return s.narrow(all, c)
}

// members gives the skills of one plugin, read.
func (s *Source) members(ctx context.Context, name string) ([]catalog.Candidate, error) {
	list, err := s.Listing.InPlugin(name)
	unread := slices.ContainsFunc(list, func(c catalog.Candidate) bool { return c.Skill == nil && c.Err == nil })
	if err != nil || !unread {
		return list, err
	}
	if err := s.Read(ctx, true); err != nil {
		return nil, err
	}
	return s.Listing.InPlugin(name)
}

// narrow gives those of some skills that selectors mean, all without any.
func (s *Source) narrow(all []catalog.Candidate, c choice) ([]catalog.Candidate, error) {
	if len(c.selectors) == 0 {
		return all, nil
	}
	var chosen []catalog.Candidate
	for _, selector := range c.selectors {
		found := false
		for _, candidate := range all {
			fits := catalog.Matches(selector, candidate.Path, candidate.Name) || names.Fold(candidate.Name) == names.Fold(selector)
			found = found || fits
			if fits && !slices.ContainsFunc(chosen, func(other catalog.Candidate) bool { return other.Path == candidate.Path }) {
				chosen = append(chosen, candidate)
			}
		}
		if found {
			continue
		}
		missing := missingIn(all, selector)
		if !c.shared {
			return nil, missing
		}
		s.unmatched = append(s.unmatched, missing)
	}
	return chosen, nil
}

// missingIn is the error for a selector that means none of some skills.
func missingIn(all []catalog.Candidate, selector string) *catalog.SelectError {
	var known []string
	for _, candidate := range all {
		known = append(known, candidate.Name)
	}
	return &catalog.SelectError{
		Kind: "not_found", Selector: selector, Message: fmt.Sprintf("no skill of the plugin is named %q", selector), Near: names.NearAlike(selector, known, 3), Skills: len(all),
	}
}

// elsewhere is the error for a plugin that would have to be followed, and says what would be fetched.
func (e *Engine) elsewhere(p marketplace.Plugin) error {
	text := p.Remote.String()
	if l, err := e.locate(p); err == nil {
		text = l.Canonical()
	}
	if p.Remote.Commit != "" {
		text += " at " + p.Remote.Commit
	}
	return &Error{
		Kind: "elsewhere", Name: p.Name, Message: fmt.Sprintf("the plugin %q lies in another source: %s", p.Name, text),
		Hint: "fetch it from there with --remote-plugins",
	}
}

// checkPlugins refuses requests for plugins that leave something open.
func checkPlugins(request AddRequest) error {
	for _, wanted := range request.Sources {
		fault := ""
		switch {
		case len(wanted.Plugins) == 0 && !wanted.Remote:
			continue
		case len(request.Sources) > 1:
			fault = "plugins can be chosen of one source only"
		case request.As != "" && len(wanted.Skills) != 1:
			fault = "another name can be given to one skill only, and it is not said which"
		case len(wanted.Plugins) == 0 && len(wanted.Skills) == 0 && !request.All:
			fault = "it is not said which of the plugins' skills are wanted"
		default:
			continue
		}
		return &Error{Kind: "invalid_input", Name: wanted.Locator.Input, Message: fault, Hint: "choose with --plugin NAME, --skill NAME or --all; see them with --list"}
	}
	return nil
}

// bring fetches a source that a policy admits; with a commit, exactly that one.
func (e *Engine) bring(ctx context.Context, policy manifest.Policy, locator source.Locator, commit string) (Tree, error) {
	if err := e.allowed(policy, locator); err != nil {
		return nil, err
	}
	revision := source.Revision{Locator: locator, Commit: commit}
	if commit == "" {
		var err error
		if revision, err = e.config.Fetcher.Resolve(ctx, locator); err != nil {
			return nil, err
		}
		if err := e.allowed(policy, revision.Locator); err != nil {
			return nil, err // a site that turned out to be a repository
		}
	}
	return e.config.Fetcher.Fetch(ctx, revision)
}
