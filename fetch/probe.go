package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"

	"skills/fetch/internal/archive"
	"skills/source"
)

// probe is one reading of an address of which the text does not tell what it is.
type probe struct {
	name string
	ask  func(context.Context, source.Locator) (source.Revision, error)
	err  error
}

// resolveSite finds out what an address is: a repository, a site with an index of skills, an archive or one SKILL.md. What it was the
// last time is tried first.
func (c *Client) resolveSite(ctx context.Context, l source.Locator) (source.Revision, error) {
	git := &probe{name: "as a git repository", ask: c.resolveGitSite}
	index := &probe{name: "as a site", ask: c.resolveIndex}
	page := &probe{name: "as a file or archive", ask: c.resolvePage}
	order := []*probe{git, index, page}
	switch c.knownSite(l) {
	case source.Site:
		order = []*probe{index, git, page}
	case source.File, source.Archive:
		order = []*probe{page, git, index}
	}
	for _, p := range order {
		rev, err := p.ask(ctx, l)
		if err == nil {
			c.rememberSite(l, rev.Locator.Kind)
			return rev, nil
		}
		if p.err = problem(l.URL, l.Host, err); !c.mayBeElse(p.err) {
			return source.Revision{}, p.err
		}
	}
	return source.Revision{}, nothing(l, git, index, page)
}

// knownSite is what an address was the last time, "" when it is not known.
func (c *Client) knownSite(l source.Locator) source.Kind {
	if c.config.Store == nil {
		return ""
	}
	return source.Kind(c.config.Store.Facts("sites")[l.URL])
}

// rememberSite spares two requests another time. Repositories are recorded as such everywhere.
func (c *Client) rememberSite(l source.Locator, kind source.Kind) {
	if kind != source.Git && c.config.Store != nil {
		_ = c.config.Store.Remember("sites", l.URL, string(kind))
	}
}

// mayBeElse tells whether an address that is not one thing may be another: the host is there and answers.
func (c *Client) mayBeElse(err error) bool {
	var failure *Error
	if !errors.As(err, &failure) {
		return false
	}
	switch failure.Kind {
	case Offline:
		return c.config.Offline
	case WrongContent, RateLimited, Unsupported, TooLarge:
		return true
	}
	return failure.Status != 0 // it did not answer, or is a repository in which something is not there
}

// nothing lists what was tried. What it comes to is what the address itself gave, unless git was refused.
func nothing(l source.Locator, git, index, page *probe) error {
	e := &Error{Host: l.Host, Message: l.URL + " is nothing that skills come from", Hint: "name the SKILL.md, the archive or the site itself; for a repository write git+" + l.URL}
	for _, p := range []*probe{page, index, git} {
		var failure *Error
		if !errors.As(p.err, &failure) {
			continue
		}
		if e.Kind == "" || failure.Kind == Forbidden || failure.Status == 401 {
			e.Kind, e.Status, e.Tried = failure.Kind, failure.Status, failure.Tried
		}
	}
	for _, p := range []*probe{git, index, page} {
		e.Message += fmt.Sprintf("; %s: %v", p.name, p.err)
	}
	if e.Kind == Offline {
		e.Message, e.Hint = l.URL+" is not in the store", "run it once without --offline"
	}
	e.Err = errors.Join(git.err, index.err, page.err)
	return e
}

// resolveGitSite asks an address whether it is a repository.
func (c *Client) resolveGitSite(ctx context.Context, l source.Locator) (source.Revision, error) {
	git, ok := l.AsGit()
	if !ok {
		return source.Revision{}, &Error{Kind: Unsupported, Host: l.Host, Message: "it has no path, as repositories have"}
	}
	return c.Resolve(ctx, git)
}

// resolvePage takes what stands at an address for an archive or a SKILL.md by its first bytes, and brings an archive. Of anything else no more
// is read.
func (c *Client) resolvePage(ctx context.Context, l source.Locator) (source.Revision, error) {
	known := c.knownSite(l)
	rev := source.Revision{Locator: l}
	rev.Locator.Kind, rev.Locator.Path = source.Archive, ""
	if c.config.Offline {
		if known == source.File {
			rev.Locator.Kind, rev.Locator.Path, rev.Locator.File = source.File, l.Path, true
		}
		if known == source.Archive || known == source.File {
			return rev, nil
		}
		return rev, &Error{Kind: Offline, Host: l.Host, Message: l.URL + " is not in the store"}
	}
	a, err := c.artifact(rev, strings.TrimPrefix(l.URL, "https://"))
	if err != nil {
		return rev, err
	}
	d, err := c.download(ctx, order{address: l.URL, limit: c.config.Limits.OrDefault().Bytes, look: func(contentType string, head []byte) error {
		return lookAt(l, contentType, head)
	}})
	if errors.Is(err, errDocument) {
		rev.Locator.Kind, rev.Locator.Path, rev.Locator.File = source.File, l.Path, true
		return rev, nil
	}
	if err != nil {
		return rev, problem("it", l.Host, err)
	}
	defer d.Close()
	root, err := a.unpackWhole(ctx, d)
	if err != nil {
		return rev, problem("it", l.Host, err)
	}
	a.remember(root)
	return a.rev, nil
}

// isDocument tells a Markdown file with front matter, by its bytes: servers call it many things.
func isDocument(contentType string, head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	media, _, _ := mime.ParseMediaType(contentType)
	return bytes.HasPrefix(head, []byte("---\n")) || bytes.HasPrefix(head, []byte("---\r\n")) || media == "text/markdown" && !archive.IsHTML(head)
}

// errDocument says that what is downloaded is a SKILL.md, of which the rest is not needed.
var errDocument = errors.New("it is a document")

// lookAt tells by its first bytes that what stands at an address is no archive.
func lookAt(l source.Locator, contentType string, head []byte) error {
	if isDocument(contentType, head) {
		return errDocument
	}
	_, err := archive.Sniff(contentType, path.Base(l.URL), head)
	if err == nil {
		return nil
	}
	media, _, _ := mime.ParseMediaType(contentType)
	message := "it is neither a SKILL.md nor an archive"
	switch {
	case archive.IsHTML(head):
		message = "it is a web page"
	case media != "":
		message += ", the host calls it " + media[:min(len(media), 100)]
	}
	return &Error{Kind: WrongContent, Host: l.Host, Message: message, Err: err}
}
