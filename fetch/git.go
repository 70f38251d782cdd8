package fetch

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"skills/fetch/internal/gitwire"
	"skills/fetch/store"
	"skills/source"
)

// fetchGit lists a commit below the locator's path.
func (c *Client) fetchGit(ctx context.Context, rev source.Revision) (*Tree, error) {
	s, err := c.session(ctx, rev.Locator)
	if err != nil {
		return nil, err
	}
	if err := s.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Give()
	if rev.Commit == "" {
		return s.fetchUnverified(ctx, rev)
	}
	commit, err := store.ParseID(rev.Commit)
	if err != nil {
		return nil, &Error{Kind: Unsupported, Host: s.host.Name, Message: fmt.Sprintf("%s: commit %.12s… is SHA-256", s.name, rev.Commit)}
	}
	root, err := s.list(ctx, rev, commit, rev.Locator.Path)
	if err != nil {
		return nil, s.named(problem(s.name, s.host.Name, err))
	}
	rev.Tree = root.id.String()
	return s.tree(rev, root), nil
}

// named says in which repository something is not.
func (s *session) named(err error) error {
	if e, ok := err.(*Error); ok && e.Host == "" {
		e.Host, e.Message = s.host.Name, s.name+": "+e.Message
	}
	return err
}

// tree makes the view of a listing.
func (s *session) tree(rev source.Revision, root *node) *Tree {
	v := &view{root: root, repo: s.store}
	return &Tree{revision: rev, files: v, load: func(ctx context.Context, paths []string) error {
		return s.load(ctx, v, rev, paths)
	}}
}

// list lists a commit from the store, or brings what the listing lacks: first the commit with its trees, then, where only the
// trees on the path came, those below it.
func (s *session) list(ctx context.Context, rev source.Revision, commit store.ID, below string) (*node, error) {
	root, err := s.listStored(commit, below)
	if absent(err) && s.store.Reload() == nil { // another process may have been quicker
		root, err = s.listStored(commit, below)
	}
	if !absent(err) {
		return root, err
	}
	if s.client.config.Offline {
		return nil, &Error{Kind: Offline, Host: s.host.Name, Message: fmt.Sprintf("commit %.12s of %s is not in the store", commit, s.name),
			Hint: "run it once without --offline", Err: err}
	}
	levels := allTrees
	if depth := len(split(below)); depth > 0 {
		levels = depth + 1 // that of the path itself, too
	}
	if err := s.bringCommit(ctx, rev, levels, false); err != nil {
		return nil, err
	}
	root, err = s.listStored(commit, below)
	if !absent(err) {
		return root, err
	}
	if err := s.bringBelow(ctx, commit, below); err != nil {
		return nil, err
	}
	return s.listStored(commit, below)
}

func absent(err error) bool {
	var tree *missingTree
	return errors.Is(err, store.ErrMissing) || errors.As(err, &tree)
}

func (s *session) listStored(commit store.ID, below string) (*node, error) {
	root, err := s.store.Commit(commit)
	if err != nil {
		return nil, err
	}
	return newLister(s.store, s.client.config.Limits).listing(root, below)
}

// Levels of trees that are no number: all of them without contents, or everything.
const (
	allTrees   = -1
	everything = -2
)

// bringCommit brings a commit with so many levels of its trees, at least, by protocol version 2 or else by the ways that bring
// everything.
func (s *session) bringCommit(ctx context.Context, rev source.Revision, levels int, probe bool) error {
	if s.byGit.Load() {
		return s.bringClone(ctx, rev)
	}
	err := s.filtered(ctx, rev.Commit, levels, probe)
	for _, way := range []func(context.Context, source.Revision) error{s.bringClone, s.bringArchive} {
		if err == nil || !passable(err) {
			return err
		}
		if other := way(ctx, rev); other == nil || !passable(other) {
			return other
		}
	}
	return err
}

// filtered asks for a commit by the narrowest filter that the server takes. Version 2 does not say which filters those are;
// probe asks for one that it may refuse.
func (s *session) filtered(ctx context.Context, commit string, levels int, probe bool) (err error) {
	if s.fact(factV2) == no {
		return gitwire.ErrOldProtocol
	}
	for _, filter := range s.filters(levels, probe) {
		if err = s.transfer(ctx, filter, commit); err == nil {
			s.accepted(filter)
			return nil
		}
		var refused *gitwire.RefusedError
		if !errors.As(err, &refused) || isMissing(err) {
			return err
		}
		if strings.HasPrefix(filter, "combine:") {
			s.learn(factCombine, false)
			continue
		}
		able, unable := s.remote.Capabilities(ctx)
		if errors.Is(unable, gitwire.ErrOldProtocol) {
			s.outdated()
		}
		if unable != nil {
			return unable
		} else if !able.Filter {
			s.learn(factFilter, false)
		}
	}
	return err
}

// filters are those to try, in order: that for few levels only where it is known, or usual, to be taken.
func (s *session) filters(levels int, probe bool) []string {
	if levels == everything {
		return []string{""}
	}
	var filters []string
	if levels == 0 {
		filters = append(filters, "tree:0")
	}
	likely := (probe || s.host.Kind == source.GitLab || s.host.Kind == source.Gitea) && s.server == "" // where a refusal costs a connection
	if known := s.fact(factCombine); levels > 0 && (known == yes || known == unknown && likely) && s.fact(factFilter) != no {
		filters = append(filters, fmt.Sprintf("combine:blob:none+tree:%d", levels))
	}
	if s.fact(factFilter) != no {
		filters = append(filters, "blob:none")
	}
	return append(filters, "")
}

func (s *session) accepted(filter string) {
	switch {
	case strings.HasPrefix(filter, "combine:"):
		s.learn(factCombine, true)
	case filter == "blob:none":
		s.learn(factFilter, true)
	}
}

// bringBelow brings what is below a path whose own tree is here: all of it when it is a skill, which will be wanted whole,
// else the listing.
func (s *session) bringBelow(ctx context.Context, commit store.ID, below string) error {
	id, err := s.store.Commit(commit)
	if err != nil {
		return err
	}
	l := newLister(s.store, s.client.config.Limits)
	for _, part := range split(below) {
		children, err := l.entries(id)
		if err != nil {
			return err
		}
		id = child(children, part).id // the listing went this way before
	}
	filter := "blob:none"
	if children, err := l.entries(id); err == nil && hasManifest(children) {
		filter = ""
	}
	return s.transfer(ctx, filter, id.String())
}

func hasManifest(children []*node) bool {
	for _, c := range children {
		if isManifest(c.name) {
			return true
		}
	}
	return false
}

func isManifest(name string) bool { return strings.EqualFold(path.Base(name), "SKILL.md") }
