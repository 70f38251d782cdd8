package fetch

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitssh"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/turn"
	"skills/source"
)

// SSH says how ssh is run, which must be OpenSSH's. Others are left to the system's git, and so is all of ssh while this is the zero
// value, git's configuration gives an address another place (insteadOf), or a server speaks no version 2.
type SSH struct {
	Program string // path of ssh, or what GIT_SSH names
	Command string // a command line as GIT_SSH_COMMAND has it; it goes before core.sshCommand of git, and that before Program
	Variant string // as GIT_SSH_VARIANT has it; it goes before ssh.variant of git
}

// wire speaks version 2 of the git protocol to one repository.
type wire interface {
	Refs(ctx context.Context, prefixes ...string) ([]gitwire.Ref, error)
	Fetch(ctx context.Context, request gitwire.Request) (io.ReadCloser, error)
	Capabilities(ctx context.Context) (gitwire.Capabilities, error)
}

// secureShell is what a client knows of ssh, once it needs it.
type secureShell struct {
	turn     turn.Turn
	ready    bool
	settings gitclone.Settings
	client   atomic.Pointer[gitssh.Client] // nil where ssh is left to git
}

// prepare reads git's configuration, once. A call that is given up does not spoil it for others.
func (h *secureShell) prepare(ctx context.Context, c *Client) error {
	if err := h.turn.Take(ctx); err != nil {
		return err
	}
	defer h.turn.Give()
	if h.ready {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	settings := gitclone.System{Program: c.config.Git}.Settings(bounded)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.settings, h.ready = settings, true
	given := c.config.SSH
	config := gitssh.Config{
		Program: given.Program, Command: cmp.Or(given.Command, settings.Command), Variant: cmp.Or(given.Variant, settings.Variant),
		Timeouts: gitssh.Timeouts{Total: c.config.Time}, Event: c.event,
	}
	if given != (SSH{}) && config.Usable() {
		h.client.Store(gitssh.New(config))
	}
	return nil
}

// CloseIdle ends the connections that wait for further requests. Afterwards no ssh of them is left, which would outlive this process where a
// server does not end it.
func (c *Client) CloseIdle() {
	c.web.CloseIdle()
	if ssh := c.ssh.client.Load(); ssh != nil {
		ssh.Close()
	}
}

// overSSH finds the way to a repository over ssh: ssh itself, or git.
func (s *session) overSSH(l source.Locator) {
	s.system = gitclone.System{Program: s.client.config.Git, URL: l.URL, Total: s.client.config.Time}
	s.server = gitclone.PeerOf(l.URL).String()
	s.byGit.Store(true)
	for _, form := range sshForms(l.URL) {
		if s.client.ssh.settings.Rewritten(form) {
			s.system.URL = form
			return
		}
	}
	ssh := s.client.ssh.client.Load()
	if ssh == nil || s.fact(factV2) == no {
		return
	}
	if remote, err := ssh.Remote(l.URL); err == nil {
		s.remote = remote
		s.byGit.Store(false)
	}
}

// sshForms are the ways in which people write an address, and which a configuration may therefore mean.
func sshForms(address string) []string {
	forms := []string{address}
	if u, err := url.Parse(address); err == nil && u.Scheme == "ssh" && u.Port() == "" {
		forms = append(forms, strings.TrimPrefix(u.User.String()+"@", "@")+u.Host+":"+strings.TrimPrefix(u.Path, "/"))
	}
	return forms
}

// outdated remembers that version 2 is not spoken. Over ssh git speaks the older ones.
func (s *session) outdated() {
	s.learn(factV2, false)
	if s.server != "" {
		s.byGit.Store(true)
	}
}

// oldRefs lists refs in an older version.
func (s *session) oldRefs(ctx context.Context) ([]gitwire.Ref, error) {
	if s.byGit.Load() {
		return s.system.Refs(ctx)
	}
	return s.old.Refs(ctx)
}
