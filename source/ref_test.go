package source

import (
	"os/exec"
	"strings"
	"testing"
)

func TestIsRange(t *testing.T) {
	for ref, want := range map[string]bool{
		"^1.2": true, "~1.2": true, ">=1.2 <3": true, "<2": true, "=1.2.3": true, "*": true, "1.2.*": true, "^1 || ^2": true, "1.2 - 1.4": true, "^1.0.0-rc.1": true,
		"": false, "v1": false, "1.2.3": false, "1.x": false, "main": false, "feature/x": false, "^main": false, "~": false, "refs/heads/*": false,
	} {
		if got := IsRange(ref); got != want {
			t.Errorf("IsRange(%q) = %t", ref, got)
		}
	}
}

func TestMatchTagTakesTheNewestVersionInTheRange(t *testing.T) {
	tests := []struct{ rng, skill, tags, want string }{
		{"^1.2", "", "v1.1.0 v1.2.0 v1.10.0 v1.9.0 v2.0.0", "v1.10.0"},
		{"^1.2", "", "1.2.0 1.3.0", "1.3.0"},
		{"~1.2", "", "v1.2.0 v1.2.9 v1.3.0", "v1.2.9"},
		{"*", "", "v1.0.0 v2.1.0 nightly latest", "v2.1.0"},
		{">=1 <2", "", "v0.9.0 v1.5.0 v2.0.0", "v1.5.0"},
		{"^1 || ^3", "", "v1.0.0 v2.0.0 v3.0.0 v4.0.0", "v3.0.0"},
		{"^1.2", "", "v1.2.0 v1.3.0-rc.1", "v1.2.0"},
		{"^1.3.0-0", "", "v1.2.0 v1.3.0-rc.1 v1.3.0-rc.2", "v1.3.0-rc.2"},
		{"*", "", "v1.0.0-rc.1", ""},
		{"^1", "", "v1 v1.0.0", "v1.0.0"},
		{"^1", "", "v1", "v1"},
		{"^1", "", "v2.0.0 main", ""},
		{"^1", "", "refs/tags/v1.0.0 refs/tags/v1.1.0^{}", "refs/tags/v1.1.0^{}"},
		{"^1", "pdf", "pdf-v1.0.0 pdf-v1.2.0 v1.9.0 xlsx-v1.5.0", "pdf-v1.2.0"},
		{"^1", "pdf", "pdf@1.0.0 pdf@1.2.0", "pdf@1.2.0"},
		{"^1", "pdf", "pdf/v1.0.0 pdf/v1.2.0", "pdf/v1.2.0"},
		{"^1", "pdf", "v1.9.0 xlsx-v1.5.0", "v1.9.0"},
		{"^1", "pdf", "pdf-tools-v1.0.0 v1.1.0", "v1.1.0"},
		{"^3", "pdf", "pdf-v1.0.0 v3.0.0", ""},
		{"^1", "", "xlsx-v1.5.0", ""},
		{"main", "", "v1.0.0", ""},
		{"^1", "", "", ""},
	}
	for _, test := range tests {
		got, ok := MatchTag(test.rng, test.skill, strings.Fields(test.tags))
		if got != test.want || ok != (test.want != "") {
			t.Errorf("MatchTag(%q, %q, %q) = %q, %t, want %q", test.rng, test.skill, test.tags, got, ok, test.want)
		}
	}
}

// refNames are names that git is asked about, and names that it refuses.
func refNames() []string {
	return []string{"main", "feature/x", "a.b", "@name/x", "pkg@1.2", "a@", "ä", "1.2.3", "a--b", "a-", "x{y}", "c#", "a%b", "a,b", "(a)", "a+b", "a=b", "a<b", "a|b", "a&b",
		"", "@", ".a", "a.", "a..b", "a/.b", "a//b", "/a", "a/", "a.lock", "a.lock/b", "a b", "a~1", "a^", "a:b", "a?b", "a*b", "a[b", `a\b`, "a@{b", "-a", "a\x7fb", "a\tb"}
}

func TestValidRefAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	for _, name := range refNames() {
		want := exec.Command(git, "check-ref-format", "refs/heads/"+name).Run() == nil && !strings.HasPrefix(name, "-") && name != "@"
		if got := validRef(name, AnyRef); got != want {
			t.Errorf("validRef(%q) = %t, git says %t", name, got, want)
		}
	}
}

func TestLooksLikeRef(t *testing.T) {
	for x, want := range map[string]bool{
		"v1": true, "V2": true, "v1.2": true, "1.2.3": true, "1": true, "v1.2-rc": true, "1.0.0+b1": true, "abcdef0": true, "0123456": true, "feature/x": true, "^1": true,
		strings.Repeat("a", 40): true, strings.Repeat("0", 64): true,
		"pdf": false, "main": false, "v": false, "version": false, "abcdef": false, "3d-print": false, "1password": false, "v1x": false, strings.Repeat("a", 41): false,
	} {
		if got := looksLikeRef(x); got != want {
			t.Errorf("looksLikeRef(%q) = %t", x, got)
		}
	}
}
