package gitssh

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitclone"
)

// check checks an error: its code, and parts of its text and hint.
func check(t *testing.T, err error, code gitclone.Code, text, hint string) {
	t.Helper()
	var e *gitclone.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Text, text) || !strings.Contains(e.Hint, hint) {
		t.Errorf("got %+v (%v), want %s, %q, hint %q", e, err, code, text, hint)
	}
}

// closedPort is one where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// silentPort is one where somebody listens and says nothing.
func silentPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// replaced is a file of known hosts in which the server has another key.
func replaced(t *testing.T, server *fetchtest.SSH) string {
	t.Helper()
	if err := server.NewKey("another"); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(server.Dir(), "another.pub"))
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(server.Addr())
	name := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(name, []byte("["+host+"]:"+port+" "+string(key)), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// What goes wrong with a true ssh and a true sshd is told apart, and nothing is asked.
func TestErrorsOfSSHAreToldApart(t *testing.T) {
	forge := fetchtest.New(t, repository)
	server := fetchtest.NewSSH(t, forge)
	if err := server.NewKey("stranger"); err != nil {
		t.Fatal(err)
	}
	nowhere := strings.Repeat("x", 70) // longer than a label of DNS: nobody is asked
	for _, test := range []struct {
		name, command, url string
		code               gitclone.Code
		text, hint         string
	}{
		{"unknown host key", server.Command("key", "-oUserKnownHostsFile="+filepath.Join(t.TempDir(), "none")), scp,
			gitclone.HostKeyUnknown, "the key of github.com is not known", "ssh -T git@github.com"},
		{"changed host key", server.Command("key", "-oUserKnownHostsFile="+replaced(t, server)), "ssh://git@github.com:7999/acme/skills",
			gitclone.HostKeyChanged, "the key of github.com is not the one that is known", "ssh-keygen -R [github.com]:7999"},
		{"another key", server.Command("stranger"), scp, gitclone.Forbidden, "Permission denied (publickey)", "ssh-add"},
		{"no key", server.Command(""), scp, gitclone.Forbidden, "Permission denied (publickey)", "ssh-agent"},
		{"no such host", server.Command("key", "-oHostName="+nowhere), scp, gitclone.DNS, "Could not resolve hostname " + nowhere, "spelling"},
		{"nobody listens", "ssh -p " + closedPort(t) + " " + strings.TrimPrefix(server.Command("key"), "ssh "), scp, gitclone.Network, "Connection refused", "port"},
		{"nobody answers", "ssh -oConnectTimeout=1 -p " + silentPort(t) + " " + strings.TrimPrefix(server.Command("key"), "ssh "), scp, gitclone.Timeout, "timed out", "firewall"},
		{"no repository", server.Command("key"), "git@github.com:acme/none", gitclone.NotFound, "Repository not found", "access"},
		{"bad option", server.Command("key", "-oNothing=1"), scp, gitclone.Failed, "Bad configuration option: nothing", ""},
		{"no program", "no-such-ssh", scp, gitclone.NoGit, "no-such-ssh", "install OpenSSH"},
		{"no program for the shell", "no-such-ssh -i 'key'", scp, gitclone.NoGit, "no-such-ssh", "install OpenSSH"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := New(Config{Command: test.command})
			_, err := mustRemote(t, client, test.url).Refs(t.Context(), "HEAD")
			check(t, err, test.code, test.text, test.hint)
		})
	}
	if err := os.Remove(filepath.Join(server.Dir(), "bin", "git-upload-pack")); err != nil {
		t.Fatal(err)
	}
	_, err := mustRemote(t, New(Config{Command: server.Command("key")}), scp).Refs(t.Context(), "HEAD")
	check(t, err, gitclone.NoGit, "github.com has no git-upload-pack", "installed there")
}

// A key with a passphrase opens when an agent holds it; without one nothing waits for the passphrase.
func TestKeyWithPassphraseComesFromTheAgent(t *testing.T) {
	forge := fetchtest.New(t, repository)
	server := fetchtest.NewSSH(t, forge)
	key, socket := filepath.Join(server.Dir(), "key"), filepath.Join(t.TempDir(), "agent")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	started, err := agent.StdoutPipe()
	if err == nil {
		err = agent.Start()
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = agent.Process.Kill(), agent.Wait() })
	if _, err := started.Read(make([]byte, 1)); err != nil { // it tells its socket when that is there
		t.Fatal(err)
	}
	environ := append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	command := server.Command("key", "-oIdentityAgent=SSH_AUTH_SOCK")
	run := func(program string, args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env = environ
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", program, err, out)
		}
	}
	locked := func() error {
		_, err := mustRemote(t, New(Config{Command: command, Env: environ}), scp).Refs(t.Context(), "HEAD")
		return err
	}
	run("ssh-add", "-q", key)
	run("ssh-keygen", "-q", "-p", "-P", "", "-N", "a passphrase", "-f", key)
	if err := locked(); err != nil {
		t.Errorf("with the agent: %v", err)
	}
	run("ssh-add", "-q", "-D")
	check(t, locked(), gitclone.Forbidden, "Permission denied (publickey)", "ssh-add")
}

func TestAddressesThatSSHCouldMistakeAreRefused(t *testing.T) {
	for _, url := range []string{
		"", "host", "host:", "ssh://host", "ssh://-oProxyCommand=x/o/r", "-oProxyCommand=x:o/r", "git@-oProxyCommand=x:o/r", "ssh://-l@host/o/r", "-l@host:o/r", "a b@host:o/r",
		"ssh://$(x)@host/o/r", "`x`@host:o/r", "git@ho;st:o/r", "git@ho st:o/r", "git@host:o/\nr", "ssh://host/o/%0ar", "ssh://host/%00", "host:-upload-pack", "ssh://[fe80::1%25-x]/o/r",
		"ssh://host:99999999/o/r", "ssh://host:x/o/r", "a@b@c:o/r", ":o/r", "@host:o/r/../\x7f", "ssh://%2Doption/o/r",
	} {
		if r, err := New(Config{}).Remote(url); err == nil {
			t.Errorf("%q is taken: %+v", url, r.address)
		} else {
			check(t, err, gitclone.Failed, "no address", "")
		}
	}
	for url, want := range map[string]address{
		"git@host:o/r":              {gitclone.Peer{User: "git", Host: "host"}, "o/r"},
		"host:/srv/r.git":           {gitclone.Peer{Host: "host"}, "/srv/r.git"},
		"host:~me/r":                {gitclone.Peer{Host: "host"}, "~me/r"},
		"ssh://git@host/o/r.git":    {gitclone.Peer{User: "git", Host: "host"}, "/o/r.git"},
		"ssh://host:22/~me/r":       {gitclone.Peer{Host: "host", Port: "22"}, "~me/r"},
		"ssh://[2001:db8::1]:22/r":  {gitclone.Peer{Host: "2001:db8::1", Port: "22"}, "/r"},
		"ssh://a.b-c+d@192.0.2.1/r": {gitclone.Peer{User: "a.b-c+d", Host: "192.0.2.1"}, "/r"},
		"ssh://host/with%20blank":   {gitclone.Peer{Host: "host"}, "/with blank"},
	} {
		if got, err := parse(url); err != nil || got != want {
			t.Errorf("%s: %+v, %v", url, got, err)
		}
	}
}
