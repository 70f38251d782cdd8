package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/turn"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// session is one repository on one host: its objects and the ways to its server. Transfers take turns, so that of two calls
// for the same thing the second finds it in the store.
type session struct {
	client *Client
	name   string // "github.com/o/r"
	host   source.Host
	store  *store.Repository
	turn   turn.Turn

	remote wire
	old    *gitclone.Old
	system gitclone.System
	byGit  atomic.Bool // only the system's git gets in: with credentials or settings of its own, or an old version over ssh
	server string      // user, host and port over ssh; "" over https
}

// session returns the one session of the locator's repository.
func (c *Client) session(ctx context.Context, l source.Locator) (*session, error) {
	if c.config.Store == nil {
		return nil, errors.New("fetching from git needs a store")
	}
	if l.Transport == source.SSH && !c.config.Offline {
		if err := c.ssh.prepare(ctx, c); err != nil {
			return nil, err
		}
	}
	key := string(l.Transport) + " " + l.Source()
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[key]; s != nil {
		return s, nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(l.Source(), "git+"), "https://")
	repo, err := c.config.Store.Repository(name)
	if err != nil {
		return nil, err
	}
	host, known := c.config.Hosts.Exact(l.Host)
	host.Name = l.Host
	s := &session{client: c, name: name, host: host, store: repo, turn: turn.New(1)}
	s.remote = gitwire.New(doer(s.do), l.URL)
	s.old = gitclone.NewOld(doer(s.do), l.URL)
	// Over https git would go past the place that is configured, and past the guard of the network.
	if settings, own := c.config.Settings[l.Host]; l.Transport == source.SSH {
		s.overSSH(l)
	} else if settings.Connect == "" && !settings.HTTP && (own || known) {
		s.system = gitclone.System{Program: c.config.Git, URL: l.URL, Total: c.config.Time}
	}
	c.trust(host, l)
	c.sessions[key] = s
	return s, nil
}

// do sends a request for the session's host, wherever the repository was moved to.
func (s *session) do(req *http.Request) (*http.Response, error) {
	return s.client.do(req.WithContext(web.From(req.Context(), s.host.Name)))
}

// refs lists refs: those with one of the prefixes, at least.
func (s *session) refs(ctx context.Context, prefixes ...string) ([]gitwire.Ref, error) {
	switch {
	case s.client.config.Offline:
		return nil, errOffline
	case s.byGit.Load():
		return s.system.Refs(ctx)
	case s.fact(factV2) == no:
		return s.oldRefs(ctx)
	}
	refs, err := s.remote.Refs(ctx, prefixes...)
	switch {
	case errors.Is(err, gitwire.ErrOldProtocol):
		s.outdated()
		return s.oldRefs(ctx)
	case refused(err) && s.system.Program != "": // git may know a password
		if refs, systemErr := s.system.Refs(ctx); systemErr == nil {
			s.byGit.Store(true)
			return refs, nil
		}
	}
	return refs, err
}

// transfer brings one pack. A transfer that breaks off begins anew, twice at most.
func (s *session) transfer(ctx context.Context, filter string, wants ...string) error {
	for attempt := 1; ; attempt++ {
		err := s.pack(ctx, filter, wants)
		if attempt == 3 || !broken(err) {
			return err
		}
	}
}

func (s *session) pack(ctx context.Context, filter string, wants []string) error {
	pack, err := s.remote.Fetch(ctx, gitwire.Request{Wants: wants, Filter: filter})
	if errors.Is(err, gitwire.ErrOldProtocol) {
		s.outdated()
	}
	if err != nil {
		return err
	}
	defer pack.Close()
	_, err = s.store.AddPack(ctx, pack, s.client.config.Limits)
	return err
}

// offline turns the error of a request that could not be made into one about what is missing.
func (s *session) offline(err error, what string) error {
	if !errors.Is(err, errOffline) {
		return problem(s.name, s.host.Name, err)
	}
	return &Error{Kind: Offline, Host: s.host.Name, Message: what + " is not known without the network", Err: err,
		Hint: "run it once without --offline, or name a full commit that was fetched before"}
}

// broken reports whether an answer began and broke off. What never began was repeated by the HTTP client.
func broken(err error) bool {
	var failure *web.Error
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &failure) && failure.Kind == web.Network
}

// Facts about hosts. A "no" may not be true for ever, so it carries its day and is forgotten after a month.
const (
	factCombine = "combine" // "combine:blob:none+tree:N" is taken
	factFilter  = "filter"  // "blob:none" is taken
	factTrees   = "trees"   // a tree may be wanted
	factV2      = "v2"      // version 2 is spoken
)

const (
	yes     = "yes"
	no      = "no since "
	unknown = ""
)

// facts names what the facts are about: a server may do more over https than over ssh.
func (s *session) facts() string {
	if s.server != "" {
		return "ssh " + s.server
	}
	return "git " + s.host.Name
}

func (s *session) fact(key string) string {
	value := s.client.config.Store.Facts(s.facts())[key]
	day, isNo := strings.CutPrefix(value, no)
	if !isNo {
		return value
	}
	if since, err := time.Parse(time.DateOnly, day); err != nil || time.Since(since) > 30*24*time.Hour {
		return unknown
	}
	return no
}

// learn remembers a fact. That it cannot be written only costs a request another time.
func (s *session) learn(key string, accepted bool) {
	value := yes
	if !accepted {
		value = no + time.Now().UTC().Format(time.DateOnly)
	}
	if known := s.fact(key); known == unknown || (known == yes) != accepted {
		_ = s.client.config.Store.Remember(s.facts(), key, value)
	}
}
