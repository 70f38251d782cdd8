// Package credential finds what opens a private repository: tokens that are at hand, the sign-in programs of GitHub and GitLab,
// git's credential helpers, a netrc file.
//
// Each of these is a [Source]; [First] asks several in their order, and [Once] sees to it that a host is looked up once.
//
// Rules:
//
//   - a credential is for one host. A source is asked with that host and gives nothing that was meant for another: the "default"
//     of a netrc file is not used, and programs do not see the variables in which tokens for whatever host may be;
//   - programs are run only when the host has refused a request ([Request].Refused), without a terminal and without a question;
//     time and output are bounded, and no secret stands in their arguments;
//   - git's helpers are asked to fill in, and are never told that a credential was good or bad: a helper that gave one has it
//     already, and hosts refuse good ones for many reasons, upon which a helper would forget it;
//   - a [Credential] says where it was found, for messages, and does not show its password when it is printed.
//
// Nothing here reads the environment: programs run in that of [Programs], files come as functions.
//
// Use:
//
//	programs := credential.Programs{Find: exec.LookPath, Env: os.Environ(), Dir: cache}
//	find := credential.Once(credential.First(credential.GitHubCLI(programs.Run), credential.GitHelpers(programs.Run)))
//	found, err := find(ctx, credential.Request{Host: "github.com", Refused: true})
package credential

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Credential opens a private repository. The zero value means that there is none.
type Credential struct {
	User     string // "x-access-token" for a token of GitHub
	Password string `json:"-"`
	Token    bool   // Password is a token: what is not git's takes it as a bearer
	From     string // where it was found, such as "GITHUB_TOKEN" or "gh auth token"
}

// IsZero reports whether there is none.
func (c Credential) IsZero() bool { return c.User == "" && c.Password == "" }

// String says where the credential is from, and nothing of itself.
func (c Credential) String() string {
	if c.IsZero() {
		return "no credential"
	}
	return "the credential from " + c.From
}

// GoString is String, so that no way of printing shows more.
func (c Credential) GoString() string { return c.String() }

// Request says what a credential is wanted for.
type Request struct {
	Host    string // "git.corp.example", with ":port" where that is not 443
	Path    string // of the repository, without a slash before it; git's helpers may want it
	Refused bool   // the host refused a request without one
}

// name is the host without its port.
func (r Request) name() string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return r.Host
}

// Source finds a credential. The zero value and no error mean that it has none.
type Source func(context.Context, Request) (Credential, error)

// First asks sources in turn for the first credential. A source that fails does not keep the others from being asked; the errors
// are those of First when nothing was found.
func First(sources ...Source) Source {
	return func(ctx context.Context, r Request) (Credential, error) {
		var failures []error
		for _, source := range sources {
			found, err := source(ctx, r)
			if err == nil {
				err = found.check()
			}
			switch {
			case ctx.Err() != nil:
				return Credential{}, ctx.Err()
			case err != nil:
				failures = append(failures, err)
			case !found.IsZero():
				return found, nil
			}
		}
		return Credential{}, errors.Join(failures...)
	}
}

// check refuses what would be no header of HTTP.
func (c Credential) check() error {
	if strings.ContainsFunc(c.User+c.Password, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("%s holds control characters", c)
	}
	return nil
}

// Once remembers what a source gave for a host, before it refused and after: each is asked once, also by callers at the same time, who
// wait for no longer than their contexts last. What a done context cut off is not remembered.
func Once(source Source) Source {
	type question struct {
		host    string
		refused bool
	}
	type answer struct {
		turn  chan struct{} // holds a token, of who asks
		known bool
		found Credential
		err   error
	}
	var mu sync.Mutex
	answers := map[question]*answer{}
	return func(ctx context.Context, r Request) (Credential, error) {
		mu.Lock()
		a := answers[question{r.Host, r.Refused}]
		if a == nil {
			a = &answer{turn: make(chan struct{}, 1)}
			answers[question{r.Host, r.Refused}] = a
		}
		mu.Unlock()
		select {
		case a.turn <- struct{}{}:
			defer func() { <-a.turn }()
		case <-ctx.Done():
			return Credential{}, ctx.Err()
		}
		if !a.known {
			a.found, a.err = source(ctx, r)
			a.known = ctx.Err() == nil
		}
		return a.found, a.err
	}
}
