package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

// failure is the document of a command that failed.
type failure struct {
	Error struct {
		Code, Message, Hint string
		Fields              map[string]any
	}
}

// site is a web site that goes wrong in several ways.
const site = `
-- @site example.com --
-- page/SKILL.md type=text/html --
<!DOCTYPE html>
<title>Sign in</title>
-- pack.tar.gz type=application/gzip --
no archive at all
-- big/SKILL.md --
---
name: big
description: Has more bytes than are wanted.
---
-- inside/SKILL.md redirect --
https://127.0.0.1/SKILL.md
-- plain/SKILL.md redirect --
http://example.com/big/SKILL.md
-- loop/SKILL.md redirect --
https://example.com/loop/SKILL.md
`

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// failing is one way in which a source cannot be had.
type failing struct {
	name, source string
	environment  string
	config       string // in place of the one that leads to the forge
	site         string // besides the usual one
	faults       []fetchtest.Fault
	exit         int
	code         string
	says, hint   string // parts
	fields       string // that must be there
}

// Each way in which a source cannot be had has a code, a hint and an exit status of its own: S0-22, S2-35, S4-31, rows 11 and 12 of
// table 3.9, rows 2, 4 and 5 of table 3.10, and item 10 of what users expect.
func TestFailuresAreToldApart(t *testing.T) {
	closed := closedPort(t)
	late := []string{"X-RateLimit-Reset", "4102444800"} // 2100, whatever the day of the test
	for _, test := range []failing{
		{name: "S4-31 not found", source: "acme/nothing", exit: 1, code: "not_found", says: "is not there, or is private", hint: "GITHUB_TOKEN", fields: "host status"},
		{name: "3.9/11 not found, or no access", source: "acme/private", environment: "GITHUB_TOKEN=wrong-secret", exit: 1, code: "not_found",
			says: "or the credential from GITHUB_TOKEN has no access to it (github.com answered 401)", hint: "the credential from GITHUB_TOKEN must be valid", fields: "host status tried"},
		{name: "not found on the web", source: "https://example.com/none/SKILL.md", exit: 1, code: "not_found", says: "404", hint: "check the spelling", fields: "host status"},
		{name: "S0-22 forbidden", source: "acme/kit", faults: []fetchtest.Fault{{Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden",
			says: "gives no access to github.com/acme/kit", hint: "token", fields: "host status"},
		{name: "S0-22 forbidden with a token", source: "acme/kit", environment: "GH_TOKEN=wrong-secret", faults: []fetchtest.Fault{{Do: fetchtest.Answer(403, "")}}, exit: 1, code: "forbidden",
			says: "gives no access to github.com/acme/kit with the credential from GH_TOKEN", hint: "check the rights of the credential from GH_TOKEN", fields: "tried"},
		{name: "S0-22 C-28 3.10/14 rate limited", source: "acme/kit", faults: []fetchtest.Fault{{Do: fetchtest.Answer(429, "", late...)}}, exit: 1, code: "rate_limited",
			says: "allows no more requests until 2100-01-01T00:00:00Z", hint: "a token for", fields: "host status reset"},
		{name: "C-28 rate limited with a token", source: "acme/kit", environment: "GITHUB_TOKEN=wrong-secret", faults: []fetchtest.Fault{{Do: fetchtest.Answer(429, "", late...)}}, exit: 1, code: "rate_limited",
			says: "allows no more requests until", hint: "this is the limit of the credential from GITHUB_TOKEN", fields: "tried reset"},
		{name: "network down", source: "acme/kit", config: "[host.\"github.com\"]\nconnect = \"" + closed + "\"\n", exit: 1, code: "network",
			says: "github.com cannot be reached", hint: "check the connection", fields: "host"},
		{name: "no such name", source: "https://host.invalid/x/SKILL.md", exit: 1, code: "dns", says: "host.invalid has no address", hint: "check how host.invalid is spelt", fields: "host"},
		{name: "no trust", source: "acme/kit", config: "[host.\"github.com\"]\nconnect = \"FORGE\"\n", exit: 1, code: "tls",
			says: "gives no connection that can be trusted", hint: "SSL_CERT_FILE", fields: "host"},
		{name: "3.10/15 proxy", source: "https://host.invalid/x/SKILL.md", environment: "HTTPS_PROXY=http://me:wrong-secret@" + closed, exit: 1, code: "proxy",
			says: "host.invalid is not reached through the proxy", hint: "check HTTPS_PROXY", fields: "host"},
		{name: "3.10/15 proxy that lets nothing through", source: "https://host.invalid/x/SKILL.md", environment: "https_proxy=http://FORGE", exit: 1, code: "proxy",
			says: "answered 502", hint: "NO_PROXY", fields: "host status"},
		{name: "3.10/15 proxy that cannot be meant", source: "acme/kit", environment: "HTTPS_PROXY=ftp://me:wrong-secret@proxy", exit: 2, code: "invalid_config",
			says: "HTTPS_PROXY is no address of a proxy", hint: "correct the variable"},
		{name: "3.10/11 timeout", source: "acme/kit", config: "USUAL\n[limits]\ntime = \"200ms\"\n", faults: []fetchtest.Fault{{Do: fetchtest.Stall(-1)}}, exit: 1, code: "timeout",
			says: "did not answer in time", hint: "time in [limits]", fields: "host"},
		{name: "not a skill page", source: "https://github.com/acme/kit/issues/1", exit: 2, code: "not-a-skill-page", says: "issues", hint: "https://github.com/acme/kit"},
		{name: "3.9/12 a page to sign in", source: "https://example.com/page/SKILL.md", exit: 1, code: "wrong_content", says: "is a web page", hint: "a page that asks to sign in needs a token"},
		{name: "3.9/12 bad archive", source: "https://example.com/pack.tar.gz", exit: 1, code: "wrong_content", says: "example.com/pack.tar.gz"},
		{name: "3.9/12 archive cut short", source: "https://example.com/pack.tar.gz", faults: []fetchtest.Fault{{Do: fetchtest.Cut(3)}}, exit: 1, code: "network", says: "example.com", hint: "check the connection"},
		{name: "S2-35 too large", source: "https://example.com/big/SKILL.md", config: "USUAL\n[limits]\nfile = 20\n", exit: 1, code: "too_large", says: "https://example.com/big/SKILL.md is larger than 20 bytes", hint: "[limits]"},
		{name: "S2-35 3.10/5 private address", source: "https://example.com/inside/SKILL.md", exit: 4, code: "private_address", says: "127.0.0.1 is not on the public network",
			hint: `[host."127.0.0.1"]`, fields: "host"},
		{name: "S2-35 private address as a source", source: "https://10.0.0.1/SKILL.md", exit: 4, code: "private-address", says: "not public", hint: "configure"},
		{name: "S2-35 3.10/4 from https to http", source: "https://example.com/plain/SKILL.md", exit: 1, code: "fetch_failed", says: "only https is allowed"},
		{name: "S2-35 3.10/2 endless redirect", source: "https://example.com/loop/SKILL.md", exit: 1, code: "fetch_failed", says: "more than 3 redirects"},
		{name: "C-26 http", source: "http://example.com/big/SKILL.md", exit: 2, code: "insecure-scheme", says: "http://example.com", hint: "https://"},
		{name: "S2-35 credentials", source: "https://me:wrong-secret@example.com/big/SKILL.md", exit: 2, code: "credentials", says: "carries credentials", hint: "token in the environment"},
	} {
		t.Run(test.name, test.run)
	}
}

// run adds the source and compares what the error says; nothing may be written, and each error says what to do next.
func (test failing) run(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "kit.txtar", "odd.txtar")
	m.forge.Add(site + test.site)
	for _, fault := range test.faults {
		m.forge.Fault(fault)
	}
	m.configure(t, test.config)
	command := m.command("project", "add", test.source, "--json", "-v")
	command.Env = append(command.Env, strings.ReplaceAll(test.environment, "FORGE", m.forge.Addr()))
	var errors strings.Builder
	command.Stderr = &errors
	out, _ := command.Output()
	var document failure
	if err := json.Unmarshal(out, &document); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := document.Error
	if exit := command.ProcessState.ExitCode(); exit != test.exit || got.Code != test.code {
		t.Errorf("exit status %d, code %s: %s\nhint: %s", exit, got.Code, got.Message, got.Hint)
	}
	if !strings.Contains(got.Message, test.says) || !strings.Contains(got.Hint, test.hint) || got.Hint == "" {
		t.Errorf("says %q\nhint: %s", got.Message, got.Hint)
	}
	for _, field := range strings.Fields(test.fields) {
		if got.Fields[field] == nil {
			t.Errorf("no field %s in %v", field, got.Fields)
		}
	}
	if all := string(out) + errors.String(); strings.Contains(all, "wrong-secret") {
		t.Errorf("a secret is shown: %s", all)
	}
	if entries, err := os.ReadDir(m.path("project")); err != nil || len(entries) != 1 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
}

// configure writes the configuration: "" or USUAL stands for the one that leads all hosts to the forge, FORGE for its address, CA for its authority.
func (m *machine) configure(t *testing.T, text string) {
	t.Helper()
	var usual strings.Builder
	for _, host := range []string{"github.com", "codeload.github.com", "raw.githubusercontent.com", "api.github.com", "gitlab.com", "example.com", "private.example", "git.corp.example"} {
		fmt.Fprintf(&usual, "[host.%q]\nconnect = %q\nca_file = %q\n", host, m.forge.Addr(), m.forge.CAFile())
	}
	if text == "" {
		text = "USUAL"
	}
	text = strings.NewReplacer("USUAL", usual.String(), "FORGE", m.forge.Addr(), "CA", m.forge.CAFile()).Replace(text)
	if err := os.WriteFile(m.path("config.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
