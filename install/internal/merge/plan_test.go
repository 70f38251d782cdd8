package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// file reads a file from its short form: a letter for the content, "x" behind it for executable; "" is none.
func file(short string) *File {
	if short == "" || short == "-" {
		return nil
	}
	return &File{Sum: [32]byte{short[0]}, Executable: strings.HasSuffix(short, "x")}
}

// everySide returns three sides with one path for each combination of three contents, two modes and no file at all.
func everySide() (sides [3]map[string]File) {
	states := []string{"-", "A", "Ax", "B", "Bx", "C", "Cx"}
	sides = [3]map[string]File{{}, {}, {}}
	for _, base := range states {
		for _, mine := range states {
			for _, theirs := range states {
				for i, short := range []string{base, mine, theirs} {
					if f := file(short); f != nil {
						sides[i]["base="+base+",mine="+mine+",theirs="+theirs+";"] = *f
					}
				}
			}
		}
	}
	return sides
}

// outcome returns the file that a change without conflict leaves.
func outcome(change Change, mine, theirs map[string]File) (file File, exists bool) {
	switch change.Action {
	case Unchanged, Keep:
		file, exists = mine[change.Path]
	case Take:
		file, exists = theirs[change.Path]
	}
	return File{file.Sum, change.Executable}, exists
}

func TestPlanDecidesAboutOneFile(t *testing.T) {
	for _, c := range []struct {
		name, base, mine, theirs string
		want                     Change
	}{
		{"nobody touched it", "A", "A", "A", Change{Action: Unchanged}},
		{"nobody touched an executable", "Ax", "Ax", "Ax", Change{Action: Unchanged, Executable: true}},
		{"edited alike", "A", "B", "B", Change{Action: Unchanged}},
		{"added alike", "", "A", "A", Change{Action: Unchanged}},
		{"deleted by both", "A", "", "", Change{Action: Unchanged}},
		{"edited here", "A", "B", "A", Change{Action: Keep}},
		{"edited upstream", "A", "A", "B", Change{Action: Take}},
		{"edited differently", "A", "B", "C", Change{Action: Merge}},
		{"added here", "", "A", "", Change{Action: Keep}},
		{"added here, executable", "", "Ax", "", Change{Action: Keep, Executable: true}},
		{"added upstream", "", "", "A", Change{Action: Take}},
		{"added upstream, executable", "", "", "Ax", Change{Action: Take, Executable: true}},
		{"added differently", "", "A", "B", Change{Action: Merge, Conflict: BothAdded}},
		{"added differently, executable here", "", "Ax", "B", Change{Action: Merge, Conflict: BothAdded, Executable: true}},
		{"added alike, executable here", "", "Ax", "A", Change{Action: Keep, Conflict: ModesDiffer, Executable: true}},
		{"added alike, executable upstream", "", "A", "Ax", Change{Action: Keep, Conflict: ModesDiffer}},
		{"deleted here", "A", "", "A", Change{Action: Keep}},
		{"deleted upstream", "A", "A", "", Change{Action: Remove}},
		{"edited here, deleted upstream", "A", "B", "", Change{Action: Keep, Conflict: ModifiedDeleted}},
		{"made executable here, deleted upstream", "A", "Ax", "", Change{Action: Keep, Conflict: ModifiedDeleted, Executable: true}},
		{"deleted here, edited upstream", "A", "", "B", Change{Action: Keep, Conflict: DeletedModified}},
		{"deleted here, made executable upstream", "A", "", "Ax", Change{Action: Keep, Conflict: DeletedModified}},
		{"made executable here", "A", "Ax", "A", Change{Action: Keep, Executable: true}},
		{"made executable upstream", "A", "A", "Ax", Change{Action: Take, Executable: true}},
		{"made executable by both", "A", "Ax", "Ax", Change{Action: Unchanged, Executable: true}},
		{"bit taken away upstream", "Ax", "Ax", "A", Change{Action: Take}},
		{"edited here, made executable upstream", "A", "B", "Ax", Change{Action: Keep, Executable: true}},
		{"made executable here, edited upstream", "A", "Ax", "B", Change{Action: Take, Executable: true}},
		{"edited alike, made executable here", "A", "Bx", "B", Change{Action: Keep, Executable: true}},
		{"edited alike, made executable upstream", "A", "B", "Bx", Change{Action: Take, Executable: true}},
		{"edited differently, made executable upstream", "A", "B", "Cx", Change{Action: Merge, Executable: true}},
		{"edited differently, bit taken away here", "Ax", "B", "Cx", Change{Action: Merge}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Path = "p"
			if got := Plan(files("p", c.base), files("p", c.mine), files("p", c.theirs)); !slices.Equal(got, []Change{c.want}) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// files returns a side with files, given as paths and short forms in turn.
func files(pairs ...string) map[string]File {
	all := map[string]File{}
	for pair := range slices.Chunk(pairs, 2) {
		if f := file(pair[1]); f != nil {
			all[pair[0]] = *f
		}
	}
	return all
}

func TestPlanNeverLosesLocalWork(t *testing.T) {
	sides := everySide()
	for _, change := range Plan(sides[0], sides[1], sides[2]) {
		base, mine := at(sides[0], change.Path), at(sides[1], change.Path)
		edited := mine != nil && (base == nil || mine.Sum != base.Sum)
		theirs := at(sides[2], change.Path)
		known := mine != nil && theirs != nil && mine.Sum == theirs.Sum
		if edited && !known && change.Action != Keep && change.Action != Merge {
			t.Errorf("%+v", change)
		}
	}
}

func TestPlanOfOneSidedChangesIsThatSide(t *testing.T) {
	sides := everySide()
	a, b := sides[0], sides[1]
	for name, c := range map[string]struct{ base, mine, theirs, want map[string]File }{
		"only mine":   {a, b, a, b},
		"only theirs": {a, a, b, b},
		"both alike":  {a, b, b, b},
	} {
		got := map[string]File{}
		for _, change := range Plan(c.base, c.mine, c.theirs) {
			if change.Conflict != "" || change.Action == Merge {
				t.Errorf("%s: %+v", name, change)
			}
			if file, exists := outcome(change, c.mine, c.theirs); exists {
				got[change.Path] = file
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPlanKeepsMineWhereTheirsWouldBeInTheWay(t *testing.T) {
	for _, c := range []struct {
		name               string
		base, mine, theirs map[string]File
		want               string
	}{
		{"file here, directory upstream", files(), files("a", "A"), files("a/b", "B"), "a keep, a/b keep paths_collide"},
		{"directory here, file upstream", files(), files("a/b/c", "A"), files("a", "B"), "a keep paths_collide, a/b/c keep"},
		{"deep below a file", files(), files("a/b", "A"), files("a/b/c/d", "B"), "a/b keep, a/b/c/d keep paths_collide"},
		{"edited file that is a directory upstream", files("a", "A"), files("a", "B"), files("a/b", "A"), "a keep modified_deleted, a/b keep paths_collide"},
		{"file that became a directory upstream", files("a", "A"), files("a", "A"), files("a/b", "A"), "a remove, a/b take"},
		{"directory that became a file upstream", files("a/b", "A"), files("a/b", "A"), files("a", "A"), "a take, a/b remove"},
		{"and has a file more here", files("a/b", "A"), files("a/b", "A", "a/c", "A"), files("a", "A"), "a keep paths_collide, a/b remove, a/c keep"},
		{"file that became a directory here, edited upstream", files("a", "A"), files("a/b", "A"), files("a", "B"), "a keep deleted_modified, a/b keep"},
		{"other letter case", files(), files("README.md", "A"), files("readme.md", "B"), "README.md keep, readme.md keep paths_collide"},
		{"same file by another letter case", files(), files("README.md", "A"), files("readme.md", "A"), "README.md keep, readme.md keep paths_collide"},
		{"other form of an accent", files(), files("caf\u00e9", "A"), files("cafe\u0301", "B"), "cafe\u0301 keep paths_collide, caf\u00e9 keep"},
		{"file and directory in another letter case", files(), files("Docs", "A"), files("docs/a", "B"), "Docs keep, docs/a keep paths_collide"},
		{"renamed upstream to another letter case", files("A", "A"), files("A", "A"), files("a", "A"), "A remove, a take"},
		{"directories that differ in letter case", files(), files("Docs/a", "A"), files("docs/b", "B"), "Docs/a keep, docs/b take"},
		{"names that only begin alike", files(), files("a", "A", "b/c", "A"), files("ab", "B", "b/cd", "B"), "a keep, ab take, b/c keep, b/cd take"},
		{"edited here, and upstream has both letter cases", files("x", "A"), files("x", "B"), files("x", "A", "X", "A"), "X keep paths_collide, x keep"},
		{"merged, and upstream has both letter cases", files("x", "A"), files("x", "B"), files("x", "C", "X", "A"), "X keep paths_collide, x merge"},
		{"untouched, and upstream has both letter cases", files("x", "A"), files("x", "A"), files("x", "B", "X", "A"), "X take, x take"},
		{"rooted paths", files(), files("/a", "A"), files("/a/b", "A", "/", "A"), "/ take, /a keep, /a/b keep paths_collide"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, change := range Plan(c.base, c.mine, c.theirs) {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", change.Path, change.Action, change.Conflict)))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %s\nwant %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}

func ExamplePlan() {
	sum := func(text string) [32]byte { return [32]byte([]byte(fmt.Sprintf("%-32s", text))) }
	base := map[string]File{"SKILL.md": {Sum: sum("one")}, "run.sh": {Sum: sum("run")}, "old.md": {Sum: sum("old")}}
	mine := map[string]File{"SKILL.md": {Sum: sum("one, edited")}, "run.sh": {Sum: sum("run")}, "old.md": {Sum: sum("old, edited")}}
	theirs := map[string]File{"SKILL.md": {Sum: sum("two")}, "run.sh": {Sum: sum("run"), Executable: true}}
	for _, change := range Plan(base, mine, theirs) {
		fmt.Printf("%s: %s %q\n", change.Path, change.Action, change.Conflict)
	}
	// Output:
	// SKILL.md: merge ""
	// old.md: keep "modified_deleted"
	// run.sh: take ""
}
