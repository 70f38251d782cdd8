package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/site"
	"skills/fetch/internal/turn"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// Bounds of what one entry of an index brings, where [Limits] are not narrower. Those are of all entries together.
const (
	documentLimit = 800_000   // bytes of a SKILL.md
	listedLimit   = 10 << 20  // bytes of one file of a list
	entryLimit    = 50 << 20  // bytes of an archive, or of all files of a list
	unpackedLimit = 200 << 20 // bytes of the files of an archive
	entryFiles    = 5000
	shownNotes    = 100 // notes on entries that break a rule
)

// offer is what a site has, by its index: each entry is a directory, which is brought when it is loaded. An entry that cannot be
// had hides no other.
type offer struct {
	*artifact
	index *site.Index
	files *growing
	notes []source.Note
	total *total

	turn turn.Turn       // loads take turns, so that nothing is brought twice
	done map[string]bool // entries that are here whole, or failed
}

func newOffer(a *artifact, index *site.Index) *offer {
	meant, reduced := below(index, a.rev.Locator)
	o := &offer{artifact: a, index: meant, turn: turn.New(1), done: map[string]bool{}, total: &total{limits: a.client.config.Limits.OrDefault()}}
	if reduced {
		o.notes = append(o.notes, source.Note{Code: "site_index", Message: fmt.Sprintf("%s has no index of its own; of %s what belongs to it is taken", a.rev.Locator.URL, index.Address)})
	}
	for i, n := range meant.Notes {
		if i == shownNotes {
			o.notes = append(o.notes, source.Note{Code: "left_out", Message: fmt.Sprintf("%d more entries of %s are left out", len(meant.Notes)-i, meant.Address)})
			break
		}
		o.notes = append(o.notes, source.Note{Code: "left_out", Message: fmt.Sprintf("%q in %s is left out: %s", n.Name, index.Address, n.Reason)})
	}
	var top []*node
	for _, e := range meant.Entries {
		top = append(top, o.placeholder(e))
	}
	slices.SortFunc(top, byName)
	o.files = newGrowing(a.repo, top)
	return o
}

// placeholder shows what is known of an entry: that it has a SKILL.md, or all its files.
func (o *offer) placeholder(e site.Entry) *node {
	n := &node{name: e.Name, mode: store.ModeTree}
	if e.Kind != site.Files {
		n.children = []*node{{name: "SKILL.md", mode: store.ModeFile}}
	}
	directories := map[string]*node{".": n}
	for _, name := range e.Files {
		at := n
		for _, part := range split(path.Dir(name)) {
			at = at.directory(part)
		}
		directories[path.Dir(name)] = at
	}
	for _, name := range e.Files { // each directory is sorted once, when all is in it
		at := directories[path.Dir(name)]
		at.children = append(at.children, &node{name: path.Base(name), mode: store.ModeFile})
	}
	for _, directory := range directories {
		slices.SortFunc(directory.children, byName)
	}
	return n
}

func byName(a, b *node) int { return strings.Compare(a.name, b.name) }

// tree is what is shown of the offer.
func (o *offer) tree() *Tree {
	return &Tree{revision: o.rev, files: o.files, load: o.load, notes: o.notes, indexed: true, digest: func(name string) string {
		e, _ := o.entry(name)
		return named(o.rev, e.Digest).Digest
	}}
}

// entry finds the entry that a path lies in.
func (o *offer) entry(name string) (site.Entry, bool) {
	first, _, _ := strings.Cut(name, "/")
	i := slices.IndexFunc(o.index.Entries, func(e site.Entry) bool { return e.Name == first })
	if i < 0 {
		return site.Entry{}, false
	}
	return o.index.Entries[i], true
}

// load brings the entries that paths lie in. It fails when none of them can be had; why one of several cannot is told by its files.
func (o *offer) load(ctx context.Context, paths []string) error {
	if err := o.turn.Take(ctx); err != nil {
		return err
	}
	defer o.turn.Give()
	wanted, err := o.wanted(paths)
	if err != nil {
		return err
	}
	results := make([]result, len(wanted))
	var group errgroup.Group
	group.SetLimit(8)
	for i, name := range slices.Sorted(maps.Keys(wanted)) {
		group.Go(func() error {
			e, _ := o.entry(name)
			results[i] = o.bring(ctx, e, wanted[name])
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return o.take(results, paths)
}

// wanted gives the entries to bring, and whether whole.
func (o *offer) wanted(paths []string) (map[string]bool, error) {
	wanted := map[string]bool{}
	for _, p := range paths {
		if p == "" || p == "." {
			for _, e := range o.index.Entries {
				wanted[e.Name] = true
			}
			continue
		}
		e, found := o.entry(p)
		if !found || o.files.now.Load().root.find(p) == nil {
			return nil, &Error{Kind: NotFound, Host: o.rev.Locator.Host, Message: fmt.Sprintf("there is no %q in %s", p, o.index.Address)}
		}
		wanted[e.Name] = wanted[e.Name] || p != e.Name+"/SKILL.md"
	}
	maps.DeleteFunc(wanted, func(name string, _ bool) bool { return o.done[name] })
	return wanted, nil
}

// result is what became of one entry.
type result struct {
	entry site.Entry
	node  *node
	whole bool
	fact  string   // what the tree is kept under; "" when it is not
	root  store.ID // the tree
	err   error
}

// take shows what was brought.
func (o *offer) take(results []result, paths []string) error {
	var brought []*node
	failed, facts := map[string]error{}, store.Facts{}
	for _, r := range results {
		o.done[r.entry.Name] = r.whole || r.err != nil
		if r.err != nil {
			failed[r.entry.Name] = naming(r.entry, r.err)
			continue
		}
		if r.fact != "" {
			facts[r.fact] = r.root.String()
		}
		brought = append(brought, r.node)
	}
	_ = o.client.config.Store.RememberAll(kept(o.name), facts) // what cannot be kept is fetched again
	slices.SortFunc(brought, byName)
	o.files.take(brought, failed)
	return o.files.failure(paths)
}

// naming makes an error name the entry, unless it does.
func naming(e site.Entry, err error) error {
	address, _, _ := strings.Cut(e.URL, "?")
	err = problem(address, web.HostOf(e.URL), err)
	if strings.Contains(err.Error(), fmt.Sprintf("%q", e.Name)) {
		return err
	}
	return fmt.Errorf("%q: %w", e.Name, err)
}

// bring brings one entry.
func (o *offer) bring(ctx context.Context, e site.Entry, whole bool) result {
	if e.Kind == site.Files {
		return o.bringFiles(ctx, e, whole)
	}
	r := result{entry: e, whole: true}
	var here bool
	if r.root, here = o.known(e.Digest); !here {
		r.fact = e.Digest
		r.root, r.err = o.bringEntry(ctx, e)
	}
	if r.err == nil {
		r.node, r.err = o.listed(e.Name, r.root)
	}
	return r
}

// listed lists the tree of an entry, which has a SKILL.md.
func (o *offer) listed(name string, root store.ID) (*node, error) {
	n, err := newLister(o.repo, o.client.config.Limits).listing(root, "")
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(n.children, func(c *node) bool { return isManifest(c.name) }) {
		return nil, &Error{Kind: WrongContent, Message: "it has no SKILL.md at its top"}
	}
	n.name = name
	return n, nil
}

// order is that of one address of an entry, which asks on behalf of the site.
func (o *offer) order(address, digest string, limit int64) order {
	return order{address: address, digest: digest, limit: min(limit, o.total.limits.Bytes), origin: web.HostOf(o.rev.Locator.URL), total: o.total}
}

// bringEntry downloads a document or an archive, whose digest is compared before it is read.
func (o *offer) bringEntry(ctx context.Context, e site.Entry) (store.ID, error) {
	limit := int64(entryLimit)
	if e.Kind == site.Document {
		limit = min(documentLimit, o.total.limits.Object)
	}
	d, err := o.client.download(ctx, o.order(e.URL, e.Digest, limit))
	if err != nil {
		return store.ID{}, err
	}
	defer d.Close()
	if err := d.check(fmt.Sprintf("%q of %s", e.Name, web.HostOf(e.URL)), web.HostOf(e.URL), e.Digest, "the index of the site"); err != nil {
		return store.ID{}, err
	}
	if e.Kind == site.Archive {
		return o.unpackEntry(ctx, d)
	}
	w, err := o.repo.NewWriter(ctx, o.total.limits)
	if err != nil {
		return store.ID{}, err
	}
	defer w.Abort()
	if err := o.add(w, "SKILL.md", d.size, d, nil); err != nil {
		return store.ID{}, err
	}
	root, _, err := w.Finish()
	return root, err
}

// unpackEntry reads the archive of an entry. There should be no directory around the skill; where there is one all the same, it is
// taken off.
func (o *offer) unpackEntry(ctx context.Context, d *download) (store.ID, error) {
	limits := o.total.limits
	limits.Unpacked, limits.Objects = min(limits.Unpacked, unpackedLimit), min(limits.Objects, entryFiles)
	root, _, err := unpack(ctx, o.repo, d.file, limits, archive.Options{ContentType: d.contentType, Name: path.Base(d.address)}, o.total)
	if err != nil {
		return root, err
	}
	entries, err := o.repo.Tree(root)
	if err == nil && len(entries) == 1 && entries[0].Mode == store.ModeTree {
		return entries[0].ID, nil
	}
	return root, err
}

// bringFiles brings the SKILL.md of an entry that lists its files, or all of them. A file that is listed and cannot be had fails
// the entry.
func (o *offer) bringFiles(ctx context.Context, e site.Entry, whole bool) result {
	r := result{entry: e, whole: whole}
	fact := "files " + e.Name
	if o.client.config.Offline {
		r.whole = true
		if r.root, r.err = store.ParseID(o.facts[fact]); r.err != nil || !o.repo.Complete(r.root) {
			r.err = errOffline
			return r
		}
		r.node, r.err = o.listed(e.Name, r.root)
		return r
	}
	names := []string{"SKILL.md"}
	if whole {
		names, r.fact = e.Files, fact
	}
	var ids map[string]store.ID
	if r.root, ids, r.err = o.getAll(ctx, e, names); r.err != nil {
		return r
	}
	if whole {
		r.node, r.err = o.listed(e.Name, r.root)
		return r
	}
	r.node = o.placeholder(e)
	for name, id := range ids {
		r.node.find(name).id = id
	}
	return r
}

// getAll gets files of an entry, eight at a time, and puts each into the store as it comes; one that is here is not asked for again.
func (o *offer) getAll(ctx context.Context, e site.Entry, names []string) (root store.ID, ids map[string]store.ID, err error) {
	if limit := o.total.limits.Objects; len(names) > limit {
		return root, nil, &store.LimitError{What: "objects", Limit: int64(limit)}
	}
	w, err := o.repo.NewWriter(ctx, o.total.limits)
	if err != nil {
		return root, nil, err
	}
	defer w.Abort()
	ids = map[string]store.ID{}
	var mutex sync.Mutex
	left := int64(entryLimit)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, name := range names {
		group.Go(func() error {
			in, size, err := o.getFile(ctx, e, name)
			if err != nil {
				return err
			}
			defer in.Close()
			mutex.Lock()
			defer mutex.Unlock()
			if left -= size; left < 0 {
				return &Error{Kind: TooLarge, Host: web.HostOf(e.URL), Message: fmt.Sprintf("its files are larger than %d bytes", entryLimit)}
			}
			return o.add(w, name, size, in, ids)
		})
	}
	if err := group.Wait(); err != nil {
		return root, nil, err
	}
	root, _, err = w.Finish()
	return root, ids, err
}

// add puts one file into the store, and takes down its id.
func (o *offer) add(w *store.Writer, name string, size int64, in io.Reader, ids map[string]store.ID) error {
	if err := o.total.file(size); err != nil {
		return err
	}
	id, err := w.File(name, store.ModeFile, size, in)
	if ids != nil {
		ids[name] = id
	}
	return err
}

// getFile gets one file and its size, from the store or from the site. A page in the place of another file is none.
func (o *offer) getFile(ctx context.Context, e site.Entry, name string) (io.ReadCloser, int64, error) {
	if in, err := o.files.now.Load().view.Open(e.Name + "/" + name); err == nil {
		info, err := in.Stat()
		return in, info.Size(), err
	} else if !errors.Is(err, ErrNotLoaded) {
		return nil, 0, err
	}
	limit := int64(listedLimit)
	if name == "SKILL.md" {
		limit = documentLimit
	}
	address := e.FileURL(name)
	d, err := o.client.download(ctx, o.order(address, "", min(limit, o.total.limits.Object)))
	if err != nil {
		return nil, 0, problem(address, web.HostOf(address), err)
	}
	if ext := path.Ext(name); archive.IsHTML(d.head()) && ext != ".html" && ext != ".htm" {
		d.done()
		return nil, 0, &Error{Kind: WrongContent, Host: web.HostOf(address), Message: address + " is a web page, not the file that the index lists"}
	}
	return d, d.size, nil
}
