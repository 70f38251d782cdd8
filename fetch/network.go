package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"

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

// get reads a small answer. A host that refuses is asked again with its credential, where there is one.
func (c *Client) get(ctx context.Context, address string, o web.Options) ([]byte, http.Header, error) {
	if c.config.Offline {
		return nil, nil, errOffline
	}
	body, header, err := c.web.ReadAll(ctx, address, o)
	if !refused(err) || c.config.Credential == nil {
		return body, header, err
	}
	u, parseErr := url.Parse(address)
	if parseErr != nil {
		return nil, nil, err
	}
	found, credentialErr := c.config.Credential(ctx, u.Hostname())
	if credentialErr != nil || found.Password == "" {
		return nil, nil, errors.Join(err, credentialErr)
	}
	o.Header = o.Header.Clone()
	if o.Header == nil {
		o.Header = http.Header{}
	}
	o.Header.Set("Authorization", "Bearer "+found.Password)
	return c.web.ReadAll(ctx, address, o)
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
	if _, ok := c.config.Hosts.Lookup(host); ok {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.services[host]
}

// trust takes in the hosts of a host's archives, files and API: they are as trusted as the table that names them.
func (c *Client) trust(h source.Host, l source.Locator) {
	for _, address := range []string{h.ArchiveURL(l, "HEAD"), h.RawURL(l, "HEAD", "x"), h.APIURL(l)} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			c.services[u.Host] = true
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
