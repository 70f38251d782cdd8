package fetch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/fetch/internal/site"
	"skills/source"
)

// fetchDigests brings the directories of a source without commits whose artifacts a lock knows by their digests.
func (c *Client) fetchDigests(ctx context.Context, l source.Locator, digests map[string]string) (*Tree, error) {
	rev := source.Revision{Locator: l}
	for _, digest := range digests {
		rev.Digest = digest
	}
	tree, err := c.fetchDigest(ctx, rev, digests)
	if err != nil {
		return nil, err
	}
	return tree, tree.Load(ctx, slices.Sorted(maps.Keys(digests))...)
}

func (c *Client) fetchDigest(ctx context.Context, rev source.Revision, digests map[string]string) (*Tree, error) {
	if rev.Locator.Kind != source.Site {
		return c.Fetch(ctx, rev)
	}
	if tree, err := c.storedDigests(rev, digests); tree != nil || err != nil {
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
	return c.Fetch(ctx, rev)
}

// noDigest is the error of what had a digest and is another thing now.
func noDigest(l source.Locator, now string) error {
	return &Error{Kind: Integrity, Host: l.Host, Message: l.URL + " is " + now + " now, which has no digest", Hint: "add it again, if that is wanted"}
}

// storedDigests gives the tree when all of it is in the store: of a site its entries, or the archive at the address.
func (c *Client) storedDigests(rev source.Revision, digests map[string]string) (*Tree, error) {
	a, err := c.storedSite(rev)
	if err != nil {
		return nil, err
	}
	archive, err := c.artifact(rev, strings.TrimPrefix(rev.Locator.URL, "https://"))
	if err != nil {
		return nil, err
	}
	if root, ok := archive.stored(); ok {
		return archive.tree(root)
	}
	o := newOffer(a, lockedIndex(rev.Locator, digests))
	for _, e := range o.index.Entries {
		if _, here := o.known(e); !here {
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
		_, here := now.known(e)
		switch {
		case offered.Digest == e.Digest:
			index.Entries[i] = offered
		case here:
		case !found:
			failed[e.Name] = &Error{Kind: NotFound, Host: rev.Locator.Host, Message: fmt.Sprintf("%s does not list %q any more", now.index.Address, e.Name),
				Hint: "what is installed elsewhere stays; remove it from the manifest, or add it from another source"}
		default:
			failed[e.Name] = &Error{Kind: Integrity, Host: rev.Locator.Host,
				Message: fmt.Sprintf("%s offers %q with the digest %s, expected %s as the lock says", now.index.Address, e.Name, offered.Digest, e.Digest),
				Hint:    "nothing was changed; if the change is wanted, update it or add it again"}
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
