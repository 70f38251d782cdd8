package fetch_test

import (
	"testing"

	"skills/fetch/fetchtest"
)

// oddRefs is a repository whose refs are named as some real ones are.
const oddRefs = `
-- @repo github.com/reed/organ --
-- a.md --
one
-- @ref refs/heads/HEAD --
-- @tag pipe-v1.2.3 --
-- @tag bellows-v9.0.0 --
-- @tag v6.7.0 --
-- @commit two --
-- a.md --
two
-- @tag nightly --
-- @ref refs/heads/v6.7.0 --
-- @ref refs/heads/tune/stops --
-- @ref refs/heads/@reed/pipes --
-- @commit three --
-- a.md --
three
-- @ref refs/heads/tune/reeds --
`

// Shapes of repositories that differ by their refs and not by their files, which the shapes of catalog are about.
func TestShapesOfRefs(t *testing.T) {
	forge := fetchtest.New(t, oddRefs)
	repo := forge.Repo("github.com/reed/organ")
	c := newClient(t, forge)
	for _, test := range []struct{ id, text, ref, revision, path string }{
		{"O135 a branch named HEAD", "reed/organ", "refs/heads/main", "refs/heads/main", ""},
		{"O136 a branch and a tag of one name", "reed/organ#v6.7.0", "refs/heads/v6.7.0", "refs/heads/v6.7.0", ""},
		{"O136 the tag is named in full", "reed/organ#refs/tags/v6.7.0", "refs/tags/v6.7.0", "refs/tags/v6.7.0", ""},
		{"O137 slashes in branch names", "github.com/reed/organ/tree/tune/stops/low/c", "refs/heads/tune/stops", "refs/heads/tune/stops", "low/c"},
		{"O138 a branch that starts with @", "reed/organ@@reed/pipes", "refs/heads/@reed/pipes", "refs/heads/@reed/pipes", ""},
		{"O139 tags of components are no version", "reed/organ", "refs/heads/main", "refs/heads/main", ""},
		{"O139 a tag of a component is one when it is named", "reed/organ#pipe-v1.2.3", "refs/tags/pipe-v1.2.3", "refs/tags/pipe-v1.2.3", ""},
		{"O139 a moving tag is locked by its commit", "reed/organ#nightly", "refs/tags/nightly", "refs/tags/nightly", ""},
	} {
		t.Run(test.id, func(t *testing.T) {
			rev := resolve(t, c, test.text)
			if rev.Ref != test.ref || rev.Commit != repo.ID(test.revision) || rev.Locator.Path != test.path {
				t.Errorf("%s: ref %s, commit %s, path %q; want %s, %s, %q", test.text, rev.Ref, rev.Commit, rev.Locator.Path, test.ref, repo.ID(test.revision), test.path)
			}
		})
	}
}
