package fetch_test

import (
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

// An index that lists nothing has no more of it elsewhere: the advice to give the site itself is for those of which a part was meant.
func TestAnIndexThatListsNothingSaysSo(t *testing.T) {
	empty := `{"skills":[]}`
	forge := fetchtest.New(t, "-- @site site.example --\n-- none/.well-known/skills/index.json --\n"+empty+"\n-- .well-known/skills/index.json --\n"+empty+"\n")
	c := newClient(t, forge)
	for _, text := range []string{"https://site.example/none", "https://site.example"} {
		_, err := c.Resolve(t.Context(), locate(t, text))
		e := code(t, err, fetch.NotFound)
		if !strings.Contains(e.Error(), "lists no skill") || strings.Contains(e.Error(), "all that it lists") {
			t.Errorf("%s: %v", text, e)
		}
	}
}
