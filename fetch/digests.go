package fetch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"skills/fetch/internal/site"
	"skills/fetch/store"
	"skills/source"
)

// fetchDigests brings the directories of a source without commits whose artifacts a lock knows by their digests.
func (c *Client) fetchDigests(ctx context.Context, l source.Locator, digests map[string]string) (*Tree, error) {
	tree, err := c.fetchDigest(ctx, source.Revision{Locator: l}, digests)
	if err != nil {
		return nil, err
	}
	err = tree.Load(ctx, slices.Sorted(maps.Keys(digests))...)
	if _, apart := tree.files.(*growing); apart && len(digests) > 1 && ctx.Err() == nil {
		err = nil // the files of each tell its own
	}
	return tree, err
}

func (c *Client) fetchDigest(ctx context.Context, rev source.Revision, digests map[string]string) (*Tree, error) {
	fetch := func(digest string) (*Tree, error) {
		return c.Fetch(ctx, named(rev, digest))
	}
	if rev.Locator.Kind != source.Site {
		return together(ctx, rev, digests, fetch)
	}
	if tree, err := c.storedDigests(ctx, rev, digests); tree != nil || err != nil {
		return tree, err
	}
	found, err := c.Resolve(ctx, rev.Locator)
	if err != nil {
		return nil, err
	}
	switch found.Locator.Kind {
	case source.Site:
		return c.offered(found, digests)
	case source.Git:
		return nil, noDigest(rev.Locator, "a repository")
	}
	rev.Locator = found.Locator
	return together(ctx, rev, digests, fetch)
}

// distinct are the digests among those of several directories.
func distinct(digests map[string]string) []string {
	return slices.Compact(slices.Sorted(maps.Values(digests)))
}

// together shows directories of an artifact: of its one state, or, when a lock knows them from several, each from its own. Which of these
// cannot be had is told by their files.
func together(ctx context.Context, rev source.Revision, digests map[string]string, get func(digest string) (*Tree, error)) (*Tree, error) {
	all := distinct(digests)
	if len(all) < 2 {
		return get(strings.Join(all, ""))
	}
	states, failures := map[string]*view{}, map[string]error{}
	repo := new(store.Repository) // which has nothing, where no state is here
	for _, digest := range all {
		tree, err := get(digest)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if failures[digest] = err; err != nil {
			continue
		}
		if v, ok := tree.files.(*view); ok {
			states[digest], repo = v, v.repo
		}
	}
	g := &growing{}
	g.now.Store(joined(repo, digests, states, failures))
	load := func(_ context.Context, paths []string) error { return g.failure(paths) }
	return &Tree{revision: rev, files: g, load: load, digest: func(name string) string { return nearest(digests, name) }}, nil
}

// joined takes each directory from the state of the artifact that has its digest.
func joined(repo *store.Repository, digests map[string]string, states map[string]*view, failures map[string]error) *shelf {
	root, failed := &node{mode: store.ModeTree, partial: true}, map[string]error{}
	for _, at := range slices.Sorted(maps.Keys(digests)) {
		n := root
		for _, part := range split(at) {
			n = n.directory(part)
		}
		var found *node
		if v := states[digests[at]]; v != nil {
			found = v.root.find(at)
		}
		if found != nil {
			n.id, n.children, n.partial = found.id, found.children, found.partial
			continue
		}
		n.children = []*node{{name: "SKILL.md", mode: store.ModeFile}} // which tells why it is not here
		failed[path.Clean(at)] = cmp.Or(failures[digests[at]], error(&Error{Kind: NotFound, Message: fmt.Sprintf("there is no %q", at)}))
	}
	return &shelf{view: &view{root: root, repo: repo}, failed: failed}
}

// noDigest is the error of what had a digest and is another thing now.
func noDigest(l source.Locator, now string) error {
	return &Error{Kind: Integrity, Host: l.Host, Message: l.URL + " is " + now + " now, which has no digest", Hint: "add it again, if that is wanted"}
}

// storedDigests gives the tree when all of it is in the store: of a site its entries, or the archive at the address.
func (c *Client) storedDigests(ctx context.Context, rev source.Revision, digests map[string]string) (*Tree, error) {
	a, err := c.storedSite(rev)
	if err != nil {
		return nil, err
	}
	archive, err := c.artifact(rev, strings.TrimPrefix(rev.Locator.URL, "https://"))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(distinct(digests), archive.lacks) {
		return together(ctx, rev, digests, func(digest string) (*Tree, error) {
			state := *archive
			state.rev = named(rev, digest)
			root, _ := state.stored()
			return state.tree(root)
		})
	}
	o := newOffer(a, lockedIndex(rev.Locator, digests))
	for _, e := range o.index.Entries {
		if o.lacks(e.Digest) {
			return nil, nil
		}
	}
	return o.tree(), nil
}

// lockedIndex is an index of what a lock knows, with no address to get it from.
func lockedIndex(l source.Locator, digests map[string]string) *site.Index {
	index := &site.Index{Address: l.URL + "/"}
	for name, digest := range digests {
		index.Entries = append(index.Entries, site.Entry{Name: name, Kind: site.Archive, Digest: digest})
	}
	return index
}

// offered gives what a lock knows of a site, as far as the site has the same or the store has it still.
func (c *Client) offered(rev source.Revision, digests map[string]string) (*Tree, error) {
	now, err := c.openSite(rev)
	if err != nil {
		return nil, problem(rev.Locator.URL, rev.Locator.Host, err)
	}
	index := lockedIndex(rev.Locator, digests)
	failed := map[string]error{}
	for i, e := range index.Entries {
		offered, found := now.entry(e.Name)
		switch {
		case offered.Digest == e.Digest:
			index.Entries[i] = offered
		case !now.lacks(e.Digest):
		case !found:
			failed[e.Name] = &Error{Kind: NotFound, Host: rev.Locator.Host, Message: fmt.Sprintf("%s does not list %q any more", now.index.Address, e.Name),
				Hint: "what is installed elsewhere stays; remove it from the manifest, or add it from another source"}
		case isTree(e.Digest): // of which nothing tells before it is here whether it is the same
			index.Entries[i] = offered
		default:
			failed[e.Name] = &Error{Kind: Integrity, Host: rev.Locator.Host,
				Message: fmt.Sprintf("%s offers %q with the digest %s, expected %s as the lock says", now.index.Address, e.Name, offered.Digest, e.Digest),
				Hint:    "if the change is wanted, update it or add it again"}
		}
	}
	o := newOffer(now.artifact, index)
	o.index.Address = now.index.Address
	for name := range failed {
		o.done[name] = true
	}
	o.files.take(nil, failed)
	return o.tree(), nil
}
