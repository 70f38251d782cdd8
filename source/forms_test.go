package source

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestAllTextsOfARepositoryHaveOneSource(t *testing.T) {
	tests := []struct {
		source string
		texts  []string
	}{
		{"https://github.com/o/r", []string{
			"o/r",
			"o/r/",
			"o/r.git",
			"o/r@v1",
			"o/r@pdf",
			"o/r#dev",
			"o/r/skills/pdf",
			"o/r//skills/pdf",
			"gh:o/r",
			"github:o/r",
			"github.com/o/r",
			"www.github.com/o/r",
			"https://github.com/o/r",
			"https://GitHub.com/o/r.git",
			"https://www.github.com/o/r/",
			"https://github.com/o/r/tree/main",
			"https://github.com/o/r/tree/feature/x/skills",
			"https://github.com/o/r/blob/main/skills/pdf/SKILL.md",
			"https://github.com/o/r/releases/tag/v1",
			"https://github.com/o/r/archive/main.zip",
			"https://github.com/o/r/pull/12",
			"https://github.com/o/r/commit/0123abc",
			"https://raw.githubusercontent.com/o/r/main/SKILL.md",
			"https://codeload.github.com/o/r/zip/main",
			"https://api.github.com/repos/o/r",
			"https://github.dev/o/r",
			"https://skills.sh/o/r/pdf",
			"git+https://github.com/o/r.git#v1",
			"git@github.com:o/r.git",
			"git@github.com:o/r.git//skills#v1",
			"ssh://git@github.com/o/r.git",
			"ssh://git@ssh.github.com:443/o/r",
			"git+ssh://git@github.com/o/r.git",
			"npx skills add o/r --skill pdf",
			"<https://github.com/o/r>",
		}},
		{"https://gitlab.com/g/s/r", []string{
			"gitlab:g/s/r",
			"gl:g/s/r#v1",
			"https://gitlab.com/g/s/r",
			"https://gitlab.com/g/s/r.git",
			"https://gitlab.com/g/s/r/-/tree/main/a",
			"https://gitlab.com/g/s/r/tree/main/a",
			"https://gitlab.com/g/s/r/-/merge_requests/3",
			"git@gitlab.com:g/s/r.git",
			"ssh://git@altssh.gitlab.com:443/g/s/r.git",
		}},
		{"https://bitbucket.org/w/r", []string{
			"bitbucket:w/r",
			"bb:w/r/skills",
			"https://bitbucket.org/w/r/src/main/",
			"https://bitbucket.org/w/r/raw/main/SKILL.md",
			"https://api.bitbucket.org/2.0/repositories/w/r",
			"git@bitbucket.org:w/r.git",
			"ssh://git@altssh.bitbucket.org:443/w/r.git",
		}},
		{"https://codeberg.org/o/r", []string{
			"codeberg:o/r",
			"https://codeberg.org/o/r.git",
			"https://codeberg.org/o/r/src/branch/main/a",
			"https://codeberg.org/o/r/raw/tag/v1/SKILL.md",
			"git@codeberg.org:o/r.git",
		}},
		{"https://git.sr.ht/~u/r", []string{
			"sourcehut:~u/r",
			"srht:~u/r",
			"https://git.sr.ht/~u/r/tree/main/item/a",
			"git@git.sr.ht:~u/r",
		}},
		{"https://dev.azure.com/org/proj/_git/r", []string{
			"https://dev.azure.com/org/proj/_git/r?version=GBmain",
			"https://org.visualstudio.com/proj/_git/r",
			"https://org.visualstudio.com/DefaultCollection/proj/_git/r",
			"git@ssh.dev.azure.com:v3/org/proj/r",
			"org@vs-ssh.visualstudio.com:v3/org/proj/r",
		}},
		{"https://huggingface.co/spaces/o/r", []string{
			"hf:spaces/o/r",
			"huggingface:spaces/o/r",
			"https://hf.co/spaces/o/r/blob/main/SKILL.md",
			"git@hf.co:spaces/o/r",
		}},
		{"https://gist.github.com/0a1b2c3d4e5f60718293a4b5c6d7e8f9", []string{
			"gist:0a1b2c3d4e5f60718293a4b5c6d7e8f9",
			"gist:u/0a1b2c3d4e5f60718293a4b5c6d7e8f9",
			"https://gist.github.com/u/0a1b2c3d4e5f60718293a4b5c6d7e8f9",
			"https://gist.github.com/0a1b2c3d4e5f60718293a4b5c6d7e8f9.git",
			"https://gist.githubusercontent.com/u/0a1b2c3d4e5f60718293a4b5c6d7e8f9/raw/SKILL.md",
			"git@gist.github.com:0a1b2c3d4e5f60718293a4b5c6d7e8f9.git",
		}},
	}
	for _, test := range tests {
		for _, text := range test.texts {
			l, err := Parse(text, DefaultHosts())
			if err != nil || l.Source() != test.source {
				t.Errorf("%q has the source %q, want %q (%v)", text, l.Source(), test.source, err)
			}
		}
	}
}

func TestSlashBranchesAreSettledOnEveryHost(t *testing.T) {
	names := []string{"refs/heads/main", "refs/heads/feature", "refs/heads/feature/x"}
	for _, text := range []string{
		"https://github.com/o/r/tree/feature/x/skills/pdf",
		"https://github.com/o/r/blob/feature/x/skills/pdf/SKILL.md",
		"https://github.com/o/r/commits/feature/x/skills/pdf",
		"https://raw.githubusercontent.com/o/r/feature/x/skills/pdf/SKILL.md",
		"https://tenant.ghe.com/o/r/tree/feature/x/skills/pdf",
		"https://git.corp.example/o/r/tree/feature/x/skills/pdf",
		"https://gitlab.com/g/r/-/tree/feature/x/skills/pdf",
		"https://gitlab.com/g/r/-/tree/feature/x/skills/pdf?ref_type=heads",
		"https://gl.unknown.example/g/r/-/blob/feature/x/skills/pdf/SKILL.md",
		"https://bitbucket.org/w/r/src/feature/x/skills/pdf",
		"https://codeberg.org/o/r/src/branch/feature/x/skills/pdf",
		"https://gogs.corp.example/o/r/src/feature/x/skills/pdf",
		"https://huggingface.co/o/r/tree/feature/x/skills/pdf",
		"git+https://unknown.example/o/r//x/skills/pdf#feature/",
		"git@unknown.example:o/r.git//x/skills/pdf#feature/",
	} {
		l, err := Parse(text, corp())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		settled, err := l.Settle(names)
		if err != nil || !l.Ambiguous || settled.Ambiguous || settled.Ref != "feature/x" || settled.Path != "skills/pdf" || settled.File != l.File {
			t.Errorf("%q: %+v, %v", text, settled, err)
		}
		sameButText(t, settled.Canonical(), settled, corp())
	}
}

func TestSlashBranchesThatTheTextEndsItselfAreNoQuestion(t *testing.T) {
	for _, text := range []string{
		"https://github.com/o/r/tree/feature%2Fx/skills/pdf",
		"https://api.github.com/repos/o/r/contents/skills/pdf?ref=feature%2Fx",
		"https://gitlab.com/g/r/-/archive/feature/x/r.zip?path=skills/pdf",
		"https://bitbucket.org/w/r/src/feature/x/skills/pdf?at=feature%2Fx",
		"https://bb.unknown.example/projects/P/repos/r/browse/skills/pdf?at=feature%2Fx",
		"https://git.sr.ht/~u/r/tree/feature/x/item/skills/pdf",
		"https://dev.azure.com/org/proj/_git/r?path=/skills/pdf&version=GBfeature%2Fx",
		"git@github.com:o/r.git//skills/pdf#feature/x",
		"o/r/skills/pdf@feature/x",
		"o/r/skills/pdf#feature/x",
	} {
		l, err := Parse(text, DefaultHosts())
		if err != nil || l.Ambiguous || l.Ref != "feature/x" || l.Path != "skills/pdf" {
			t.Errorf("%q: %+v, %v", text, l, err)
		}
	}
}

func TestWhatHintsPrintIsAccepted(t *testing.T) {
	address := regexp.MustCompile(`(git\+)?https://[^\s,)]+|owner/repo|\./[^\s]+|npm:@?[a-z]+(/[a-z]+)?`)
	count := 0
	for _, r := range rows(t) {
		_, err := Parse(r.input, r.hosts)
		var e *Error
		if !errors.As(err, &e) || e.Kind == "scheme" || e.Kind == "insecure-scheme" || e.Kind == "bad-url" {
			continue
		}
		for _, text := range address.FindAllString(e.Hint, -1) {
			count++
			if strings.HasSuffix(text, "/TAG") || text == "git+https://" || text == "https://" {
				continue
			}
			if _, err := Parse(text, r.hosts); err != nil {
				t.Errorf("the hint for %q prints %q: %v", r.input, text, err)
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d texts were found in hints", count)
	}
}

func TestNotesSayWhatToWriteInstead(t *testing.T) {
	tests := []struct{ text, code, want string }{
		{"https://github.com/o/r#v1", "fragment_ignored", "git+https://github.com/o/r#v1"},
		{"https://git.acme.example/x/skills#v1.2", "fragment_ignored", "git+https://git.acme.example/x/skills#v1.2"},
		{"https://github.com/o/r/pull/12", "pull_request", "refs/pull/12/head"},
		{"https://github.com/o/r/blob/main/skill.md", "manifest_case", `"skill.md"`},
		{"https://github.com/o/r/releases/latest", "latest_release", "newest"},
	}
	for _, test := range tests {
		l, err := Parse(test.text, DefaultHosts())
		if err != nil || len(l.Notes) != 1 || l.Notes[0].Code != test.code || !strings.Contains(l.Notes[0].Message, test.want) {
			t.Errorf("%q: %+v, %v", test.text, l.Notes, err)
		}
	}
}

func TestSplitRef(t *testing.T) {
	tests := []struct {
		parts []string
		ref   string
		rest  []string
		final bool
	}{
		{[]string{"main"}, "main", nil, true},
		{[]string{"dev"}, "dev", nil, false},
		{[]string{"main", "a"}, "main", []string{"a"}, true},
		{[]string{"dev", "a", "b"}, "dev", []string{"a", "b"}, false},
		{[]string{"v1", "a"}, "v1", []string{"a"}, false},
		{[]string{"v1.0", "a"}, "v1.0", []string{"a"}, true},
		{[]string{"abcdef0", "a"}, "abcdef0", []string{"a"}, true},
		{[]string{"feature/x", "a"}, "feature/x", []string{"a"}, true},
		{[]string{"refs"}, "refs", nil, false},
		{[]string{"refs", "heads", "main"}, "refs/heads/main", nil, false},
		{[]string{"refs", "heads", "a/b", "c"}, "refs/heads/a/b", []string{"c"}, true},
		{[]string{"refs", "tags", "v1", "a"}, "refs/tags/v1", []string{"a"}, true},
		{[]string{"refs", "tags", "pkg", "v1"}, "refs/tags/pkg", []string{"v1"}, false},
		{[]string{"refs", "pull", "12", "head", "a"}, "refs/pull/12/head", []string{"a"}, true},
		{[]string{"refs", "pull", "12", "merge"}, "refs/pull/12/merge", nil, true},
		{[]string{"refs", "pr", "1", "a"}, "refs/pr/1", []string{"a"}, true},
	}
	for _, test := range tests {
		ref, rest, final := splitRef(test.parts)
		if ref != test.ref || !slices.Equal(rest, test.rest) || final != test.final {
			t.Errorf("splitRef(%q) = %q, %q, %t", test.parts, ref, rest, final)
		}
	}
}

func TestRedact(t *testing.T) {
	tests := []struct{ text, want string }{
		{"o/r@v1", "o/r@v1"},
		{"o/r/packages/@scope/x", "o/r/packages/@scope/x"},
		{"@scope/pkg", "@scope/pkg"},
		{"npm:@scope/pkg@1", "npm:@scope/pkg@1"},
		{"jsr:@scope/pkg", "jsr:@scope/pkg"},
		{"npm install @scope/pkg", "npm install @scope/pkg"},
		{"yarn add -D @scope/pkg@1", "yarn add -D @scope/pkg@1"},
		{"npm install secret@github.com/o/r", "…@github.com/o/r"},
		{"npm install secret @github.com/o/r", "…@github.com/o/r"},
		{"git@github.com:o/r", "git@github.com:o/r"},
		{"org@github.com:o/r", "org@github.com:o/r"},
		{"https://github.com/o/r/tree/main/a@b", "https://github.com/o/r/tree/main/a@b"},
		{"https://token@github.com/o/r", "https://…@github.com/o/r"},
		{"https://user:pass@github.com/o/r", "https://…@github.com/o/r"},
		{"https://user:pa/ss@github.com/o/r", "https://…@github.com/o/r"},
		{"https://user:pa@ss@github.com/o/r", "https://…@github.com/o/r"},
		{"https:/user:pass@github.com/o/r", "https:/…@github.com/o/r"},
		{"https://e.com/a?ref=dev&token=x", "https://e.com/a?ref=dev&token=…"},
		{"https://e.com/a?x#frag", "https://e.com/a?…#frag"},
		{"https://e.com/a?", "https://e.com/a?"},
		{"https://e.com/a?tab=readme&&plain=1", "https://e.com/a?tab=readme&&plain=1"},
		{"https://e.com/a?X-Amz-Signature=x&at=y", "https://e.com/a?X-Amz-Signature=…&at=y"},
	}
	for _, test := range tests {
		if got := redact(test.text); got != test.want {
			t.Errorf("redact(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestArchiveName(t *testing.T) {
	tests := []struct {
		name, want string
		archive    bool
	}{
		{"pack.zip", "pack", true},
		{"pack.tar.gz", "pack", true},
		{"pack.tgz", "pack", true},
		{"pack.tar", "pack", true},
		{"pdf.skill", "pdf", true},
		{"PDF.ZIP", "PDF", true},
		{"v1.0.zip", "v1.0", true},
		{"refs/heads/a.b.tar.gz", "refs/heads/a.b", true},
		{".zip", ".zip", false},
		{"zip", "zip", false},
		{"pack.gz", "pack.gz", false},
		{"pack.zip.bak", "pack.zip.bak", false},
		{"", "", false},
	}
	for _, test := range tests {
		if got, archive := archiveName(test.name); got != test.want || archive != test.archive {
			t.Errorf("archiveName(%q) = %q, %t", test.name, got, archive)
		}
	}
}

func TestTrimGit(t *testing.T) {
	for name, want := range map[string]string{"r": "r", "r.git": "r", "r.GIT": "r", "r.git.git": "r", ".git": ".git", "git": "git", "r.gitx": "r.gitx", "": ""} {
		if got := trimGit(name); got != want {
			t.Errorf("trimGit(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCutAt(t *testing.T) {
	tests := []struct {
		text, before, after string
		found               bool
	}{
		{"o/r@v1", "o/r", "v1", true},
		{"o/r@@v1", "o/r", "@v1", true},
		{"o/r@a@b", "o/r", "a@b", true},
		{"o/r/@scope/x@v1", "o/r/@scope/x", "v1", true},
		{"o/r/@scope", "o/r/@scope", "", false},
		{"@scope/x", "@scope/x", "", false},
		{"o/r", "o/r", "", false},
		{"", "", "", false},
	}
	for _, test := range tests {
		if before, after, found := cutAt(test.text); before != test.before || after != test.after || found != test.found {
			t.Errorf("cutAt(%q) = %q, %q, %t", test.text, before, after, found)
		}
	}
}

func TestNearRefs(t *testing.T) {
	refs := []string{"HEAD", "refs/heads/main", "refs/heads/maint", "refs/tags/main", "refs/heads/release/1", "refs/heads/release/2", "refs/heads/release/3",
		"refs/heads/release/4", "refs/pull/1/head"}
	for ref, want := range map[string]string{
		"Main":            `did you mean "main" or "maint"?`,
		"refs/heads/mian": `did you mean "main" or "maint"?`,
		"release":         `did you mean "release/1", "release/2" or "release/3"?`,
		"pull":            "without a ref the default branch is taken",
		"head":            "without a ref the default branch is taken",
	} {
		if got := nearHint(ref, refs); got != want {
			t.Errorf("hint for %q is %q, want %q", ref, got, want)
		}
	}
}

func TestHostname(t *testing.T) {
	tests := []struct{ host, want, code string }{
		{"Example.COM", "example.com", ""},
		{"example.com.", "example.com", ""},
		{"a-b.example", "a-b.example", ""},
		{"xn--bcher-kva.example", "xn--bcher-kva.example", ""},
		{"localhost", "localhost", ""},
		{"1.2.3.4", "1.2.3.4", ""},
		{"[2606:4700:0::1111]", "[2606:4700::1111]", ""},
		{"", "", "no-host"},
		{".", "", "no-host"},
		{"-x", "", "unsafe-host"},
		{"a.-x", "", "unsafe-host"},
		{"x-.example", "", "bad-url"},
		{"a..b", "", "bad-url"},
		{"a b", "", "bad-url"},
		{"a%20b", "", "bad-url"},
		{"a/b", "", "bad-url"},
		{`a\b`, "", "bad-url"},
		{"[1.2.3.4]", "", "bad-url"},
		{"[::1%eth0]", "", "bad-url"},
		{"[x]", "", "bad-url"},
		{"[::1", "[::1]", ""}, // the bracket is checked where the port is cut off
		{"bücher.example", "", "unsupported-host"},
		{strings.Repeat("a.", 126) + "bc", "", "bad-url"},
	}
	for _, test := range tests {
		got, err := reader{text: test.host}.hostname(test.host)
		if got != test.want || code(err) != test.code {
			t.Errorf("hostname(%q) = %q, %v", test.host, got, err)
		}
	}
}
