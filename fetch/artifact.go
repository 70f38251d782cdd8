package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
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
	host   string // that is asked for it
	who    string // says which digest it has, where no lock does
	repo   *store.Repository
	facts  store.Facts // which trees digests name, as far as that was known at first
	notes  []source.Note
}

// kept is the scope of the facts about an artifact.
func kept(name string) string { return "artifacts " + name }

func (c *Client) artifact(rev source.Revision, name string) (*artifact, error) {
	if c.config.Store == nil {
		return nil, errors.New("fetching " + name + " needs a store")
	}
	repo, err := c.config.Store.Repository(name)
	a := &artifact{client: c, rev: rev, name: name, host: rev.Locator.Host, repo: repo, facts: c.config.Store.Facts(kept(name))}
	if rev.Locator.Kind == source.NPM {
		a.host = web.HostOf(c.registry(rev.Locator))
	}
	return a, err
}

// bringer brings an artifact into the store and gives its tree. What has another digest than the artifact is to have is an error.
type bringer func(*artifact, context.Context) (store.ID, error)

// fetchAddress brings an archive or a file from the web.
func (c *Client) fetchAddress(ctx context.Context, rev source.Revision, bring bringer) (*Tree, error) {
	return c.fetchArtifact(ctx, rev, strings.TrimPrefix(rev.Locator.URL, "https://"), bring)
}

// fetchArtifact brings an artifact, unless what its digest names is in the store.
func (c *Client) fetchArtifact(ctx context.Context, rev source.Revision, name string, bring bringer) (*Tree, error) {
	a, err := c.artifact(rev, name)
	if err != nil {
		return nil, err
	}
	root, ok := a.stored()
	if !ok && c.config.Offline {
		return nil, &Error{Kind: Offline, Host: a.host, Message: a.name + " is not in the store", Hint: "run it once without --offline"}
	}
	if !ok {
		if root, err = bring(a, ctx); err != nil {
			return nil, problem(a.name, a.host, err)
		}
		a.remember(root, rev.Digest)
	}
	return a.tree(root)
}

// latest names what was brought last, for those who are offline.
const latest = "latest"

// remember keeps which tree a digest names, and that it is the latest. Other digests with which the artifact was compared name it too. What
// cannot be kept is fetched again.
func (a *artifact) remember(root store.ID, compared ...string) {
	value := strings.TrimSpace(root.String() + " " + a.rev.Digest)
	facts := store.Facts{latest: value}
	for _, digest := range append(compared, a.rev.Digest) {
		if digest != "" {
			facts[digest] = value
		}
	}
	_ = a.client.config.Store.RememberAll(kept(a.name), facts)
}

// named is a revision as a lock knows it: by the digest of its artifact, or, where that has none, by the git id of its tree.
func named(rev source.Revision, id string) source.Revision {
	rev.Digest, rev.Tree = id, ""
	if isTree(id) {
		rev.Digest, rev.Tree = "", id
	}
	return rev
}

// isTree tells a git tree id from a digest, which names its algorithm.
func isTree(id string) bool {
	_, err := store.ParseID(id)
	return err == nil
}

// stored finds the tree that an earlier fetch made of the same bytes: what the digest names, or else the tree itself. Offline the latest will
// do when neither is known.
func (a *artifact) stored() (store.ID, bool) {
	key := a.rev.Digest
	if id, err := store.ParseID(a.rev.Tree); err == nil && key == "" {
		return id, a.repo.Complete(id)
	}
	if key == "" && a.client.config.Offline {
		key = latest
	}
	text, digest, _ := strings.Cut(a.facts[key], " ")
	id, err := store.ParseID(text)
	if err != nil || !a.repo.Complete(id) {
		return store.ID{}, false
	}
	a.rev.Digest = cmp.Or(digest, a.rev.Digest)
	return id, true
}

// known finds the tree that a digest, or its own id, names in the store.
func (a *artifact) known(id string) (store.ID, bool) {
	other := *a
	other.rev = named(a.rev, id)
	root, here := other.stored()
	return root, here && id != ""
}

// lacks tells whether the store has no tree of that name.
func (a *artifact) lacks(id string) bool {
	_, here := a.known(id)
	return !here
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
func (a *artifact) bringArchive(ctx context.Context) (store.ID, error) {
	d, err := a.client.download(ctx, order{address: a.rev.Locator.URL, digest: a.rev.Digest, limit: a.client.config.Limits.OrDefault().Bytes})
	if err != nil {
		return store.ID{}, err
	}
	defer d.Close()
	return a.unpackWhole(ctx, d)
}

// unpack reads an archive into the store, after its digest was compared with the one that was asked for.
func (a *artifact) unpack(ctx context.Context, d *download, o archive.Options) (store.ID, error) {
	if err := d.check(a.name, a.host, a.rev.Digest, a.who); err != nil {
		return store.ID{}, err
	}
	if a.rev.Digest == "" || strings.HasPrefix(a.rev.Digest, "sha1:") {
		a.rev.Digest = d.digest("")
	}
	o.ContentType, o.Name = d.contentType, path.Base(a.name)
	root, info, err := unpack(ctx, a.repo, d.file, a.client.config.Limits, o, nil)
	for _, n := range info.Notes {
		a.notes = append(a.notes, source.Note{Code: "left_out", Message: fmt.Sprintf("%q %s", n.Path, n.Reason)})
	}
	return root, err
}

// unpackWhole reads an archive, without the directory that wraps it.
func (a *artifact) unpackWhole(ctx context.Context, d *download) (store.ID, error) {
	root, err := a.unpack(ctx, d, archive.Options{})
	if err != nil {
		return root, err
	}
	return unwrap(a.repo, root)
}

// unwrap gives the directory that holds all of a tree, where that is only a wrapper: it has the name of a release, holds no skill
// itself, and is none that agents look into. So a skill keeps its path from one release to the next.
func unwrap(repo *store.Repository, root store.ID) (store.ID, error) {
	entries, err := repo.Tree(root)
	if err != nil || len(entries) != 1 || entries[0].Mode != store.ModeTree || entries[0].Name == "skills" || entries[0].Name[0] == '.' {
		return root, err
	}
	inside, err := repo.Tree(entries[0].ID)
	if err != nil || slices.ContainsFunc(inside, func(e store.Entry) bool { return isManifest(e.Name) }) {
		return root, err
	}
	return entries[0].ID, nil
}

// unpack writes the files of an archive to the store.
func unpack(ctx context.Context, repo *store.Repository, in io.Reader, limits Limits, o archive.Options, counted *total) (store.ID, archive.Info, error) {
	limits = limits.OrDefault()
	o.Limits = archive.Limits{Packed: limits.Bytes, Unpacked: limits.Unpacked, File: limits.Object, Files: limits.Objects, Depth: limits.Depth, Ratio: limits.Ratio}
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
		if err := counted.file(size); err != nil {
			return err
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

// fileLimits are the bounds for a document and what it names: where nothing else is given, those of package file, which are narrower than the
// ones for repositories.
func fileLimits(l Limits) file.Limits {
	all := least(l.Bytes, l.Unpacked)
	return file.Limits{Document: least(l.Object, all), File: l.Object, Bytes: all, Files: l.Objects}
}

// least is the smaller of two bounds, of which 0 is none.
func least(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// bringFile downloads one SKILL.md, whatever its address calls it, and what it refers to. Such a set of files has no digest.
func (a *artifact) bringFile(ctx context.Context) (store.ID, error) {
	if a.rev.Digest != "" {
		return store.ID{}, noDigest(a.rev.Locator, "one file")
	}
	o := file.Options{References: a.client.config.References}
	if !isManifest(a.name) {
		o.Name = "SKILL.md"
	}
	o.Limits = fileLimits(a.client.config.Limits)
	result, err := file.Fetch(ctx, a.client.web, a.rev.Locator.URL, o)
	if err != nil {
		return store.ID{}, err
	}
	for _, n := range result.Notes {
		a.notes = append(a.notes, source.Note{Code: "left_out", Message: fmt.Sprintf("%q %s", n.Path, n.Reason)})
	}
	files := map[string][]byte{}
	for _, f := range result.Files {
		files[f.Path] = f.Data
	}
	root, _, err := a.write(ctx, files)
	return root, err
}

// openArchive reads an archive on this machine.
func (c *Client) openArchive(ctx context.Context, rev source.Revision, name string) (*Tree, error) {
	a, err := c.artifact(rev, "file "+name)
	if err != nil {
		return nil, err
	}
	d, err := onDisk(name, c.config.Limits.OrDefault().Bytes)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	root, err := a.unpackWhole(ctx, d)
	if err != nil {
		return nil, problem(fmt.Sprintf("%q", name), "", err)
	}
	return a.tree(root)
}
