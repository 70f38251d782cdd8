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

// The name of a variable leads to one host, whatever others are called; the plain name, where "-" is "_" too, only to hosts that are known.
func TestAVariableIsForOneHost(t *testing.T) {
	s := &session{config: configuration{Host: map[string]hostConfiguration{"my-git.corp.example": {}, "odd_host": {}, "[::1]:8443": {}}}}
	s.hosts = s.config.hosts()
	for _, test := range []struct{ host, name, plain string }{
		{"git.corp.example", "SKILLS_TOKEN_GIT_CORP_EXAMPLE", ""},
		{"git.corp.example:8443", "SKILLS_TOKEN_GIT_CORP_EXAMPLE_8443", ""},
		{"git-corp.example", "SKILLS_TOKEN_GIT__CORP_EXAMPLE", ""},
		{"git.corp-example", "SKILLS_TOKEN_GIT_CORP__EXAMPLE", ""},
		{"git--corp.example", "SKILLS_TOKEN_GIT____CORP_EXAMPLE", ""},
		{"Xn--Bcher-Kva.example", "SKILLS_TOKEN_XN____BCHER__KVA_EXAMPLE", ""},
		{"10.0.0.7:8443", "SKILLS_TOKEN_10_0_0_7_8443", ""},
		{"localhost", "SKILLS_TOKEN_LOCALHOST", ""},
		// No name of a host may look like another one.
		{"git.corp.example.8443", "", ""},
		{"10.0.0.7.8443", "", ""},
		{"git_corp.example", "", ""},
		{"git-.corp.example", "", ""},
		{"git.-corp.example", "", ""},
		{"git..corp.example", "", ""},
		{"", "", ""},
		// Hosts that were configured, or are in the table.
		{"my-git.corp.example", "SKILLS_TOKEN_MY__GIT_CORP_EXAMPLE", "SKILLS_TOKEN_MY_GIT_CORP_EXAMPLE"},
		{"my-git.corp.example:8443", "SKILLS_TOKEN_MY__GIT_CORP_EXAMPLE_8443", "SKILLS_TOKEN_MY_GIT_CORP_EXAMPLE_8443"},
		{"my-git.corp.example:9443", "SKILLS_TOKEN_MY__GIT_CORP_EXAMPLE", "SKILLS_TOKEN_MY_GIT_CORP_EXAMPLE"},
		{"my-org.ghe.com", "SKILLS_TOKEN_MY__ORG_GHE_COM", "SKILLS_TOKEN_MY_ORG_GHE_COM"},
		{"odd_host", "", "SKILLS_TOKEN_ODD_HOST"},
		{"[::1]:8443", "", "SKILLS_TOKEN____1__8443"},
	} {
		for _, name := range []string{test.name, test.plain} {
			if name == "" {
				continue
			}
			s.env = environment{variables: map[string]string{name: "secret"}}
			if got, err := s.variables(t.Context(), credential.Request{Host: test.host}); err != nil || got.From != name {
				t.Errorf("%s: from %q, %v, want %s", test.host, got.From, err, name)
			}
		}
		all := map[string]string{}
		for _, name := range []string{
			"", "_", "GIT_CORP_EXAMPLE", "GIT_CORP_EXAMPLE_8443", "10_0_0_7_8443", "10_0_0_7", "GIT__CORP_EXAMPLE", "GIT___CORP_EXAMPLE", "GIT____CORP_EXAMPLE", "GIT_CORP__EXAMPLE",
			"XN__BCHER_KVA_EXAMPLE", "XN____BCHER__KVA_EXAMPLE", "LOCALHOST",
		} {
			all["SKILLS_TOKEN_"+name] = "secret"
		}
		s.env = environment{variables: all}
		if got, err := s.variables(t.Context(), credential.Request{Host: test.host}); err != nil || test.plain == "" && got.From != test.name {
			t.Errorf("%s: from %q, %v, want %s alone", test.host, got.From, err, test.name)
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
