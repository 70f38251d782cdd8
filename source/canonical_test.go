package source

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameButText compares two Locators but for Input and Notes.
func sameButText(t testing.TB, text string, want Locator, hosts Hosts) {
	t.Helper()
	got, err := Parse(text, hosts)
	if err != nil {
		t.Errorf("%q from %q: %v", text, want.Input, err)
		return
	}
	got.Input, got.Notes, want.Notes = "", nil, nil
	input := want.Input
	want.Input = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q from %q: -want +got\n%s", text, input, diff)
	}
}

func TestCanonicalIsReadBackToAnEqualLocator(t *testing.T) {
	for _, r := range rows(t) {
		if l, err := Parse(r.input, r.hosts); err == nil {
			sameButText(t, l.Canonical(), l, r.hosts)
		}
	}
}

func TestSourceIsReadBackToTheSameSource(t *testing.T) {
	for _, r := range rows(t) {
		l, err := Parse(r.input, r.hosts)
		if err != nil {
			continue
		}
		again, err := Parse(l.Source(), r.hosts)
		if err != nil {
			t.Errorf("%q, the source of %q: %v", l.Source(), r.input, err)
			continue
		}
		if again.Source() != l.Source() || again.Kind != l.Kind || again.Host != l.Host || again.Repo != l.Repo || again.Ref != "" && l.Kind == Git {
			t.Errorf("%q, the source of %q, is read as %+v", l.Source(), r.input, again)
		}
	}
}

func TestSourceAndCanonicalAndURL(t *testing.T) {
	tests := []struct{ input, source, canonical, url string }{
		{"o/r", "https://github.com/o/r", "https://github.com/o/r", "https://github.com/o/r.git"},
		{"https://github.com/o/r/tree/main/skills/pdf", "https://github.com/o/r", "https://github.com/o/r/tree/main/skills/pdf", "https://github.com/o/r.git"},
		{"https://github.com/o/r/tree/feature%2Fx/my skills", "https://github.com/o/r", "https://github.com/o/r/tree/feature%2Fx/my%20skills", "https://github.com/o/r.git"},
		{"https://github.com/o/r/tree/feature/x/a", "https://github.com/o/r", "https://github.com/o/r/tree/feature/x/a", "https://github.com/o/r.git"},
		{"o/r/skills/pdf", "https://github.com/o/r", "https://github.com/o/r/tree/HEAD/skills/pdf", "https://github.com/o/r.git"},
		{"o/r/skills/pdf@dev", "https://github.com/o/r", "git+https://github.com/o/r//skills/pdf#dev", "https://github.com/o/r.git"},
		{"o/r/skills/pdf/SKILL.md", "https://github.com/o/r", "https://github.com/o/r/blob/HEAD/skills/pdf/SKILL.md", "https://github.com/o/r.git"},
		{"o/r#^1.2", "https://github.com/o/r", "git+https://github.com/o/r#^1.2", "https://github.com/o/r.git"},
		{"o/r@pdf", "https://github.com/o/r", "https://github.com/o/r@pdf", "https://github.com/o/r.git"},
		{"npx skills add o/r --skill 'find it'", "https://github.com/o/r", "skills add https://github.com/o/r --skill 'find it'", "https://github.com/o/r.git"},
		{"https://github.com/o/r/releases/tag/v1", "https://github.com/o/r", "git+https://github.com/o/r#tag:v1", "https://github.com/o/r.git"},
		{"https://github.com/o/r/blob/main/pdf.skill", "https://raw.githubusercontent.com/o/r/main/pdf.skill", "https://raw.githubusercontent.com/o/r/main/pdf.skill", "https://raw.githubusercontent.com/o/r/main/pdf.skill"},
		{"git@github.com:o/r.git//a#v1", "https://github.com/o/r", "ssh://git@github.com/o/r.git//a#v1", "ssh://git@github.com/o/r.git"},
		{"git@h.example:o/r//a", "git@h.example:o/r", "git@h.example:o/r//a", "git@h.example:o/r"},
		{"ssh://git@h:7999/a/b.git#v1", "ssh://git@h:7999/a/b.git", "ssh://git@h:7999/a/b.git#v1", "ssh://git@h:7999/a/b.git"},
		{"ssh://git@ssh.github.com:443/o/r.git", "https://github.com/o/r", "ssh://git@ssh.github.com:443/o/r.git", "ssh://git@ssh.github.com:443/o/r.git"},
		{"https://gist.github.com/u/0a1b2c3d4e5f60718293a4b5c6d7e8f9", "https://gist.github.com/0a1b2c3d4e5f60718293a4b5c6d7e8f9", "https://gist.github.com/u/0a1b2c3d4e5f60718293a4b5c6d7e8f9", "https://gist.github.com/0a1b2c3d4e5f60718293a4b5c6d7e8f9.git"},
		{"https://gitlab.com/g/s/r/-/tree/main/a", "https://gitlab.com/g/s/r", "git+https://gitlab.com/g/s/r//a#main", "https://gitlab.com/g/s/r.git"},
		{"https://gl.corp.example/g/r/-/tree/main/a", "https://gl.corp.example/g/r.git", "git+https://gl.corp.example/g/r.git//a#main", "https://gl.corp.example/g/r.git"},
		{"https://bb.corp.example/users/u/repos/r/browse", "https://bb.corp.example/scm/~u/r.git", "https://bb.corp.example/scm/~u/r.git", "https://bb.corp.example/scm/~u/r.git"},
		{"https://dev.azure.com/org/proj/_git/my%20repo?version=GBx", "https://dev.azure.com/org/proj/_git/my%20repo", "git+https://dev.azure.com/org/proj/_git/my%20repo#branch:x", "https://dev.azure.com/org/proj/_git/my%20repo"},
		{"git@ssh.dev.azure.com:v3/org/proj/r", "https://dev.azure.com/org/proj/_git/r", "ssh://git@ssh.dev.azure.com/v3/org/proj/r", "ssh://git@ssh.dev.azure.com/v3/org/proj/r"},
		{"https://huggingface.co/spaces/o/r/tree/main", "https://huggingface.co/spaces/o/r", "git+https://huggingface.co/spaces/o/r#main", "https://huggingface.co/spaces/o/r"},
		{"git@hf.co:datasets/o/r", "https://huggingface.co/datasets/o/r", "ssh://git@hf.co/datasets/o/r", "ssh://git@hf.co/datasets/o/r"},
		{"git+https://git.acme.example/x/skills#v1", "git+https://git.acme.example/x/skills", "git+https://git.acme.example/x/skills#v1", "https://git.acme.example/x/skills"},
		{"https://example.com/a b/skill.md?x=1", "https://example.com/a%20b/skill.md", "https://example.com/a%20b/skill.md", "https://example.com/a%20b/skill.md"},
		{"https://example.com/docs/", "https://example.com/docs", "https://example.com/docs", "https://example.com/docs"},
		{"https://example.com/pack.zip?sig=s", "https://example.com/pack.zip", "https://example.com/pack.zip", "https://example.com/pack.zip"},
		{"./tools/skills/", "./tools/skills", "./tools/skills", ""},
		{"./tools/SKILL.md", "./tools", "./tools/SKILL.md", ""},
		{"file:///srv/pack.zip", "/srv/pack.zip", "/srv/pack.zip", ""},
		{"https://github.com/o/r%2E", "https://github.com/o/r%2E", "https://github.com/o/r%2E", "https://github.com/o/r..git"},
		{"o/r%2E@x.", "https://github.com/o/r%2E", "https://github.com/o/r.@x", "https://github.com/o/r..git"},
		{"https://github.com/o/r/tree/main/a%2E", "https://github.com/o/r", "https://github.com/o/r/tree/main/a%2E", "https://github.com/o/r.git"},
		{"https://example.com/docs%2E", "https://example.com/docs%2E", "https://example.com/docs%2E", "https://example.com/docs."},
		{"https://example.com/docs%29", "https://example.com/docs%29", "https://example.com/docs%29", "https://example.com/docs%29"},
		{"ssh://git@h.example/o/r%2E", "ssh://git@h.example/o/r%2E", "ssh://git@h.example/o/r%2E", "ssh://git@h.example/o/r."},
		{"builtin:skills-cli", "builtin:skills-cli", "builtin:skills-cli", ""},
		{"npm:@s/p@1.2", "npm:@s/p", "npm:@s/p@1.2", "https://registry.npmjs.org/@s%2Fp"},
		{"oci://ghcr.io/o/r:1", "oci://ghcr.io/o/r", "oci://ghcr.io/o/r:1", "https://ghcr.io/v2/o/r"},
	}
	for _, test := range tests {
		l, err := Parse(test.input, DefaultHosts())
		if err != nil {
			t.Errorf("Parse(%q): %v", test.input, err)
			continue
		}
		if got := []string{l.Source(), l.Canonical(), l.URL}; got[0] != test.source || got[1] != test.canonical || got[2] != test.url {
			t.Errorf("%q:\n got %q\nwant %q", test.input, got, []string{test.source, test.canonical, test.url})
		}
	}
}

func TestSettledLocatorsAreReadBackToo(t *testing.T) {
	names := []string{"refs/heads/feature/x", "refs/heads/main", "refs/tags/v1"}
	for _, input := range []string{"https://github.com/o/r/tree/feature/x/skills/pdf", "https://gitlab.com/g/r/-/tree/feature/x/a", "o/r/a#v1"} {
		l, err := Parse(input, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		if l, err = l.Settle(names); err != nil {
			t.Fatal(err)
		}
		sameButText(t, l.Canonical(), l, DefaultHosts())
	}
}

func TestDirectoryAndBelow(t *testing.T) {
	tests := []struct{ input, directory, below string }{
		{"o/r", "r", ""},
		{"o/r/skills/pdf", "pdf", "skills/pdf"},
		{"https://github.com/o/r/blob/main/SKILL.md", "r", ""},
		{"https://example.com/skills/my-skill/SKILL.md", "my-skill", ""},
		{"https://example.com/SKILL.md", "", ""},
		{"./tools/pdf", "pdf", ""},
		{".", "", ""},
		{"./packs/pdf.tar.gz", "pdf", ""},
		{"https://github.com/o/r/blob/main/dist/pdf.skill", "pdf", ""},
		{"builtin:skills-cli", "skills-cli", ""},
		{"npm:@s/p", "p", ""},
	}
	for _, test := range tests {
		l, err := Parse(test.input, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		if l.Directory() != test.directory || l.Below() != test.below {
			t.Errorf("%q: directory %q below %q, want %q %q", test.input, l.Directory(), l.Below(), test.directory, test.below)
		}
	}
}

func TestResourceIsAnAddressBesideTheManifest(t *testing.T) {
	l, err := Parse("https://example.com/skills/pdf/SKILL.md?download=1#top", DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Resource("assets/a b#c.md"); got != "https://example.com/skills/pdf/assets/a%20b%23c.md" {
		t.Errorf("got %q", got)
	}
}

func TestInputKeepsNoSecretOfTheQuery(t *testing.T) {
	l, err := Parse(" https://raw.githubusercontent.com/o/r/main/SKILL.md?plain=1&token=ABC ", DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	if l.Input != "https://raw.githubusercontent.com/o/r/main/SKILL.md?plain=1&token=…" || strings.Contains(l.URL+l.Canonical(), "ABC") {
		t.Errorf("%+v", l)
	}
}
