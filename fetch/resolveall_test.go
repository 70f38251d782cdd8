package fetch_test

import (
	"context"
	"fmt"
	"testing"

	"skills/fetch/fetchtest"
	"skills/source"
)

func TestManyRefsOfManyRepositoriesAreOneListingEach(t *testing.T) {
	const repos = 5
	forge := fetchtest.New(t)
	var locators []source.Locator
	for i := range repos {
		forge.Add(fmt.Sprintf("-- @repo github.com/many/r%d --\n-- SKILL.md --\nx\n-- @tag v1.0.0 --\n-- @commit more --\n-- more.md --\nx\n-- @tag v1.2.0 --\n", i))
		for _, ref := range []string{"", "#main", "#v1.0.0", "#^1.0", "#nope"} {
			locators = append(locators, locate(t, fmt.Sprintf("many/r%d%s", i, ref)))
		}
	}
	forge.Reset()
	c := newClient(t, forge)
	for i, r := range c.ResolveAll(context.Background(), locators) {
		repo := forge.Repo(fmt.Sprintf("github.com/many/r%d", i/5))
		want := []string{repo.ID("main"), repo.ID("main"), repo.ID("v1.0.0^{commit}"), repo.ID("v1.2.0^{commit}"), ""}[i%5]
		if r.Revision.Commit != want || (r.Err != nil) != (want == "") {
			t.Errorf("%s: commit %q, error %v; want %q", locators[i].Input, r.Revision.Commit, r.Err, want)
		}
	}
	listings := 0
	for _, r := range forge.Requests() {
		if len(r.Arguments) > 0 && r.Command == "ls-refs" {
			listings++
		}
	}
	if want := 2 * repos; listings != want { // one for all, and one for the names near the missing one
		t.Errorf("%d listings, want %d", listings, want)
	}
}
