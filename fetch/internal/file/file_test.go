package file

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/fetch/internal/web"
)

// site serves files by their escaped path, as example.com, and records what it is asked.
type site struct {
	files  map[string]string
	types  map[string]string
	status map[string]int

	mu    sync.Mutex
	asked []string
	auth  []string
	now   int
	most  int // requests at once
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.EscapedPath()
	s.mu.Lock()
	s.asked, s.auth = append(s.asked, name), append(s.auth, r.Header.Get("Authorization"))
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	content, there := s.files[name]
	if status := s.status[name]; status != 0 {
		w.WriteHeader(status)
		return
	}
	if !there {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", s.types[name])
	fmt.Fprint(w, content)
}

// client starts the site and makes a client that takes it for example.com.
func (s *site) client(t *testing.T) *web.Client {
	t.Helper()
	server := httptest.NewTLSServer(s)
	t.Cleanup(server.Close)
	client, err := web.New(web.Config{Retries: -1, Hosts: map[string]web.Host{"example.com": {
		Connect: server.Listener.Addr().String(),
		CA:      pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

// finder takes every line after the first as a reference.
func finder(document []byte) []string {
	return strings.Split(strings.TrimSpace(string(document)), "\n")[1:]
}

func fetch(t *testing.T, s *site, address string, o Options) (*Result, error) {
	t.Helper()
	if o.References == nil {
		o.References = finder
	}
	return Fetch(t.Context(), s.client(t), address, o)
}

// S2-32, 3.9-24: what the host lacks is left out with a note; S2-34: bytes that are no text are kept.
func TestDocumentWithWhatItRefersTo(t *testing.T) {
	s := &site{files: map[string]string{
		"/s/pdf/SKILL.md":     "# PDF\nassets/t.md\nscripts/r.py\nexamples.md\n./assets/t.md\nSKILL.md\nskill.md",
		"/s/pdf/assets/t.md":  "t",
		"/s/pdf/scripts/r.py": "\x00binary\xff",
		"/s/pdf/unreferenced": "never",
		"/s/examples.md":      "not this one",
		"/assets/t.md":        "nor this one",
	}}
	got, err := fetch(t, s, "https://example.com/s/pdf/SKILL.md", Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Result{Manifest: "SKILL.md", Files: []File{
		{"SKILL.md", []byte(s.files["/s/pdf/SKILL.md"])}, {"assets/t.md", []byte("t")}, {"scripts/r.py", []byte("\x00binary\xff")},
	}, Notes: []Note{{"examples.md", "is not there: the host answered 404"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	slices.Sort(s.asked)
	asked := []string{"/s/pdf/SKILL.md", "/s/pdf/assets/t.md", "/s/pdf/examples.md", "/s/pdf/scripts/r.py"}
	if diff := cmp.Diff(asked, s.asked); diff != "" {
		t.Error(diff)
	}
}

func TestReferencesStayBelowTheDocument(t *testing.T) {
	for _, reference := range []string{
		"../secret.md", "a/../../secret.md", "/etc/passwd", "//evil.example/x", "https://evil.example/x", "mailto:a@b.c",
		`a\b.md`, "a\x00b", "a\x7fb", "C:/x", "..", ".", "latin-\xe4",
	} {
		s := &site{files: map[string]string{"/d/SKILL.md": "#"}}
		got, err := fetch(t, s, "https://example.com/d/SKILL.md", Options{References: func([]byte) []string { return []string{reference} }})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Files) != 1 || len(got.Notes) != 1 || got.Notes[0].Path != reference || len(s.asked) != 1 {
			t.Errorf("%q: got %+v after %q", reference, got, s.asked)
		}
	}
}

// S2-28.
func TestNamesAreEncodedOnce(t *testing.T) {
	s := &site{files: map[string]string{
		"/a%20b/%41/SKILL.md":     "#\nmy file.md\nb%23.md\nwhat?.md\n#top.md\nscripts/ünï.py\nx/../c:d.md",
		"/a%20b/%41/my%20file.md": "1", "/a%20b/%41/b%2523.md": "2", "/a%20b/%41/what%3F.md": "3",
		"/a%20b/%41/%23top.md": "4", "/a%20b/%41/scripts/%C3%BCn%C3%AF.py": "5", "/a%20b/%41/c:d.md": "6",
	}}
	got, err := fetch(t, s, "https://example.com/a%20b/%41/SKILL.md", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 7 || len(got.Notes) != 0 {
		t.Errorf("got %d files, notes %+v, asked %q", len(got.Files), got.Notes, s.asked)
	}
}

func TestManifestKeepsItsSpelling(t *testing.T) {
	s := &site{files: map[string]string{"/skill.md": "#\nSKILL.md\na.md", "/a.md": "a"}}
	got, err := fetch(t, s, "https://example.com/skill.md", Options{})
	if err != nil || got.Manifest != "skill.md" || len(got.Files) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDocumentMayBeCalledOtherwise(t *testing.T) {
	s := &site{files: map[string]string{"/guide": "---\nname: x\n---\n", "/a.md": "a", "/SKILL.md": "another"}}
	o := Options{Name: "SKILL.md", References: func([]byte) []string { return []string{"a.md", "SKILL.md"} }}
	result, err := Fetch(t.Context(), s.client(t), "https://example.com/guide", o)
	if err != nil || result.Manifest != "SKILL.md" || len(result.Files) != 2 || result.Files[0].Path != "SKILL.md" || result.Files[1].Path != "a.md" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAddressesThatNameNoFile(t *testing.T) {
	for _, address := range []string{
		"https://example.com/", "https://example.com", "https://example.com/a/..", "https://example.com/a%2Fb", "https://example.com/%00",
		"::", "SKILL.md",
	} {
		_, err := fetch(t, &site{}, address, Options{})
		var e *Error
		if !errors.As(err, &e) || e.Code != "invalid_source" {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// S2-34: a document that is no text is an error.
func TestDocumentMustBeMarkdown(t *testing.T) {
	page := "<!DOCTYPE html>\n<html><title>Sign in</title>"
	for _, test := range []struct {
		name, content, media string
		code                 string // "" when it is taken
	}{
		{"markdown", "---\nname: x\n---\n", "text/markdown", ""},
		{"without a type", "# X", "", ""},
		{"as a download", "# X", "application/octet-stream", ""},
		{"front matter called a page", "---\nname: x\n---\n", "text/html; charset=utf-8", ""},
		{"web page", page, "text/html", "wrong_content"},
		{"web page called Markdown", page, "text/markdown", "wrong_content"},
		{"page without a doctype", "<p>Sign in", "text/html", "wrong_content"},
		{"NUL", "---\x00", "", "wrong_content"},
		{"not UTF-8", "---\xff", "", "wrong_content"},
	} {
		s := &site{files: map[string]string{"/SKILL.md": test.content}, types: map[string]string{"/SKILL.md": test.media}}
		_, err := fetch(t, s, "https://example.com/SKILL.md?token=secret", Options{})
		var e *Error
		if test.code == "" && err == nil {
			continue
		}
		if !errors.As(err, &e) || e.Code != test.code {
			t.Errorf("%s: got %v", test.name, err)
			continue
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the query: %v", test.name, err)
		}
		if hints := e.Hints(); strings.Contains(test.name, "page") && (len(hints) != 1 || !strings.Contains(hints[0], "raw")) {
			t.Errorf("%s: hints %q", test.name, hints)
		}
	}
}

// S2-33.
func TestBounds(t *testing.T) {
	big := func(n int) string { return strings.Repeat("x", n) }
	many := "#"
	files := map[string]string{}
	for i := range 110 {
		many += fmt.Sprintf("\nf%d", i)
		files[fmt.Sprintf("/many/f%d", i)] = "x"
	}
	files["/many/SKILL.md"] = many
	files["/exact/SKILL.md"], files["/exact/a"] = "#"+big(7)+"\na", big(20)
	files["/long/SKILL.md"] = "#" + big(10)
	files["/file/SKILL.md"], files["/file/a"] = "#\na", big(21)
	files["/sum/SKILL.md"], files["/sum/a"], files["/sum/b"], files["/sum/c"] = "#\na\nb\nc", big(20), big(20), big(1)
	limits := Limits{Document: 10, File: 20, Bytes: 40}
	for _, test := range []struct {
		name   string
		limits Limits
		files  int
		notes  int
		big    bool
	}{
		{"many", Limits{}, 101, 1, false},
		{"many", Limits{Files: 3}, 4, 1, false},
		{"exact", limits, 2, 0, false},
		{"long", limits, 0, 0, true},
		{"file", limits, 0, 0, true},
		{"sum", limits, 0, 0, true},
	} {
		s := &site{files: files}
		got, err := fetch(t, s, "https://example.com/"+test.name+"/SKILL.md", Options{Limits: test.limits})
		if test.big {
			var e *Error
			var w *web.Error
			if !(errors.As(err, &e) && e.Code == "too_large") && !(errors.As(err, &w) && w.Kind == web.TooLarge) {
				t.Errorf("%s: got %v", test.name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if len(got.Files) != test.files || len(got.Notes) != test.notes || len(s.asked) != test.files {
			t.Errorf("%s: %d files, %d requests, notes %+v", test.name, len(got.Files), len(s.asked), got.Notes)
		}
		if s.most > 8 {
			t.Errorf("%s: %d requests at once", test.name, s.most)
		}
	}
	got, err := fetch(t, &site{files: files}, "https://example.com/many/SKILL.md", Options{Limits: Limits{Files: 3}})
	if err != nil || got.Notes[0].Path != "f3" {
		t.Errorf("the note names %+v, %v", got, err)
	}
	d := DefaultLimits()
	if d != (Limits{Document: 800_000, File: 2_000_000, Bytes: 10_000_000, Files: 100}) {
		t.Errorf("defaults are %+v", d)
	}
}

func TestWhatIsMissingIsNotedAndWhatFailsFails(t *testing.T) {
	page := "<html><body>Not here</body></html>"
	files := map[string]string{
		"/SKILL.md": "#\ngone\nforbidden\nsoft.md\npage.html\nfolder\nfolder/x", "/soft.md": page, "/page.html": page, "/folder/x": "x", "/folder": "listing",
		"/broken/SKILL.md": "#\na\nb", "/broken/a": "a", "/limit/SKILL.md": "#\na",
	}
	status := map[string]int{"/forbidden": 403, "/gone": 410, "/broken/b": 500, "/limit/a": 429}
	got, err := fetch(t, &site{files: files, status: status}, "https://example.com/SKILL.md", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var noted, there []string
	for _, n := range got.Notes {
		noted = append(noted, n.Path)
	}
	for _, f := range got.Files {
		there = append(there, f.Path)
	}
	if diff := cmp.Diff([]string{"gone", "forbidden", "soft.md", "folder"}, noted); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"SKILL.md", "page.html", "folder/x"}, there); diff != "" {
		t.Error(diff)
	}
	for name, kind := range map[string]web.Kind{"broken": web.Status, "limit": web.RateLimited, "gone": web.Status} {
		_, err := fetch(t, &site{files: files, status: status}, "https://example.com/"+name+"/SKILL.md", Options{})
		var e *web.Error
		if !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestHeaderGoesWithEveryRequest(t *testing.T) {
	s := &site{files: map[string]string{"/SKILL.md": "#\na", "/a": "a"}}
	if _, err := fetch(t, s, "https://example.com/SKILL.md", Options{Header: http.Header{"Authorization": {"Bearer x"}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Bearer x", "Bearer x"}, s.auth); diff != "" {
		t.Error(diff)
	}
}

// fake is a client that knows files by address.
type fake map[string]string

func (f fake) ReadAll(_ context.Context, address string, _ web.Options) ([]byte, http.Header, error) {
	if content, ok := f[address]; ok {
		return []byte(content), http.Header{}, nil
	}
	return nil, nil, &web.Error{Kind: web.Status, Status: 404}
}

func ExampleFetch() {
	client := fake{
		"https://example.com/pdf/SKILL.md":       "See forms.md and gone.md.",
		"https://example.com/pdf/forms.md":       "# Forms",
		"https://example.com/unrelated/forms.md": "no",
	}
	finder := func(document []byte) []string {
		if bytes.Contains(document, []byte("forms.md")) {
			return []string{"forms.md", "gone.md"}
		}
		return nil
	}
	result, err := Fetch(context.Background(), client, "https://example.com/pdf/SKILL.md", Options{References: finder})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range result.Files {
		fmt.Println(f.Path, len(f.Data))
	}
	fmt.Println(result.Notes)
	// Output:
	// SKILL.md 25
	// forms.md 7
	// [{gone.md is not there: the host answered 404}]
}
