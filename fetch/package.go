package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/npm"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// documentOfPackage bounds what a registry says of a package, in bytes; packages with thousands of versions have 20 MB.
const documentOfPackage = 64 << 20

// packages are what registries said in one call, so that each package is asked about once.
type packages struct {
	mutex sync.Mutex
	all   map[string]*registered
}

type registered struct {
	once     sync.Once
	document *npm.Package
	err      error
}

func newPackages() *packages { return &packages{all: map[string]*registered{}} }

// get asks about a package, once.
func (p *packages) get(name string, ask func() (*npm.Package, error)) (*npm.Package, error) {
	p.mutex.Lock()
	found := p.all[name]
	if found == nil {
		found = &registered{}
		p.all[name] = found
	}
	p.mutex.Unlock()
	found.once.Do(func() { found.document, found.err = ask() })
	return found.document, found.err
}

// packageName is "name" or "@scope/name".
func packageName(l source.Locator) string { return strings.TrimPrefix(l.Owner+"/"+l.Repo, "/") }

// registry is the registry of a package: that of its scope, that of all, or the public one.
func (c *Client) registry(l source.Locator) string {
	return cmp.Or(c.config.Registries[l.Owner], c.config.Registries[""], npm.Registry)
}

// resolvePackage asks the registry for the version that a tag, a version or a range means. The revision's ref is the version, its
// digest that of the tarball, and its locator's URL the tarball.
func (c *Client) resolvePackage(ctx context.Context, l source.Locator, asked *packages) (source.Revision, error) {
	l.SkillOrRef = false
	if c.config.Offline {
		return c.storedPackage(l)
	}
	address := npm.Address(c.registry(l), packageName(l))
	document, err := asked.get(packageName(l), func() (*npm.Package, error) {
		data, _, err := c.read(ctx, address, web.Options{Header: http.Header{"Accept": {npm.Accept}}, Limit: documentOfPackage}, "")
		if err != nil {
			return nil, err
		}
		return npm.Parse(data)
	})
	if err != nil {
		return source.Revision{}, packageProblem(l, web.HostOf(address), err)
	}
	version, err := document.Choose(l.Ref)
	if err != nil {
		return source.Revision{}, packageProblem(l, web.HostOf(address), err)
	}
	l.URL = mirrored(version.Tarball, c.registry(l))
	if version.Deprecated != "" {
		l.Notes = append(slices.Clip(l.Notes), source.Note{Code: "deprecated", Message: fmt.Sprintf("%s %s is deprecated: %s", l.Source(), version.Number, version.Deprecated)})
	}
	if c.config.Store != nil {
		_ = c.config.Store.Remember("packages "+l.Source(), "@"+l.Ref, version.Number+" "+version.Digest) // for those who are offline
	}
	return source.Revision{Locator: l, Ref: version.Number, Digest: version.Digest}, nil
}

// mirrored gives the address of a tarball in the registry that was asked, where that passes on the addresses of the public one: who
// has a registry of their own may not reach the other.
func mirrored(tarball, registry string) string {
	public := web.HostOf(npm.Registry)
	u, err := url.Parse(tarball)
	if err != nil || web.HostOf(tarball) != public || web.HostOf(registry) == public {
		return tarball
	}
	return strings.TrimRight(registry, "/") + u.RequestURI()
}

// storedPackage is what a version meant the last time.
func (c *Client) storedPackage(l source.Locator) (source.Revision, error) {
	if c.config.Store != nil {
		number, digest, ok := strings.Cut(c.config.Store.Facts("packages " + l.Source())["@"+l.Ref], " ")
		if ok {
			return source.Revision{Locator: l, Ref: number, Digest: digest}, nil
		}
	}
	return source.Revision{}, packageOffline(l)
}

func packageOffline(l source.Locator) error {
	return &Error{Kind: Offline, Host: l.Host, Message: l.Canonical() + " is not in the store",
		Hint: "run it once without --offline; what is in node_modules is a directory: ./node_modules/" + packageName(l)}
}

// packageProblem is an error about a package.
func packageProblem(l source.Locator, host string, err error) error {
	var missing *npm.NotFoundError
	switch {
	case errors.As(err, &missing):
		e := &Error{Kind: NotFound, Host: host, Message: fmt.Sprintf("%s: %v", l.Source(), missing), Err: err}
		if len(missing.Tags) > 0 {
			e.Hint = fmt.Sprintf("the latest is %q; its tags are %s", missing.Latest, strings.Join(first(missing.Tags, 10), ", "))
		}
		return e
	case errors.Is(err, npm.ErrNoPackage):
		return &Error{Kind: WrongContent, Host: host, Message: fmt.Sprintf("%s: what %s gave cannot be used: %v", l.Source(), host, err), Err: err}
	}
	return problem(l.Source(), host, err)
}

// first is the beginning of a list, with a word for what is left out.
func first(all []string, most int) []string {
	if len(all) <= most {
		return all
	}
	return append(slices.Clip(all[:most]), fmt.Sprintf("and %d more", len(all)-most))
}

// fetchPackage brings a version of a package. With a digest that is in the store nobody is asked.
func (c *Client) fetchPackage(ctx context.Context, rev source.Revision) (*Tree, error) {
	a, err := c.artifact(rev, rev.Locator.Source())
	if err != nil {
		return nil, err
	}
	if root, ok := a.stored(); ok && rev.Digest != "" {
		return a.tree(root)
	}
	if c.config.Offline {
		return nil, packageOffline(rev.Locator)
	}
	said := rev.Digest
	if rev.Ref == "" {
		found, err := c.resolvePackage(ctx, rev.Locator, newPackages())
		if err != nil {
			return nil, err
		}
		said, found.Digest = found.Digest, cmp.Or(rev.Digest, found.Digest)
		rev = found
	}
	return c.fetchArtifact(ctx, rev, rev.Locator.Source(), func(a *artifact, ctx context.Context) (store.ID, error) {
		if rev.Digest == said {
			a.who = a.host
		}
		return a.bringPackage(ctx)
	})
}

// bringPackage downloads the tarball of a version. All of it is in one directory, whatever its name (npm writes "package").
func (a *artifact) bringPackage(ctx context.Context) (store.ID, error) {
	d, err := a.client.download(ctx, order{
		address: a.rev.Locator.URL, digest: a.rev.Digest, limit: a.client.config.Limits.OrDefault().Bytes, origin: a.host,
	})
	if err != nil {
		return store.ID{}, err
	}
	defer d.Close()
	return a.unpack(ctx, d, archive.Options{Strip: true})
}
