package fetch

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"skills/fetch/store"
	"skills/source/names"
)

// node is one entry of a listing.
type node struct {
	name     string
	mode     store.Mode
	id       store.ID
	partial  bool    // a directory of which only some entries are listed
	children []*node // sorted by name
}

// missingTree says which tree of a listing is not in the store.
type missingTree struct{ id store.ID }

// Error names the tree.
func (e *missingTree) Error() string { return "tree " + e.id.String() + " is not in the store" }

// lister reads trees into nodes.
type lister struct {
	repo    *store.Repository
	limits  Limits
	entered int // entries so far
}

func newLister(repo *store.Repository, limits Limits) *lister {
	return &lister{repo: repo, limits: limits.OrDefault()}
}

// entries lists one tree.
func (l *lister) entries(id store.ID) ([]*node, error) {
	entries, err := l.repo.Tree(id)
	if errors.Is(err, store.ErrMissing) {
		return nil, &missingTree{id}
	}
	if err != nil {
		return nil, err
	}
	if l.entered += len(entries); l.entered > l.limits.Objects { // one tree may be named a million times
		return nil, &store.LimitError{What: "objects", Limit: int64(l.limits.Objects)}
	}
	nodes := make([]*node, len(entries))
	for i, e := range entries {
		nodes[i] = &node{name: e.Name, mode: e.Mode, id: e.ID}
	}
	slices.SortFunc(nodes, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return nodes, nil
}

// fill lists everything below a directory that is so many levels deep.
func (l *lister) fill(n *node, depth int) error {
	children, err := l.entries(n.id)
	if err != nil {
		return err
	}
	if depth >= l.limits.Depth && len(children) > 0 {
		return &store.LimitError{What: "levels of directories", Limit: int64(l.limits.Depth)}
	}
	n.children, n.partial = children, false
	for _, child := range children {
		if child.mode != store.ModeTree {
			continue
		}
		if err := l.fill(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// listing lists what is below a path of a root tree; directories on the way show nothing else.
func (l *lister) listing(root store.ID, below string) (*node, error) {
	top := &node{mode: store.ModeTree, id: root}
	at := top
	for i, part := range split(below) {
		children, err := l.entries(at.id)
		if err != nil {
			return nil, err
		}
		next := child(children, part)
		if next == nil || next.mode != store.ModeTree {
			return nil, l.noSuchPath(root, below, i, next, children)
		}
		at.partial, at.children = true, []*node{next}
		at = next
	}
	return top, l.fill(at, len(split(below)))
}

// noSuchPath says where a path ends, and which directories may be meant: one of a near name beside it, or one of the same name
// elsewhere, for skills move.
func (l *lister) noSuchPath(root store.ID, below string, depth int, found *node, siblings []*node) error {
	there := path.Join(split(below)[:depth+1]...)
	if found != nil {
		return &Error{Kind: NotFound, Message: fmt.Sprintf("%q is %s, not a directory", there, kindName(found.mode)), Hint: l.meant(there, found)}
	}
	var known []string
	for _, n := range siblings {
		if n.mode == store.ModeTree {
			known = append(known, n.name)
		}
	}
	e := &Error{Kind: NotFound, Message: fmt.Sprintf("there is no directory %q", there)}
	close := names.Near(path.Base(there), known, 3)
	for i := range close {
		close[i] = path.Join(path.Dir(there), close[i])
	}
	if len(close) == 0 {
		close = l.elsewhere(root, path.Base(below))
	}
	if len(close) > 0 {
		e.Hint = "did you mean " + strings.Join(close, " or ") + "?"
	}
	return e
}

// meant says what to name in place of what is no directory. Where a link leads is known when it is in the store.
func (l *lister) meant(there string, found *node) string {
	switch found.mode {
	case store.ModeSubmodule:
		return "a submodule is a repository of its own: name that"
	case store.ModeLink:
		if target := l.target(found.id); target != "" && !path.IsAbs(target) {
			return fmt.Sprintf("it leads to %q: name that", path.Join(path.Dir(there), target))
		}
		return "name the directory that it leads to, which the page of the repository shows"
	}
	return fmt.Sprintf("name the directory that holds it: %q", path.Dir(there))
}

// target is where a link leads, "" when that is not here.
func (l *lister) target(id store.ID) string {
	r, err := l.repo.Open(id)
	if err != nil {
		return ""
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, 4096))
	if err != nil {
		return ""
	}
	return string(text)
}

// elsewhere finds at most three directories of a name, where all trees are here.
func (l *lister) elsewhere(root store.ID, name string) (found []string) {
	top := &node{id: root}
	if l.fill(top, 0) != nil {
		return nil
	}
	var walk func(n *node, at string)
	walk = func(n *node, at string) {
		for _, c := range n.children {
			if c.mode == store.ModeTree && c.name == name && len(found) < 3 {
				found = append(found, path.Join(at, c.name))
			}
			walk(c, path.Join(at, c.name))
		}
	}
	walk(top, "")
	return found
}

func kindName(mode store.Mode) string {
	switch mode {
	case store.ModeLink:
		return "a link"
	case store.ModeSubmodule:
		return "a submodule"
	}
	return "a file"
}

func split(name string) []string {
	if name == "" || name == "." {
		return nil
	}
	return strings.Split(name, "/")
}

func child(sorted []*node, name string) *node {
	i, ok := slices.BinarySearchFunc(sorted, name, func(n *node, name string) int { return strings.Compare(n.name, name) })
	if !ok {
		return nil
	}
	return sorted[i]
}

// find returns the entry of a path, nil when it is not listed.
func (n *node) find(name string) *node {
	for _, part := range split(name) {
		if n = child(n.children, part); n == nil {
			return nil
		}
	}
	return n
}

// files counts files and links, not directories and submodules.
func (n *node) files() int {
	switch n.mode {
	case store.ModeTree:
		sum := 0
		for _, c := range n.children {
			sum += c.files()
		}
		return sum
	case store.ModeSubmodule:
		return 0
	}
	return 1
}
