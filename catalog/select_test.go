package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func chosen(l *Listing, selectors ...string) string {
	got, err := l.Select(selectors)
	var e *SelectError
	if errors.As(err, &e) {
		return strings.TrimSpace(e.Kind + " " + strings.Join(append(e.Paths, e.Near...), " "))
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(paths1(got), " ")
}

func TestSelectorsNameSkills(t *testing.T) {
	f := kit(t, map[string]string{
		"skills/title/SKILL.md":  skill("Ferry Times", "T"),
		"skills/My Box/SKILL.md": skill("box", "B"),
		"docs/pdf/SKILL.md":      skill("pdf", "older"),
		"skills/mole":            "../catA/review",
		".agents/skills [link]":  "../skills",
	})
	l := list(t, f, WalkOptions{})
	for _, c := range []struct{ selectors, want string }{
		{"pdf", "skills/pdf"},
		{"review", "ambiguous catA/review catB/review"},
		{"REVIEW", "ambiguous catA/review catB/review"},
		{"PDF", "skills/pdf"},
		{"catA/review", "catA/review"},
		{"./catA/review/", "catA/review"},
		{"catA/review/SKILL.md", "catA/review"},
		{"docs/pdf", "docs/pdf"},
		{"Ferry Times", "skills/title"}, {"ferry-times", "skills/title"}, {"title", "skills/title"},
		{"skills/My Box", "skills/My Box"}, {"My Box", "skills/My Box"},
		{"link", "skills/pdf"}, {".agents/skills/pdf", "skills/pdf"}, {"loop/loop/link", "skills/pdf"},
		{"*", "catA/review catB/review d1/d2/d3/d4/d5/d6 d1/d2/d3/d4/d5/d6b/d7 skills/My Box skills/lower skills/pdf skills/title"},
		{"cat*/review", "catA/review catB/review"}, {"{pdf,low*}", "skills/lower skills/pdf"},
		{"pdf|skills/pdf|PDF", "skills/pdf"}, {"lower|catB/review", "catB/review skills/lower"},
		{"pfd", "not_found pdf"}, {"[", "not_found"}, {"", "not_found"}, {"skills/.curated/foo", "not_found"}, {"x", "not_found"},
		{".", "not_found"}, {"skills/mole", "catA/review"},
	} {
		got := chosen(l, strings.Split(c.selectors, "|")...)
		if c.selectors == "skills/mole" {
			c.want = "not_found"
		}
		if !strings.HasPrefix(got, c.want) || c.want != "not_found" && got != c.want {
			t.Errorf("%q: got %s, want %s", c.selectors, got, c.want)
		}
	}
	_, err := l.Select([]string{"nope"})
	var e *SelectError
	if !errors.As(err, &e) || e.Skills != len(l.Visible()) || len(e.Hints()) != 1 {
		t.Errorf("an unknown name does not say how many there are: %v", err)
	}
}

func TestASelectorReachesEverySkillOnceItIsRead(t *testing.T) {
	f := kit(t, nil)
	l := list(t, f, WalkOptions{MaxDepth: 6})
	before := visible(l)
	for _, selector := range []string{"foo", "skills/.curated/foo", "skills/pdf/references/x", "y", "D7", ".claude/skills/bar"} {
		if got := chosen(l, selector); !strings.HasPrefix(got, "not_found") {
			t.Errorf("%s is found before it was read: %s", selector, got)
		}
	}
	if err := l.Read(context.Background(), f, true); err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]string{
		"foo": "skills/.curated/foo", "skills/.curated/foo": "skills/.curated/foo", "x": "skills/pdf/references/x",
		"y": "vendor/node_modules/y", "D7": "d1/d2/d3/d4/d5/d6b/d7", ".claude/skills/*": ".claude/skills/bar", "pdf": "skills/pdf",
	} {
		if got := chosen(l, selector); got != want {
			t.Errorf("%s: got %s, want %s", selector, got, want)
		}
	}
	if got := visible(l); got != before || l.Hidden() != 6 {
		t.Errorf("reading more changed what is visible: %s, %d hidden", got, l.Hidden())
	}
}

// Mirrors of one skill are one candidate; git ids and bytes give the same answer.
func TestEqualContentIsOneCandidate(t *testing.T) {
	files := map[string]string{"plugins/p/skills/elk/run.sh": "x", "plugins/p/skills/moose/run.sh": "y"}
	for _, dir := range []string{"skills/elk", ".agents/skills/elk", "plugins/p/skills/elk", "plugins/p/skills/moose", "docs/elk"} {
		files[dir+"/SKILL.md"] = skill("elk", "E")
	}
	for _, ids := range []bool{true, false} {
		f := tree(t, files)
		f.ids = ids
		l := list(t, f, WalkOptions{})
		if err := l.Read(context.Background(), f, true); err != nil {
			t.Fatal(err)
		}
		got := l.Visible()
		if len(got) != 1 || got[0].Path != "skills/elk" || strings.Join(got[0].Also, " ") != ".agents/skills/elk docs/elk" {
			t.Errorf("ids %v: %+v", ids, got)
		}
		if !slices.Equal(codes(got[0].Findings), []string{"same_name"}) || l.Hidden() != 2 {
			t.Errorf("ids %v: %v, %d hidden", ids, got[0].Findings, l.Hidden())
		}
		mirror, err := l.Select([]string{".agents/skills/elk"})
		if err != nil || len(mirror) != 1 || mirror[0].Path != ".agents/skills/elk" || mirror[0].Manifest != ".agents/skills/elk/SKILL.md" ||
			strings.Join(mirror[0].Also, " ") != "docs/elk skills/elk" {
			t.Errorf("ids %v: a mirror by its path: %+v, %v", ids, mirror, err)
		}
	}
}

func TestTheBestPlaceWins(t *testing.T) {
	places := []string{"skills/x", "skills/cat/x", "cat/x", ".agents/skills/x", ".claude/skills/x", "plugins/p/skills/x", "docs/skills/x"}
	for i, better := range places {
		if i > 0 && rank(places[i-1]) >= rank(better) {
			t.Errorf("%s is not better than %s", places[i-1], better)
		}
	}
	for _, last := range []string{"docs/de/skills/x", "tests/x", "skills/examples/x", "templates/x", "plugins/p/test/x", ".claude/backup/x"} {
		if rank(last) != rank("docs/skills/x") {
			t.Errorf("%s has the rank %d", last, rank(last))
		}
	}
	for _, own := range []string{"docs", "plugins", ".agents"} {
		if rank("skills/"+own) != rank("skills/x") {
			t.Errorf("the name of the skill's own directory %s counts", own)
		}
	}
}

func TestTheRootIsChosenByItsPath(t *testing.T) {
	for _, ids := range []bool{true, false} {
		f := shape(t, "O083")
		f.ids = ids
		l := list(t, f, WalkOptions{})
		if got := visible(l); got != "plugins/twin/skills/twin" {
			t.Errorf("ids %v: %s", ids, got)
		}
		if err := l.Read(context.Background(), f, true); err != nil {
			t.Fatal(err)
		}
		for selector, want := range map[string]string{".": ".", "twin": "plugins/twin/skills/twin", "SKILL.md": "."} {
			if got := chosen(l, selector); got != want {
				t.Errorf("ids %v: %s chooses %s", ids, selector, got)
			}
		}
	}
}

func TestMarketplacesNameGroups(t *testing.T) {
	f := shape(t, "O141")
	f.add("skills/teal/SKILL.md", nil, []byte(skill("teal", "T")))
	f.add("plugins/violet/SKILL.md", nil, []byte(skill("violet", "V")))
	f.add(".github/plugin/marketplace.json", nil, []byte(`{"metadata":{"pluginRoot":"./skills"},"plugins":[
		7, {"name":"bad","source":5}, {"name":"bare","source":"teal"}, {"name":"plain","source":"plugins/violet"}, {"name":"files","source":"./","skills":"skills/grey/SKILL.md"},
		{"name":"far","source":{"source":"github","repo":"o/r","path":"p"}}, {"name":"self","source":{"source":"url","url":"./","path":"skills/teal"}}, {"name":"url","source":"https://example.invalid/r.git"}]}`))
	l := list(t, f, WalkOptions{})
	for selector, want := range map[string]string{"inks": "skills/blue skills/red", "bare": "skills/teal", "plain": "plugins/violet", "self": "skills/teal", "files": "skills/grey", "far": "not_found"} {
		if got := chosen(l, selector); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", selector, got, want)
		}
	}
	if got := codes(l.Findings); !slices.Equal(got, []string{"plugin_invalid", "plugin_invalid", "plugin_path", "plugins_elsewhere"}) ||
		!strings.Contains(l.Findings[3].Message, "2 plugins of its marketplace point elsewhere: far (o/r p), url (https://example.invalid/r.git)") {
		t.Error(l.Findings)
	}
	for name, text := range map[string]string{"no JSON": "<html>", "another shape": `{"plugins":{}}`} {
		f.add(".claude-plugin/marketplace.json", nil, []byte(text))
		if l := list(t, f, WalkOptions{}); !slices.Contains(codes(l.Findings), "marketplace") || len(l.Visible()) != 5 {
			t.Errorf("%s: %v", name, l.Findings)
		}
	}
}

func TestPathsThroughLinksThatAreNoDirectoriesFindNothing(t *testing.T) {
	l := list(t, shape(t, "O117"), WalkOptions{})
	_, err := l.Select([]string{"skills/mole"})
	var e *SelectError
	if !errors.As(err, &e) || e.Message != `"skills/mole" is a text file, probably a symlink committed as text` || !slices.Equal(e.Near, []string{"plugins/p/skills/mole"}) {
		t.Error(err)
	}
	l = list(t, shape(t, "O121"), WalkOptions{})
	if _, err := l.Select([]string{"vendor/big/x"}); err == nil || !strings.Contains(err.Error(), `"vendor/big" is a submodule`) {
		t.Error(err)
	}
	for id, selector := range map[string]string{"O108": "skills/ink", "O111": ".agents/skills/emu", "O119": "codex/skills/cow", "O110": "plugins/all/plugins/all/skills/koi"} {
		if got := chosen(list(t, shape(t, id), WalkOptions{}), selector); !strings.HasPrefix(got, "skills/") {
			t.Errorf("%s: %s chooses %s", id, selector, got)
		}
	}
}

func ExampleListing_Select() {
	f := kit(nil, nil)
	listing, err := Walk(context.Background(), f, WalkOptions{})
	if err == nil {
		err = listing.Read(context.Background(), f, false)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := listing.Select([]string{"pdf", "cat*/*"})
	fmt.Println(paths1(got), err)
	_, err = listing.Select([]string{"review"})
	fmt.Println(err)
	// Output:
	// [catA/review catB/review skills/pdf] <nil>
	// "review" names 2 skills: catA/review, catB/review
}

func TestOfNamesThatAreOneDirectoryTheBestPlaceWins(t *testing.T) {
	document := func(name, body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: Tests.\n---\n\n" + body + "\n")}
	}
	fsys := fstest.MapFS{
		"backups/old/skill-adapter/SKILL.md":  document("Moon Phase", "Old."),
		"plugins/moon/skills/phases/SKILL.md": document("moon-phase", "New."),
	}
	l, err := Walk(context.Background(), fsys, WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Read(context.Background(), fsys, false); err != nil {
		t.Fatal(err)
	}
	visible := l.Visible()
	if len(visible) != 1 || visible[0].Path != "plugins/moon/skills/phases" || l.Hidden() != 1 {
		t.Errorf("visible %+v, hidden %d; want the plugin's alone", visible, l.Hidden())
	}
	if visible[0].Skill.Body != "" || visible[0].Skill.Size != len("New.") {
		t.Errorf("a listing holds the body %q of size %d", visible[0].Skill.Body, visible[0].Skill.Size)
	}
}

func TestNearNamesAreThreeAtMost(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"sheet-a", "sheet-b", "sheet-c", "sheet-d", "sheet-e", "unlike"} {
		files["skills/"+name+"/SKILL.md"] = skill(name, "S")
	}
	for i := range 4 {
		files[fmt.Sprintf("cat%d/twin/SKILL.md", i)] = skill("twin", fmt.Sprint(i))
	}
	l := list(t, tree(t, files), WalkOptions{})
	for selector, hint := range map[string]string{
		"sheet": `did you mean "sheet-a", "sheet-b" or "sheet-c"?`, "unlik": `did you mean "unlike"?`,
		"quite-another": "the source has 10 skills; see them with --list", "": "the source has 10 skills; see them with --list",
		"twin": "name one by its path: cat0/twin, cat1/twin, cat2/twin, and 1 more",
	} {
		_, err := l.Select([]string{selector})
		var e *SelectError
		if !errors.As(err, &e) || strings.Join(e.Hints(), "|") != hint || len(e.Near) > 3 {
			t.Errorf("%q: %v, hints %q, want %q", selector, err, e.Hints(), hint)
		}
	}
}
