package fetch

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"skills/fetch/credential"
	"skills/fetch/internal/web"
	"skills/source"
)

// errOffline is turned into an *Error that names what is missing.
var errOffline = errors.New("the network is off")

// do sends a request, unless the client is offline. With get it is the only way to the network.
func (c *Client) do(req *http.Request) (*http.Response, error) {
	if c.config.Offline {
		return nil, errOffline
	}
	return c.web.Do(req)
}

// get reads a small answer.
func (c *Client) get(ctx context.Context, address string, o web.Options) ([]byte, http.Header, error) {
	if c.config.Offline {
		return nil, nil, errOffline
	}
	return c.web.ReadAll(ctx, address, o)
}

// authorize says what a request is sent with. A credential goes to the host that it is for and to that host's own services, never to
// where a redirect leads besides. Hosts of the built-in table, on which most is public, are asked without one until they refuse; then it is known
// that they know the difference. Others get at once what needs no program to be run. That a page is not there says nothing of
// rights unless the host is a forge, which hides what is private.
func (c *Client) authorize(ctx context.Context, challenge web.Challenge) (none web.Authorization, err error) {
	host := c.owner(challenge.Host())
	if host != c.owner(challenge.Origin) {
		return none, nil
	}
	if none.Host = host; c.credential == nil {
		return none, nil
	}
	row, _ := c.config.Hosts.Exact(host)
	_, public := source.DefaultHosts().Exact(host)
	refused := c.refusal(host, challenge.Status != 0 && (challenge.Status != http.StatusNotFound || row.Kind != ""))
	if !refused && (public || challenge.Status != 0) {
		return none, nil
	}
	repository, git := repositoryPath(challenge.URL)
	found, err := c.credential(ctx, credential.Request{Host: host, Path: repository, Refused: refused})
	if err != nil || found.IsZero() {
		return none, err
	}
	if found.Token && !git && row.Kind != source.Azure { // whose tokens are passwords everywhere
		return web.Authorization{Header: "Bearer " + found.Password, From: found.From, Host: host}, nil
	}
	pair := base64.StdEncoding.EncodeToString([]byte(found.User + ":" + found.Password))
	return web.Authorization{Header: "Basic " + pair, From: found.From, Host: host}, nil
}

// refusal takes in whether a host refused a request, and tells whether it ever did.
func (c *Client) refusal(host string, now bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now {
		c.refused[host] = true
	}
	return c.refused[host]
}

// repositoryPath is the path of the repository that a request of git is about.
func repositoryPath(u *url.URL) (path string, git bool) {
	for _, end := range []string{"/info/refs", "/git-upload-pack"} {
		if path, git = strings.CutSuffix(u.Path, end); git {
			return strings.TrimPrefix(path, "/"), true
		}
	}
	return "", false
}

// owner is the host of the table for which a host answers: itself, or the one whose archives, files or API it serves. An alias is a name in
// texts; the host of that name may be anybody's.
func (c *Client) owner(host string) string {
	if row, _ := c.config.Hosts.Exact(host); row.Kind != "" {
		return host
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return cmp.Or(c.services[host], host)
}

// refused reports whether a host wants to know who asks. Some say that a private thing is not there.
func refused(err error) bool {
	var failure *web.Error
	return errors.As(err, &failure) && failure.Kind == web.Status &&
		(failure.Status == 401 || failure.Status == 403 || failure.Status == 404)
}

type doer func(*http.Request) (*http.Response, error)

// Do makes a function what gitwire asks of an HTTP client.
func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

// trusted reports whether a host is in the table, was configured, or serves one of those.
func (c *Client) trusted(host string) bool {
	if _, ok := c.config.Settings[host]; ok {
		return true
	}
	if _, ok := c.config.Hosts.Exact(host); ok {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.services[host] != ""
}

// trust takes in the hosts of a host's archives, files and API: they are as trusted as the table that names them, and its credential is
// theirs.
func (c *Client) trust(h source.Host, l source.Locator) {
	for _, address := range []string{h.ArchiveURL(l, "HEAD"), h.RawURL(l, "HEAD", "x"), h.APIURL(l)} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			c.services[u.Host] = h.Name
		}
	}
}

func (c *Client) event(e web.Event) {
	if c.config.Event != nil {
		c.config.Event(Event{
			Done: e.Done, Method: e.Method, Host: e.Host, Path: e.Path, Status: e.Status,
			Up: e.Up, Down: e.Down, Took: e.Took, Err: e.Err,
		})
	}
}
