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

// What is no directory says what to name in its place.
func TestWhatIsNoDirectorySaysWhatToName(t *testing.T) {
	forge := fetchtest.New(t, "-- @repo github.com/acme/skills filter=none --\n-- skills/pdf/SKILL.md --\nx\n-- skills/link symlink --\n../skills/pdf\n-- skills/far symlink --\n/etc\n-- skills/other gitlink --\n")
	c := newClient(t, forge)
	for path, want := range map[string]string{
		"skills/link": `it leads to "skills/pdf": name that`, "skills/far": "name the directory that it leads to", "skills/other": "a submodule is a repository",
		"skills/pdf/SKILL.md/x": `name the directory that holds it: "skills/pdf"`,
	} {
		_, err := c.Fetch(t.Context(), resolve(t, c, "https://github.com/acme/skills/tree/main/"+path))
		if e := code(t, err, fetch.NotFound); !strings.Contains(e.Hints()[0], want) {
			t.Errorf("%s: %v, hints %q", path, e, e.Hints())
		}
	}
}
