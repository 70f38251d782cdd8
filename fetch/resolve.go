package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/web"
	"skills/source"
)

// Resolve says what a locator is now: for git the commit that its ref names, by one request that lists the refs which matter;
// a full commit id needs none. A selector that may be a ref (Locator.SkillOrRef) stays with the caller: the default branch is
// resolved. Sources without revisions are what they are.
//
// A Site is asked what it is, as a repository, by its index, and as an archive or file; the revision's locator has the kind that it is,
// and the error of an address that is nothing lists what was tried. Of a package the version is found in its registry: the revision
// has it as Ref, and the address of the tarball in its locator.
//
// A host that does not show its refs, or not now, since it limits requests, but has archives gives a revision without a commit, and the
// note "ref_unverified", which says why; what the archive then names is in [Tree.Revision]. Versions and commits in short need the refs:
// there that is the error.
func (c *Client) Resolve(ctx context.Context, l source.Locator) (rev source.Revision, err error) {
	defer caused(ctx, &err)
	defer signed(l, &err)
	if l.Kind == source.Site {
		return c.resolveSite(ctx, l)
	}
	if l.Kind == source.NPM {
		return c.resolvePackage(ctx, l, newPackages())
	}
	if l.Kind != source.Git {
		l.SkillOrRef = false
		return source.Revision{Locator: l}, nil
	}
	if isCommit(l.Ref) {
		l.RefKind, l.Ambiguous, l.SkillOrRef = source.CommitRef, false, false
		l.Ref = strings.ToLower(l.Ref)
		return source.Revision{Locator: l, Commit: l.Ref}, nil
	}
	s, err := c.session(ctx, l)
	if err != nil {
		return source.Revision{}, err
	}
	return s.resolve(ctx, l, s.refs)
}

func isCommit(ref string) bool { return (len(ref) == 40 || len(ref) == 64) && isHex(ref) }

func isHex(text string) bool { return strings.Trim(strings.ToLower(text), "0123456789abcdef") == "" }

// listing lists the refs of a repository: those with one of the prefixes, at least.
type listing func(ctx context.Context, prefixes ...string) ([]gitwire.Ref, error)

func (s *session) resolve(ctx context.Context, l source.Locator, list listing) (source.Revision, error) {
	prefixes := l.RefPrefixes()
	if len(prefixes) == 0 { // a commit: no ref has its name
		return s.abbreviated(ctx, l)
	}
	refs, err := list(ctx, prefixes...)
	if err != nil && refusesListing(err) && !source.IsRange(l.Ref) && s.host.ArchiveURL(l, l.Ref) != "" {
		return unverified(l, err), nil
	}
	if err != nil {
		return source.Revision{}, s.offline(err, fmt.Sprintf("what %s is in %s", refName(l), s.name))
	}
	settled, err := l.Settle(refNames(refs))
	if err != nil {
		return source.Revision{}, s.suggest(ctx, l, err)
	}
	if settled.RefKind == source.CommitRef && settled.Ref != "" {
		return s.abbreviated(ctx, settled)
	}
	for _, name := range fullNames(settled, refs) {
		if rev, ok := revision(settled, name, refs); ok {
			return rev, nil
		}
	}
	return source.Revision{}, s.suggest(ctx, l, s.noRef(l))
}

func refName(l source.Locator) string {
	if l.Ref == "" {
		return "the default branch"
	}
	return fmt.Sprintf("%q", l.Ref)
}

func (s *session) noRef(l source.Locator) error {
	return &Error{Kind: NotFound, Host: s.host.Name, Message: fmt.Sprintf("%s has no commit for %s", s.name, refName(l)),
		Hint: "name a branch or tag, if there is one"}
}

// revision is the commit that a ref names.
func revision(l source.Locator, name string, refs []gitwire.Ref) (source.Revision, bool) {
	for _, ref := range refs {
		if ref.Name != name || ref.ID == "" {
			continue
		}
		if ref.Target != "" {
			name = ref.Target
		}
		return source.Revision{Locator: l, Ref: name, Commit: ref.Commit()}, true
	}
	return source.Revision{}, false
}

func refNames(refs []gitwire.Ref) []string {
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = r.Name
	}
	return names
}

// fullNames are the refs that a settled locator may mean, in the order of preference: a branch goes before a tag.
func fullNames(l source.Locator, refs []gitwire.Ref) []string {
	branch, tag := "refs/heads/"+l.Ref, "refs/tags/"+l.Ref
	switch {
	case l.Ref == "" || l.Ref == "HEAD":
		return []string{"HEAD"}
	case source.IsRange(l.Ref):
		newest, _ := source.MatchTag(l.Ref, skillName(l), tags(refs))
		return []string{newest, "refs/tags/" + newest}
	case strings.HasPrefix(l.Ref, "refs/"):
		return []string{l.Ref}
	case l.RefKind == source.BranchRef:
		return []string{branch}
	case l.RefKind == source.TagRef:
		return []string{tag}
	}
	return []string{branch, tag}
}

// skillName is the skill whose own tags count for a range.
func skillName(l source.Locator) string {
	if l.Skill == "" && l.Path != "" {
		return l.Directory()
	}
	return l.Skill
}

func tags(refs []gitwire.Ref) []string {
	return slices.DeleteFunc(refNames(refs), func(name string) bool { return !strings.HasPrefix(name, "refs/tags/") })
}

// suggest lists all branches and tags, so that the error about a missing one can name those that are near.
func (s *session) suggest(ctx context.Context, l source.Locator, instead error) error {
	refs, err := s.refs(ctx, "refs/heads/", "refs/tags/")
	if err != nil {
		return instead
	}
	if len(refs) == 0 {
		return &Error{Kind: NotFound, Host: s.host.Name, Message: s.name + " is empty: it has no branch and no tag"}
	}
	if _, err := l.Settle(refNames(refs)); err != nil {
		return err
	}
	return instead
}

// refusesListing reports whether a host answers, but does not show its refs.
func refusesListing(err error) bool {
	var failure *web.Error
	if errors.As(err, &failure) {
		return failure.Kind == web.RateLimited || failure.Kind == web.Status && failure.Status == http.StatusForbidden
	}
	return errors.Is(err, gitwire.ErrNotGit)
}

// unverified takes the first part of a doubtful ref, as it stands in most addresses.
func unverified(l source.Locator, err error) source.Revision {
	l.Ambiguous, l.SkillOrRef = false, false
	why := "does not show its refs"
	if limit := (*web.Error)(nil); errors.As(err, &limit) && limit.Kind == web.RateLimited {
		why = "allows no more requests now"
	}
	l.Notes = append(slices.Clip(l.Notes), source.Note{Code: "ref_unverified",
		Message: fmt.Sprintf("%s %s, so %s is what its archive says", l.Host, why, refName(l))})
	return source.Revision{Locator: l}
}

// abbreviated finds the commit that begins with some hex digits: among the tips of branches and tags, else by the API.
func (s *session) abbreviated(ctx context.Context, l source.Locator) (source.Revision, error) {
	l.Ambiguous, l.SkillOrRef = false, false
	prefix := strings.ToLower(l.Ref)
	refs, err := s.refs(ctx, "refs/heads/", "refs/tags/")
	if err != nil {
		return source.Revision{}, s.offline(err, fmt.Sprintf("what commit %q is in %s", l.Ref, s.name))
	}
	found := map[string]bool{}
	for _, ref := range refs {
		if strings.HasPrefix(ref.Commit(), prefix) {
			found[ref.Commit()] = true
		}
	}
	if len(found) == 1 {
		for commit := range found {
			return source.Revision{Locator: l, Commit: commit}, nil
		}
	}
	if api := s.host.APIURL(l); len(found) == 0 && s.host.Kind == source.GitHub && api != "" {
		commit, err := s.client.commit(ctx, api+"/commits/"+prefix)
		if err == nil && strings.HasPrefix(commit, prefix) {
			return source.Revision{Locator: l, Commit: commit}, nil
		}
		if err != nil && !missing(err) {
			return source.Revision{}, problem(s.name, s.host.Name, err)
		}
	}
	return source.Revision{}, &Error{Kind: NotFound, Host: s.host.Name, Hint: "give all 40 digits of the commit",
		Message: fmt.Sprintf("%s has no single commit that is known to begin with %q", s.name, l.Ref)}
}

func missing(err error) bool {
	var failure *web.Error
	return errors.As(err, &failure) && failure.Kind == web.Status && (failure.Status == 404 || failure.Status == 422)
}

// commit asks GitHub's API for the full id of a commit.
func (c *Client) commit(ctx context.Context, address string) (string, error) {
	body, _, err := c.get(ctx, address, web.Options{Header: http.Header{"Accept": {"application/vnd.github.sha"}}, Limit: 1 << 10})
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(body))
	if !isCommit(id) {
		return "", fmt.Errorf("%s gave no commit id", address)
	}
	return id, nil
}
