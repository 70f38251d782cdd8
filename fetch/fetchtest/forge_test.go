package fetchtest_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"skills/fetch/fetchtest"
)

// start starts a forge whose failures are collected.
func start(t *testing.T, c fetchtest.Config) (*fetchtest.Forge, *[]string) {
	t.Helper()
	var failures []string
	c.Fail = func(err error) { failures = append(failures, err.Error()) }
	f, err := fetchtest.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, &failures
}

func TestTextsWithMistakesNameTheLine(t *testing.T) {
	tests := []struct{ text, want string }{
		{"-- a.md --\n", "line 1: a.md: a file needs a @repo or @site before it"},
		{"-- @commit x --\n", "line 1: @commit x: it needs a @repo before it"},
		{"comment\n\n-- @repo --\n", "line 3: @repo: it needs a name"},
		{"-- @repo github.com --\n", "line 1: @repo github.com: it needs a name"},
		{"-- @repo a.com/b nonsense=1 --\n", `"nonsense" is no setting`},
		{"-- @repo a.com/b --\n-- a.md exce --\n", `line 2: a.md exce: "exce" is no option of a file`},
		{"-- @repo a.com/b --\n-- a b.md --\n", `"b.md" is no option of a file`},
		{"-- @repo a.com/b --\n-- \"a --\n", "line 2: \"a: the quotes do not close"},
		{"-- @repo a.com/b --\n-- a base64 --\n!\n", "line 2: a base64: illegal base64"},
		{"-- @repo a.com/b --\n-- @tag v1 --\n", "there is no commit yet"},
		{"-- @repo a.com/b --\n-- @tag v1 --\nannotated\n", "there is no commit yet"},
		{"-- @repo a.com/b --\n-- @ref refs/x --\n", "there is no commit yet"},
		{"-- @repo a.com/b --\n-- @branch --\n", "it needs a name"},
		{"-- @repo a.com/b --\n-- a --\n-- @branch x nowhere --\n", `no branch and no tag "nowhere"`},
		{"-- @repo a.com/b --\n-- @delete refs/heads/x --\n", "there is no such ref"},
		{"-- @repo a.com/b --\n-- @push x --\n", "there is no such directive"},
		{"-- @repo a.com/b --\n-- a gitlink --\nnot an id\n", "git fast-import"},
		{"-- @site --\n", "it needs a host"},
		{"-- @site a.com --\n-- a colour=red --\n", `"colour=red" is no option of a page`},
		{"-- @site a.com --\n-- a redirect=x --\n", "invalid syntax"},
		{"-- @site a.com --\n-- a base64 --\n!\n", "illegal base64"},
		{"-- @site a.com --\n-- @commit x --\n", "it needs a @repo before it"},
		{"-- @fault --\n", "it needs a host"},
		{"-- @fault a.com --\n", "it needs one of"},
		{"-- @fault a.com often --\n", `"often" says nothing of a fault`},
		{"-- @fault a.com cut=x --\n", "invalid syntax"},
	}
	for _, test := range tests {
		f, failures := start(t, fetchtest.Config{})
		f.Add(test.text)
		if len(*failures) != 1 || !strings.Contains((*failures)[0], test.want) {
			t.Errorf("%q: failures %q, want %q", test.text, *failures, test.want)
		}
	}
}

func TestFailuresOfMakingRepositories(t *testing.T) {
	f, failures := start(t, fetchtest.Config{})
	f.Repo("github.com/acme/none")
	f.Mount("github.com/acme/none", filepath.Join(t.TempDir(), "none"))
	f.AddFS("github.com/acme/none", os.DirFS(filepath.Join(t.TempDir(), "none")))
	f.AddFS("no-path", fstest.MapFS{})
	f.AddSite("example.com", os.DirFS(filepath.Join(t.TempDir(), "none")))
	f.Add("-- @repo github.com/acme/skills --\n-- a --\n")
	f.Repo("github.com/acme/skills").ID("none")
	bare := f.Repo("github.com/acme/skills").GitDir()
	f.Mount("github.com/acme/mounted", bare)
	f.Add("-- @repo github.com/acme/mounted --\n-- b --\n")
	for i, want := range []string{`no repository "github.com/acme/none"`, "cannot be mounted", "no such file", "HOST/PATH", "no such file",
		`revision "none"`, "a mounted repository is not written to"} {
		if i >= len(*failures) || !strings.Contains((*failures)[i], want) {
			t.Errorf("failure %d of %q: want %q", i, *failures, want)
		}
	}
}

func TestWithoutFailAForgePanics(t *testing.T) {
	f, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f.Add("-- a --\n")
}

func TestStartRefusesWhatItCannotServe(t *testing.T) {
	for address, want := range map[string]string{"0.0.0.0:0": "not on the loopback interface", "example.com:1": "not on the loopback interface",
		"nonsense": "missing port"} {
		_, err := fetchtest.Start(fetchtest.Config{Address: address})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	if _, err := fetchtest.Start(fetchtest.Config{Dir: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory that is not there: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := fetchtest.Start(fetchtest.Config{}); err == nil || !strings.Contains(err.Error(), "needs git") {
		t.Errorf("without git: %v", err)
	}
}

func TestCloseRemovesOnlyTemporaryDirectories(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, _ := start(t, fetchtest.Config{})
	temporary := filepath.Dir(f.CAFile())
	dir := t.TempDir()
	kept, _ := start(t, fetchtest.Config{Dir: dir})
	equal(t, "certificate on disk", read(t, kept.CAFile()), string(kept.CA()))
	for _, forge := range []*fetchtest.Forge{f, kept} {
		if err := forge.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(temporary); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("temporary directory: %v", err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", f.Addr()); err == nil {
		c.Close()
		t.Error("the forge still listens")
	}
}

func TestDialKnowsTheHostsOfTheForgeAndNoOther(t *testing.T) {
	f := fetchtest.New(t, "-- @repo git.example.com/a formerly=old.example.com/a --\n-- @site www.example.com --\n-- @fault bad.example.com status=500 --\n")
	for _, address := range []string{"github.com:443", "API.github.com:443", "codeload.github.com:443", "raw.githubusercontent.com:80",
		"git.example.com:443", "old.example.com:443", "www.example.com:443", "bad.example.com:443"} {
		c, err := f.Dial(t.Context(), "tcp", address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		equal(t, address, c.RemoteAddr().String(), f.Addr())
		c.Close()
	}
	for _, address := range []string{"example.com:443", "10.0.0.1:443", "localhost:443", "127.0.0.1:22"} {
		_, err := f.Dial(t.Context(), "tcp", address)
		var unknown *net.DNSError
		if !errors.As(err, &unknown) || !unknown.IsNotFound {
			t.Errorf("%s: %v, want a name that is not found", address, err)
		}
	}
	if _, err := f.Dial(t.Context(), "tcp", "github.com"); err == nil {
		t.Error("an address without a port was dialled")
	}
}

// A program that only knows a proxy reaches the same hosts, and no others.
func TestForgeIsAProxyToItself(t *testing.T) {
	f := fetchtest.New(t, acme)
	transport := f.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = nil
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: f.Addr()})
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	equal(t, "known host", get(t, client, acmeURL).StatusCode, 200)
	if _, err := client.Get("https://example.com/"); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
		t.Errorf("unknown host: %v", err)
	}
	equal(t, "connections", f.Counts("github.com").Connections, 1)
	if !slices.Contains(f.Environ(), "HTTPS_PROXY=http://"+f.Addr()) {
		t.Errorf("environment: %q", f.Environ())
	}
}

func TestSites(t *testing.T) {
	f := fetchtest.New(t, acme, `
-- @site Www.Example.com --
-- index.html --
<p>Home</p>
-- docs/index.html --
<p>Docs</p>
-- SKILL.md --
A skill.
-- data type=application/x-thing --
x
-- bin base64 --
AAE=
-- old redirect --
/SKILL.md
-- gone redirect=308 --
https://example.org/elsewhere
-- @site raw.githubusercontent.com --
-- acme/skills/main/bin --
replaced
`)
	f.AddSite("files.example.com", fstest.MapFS{".well-known/skills/index.json": {Data: []byte("{}")}, "a.tar.gz": {}, "a.yaml": {}, "a.zip": {}})
	tests := []struct{ url, body, mediaType string }{
		{"https://www.example.com", "<p>Home</p>\n", "text/html; charset=utf-8"},
		{"https://www.example.com/docs", "<p>Docs</p>\n", "text/html; charset=utf-8"},
		{"https://www.example.com/docs/", "<p>Docs</p>\n", "text/html; charset=utf-8"},
		{"https://www.example.com/SKILL.md?raw=1", "A skill.\n", "text/markdown; charset=utf-8"},
		{"https://www.example.com/data", "x\n", "application/x-thing"},
		{"https://www.example.com/bin", "\x00\x01", "application/octet-stream"},
		{"https://files.example.com/.well-known/skills/index.json", "{}", "application/json"},
		{"https://files.example.com/a.tar.gz", "", "application/gzip"},
		{"https://files.example.com/a.yaml", "", "text/plain; charset=utf-8"},
		{"https://files.example.com/a.zip", "", "application/zip"},
		{"https://raw.githubusercontent.com/acme/skills/main/bin", "replaced\n", "application/octet-stream"},
		{"https://raw.githubusercontent.com/acme/skills/main/skills/pdf/SKILL.md", "changed\n", "text/plain; charset=utf-8"},
	}
	for _, test := range tests {
		a := get(t, f.Client(), test.url)
		equal(t, test.url, a.StatusCode, 200)
		equal(t, test.url, a.body, test.body)
		equal(t, test.url, a.Header.Get("Content-Type"), test.mediaType)
	}
	for from, to := range map[string]string{"old": "302 /SKILL.md", "gone": "308 https://example.org/elsewhere", "none": "404 "} {
		a := get(t, f.Client(), "https://www.example.com/"+from)
		equal(t, from, a.Status[:4]+a.Header.Get("Location"), to)
	}
}

func TestPagesForPeopleAreHTML(t *testing.T) {
	f := fetchtest.New(t, acme)
	for _, path := range []string{"", "/tree/main/skills", "/blob/main/bin"} {
		a := get(t, f.Client(), acmeURL+path)
		equal(t, path, a.StatusCode, 200)
		contains(t, path, a.Header.Get("Content-Type"), "text/html")
	}
	for _, path := range []string{"", "/acme", "/acme/none", "/acme/none/tree/main"} {
		equal(t, path, get(t, f.Client(), "https://github.com"+path).StatusCode, 404)
	}
}

func TestLogAndCounts(t *testing.T) {
	f := fetchtest.New(t, acme, "-- @site www.example.com --\n-- a.txt --\nhello\n")
	for version, client := range clients(t, f) {
		f.Reset()
		get(t, client, "https://www.example.com/a.txt?b=c")
		get(t, client, "https://www.example.com/none", "Authorization", "Bearer x")
		get(t, client, acmeURL)
		log := f.Requests()
		if len(log) != 3 {
			t.Fatalf("%s: log %+v", version, log)
		}
		first := fetchtest.Request{Method: "GET", Host: "www.example.com", Path: "/a.txt", Query: "b=c", Proto: version, Status: 200, Down: 6}
		equal(t, "first", log[0].Host+log[0].Path+log[0].Query+log[0].Method+log[0].Proto,
			first.Host+first.Path+first.Query+first.Method+first.Proto)
		equal(t, "status and bytes", [2]int64{int64(log[0].Status), log[0].Down}, [2]int64{200, 6})
		if log[0].Wait <= 0 || log[0].Wait > time.Minute {
			t.Errorf("the server's own time: %v", log[0].Wait)
		}
		equal(t, "authorized", log[1].Authorized && !log[0].Authorized, true)

		all, one, other := f.Counts(""), f.Counts("www.example.com"), f.Counts("github.com")
		equal(t, version+" requests", [3]int{all.Requests, one.Requests, other.Requests}, [3]int{3, 2, 1})
		equal(t, version+" connections", [3]int{all.Connections, one.Connections, other.Connections}, [3]int{2, 1, 1})
		equal(t, version+" bytes add up", [2]int64{all.Up, all.Down}, [2]int64{one.Up + other.Up, one.Down + other.Down})
		if one.Down < 500 || one.Up < 200 { // a certificate alone is more
			t.Errorf("%s: %+v, the TLS greeting is not counted", version, one)
		}
	}
}

func TestResetForgetsWhatWas(t *testing.T) {
	f := fetchtest.New(t, acme)
	get(t, f.Client(), acmeURL)
	f.Reset()
	equal(t, "requests", len(f.Requests()), 0)
	equal(t, "counts", f.Counts("").Requests+f.Counts("").Connections, 0)
	get(t, f.Client(), acmeURL)
	n := f.Counts("github.com")
	equal(t, "requests on an open connection", n.Requests, 1)
	equal(t, "new connections", n.Connections, 0)
	if n.Down == 0 || n.Down > 1000 {
		t.Errorf("bytes on an open connection: %+v", n)
	}
}

func TestForgeServesManyAtOnce(t *testing.T) {
	f := fetchtest.New(t, acme)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			a := command(t, f, acmeURL, "command=ls-refs", "", "ref-prefix HEAD")
			contains(t, "refs", a.body, " HEAD")
			f.Counts("")
			f.Requests()
		})
	}
	f.Add("-- @repo github.com/acme/more --\n-- a --\n")
	group.Wait()
	equal(t, "requests", f.Counts("").Requests, 8)
}

func TestRequestsAfterCloseFail(t *testing.T) {
	f := fetchtest.New(t, acme)
	client := f.Client()
	get(t, client, acmeURL)
	f.Close()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, acmeURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := client.Do(r); err == nil {
		response.Body.Close()
		t.Error("the request was answered")
	}
}

// fatal is a test that ends where it fails, and says with what.
type fatal struct {
	testing.TB
	said string
}

func (f *fatal) Fatal(args ...any) { f.said = args[0].(error).Error(); panic(f) }

func TestNewEndsATestWhoseTextIsWrong(t *testing.T) {
	inner := &fatal{TB: t}
	defer func() {
		equal(t, "panic", recover(), any(inner))
		equal(t, "message", inner.said, "forge text: line 2: a: a file needs a @repo or @site before it")
	}()
	fetchtest.New(inner, acme, "\n-- a --\n")
}

func TestLogHoldsRequestsThatAreNotAnsweredYet(t *testing.T) {
	f := faulty(t)
	f.Fault(fetchtest.Fault{Do: fetchtest.Stall(10)})
	response, err := f.Client().Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	log := f.Requests()
	equal(t, "requests", len(log), 1)
	equal(t, "status", log[0].Status, 200)
}

func TestLogIsACopy(t *testing.T) {
	f := fetchtest.New(t, acme)
	command(t, f, acmeURL, "command=ls-refs", "", "peel")
	log := f.Requests()
	log[0].Arguments[0], log[0].Path = "changed", "changed"
	equal(t, "argument", f.Requests()[0].Arguments[0], "peel")
	equal(t, "path", f.Requests()[0].Path, "/acme/skills/git-upload-pack")
}
