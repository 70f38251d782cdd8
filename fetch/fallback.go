package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// bringArchive brings a commit as an archive, whose trees get the ids that they have in git unless attributes changed a file.
// It is for where git is refused, and for where it is quicker.
func (s *session) bringArchive(ctx context.Context, rev source.Revision) error {
	root, _, err := s.archive(ctx, rev.Locator, rev.Commit)
	if err != nil {
		return err
	}
	commit, err := store.ParseID(rev.Commit)
	if err != nil {
		return err
	}
	if known, err := s.store.Commit(commit); err == nil && known == root {
		return nil
	}
	return s.store.SetRoot(commit, root) // what git says, once it is here, goes first
}

// archive downloads the archive of a ref or commit, and gives its root tree and the commit that it names.
func (s *session) archive(ctx context.Context, l source.Locator, ref string) (root store.ID, commit string, err error) {
	if ref == "" {
		ref = "HEAD"
	}
	address := s.host.ArchiveURL(l, ref)
	if address == "" || s.server != "" { // who names ssh wants no other way
		return root, "", errNoWay
	}
	if root, commit, err = s.download(ctx, address, ref); broken(err) {
		root, commit, err = s.download(ctx, address, ref)
	}
	var failure *web.Error
	var damaged *archive.Error
	if broken(err) || errors.As(err, &failure) && failure.Kind == web.Status || errors.As(err, &damaged) {
		err = fmt.Errorf("%w: %w", errNoWay, err)
	}
	return root, commit, err
}

func (s *session) download(ctx context.Context, address, ref string) (store.ID, string, error) {
	limits := s.client.config.Limits
	resp, err := s.client.web.Get(ctx, address, web.Options{Limit: limits.OrDefault().Bytes})
	if err != nil {
		return store.ID{}, "", err
	}
	defer resp.Body.Close()
	root, info, err := unpack(ctx, s.store, resp.Body, limits, archive.Options{Strip: true, ContentType: resp.Header.Get("Content-Type")}, nil)
	if err == nil && info.Commit != "" && isCommit(ref) && info.Commit != ref {
		err = fmt.Errorf("%w: the archive of commit %.12s is that of %.12s", errNoWay, ref, info.Commit)
	}
	return root, info.Commit, err
}

// fetchUnverified fetches a ref from a host that does not show its refs: the archive of that name says which commit it is.
func (s *session) fetchUnverified(ctx context.Context, rev source.Revision) (*Tree, error) {
	if s.client.config.Offline {
		return nil, s.offline(errOffline, fmt.Sprintf("what %s is in %s", refName(rev.Locator), s.name))
	}
	id, commit, err := s.archive(ctx, rev.Locator, rev.Locator.Ref)
	if err != nil {
		return nil, problem(s.name, s.host.Name, s.orLimit(ctx, err))
	}
	if rev.Commit = commit; commit != "" {
		known, err := store.ParseID(commit)
		if err == nil {
			err = s.store.SetRoot(known, id)
		}
		if err != nil {
			return nil, err
		}
	}
	root, err := newLister(s.store, s.client.config.Limits).listing(id, rev.Locator.Path)
	if err != nil {
		return nil, s.named(err)
	}
	rev.Tree = id.String()
	return s.tree(rev, root), nil
}

// orLimit gives, in place of the error of an archive, the limit of requests for which its refs were not shown, where they still are not:
// what the archive says then, such as that there is nothing, may be no more than that.
func (s *session) orLimit(ctx context.Context, archive error) error {
	_, err := s.refs(ctx, "HEAD")
	var failure *web.Error
	if errors.As(err, &failure) && failure.Kind == web.RateLimited {
		return err
	}
	return archive
}

// bringClone brings a commit with all that is in it: in the old versions of the protocol, or by the system's git.
func (s *session) bringClone(ctx context.Context, rev source.Revision) error {
	commit, err := store.ParseID(rev.Commit)
	if err != nil {
		return err
	}
	sink := func(pack io.Reader) error {
		_, err := s.store.AddPack(ctx, pack, s.client.config.Limits)
		return err
	}
	switch {
	case s.byGit.Load():
		err = s.system.Fetch(ctx, rev.Commit, rev.Ref, sink)
	case s.fact(factV2) == no:
		err = s.old.Fetch(ctx, rev.Commit, rev.Ref, sink)
	default:
		return errNoWay // what version 2 does not give, older ones do not give either
	}
	if err == nil && !s.store.Has(commit) {
		err = &gitclone.Error{Code: gitclone.NotFound, Text: fmt.Sprintf("%s did not come with %s", rev.Commit, rev.Ref)}
	}
	return err
}
