package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// kit is a repository with one of everything that a walk meets.
func kit(t testing.TB, more map[string]string) *treeFS {
	files := map[string]string{
		"README.md":                          "kit\n",
		"catA/review/SKILL.md":               skill("review", "A"),
		"catB/review/SKILL.md":               skill("review", "B"),
		"skills/pdf/SKILL.md":                skill("pdf", "P"),
		"skills/pdf/references/x/SKILL.md":   skill("x", "X"),
		"skills/lower/skill.md":              skill("lower", "L"),
		"skills/isdir/SKILL.md [dir]":        "",
		"skills/.curated/foo/SKILL.md":       skill("foo", "F"),
		".claude/skills/bar/SKILL.md":        skill("bar", "R"),
		"node_modules/z/SKILL.md":            skill("z", "Z"),
		"vendor/node_modules/y/SKILL.md":     skill("y", "Y"),
		"d1/d2/d3/d4/d5/d6/SKILL.md":         skill("d6", "6"),
		"d1/d2/d3/d4/d5/d6b/d7/SKILL.md":     skill("d7", "7"),
		"link [link]":                        "skills/pdf",
		"out [link]":                         "/etc",
		"loop [link]":                        ".",
		".git/skills/never/SKILL.md":         skill("never", "N"),
		".GIT/skills/neither/SKILL.md":       skill("neither", "N"),
		"skills/pdf/assets/SKILL.md.txt":     "no\n",
		"skills/S\u212aILL.md/\u017fKILL.md": "no\n",
	}
	maps.Copy(files, more)
	return tree(t, files)
}

func list(t testing.TB, f fs.FS, o WalkOptions) *Listing {
	t.Helper()
	if o.Fallback == "" {
		o.Fallback = "kit"
	}
	l, err := Walk(context.Background(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Read(context.Background(), f, false); err != nil {
		t.Fatal(err)
	}
	return l
}

func visible(l *Listing) string { return strings.Join(paths1(l.Visible()), " ") }

func TestWalkListsWhatLiesInReach(t *testing.T) {
	const common = "catA/review catB/review "
	for _, c := range []struct {
		o      WalkOptions
		want   string
		hidden int
	}{
		{WalkOptions{MaxDepth: 6}, common + "d1/d2/d3/d4/d5/d6 skills/lower skills/pdf", 6},
		{WalkOptions{MaxDepth: 5}, common + "skills/lower skills/pdf", 7},
		{WalkOptions{}, common + "d1/d2/d3/d4/d5/d6 d1/d2/d3/d4/d5/d6b/d7 skills/lower skills/pdf", 5},
		{WalkOptions{Full: true}, ".claude/skills/bar " + common + "d1/d2/d3/d4/d5/d6 d1/d2/d3/d4/d5/d6b/d7 node_modules/z " +
			"skills/.curated/foo skills/lower skills/pdf skills/pdf/references/x vendor/node_modules/y", 0},
		{WalkOptions{Below: "skills/.curated"}, "skills/.curated/foo", 0},
		{WalkOptions{Below: ".claude/skills"}, ".claude/skills/bar", 0},
		{WalkOptions{Below: "skills/pdf"}, "skills/pdf", 1},
		{WalkOptions{Below: "./skills/pdf/SKILL.md"}, "skills/pdf", 1},
		{WalkOptions{Below: "/skills/pdf/"}, "skills/pdf", 1},
		{WalkOptions{Below: "link"}, "skills/pdf", 1},
		{WalkOptions{Below: "loop/loop/link"}, "skills/pdf", 1},
		{WalkOptions{Below: "skills/pdf/references"}, "skills/pdf/references/x", 0},
		{WalkOptions{Below: "node_modules"}, "node_modules/z", 0},
	} {
		f := kit(t, nil)
		l := list(t, f, c.o)
		if got := visible(l); got != c.want || l.Hidden() != c.hidden {
			t.Errorf("%+v: got %s and %d hidden, want %s and %d", c.o, got, l.Hidden(), c.want, c.hidden)
		}
	}
}

func TestAManifestInAnotherSpellingIsReported(t *testing.T) {
	l := list(t, kit(t, map[string]string{"skills/lower/Skill.MD": skill("first", "F")}), WalkOptions{})
	for _, c := range l.Visible() {
		want := ""
		if c.Path == "skills/lower" {
			want = "skills/lower/Skill.MD"
		}
		if got := slices.Contains(codes(c.Findings), "manifest_case"); got != (want != "") || got && c.Manifest != want {
			t.Errorf("%s: manifest %s, findings %v", c.Path, c.Manifest, c.Findings)
		}
	}
}

func TestARootManifestIsTheRepository(t *testing.T) {
	l := list(t, kit(t, map[string]string{"SKILL.md": skill("top", "T")}), WalkOptions{})
	got := l.Visible()
	if len(got) != 1 || got[0].Path != "" || got[0].Name != "top" || got[0].Directory != "top" ||
		!slices.Equal(codes(got[0].Findings), []string{"name_mismatch"}) || l.Hidden() != 11 {
		t.Errorf("%+v, %d hidden", got, l.Hidden())
	}
}

func TestALargeRootSkillIsReported(t *testing.T) {
	files := map[string]string{"SKILL.md": skill("kit", "T")}
	for i := range 500 {
		files[fmt.Sprintf("src/%d.go", i)] = "x"
	}
	if got := list(t, tree(t, files), WalkOptions{}).Visible(); len(got) != 1 || !slices.Equal(codes(got[0].Findings), []string{"whole_repository"}) {
		t.Errorf("%+v", got)
	}
}

func TestWalkLooksFurtherWhenNothingIsInReach(t *testing.T) {
	for _, c := range []struct{ files, want string }{
		{".claude/skills/a skills/.curated/b", ".claude/skills/a skills/.curated/b"},
		{".claude/skills/a 1/2/3/4/5/6/7/8/9/c", ".claude/skills/a"},
		{"1/2/3/4/5/6/7/8/9/c node_modules/d", "1/2/3/4/5/6/7/8/9/c"},
		{"1/2/3/4/5/6/7/.x/8/9/c", "1/2/3/4/5/6/7/.x/8/9/c"},
		{".claude/skills/a .claude/skills/a/b", ".claude/skills/a"},
	} {
		files := map[string]string{}
		for _, dir := range strings.Fields(c.files) {
			files[dir+"/SKILL.md"] = skill("x"+fmt.Sprint(len(files)), "X")
		}
		if got := visible(list(t, tree(t, files), WalkOptions{})); got != c.want {
			t.Errorf("%s: got %s, want %s", c.files, got, c.want)
		}
	}
}

func TestCandidatesAreSortedByTheBytesOfTheirPaths(t *testing.T) {
	files := map[string]string{}
	for i, dir := range []string{"a/b", "a-b", "Z/a", "a/SKILLS", "A"} {
		files[dir+"/SKILL.md"] = skill(fmt.Sprintf("s%d", i), "S")
	}
	if got, want := visible(list(t, tree(t, files), WalkOptions{})), "A Z/a a-b a/SKILLS a/b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAStartThatIsNotThere(t *testing.T) {
	f := kit(t, map[string]string{"vendor/big [gitlink]": strings.Repeat("1", 40), "skills/mole": "../x/mole", "pipe [pipe]": ""})
	for below, want := range map[string]string{
		"nope":          "not_found: \"nope\" is not there [see the skills of the source with --list, without the path]",
		"skill":         "not_found: \"skill\" is not there [did you mean \"skills\"?]",
		"skills/pfd":    "not_found: \"skills/pfd\" is not there [did you mean \"skills/pdf\"?]",
		"skils/pdf/x":   "not_found: \"skils\" is not there [did you mean \"skills\"?]",
		"README.md":     "not_found: \"README.md\" is a file, not a directory; probably a symlink committed as text [name the directory that is meant]",
		"skills/mole":   "not_found: \"skills/mole\" is a file, not a directory; probably a symlink committed as text [name the directory that is meant]",
		"vendor/big/a":  "not_found: \"vendor/big\" is a submodule without a URL [ask the author: nobody can fetch it]",
		"vendor/big":    "not_found: \"vendor/big\" is a submodule without a URL [ask the author: nobody can fetch it]",
		"../other":      "path_escape: \"../other\" leaves the repository [name a directory of the repository]",
		"out":           "not_found: the link \"out\" to \"/etc\" leaves the repository [name a directory of the repository]",
		"out/passwd":    "not_found: the link \"out\" to \"/etc\" leaves the repository [name a directory of the repository]",
		".git/skills":   "not_found: \".git\" is not there [name a directory of the repository]",
		"skills/isdir":  "",
		"skills/pdf/..": "",
	} {
		_, err := Walk(context.Background(), f, WalkOptions{Below: below})
		var e *Error
		got := ""
		if errors.As(err, &e) {
			got = fmt.Sprintf("%s: %s %v", e.Kind, e.Message, e.Hints())
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", below, got, want)
		}
	}
}

func TestAManifestThatLeadsAwayIsUnsafe(t *testing.T) {
	l := list(t, tree(t, map[string]string{"a/SKILL.md [link]": "/etc/passwd", "b/SKILL.md [link]": "nothing", "c/SKILL.md": skill("c", "C")}), WalkOptions{})
	for dir, status := range map[string]int{"a": 4, "b": 1} {
		var e *Error
		if c := l.at(dir); !errors.As(c.Err, &e) || e.ExitStatus() != status || !slices.Equal(e.Hints(), []string{"ask the author to put the file itself in its place"}) {
			t.Errorf("%s: %#v", dir, c.Err)
		}
	}
}

func TestNoSkillsSaysWhatWasFound(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		words string
	}{
		{map[string]string{}, "there is no SKILL.md"},
		{map[string]string{"skills [gitlink]": "x"}, "there is no SKILL.md; submodules are not fetched: skills"},
		{map[string]string{"a/SKILL.md": "---\nname: {{ x }}\n---\n"}, "a/SKILL.md: line 2: it is a template"},
	} {
		f := tree(t, c.files)
		l, err := Walk(context.Background(), f, WalkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		err = l.Read(context.Background(), f, false)
		if reasonOf(err) != "no_skills  ." || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v: %v", c.files, err)
		}
	}
}

func TestOneBrokenSkillHidesNoOther(t *testing.T) {
	f := tree(t, map[string]string{
		"skills/a/SKILL.md": skill("a", "A"), "skills/b/SKILL.md": "# no front matter\n", "skills/c/SKILL.md": skill("c", "C"),
		"skills/d/SKILL.md [link]": "../../nowhere", "skills/e/SKILL.md [link]": "../a", "skills/f/SKILL.md [link]": "../a/SKILL.md",
	})
	var got []string
	for _, c := range list(t, f, WalkOptions{}).Visible() {
		got = append(got, fmt.Sprintf("%s %v %v", c.Name, c.Usable, c.Err))
	}
	want := []string{
		"a true <nil>", "b false line 1: there is no frontmatter: line 1 must be ---", "c true <nil>",
		`d false the link "skills/d/SKILL.md" to "../../nowhere" points at nothing`, "e false SKILL.md leads to no file",
	}
	// f holds the document of a; it is a second skill of that name in an equal place.
	want = append(want, "a true <nil>")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAWalkEndsWhereTheBoundIs(t *testing.T) {
	f := tree(t, map[string]string{"zzz/skills/pdf/SKILL.md": skill("pdf", "P")})
	for i := range maxDirectories {
		f.add(fmt.Sprintf(".cache/%d", i), []string{"dir"}, nil)
	}
	l := list(t, f, WalkOptions{})
	if got := visible(l); got != "zzz/skills/pdf" || !slices.Equal(codes(l.Findings), []string{"limit"}) {
		t.Errorf("got %s, %v", got, l.Findings)
	}
}

// unlistable is a tree with a directory that may not be listed.
type unlistable struct{ *treeFS }

func (u unlistable) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "locked" {
		return nil, fs.ErrPermission
	}
	return u.treeFS.ReadDir(name)
}

func TestWhatCannotBeReadHidesNothingElse(t *testing.T) {
	f := tree(t, map[string]string{"locked/a/SKILL.md": skill("a", "A"), "b/SKILL.md": skill("b", "B"), "c/SKILL.md": skill("c", "C"),
		".claude-plugin/marketplace.json": "{}"})
	f.lazy = true
	f.loaded["b/SKILL.md"] = true
	l := list(t, unlistable{f}, WalkOptions{})
	if got := codes(l.Findings); visible(l) != "b c" || !slices.Equal(got, []string{"io_error", "marketplace"}) {
		t.Errorf("%s, %v", visible(l), l.Findings)
	}
	for _, c := range l.Visible() {
		if c.Usable != (c.Path == "b") || c.Usable == (c.Err != nil) || c.Name != c.Path {
			t.Errorf("%+v", c)
		}
	}
	if _, err := Walk(context.Background(), unlistable{f}, WalkOptions{Below: "locked"}); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	if _, _, err := Files(context.Background(), unlistable{f}, "locked", Limits{}); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	if _, err := Digest(f, []File{{Path: "SKILL.md", From: "c/SKILL.md"}}); err == nil {
		t.Error("a digest of what cannot be opened")
	}
	if _, err := TreeID(f, "c"); err == nil {
		t.Error("a tree id of what cannot be opened")
	}
}

// Only what lies in node_modules: nothing to list, but it can be asked for.
func TestHiddenSkillsAloneAreNamedInTheError(t *testing.T) {
	f := tree(t, map[string]string{"node_modules/z/SKILL.md": skill("z", "Z")})
	l, err := Walk(context.Background(), f, WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := l.Read(context.Background(), f, false); !errors.As(err, &e) || e.Kind != "no_skills" || len(e.Hints()) != 1 {
		t.Errorf("%v", err)
	}
	if err := l.Read(context.Background(), f, true); err != nil {
		t.Error(err)
	}
	if got := chosen(l, "z"); got != "node_modules/z" {
		t.Error(got)
	}
}

func TestManyNamesakesMakeNoLongMessage(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("cat%d/x/SKILL.md", i)] = skill("x", fmt.Sprintf("n%d", i))
	}
	l := list(t, tree(t, files), WalkOptions{})
	for _, c := range l.Visible() {
		if len(c.Findings) != 1 || len(c.Findings[0].Message) > 300 || !strings.Contains(c.Findings[0].Message, "and 30 more") {
			t.Fatalf("%v", c.Findings)
		}
	}
}

func TestAWalkStopsWhenItIsCancelled(t *testing.T) {
	cause := errors.New("switched off")
	ctx, cancel := context.WithCancelCause(context.Background())
	f := kit(t, nil)
	l, err := Walk(ctx, f, WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cancel(cause)
	if _, err := Walk(ctx, f, WalkOptions{}); !errors.Is(err, cause) {
		t.Errorf("walk: %v", err)
	}
	if err := l.Read(ctx, f, false); !errors.Is(err, cause) {
		t.Errorf("read: %v", err)
	}
	if _, _, err := Files(ctx, f, "skills/pdf", Limits{}); !errors.Is(err, cause) {
		t.Errorf("files: %v", err)
	}
}

func TestManifestsAreWhatReadOpens(t *testing.T) {
	f := kit(t, map[string]string{
		".claude-plugin/marketplace.json": `{"plugins":[]}`, "skills/alias/SKILL.md [link]": "../../docs/alias.md", "docs/alias.md": skill("alias", "A"),
	})
	l, err := Walk(context.Background(), f, WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.opened) > 0 {
		t.Errorf("the walk opened %q", f.opened)
	}
	for _, hidden := range []bool{false, true} {
		want := l.Manifests(hidden)
		f.opened = nil
		if err := l.Read(context.Background(), f, hidden); err != nil {
			t.Fatal(err)
		}
		slices.Sort(f.opened)
		if diff := cmp.Diff(want, slices.Compact(f.opened)); diff != "" || len(want) < 5 {
			t.Errorf("hidden %v: %s", hidden, diff)
		}
		if left := l.Manifests(hidden); len(left) > 0 {
			t.Errorf("hidden %v: %q are asked for again", hidden, left)
		}
	}
}

// The standard library's file systems are served as well.
func TestWalkOfAMapFS(t *testing.T) {
	f := fstest.MapFS{
		"skills/pdf/SKILL.md": {Data: []byte(skill("pdf", "P"))},
		"alias":               {Data: []byte("skills"), Mode: fs.ModeSymlink},
	}
	if got := visible(list(t, f, WalkOptions{Below: "alias"})); got != "skills/pdf" {
		t.Error(got)
	}
}

func ExampleWalk() {
	repository := fstest.MapFS{
		"skills/pdf/SKILL.md":  {Data: []byte("---\nname: pdf\ndescription: Reads PDFs.\n---\nUse it.\n")},
		"skills/xlsx/SKILL.md": {Data: []byte("# A plain document\n")},
		".drafts/w/SKILL.md":   {Data: []byte("---\nname: w\ndescription: Later.\n---\nWait.\n")},
	}
	ctx := context.Background()
	listing, err := Walk(ctx, repository, WalkOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// A lazy file system loads listing.Manifests(false) here.
	if err := listing.Read(ctx, repository, false); err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range listing.Visible() {
		fmt.Println(c.Path, c.Usable, c.Description, c.Err)
	}
	fmt.Println(listing.Hidden(), "more")
	// Output:
	// skills/pdf true Reads PDFs. <nil>
	// skills/xlsx false  line 1: there is no frontmatter: line 1 must be ---
	// 1 more
}
