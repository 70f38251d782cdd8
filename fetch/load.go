package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"

	"skills/fetch/internal/gitwire"
	"skills/fetch/store"
	"skills/source"
)

// wholeSkill is how many files a skill may have whose manifest alone was asked for and that is brought whole with it.
const wholeSkill = 1000

// load brings contents, and then what links among them point at.
func (s *session) load(ctx context.Context, v *view, rev source.Revision, paths []string) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Give()
	for range maxHops {
		chosen, err := v.chosen(paths)
		if err != nil {
			return s.named(err)
		}
		if whole := v.whole(rev.Locator.Path, paths); whole != nil {
			chosen = append(chosen, whole)
		}
		if err := s.bring(ctx, v, rev, chosen); err != nil {
			return problem(s.name, s.host.Name, err)
		}
		if paths = v.targets(paths); len(paths) == 0 {
			return nil
		}
	}
	return nil
}

// chosen finds the entries of paths.
func (v *view) chosen(paths []string) ([]*node, error) {
	var chosen []*node
	for _, p := range paths {
		n := v.root.find(p)
		if n == nil {
			return nil, &Error{Kind: NotFound, Message: fmt.Sprintf("there is no %q", p)}
		}
		chosen = append(chosen, n)
	}
	return chosen, nil
}

// whole is the directory that the locator named when only its manifest is asked for: it will be wanted next, so one request is
// spared.
func (v *view) whole(below string, paths []string) *node {
	if len(paths) != 1 || !isManifest(paths[0]) || split(below) == nil && path.Dir(paths[0]) != "." ||
		split(below) != nil && path.Dir(paths[0]) != below {
		return nil
	}
	if n := v.root.find(below); n != nil && n.files() <= wholeSkill {
		return n
	}
	return nil
}

// targets are the files that links among paths point at, within the tree.
func (v *view) targets(paths []string) []string {
	var targets []string
	for _, p := range paths {
		if n := v.root.find(p); n == nil || n.mode != store.ModeLink {
			continue
		}
		text, err := v.ReadLink(p)
		if err != nil || path.IsAbs(text) {
			continue
		}
		if target := path.Join(path.Dir(p), text); v.root.find(target) != nil {
			targets = append(targets, target)
		}
	}
	return targets
}

// bring tries one way after the other until nothing is missing.
func (s *session) bring(ctx context.Context, v *view, rev source.Revision, chosen []*node) error {
	p := newPlan(s.store, v.root, chosen)
	missing := p.counts[v.root]
	if missing.missing == 0 {
		return nil
	}
	if s.client.config.Offline {
		return &Error{Kind: Offline, Host: s.host.Name, Hint: "run it once without --offline",
			Message: fmt.Sprintf("%d files of %s are not in the store", missing.missing, s.name)}
	}
	var first error
	for _, way := range s.ways(v, rev) {
		err := way(ctx, p)
		if err != nil && !passable(err) {
			return err
		}
		if p = newPlan(s.store, v.root, chosen); p.counts[v.root].missing == 0 {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return cmp.Or(first, fmt.Errorf("%d files did not come", p.counts[v.root].missing))
}

// way is one way to bring what a plan wants.
type way func(context.Context, *plan) error

// ways are the ways to bring contents, best first. Even most of a repository is better asked for by its trees: packs hold
// what many skills have in common once, so those of real catalogs are as small as their archives, or smaller. What an archive
// does not give as git has it (there are attributes which change it) is still missing afterwards.
func (s *session) ways(v *view, rev source.Revision) []way {
	var refused error
	byID := func(ctx context.Context, p *plan) error {
		p.choose(v.root)
		if refused = s.byID(ctx, p.wants); refused == nil {
			s.learn(factTrees, true)
		}
		return refused
	}
	whole := func(ctx context.Context, _ *plan) error {
		err := s.filtered(ctx, rev.Commit, everything, false)
		if err == nil && isMissing(refused) { // it has the commit, but does not give its trees by id
			s.learn(factTrees, false)
		}
		return err
	}
	archive := func(ctx context.Context, _ *plan) error { return s.bringArchive(ctx, rev) }
	clone := func(ctx context.Context, _ *plan) error { return s.bringClone(ctx, rev) }
	switch {
	case rev.Commit == "":
		return []way{byID}
	case s.byGit.Load():
		return []way{clone}
	}
	return []way{byID, whole, clone, archive}
}

// isMissing reports whether a server said that it has no such object, or gives it to nobody.
func isMissing(err error) bool {
	var refused *gitwire.RefusedError
	return errors.As(err, &refused) && refused.MissingObject()
}

// byID asks for trees and blobs, where that is known not to be useless.
func (s *session) byID(ctx context.Context, wants []string) error {
	switch {
	case s.byGit.Load() || s.fact(factTrees) == no:
		return errNoWay
	case s.fact(factV2) == no:
		return gitwire.ErrOldProtocol
	}
	return s.transfer(ctx, "", wants...)
}

// passable reports whether another way may do what this one did not.
func passable(err error) bool {
	var refused *gitwire.RefusedError
	return errors.As(err, &refused) || errors.Is(err, gitwire.ErrOldProtocol) || errors.Is(err, errNoWay) || refusesListing(err)
}

// errNoWay says that a way does not exist for the repository.
var errNoWay = errors.New("there is no such way")
