package fetch

import (
	"errors"
	"io/fs"
	"path"
	"sync/atomic"

	"skills/fetch/store"
)

// growing is a file system whose directories at the top are brought one by one. What is seen of it at one moment is whole; a
// directory that could not be brought says why when one of its files is opened.
type growing struct{ now atomic.Pointer[shelf] }

// shelf is what a growing file system is at one moment.
type shelf struct {
	*view
	failed map[string]error // by the path of the directory
}

func newGrowing(repo *store.Repository, top []*node) *growing {
	g := &growing{}
	g.now.Store(&shelf{view: &view{root: &node{mode: store.ModeTree, children: top}, repo: repo}})
	return g
}

// take puts directories in the place of those of their names, and takes in why others failed.
func (g *growing) take(brought []*node, failed map[string]error) {
	old := g.now.Load()
	root := &node{mode: store.ModeTree}
	for _, n := range old.root.children {
		if found := child(brought, n.name); found != nil {
			n = found
		}
		root.children = append(root.children, n)
	}
	all := map[string]error{}
	for _, failures := range []map[string]error{old.failed, failed} {
		for name, err := range failures {
			all[name] = err
		}
	}
	g.now.Store(&shelf{view: &view{root: root, repo: old.repo}, failed: all})
}

// explain replaces the error of a file that is not here by the reason.
func (g *growing) explain(err error, name string) error {
	if !errors.Is(err, ErrNotLoaded) {
		return err
	}
	if reason := nearest(g.now.Load().failed, name); reason != nil {
		return reason
	}
	return err
}

// failure is the error when nothing of what was asked for is here.
func (g *growing) failure(paths []string) (first error) {
	failed := g.now.Load().failed
	for _, p := range paths {
		err := nearest(failed, p)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// nearest is what a map has for a path, or for the nearest directory that it lies in; the zero value for none. "." is around all.
func nearest[V any](all map[string]V, name string) V {
	for at := path.Clean(name); ; at = path.Dir(at) {
		if found, ok := all[at]; ok || at == "." {
			return found
		}
	}
}

// Open is that of [fs.FS].
func (g *growing) Open(name string) (fs.File, error) {
	f, err := g.now.Load().Open(name)
	return f, g.explain(err, name)
}

// ReadDir is that of [fs.ReadDirFS].
func (g *growing) ReadDir(name string) ([]fs.DirEntry, error) { return g.now.Load().ReadDir(name) }

// Stat is that of [fs.StatFS].
func (g *growing) Stat(name string) (fs.FileInfo, error) { return g.now.Load().Stat(name) }

// Lstat is that of [fs.ReadLinkFS].
func (g *growing) Lstat(name string) (fs.FileInfo, error) { return g.now.Load().Lstat(name) }

// ReadLink is that of [fs.ReadLinkFS].
func (g *growing) ReadLink(name string) (string, error) {
	text, err := g.now.Load().ReadLink(name)
	return text, g.explain(err, name)
}

// ObjectID gives the git id of a file or directory that was brought.
func (g *growing) ObjectID(name string) (id string, ok bool) { return g.now.Load().ObjectID(name) }
