// Package fetch turns what was asked for into what it was, and brings its files: Locator, Revision, Tree.
//
// A [Tree] is lazy. [Client.Fetch] brings the listing of a revision (paths, kinds, executable bits, git ids) without any
// content; [Tree.Load] brings the contents that were chosen, all in one request; [Tree.FS] shows both as a file system. What
// arrived stays in the store, so it is never fetched twice, and a revision that is there costs no request at all.
//
// Git hosts are asked over protocol version 2: one request for refs, one for the commit and its trees, one for the files that
// are wanted; one for everything when the tree ids are known from a lock. Over ssh all of them go over one connection. Where a server does less there are other ways, and all
// give the same tree ids and the same bytes: everything that comes over git is proven by its id, from the commit to the file.
//
// What is no repository is an artifact: an archive, a SKILL.md with its files, the tarball of an npm package, or, of a site with an index
// of skills, one artifact for each of them. Where a digest is known it is compared before anything is unpacked, and what
// has the digest that a lock knows, or the git tree id where nothing has a digest, costs no request. An address of which the text does not tell what it is is asked.
//
// Rules: a request for a moving name is made once, in [Client.Resolve], and everything after it is by commit; every stream is
// bounded by [Limits]; nothing is printed, no environment is read; a credential goes to the host that it is for and the services
// of that host, to public hosts only after they refused without one, and never appears in an error or event; requests are
// reported through Config.Event alone; what ends with its context gives the cause of that ([context.Cause]) and nothing around it.
//
// Who asks is the host that a locator or a registry names: what the index of that host lists, and where a redirect goes, is asked for on its
// behalf, so that no credential of another host goes out. When it is neither in the table of hosts nor configured, it leads to no host that is
// (Config.Hosts, Settings, Registries, and their services), but for those of the built-in table; that is an *Error with code private_address.
//
// Use:
//
//	client, err := fetch.New(fetch.Config{Store: s})
//	locator, err := source.Parse("github.com/acme/skills/tree/main/skills/pdf", source.DefaultHosts())
//	revision, err := client.Resolve(ctx, locator)
//	tree, err := client.Fetch(ctx, revision)
//	err = tree.Load(ctx, "skills/pdf")
//	data, err := fs.ReadFile(tree.FS(), "skills/pdf/SKILL.md")
package fetch

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"skills/fetch/credential"
	"skills/fetch/internal/turn"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// Limits bounds everything that one call brings. Fields that are zero have the values of [store.DefaultLimits].
type Limits = store.Limits

// HostSettings are what a user configured for one host. A host that has any, be they zero, may have private addresses.
type HostSettings struct {
	Connect string // "127.0.0.1:8443": dial this in place of the host, whose certificate is still asked for
	CA      []byte // PEM of authorities that are trusted besides the system's
	HTTP    bool   // the host has no TLS: it is asked over http, and gets no credential
	Err     error  // what is wrong with these settings: the error of whatever asks the host, as it is
}

// Credential opens a private repository. The zero value means that there is none.
type Credential = credential.Credential

// Event is the start (Done false) or the end of one request. It holds no header and no query.
type Event struct {
	Done     bool
	Method   string
	Host     string
	Path     string
	Status   int   // 0 when no answer came
	Up, Down int64 // bytes of the bodies
	Took     time.Duration
	Err      error
}

// Config says what a Client works with. Store is needed for everything but local and built-in sources.
type Config struct {
	Hosts source.Hosts
	Store *store.Store
	// Settings are for hosts by their name, "git.corp.example", with ":port" where only that is meant. What a forge serves from other hosts is
	// fetched from those: archives of github.com from codeload.github.com, commits by their first digits from api.github.com.
	Settings map[string]HostSettings
	// Credential finds what opens a host. It is asked when the host refuses a request without one (Request.Refused), and before the first
	// request where the host is not in the built-in table; each once a host. What it gives is sent to the host and its services alone. Nil
	// means never.
	Credential credential.Source
	Builtin    fs.FS  // skills that the program carries, one directory each
	Home       string // for local sources that begin with "~"
	Dir        string // for local sources that are relative
	// References finds the files that a SKILL.md on a plain web server names, relative to it. Nil finds none.
	References func(document []byte) []string
	// Registries are npm registries by the scope that they serve, "@acme"; "" is for all others. What is not there is the public one.
	Registries map[string]string
	Limits     Limits
	Time       time.Duration // that one request may take, with its whole answer; 0 means 30 minutes
	CA         []byte        // PEM of authorities that are trusted besides the system's, for all hosts
	Offline    bool          // only what is in the store; what is missing is an *Error with code "offline"
	Event      func(Event)   // called from several goroutines, several at a time
	Git        string        // path of the system's git for old servers, and for ssh where SSH is not enough; "" means none
	SSH        SSH           // how ssh is run
	// Proxy names the proxy for a request; [http.ProxyFromEnvironment] is one. Nil means none.
	Proxy func(*http.Request) (*url.URL, error)
}

// Client fetches. Its methods may be called from several goroutines; one client serves a whole process, for it shares its
// connections.
type Client struct {
	config     Config
	web        *web.Client
	credential credential.Source // nil for none
	ssh        secureShell

	mu       sync.Mutex
	sessions map[string]*session
	services map[string]string // hosts that the table of hosts leads to, and from where
	refused  map[string]bool   // hosts that refused a request without a credential

	indexes sync.Map // of sites that were read, *site.Index by the id of its tree; none is changed
}

// New makes a client. It makes no request. The error is about certificates or places in the configuration that cannot be read; there is
// no client then.
func New(config Config) (*Client, error) {
	hosts, settings := map[string]web.Host{}, map[string]HostSettings{}
	for name, s := range config.Settings {
		name = strings.TrimSuffix(strings.ToLower(name), ":443")
		settings[name], hosts[name] = s, web.Host{Connect: s.Connect, CA: s.CA, HTTP: s.HTTP, Err: s.Err}
	}
	config.Settings = settings
	c := &Client{config: config, ssh: secureShell{turn: turn.New(1)}, sessions: map[string]*session{}, services: map[string]string{}, refused: map[string]bool{}}
	if config.Credential != nil {
		c.credential = credential.Once(config.Credential)
	}
	for _, address := range config.Registries {
		c.services[web.HostOf(address)] = web.HostOf(address) // as trusted as who named it
	}
	client, err := web.New(web.Config{
		Trusted: c.trusted, Shared: c.shared, Hosts: hosts, CA: config.CA, Proxy: config.Proxy, Authorize: c.authorize, Event: c.event,
		Timeouts: web.Timeouts{Total: config.Time},
	})
	if err != nil {
		return nil, err
	}
	c.web = client
	return c, nil
}

// caused puts the cause of a context that ended in the place of what that made of a call.
func caused(ctx context.Context, err *error) {
	if *err != nil && ctx.Err() != nil {
		*err = context.Cause(ctx)
	}
}

// Fetch lists a revision: of a git repository the tree at its commit, whole or below the locator's path, without contents.
// What is in the store costs no request.
func (c *Client) Fetch(ctx context.Context, rev source.Revision) (tree *Tree, err error) {
	defer caused(ctx, &err)
	defer signed(rev.Locator, &err)
	switch rev.Locator.Kind {
	case source.Git:
		return c.fetchGit(ctx, rev)
	case source.Local:
		return c.fetchLocal(ctx, rev)
	case source.Builtin:
		return c.fetchBuiltin(rev)
	case source.File:
		return c.fetchAddress(ctx, rev, (*artifact).bringFile)
	case source.Archive:
		if rev.Locator.URL == "" {
			return c.fetchLocal(ctx, rev)
		}
		return c.fetchAddress(ctx, rev, (*artifact).bringArchive)
	case source.Site:
		return c.fetchSite(ctx, rev)
	case source.NPM:
		return c.fetchPackage(ctx, rev)
	}
	return nil, unsupported(rev.Locator)
}

func unsupported(l source.Locator) error {
	return &Error{Kind: Unsupported, Host: l.Host,
		Message: fmt.Sprintf("%q cannot be fetched: there is no way yet for sources of kind %s", l.Input, l.Kind)}
}
