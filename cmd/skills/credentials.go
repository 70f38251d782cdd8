package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"skills/fetch"
	"skills/fetch/credential"
	"skills/source"
)

// credentials are the places in which a credential for a host may be, in their order: variables, the host's own program, git's helpers, netrc.
// All but the variables are looked at when a host has refused. Programs run in the store, which no project and nobody else writes.
func (s *session) credentials() credential.Source {
	programs := credential.Programs{Find: exec.LookPath, Env: s.env.all, Dir: s.env.cacheDir()}
	name, path := s.env.netrc()
	github, gitlab := credential.GitHubCLI(programs.Run), credential.GitLabCLI(programs.Run)
	helpers, netrc := credential.GitHelpers(programs.Run), credential.Netrc(name, func() ([]byte, error) { return readFile(path) })
	return credential.Once(func(ctx context.Context, r credential.Request) (credential.Credential, error) {
		places := []credential.Source{s.variables}
		switch host, _ := s.hosts.Exact(r.Host); host.Kind {
		case source.GitHub:
			places = append(places, github)
		case source.GitLab:
			places = append(places, gitlab)
		}
		return credential.First(append(places, helpers, netrc)...)(ctx, r)
	})
}

// variables finds a token in the environment.
func (s *session) variables(_ context.Context, r credential.Request) (credential.Credential, error) {
	host, known := s.hosts.Exact(r.Host)
	name, token := s.env.token(r.Host, known, s.config.tokenNames(r.Host, host)...)
	if token == "" {
		return credential.Credential{}, nil
	}
	user := "x-access-token"
	switch host.Kind {
	case source.GitLab:
		user = "oauth2"
	case source.Bitbucket:
		user = "x-token-auth"
	}
	return credential.Credential{User: user, Password: token, Token: true, From: name}, nil
}

// tokenNames are the variables in which a token for a host may be besides its own, in their order. A token is for hosts of its own kind
// only: the public one of that kind, and those that the user configured to be of it and gave no variable of their own.
func (c configuration) tokenNames(name string, host source.Host) []string {
	own, configured := c.Host[name]
	if !configured {
		bare, _, _ := strings.Cut(name, ":")
		own, configured = c.Host[bare]
	}
	if own.TokenEnv != "" {
		return []string{own.TokenEnv}
	}
	switch host.Name {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "dev.azure.com":
	default:
		if !configured {
			return nil
		}
	}
	return kindTokens(host.Kind)
}

// kindTokens are the variables for the tokens of a kind of hosts.
func kindTokens(kind source.HostKind) []string {
	switch kind {
	case source.GitHub:
		return []string{"GITHUB_TOKEN", "GH_TOKEN"}
	case source.GitLab:
		return []string{"GITLAB_TOKEN"}
	case source.Bitbucket, source.BitbucketServer:
		return []string{"BITBUCKET_TOKEN"}
	case source.Azure:
		return []string{"AZURE_DEVOPS_TOKEN"}
	case source.Gitea, source.Gogs:
		return []string{"GITEA_TOKEN"}
	}
	return nil
}

// tokenHint says from where a token would be taken for a host that refused without one, or has a quota; "" for other errors.
func (s *session) tokenHint(err error) string {
	var refused *fetch.Error
	if !errors.As(err, &refused) || refused.Tried != "" || refused.Host == "" || refused.Led != "" || refused.Cut {
		return ""
	}
	host, known := s.hosts.Exact(refused.Host)
	switch {
	case refused.Status == 401 || refused.Status == 403 || refused.Kind == fetch.RateLimited:
	case refused.Status == 404 && known && host.Kind != "":
	default:
		return ""
	}
	names := append(s.config.tokenNames(refused.Host, host), ownTokens(refused.Host, known)...)
	if len(names) == 0 {
		return ""
	}
	hint := fmt.Sprintf("a token for %s is taken from %s", refused.Host, names[0])
	switch host.Kind {
	case source.GitHub:
		hint += ", or from gh, where you are signed in there"
	case source.GitLab:
		hint += ", or from glab, where you are signed in there"
	}
	return hint
}
