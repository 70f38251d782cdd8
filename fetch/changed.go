package fetch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skills/fetch/store"
	"skills/source"
)

// FetchTrees brings directories that a lock knows by their ids, which are given by path; what is in the store costs no request.
//
// Of a repository these are git tree ids. All come in one request, and the tree shows exactly those directories. Where the server
// does not give trees by id, or has one no longer, the commit of l.Ref is fetched instead, if it is a full commit id, and
// must have the same trees.
//
// Of other sources they are digests of artifacts, or, where there is none, git tree ids (those of [Tree.FS]) by which the store knows what was
// there; what it has no more comes as it is now, for the caller to compare. The tree shows all of an artifact, of a site the directories that
// were asked for. What has another digest now is an *Error with code integrity; of several directories of a site, or of several states of an
// archive, each has its own error, which is that of its files.
func (c *Client) FetchTrees(ctx context.Context, l source.Locator, trees map[string]string) (tree *Tree, err error) {
	defer caused(ctx, &err)
	if l.Kind != source.Git {
		return c.fetchDigests(ctx, l, trees)
	}
	s, err := c.session(ctx, l)
	if err != nil {
		return nil, err
	}
	rev := source.Revision{Locator: l}
	if isCommit(l.Ref) {
		rev.Commit = l.Ref
	}
	if err := s.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Give()
	ids, err := parseIDs(trees)
	if err != nil {
		return nil, err
	}
	if err := s.bringTrees(ctx, rev, ids); err != nil {
		return nil, problem(s.name, s.host.Name, err)
	}
	root, err := newLister(s.store, c.config.Limits).assemble(ids)
	if err != nil {
		return nil, err
	}
	return s.tree(rev, root), nil
}

func parseIDs(trees map[string]string) (map[string]store.ID, error) {
	ids := map[string]store.ID{}
	for at, text := range trees {
		id, err := store.ParseID(text)
		if err != nil {
			return nil, &Error{Kind: NotFound, Message: fmt.Sprintf("the tree of %q: %v", at, err), Err: err}
		}
		ids[at] = id
	}
	return ids, nil
}

// incomplete lists the paths whose trees are not here whole, sorted.
func (s *session) incomplete(ids map[string]store.ID) []string {
	var paths []string
	for at, id := range ids {
		if !s.store.Complete(id) {
			paths = append(paths, at)
		}
	}
	slices.Sort(paths)
	return paths
}

func (s *session) bringTrees(ctx context.Context, rev source.Revision, ids map[string]store.ID) error {
	paths := s.incomplete(ids)
	if len(paths) == 0 {
		return nil
	}
	if s.client.config.Offline {
		return &Error{Kind: Offline, Host: s.host.Name, Hint: "run it once without --offline",
			Message: fmt.Sprintf("%q of %s is not in the store", paths[0], s.name)}
	}
	err := s.byID(ctx, wants(ids, paths))
	if err != nil && !passable(err) {
		return err
	}
	if err == nil && len(s.incomplete(ids)) == 0 {
		return nil
	}
	if rev.Commit == "" {
		return s.goneTree(ids, err)
	}
	return s.bringByCommit(ctx, rev, ids)
}

func wants(ids map[string]store.ID, paths []string) []string {
	var wants []string
	for _, at := range paths {
		wants = append(wants, ids[at].String())
	}
	slices.Sort(wants)
	return slices.Compact(wants)
}

func (s *session) goneTree(ids map[string]store.ID, err error) error {
	at := s.incomplete(ids)[0]
	return &Error{Kind: NotFound, Host: s.host.Name, Err: err,
		Message: fmt.Sprintf("%s does not give the tree %.12s that is locked for %q", s.name, ids[at], at),
		Hint:    "it may have been removed from the repository: update the skill"}
}

// bringByCommit brings the directories out of the commit, which must hold the same trees.
func (s *session) bringByCommit(ctx context.Context, rev source.Revision, ids map[string]store.ID) error {
	commit, err := store.ParseID(rev.Commit)
	if err != nil {
		return err
	}
	root, err := s.list(ctx, rev, commit, "")
	if err != nil {
		return err
	}
	var chosen []*node
	for _, at := range s.incomplete(ids) {
		n := root.find(at)
		if n == nil || n.id != ids[at] {
			return s.goneTree(ids, nil)
		}
		chosen = append(chosen, n)
	}
	return s.bring(ctx, &view{root: root, repo: s.store}, rev, chosen)
}

// assemble lists trees at their paths.
func (l *lister) assemble(ids map[string]store.ID) (*node, error) {
	root := &node{mode: store.ModeTree, partial: true}
	for at, id := range ids {
		n := root
		for _, part := range split(at) {
			n = n.directory(part)
		}
		n.id = id
		if err := l.fill(n, len(split(at))); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// directory returns the directory of that name, made where it is missing.
func (n *node) directory(name string) *node {
	if found := child(n.children, name); found != nil {
		return found
	}
	made := &node{name: name, mode: store.ModeTree, partial: true}
	i, _ := slices.BinarySearchFunc(n.children, made, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	n.children = slices.Insert(n.children, i, made)
	return made
}

// Changed asks what a revision's locator names now, and which directories are different there: by path the new tree id, ""
// where the directory is gone; paths holds those known. One request when nothing moved, one more when something did, and no
// content. A locator that names a commit cannot have changed.
func (c *Client) Changed(ctx context.Context, rev source.Revision, paths map[string]string) (newest source.Revision, changed map[string]string, err error) {
	defer caused(ctx, &err)
	if rev.Locator.Kind != source.Git {
		return rev, nil, unsupported(rev.Locator)
	}
	newest, err = c.Resolve(ctx, rev.Locator)
	if err != nil || newest.Commit == rev.Commit && rev.Commit != "" {
		newest.Tree = rev.Tree
		return newest, nil, err
	}
	now, err := c.treesNow(ctx, &newest, paths)
	if err != nil {
		return newest, nil, err
	}
	changed = map[string]string{}
	for at, known := range paths {
		if now[at] != known {
			changed[at] = now[at]
		}
	}
	return newest, changed, nil
}

// treesNow finds the tree ids of paths at a revision that was resolved, whose commit and root it fills in.
func (c *Client) treesNow(ctx context.Context, rev *source.Revision, paths map[string]string) (map[string]string, error) {
	s, err := c.session(ctx, rev.Locator)
	if err != nil {
		return nil, err
	}
	if rev.Commit == "" { // its archive says what the host does not show
		tree, err := c.Fetch(ctx, *rev)
		if err != nil {
			return nil, err
		}
		rev.Commit, rev.Tree = tree.Revision().Commit, tree.Revision().Tree
		root, err := store.ParseID(rev.Tree)
		if err != nil {
			return nil, err
		}
		return s.treesBelow(root, paths)
	}
	if err := s.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Give()
	ids, err := s.treesAt(ctx, rev, paths)
	return ids, problem(s.name, s.host.Name, err)
}

// treesAt finds the tree ids of paths at a revision, whose root it fills in.
func (s *session) treesAt(ctx context.Context, rev *source.Revision, paths map[string]string) (map[string]string, error) {
	commit, err := store.ParseID(rev.Commit)
	if err != nil {
		return nil, err
	}
	depth := 0
	for at := range paths {
		depth = max(depth, len(split(at)))
	}
	ids, err := s.storedTrees(commit, paths)
	if absent(err) {
		if s.client.config.Offline {
			return nil, errOffline
		}
		if err := s.bringCommit(ctx, *rev, depth, true); err != nil {
			return nil, err
		}
		ids, err = s.storedTrees(commit, paths)
	}
	if err == nil {
		root, _ := s.store.Commit(commit)
		rev.Tree = root.String()
	}
	return ids, err
}

// storedTrees finds the ids of directories of a commit in the store.
func (s *session) storedTrees(commit store.ID, paths map[string]string) (map[string]string, error) {
	root, err := s.store.Commit(commit)
	if err != nil {
		return nil, err
	}
	return s.treesBelow(root, paths)
}

// treesBelow finds the ids of directories in the store; it needs only the trees above them.
func (s *session) treesBelow(root store.ID, paths map[string]string) (map[string]string, error) {
	l := newLister(s.store, s.client.config.Limits)
	ids := map[string]string{}
	for at := range paths {
		id, found := root, true
		for _, part := range split(at) {
			children, err := l.entries(id)
			if err != nil {
				return nil, err
			}
			n := child(children, part)
			if found = n != nil && n.mode == store.ModeTree; !found {
				break
			}
			id = n.id
		}
		if found {
			ids[at] = id.String()
		}
	}
	return ids, nil
}
