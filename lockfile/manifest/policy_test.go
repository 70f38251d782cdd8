package manifest_test

import (
	"strings"
	"testing"

	"skills/lockfile/manifest"
	"skills/source"
)

// identity gives what the engine hands to a policy.
func identity(t *testing.T, text string) string {
	t.Helper()
	hosts := source.DefaultHosts().
		With(source.Host{Name: "git.corp.example", Kind: source.GitHub, AllowPort: true}).
		With(source.Host{Name: "localhost:8443", Kind: source.GitHub})
	l, err := source.Parse(text, hosts)
	if err != nil {
		t.Fatal(err)
	}
	return l.Source()
}

// verdict says what a pattern does to a source when it stands alone in Allow, and in Deny.
type verdict struct {
	pattern, source  string
	admitted, denied bool
}

func verdicts(t *testing.T, table []verdict) {
	t.Helper()
	for _, tt := range table {
		id := identity(t, tt.source)
		if rule, refused := (manifest.Policy{Allow: []string{tt.pattern}}).Refuses(id); refused == tt.admitted || rule != "" {
			t.Errorf("allow %q: %q (%s) is refused %t by %q", tt.pattern, tt.source, id, refused, rule)
		}
		rule, refused := (manifest.Policy{Deny: []string{tt.pattern}}).Refuses(id)
		if refused != tt.denied || refused != (rule == tt.pattern) {
			t.Errorf("deny %q: %q (%s) is refused %t by %q", tt.pattern, tt.source, id, refused, rule)
		}
	}
}

func TestPatternsOfRepositories(t *testing.T) {
	verdicts(t, []verdict{
		{"github.com/acme/*", "acme/skills", true, true},
		{"github.com/acme/*", "https://github.com/acme/skills/tree/main/a/b", true, true},
		{"github.com/acme/*", "git@github.com:acme/skills.git", true, true},
		{"github.com/acme/*", "https://www.github.com/ACME/Skills", true, true},
		{"GitHub.com/Acme/*", "acme/skills", true, true},
		{"https://github.com/acme/*", "acme/skills", true, true},
		{"github.com/acme/*/", "acme/skills", true, true},
		{"acme/*", "acme/skills", true, true},
		{"acme/skills", "acme/skills", true, true},
		{"acme/skills", "Acme/SKILLS", true, true},
		{"acme/skills.git", "acme/skills", true, true},
		{"github.com/acme/skills/", "https://github.com/acme/skills.git", true, true},
		{"github.com/acme/skills/*", "acme/skills", true, true},
		{"acme/skill-*", "acme/skill-a", true, true},
		{"*/skills", "acme/skills", true, true},
		{"*", "acme/skills", true, true},
		{"github.com", "acme/skills", true, true},
		{"github.com/*", "acme/skills", true, true},
		{"www.github.com/acme/*", "acme/skills", true, true},
		{"github.com./acme/*", "acme/skills", true, true},

		{"github.com/acme/*", "acme-evil/x", false, false},
		{"github.com/acme/*", "evil/acme", false, false},
		{"github.com/acme/*", "git+https://github.com.evil.example/acme/x", false, false},
		{"github.com/acme/*", "git+https://evilgithub.com/acme/x", false, false},
		{"github.com/acme/*", "git+https://evil.example/github.com/acme/x", false, false},
		{"github.com/acme/*", "git+https://mirror.github.com/acme/x", false, false},
		{"github.com/acme/*", "https://gitlab.com/acme/x", false, false},
		{"github.com/acme/*", "./github.com/acme/x", false, false},
		{"acme/*", "https://gitlab.com/acme/x", false, false},
		{"acme/*", "acmes/x", false, false},
		{"acme*/x", "acmes/x", true, true},
		{"acme/skills", "acme/skills2", false, false},
		{"acme/skills", "acme/skill", false, false},
		{"acme/skill-*", "acme/skills", false, false},
		{"*/skills", "acme/other", false, false},
		{"a*b*c/x", "aXbYbZc/x", true, true},
		{"a*b*c/x", "acb/x", false, false},
		{"a*b*c/x", "axc/x", false, false},
		{"ab*ba/x", "aba/x", false, false},
		{"github.com", "https://gist.github.com/0123456789abcdef0123", false, false},

		{"gitlab.com/g/*", "https://gitlab.com/g/sub/r", true, true},
		{"gitlab.com/g/*/r", "https://gitlab.com/g/sub/r", true, true},
		{"gitlab.com/g/*/r", "https://gitlab.com/g/a/b/r", false, false},
		{"gitlab.com/g/sub", "https://gitlab.com/g/sub/r", false, true},
		{"gitlab.com/g/sub/*", "https://gitlab.com/g/subway/r", false, false},
		{"dev.azure.com/org/*", "https://org.visualstudio.com/My%20Project/_git/r", true, true},
		{"dev.azure.com/org/My Project/*", "https://dev.azure.com/org/My%20Project/_git/r", true, true},
		{"dev.azure.com/org/my%20project/*", "https://dev.azure.com/org/My%20Project/_git/r", true, true},
		{"gist.github.com/*", "gist:0123456789abcdef0123", true, true},
	})
}

func TestPatternsOfHostsThatOnlyTheUserKnows(t *testing.T) {
	verdicts(t, []verdict{
		{"git.corp.example/o/*", "https://git.corp.example/O/r", true, true},
		{"git.corp.example/o/*", "ssh://alice@git.corp.example/o/r.git", true, true},
		{"git.corp.example/o/*", "git@other.corp.example:o/r.git", false, false},
		{"other.corp.example/o/*", "git@other.corp.example:o/r.git", true, true},
		{"other.corp.example/o/*", "other.corp.example:O/r.git", true, true},
		{"other.corp.example/*", "git@other.corp.example:/srv/git/r.git", true, true},
		{"other.corp.example/o/*", "ssh://git@other.corp.example/o/r", true, true},
		{"other.corp.example/o/*", "git+https://other.corp.example/O/r", true, true},
		{"corp.example/*", "git@other.corp.example:o/r.git", false, false},

		{"git.corp.example/*", "https://git.corp.example:8443/o/r", false, true},
		{"git.corp.example:8443/*", "https://git.corp.example:8443/o/r", true, true},
		{"git.corp.example:443/*", "https://git.corp.example/o/r", true, true},
		{"git.corp.example:8443/*", "https://git.corp.example/o/r", false, false},
		{"git.corp.example:844/*", "https://git.corp.example:8443/o/r", false, false},
		{"evil.example/*", "ssh://git@evil.example:2222/o/r", false, true},
		{"localhost:8443/*", "https://localhost:8443/o/r", true, true},
		{"https://localhost:8443/o/*", "https://localhost:8443/o/r", true, true},
	})
}

func TestPatternsOfSites(t *testing.T) {
	verdicts(t, []verdict{
		{"https://example.com/*", "https://example.com/skills/x/SKILL.md", true, true},
		{"https://example.com/*", "https://example.com", true, true},
		{"https://example.com/*", "https://example.com/pack.tar.gz", true, true},
		{"https://example.com/*", "https://example.com.evil.example/x/SKILL.md", false, false},
		{"https://example.com/*", "https://evil.example/example.com/SKILL.md", false, false},
		{"https://example.com/*", "https://www.example.com/x/SKILL.md", true, true},
		{"https://example.com/*", "https://sub.example.com/x/SKILL.md", false, false},
		{"example.com", "https://example.com/x/SKILL.md", true, true},
		{"example.com/x/*", "https://example.com/x/SKILL.md", true, true},
		{"example.com/x/SKILL.md", "https://example.com/x/SKILL.md", true, true},
		{"example.com/x", "https://example.com/x/SKILL.md", false, true},
		{"example.com/x/*", "https://example.com/X/SKILL.md", false, true}, // files of two people, on many servers
		{"example.com/x/*", "https://example.com/xy/SKILL.md", false, false},
		{"example.com/a b/*", "https://example.com/a%20b/SKILL.md", true, true},
		{"oci://ghcr.io/acme/*", "oci://ghcr.io/acme/skills:1", true, true},
		{"ghcr.io/acme/*", "oci://ghcr.io/acme/skills:1", true, true},
		{"ghcr.io/acme/*", "oci://ghcr.io/acme2/skills:1", false, false},
		{"[2606:4700::1111]/*", "https://[2606:4700::1111]/x/SKILL.md", true, true},
		{"[2606:4700::1112]/*", "https://[2606:4700::1111]/x/SKILL.md", false, false},
		{"*", "https://example.com", true, true},
	})
}

func TestPatternsOfPackagesAndBuiltins(t *testing.T) {
	verdicts(t, []verdict{
		{"builtin:*", "builtin:skills-cli", true, true},
		{"builtin:skills-cli", "builtin:skills-cli", true, true},
		{"builtin:skills-*", "builtin:skills-cli", true, true},
		{"builtin:skills", "builtin:skills-cli", false, false},
		{"builtin:*", "npm:skills-cli", false, false},
		{"npm:*", "npm:@acme/skills@1.2", true, true},
		{"npm:@acme/*", "npm:@acme/skills", true, true},
		{"npm:@acme/*", "npm:@acme-evil/skills", false, false},
		{"npm:@acme/*", "npm:acme", false, false},
		{"npm:left-pad", "npm:left-pad@1", true, true},
		{"npm:left-pad", "npm:left-pads", false, false},
		{"npm:acme/*", "acme/skills", false, false},
		{"acme/*", "npm:@acme/skills", false, false},
		{"*", "builtin:skills-cli", true, true},
	})
}

func TestPatternsOfThisMachine(t *testing.T) {
	verdicts(t, []verdict{
		{"./*", "./tools/skills", true, true},
		{"./*", ".", true, true},
		{"./*", ".agents/skills/x", true, true},
		{"./*", "./pack.zip", true, true},
		{"./*", "../tools", false, false},
		{"./*", "..", false, false},
		{"./*", "./a/../../b", false, false},
		{"./*", "/srv/skills", false, false},
		{"./*", "~/skills", false, false},
		{"./*", "acme/skills", false, false},
		{"./tools/*", "./tools/a/b", true, true},
		{"./tools/*", "./other/../tools/a", true, true},
		{"./tools/*", "./tools/../secret", false, false},
		{"./tools/*", "./tools2/a", false, false},
		{"./tools", "./tools", true, true},
		{"./tools/", "./tools/a", false, true},
		{"./Tools/*", "./tools/a", false, true},
		{`.\tools\*`, "./tools/a", true, true},
		{"../*", "../x", true, true},
		{"../*", "../../x", false, false},
		{"../*", "./x", false, false},
		{"~/*", "~/x/y", true, true},
		{"~/*", "~/../x", false, false},
		{"~/*", "~bob/x", false, false},
		{"/srv/*", "/srv/a/b", true, true},
		{"/srv/*", "/srv/../etc", false, false},
		{"/srv/*", "file:///srv/a", true, true},
		{"/*", "/etc", true, true},
		{"/*", "/", true, true},
		{"*", "/etc", true, true},
	})
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{{`C:\skills\*`, `c:\skills\x`, true}, {"c:/skills/*", `C:\skills\..\x`, false}, {"/skills/*", `C:\skills\x`, false}, {"./*", `.\..\x`, false}} {
		if _, refused := (manifest.Policy{Deny: []string{tt.pattern}}).Refuses(tt.path); refused != tt.want {
			t.Errorf("deny %q: %q is refused %t", tt.pattern, tt.path, refused)
		}
	}
}

func TestDenyWinsOverAllow(t *testing.T) {
	p := manifest.Policy{Allow: []string{"paper-crow/*", "community/helpers", "*/both"}, Deny: []string{"paper-crow/evil", "*/both"}}
	for text, want := range map[string]struct {
		rule    string
		refused bool
	}{
		"paper-crow/x":      {"", false},
		"community/helpers": {"", false},
		"Community/Helpers": {"", false},
		"community/other":   {"", true},
		"evil/x":            {"", true},
		"paper-crow/evil":   {"paper-crow/evil", true},
		"x/both":            {"*/both", true},
	} {
		t.Run("S0-21 "+text, func(t *testing.T) {
			if rule, refused := p.Refuses(identity(t, text)); rule != want.rule || refused != want.refused {
				t.Errorf("got %q, %t", rule, refused)
			}
		})
	}
	t.Run("S0-21 any", func(t *testing.T) {
		if rule, refused := (manifest.Policy{Allow: []string{"*"}}).Refuses(identity(t, "evil/x")); refused {
			t.Errorf("refused by %q", rule)
		}
	})
}

func TestEmptyPolicyAdmitsEverything(t *testing.T) {
	for _, p := range []manifest.Policy{{}, {Allow: []string{}, Deny: []string{}}, {Within: [][]string{{}}}} {
		for _, text := range []string{"acme/skills", "/etc", "builtin:x", "https://e.com"} {
			if rule, refused := p.Refuses(identity(t, text)); refused || rule != "" {
				t.Errorf("%+v refuses %s by %q", p, text, rule)
			}
		}
	}
}

func TestBrokenRulesAreSafe(t *testing.T) {
	if rule, refused := (manifest.Policy{Deny: []string{"https://*"}}).Refuses("https://github.com/acme/skills"); !refused || rule != "https://*" {
		t.Errorf("got %q, %t", rule, refused)
	}
	if _, refused := (manifest.Policy{Allow: []string{"https://*"}}).Refuses("https://github.com/acme/skills"); !refused {
		t.Error("admitted")
	}
	for _, text := range []string{"", "https://", "://", ":", "https://user:pass@evil.example/x", "\x00", "https://%zz/%zz"} {
		if _, refused := (manifest.Policy{Allow: []string{"acme/*", "./*", "npm:*"}}).Refuses(text); !refused {
			t.Errorf("%q is admitted", text)
		}
	}
}

func TestMergedPoliciesBothAdmit(t *testing.T) {
	project := manifest.Policy{Allow: []string{"acme/*", "builtin:*"}, Deny: []string{"acme/old", "*/evil"}}
	user := manifest.Policy{Allow: []string{"github.com/*"}, Deny: []string{"*/evil", "acme/bad"}}
	site := manifest.Policy{Allow: []string{"*/skills", "*/old"}}
	texts := []string{"acme/skills", "acme/old", "acme/bad", "acme/other", "other/skills", "builtin:x", "x/evil"}
	for _, policies := range [][]manifest.Policy{{project, user}, {user, project}, {project, user, site}, {site, project, user}, {{}, user}, {user, {}}, {{}, {}},
		{project, {Deny: []string{"acme/skills"}}}} {
		var merged manifest.Policy
		for _, p := range policies {
			merged = merged.Merge(p)
		}
		for _, text := range texts {
			want := false
			for _, p := range policies {
				_, refused := p.Refuses(identity(t, text))
				want = want || refused
			}
			if _, refused := merged.Refuses(identity(t, text)); refused != want {
				t.Errorf("%+v: %s is refused %t", policies, text, refused)
			}
		}
		if err := merged.Check(); err != nil {
			t.Error(err)
		}
	}
	if merged := project.Merge(user); len(merged.Deny) != 3 || len(project.Deny) != 2 || len(project.Within) != 0 {
		t.Errorf("got %+v of %+v", merged, project)
	}
}

func TestPatternsThatCanDoNothingAreRefused(t *testing.T) {
	for _, tt := range []struct{ pattern, message, hint string }{
		{"acme", "names no repository", "write github.com/acme/*"},
		{"github.com/acme", "names no repository", "write github.com/acme/*"},
		{"https://*", `has "*" in its host`, `"*" alone`},
		{"*.example.com/*", `has "*" in its host`, "name each host"},
		{"git*.com/acme/*", `has "*" in its host`, ""},
		{"https://", "no host", ""},
		{"https://exa mple.com/*", "no host", ""},
		{"https://example.com:0/*", "no host", ""},
		{"https://example.com:x/*", "no host", ""},
		{"https://bücher.example/*", "no host", ""},
		{"http://example.com/*", `scheme "http"`, "example.com/*"},
		{"file:///srv/*", `scheme "file"`, ""},
		{"github:acme/*", "unknown prefix", "github.com/owner/*"},
		{"npm:", "unknown prefix", ""},
		{"git.corp.example:o/*", "unknown prefix", ""},
		{"@acme/*", "names no host", "npm:@acme/*"},
		{"git@github.com:acme/*", `a user before "@"`, "github.com/acme/*"},
		{"acme/**", `holds "**"`, "/*"},
		{"acme/skills?", "holds one of", ""},
		{"acme/[ab]", "holds one of", `"*" stands for`},
		{"acme/{a,b}", "holds one of", ""},
		{"github.com/acme/skills#v1", "holds one of", ""},
		{"https://example.com/../x", `holds ".." as a part`, ""},
		{"acme/%2e%2e", `holds ".." as a part`, ""},
		{"github.dev/acme/*", "whose repositories are those of github.com", "write github.com"},
		{"raw.githubusercontent.com/evil/*", "whose repositories are those of github.com", "write github.com"},
		{"codeload.github.com/evil/*", "whose repositories are those of github.com", ""},
		{"api.github.com/repos/evil/*", "whose repositories are those of github.com", ""},
		{"hf.co/evil/*", "whose repositories are those of huggingface.co", ""},
		{"evil.visualstudio.com/*", "whose repositories are those of dev.azure.com", ""},
	} {
		refused(t, tt.pattern, manifest.Policy{Allow: []string{"*"}, Within: [][]string{{tt.pattern}}}.Check(), "manifest_invalid", tt.message, tt.hint)
		for _, key := range []string{"allow", "deny"} {
			_, err := manifest.Parse([]byte("[policy]\n"+key+" = [\n'acme/*',\n'"+tt.pattern+"']\n"), "skills.toml")
			refused(t, tt.pattern, err, "manifest_invalid", tt.message, tt.hint)
			if err != nil && !strings.HasPrefix(err.Error(), "skills.toml:4: ") {
				t.Errorf("%s: %v", tt.pattern, err)
			}
		}
	}
}

func TestPatternsGiveNoSecretsAway(t *testing.T) {
	for _, text := range []string{"https://me:hunter2@github.com/acme/*", "me:hunter2@github.com/acme/*", "ssh://hunter2@github.com/*", "hunter2@github.com/*",
		"https://me:hunter2/x@github.com/*", "http://me:hunter2@e.com/*", "https://me:hunter2@e.com/@x", "ftp:hunter2@e.com", "hunter2/**@x"} {
		err := manifest.Policy{Deny: []string{text}}.Check()
		refused(t, text, err, "manifest_invalid", `pattern "…@`, "")
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzPolicy: no pattern and no identity make it panic; deny refuses whatever allow admits; a repository's own identity is a rule that
// fits it; and no rule for one host fits a place on another.
func FuzzPolicy(f *testing.F) {
	f.Add("github.com/acme/*", "acme/skills")
	f.Add("https://example.com/a*b/*", "https://example.com/a/SKILL.md")
	f.Add("./*", "../x")
	f.Add("npm:@a/*", "npm:@a/b")
	f.Add("[::1]:1/*", "git@h.example:o/r")
	f.Add("c:/x/*", "~/../x")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		id := text
		if l, err := source.Parse(text, source.DefaultHosts()); err == nil {
			id = l.Source()
			if _, refused := (manifest.Policy{Deny: []string{id}}).Refuses(id); !refused {
				t.Fatalf("%q does not deny itself", id)
			}
			other := manifest.Policy{Allow: []string{"host.invalid/*", "github.com.invalid/*"}}
			if _, refused := other.Refuses(id); !refused && !strings.Contains(id, ".invalid") {
				t.Fatalf("%q is admitted on another host", id)
			}
		}
		_, notAllowed := manifest.Policy{Allow: []string{pattern}}.Refuses(id)
		rule, denied := manifest.Policy{Deny: []string{pattern}}.Refuses(id)
		if !notAllowed && !denied || denied != (rule == pattern) && pattern != "" {
			t.Fatalf("%q and %q: not allowed %t, denied %t by %q", pattern, id, notAllowed, denied, rule)
		}
	})
}
