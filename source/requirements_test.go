package source

import (
	"errors"
	"strings"
	"testing"
)

// The shorthand of SkillKit. What differs: "/r" is a directory of this machine, and what stands behind "@" without a path before it and
// does not look like a ref is a skill first, a ref when no skill has the name.
func TestShorthandOfSkillKit(t *testing.T) {
	for _, c := range []struct{ text, source, path, ref, code string }{
		{"o/r/packages/nlp@main", "https://github.com/o/r", "packages/nlp", "main", ""},
		{"o/r", "https://github.com/o/r", "", "", ""},
		{"o/r@v1", "https://github.com/o/r", "", "v1", ""},
		{"o/r@a@b", "https://github.com/o/r", "", "a@b", ""},
		{"o/r/x@a@b", "https://github.com/o/r", "x", "a@b", ""},
		{"", "", "", "", "empty"}, {"o", "", "", "", "invalid-source"}, {"@v1", "", "", "", "invalid-source"}, {"o/r@", "", "", "", "missing-ref"},
		{"???", "", "", "", "invalid-source"},
	} {
		t.Run("S0-20 "+c.text, func(t *testing.T) {
			l, err := Parse(c.text, DefaultHosts())
			if l.SkillOrRef {
				l = l.SkillAsRef()
			}
			if code(err) != c.code || l.Source() != c.source || l.Path != c.path || l.Ref != c.ref {
				t.Errorf("%+v of %q, %v", l, l.Source(), err)
			}
		})
	}
	t.Run("S0-20 /r", func(t *testing.T) {
		if l, err := Parse("/r", DefaultHosts()); err != nil || l.Kind != Local {
			t.Errorf("%+v, %v", l, err)
		}
	})
}

// location is what Smarter keeps of a source, said with what this package has.
type location struct {
	skill, base            string // URLs
	owner, repo, ref, path string
	gitHub, owned          bool
	directory, resource    string // resource is the URL of "references/a b#c?.md"
}

func locationOf(t *testing.T, text string) location {
	t.Helper()
	l, err := Parse(text, DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	const resource = "references/a b#c?.md"
	loc := location{owner: l.Owner, repo: l.Repo, ref: l.Ref, path: l.Path, owned: l.Owner != "", directory: l.Directory()}
	host, known := DefaultHosts().Lookup(l.Host)
	loc.gitHub = known && host.Kind == GitHub
	if l.Kind == File {
		loc.path = ""
		loc.skill, loc.base, loc.resource = l.URL, l.Resource(""), l.Resource(resource)
		return loc
	}
	if loc.ref == "" {
		loc.ref = "HEAD"
	}
	below := func(name string) string { return strings.TrimPrefix(l.Path+"/"+name, "/") }
	loc.skill, loc.resource = host.RawURL(l, loc.ref, below("SKILL.md")), host.RawURL(l, loc.ref, below(resource))
	loc.base = strings.TrimSuffix(loc.skill, "SKILL.md")
	return loc
}

func TestLocationsOfSmarter(t *testing.T) {
	const raw = "https://raw.githubusercontent.com/"
	tail := "references/a%20b%23c%3F.md"
	pdf := func(base string) location {
		return location{skill: base + "SKILL.md", base: base, owner: "anthropics", repo: "skills", ref: "main", path: "skills/pdf", gitHub: true, owned: true,
			directory: "pdf", resource: base + tail}
	}
	root := location{skill: raw + "o/my-skill/HEAD/SKILL.md", base: raw + "o/my-skill/HEAD/", owner: "o", repo: "my-skill", ref: "HEAD", gitHub: true, owned: true,
		directory: "my-skill", resource: raw + "o/my-skill/HEAD/" + tail}
	spaced := location{skill: raw + "o/r/main/my%20skills/a/SKILL.md", base: raw + "o/r/main/my%20skills/a/", owner: "o", repo: "r", ref: "main", path: "my skills/a",
		gitHub: true, owned: true, directory: "a", resource: raw + "o/r/main/my%20skills/a/" + tail}
	slashed := location{skill: raw + "o/r/feature/x/skills/pdf/SKILL.md", base: raw + "o/r/feature/x/skills/pdf/", owner: "o", repo: "r", ref: "feature", path: "x/skills/pdf",
		gitHub: true, owned: true, directory: "pdf", resource: raw + "o/r/feature/x/skills/pdf/" + tail}
	web := func(dir, name string) location {
		base := "https://example.com/" + dir
		return location{skill: base + "SKILL.md", base: base, directory: name, resource: base + tail}
	}
	for _, c := range []struct {
		id, text string
		want     location
	}{
		{"S2-22 S2-25 S2-26 tree", "https://github.com/anthropics/skills/tree/main/skills/pdf", pdf(raw + "anthropics/skills/main/skills/pdf/")},
		{"S2-22 blob", "https://github.com/anthropics/skills/blob/main/skills/pdf/SKILL.md", pdf(raw + "anthropics/skills/main/skills/pdf/")},
		{"S2-22 raw", raw + "anthropics/skills/main/skills/pdf/SKILL.md", pdf(raw + "anthropics/skills/main/skills/pdf/")},
		{"S2-22 S2-27 root", "https://github.com/o/my-skill", root},
		{"S2-22 S2-26 any other", "https://example.com/skills/my-skill/SKILL.md", web("skills/my-skill/", "my-skill")},
		{"S2-23 the first part is the ref", "https://github.com/o/r/tree/feature/x/skills/pdf", slashed},
		{"S2-27 no directory", "https://example.com/SKILL.md", web("", "")},
		{"S2-28 encoded once", "https://github.com/o/r/tree/main/my%20skills/a", spaced},
		{"S2-29 query and fragment", "https://example.com/s/SKILL.md?download=1#top", web("s/", "s")},
	} {
		t.Run(c.id, func(t *testing.T) {
			if got := locationOf(t, c.text); got != c.want {
				t.Errorf("%s\n got %+v\nwant %+v", c.text, got, c.want)
			}
		})
	}
	t.Run("S2-25 as written", func(t *testing.T) {
		if l, err := Parse("  https://github.com/anthropics/skills/tree/main/skills/pdf ", DefaultHosts()); err != nil || l.Input != "https://github.com/anthropics/skills/tree/main/skills/pdf" {
			t.Errorf("%+v, %v", l, err)
		}
	})
}

// What Smarter refuses and this package refuses too, each with a text that says what to write. Sources that are taken though Smarter has no
// word for them (ssh, shorthand, other hosts, archives) are rows of testdata/locators.
func TestSourcesThatSmarterRefuses(t *testing.T) {
	for _, c := range []struct{ text, code string }{
		{"", "empty"}, {"   ", "empty"}, {"https://example.com/" + strings.Repeat("a", 2048-20-8) + "/SKILL.md", "too-long"},
		{"http://github.com/o/r", "insecure-scheme"}, {"ftp://example.com/SKILL.md", "scheme"}, {"https:///SKILL.md", "no-host"},
		{"https://user:password@example.com/SKILL.md", "credentials"}, {"https://ghp_abc@github.com/o/r", "credentials"},
		{"https://github.com", "owner-only"}, {"https://github.com/o", "owner-only"}, {"https://github.com/o/r/issues/1", "not-a-skill-page"},
		{"https://github.com/o/r/tree", "missing-ref"}, {"https://github.com/o/r/blob", "missing-ref"},
		{"https://github.com/o/r/blob/main/skills/pdf/forms.md", "not-skill-md"}, {"https://raw.githubusercontent.com/o/r/main/skills/pdf/forms.md", "not-skill-md"},
		{"https://example.com/skills/my-skill/README.md", "not-skill-md"},
	} {
		t.Run("S2-24 "+c.code, func(t *testing.T) {
			_, err := Parse(c.text, DefaultHosts())
			var e *Error
			if !errors.As(err, &e) || e.Code() != c.code || len(e.Hints()) == 0 || e.Hints()[0] == "" {
				t.Errorf("%.80q: %v", c.text, err)
			}
			if err != nil && (strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "ghp_abc")) {
				t.Errorf("%v repeats a secret", err)
			}
		})
	}
	t.Run("S2-24 2,048 characters", func(t *testing.T) {
		if _, err := Parse("https://example.com/"+strings.Repeat("a", 2048-20-9)+"/SKILL.md", DefaultHosts()); err != nil {
			t.Error(err)
		}
	})
}
