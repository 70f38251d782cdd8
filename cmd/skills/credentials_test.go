package main

import (
	"strings"
	"testing"
	"time"

	"skills/fetch/credential"
)

// Each token is for its own kind of host, or for one host: item 9 of what users expect, and "GitHub token offered to a GitLab host" of what they report.
func TestTokensAreForTheirHosts(t *testing.T) {
	all := []string{
		"GITHUB_TOKEN=a", "GH_TOKEN=b", "GITLAB_TOKEN=c", "BITBUCKET_TOKEN=d", "AZURE_DEVOPS_TOKEN=e", "GITEA_TOKEN=f", "CORP_TOKEN=g",
		"SKILLS_TOKEN_CODE_CORP_EXAMPLE=h", "SKILLS_TOKEN_CODE_CORP_EXAMPLE_8443=i", "SKILLS_TOKEN_=j",
	}
	s := &session{config: configuration{Host: map[string]hostConfiguration{
		"ghe.corp.example": {Kind: "github"}, "own.corp.example": {Kind: "github", TokenEnv: "CORP_TOKEN"}, "lab.corp.example": {Kind: "gitlab"},
		"bare.corp.example": {}, "unset.corp.example": {Kind: "github", TokenEnv: "NOT_SET"},
	}}}
	s.hosts = s.config.hosts()
	var err error
	if s.env, err = readEnvironment(append([]string{"HOME=" + t.TempDir()}, all...), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		"github.com": "x-access-token GITHUB_TOKEN", "gitlab.com": "oauth2 GITLAB_TOKEN", "bitbucket.org": "x-token-auth BITBUCKET_TOKEN",
		"dev.azure.com": "x-access-token AZURE_DEVOPS_TOKEN", "codeberg.org": "x-access-token GITEA_TOKEN",
		"ghe.corp.example": "x-access-token GITHUB_TOKEN", "ghe.corp.example:8443": "x-access-token GITHUB_TOKEN",
		"own.corp.example": "x-access-token CORP_TOKEN", "own.corp.example:8443": "x-access-token CORP_TOKEN", "lab.corp.example": "oauth2 GITLAB_TOKEN",
		"code.corp.example": "x-access-token SKILLS_TOKEN_CODE_CORP_EXAMPLE", "code.corp.example:8443": "x-access-token SKILLS_TOKEN_CODE_CORP_EXAMPLE_8443",
		"code.corp.example:9443": "x-access-token SKILLS_TOKEN_CODE_CORP_EXAMPLE",
		// No token is for these, however their names look.
		"bare.corp.example": "", "unset.corp.example": "", "tenant.ghe.com": "", "gitea.com": "", "example.com": "", "github.com.evil.example": "", "gitlab.example": "", "huggingface.co": "",
		"github1s.com": "", "github.dev": "", "www.github.com": "", "ssh.github.com": "",
	} {
		got, err := s.variables(t.Context(), credential.Request{Host: host})
		if user, from, _ := strings.Cut(want, " "); err != nil || got.From != from || got.User != user || got.Token != (want != "") {
			t.Errorf("%s: %q from %q, %v, want %q", host, got.User, got.From, err, want)
		}
	}
}

func TestSizesAreNumbersWithUnits(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "1": 1, "1B": 1, "100 B": 100, "1k": 1000, "1kB": 1000, "1KiB": 1024, "2MB": 2e6, "2 MiB": 2 << 20, "3G": 3e9, "3GiB": 3 << 30,
		"": -1, "MB": -1, "-1": -1, "1.5MB": -1, "1 TB": -1, "1e9": -1, "999999999999GiB": -1, "1MB ": -1, "0x10": -1,
	} {
		var got size
		if err := got.UnmarshalText([]byte(text)); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	var d duration
	if err := d.UnmarshalText([]byte("1m30s")); err != nil || time.Duration(d) != 90*time.Second {
		t.Errorf("got %v, %v", d, err)
	}
}

// The authority of a proxy that opens TLS comes by a variable; a file that is not there is told, for without it nothing could be trusted.
func TestAuthoritiesComeFromSSLCertFile(t *testing.T) {
	m := newMachine(t, "kit.txtar")
	m.configure(t, "[host.\"github.com\"]\nconnect = \"FORGE\"\n")
	for _, test := range []struct {
		file string
		exit int
		says string
	}{
		{m.forge.CAFile(), 0, "added notes"},
		{m.path("none.pem"), 2, "SSL_CERT_FILE cannot be read"},
	} {
		command := m.command("project", "add", "acme/kit/skills/notes")
		command.Env = append(command.Env, "SSL_CERT_FILE="+test.file)
		out, _ := command.CombinedOutput()
		if exit := command.ProcessState.ExitCode(); exit != test.exit || !strings.Contains(string(out), test.says) {
			t.Errorf("%s: exit status %d\n%s", test.file, exit, out)
		}
	}
}
