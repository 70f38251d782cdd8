package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server starts a program of Debian that listens on the loopback interface, and ends it with the test. It is skipped where the program is not on the machine.
func server(t *testing.T, address, name string, arguments ...string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/" + name) // which not everybody has in PATH
	}
	if err != nil {
		t.Skipf("%s is not on this machine", name)
	}
	var said bytes.Buffer
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = command.Process.Kill()
			<-ended
		}
	})
	for end := time.Now().Add(20 * time.Second); ; {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s: %v\n%s", name, err, said.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen at %s", name, address)
		}
	}
}

// write makes a file in a directory of the test.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// selfSigned makes a certificate for a host, which is its own authority, and its key.
func selfSigned(t *testing.T, dir, host string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certificate, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})))
	return certificate, key
}

// httpBackend serves the repositories of a machine's forge by git's own server for HTTP. Credentials that come are an error.
func httpBackend(t *testing.T, m *machine, repository string) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	root := m.path("repositories")
	if err := errors.Join(os.MkdirAll(root+"/acme", 0o755), os.Symlink(m.forge.Repo(repository).GitDir(), root+"/acme/kit.git")); err != nil {
		t.Fatal(err)
	}
	handler := &cgi.Handler{Path: git, Args: []string{"http-backend"}, Dir: root, Stderr: io.Discard, Env: []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_CONFIG_KEY_1=uploadpack.allowFilter", "GIT_CONFIG_VALUE_1=true",
		"GIT_CONFIG_KEY_2=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_2=true",
	}}
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("a credential came without TLS")
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(backend.Close)
	return backend.URL
}

// nginxText is nginx as people put it before a git server: TLS with HTTP/2, passwords, a log of who asked for what.
const nginxText = `daemon off;
%[1]s
pid DIR/nginx.pid;
error_log DIR/error.log;
events {}
http {
  log_format seen '$remote_user $request_method $uri $status $server_protocol $http_git_protocol';
  access_log DIR/access.log seen;
  client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi; uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
  server {
    listen ADDRESS ssl http2;
    server_name git.corp.example;
    ssl_certificate DIR/cert.pem;
    ssl_certificate_key DIR/key.pem;
    location / {
      auth_basic "repositories";
      auth_basic_user_file DIR/passwords;
      proxy_pass BACKEND;
      proxy_set_header Authorization "";
    }
  }
}
`

// nginx starts nginx before a machine's repositories, and leads the machine to it. It gives the path of the log.
func nginx(t *testing.T, m *machine) string {
	t.Helper()
	address, dir := closedPort(t), t.TempDir()
	certificate, _ := selfSigned(t, dir, "git.corp.example")
	sum := sha1.Sum([]byte("pass-secret"))
	write(t, dir+"/passwords", "me:{SHA}"+base64.StdEncoding.EncodeToString(sum[:])+"\n")
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // its workers read the files of this test
	}
	text := strings.NewReplacer("DIR", dir, "ADDRESS", address, "BACKEND", httpBackend(t, m, "github.com/acme/kit")).Replace(fmt.Sprintf(nginxText, user))
	write(t, dir+"/nginx.conf", text)
	server(t, address, "nginx", "-c", dir+"/nginx.conf", "-p", dir, "-e", dir+"/error.log")
	write(t, m.path("config.toml"), fmt.Sprintf("[host.\"git.corp.example\"]\nconnect = %q\nca_file = %q\n", address, certificate))
	return dir + "/access.log"
}

// run runs the program with further variables, and gives its exit status and everything it said.
func (m *machine) run(t *testing.T, environment []string, arguments ...string) (int, string) {
	t.Helper()
	command := m.command("project", arguments...)
	command.Env = append(append(command.Env, "GIT_CONFIG_NOSYSTEM=1"), environment...)
	out, err := command.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), string(out)
}

// secretFree looks for a secret in a text, in the forms in which it travels.
func secretFree(t *testing.T, what, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		for _, user := range []string{"me", "x-access-token", ""} {
			if pair := base64.StdEncoding.EncodeToString([]byte(user + ":" + secret)); strings.Contains(text, secret) || strings.Contains(text, pair) {
				t.Errorf("a secret is in %s:\n%s", what, text)
				return
			}
		}
	}
}

func TestNginxWithPasswordsBeforeGitItself(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		environment      []string
		exit             int
	}{
		{"netrc", "home/.netrc", "machine git.corp.example\n\tlogin me\n\tpassword pass-secret\n", nil, 0},
		{"credential helper", "home/.gitconfig", "[credential]\n\thelper = store --file HOME/stored\n", nil, 0},
		{"its own variable", "home/none", "", []string{"SKILLS_TOKEN_GIT_CORP_EXAMPLE=pass-secret"}, 1}, // which is a token, and nginx wants a user
		{"a wrong password", "home/.netrc", "machine git.corp.example login me password wrong-secret\n", nil, 1},
		{"nothing", "home/none", "", nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, "kit.txtar")
			log := nginx(t, m)
			write(t, m.path(test.file), strings.ReplaceAll(test.text, "HOME", m.path("home")))
			write(t, m.path("home/stored"), "https://me:pass-secret@git.corp.example\n")
			exit, out := m.run(t, test.environment, "add", "https://git.corp.example/acme/kit.git", "-s", "pdf", "-v")
			secretFree(t, "the output", out, "pass-secret", "wrong-secret")
			seen, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			secretFree(t, "nginx's log", string(seen), "pass-secret")
			if exit != test.exit {
				t.Fatalf("exit status %d\n%s\n%s", exit, out, seen)
			}
			if test.exit != 0 {
				if !strings.Contains(out, "is not there, or") || !strings.Contains(out, "(git.corp.example answered 401)") {
					t.Errorf("says %s", out)
				}
				return
			}
			lines := strings.Split(strings.TrimSpace(string(seen)), "\n")
			if lines[0] != "- POST /acme/kit.git/git-upload-pack 401 HTTP/2.0 version=2" || lines[1] != "me POST /acme/kit.git/git-upload-pack 200 HTTP/2.0 version=2" {
				t.Errorf("nginx saw\n%s", seen)
			}
			if strings.Count(string(seen), " 401 ") != 1 {
				t.Errorf("refused more than once:\n%s", seen)
			}
			for _, file := range []string{"skills.toml", "skills.lock"} {
				data, err := os.ReadFile(m.path("project/" + file))
				if err != nil {
					t.Fatal(err)
				}
				secretFree(t, file, string(data), "pass-secret")
			}
		})
	}
}

// C-26: a host without TLS, because config.toml says so. No token goes there, and no other host leads there.
func TestAHostWithoutTLSMustBeConfigured(t *testing.T) {
	m := newMachine(t, "kit.txtar")
	m.forge.Add("-- @site example.com --\n-- x/SKILL.md redirect --\nhttps://git.corp.example/acme/kit.git/SKILL.md\n")
	address := strings.TrimPrefix(httpBackend(t, m, "github.com/acme/kit"), "http://")
	environment := []string{"SKILLS_TOKEN_GIT_CORP_EXAMPLE=good-token"}
	m.configure(t, "[host.\"example.com\"]\nconnect = \"FORGE\"\nca_file = \""+m.forge.CAFile()+"\"\n[host.\"git.corp.example\"]\nallow_http = true\nconnect = \""+address+"\"\n")
	const note = "git.corp.example is asked over http, without encryption"
	if exit, out := m.run(t, environment, "add", "http://git.corp.example/acme/kit.git", "-s", "pdf"); exit != 0 || strings.Contains(out, note) {
		t.Fatalf("exit status %d\n%s", exit, out)
	}
	for _, command := range []string{"add", "show", "resolve"} { // where https is written
		if exit, out := m.run(t, environment, command, "https://git.corp.example/acme/kit.git//skills/pdf"); exit != 0 || !strings.Contains(out, note) {
			t.Errorf("%s: exit status %d\n%s", command, exit, out)
		}
	}
	lock, err := os.ReadFile(m.path("project/skills.lock"))
	if err != nil || !strings.Contains(string(lock), "https://git.corp.example/acme/kit") {
		t.Errorf("%v\n%s", err, lock)
	}
	if exit, out := m.run(t, environment, "add", "https://example.com/x/SKILL.md"); exit != 1 || !strings.Contains(out, "example.com led to it, and it has no TLS") {
		t.Errorf("exit status %d\n%s", exit, out)
	}
	if exit, out := m.run(t, environment, "add", "http://example.com/x/SKILL.md"); exit != 2 || !strings.Contains(out, "is not encrypted") {
		t.Errorf("exit status %d\n%s", exit, out)
	}
}

// relay joins clients to an address and keeps all that passes.
type relay struct {
	net.Listener
	mu     sync.Mutex
	passed bytes.Buffer
}

// Write keeps bytes.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passed.Write(p)
}

// text is what passed until now.
func (r *relay) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passed.String()
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &relay{Listener: l}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go r.join(client, target)
		}
	}()
	return r
}

// join copies both ways until one end is gone.
func (r *relay) join(client net.Conn, target string) {
	defer client.Close()
	other, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer other.Close()
	go func() {
		_, _ = io.Copy(client, io.TeeReader(other, r))
		client.Close()
	}()
	_, _ = io.Copy(other, io.TeeReader(client, r))
}

// tinyproxy starts tinyproxy, which hands on to the machine's forge, for that knows the names of its hosts. It gives the address of a relay before it.
func tinyproxy(t *testing.T, m *machine, settings string) *relay {
	t.Helper()
	address, dir := closedPort(t), t.TempDir()
	_, port, _ := net.SplitHostPort(address)
	write(t, dir+"/tinyproxy.conf", fmt.Sprintf(
		"Listen 127.0.0.1\nPort %s\nAllow 127.0.0.1\nConnectPort 443\nLogFile \"%s/log\"\nLogLevel Info\nPidFile \"%s/pid\"\nUpstream http %s\n%s", port, dir, dir, m.forge.Addr(), settings))
	server(t, address, "tinyproxy", "-d", "-c", dir+"/tinyproxy.conf")
	var config strings.Builder
	for _, host := range []string{"github.com", "codeload.github.com", "example.com"} {
		fmt.Fprintf(&config, "[host.%q]\nca_file = %q\n", host, m.forge.CAFile())
	}
	write(t, m.path("config.toml"), config.String())
	return newRelay(t, address)
}

func TestTinyproxySeesNamesAndNothingElse(t *testing.T) {
	m := newMachine(t, "odd.txtar")
	m.forge.Add(site)
	relay := tinyproxy(t, m, "")
	environment := []string{"HTTPS_PROXY=http://" + relay.Addr().String(), "GITHUB_TOKEN=good-token"}
	if exit, out := m.run(t, environment, "add", "acme/private", "-v"); exit != 0 {
		t.Fatalf("exit status %d\n%s", exit, out)
	}
	if text := relay.text(); !strings.Contains(text, "CONNECT github.com:443") || strings.Contains(text, "acme") {
		t.Errorf("passed %q", text)
	}
	secretFree(t, "what passed", relay.text(), "good-token")
	for _, r := range m.forge.Requests() {
		if r.Proto != "HTTP/2.0" {
			t.Errorf("through the proxy came %s", r.Proto)
		}
	}

	// The guard looks at the target's name: the proxy is not even asked for an address of its own network.
	m.forge.Add("-- @site example.com --\n-- private/SKILL.md redirect --\nhttps://10.0.0.1/SKILL.md\n-- odd/SKILL.md redirect --\nhttps://10.1/SKILL.md\n")
	for _, page := range []string{"private", "odd"} {
		exit, out := m.run(t, environment, "add", "https://example.com/"+page+"/SKILL.md", "--json")
		var document failure
		if err := json.Unmarshal([]byte(out), &document); err != nil || exit != 4 || document.Error.Code != "private_address" {
			t.Errorf("%s: exit status %d, %v\n%s", page, exit, err, out)
		}
	}
	if text := relay.text(); !strings.Contains(text, "CONNECT example.com:443") || strings.Contains(text, "CONNECT 10.") {
		t.Errorf("passed %q", text)
	}

	// NO_PROXY goes past it, where nothing is: the name has no address.
	exit, out := m.run(t, append(environment, "NO_PROXY=.invalid"), "add", "https://host.invalid/x/SKILL.md", "--json")
	if exit != 1 || !strings.Contains(out, `"code": "dns"`) || strings.Contains(relay.text(), "host.invalid") {
		t.Errorf("exit status %d\n%s", exit, out)
	}
}

func TestTinyproxyWithAPassword(t *testing.T) {
	m := newMachine(t, "odd.txtar")
	relay := tinyproxy(t, m, "BasicAuth me pass-secret\n")
	for _, test := range []struct {
		user string
		exit int
		says string
	}{
		{"me:pass-secret@", 0, "added private"},
		{"me:wrong-secret@", 1, "is not reached through the proxy"},
		{"", 1, "hint: the proxy wants to know who asks"},
	} {
		environment := []string{"https_proxy=http://" + test.user + relay.Addr().String(), "GITHUB_TOKEN=good-token"}
		exit, out := m.run(t, environment, "add", "acme/private", "-v")
		secretFree(t, "the output", out, "pass-secret", "wrong-secret", "good-token")
		if exit != test.exit || !strings.Contains(out, test.says) {
			t.Errorf("%q: exit status %d\n%s", test.user, exit, out)
		}
		if exit == 0 {
			if exit, out := m.run(t, environment, "remove", "private"); exit != 0 {
				t.Fatal(out)
			}
			if err := os.RemoveAll(m.path("cache")); err != nil {
				t.Fatal(err)
			}
		}
	}
}
