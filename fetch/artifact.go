package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/file"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// artifact is a source of one piece, an archive or a file, on its way into the store.
type artifact struct {
	client *Client
	rev    source.Revision
	name   string // for messages and as key in the store
	repo   *store.Repository
	notes  []source.Note
}

func (c *Client) artifact(rev source.Revision, name string) (*artifact, error) {
	if c.config.Store == nil {
		return nil, errors.New("fetching " + name + " needs a store")
	}
	repo, err := c.config.Store.Repository(name)
	return &artifact{client: c, rev: rev, name: name, repo: repo}, err
}

// fetchArtifact brings an archive or a file from the web, unless what its digest names is in the store.
func (c *Client) fetchArtifact(ctx context.Context, rev source.Revision, bring func(*artifact, context.Context) (store.ID, error)) (*Tree, error) {
	a, err := c.artifact(rev, strings.TrimPrefix(rev.Locator.URL, "https://"))
	if err != nil {
		return nil, err
	}
	root, ok := a.stored()
	if !ok && c.config.Offline {
		return nil, &Error{Kind: Offline, Host: rev.Locator.Host, Message: a.name + " is not in the store", Hint: "run it once without --offline"}
	}
	if !ok {
		if root, err = bring(a, ctx); err != nil {
			return nil, problem(a.name, rev.Locator.Host, err)
		}
		_ = c.config.Store.Remember("artifacts "+a.name, a.key(), root.String()) // without it, it is fetched again
	}
	return a.tree(root)
}

// key names what was fetched among the facts about the artifact. What has no digest is good for those who are offline.
func (a *artifact) key() string { return cmp.Or(a.rev.Digest, "latest") }

// stored finds the tree that an earlier fetch made of the same bytes.
func (a *artifact) stored() (store.ID, bool) {
	if a.rev.Digest == "" && !a.client.config.Offline {
		return store.ID{}, false
	}
	id, err := store.ParseID(a.client.config.Store.Facts("artifacts " + a.name)[a.key()])
	return id, err == nil && a.repo.Complete(id)
}

func (a *artifact) tree(root store.ID) (*Tree, error) {
	listing, err := newLister(a.repo, a.client.config.Limits).listing(root, "")
	if err != nil {
		return nil, err
	}
	a.rev.Tree = root.String()
	v := &view{root: listing, repo: a.repo}
	return &Tree{revision: a.rev, files: v, notes: a.notes, load: func(_ context.Context, paths []string) error {
		_, err := v.chosen(paths)
		return err
	}}, nil
}

// bringArchive downloads an archive.
func (a *artifact) bringArchive(ctx context.Context) (root store.ID, err error) {
	for range 3 {
		if root, err = a.downloadArchive(ctx); !broken(err) {
			break
		}
	}
	return root, err
}

func (a *artifact) downloadArchive(ctx context.Context) (store.ID, error) {
	limits := a.client.config.Limits
	resp, err := a.client.web.Get(ctx, a.rev.Locator.URL, web.Options{Limit: orDefault(limits).Bytes})
	if err != nil {
		return store.ID{}, err
	}
	defer resp.Body.Close()
	return a.unpack(ctx, resp.Body, resp.Header.Get("Content-Type"))
}

// unpack reads an archive into the store and takes its digest, whatever stands behind its end included.
func (a *artifact) unpack(ctx context.Context, in io.Reader, contentType string) (store.ID, error) {
	sum := sha256.New()
	in = io.TeeReader(in, sum)
	root, info, err := unpack(ctx, a.repo, in, a.client.config.Limits, archive.Options{ContentType: contentType, Name: path.Base(a.name)})
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	if err != nil {
		return root, err
	}
	for _, n := range info.Notes {
		a.notes = append(a.notes, source.Note{Code: "left_out", Message: fmt.Sprintf("%q %s", n.Path, n.Reason)})
	}
	return root, a.check("sha256:" + hex.EncodeToString(sum.Sum(nil)))
}

// check compares what came with the digest that was asked for, if one was.
func (a *artifact) check(digest string) error {
	if want := a.rev.Digest; want != "" && want != digest {
		return &Error{Kind: WrongContent, Host: a.rev.Locator.Host,
			Message: fmt.Sprintf("%s has changed: its digest is %s, not %s", a.name, digest, want),
			Hint:    "look at what changed, then update it"}
	}
	a.rev.Digest = digest
	return nil
}

// unpack writes the files of an archive to the store.
func unpack(ctx context.Context, repo *store.Repository, in io.Reader, limits Limits, o archive.Options) (store.ID, archive.Info, error) {
	limits = orDefault(limits)
	o.Limits = archive.Limits{Packed: limits.Bytes, Unpacked: limits.Unpacked, File: limits.Object, Files: limits.Objects}
	w, err := repo.NewWriter(ctx, limits)
	if err != nil {
		return store.ID{}, archive.Info{}, err
	}
	defer w.Abort()
	info, err := archive.Read(ctx, in, o, func(e archive.Entry, r io.Reader) error {
		mode, size := store.ModeFile, e.Size
		switch e.Mode {
		case archive.Executable:
			mode = store.ModeExecutable
		case archive.Symlink:
			mode, size, r = store.ModeLink, int64(len(e.Link)), strings.NewReader(e.Link)
		}
		_, err := w.File(e.Path, mode, size, r)
		return err
	})
	if err != nil {
		return store.ID{}, info, err
	}
	root, _, err := w.Finish()
	return root, info, err
}

func orDefault(l Limits) Limits {
	d := store.DefaultLimits()
	return Limits{
		Bytes: cmp.Or(l.Bytes, d.Bytes), Unpacked: cmp.Or(l.Unpacked, d.Unpacked),
		Object: cmp.Or(l.Object, d.Object), Objects: cmp.Or(l.Objects, d.Objects),
	}
}

// bringFile downloads one SKILL.md and what it refers to.
func (a *artifact) bringFile(ctx context.Context) (store.ID, error) {
	result, err := file.Fetch(ctx, a.client.web, a.rev.Locator.URL, file.Options{References: a.client.config.References})
	if err != nil {
		return store.ID{}, err
	}
	for _, n := range result.Notes {
		a.notes = append(a.notes, source.Note{Code: "left_out", Message: fmt.Sprintf("%q %s", n.Path, n.Reason)})
	}
	w, err := a.repo.NewWriter(ctx, a.client.config.Limits)
	if err != nil {
		return store.ID{}, err
	}
	defer w.Abort()
	for _, f := range result.Files {
		if _, err := w.File(f.Path, store.ModeFile, int64(len(f.Data)), bytes.NewReader(f.Data)); err != nil {
			return store.ID{}, err
		}
	}
	root, _, err := w.Finish()
	return root, err
}

// openArchive reads an archive on this machine.
func (c *Client) openArchive(ctx context.Context, rev source.Revision, name string) (*Tree, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	a, err := c.artifact(rev, "file "+name)
	if err != nil {
		return nil, err
	}
	root, err := a.unpack(ctx, in, "")
	if err != nil {
		return nil, problem(fmt.Sprintf("%q", name), "", err)
	}
	return a.tree(root)
}
