package fetch

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"skills/fetch/internal/gitwire"
	"skills/source"
)

// Resolution is what became of one locator.
type Resolution struct {
	Revision source.Revision
	Err      error
}

// ResolveAll resolves many locators, in their order, with one listing of refs for each repository, one index for each site and one
// document for each package, all side by side.
func (c *Client) ResolveAll(ctx context.Context, locators []source.Locator) []Resolution {
	results := make([]Resolution, len(locators))
	groups := map[*session]*group{}
	var all errgroup.Group
	all.SetLimit(16)
	others := map[string]func() Resolution{}
	asked := newPackages()
	for i, l := range locators {
		if l.Kind != source.Git {
			key := string(l.Kind) + " " + l.Canonical()
			if others[key] == nil {
				others[key] = sync.OnceValue(func() Resolution { return c.resolveOther(ctx, l, asked) })
			}
			resolve := others[key]
			all.Go(func() error {
				results[i] = resolve()
				return nil
			})
			continue
		}
		s, err := c.session(ctx, l)
		if isCommit(l.Ref) || err != nil {
			results[i].Revision, results[i].Err = c.Resolve(ctx, l)
			continue
		}
		if groups[s] == nil {
			groups[s] = &group{session: s}
		}
		groups[s].members = append(groups[s].members, i)
		groups[s].prefixes = append(groups[s].prefixes, l.RefPrefixes()...)
	}
	for _, g := range groups {
		all.Go(func() error {
			for _, i := range g.members {
				results[i].Revision, results[i].Err = g.session.resolve(ctx, locators[i], g.list)
			}
			return nil
		})
	}
	_ = all.Wait() // errors are in the results
	for i := range results {
		caused(ctx, &results[i].Err)
	}
	return results
}

// resolveOther resolves what is no repository.
func (c *Client) resolveOther(ctx context.Context, l source.Locator, asked *packages) (r Resolution) {
	if l.Kind == source.NPM {
		r.Revision, r.Err = c.resolvePackage(ctx, l, asked)
	} else {
		r.Revision, r.Err = c.Resolve(ctx, l)
	}
	return r
}

// group is the locators of one repository.
type group struct {
	session  *session
	members  []int
	prefixes []string
	once     sync.Once
	refs     []gitwire.Ref
	err      error
}

// list asks once, for all that any member needs.
func (g *group) list(ctx context.Context, _ ...string) ([]gitwire.Ref, error) {
	g.once.Do(func() {
		slices.Sort(g.prefixes)
		g.refs, g.err = g.session.refs(ctx, slices.Compact(g.prefixes)...)
	})
	return g.refs, g.err
}
