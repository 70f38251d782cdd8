package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/site"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// indexLimit bounds the index of a site, in bytes.
const indexLimit = 8 << 20

// The index of a site is kept in the store as a tree of two files.
const (
	indexFile   = "index.json"
	addressFile = "address"
)

// storedSite is what a site's index is kept under.
func (c *Client) storedSite(rev source.Revision) (*artifact, error) {
	return c.artifact(rev, "site "+strings.TrimPrefix(rev.Locator.URL, "https://"))
}

// resolveIndex asks a site for its index, below the path of its address and then at the root of its host, and keeps it. The
// revision's digest is that of the index.
func (c *Client) resolveIndex(ctx context.Context, l source.Locator) (source.Revision, error) {
	rev := source.Revision{Locator: l}
	a, err := c.storedSite(rev)
	if err != nil {
		return rev, err
	}
	if c.config.Offline {
		offer, err := c.openSite(rev)
		if err != nil {
			return rev, err
		}
		return offer.rev, nil
	}
	var tried []string
	kind := NotFound
	for _, address := range site.Addresses(l.URL) {
		data, from, err := c.read(ctx, address, web.Options{Limit: indexLimit}, "")
		if err == nil {
			var index *site.Index
			if index, err = usableIndex(l, from, data); err == nil {
				return a.keepIndex(ctx, index, data)
			}
			kind = WrongContent
		} else if !answered(err) {
			return rev, problem(address, l.Host, err)
		}
		tried = append(tried, fmt.Sprintf("%s: %s", path.Join("/", strings.TrimPrefix(address, "https://"+l.Host)), shortReason(err)))
	}
	return rev, &Error{Kind: kind, Host: l.Host, Status: http.StatusNotFound, Message: "it has no index of skills (" + strings.Join(tried, "; ") + ")"}
}

// answered tells whether a host answered, though not with what was asked for.
func answered(err error) bool {
	var failure *web.Error
	return errors.As(err, &failure) && (failure.Kind == web.Status || failure.Kind == web.TooLarge || failure.Kind == web.RateLimited || failure.Kind == web.Refused)
}

// shortReason is an error without the address that is told beside it.
func shortReason(err error) string {
	var failure *web.Error
	if errors.As(err, &failure) && failure.Kind == web.Status {
		return fmt.Sprint(failure.Status)
	}
	return err.Error()
}

// usableIndex reads a document, or tells why it cannot serve as the index for an address.
func usableIndex(l source.Locator, from string, data []byte) (*site.Index, error) {
	if archive.IsHTML(data) {
		return nil, errors.New("a web page")
	}
	index, err := site.Parse(from, data)
	if err != nil {
		return nil, err
	}
	switch meant, _ := below(index, l); {
	case len(index.Entries)+len(index.Notes) == 0:
		return nil, errors.New("lists no skill")
	case len(meant.Entries)+len(meant.Notes) == 0:
		return nil, fmt.Errorf("lists no skill below /%s; for all that it lists give https://%s", l.Path, l.Host)
	}
	return index, nil
}

// below reduces an index that was found at the root of the host to what the path of an address means: what lies below it, or what
// is called like it. Nobody who names a part of a site gets all of it.
func below(index *site.Index, l source.Locator) (meant *site.Index, reduced bool) {
	if l.Path == "" || strings.HasPrefix(index.Address, l.URL+"/") {
		return index, false
	}
	meant = &site.Index{Address: index.Address}
	meant.Entries = slices.DeleteFunc(slices.Clone(index.Entries), func(e site.Entry) bool {
		return e.Name != path.Base(l.Path) && !strings.HasPrefix(e.URL, l.URL+"/")
	})
	meant.Notes = slices.DeleteFunc(slices.Clone(index.Notes), func(n site.Note) bool { return n.Name != path.Base(l.Path) })
	return meant, true
}

// keepIndex puts an index into the store, and remembers how it was read.
func (a *artifact) keepIndex(ctx context.Context, index *site.Index, data []byte) (source.Revision, error) {
	root, _, err := a.write(ctx, map[string][]byte{indexFile: data, addressFile: []byte(index.Address)})
	if err != nil {
		return a.rev, err
	}
	a.client.indexes.Store(root, index)
	sum := sha256.Sum256(data)
	a.rev.Digest = "sha256:" + hex.EncodeToString(sum[:])
	a.remember(root)
	return a.rev, nil
}

// write makes a tree of plain files and gives the ids of the files as well.
func (a *artifact) write(ctx context.Context, files map[string][]byte) (store.ID, map[string]store.ID, error) {
	w, err := a.repo.NewWriter(ctx, a.client.config.Limits)
	if err != nil {
		return store.ID{}, nil, err
	}
	defer w.Abort()
	ids := map[string]store.ID{}
	for name, data := range files {
		if ids[name], err = w.File(name, store.ModeFile, int64(len(data)), bytes.NewReader(data)); err != nil {
			return store.ID{}, nil, err
		}
	}
	root, _, err := w.Finish()
	return root, ids, err
}

// fetchSite lists a site by its index.
func (c *Client) fetchSite(ctx context.Context, rev source.Revision) (*Tree, error) {
	offer, err := c.openSite(rev)
	if errors.Is(err, store.ErrMissing) && !c.config.Offline {
		if rev, err = c.resolveIndex(ctx, rev.Locator); err == nil {
			offer, err = c.openSite(rev)
		}
	}
	if err != nil {
		return nil, problem(rev.Locator.URL, rev.Locator.Host, err)
	}
	return offer.tree(), nil
}

// openSite reads the index of a site from the store: that of the revision's digest, or the last one.
func (c *Client) openSite(rev source.Revision) (*offer, error) {
	a, err := c.storedSite(rev)
	if err != nil {
		return nil, err
	}
	root, ok := a.stored()
	if !ok && c.config.Offline {
		return nil, &Error{Kind: Offline, Host: rev.Locator.Host, Message: a.name + " is not in the store", Hint: "run it once without --offline"}
	}
	if !ok {
		return nil, store.ErrMissing
	}
	index, err := a.index(root)
	if err != nil {
		return nil, err
	}
	return newOffer(a, index), nil
}

// index reads an index that is in the store, once.
func (a *artifact) index(root store.ID) (*site.Index, error) {
	if index, read := a.client.indexes.Load(root); read {
		return index.(*site.Index), nil
	}
	listed, err := newLister(a.repo, a.client.config.Limits).listing(root, "")
	if err != nil {
		return nil, err
	}
	v := &view{root: listed, repo: a.repo}
	data, err := readAll(v, indexFile)
	if err != nil {
		return nil, err
	}
	address, err := readAll(v, addressFile)
	if err != nil {
		return nil, err
	}
	index, err := site.Parse(string(address), data)
	if err == nil {
		a.client.indexes.Store(root, index)
	}
	return index, err
}

func readAll(v *view, name string) ([]byte, error) {
	in, err := v.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}
