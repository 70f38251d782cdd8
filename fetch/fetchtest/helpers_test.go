package fetchtest_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/fetch/fetchtest"
)

// acme is a repository with all kinds of entries, two commits on main, a branch with a slash, tags of both kinds, and a pull request.
const acme = `Two commits, two branches, two tags.
-- @repo github.com/acme/skills --
-- skills/pdf/SKILL.md --
---
name: pdf
---
-- skills/pdf/run.sh exec --
#!/bin/sh
-- skills/link symlink --
pdf/SKILL.md
-- @tag v1 --
-- @commit Second commit --
-- skills/pdf/SKILL.md --
changed
-- "with blank.md" --
x
-- bin base64 --
AAEC/w==
-- @tag v2 --
Second release.
-- @branch feature/x v1 --
-- vendor/x gitlink --
1111111111111111111111111111111111111111
-- only-here.md --
On the branch.
-- @ref refs/pull/1/head --
`

// git runs the machine's git against the forge and returns what it printed.
func git(t *testing.T, f *fetchtest.Forge, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(f, dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func tryGit(f *fetchtest.Forge, dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), f.Environ()...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// clone clones a repository and returns the directory.
func clone(t *testing.T, f *fetchtest.Forge, url string, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	git(t, f, "", append(append([]string{"clone", "--quiet"}, args...), url, dir)...)
	return dir
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
	err  error // of reading the body
}

// get asks once, without following redirects; header holds pairs of names and values.
func get(t *testing.T, client *http.Client, url string, header ...string) answer {
	t.Helper()
	return do(t, client, http.MethodGet, url, nil, header...)
}

func do(t *testing.T, client *http.Client, method, url string, body io.Reader, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := client.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return answer{response, string(content), err}
}

// clients are one client for each version of HTTP, made of nothing but the address book and the certificate.
func clients(t *testing.T, f *fetchtest.Forge) map[string]*http.Client {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(f.CA()) {
		t.Fatal("the certificate of the authority is not PEM")
	}
	one := &http.Transport{DialContext: f.Dial, TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(one.CloseIdleConnections)
	return map[string]*http.Client{"HTTP/1.1": {Transport: one}, "HTTP/2.0": f.Client()}
}

// packets writes lines as packet lines; "" is the delimiter. A flush ends them.
func packets(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		if line == "" {
			b.WriteString("0001")
			continue
		}
		fmt.Fprintf(&b, "%04x%s\n", len(line)+5, line)
	}
	return b.String() + "0000"
}

// command posts a command of protocol version 2.
func command(t *testing.T, f *fetchtest.Forge, url string, lines ...string) answer {
	t.Helper()
	return do(t, f.Client(), http.MethodPost, url+"/git-upload-pack", strings.NewReader(packets(lines...)),
		"Content-Type", "application/x-git-upload-pack-request", "Git-Protocol", "version=2")
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func contains(t *testing.T, what, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: %q is not in %q", what, part, text)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// unpackObjects writes the objects of a pack one by one into a git directory.
func unpackObjects(t *testing.T, gitDir, pack string) {
	t.Helper()
	cmd := exec.Command("git", "--git-dir="+gitDir, "unpack-objects", "-q")
	cmd.Stdin = strings.NewReader(pack)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git unpack-objects: %v\n%s", err, out)
	}
}
