package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/fetch/internal/archive"
	"skills/fetch/internal/file"
	"skills/fetch/internal/gitclone"
	"skills/fetch/internal/gitwire"
	"skills/fetch/internal/web"
	"skills/fetch/store"
	"skills/source"
)

// tree builds a listing from paths: "=" at the end of one says that its content is here, "@" that it is a submodule.
func tree(paths ...string) (root *node, here map[store.ID]bool) {
	root, here = &node{mode: store.ModeTree, id: id("/")}, map[store.ID]bool{}
	for _, p := range paths {
		name := strings.TrimRight(p, "=@")
		at := root
		parts := strings.Split(name, "/")
		for i, part := range parts {
			next := child(at.children, part)
			if next == nil {
				next = at.directory(part)
				next.partial, next.id = false, id("/"+strings.Join(parts[:i+1], "/"))
			}
			at = next
		}
		at.mode, at.id = store.ModeFile, id(name)
		if strings.HasSuffix(p, "@") {
			at.mode = store.ModeSubmodule
		}
		here[at.id] = strings.HasSuffix(p, "=")
	}
	return root, here
}

func id(name string) (id store.ID) {
	copy(id[:], name)
	return id
}

func TestPlanWantsTheFewestIDs(t *testing.T) {
	for name, test := range map[string]struct {
		tree, chosen, want []string
	}{
		"a whole directory":            {[]string{"a/x", "a/y", "b/z"}, []string{"a"}, []string{"/a"}},
		"everything":                   {[]string{"a/x", "a/y", "b/z"}, []string{""}, []string{"/"}},
		"one file":                     {[]string{"a/x", "a/y", "b/z"}, []string{"a/x"}, []string{"a/x"}},
		"the only file of a directory": {[]string{"a/x", "b/z"}, []string{"a/x"}, []string{"/a"}},
		"what is here is not wanted":   {[]string{"a/x=", "a/y=", "b/z"}, []string{"a"}, nil},
		"one of six is here":           {[]string{"a/1=", "a/2", "a/3", "a/4", "a/5", "a/6", "b/z"}, []string{"a"}, []string{"/a"}},
		"two of six are here":          {[]string{"a/1=", "a/2=", "a/3", "a/4", "a/5", "a/6"}, []string{"a"}, []string{"a/3", "a/4", "a/5", "a/6"}},
		"all skills of a category":     {[]string{"s/a/1", "s/a/2", "s/b/1", "s/b/2", "x", "y"}, []string{"s/a", "s/b"}, []string{"/s"}},
		"some skills of a category":    {[]string{"s/a/1", "s/a/2", "s/b/1", "s/b/2", "s/c/1", "s/c/2"}, []string{"s/a", "s/b"}, []string{"/s/a", "/s/b"}},
		"chosen twice":                 {[]string{"a/x", "a/y"}, []string{"a", "a/x", "a"}, []string{"/"}},
		"no submodule":                 {[]string{"a/m@", "b/z"}, []string{"a"}, nil},
		"beside a submodule":           {[]string{"a/m@", "a/x", "b/z"}, []string{"a"}, []string{"/a"}},
	} {
		root, here := tree(test.tree...)
		p := &plan{has: func(id store.ID) bool { return here[id] }, chosen: map[*node]bool{}, counts: map[*node]count{}, wanted: map[store.ID]bool{}}
		for _, c := range test.chosen {
			p.chosen[root.find(c)] = true
		}
		p.count(root, false)
		p.choose(root)
		var want []string
		for _, w := range test.want {
			want = append(want, id(w).String())
		}
		if !slices.Equal(p.wants, want) {
			t.Errorf("%s: wants %v, want %v", name, p.wants, want)
		}
	}
}

func TestPlanDoesNotWantWhatIsOnlyListedInPart(t *testing.T) {
	root, here := tree("a/x", "a/y")
	root.partial = true
	p := &plan{has: func(id store.ID) bool { return here[id] }, chosen: map[*node]bool{root: true}, counts: map[*node]count{}, wanted: map[store.ID]bool{}}
	p.count(root, false)
	p.choose(root)
	if want := []string{id("/a").String()}; !slices.Equal(p.wants, want) {
		t.Errorf("wants %v, want %v", p.wants, want)
	}
}

func TestEqualContentIsWantedOnce(t *testing.T) {
	root, _ := tree("a/x", "a/y", "b/x", "c")
	root.find("b/x").id = root.find("a/x").id
	p := &plan{has: func(store.ID) bool { return false }, chosen: map[*node]bool{root.find("a/x"): true, root.find("b/x"): true}, counts: map[*node]count{}, wanted: map[store.ID]bool{}}
	root.find("b").partial = true
	p.count(root, false)
	p.choose(root)
	if len(p.wants) != 1 {
		t.Errorf("wants %v", p.wants)
	}
}

func TestListingsAreBounded(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	repo, err := s.Repository("x")
	if err != nil {
		t.Fatal(err)
	}
	w, err := repo.NewWriter(context.Background(), store.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/1", "a/2", "b/1", "b/2"} { // a and b are one tree
		if _, err := w.File(name, store.ModeFile, 1, strings.NewReader(name[2:])); err != nil {
			t.Fatal(err)
		}
	}
	root, _, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var limit *store.LimitError
	if _, err := newLister(repo, Limits{Objects: 5}).listing(root, ""); !errors.As(err, &limit) || limit.Limit != 5 {
		t.Errorf("error %v", err)
	}
	if _, err := newLister(repo, Limits{Objects: 6}).listing(root, ""); err != nil {
		t.Errorf("just enough: %v", err)
	}
}

func TestFiltersGoFromNarrowToWide(t *testing.T) {
	today, longAgo := time.Now().UTC().Format(time.DateOnly), "2020-01-01"
	for name, test := range map[string]struct {
		kind   source.HostKind
		facts  []string
		levels int
		probe  bool
		want   []string
	}{
		"github, all trees":      {source.GitHub, nil, allTrees, false, []string{"blob:none", ""}},
		"github, a path":         {source.GitHub, nil, 3, false, []string{"blob:none", ""}},
		"github, asked":          {source.GitHub, nil, 3, true, []string{"combine:blob:none+tree:3", "blob:none", ""}},
		"github, known":          {source.GitHub, []string{factCombine, yes}, 3, false, []string{"combine:blob:none+tree:3", "blob:none", ""}},
		"github, refused":        {source.GitHub, []string{factCombine, no + today}, 3, true, []string{"blob:none", ""}},
		"github, refused once":   {source.GitHub, []string{factCombine, no + longAgo}, 3, true, []string{"combine:blob:none+tree:3", "blob:none", ""}},
		"gitlab":                 {source.GitLab, nil, 2, false, []string{"combine:blob:none+tree:2", "blob:none", ""}},
		"gitlab, all trees":      {source.GitLab, nil, allTrees, false, []string{"blob:none", ""}},
		"no filters":             {source.GitLab, []string{factFilter, no + today}, 2, true, []string{""}},
		"no filters, long ago":   {source.GitHub, []string{factFilter, no + longAgo}, allTrees, false, []string{"blob:none", ""}},
		"a damaged note":         {source.GitHub, []string{factFilter, no + "never"}, allTrees, false, []string{"blob:none", ""}},
		"nothing but the commit": {source.GitHub, nil, 0, false, []string{"tree:0", "blob:none", ""}},
		"everything":             {source.GitHub, nil, everything, false, []string{""}},
	} {
		s, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		one := &session{client: &Client{config: Config{Store: s}}, host: source.Host{Name: "h.example", Kind: test.kind}}
		for i := 0; i < len(test.facts); i += 2 {
			if err := s.Remember("git h.example", test.facts[i], test.facts[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if got := one.filters(test.levels, test.probe); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestFactsMoveOnlyWhenTheyChange(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one := &session{client: &Client{config: Config{Store: s}}, host: source.Host{Name: "h.example"}}
	for _, accepted := range []bool{true, true, false, false, true} {
		one.learn(factTrees, accepted)
		if got := one.fact(factTrees); (got == yes) != accepted || (got == no) == accepted {
			t.Errorf("learnt %v, know %q", accepted, got)
		}
	}
	if err := s.Remember("git h.example", factV2, no+"2020-01-01"); err != nil {
		t.Fatal(err)
	}
	one.learn(factV2, false) // anew
	if got := one.fact(factV2); got != no {
		t.Errorf("know %q", got)
	}
}

func TestEveryFailureHasACodeAndASentence(t *testing.T) {
	status := func(n int) error { return &web.Error{Kind: web.Status, Host: "h", Status: n} }
	reset := time.Now().Add(time.Hour)
	for _, test := range []struct {
		err  error
		want Code
		text string
	}{
		{errOffline, Offline, "h/o/r is not in the store"},
		{fmt.Errorf("reading: %w", io.ErrUnexpectedEOF), Network, "broke off"},
		{&store.LimitError{What: "objects", Limit: 7}, TooLarge, "more than 7 objects"},
		{store.ErrPack, Failed, "malformed pack"},
		{gitwire.ErrNotGit, WrongContent, "no git repository"},
		{gitwire.ErrOldProtocol, Failed, "version 2"},
		{&gitwire.RefusedError{Text: "upload-pack: not our ref 1"}, NotFound, "not there"},
		{&gitwire.RefusedError{Text: "out of \x1bcoffee"}, Failed, `out of \x1bcoffee`},
		{&gitclone.Error{Code: gitclone.Forbidden, Text: "no key"}, Forbidden, "no key"},
		{&gitclone.Error{Code: gitclone.NoGit, Text: "no git", Hint: "install git"}, Unsupported, "no git"},
		{&archive.Error{Code: archive.WrongContent, Text: "is a web page"}, WrongContent, "web page"},
		{&archive.Error{Code: archive.TooLarge, Text: "is too large"}, TooLarge, "too large"},
		{&archive.Error{Code: archive.PathEscape, Text: "leads out"}, PathEscape, "leads out"},
		{&file.Error{Code: "wrong_content", Text: "a page", Hint: "the raw file"}, WrongContent, "a page"},
		{&web.Error{Kind: web.Network, Host: "h"}, Network, "cannot be reached"},
		{&web.Error{Kind: web.DNS, Host: "h"}, DNS, "has no address"},
		{&web.Error{Kind: web.Proxy, Host: "h", Status: 407}, Proxy, "through the proxy"},
		{&web.Error{Kind: web.Credential, Host: "h"}, Forbidden, "credential"},
		{&web.Error{Kind: web.TLS, Host: "h"}, TLS, "trusted"},
		{&web.Error{Kind: web.Timeout, Host: "h", Err: context.DeadlineExceeded}, Timeout, "in time"},
		{&web.Error{Kind: web.PrivateAddress, Host: "h"}, PrivateAddress, "public"},
		{&web.Error{Kind: web.Led, Host: "h"}, PrivateAddress, "configured"},
		{&web.Error{Kind: web.RateLimited, Host: "h", Status: 429, Until: reset}, RateLimited, "no more requests until"},
		{&web.Error{Kind: web.TooLarge, Host: "h"}, TooLarge, "larger"},
		{&web.Error{Kind: web.Refused, Host: "h"}, Failed, "refused"},
		{status(401), NotFound, "private"},
		{status(404), NotFound, "private"},
		{status(403), Forbidden, "no access"},
		{status(500), Failed, "500"},
		{errors.New("anything else"), Failed, "anything else"},
	} {
		err := problem("h/o/r", "h", test.err)
		var e *Error
		if !errors.As(err, &e) || e.Kind != test.want || !strings.Contains(e.Error(), test.text) || !errors.Is(err, test.err) {
			t.Errorf("%v: %v (code %v), want %s: …%s…", test.err, err, e, test.want, test.text)
			continue
		}
		if e.Kind == RateLimited && !e.Reset.Equal(reset) {
			t.Errorf("reset %v", e.Reset)
		}
		if len(e.Hints()) != 1 || e.Hints()[0] == "" {
			t.Errorf("%v: hints %q", test.err, e.Hints())
		}
	}
}

func TestErrorsThatSayEnoughStayWhatTheyAre(t *testing.T) {
	for _, err := range []error{
		nil, context.Canceled, context.DeadlineExceeded, &Error{Kind: NotFound}, &fs.PathError{Op: "write", Path: "x", Err: errors.New("disk full")},
		fmt.Errorf("further out: %w", &Error{Kind: NotFound}),
	} {
		if got := problem("what", "host", err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

func TestOtherWaysAreTriedForRefusalsOnly(t *testing.T) {
	for _, err := range []error{
		&gitwire.RefusedError{}, gitwire.ErrOldProtocol, gitwire.ErrNotGit, errNoWay, &web.Error{Kind: web.Status, Status: 403},
		&web.Error{Kind: web.RateLimited},
	} {
		if !passable(fmt.Errorf("x: %w", err)) {
			t.Errorf("%v ends everything", err)
		}
	}
	for _, err := range []error{
		nil, context.Canceled, &web.Error{Kind: web.Status, Status: 404}, &web.Error{Kind: web.Network}, &web.Error{Kind: web.PrivateAddress},
		&store.LimitError{}, store.ErrPack, errOffline, &Error{},
	} {
		if passable(err) {
			t.Errorf("%v is passed over", err)
		}
	}
}

func TestServicesOfAHostAreTrustedWithIt(t *testing.T) {
	c, err := New(Config{Settings: map[string]HostSettings{"mine.example": {}}})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"github.com": true, "mine.example": true, "codeload.github.com": false, "evil.example": false, "github.com.evil.example": false,
		"github1s.com": false, "github.dev": false, "www.github.com": false, "hf.co": false, "tenant.ghe.com": true, "a.b.ghe.com": false} {
		if c.trusted(host) != want {
			t.Errorf("%s: trusted %v", host, !want)
		}
	}
	host, _ := source.DefaultHosts().Lookup("github.com")
	c.trust(host, source.Locator{Kind: source.Git, Host: "github.com", Owner: "o", Repo: "r"})
	for _, host := range []string{"codeload.github.com", "api.github.com", "raw.githubusercontent.com"} {
		if !c.trusted(host) {
			t.Errorf("%s is not trusted", host)
		}
	}
}

func TestNothingIsSentOffline(t *testing.T) {
	c, err := New(Config{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := doer(c.do).Do(&http.Request{}); err != errOffline {
		t.Errorf("error %v", err)
	}
	if _, _, err := c.get(context.Background(), "https://github.com", web.Options{}); err != errOffline {
		t.Errorf("error %v", err)
	}
}

func TestGitNeedsAStore(t *testing.T) {
	c, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	rev := source.Revision{Locator: source.Locator{Kind: source.Git, Host: "github.com", Owner: "o", Repo: "r", URL: "https://github.com/o/r.git", Transport: source.HTTPS}}
	if _, err := c.Fetch(context.Background(), rev); err == nil || !strings.Contains(err.Error(), "store") {
		t.Errorf("error %v", err)
	}
	rev.Locator = source.Locator{Kind: source.Archive, URL: "https://files.example/x.zip", Host: "files.example"}
	if _, err := c.Fetch(context.Background(), rev); err == nil || !strings.Contains(err.Error(), "store") {
		t.Errorf("error %v", err)
	}
}
