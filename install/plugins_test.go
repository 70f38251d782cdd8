package install_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
	"skills/install"
	"skills/install/agents"
	"skills/source"
)

const sha = "89abcdef0123456789abcdef0123456789abcdef"

// market puts a marketplace with these entries on the shelf and gives the request for it.
func (p *place) market(t *testing.T, entries string, request install.SourceRequest) install.SourceRequest {
	t.Helper()
	l, err := source.Parse("acme/market", source.DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	p.shelf[l.Source()] = fstest.MapFS{".claude-plugin/marketplace.json": &fstest.MapFile{Data: []byte(`{"plugins":[` + entries + `]}`)}}
	request.Locator = l
	return request
}

// follow opens a marketplace and what a request means of the plugins elsewhere.
func (p *place) follow(t *testing.T, entries string, request install.SourceRequest) (all []followed, err error) {
	t.Helper()
	request = p.market(t, entries, request)
	request.Remote = true
	from, _, err := p.Choose(context.Background(), request, false)
	if err != nil {
		return nil, err
	}
	err = p.Follow(context.Background(), request, from, false, func(plugin string, l source.Locator, s *install.Source, found []catalog.Candidate, err error) {
		all = append(all, followed{plugin, l, s, found, err})
	})
	return all, err
}

// followed is what is told of a plugin.
type followed struct {
	Plugin     string
	Locator    source.Locator
	Source     *install.Source
	Candidates []catalog.Candidate
	Err        error
}

// What a marketplace says becomes a source like any other, and nothing but a repository or a package.
func TestPlacesOfPluginsBecomeSources(t *testing.T) {
	for _, tt := range []struct{ written, identity, ref, path, says string }{
		{`{"source":"github","repo":"o/r"}`, "https://github.com/o/r", "", "", ""},
		{`{"source":"github","repo":"o/r","ref":"v1","path":"a/b"}`, "https://github.com/o/r", "v1", "a/b", ""},
		{`{"source":"url","url":"https://git.example.com/team/pack"}`, "git+https://git.example.com/team/pack", "", "", ""},
		{`{"source":"url","url":"https://git.example.com/team/pack.git","ref":"main"}`, "https://git.example.com/team/pack.git", "main", "", ""},
		{`{"source":"url","url":"https://gitlab.com/g/s/r.git","path":"./x/"}`, "https://gitlab.com/g/s/r", "", "x", ""},
		{`{"source":"git-subdir","url":"git@github.com:o/r.git","path":"a"}`, "https://github.com/o/r", "", "a", ""},
		{`{"source":"url","url":"ssh://git@ssh.github.com:443/o/r.git"}`, "https://github.com/o/r", "", "", ""},
		{`{"source":"url","url":"git@tenant.ghe.com:o/r"}`, "https://tenant.ghe.com/o/r", "", "", ""},
		{`{"source":"url","url":"ssh://anybody@inside.example:22/x.git"}`, "", "", "", "over ssh from inside.example, which is not in your configuration"},
		{`{"source":"git-subdir","url":"git@h.example:o/r.git","path":"a"}`, "", "", "", "over ssh from h.example, which is not in your configuration"},
		{`{"source":"url","url":"git+ssh://root@h.example/o/r"}`, "", "", "", "over ssh from h.example, which is not in your configuration"},
		{`{"source":"url","url":"ssh://anybody@10.0.0.5:22/x"}`, "", "", "", "10.0.0.5"},
		{`{"source":"git-subdir","url":"o/r","path":"a"}`, "https://github.com/o/r", "", "a", ""},
		{`{"source":"npm","package":"@acme/x","version":"1.2.3"}`, "npm:@acme/x", "1.2.3", "", ""},
		{`{"source":"npm","package":"x","registry":"https://registry.npmjs.org"}`, "npm:x", "", "", ""},
		{`{"source":"npm","package":"@acme/x","registry":"https://npm.corp.example"}`, "", "", "", "packages of that name come from"},
		{`{"source":"npm","package":"../x"}`, "", "", "", "npm"},
		{`{"source":"url","url":"file:///etc"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"/etc"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"~/x"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"../x"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"builtin:skills-cli"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"npm:x"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"oci://ghcr.io/a/b:1"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"o/r@skill"}`, "", "", "", "neither a repository nor a package"},
		{`{"source":"url","url":"http://h.example/r.git"}`, "", "", "", "not encrypted"},
		{`{"source":"url","url":"ext::sh"}`, "", "", "", "remote helper"},
		{`{"source":"url","url":"https://user:pw@h.example/r.git"}`, "", "", "", "credentials"},
		{`{"source":"url","url":"https://127.0.0.1/r.git"}`, "", "", "", "127.0.0.1"},
		{`{"source":"url","url":"https://h.example/r.git","ref":"--upload-pack=x"}`, "", "", "", "ref"},
	} {
		p := newPlace(t)
		all, err := p.follow(t, `{"name":"p","source":`+tt.written+`}`, install.SourceRequest{})
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %v %v", tt.written, all, err)
			continue
		}
		f := all[0]
		if tt.says != "" {
			if f.Source != nil || f.Err == nil || !strings.Contains(f.Err.Error(), `plugin "p": `) || !strings.Contains(f.Err.Error(), tt.says) || strings.Contains(f.Err.Error(), "pw@") {
				t.Errorf("%s: %v, want %q", tt.written, f.Err, tt.says)
			}
			continue
		}
		var refused *install.Error
		if errors.As(f.Err, &refused) || f.Locator.Source() != tt.identity || f.Locator.Ref != tt.ref || f.Locator.Path != tt.path {
			t.Errorf("%s: %q %q %q", tt.written, f.Locator.Source(), f.Locator.Ref, f.Locator.Path)
		}
	}
}

// Over ssh a marketplace may name the hosts that the person named.
func TestPluginsOverSSHComeFromConfiguredHosts(t *testing.T) {
	p := newPlace(t)
	engine, err := install.New(install.Config{
		Fetcher: p.shelf, Agents: agents.Default(), Environment: agents.Environment{Home: p.home, Project: p.dir},
		Manifest: p.dir + "/skills.toml", Lock: p.dir + "/skills.lock", Cache: p.home + "/cache",
		Hosts: source.DefaultHosts().With(source.Host{Name: "inside.example"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Engine = engine
	for written, fetched := range map[string]bool{"ssh://git@inside.example:2222/o/r.git": true, "git@inside.example:o/r": true, "git@www.inside.example:o/r": false, "git@a.inside.example:o/r": false} {
		all, err := p.follow(t, `{"name":"p","source":{"source":"url","url":"`+written+`"}}`, install.SourceRequest{})
		var refused *install.Error
		if err != nil || len(all) != 1 || errors.As(all[0].Err, &refused) == fetched {
			t.Errorf("%s: %+v, %v", written, all, err)
		}
	}
}

// A commit that the marketplace names is the one that is fetched and recorded, with the ref as it was asked for.
func TestCommitsOfPluginsAreKept(t *testing.T) {
	p := newPlace(t)
	p.shelf["https://github.com/far/tools"] = fstest.MapFS{"a/skills/lint/SKILL.md": skill("lint", "Look."), "b/skills/fmt/SKILL.md": skill("fmt", "Format.")}
	request := p.market(t, `{"name":"a","source":{"source":"git-subdir","url":"far/tools","path":"a","ref":"v1","sha":"`+sha+`"}},
		{"name":"b","source":{"source":"git-subdir","url":"far/tools","path":"b"}},{"name":"gone","source":{"repo":"far/gone"}}`, install.SourceRequest{Remote: true})
	plan, err := p.PlanAdd(context.Background(), install.AddRequest{Sources: []install.SourceRequest{request}, All: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range plan.Steps {
		got = append(got, fmt.Sprintf("%s %s %q %.2s %v", s.Name, s.Action, s.Ref, s.Commit, s.Err))
	}
	want := []string{`fmt added "" 11 <nil>`, `gone failed ""  plugin "gone": file does not exist`, `lint added "v1" 89 <nil>`}
	if !slices.Equal(got, want) || !plan.Failed() {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTooManyPluginsAreNotFollowed(t *testing.T) {
	var entries []string
	for i := range 101 {
		entries = append(entries, fmt.Sprintf(`{"name":"p%d","source":{"repo":"far/p%d"}}`, i, i))
	}
	p := newPlace(t)
	_, err := p.follow(t, strings.Join(entries, ","), install.SourceRequest{})
	var e *install.Error
	if !errors.As(err, &e) || e.Kind != "too_large" || !strings.Contains(e.Hint, "--plugin") {
		t.Error(err)
	}
	all, err := p.follow(t, strings.Join(entries, ","), install.SourceRequest{Plugins: []string{"p7", "p100"}})
	if err != nil || len(all) != 2 || all[0].Plugin != "p7" {
		t.Error(all, err)
	}
}

// A marketplace in a followed repository is not read, and a plugin without skills fails only when it was asked for by name.
func TestFollowedPluginsLeadNoFurther(t *testing.T) {
	p := newPlace(t)
	p.shelf["https://github.com/far/none"] = fstest.MapFS{"commands/x.md": &fstest.MapFile{}}
	p.shelf["https://github.com/far/deep"] = fstest.MapFS{
		"skills/lint/SKILL.md": skill("lint", "Look."), "more/SKILL.md": skill("more", "More."),
		".claude-plugin/marketplace.json": &fstest.MapFile{Data: []byte(`{"plugins":[{"name":"x","source":"./more"},{"name":"y","source":{"repo":"evil/repo"}}]}`)},
	}
	entries := `{"name":"deep","source":{"repo":"far/deep"}},{"name":"none","source":{"repo":"far/none"}}`
	all, err := p.follow(t, entries, install.SourceRequest{})
	if err != nil || len(all) != 2 || all[1].Err != nil {
		t.Fatal(all, err)
	}
	if got := all[0]; len(got.Candidates) != 1 || got.Candidates[0].Path != "skills/lint" || got.Candidates[0].Plugin != "deep" || len(got.Source.Listing.Plugins()) != 1 {
		t.Errorf("%+v", got.Candidates)
	}
	all, err = p.follow(t, entries, install.SourceRequest{Plugins: []string{"none"}})
	if err != nil || all[0].Err == nil || !strings.Contains(all[0].Err.Error(), `the plugin "none" has no skills`) {
		t.Error(all, err)
	}
	_, err = p.follow(t, entries, install.SourceRequest{Skills: []string{"evil"}})
	var missing *catalog.SelectError
	if !errors.As(err, &missing) || missing.Selector != "evil" {
		t.Error(err)
	}
	all, err = p.follow(t, entries, install.SourceRequest{Skills: []string{"lint"}})
	if err != nil || len(all[0].Candidates) != 1 {
		t.Error(all, err)
	}
}
