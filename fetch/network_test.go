package fetch

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"skills/fetch/credential"
	"skills/fetch/internal/web"
	"skills/source"
)

// authorizing is a client with hosts of its own. Its credentials tell for which host they are: "Bearer github.com" shows that GitHub's went out.
func authorizing(t *testing.T, asked *[]credential.Request) *Client {
	t.Helper()
	hosts := source.DefaultHosts().With(source.Host{Name: "git.corp.example", Kind: source.GitHub, AllowPort: true, Aliases: []string{"alias.corp.example"}}).
		With(source.Host{Name: "lab.corp.example", Kind: source.GitLab, Raw: "https://files.corp.example"}).
		With(source.Host{Name: "bare.example"})
	c, err := New(Config{Hosts: hosts, Credential: func(_ context.Context, r credential.Request) (credential.Credential, error) {
		*asked = append(*asked, r)
		return credential.Credential{User: "u", Password: r.Host, Token: r.Host != "bare.example", From: "a test"}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github.com", "git.corp.example", "lab.corp.example", "dev.azure.com"} {
		host, _ := hosts.Lookup(name)
		c.trust(host, source.Locator{Kind: source.Git, Host: name, Owner: "o", Repo: "r"})
	}
	return c
}

// sent reads an Authorization header: its scheme, and the host whose credential it is.
func sent(header string) string {
	pair, ok := strings.CutPrefix(header, "Basic ")
	if !ok {
		return header
	}
	decoded, err := base64.StdEncoding.DecodeString(pair)
	if err != nil {
		return err.Error()
	}
	return "Basic " + string(decoded)
}

func TestCredentialsAreForTheirHostAndItsServices(t *testing.T) {
	for _, test := range []struct {
		name, address, origin string
		status                int
		want                  string
	}{
		{"a public host before it refused", "https://github.com/o/r.git/git-upload-pack", "", 0, ""},
		{"a public host that refused", "https://github.com/o/r.git/git-upload-pack", "", 401, "Basic u:github.com"},
		{"its list of refs", "https://github.com/o/r.git/info/refs?service=git-upload-pack", "", 404, "Basic u:github.com"},
		{"its API", "https://api.github.com/repos/o/r/commits/abc", "github.com", 404, "Bearer github.com"},
		{"its API, asked by itself", "https://api.github.com/repos/o/r/commits/abc", "", 403, "Bearer github.com"},
		{"its archives", "https://codeload.github.com/o/r/tar.gz/main", "github.com", 404, "Bearer github.com"},
		{"its files", "https://raw.githubusercontent.com/o/r/main/SKILL.md", "github.com", 404, "Bearer github.com"},
		{"its quota", "https://api.github.com/repos/o/r", "github.com", 429, "Bearer github.com"},
		{"another kind of host", "https://gitlab.com/o/r.git/git-upload-pack", "", 401, "Basic u:gitlab.com"},
		{"a host that a redirect led to", "https://gitlab.com/o/r.git/git-upload-pack", "github.com", 401, ""},
		{"a stranger that a redirect led to", "https://evil.example/o/r.git/git-upload-pack", "github.com", 401, ""},
		{"one's own host that a stranger led to", "https://git.corp.example/x", "evil.example", 0, ""},
		{"GitHub, where a stranger led", "https://github.com/o/r.git/info/refs", "evil.example", 401, ""},
		{"a name that only looks like it", "https://github.com.evil.example/o/r.git/info/refs", "github.com", 401, ""},
		{"one's own host", "https://git.corp.example/o/r.git/git-upload-pack", "", 0, "Basic u:git.corp.example"},
		{"one's own host at a port", "https://git.corp.example:8443/o/r.git/git-upload-pack", "", 0, "Basic u:git.corp.example:8443"},
		{"another port of it", "https://git.corp.example:9443/x", "git.corp.example:8443", 401, ""},
		{"its API below its path", "https://git.corp.example/api/v3/repos/o/r", "", 0, "Bearer git.corp.example"},
		{"a service that was configured", "https://lab.corp.example/o/r/-/raw/main/x", "lab.corp.example", 0, "Bearer lab.corp.example"},
		{"Azure, whose tokens are passwords", "https://dev.azure.com/o/p/_apis/git/repositories/r/items", "", 401, "Basic u:dev.azure.com"},
		{"a password", "https://bare.example/x.zip", "", 0, "Basic u:bare.example"},
		{"a page of a stranger that is not there", "https://strange.example/x/SKILL.md", "", 404, ""},
		{"a host that shows GitHub's pages", "https://github1s.com/o/r/main/SKILL.md", "", 401, "Bearer github1s.com"},
		{"a host that shows GitHub's pages, where GitHub led", "https://github1s.com/o/r/main/SKILL.md", "github.com", 401, ""},
		{"GitHub, where a host that shows its pages led", "https://github.com/o/r", "github1s.com", 401, ""},
		{"another name of GitHub", "https://github.dev/o/r", "github.com", 404, ""},
		{"a name before GitHub's", "https://www.github.com/o/r", "github.com", 404, ""},
		{"another name of one's own host", "https://alias.corp.example/o/r", "git.corp.example", 401, ""},
		{"a tenant", "https://tenant.ghe.com/o/r.git/info/refs", "", 401, "Basic u:tenant.ghe.com"},
		{"a stranger that refuses", "https://strange.example/x/SKILL.md", "", 401, "Bearer strange.example"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []credential.Request
			c := authorizing(t, &asked)
			u, err := url.Parse(test.address)
			if err != nil {
				t.Fatal(err)
			}
			challenge := web.Challenge{URL: u, Origin: test.origin, Status: test.status}
			if test.origin == "" {
				challenge.Origin = challenge.Host()
			}
			got, err := c.authorize(t.Context(), challenge)
			if err != nil || sent(got.Header) != test.want || (got.From != "") != (test.want != "") {
				t.Errorf("sends %q, %v, want %q", sent(got.Header), err, test.want)
			}
			for _, r := range asked {
				if r.Refused != (test.status != 0) {
					t.Errorf("asked %+v after %d", r, test.status)
				}
			}
		})
	}
}

func TestAHostThatRefusedOnceIsAskedWithItsCredentialAtOnce(t *testing.T) {
	var asked []credential.Request
	c := authorizing(t, &asked)
	for i, status := range []int{0, 401, 0} {
		u := &url.URL{Scheme: "https", Host: "github.com", Path: "/o/r.git/info/refs"}
		got, err := c.authorize(t.Context(), web.Challenge{URL: u, Origin: "github.com", Status: status})
		if err != nil || (got.Header != "") != (i > 0) {
			t.Errorf("step %d: %q, %v", i, got.Header, err)
		}
	}
	if len(asked) != 1 || asked[0] != (credential.Request{Host: "github.com", Path: "o/r.git", Refused: true}) {
		t.Errorf("asked %+v", asked)
	}
}
