package web

import (
	"context"
	"net/http"
	"net/url"
)

// Challenge is a request that may need a credential.
type Challenge struct {
	URL *url.URL
	// Origin is the host that the caller named, spelled as in [Error]. After a redirect, or where [From] says so, it may be another one than
	// that of the URL.
	Origin string
	Status int // what the host answered without a credential; 0 before it was asked
}

// Host is the host of the URL, spelled as in [Error].
func (c Challenge) Host() string { return hostKey(c.URL) }

// Authorization is what a request is sent with.
type Authorization struct {
	Header string // value of the header; "" for none
	From   string // where the credential was found, for messages
	Host   string // whose credentials the request may have, spelled as in [Error]; "" when another host led there, so that none goes along
}

type originKey struct{}

// From says on whose behalf the requests of a context are made, for [Challenge].Origin. What is there already stays.
func From(ctx context.Context, host string) context.Context {
	if ctx.Value(originKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, originKey{}, host)
}

func origin(req *http.Request) string {
	if host, ok := req.Context().Value(originKey{}).(string); ok {
		return host
	}
	return hostKey(req.URL)
}

type authorizationKey struct{}

// authorization is what a request was made with, without the header; asked tells whether anybody was asked for it.
func authorization(req *http.Request) (a Authorization, asked bool) {
	a, asked = req.Context().Value(authorizationKey{}).(Authorization)
	return a, asked
}

// authorized sends a request with what [Config].Authorize gives for it, and a second time when that turns out to be needed: with a credential
// when the host refused a request without one, without it when the host refused one that was sent unasked, for a
// token that is spent must not hide what is public. The request itself gets no header, so none can go along to another host.
func (c *Client) authorized(req *http.Request) (*http.Response, error) {
	if c.config.Authorize == nil || req.Header.Get("Authorization") != "" || unsafe(req.URL) != "" || c.settings(hostKey(req.URL)).HTTP {
		return c.send(req)
	}
	first, err := c.ask(req, 0)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(with(req, first))
	if err != nil || !refuses(resp, first) {
		return resp, err
	}
	second := Authorization{From: first.From, Host: first.Host}
	if first.Header == "" {
		if second, err = c.ask(req, resp.StatusCode); err != nil || second.Header == "" {
			return resp, err
		}
	}
	again := with(req, second)
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return resp, err
		}
	} else if req.Body != nil && req.Body != http.NoBody {
		return resp, nil // it cannot be sent again
	}
	discard(resp)
	return c.send(again)
}

// ask asks what a request is sent with.
func (c *Client) ask(req *http.Request, status int) (Authorization, error) {
	found, err := c.config.Authorize(req.Context(), Challenge{URL: req.URL, Origin: origin(req), Status: status})
	if err != nil {
		return found, Error{Kind: Credential, Status: status, Err: err}.of(req)
	}
	return found, nil
}

// raises tells whether there is a credential for a request whose quota is used up without one.
func (c *Client) raises(resp *http.Response) bool {
	sent, _ := authorization(resp.Request)
	if c.config.Authorize == nil || resp.Request.Header.Get("Authorization") != "" || sent.From != "" {
		return false
	}
	found, err := c.ask(resp.Request, resp.StatusCode)
	return err == nil && found.Header != ""
}

// refuses tells whether an answer may be another one with a credential, or without the one that was sent.
func refuses(resp *http.Response, sent Authorization) bool {
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return true
	case http.StatusNotFound, http.StatusTooManyRequests:
		return sent.Header == ""
	}
	return false
}

// with is the request as it is sent.
func with(req *http.Request, a Authorization) *http.Request {
	header := req.Header.Clone()
	if a.Header != "" {
		if header == nil {
			header = http.Header{}
		}
		header.Set("Authorization", a.Header)
	}
	a.Header = ""
	req = req.WithContext(context.WithValue(req.Context(), authorizationKey{}, a))
	req.Header = header
	return req
}
