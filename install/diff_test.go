package install_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/install"
)

const pdf = ".agents/skills/pdf/"

// diff compares the skills of a place with the lock, or with upstream, and gives one line a file or error.
func (p *place) diff(t testing.TB, upstream bool, names ...string) (lines []string, text string) {
	t.Helper()
	compare := p.Diff
	if upstream {
		compare = p.DiffUpstream
	}
	all, err := compare(context.Background(), names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, skill := range all {
		for _, f := range skill.Files {
			lines = append(lines, fmt.Sprintf("%s %s %s", skill.Name, f.State, f.Path))
			text += f.Text
		}
		if skill.Err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", skill.Name, skill.Err))
		}
	}
	return lines, text
}

func TestDiffTellsEveryKindOfEdit(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*place) error
		want string // state and path, "" for no difference
		text string // in the patch
	}{
		"nothing": {func(*place) error { return nil }, "", ""},
		"changed": {func(p *place) error { return os.WriteFile(p.path(pdf+"docs/a.md"), []byte("one\n2\nthree\n"), 0o644) }, "modified docs/a.md", "-two\n+2\n"},
		"added":   {func(p *place) error { return os.WriteFile(p.path(pdf+"b.md"), []byte("b\n"), 0o644) }, "extra b.md", "new file mode 100644\n--- /dev/null\n+++ b/.agents/skills/pdf/b.md\n"},
		"removed": {func(p *place) error { return os.Remove(p.path(pdf + "run.sh")) }, "missing run.sh", "deleted file mode 100755\n--- a/.agents/skills/pdf/run.sh\n+++ /dev/null\n"},
		"mode":    {func(p *place) error { return os.Chmod(p.path(pdf+"run.sh"), 0o644) }, "mode run.sh", "old mode 100755\nnew mode 100644\n"},
		"binary":  {func(p *place) error { return os.WriteFile(p.path(pdf+"logo.png"), []byte("\x89PNG\x00\x01"), 0o644) }, "modified logo.png", "Binary files a/.agents/skills/pdf/logo.png and b/.agents/skills/pdf/logo.png differ\n"},
		"crlf": {func(p *place) error {
			return os.WriteFile(p.path(pdf+"docs/a.md"), []byte("one\r\ntwo\r\nthree\r\n"), 0o644)
		}, "line-endings docs/a.md", ""},
		"edit too": {func(p *place) error {
			return os.WriteFile(p.path(pdf+"docs/a.md"), []byte("one\r\n2\r\nthree\r\n"), 0o644)
		}, "modified docs/a.md", " one\n-two\n+2\n three\n"},
		"mixed": {func(p *place) error { return os.WriteFile(p.path(pdf+"docs/a.md"), []byte("one\r\n2\nthree\n"), 0o644) }, "modified docs/a.md", "-one\n-two\n+one\r\n+2\n"},
		"junk":  {func(p *place) error { return os.WriteFile(p.path(pdf+".DS_Store"), []byte("x"), 0o644) }, "", ""},
		"link":  {func(p *place) error { return os.Symlink("SKILL.md", p.path(pdf+"more.md")) }, "extra more.md", `".agents/skills/pdf/more.md" is none`},
		"relinked": {func(p *place) error {
			return errors.Join(os.Remove(p.path(pdf+"run.sh")), os.Symlink("/bin/sh", p.path(pdf+"run.sh")))
		}, "modified run.sh", `".agents/skills/pdf/run.sh" is none`},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := newHistory(t)
			p.add(t, request(t, "acme/kit", "pdf", "notes"))
			if err := c.edit(p); err != nil {
				t.Fatal(err)
			}
			var want []string
			if c.want != "" {
				want = []string{"pdf " + c.want}
			}
			lines, text := p.diff(t, false)
			if !slices.Equal(lines, want) || !strings.Contains(text, c.text) || c.text == "" && text != "" {
				t.Errorf("got %q with\n%s\nwant %q with\n%s", lines, text, want, c.text)
			}
		})
	}
}

// Whatever is edited: git, which is another reader of patches, makes the locked files out of the edited ones.
func TestGitTakesEditsBack(t *testing.T) {
	for seed := range uint64(12) {
		p, _ := newHistory(t)
		p.add(t, request(t, "acme/kit", "pdf"))
		before := p.files(t)
		r := rand.New(rand.NewPCG(seed, 1))
		for _, name := range []string{"SKILL.md", "docs/a.md", "docs/b b.md", "run.sh", "new/empty", "new/tool"} {
			file := p.path(pdf + name)
			var err error
			switch r.IntN(5) {
			case 0:
				err = os.RemoveAll(file)
			case 1:
				p.write(t, pdf+name, strings.Repeat("line\n", r.IntN(4))+"end")
			case 2:
				p.write(t, pdf+name, "")
				err = os.Chmod(file, 0o755)
			case 3:
				p.write(t, pdf+name, fmt.Sprintf("one\n%d\nthree\n", r.IntN(3)))
				err = os.Chmod(file, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_, text := p.diff(t, false)
		apply := exec.Command("git", "apply", "-R", "-")
		apply.Dir, apply.Stdin = p.dir, strings.NewReader(text)
		apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(p.dir))
		if out, err := apply.CombinedOutput(); err != nil && text != "" {
			t.Errorf("seed %d: git: %v: %s\n%s", seed, err, out, text)
		}
		if lines, _ := p.diff(t, false); lines != nil || p.files(t) != before {
			t.Errorf("seed %d: after git took the edits back there are %q\n%s", seed, lines, p.files(t))
		}
	}
}

func TestDiffAsksForNoMoreThanItNeeds(t *testing.T) {
	p, h := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	h.asked = nil
	p.write(t, pdf+"mine.md", "Mine.\n")
	if lines, _ := p.diff(t, false); len(lines) != 1 || h.asked != nil {
		t.Errorf("%q; asked for %q, want nothing: an extra file needs no other", lines, h.asked)
	}
	p.write(t, pdf+"docs/a.md", "Mine.\n")
	if lines, _ := p.diff(t, false); len(lines) != 2 || !slices.Equal(h.asked, []string{"skills/pdf"}) {
		t.Errorf("%q; asked for %q, want the edited skill", lines, h.asked)
	}
	if err := os.RemoveAll(filepath.Join(p.home, "cache")); err != nil {
		t.Fatal(err)
	}
	h.asked = nil
	if lines, _ := p.diff(t, false); len(lines) != 2 || !slices.Equal(h.asked, []string{"skills/pdf"}) {
		t.Errorf("%q; asked for %q, want the edited skill, for its contents are not recorded any more", lines, h.asked)
	}
}

func TestDiffNamesWhatCannotBeCompared(t *testing.T) {
	p, h := newHistory(t)
	h.trees["./own"] = fstest.MapFS{"SKILL.md": skill("own", "First.")}
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	p.add(t, request(t, "./own"))
	p.write(t, pdf+"docs/a.md", "Mine.\n")
	p.write(t, ".agents/skills/own/SKILL.md", "Mine.\n")
	p.write(t, ".agents/skills/notes/SKILL.md", "Mine.\n")
	h.trees["./own"] = fstest.MapFS{"SKILL.md": skill("own", "Second.")}
	delete(h.trees, commitOf("2"))
	h.trees[commitOf("1")]["skills/notes/more.md"] = &fstest.MapFile{Data: []byte("x")} // its tree id is another one now
	lines, _ := p.diff(t, false)
	if len(lines) != 3 || !strings.HasPrefix(lines[0], `notes: "notes": no tree`) || lines[2] != "pdf modified docs/a.md" ||
		!strings.Contains(lines[1], `what was installed of "own" is not kept anywhere`) {
		t.Errorf("%q", lines)
	}
	var missing *install.Error
	if _, err := p.Diff(context.Background(), "pdf", "pfd"); !errors.As(err, &missing) || missing.Code() != "not_installed" || missing.Name != "pfd" {
		t.Errorf("error %v, want one about pfd", err)
	}
	if err := errors.Join(os.RemoveAll(p.path(pdf)), os.Symlink("/", p.path(".agents/skills/pdf"))); err != nil {
		t.Fatal(err)
	}
	if lines, _ := p.diff(t, false, "pdf"); len(lines) != 1 || !strings.Contains(lines[0], "no directory any more") {
		t.Errorf("%q", lines)
	}
}

func TestALockThatLiesIsNoBase(t *testing.T) {
	p, _ := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	lines := strings.Split(p.read(t, "skills.lock"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "hash = ") {
			lines[i] = `hash = "s1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="`
		}
	}
	p.write(t, "skills.lock", strings.Join(lines, "\n"))
	all, err := p.Diff(context.Background())
	var refused *install.Error
	if err != nil || len(all) != 1 || !errors.As(all[0].Err, &refused) || refused.Code() != "integrity" || refused.ExitStatus() != 4 {
		t.Errorf("%+v, error %v; want integrity, exit 4", all, err)
	}
}

func TestDiffUpstreamShowsWhatAnUpdateBrings(t *testing.T) {
	p, h := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf", "notes"))
	if lines, text := p.diff(t, true); lines != nil || text != "" {
		t.Errorf("nothing moved, got %q %s", lines, text)
	}
	h.move()
	lines, text := p.diff(t, true)
	if !slices.Equal(lines, []string{"pdf modified SKILL.md"}) || !strings.Contains(text, "-Read.\n+Read twice.\n") {
		t.Errorf("got %q %s", lines, text)
	}
	p.write(t, pdf+"mine.md", "Mine.\n")
	lines, text = p.diff(t, true)
	if !slices.Equal(lines, []string{"pdf modified SKILL.md", "pdf extra mine.md"}) || !strings.Contains(text, "+++ /dev/null\n@@ -1,1 +0,0 @@\n-Mine.\n") {
		t.Errorf("with an edit: got %q %s", lines, text)
	}
	delete(h.trees[commitOf("2")], "skills/notes/SKILL.md")
	h.trees[commitOf("2")]["moved/notes/SKILL.md"] = skill("notes", "Write more.")
	if lines, text = p.diff(t, true, "notes"); !slices.Equal(lines, []string{"notes modified SKILL.md"}) || !strings.Contains(text, "+Write more.\n") {
		t.Errorf("moved: got %q %s", lines, text)
	}
	delete(h.trees[commitOf("2")], "moved/notes/SKILL.md")
	if lines, _ = p.diff(t, true, "notes"); len(lines) != 1 || !strings.Contains(lines[0], `"notes" is not in https://github.com/acme/kit, skills/notes any more`) {
		t.Errorf("vanished: got %q", lines)
	}
}

func ExampleEngine_Diff() {
	dir, err := os.MkdirTemp("", "skills-example-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	engine, edited := exampleEngine(dir), filepath.Join(dir, ".agents", "skills", "pdf", "notes.md")
	if err := os.WriteFile(edited, []byte("Mine.\n"), 0o644); err != nil {
		panic(err)
	}
	skills, err := engine.Diff(context.Background(), "pdf")
	if err != nil {
		panic(err)
	}
	for _, file := range skills[0].Files {
		fmt.Println(file.State, file.Path)
		fmt.Print(file.Text)
	}
	// Output:
	// extra notes.md
	// diff --git a/.agents/skills/pdf/notes.md b/.agents/skills/pdf/notes.md
	// new file mode 100644
	// --- /dev/null
	// +++ b/.agents/skills/pdf/notes.md
	// @@ -0,0 +1,1 @@
	// +Mine.
}
