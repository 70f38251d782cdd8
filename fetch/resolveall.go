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

// ResolveAll resolves many locators, in their order, with one listing of refs for each repository, repositories side by side.
func (c *Client) ResolveAll(ctx context.Context, locators []source.Locator) []Resolution {
	results := make([]Resolution, len(locators))
	groups := map[*session]*group{}
	for i, l := range locators {
		s, err := c.session(l)
		if l.Kind != source.Git || isCommit(l.Ref) || err != nil {
			results[i].Revision, results[i].Err = c.Resolve(ctx, l)
			continue
		}
		if groups[s] == nil {
			groups[s] = &group{session: s}
		}
		groups[s].members = append(groups[s].members, i)
		groups[s].prefixes = append(groups[s].prefixes, l.RefPrefixes()...)
	}
	var all errgroup.Group
	all.SetLimit(16)
	for _, g := range groups {
		all.Go(func() error {
			for _, i := range g.members {
				results[i].Revision, results[i].Err = g.session.resolve(ctx, locators[i], g.list)
			}
			return nil
		})
	}
	_ = all.Wait() // errors are in the results
	return results
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
