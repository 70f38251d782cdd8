package source

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// at makes the Locator that a page with this tail behind "tree" gives.
func at(t testing.TB, tail string) Locator {
	t.Helper()
	l, err := Parse("https://github.com/o/r/tree/"+tail, DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSettleTakesTheLongestRefThatTheHostLists(t *testing.T) {
	names := []string{"refs/heads/main", "refs/heads/feature", "refs/heads/feature/x", "refs/tags/v1", "refs/tags/pkg/v1", "refs/heads/both", "refs/tags/both"}
	tests := []struct {
		tail, ref, path string
		kind            RefKind
		note            string
	}{
		{"main/skills/pdf", "main", "skills/pdf", AnyRef, ""},
		{"feature/x/skills/pdf", "feature/x", "skills/pdf", AnyRef, ""},
		{"feature/x", "feature/x", "", AnyRef, ""},
		{"feature/y", "feature", "y", AnyRef, ""},
		{"feature", "feature", "", AnyRef, ""},
		{"pkg/v1/skills", "pkg/v1", "skills", AnyRef, ""},
		{"0123abc/skills", "0123abc", "skills", CommitRef, ""},
		{"0123456789abcdef0123456789abcdef01234567/skills", "0123456789abcdef0123456789abcdef01234567", "skills", CommitRef, ""},
		{"refs/heads/feature/x/skills", "refs/heads/feature/x", "skills", BranchRef, ""},
		{"refs/tags/pkg/v1/skills", "refs/tags/pkg/v1", "skills", TagRef, ""},
		{"HEAD/skills", "", "skills", AnyRef, ""},
		{"both/a", "both", "a", AnyRef, "ambiguous_ref"},
		{"refs/tags/both/a", "refs/tags/both", "a", TagRef, ""},
	}
	for _, test := range tests {
		l, err := at(t, test.tail).Settle(names)
		note := ""
		if len(l.Notes) > 0 {
			note = l.Notes[0].Code
		}
		if err != nil || l.Ref != test.ref || l.Path != test.path || l.RefKind != test.kind || l.Ambiguous || note != test.note {
			t.Errorf("%s: %+v, %v", test.tail, l, err)
		}
	}
}

func TestSettleTakesADeadBranchNameForACommitOnlyWhenNothingHasTheName(t *testing.T) {
	l, err := at(t, "0123abc/skills").Settle([]string{"refs/heads/0123abc"})
	if err != nil || l.RefKind != AnyRef || l.Ref != "0123abc" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestSettleRespectsTheKindThatTheTextNames(t *testing.T) {
	l, err := Parse("https://codeberg.org/o/r/src/branch/v1/a", DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Settle([]string{"refs/tags/v1"}); code(err) != "not_found" {
		t.Errorf("a tag was taken for a branch: %v", err)
	}
	if l, err = l.Settle([]string{"refs/tags/v1/a", "refs/heads/v1"}); err != nil || l.Ref != "v1" || l.Path != "a" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestSettleNamesWhatIsNearARefThatIsMissing(t *testing.T) {
	names := []string{"HEAD", "refs/heads/main", "refs/heads/develop", "refs/heads/release/1", "refs/tags/v1.0.1", "refs/tags/v2.0.0"}
	tests := []struct{ tail, near string }{
		{"mian/a", "main"},
		{"release", "release/1"},
		{"devlop", "develop"},
		{"v1.0.0", "v1.0.1"},
	}
	for _, test := range tests {
		_, err := at(t, test.tail).Settle(names)
		var e *Error
		if !errors.As(err, &e) || e.Kind != "not_found" || !strings.Contains(e.Hint, test.near) {
			t.Errorf("%s: %v, %v", test.tail, err, e)
		}
	}
	_, err := at(t, "nope/a/b").Settle(names)
	if code(err) != "not_found" || !strings.Contains(err.Error(), `no branch or tag "nope"`) || len(err.(*Error).Hints()) != 1 {
		t.Errorf("%v", err)
	}
}

func TestSettleLeavesARangeAndChecksThatATagMatches(t *testing.T) {
	l, err := Parse("o/r/skills/pdf#^1.2", DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.Settle([]string{"refs/heads/main", "refs/tags/v1.3.0"}); err != nil || got.Ref != "^1.2" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := l.Settle([]string{"refs/heads/v1.3.0", "refs/tags/v2.0.0"}); code(err) != "not_found" {
		t.Errorf("error %v, want not_found", err)
	}
}

func TestSettleTakesWhatStandsBehindAtAsASkill(t *testing.T) {
	l, err := Parse("o/r@pdf", DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	settled, err := l.Settle(nil)
	if err != nil || settled.SkillOrRef || settled.Skill != "pdf" || settled.Ref != "" {
		t.Errorf("%+v, %v", settled, err)
	}
	if ref := l.SkillAsRef(); ref.Ref != "pdf" || ref.Skill != "" || ref.SkillOrRef {
		t.Errorf("%+v", ref)
	}
	if same := settled.SkillAsRef(); same.Skill != "pdf" || same.Ref != "" {
		t.Errorf("a skill that is surely one became a ref: %+v", same)
	}
}

func TestRefPrefixesHoldWhatSettleNeeds(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"o/r", []string{"HEAD"}},
		{"o/r@pdf", []string{"HEAD", "refs/heads/pdf", "refs/tags/pdf"}},
		{"o/r#dev", []string{"HEAD", "refs/heads/dev", "refs/tags/dev"}},
		{"o/r#tag:v1", []string{"HEAD", "refs/tags/v1"}},
		{"o/r#^1", []string{"HEAD", "refs/tags/"}},
		{"o/r#0123456789abcdef0123456789abcdef01234567", nil},
		{"./x", nil},
		{"https://github.com/o/r/pull/12", []string{"HEAD", "refs/pull/12/head"}},
		{"https://github.com/o/r/tree/feature/x/a", []string{"HEAD", "refs/heads/feature/x/a", "refs/tags/feature/x/a",
			"refs/heads/feature/x", "refs/tags/feature/x", "refs/heads/feature", "refs/tags/feature"}},
		{"https://github.com/o/r/tree/refs/heads/a/b", []string{"HEAD", "refs/heads/a/b", "refs/heads/a"}},
	}
	for _, test := range tests {
		l, err := Parse(test.text, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		if got := l.RefPrefixes(); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestWithRefEndsTheDoubt(t *testing.T) {
	tests := []struct{ text, ref, wantRef, wantPath, code string }{
		{"o/r", "v1", "v1", "", ""},
		{"o/r/skills/pdf", "feature/x", "feature/x", "skills/pdf", ""},
		{"o/r", "HEAD", "", "", ""},
		{"o/r@pdf", "v1", "v1", "", ""},
		{"https://github.com/o/r/tree/feature/x/skills", "feature/x", "feature/x", "skills", ""},
		{"https://github.com/o/r/tree/feature/x/skills", "feature", "feature", "x/skills", ""},
		{"https://github.com/o/r/tree/feature/x", "feature/x", "feature/x", "", ""},
		{"https://github.com/o/r/tree/feature/x/skills", "refs/heads/feature/x", "refs/heads/feature/x", "skills", ""},
		{"https://github.com/o/r/tree/refs/heads/feature/x/skills", "feature/x", "feature/x", "skills", ""},
		{"https://github.com/o/r/tree/main/skills", "main", "main", "skills", ""},
		{"https://github.com/o/r/tree/feature/x/skills", "feature/y", "", "", "invalid-ref"},
		{"https://github.com/o/r/tree/main/skills", "v2", "", "", "invalid-ref"},
		{"o/r", "-x", "", "", "invalid-ref"},
		{"o/r", "a..b", "", "", "invalid-ref"},
		{"./dir", "v1", "", "", "invalid-ref"},
		{"https://example.com/SKILL.md", "v1", "", "", "invalid-ref"},
		{"https://example.com", "v1", "", "", "invalid-ref"},
		{"https://git.acme.example/x/skills", "v1", "v1", "", ""},
		{"npm:p", "^2", "^2", "", ""},
		{"npm:p", "-x", "", "", "invalid-ref"},
		{"oci://ghcr.io/o/r", "1.2", "1.2", "", ""},
		{"oci://ghcr.io/o/r", "-x", "", "", "invalid-ref"},
	}
	for _, test := range tests {
		l, err := Parse(test.text, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.WithRef(test.ref)
		if code(err) != test.code {
			t.Errorf("%q at %q: error %v, want %q", test.text, test.ref, err, test.code)
		}
		if err == nil && (got.Ref != test.wantRef || got.Path != test.wantPath || got.Ambiguous || got.SkillOrRef) {
			t.Errorf("%q at %q: %+v", test.text, test.ref, got)
		}
	}
}

func TestAsGitReadsASiteAsARepository(t *testing.T) {
	l, err := Parse("https://git.acme.example/team/x/skills", DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	g, ok := l.AsGit()
	if !ok || g.Kind != Git || g.Owner != "team/x" || g.Repo != "skills" || g.Path != "" || g.URL != "https://git.acme.example/team/x/skills" {
		t.Errorf("%+v", g)
	}
	sameButText(t, g.Canonical(), g, DefaultHosts())
	for _, text := range []string{"https://example.com", "./dir", "o/r"} {
		l, err := Parse(text, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := l.AsGit(); ok {
			t.Errorf("%q was read as the repository of a site", text)
		}
	}
}

func TestARefThatIsNotThereComesWithANextStep(t *testing.T) {
	tests := []struct {
		text, hint string
		names      []string
	}{
		{"o/r#mian", `did you mean "main"?`, []string{"refs/heads/main", "refs/tags/v1.0.0"}},
		{"o/r#relaese", `did you mean "release", "released" or "releases"?`, []string{"refs/heads/release", "refs/heads/releases", "refs/heads/released", "refs/heads/increase-it"}},
		{"o/r#nothing-like-it", "without a ref the default branch is taken", []string{"refs/heads/main"}},
		{"o/r#^9", "the newest version is v2.1.0", []string{"refs/heads/main", "refs/tags/v1.0.0", "refs/tags/v2.1.0", "refs/tags/v3.0.0-rc.1"}},
		{"o/r/pdf#^9", "the newest version is pdf-v1.5.0", []string{"refs/tags/v2.1.0", "refs/tags/pdf-v1.5.0"}},
		{"o/r#^9", "none of its tags is a released version; name a branch, a tag or a commit", []string{"refs/heads/v9", "refs/tags/latest"}},
	}
	for _, test := range tests {
		l, err := Parse(test.text, DefaultHosts())
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Settle(test.names)
		if e := (*Error)(nil); !errors.As(err, &e) || e.Hint != test.hint {
			t.Errorf("%q: hint %q, want %q", test.text, err.(*Error).Hint, test.hint)
		}
	}
}
