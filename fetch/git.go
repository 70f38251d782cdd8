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
	s, err := c.session(rev.Locator)
	if err != nil {
		return nil, err
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if rev.Commit == "" {
		return nil, &Error{Code: Failed, Host: s.host.Name, Message: s.name + " has no commit to fetch"}
	}
	commit, err := store.ParseID(rev.Commit)
	if err != nil {
		return nil, &Error{Code: Unsupported, Host: s.host.Name, Message: fmt.Sprintf("%s: commit %.12s… is SHA-256", s.name, rev.Commit)}
	}
	root, err := s.list(ctx, commit, rev.Locator.Path)
	if err != nil {
		return nil, problem(s.name, s.host.Name, err)
	}
	rev.Tree = root.id.String()
	return s.tree(rev, root), nil
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
func (s *session) list(ctx context.Context, commit store.ID, below string) (*node, error) {
	root, err := s.listStored(commit, below)
	if !absent(err) {
		return root, err
	}
	if s.client.config.Offline {
		return nil, &Error{Code: Offline, Host: s.host.Name, Message: fmt.Sprintf("commit %.12s of %s is not in the store", commit, s.name),
			Hint: "run it once without --offline", Err: err}
	}
	if err := s.bringCommit(ctx, commit, len(split(below))); err != nil {
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

// bringCommit brings a commit and its trees, by the narrowest filter that the server takes: depth is that of the path which
// matters, 0 for all.
func (s *session) bringCommit(ctx context.Context, commit store.ID, depth int) (err error) {
	for _, filter := range s.filters(depth) {
		if err = s.transfer(ctx, filter, commit.String()); err == nil {
			s.accepted(filter)
			return nil
		}
		var refused *gitwire.RefusedError
		if !errors.As(err, &refused) || refused.MissingObject() {
			return err
		}
		if able, unable := s.remote.Capabilities(ctx); unable != nil {
			return unable
		} else if !able.Filter {
			s.learn(factFilter, false)
		}
		if strings.HasPrefix(filter, "combine:") {
			s.learn(factCombine, false)
		}
	}
	return err
}

// filters are those to try, in order. Version 2 does not say which kinds a server takes, so "combine" is tried first only where
// it is known, or usual, to be taken.
func (s *session) filters(depth int) []string {
	var filters []string
	usual := s.host.Kind == source.GitLab || s.host.Kind == source.Gitea
	if known := s.fact(factCombine); depth > 0 && (known == yes || known == unknown && usual) {
		filters = append(filters, fmt.Sprintf("combine:blob:none+tree:%d", depth+1))
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
	case filter != "":
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
