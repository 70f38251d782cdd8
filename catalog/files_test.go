package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func installed(t testing.TB, f *treeFS, dir string) ([]string, []Finding, error) {
	t.Helper()
	files, findings, err := Files(context.Background(), f, dir, Limits{})
	var got []string
	for _, file := range files {
		line := file.Path
		if file.Executable {
			line += " x"
		}
		if file.From != dir+"/"+file.Path {
			line += " <- " + file.From
		}
		got = append(got, line)
	}
	if len(f.opened) > 0 {
		t.Errorf("listing opened %q", f.opened)
	}
	return got, findings, err
}

func TestFilesAreWhatAnInstallWrites(t *testing.T) {
	f := tree(t, map[string]string{
		"pdf/skill.md":              skill("pdf", "P"),
		"pdf/z":                     "z",
		"pdf/scripts/run.sh [exec]": "#!/bin/sh\n",
		"pdf/.github/ci.yml":        "on: push\n",
		"pdf/.git/config":           "[core]\n",
		"pdf/sub/.GIT/config":       "[core]\n",
		"pdf/sub/g [gitlink]":       strings.Repeat("1", 40),
		"pdf/pipe [pipe]":           "",
		"pdf/empty [dir]":           "",
		"pdf/run [link]":            "scripts/run.sh",
		"pdf/more [link]":           "./scripts/",
		"pdf/around [link]":         "../pdf/scripts/../z",
		"pdf/gone [link]":           "scripts/nothing",
		"pdf/nl [link]":             "z\n",
		"pdf/a [link]":              "b",
		"pdf/b [link]":              "more/run.sh",
	})
	got, findings, err := installed(t, f, "pdf")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".github/ci.yml", "SKILL.md <- pdf/skill.md", "a x <- pdf/scripts/run.sh", "around <- pdf/z", "b x <- pdf/scripts/run.sh",
		"more/run.sh x <- pdf/scripts/run.sh", "run x <- pdf/scripts/run.sh", "scripts/run.sh x", "z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var about []string
	for _, f := range findings {
		about = append(about, f.Code+" "+f.File)
	}
	slices.Sort(about)
	if diff := cmp.Diff([]string{"dangling_link pdf/gone", "dangling_link pdf/nl", "git_directory pdf/sub/.GIT", "not_a_file pdf/pipe", "submodule pdf/sub/g"}, about); diff != "" {
		t.Error(diff)
	}
	if _, _, err := Files(context.Background(), f, "pdf/z", Limits{}); reasonOf(err) != "not_found  pdf/z" {
		t.Error(err)
	}
}

func TestLinksThatRefuseTheSkill(t *testing.T) {
	with := func(target string) *treeFS {
		return tree(t, map[string]string{
			"pdf/SKILL.md": skill("pdf", "P"), "pdf/sub/x [link]": target, "pdf/sub/y [link]": "x", "pdf/sub/z": "z", "pdf/.git/config": "c",
			"other/a.md": "a", "pdf-evil/x": "x", "up [link]": ".", ".git/config": "c",
		})
	}
	out, back := "leads out of the skill", "leads back to itself"
	for target, way := range map[string]string{
		"/etc/hostname": out, "../../../../outside/": out, "../../other": out, "../../other/a.md": out, "../../gone": out, "..": back, ".": back, "x": back, "y": back,
		"../sub": back, "../../pdf": back, "../..": out, `C:\x`: out, "c:/x": out, `\\srv\share`: out, "../../.git/config": out, "../.git/config": out, ".git": out,
		"../../pdf-evil/x": out, "../../up/other/a.md": out, "../../up/pdf": back,
	} {
		_, _, err := installed(t, with(target), "pdf")
		if !strings.HasPrefix(reasonOf(err), "path_escape") {
			t.Errorf("%q: %v", target, err)
		} else if want := fmt.Sprintf("the link %q to %q %s", "pdf/sub/x", target, way); err.Error() != want {
			t.Errorf("%q: %v, want %s", target, err, want)
		}
		if e := (*Error)(nil); errors.As(err, &e) && (e.ExitStatus() != 4 || !strings.HasPrefix(strings.Join(e.Hints(), ""), "ask the author")) {
			t.Errorf("%q: exit status %d, hints %q", target, e.ExitStatus(), e.Hints())
		}
	}
	for _, target := range []string{"z", "./z", "../sub/z", "../../pdf/sub/z", "../../up/pdf/sub/z", "../SKILL.md"} {
		if got, findings, err := installed(t, with(target), "pdf"); err != nil || len(got) != 4 || len(findings) > 0 {
			t.Errorf("%q: %q, %v, %v", target, got, findings, err)
		}
	}
}

// A manifest may be a link to anywhere in the repository, nothing else may.
func TestAManifestThatIsALink(t *testing.T) {
	f := shape(t, "O112")
	got, findings, err := installed(t, f, "plugins/o/skills/root-owl")
	if err != nil || len(findings) > 0 || !slices.Equal(got, []string{"SKILL.md <- SKILL.md"}) {
		t.Errorf("%q, %v, %v", got, findings, err)
	}
	for _, target := range []string{"../../out.md", "/etc/passwd", "..", "../x"} {
		f := tree(t, map[string]string{"a/SKILL.md [link]": target, "x/y": ""})
		if _, _, err := installed(t, f, "a"); !strings.HasPrefix(reasonOf(err), "path_escape") {
			t.Errorf("%q: %v", target, err)
		}
	}
}

func TestUnsafePathsRefuseTheSkill(t *testing.T) {
	for _, name := range []string{"a\nb.txt", "a\x1b.txt", `a\b`, "\xff"} {
		f := tree(t, map[string]string{"fin/SKILL.md": skill("fin", "F"), "fin/sub/" + name: "x"})
		_, _, err := installed(t, f, "fin")
		if reasonOf(err) != "unsafe_name  sub/"+strings.TrimSpace(name) || !strings.Contains(err.Error(), `"fin"`) {
			t.Errorf("%q: %v", name, err)
		}
		if e := (*Error)(nil); errors.As(err, &e) && (e.ExitStatus() != 4 || !strings.HasPrefix(strings.Join(e.Hints(), ""), "ask the author")) {
			t.Errorf("%q: exit status %d, hints %q", name, e.ExitStatus(), e.Hints())
		}
	}
	f := tree(t, map[string]string{"fin/skill.md": skill("fin", "F"), "fin/SKILL.md/a": "x"})
	if _, _, err := installed(t, f, "fin"); !strings.HasPrefix(reasonOf(err), "unsafe_name") {
		t.Errorf("a directory named as the manifest: %v", err)
	}
}

func TestNamesThatDoNotWorkEverywhereAreReported(t *testing.T) {
	f := tree(t, map[string]string{
		"a/SKILL.md": skill("a", "A"), "a/Skill.md": "x", "a/ref/a.md": "x", "a/Ref/b.md": "x", "a/con.txt": "x", "a/x:y": "x", "a/tail.": "x",
		"a/.env": "x", "a/.env.local": "x", "a/.env.example": "x", "a/.ENV.sample": "x", "a/größe": "x", "a/gro\u0308ße": "x",
	})
	_, findings, err := installed(t, f, "a")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range findings {
		count[f.Code]++
	}
	if want := map[string]int{"case_conflict": 3, "windows_name": 3, "secret_file": 2}; !maps.Equal(count, want) {
		t.Errorf("%v, want %v: %v", count, want, findings)
	}
}

func TestLimitsAreErrors(t *testing.T) {
	f := tree(t, map[string]string{"a/SKILL.md": "12345", "a/b/c/d": "123", "a/b/e": "1"})
	for _, c := range []struct {
		limits Limits
		fails  bool
	}{
		{Limits{Files: 3}, false}, {Limits{Files: 2}, true}, {Limits{Bytes: 9}, false}, {Limits{Bytes: 8}, true},
		{Limits{FileBytes: 5}, false}, {Limits{FileBytes: 4}, true}, {Limits{Depth: 2}, false}, {Limits{Depth: 1}, true},
	} {
		_, _, err := Files(context.Background(), f, "a", c.limits)
		if got := strings.HasPrefix(reasonOf(err), "too_large"); got != c.fails || err != nil && !c.fails {
			t.Errorf("%+v: %v", c.limits, err)
		}
	}
	if got := (Limits{Files: 5}).OrDefault(); got.Files != 5 || got.Bytes < 100<<20 || got.FileBytes < 100<<20 || got.Depth < 16 {
		t.Errorf("%+v", got)
	}
}

// Links that double the tree at each level would list for ever.
func TestLinksThatMultiplyAreBounded(t *testing.T) {
	f := tree(t, map[string]string{"a/SKILL.md": "x"})
	for i := range 30 {
		for _, name := range []string{"x", "y"} {
			f.add(fmt.Sprintf("a/d%d/%s", i, name), []string{"link"}, fmt.Appendf(nil, "../d%d", i+1))
		}
	}
	f.add("a/d30", []string{"dir"}, nil)
	if _, _, err := Files(context.Background(), f, "a", Limits{Files: 1000}); !strings.HasPrefix(reasonOf(err), "too_large") {
		t.Error(err)
	}
}

// The same answers on a real directory, where the file system follows links by
// itself when it is asked to open one.
func TestFilesOfADirectoryOnDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
	write("a/SKILL.md", skill("a", "A"), 0o644)
	write("a/run.sh", "x", 0o755)
	write("b/secret", "x", 0o644)
	if err := os.Symlink("run.sh", filepath.Join(dir, "a/go")); err != nil {
		t.Skip("this system has no links:", err)
	}
	files, findings, err := Files(context.Background(), os.DirFS(dir), "a", Limits{})
	want := []File{{"SKILL.md", false, "a/SKILL.md"}, {"go", true, "a/run.sh"}, {"run.sh", true, "a/run.sh"}}
	if diff := cmp.Diff(want, files); diff != "" || err != nil || len(findings) > 0 {
		t.Errorf("%s %v %v", diff, findings, err)
	}
	if err := os.Symlink("../b/secret", filepath.Join(dir, "a/out")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Files(context.Background(), os.DirFS(dir), "a", Limits{}); reasonOf(err) != "path_escape  a/out" {
		t.Error(err)
	}
}

func ExampleFiles() {
	repository := fstest.MapFS{
		"skills/pdf/skill.md":       {Data: []byte("---\nname: pdf\ndescription: d\n---\n")},
		"skills/pdf/scripts/run.sh": {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
	}
	files, _, err := Files(context.Background(), repository, "skills/pdf", Limits{})
	for _, f := range files {
		fmt.Println(f.Path, f.Executable, f.From)
	}
	fmt.Println(err)
	// Output:
	// SKILL.md false skills/pdf/skill.md
	// scripts/run.sh true skills/pdf/scripts/run.sh
	// <nil>
}
