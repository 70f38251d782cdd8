package install_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
	"skills/install"
	"skills/lockfile"
	"skills/lockfile/foreign"
)

// lay writes a directory of a commit into the project as another installer would.
func (p *place) lay(t testing.TB, h *history, commit, from, to string) {
	t.Helper()
	for name, file := range h.trees[commit] {
		if rest, inside := strings.CutPrefix(name, from+"/"); inside {
			p.write(t, to+"/"+rest, string(file.Data))
			if err := os.Chmod(p.path(to+"/"+rest), file.Mode.Perm()|0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// adopt plans and applies an import and gives the steps by name.
func (p *place) adopt(t testing.TB, entries ...foreign.Entry) map[string]install.Step {
	t.Helper()
	plan, err := p.PlanImport(context.Background(), entries)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	steps := map[string]install.Step{}
	for _, step := range plan.Steps {
		steps[step.Name] = step
	}
	return steps
}

// lock reads the lock of the project; one that is not there is empty.
func (p *place) lock(t testing.TB) *lockfile.Lock {
	t.Helper()
	data, err := os.ReadFile(p.path("skills.lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return lockfile.New()
	}
	lock, parseErr := lockfile.Parse(data, "skills.lock")
	if err := errors.Join(err, parseErr); err != nil {
		t.Fatal(err)
	}
	return lock
}

// record is the entry of the pdf skill in a record, changed by edits.
func record(edits ...func(*foreign.Entry)) foreign.Entry {
	e := foreign.Entry{Name: "pdf", Text: kit + "/tree/HEAD/skills/pdf", Path: "skills/pdf", File: "skills-lock.json", Line: 3, Problem: "no commit is recorded"}
	for _, edit := range edits {
		edit(&e)
	}
	return e
}

// pinnedTo says what an entry records.
func pinnedTo(commit, tree, digest string) func(*foreign.Entry) {
	return func(e *foreign.Entry) { e.Commit, e.Tree, e.Digest, e.Problem = commit, tree, digest, "" }
}

// treeOf is the git tree id of the pdf skill in a commit.
func treeOf(t testing.TB, h *history, commit string) string {
	t.Helper()
	id, err := catalog.TreeID(h.trees[commit], "skills/pdf")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestWhatCanBePinnedIsPinned(t *testing.T) {
	one := commitOf("1")
	_, made := newHistory(t)
	tree := treeOf(t, made, one)
	type world struct {
		*place
		*history
	}
	laid := func(t *testing.T, w world) { w.lay(t, w.history, one, "skills/pdf", ".agents/skills/pdf") }
	edited := func(t *testing.T, w world) { laid(t, w); w.write(t, pdf+"SKILL.md", "Mine.\n") }
	moved := func(t *testing.T, w world) { laid(t, w); w.move() }
	for name, c := range map[string]struct {
		scene  func(*testing.T, world)
		entry  foreign.Entry
		action install.Action
		reason string // a part of it; "" for none
		commit string // in the lock
		state  install.State
	}{
		"nothing recorded, the very files":    {laid, record(), install.Added, "", one, install.StateOK},
		"nothing recorded, edited":            {edited, record(), install.Skipped, "no commit is recorded; .agents/skills/pdf differs from what its source has now: SKILL.md (skills-lock.json:3); take what is there now with: skills add --force ", "", install.StateUnmanaged},
		"nothing recorded, moved on":          {moved, record(), install.Skipped, "(skills-lock.json:3)", "", install.StateUnmanaged},
		"nothing recorded, nothing here":      {func(*testing.T, world) {}, record(), install.Skipped, "its files are not here", "", ""},
		"a commit":                            {moved, record(pinnedTo(one, "", "")), install.Added, "", one, install.StateOK},
		"a commit, edited":                    {edited, record(pinnedTo(one, "", "")), install.Added, "stays as it is: SKILL.md", one, install.StateModified},
		"a commit, nothing here":              {func(*testing.T, world) {}, record(pinnedTo(one, "", "")), install.Added, "skills install", one, install.StateMissing},
		"a tree":                              {laid, record(pinnedTo("", tree, "")), install.Added, "", one, install.StateOK},
		"a tree that no branch has":           {moved, record(pinnedTo("", tree, "")), install.Added, "", "", install.StateOK},
		"a tree, edited":                      {edited, record(pinnedTo("", tree, "")), install.Added, "stays as it is: SKILL.md", one, install.StateModified},
		"a tree that is gone, the very files": {laid, record(pinnedTo("", commitOf("9"), "")), install.Added, "", one, install.StateOK},
		"a tree that is gone, other files":    {edited, record(pinnedTo("", commitOf("9"), "")), install.Skipped, "the host has the recorded tree no more", "", install.StateUnmanaged},
		"a branch that is gone, and the tree": {func(t *testing.T, w world) { laid(t, w); delete(w.refs, kit+" ") }, record(pinnedTo("", tree, "")), install.Added, "", "", install.StateOK},
		"a name alone":                        {laid, record(func(e *foreign.Entry) { e.Text, e.Path, e.Skill = kit, "", "pdf" }), install.Added, "", one, install.StateOK},
		"cannot be read":                      {laid, record(func(e *foreign.Entry) { e.Text, e.Problem = "", "the source holds a blank" }), install.Skipped, "cannot be imported: the source holds a blank (skills-lock.json:3)", "", install.StateUnmanaged},
		"a lost executable bit":               {func(t *testing.T, w world) { laid(t, w); _ = os.Chmod(w.path(pdf+"run.sh"), 0o644) }, record(), install.Added, "stays as it is: run.sh", one, install.StateModified},
		"line ends of Windows":                {func(t *testing.T, w world) { laid(t, w); w.write(t, pdf+"docs/a.md", "one\r\ntwo\r\nthree\r\n") }, record(), install.Added, "", one, install.StateOK},
		"a file that is a link now":           {func(t *testing.T, w world) { laid(t, w); _ = os.Symlink("SKILL.md", w.path(pdf+"more.md")) }, record(), install.Skipped, "more.md", "", install.StateUnmanaged},
		"only in the directory of an agent":   {func(t *testing.T, w world) { w.lay(t, w.history, one, "skills/pdf", ".claude/skills/pdf") }, record(), install.Added, "it lies in .claude/skills/pdf; put it into .agents/skills/pdf with: skills install", one, install.StateMissing},
		"a link to it from the agent": {func(t *testing.T, w world) {
			laid(t, w)
			w.write(t, ".claude/skills/x", "")
			_ = os.Symlink("../../.agents/skills/pdf", w.path(".claude/skills/pdf"))
		}, record(), install.Added, "", one, install.StateOK},
		"a name with capitals, small on disk": {laid, record(func(e *foreign.Entry) { e.Name = "PDF" }), install.Added, "", one, install.StateOK},
	} {
		t.Run(name, func(t *testing.T) {
			p, h := newHistory(t)
			c.scene(t, world{p, h})
			before := p.files(t)
			step := p.adopt(t, c.entry)["pdf"]
			text := step.Reason + "; " + step.Hint
			if step.Action != c.action || (c.reason == "") != (step.Reason == "") || !strings.Contains(text, c.reason) || step.Err != nil {
				t.Errorf("%s, %q, error %v; want %s, %q", step.Action, text, step.Err, c.action, c.reason)
			}
			if after := p.unrecorded(t); after != before {
				t.Errorf("files changed:\n%s\nbefore:\n%s", after, before)
			}
			locked, isLocked := p.lock(t).Get("pdf")
			if isLocked != (c.action == install.Added) || locked.Commit != c.commit || isLocked && locked.Tree != tree {
				t.Errorf("locked %+v, want commit %q, tree %s", locked, c.commit, tree)
			}
			p.expect(t, c.state)
			p.again(t, c.entry, step)
		})
	}
}

// unrecorded lists the project without manifest and lock.
func (p *place) unrecorded(t testing.TB) string {
	var lines []string
	for line := range strings.Lines(p.files(t)) {
		if !strings.Contains(line, " skills.toml ") && !strings.Contains(line, " skills.lock ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// expect compares the state of the pdf skill; "" is for one that is not known at all.
func (p *place) expect(t testing.TB, want install.State) {
	t.Helper()
	all, err := p.Installed(context.Background())
	got := install.State("")
	for _, skill := range all {
		if skill.Name == "pdf" {
			got = skill.State
		}
	}
	if err != nil || got != want {
		t.Errorf("state %q, error %v; want %q", got, err, want)
	}
}

// again proves that a second import changes nothing and that what was adopted can be installed from the lock alone.
func (p *place) again(t testing.TB, entry foreign.Entry, step install.Step) {
	t.Helper()
	plan, err := p.PlanImport(context.Background(), []foreign.Entry{entry})
	if err != nil || !plan.Idle() {
		t.Errorf("a second import: %+v, error %v", plan, err)
	}
	if step.Action != install.Added {
		return
	}
	if err := errors.Join(os.RemoveAll(p.path(".agents")), os.RemoveAll(p.path(".claude")), os.RemoveAll(filepath.Join(p.home, "cache"))); err != nil {
		t.Fatal(err)
	}
	plan, err = p.PlanInstall(context.Background(), install.InstallRequest{Frozen: true})
	if err == nil {
		err = p.Apply(context.Background(), plan)
	}
	if err != nil {
		t.Errorf("install --frozen: %v", err)
	}
	p.expect(t, install.StateOK)
}

func TestWhatManifestOrLockNameStays(t *testing.T) {
	p, h := newHistory(t)
	p.add(t, request(t, "acme/kit", "pdf"))
	p.write(t, "skills.toml", p.read(t, "skills.toml")+"mine = \"github.com/acme/other\"\n")
	h.move()
	before, mine := p.files(t), record(func(e *foreign.Entry) { e.Name = "mine" })
	steps := p.adopt(t, record(pinnedTo(commitOf("2"), "", "")), mine)
	if steps["pdf"].Action != install.Unchanged || steps["mine"].Action != install.Unchanged || p.files(t) != before {
		t.Errorf("%+v\n%s", steps, p.files(t))
	}
}

func TestTheRecordThatKnowsMostCounts(t *testing.T) {
	p, h := newHistory(t)
	p.lay(t, h, commitOf("1"), "skills/pdf", ".agents/skills/pdf")
	h.move()
	apm := record(pinnedTo(commitOf("1"), "", ""), func(e *foreign.Entry) { e.File = "apm.lock.yaml" })
	broken := record(func(e *foreign.Entry) { e.Text = "" })
	if step := p.adopt(t, broken, record(), apm)["pdf"]; step.Action != install.Added || step.Commit != commitOf("1") {
		t.Errorf("%+v", step)
	}
}

func TestRecordsThatContradictEachOtherAreAConflict(t *testing.T) {
	p, h := newHistory(t)
	p.lay(t, h, commitOf("1"), "skills/pdf", ".agents/skills/pdf")
	other := record(func(e *foreign.Entry) { e.Text, e.File, e.Line = "https://github.com/other/pack", "apm.lock.yaml", 7 })
	step := p.adopt(t, record(pinnedTo(commitOf("1"), "", "")), other, record(func(e *foreign.Entry) {
		e.Name, e.Path, e.Text = "notes", "skills/notes", kit+"/tree/HEAD/skills/notes"
	}))["pdf"]
	var refused *install.Error
	if step.Action != install.Failed || !errors.As(step.Err, &refused) || refused.Code() != "conflict" || !strings.Contains(step.Err.Error(), "other/pack as apm.lock.yaml:7 says") {
		t.Errorf("%s, error %v; want a conflict that names both", step.Action, step.Err)
	}
}

func TestImportFailsSkillBySkill(t *testing.T) {
	for name, c := range map[string]struct {
		entry foreign.Entry
		want  string
	}{
		"unsafe name":   {record(func(e *foreign.Entry) { e.Name = "../../etc" }), "../../etc"},
		"no name":       {record(func(e *foreign.Entry) { e.Name = "" }), "skills-lock.json:3"},
		"no such ref":   {record(func(e *foreign.Entry) { e.Text = "git+" + kit + "//skills/pdf#v9" }), `has no ref "v9"`},
		"no such path":  {record(func(e *foreign.Entry) { e.Path = "skills/gone" }), `"pdf" is not in https://github.com/acme/kit, skills/gone any more`},
		"no SKILL.md":   {record(func(e *foreign.Entry) { e.Path = "skills" }), "holds no SKILL.md"},
		"no such skill": {record(func(e *foreign.Entry) { e.Path, e.Skill = "", "gone" }), "gone"},
		"no such host":  {record(func(e *foreign.Entry) { e.Text = "git+https://github.com/acme/none//skills/pdf" }), `has no ref ""`},
		"policy":        {record(func(e *foreign.Entry) { e.Text = "git+https://github.com/evil/kit//skills/pdf" }), "refused by policy"},
	} {
		p, h := newHistory(t)
		p.write(t, "skills.toml", "[policy]\ndeny = [\"github.com/evil/*\"]\n")
		p.lay(t, h, commitOf("1"), "skills/notes", ".agents/skills/notes")
		notes := record(func(e *foreign.Entry) {
			e.Name, e.Path, e.Text = "notes", "skills/notes", kit+"/tree/HEAD/skills/notes"
		})
		steps := p.adopt(t, c.entry, notes)
		if steps["notes"].Action != install.Added || len(steps) != 2 {
			t.Errorf("%s: the other skill: %+v", name, steps["notes"])
		}
		for _, step := range steps {
			if step.Name != "notes" && (step.Action != install.Failed || step.Err == nil || !strings.Contains(step.Err.Error(), c.want)) {
				t.Errorf("%s: %s, error %v; want %q", name, step.Action, step.Err, c.want)
			}
		}
	}
}

func TestSourcesWithoutCommitsAreLockedByTheirFiles(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	for name, c := range map[string]struct {
		here, recorded string
		action         install.Action
	}{
		"the very files": {"One.", "", install.Added}, "other files": {"Two.", "", install.Skipped},
		"the digest": {"Two.", digest, install.Added}, "another digest": {"Two.", strings.ReplaceAll(digest, "a", "b"), install.Skipped},
	} {
		p, h := newHistory(t)
		h.trees["./lib/own"], h.refs["./lib/own"] = fstest.MapFS{"SKILL.md": skill("own", "One.")}, digest
		p.write(t, ".agents/skills/own/SKILL.md", string(skill("own", c.here).Data))
		step := p.adopt(t, foreign.Entry{Name: "own", Text: "./lib/own", Digest: c.recorded, File: "x"})["own"]
		locked, _ := p.lock(t).Get("own")
		if step.Action != c.action || (locked.Source == "./lib/own") != (c.action == install.Added) || locked.Commit != "" {
			t.Errorf("%s: %s, %q, error %v, locked %+v; want %s", name, step.Action, step.Reason, step.Err, locked, c.action)
		}
	}
}

func TestASkillThatWasHeldStaysHeld(t *testing.T) {
	p, h := newHistory(t)
	p.lay(t, h, commitOf("1"), "skills/pdf", ".agents/skills/pdf")
	h.move()
	held := record(pinnedTo("", treeOf(t, h, commitOf("1")), ""), func(e *foreign.Entry) {
		e.Text, e.Ref, e.Pinned, e.Reason = kit+"/tree/v1/skills/pdf", "v1", true, "pinned with gh skill"
	})
	if step := p.adopt(t, held)["pdf"]; step.Action != install.Added || step.Commit != commitOf("1") {
		t.Errorf("%+v", step)
	}
	want := `pdf = { source = "github.com/acme/kit", path = "skills/pdf", ref = "v1", reason = "pinned with gh skill" }`
	if got := p.read(t, "skills.toml"); !strings.Contains(got, want) {
		t.Errorf("manifest\n%s\nwant\n%s", got, want)
	}
	h.refs[kit+" *"] = commitOf("2")
	rows, err := p.Outdated(context.Background())
	if err != nil || len(rows) != 1 || !rows[0].Pinned || rows[0].Behind || rows[0].Current != "v1" || rows[0].Latest != "v2" {
		t.Errorf("%+v, error %v; want a pinned skill with what it holds back", rows, err)
	}
}

func TestSkillFilesAreThoseOfDirectoriesNotOfLinks(t *testing.T) {
	p, h := newHistory(t)
	p.lay(t, h, commitOf("1"), "skills/pdf", ".agents/skills/pdf")
	p.lay(t, h, commitOf("1"), "skills/notes", ".claude/skills/notes")
	p.write(t, ".claude/skills/none/README.md", "No skill.\n")
	err := errors.Join(os.Symlink("../../.agents/skills/pdf", p.path(".claude/skills/pdf")), os.Mkdir(p.path(".agents/skills/odd"), 0o755),
		os.Symlink("/etc/passwd", p.path(".agents/skills/odd/SKILL.md")))
	got, filesErr := p.SkillFiles()
	want := []string{p.path(".agents/skills/pdf/SKILL.md"), p.path(".claude/skills/notes/SKILL.md")}
	if err != nil || filesErr != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, %v; want %q", got, err, filesErr, want)
	}
}

func ExampleEngine_PlanImport() {
	dir, err := os.MkdirTemp("", "skills-example-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	engine := exampleEngine(dir)
	for _, name := range []string{"skills.toml", "skills.lock"} { // as if another installer had been at work
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			panic(err)
		}
	}
	plan, err := engine.PlanImport(context.Background(), []foreign.Entry{
		{Name: "pdf", Text: "https://github.com/acme/kit/tree/HEAD/skills/pdf", Path: "skills/pdf", File: "skills-lock.json", Line: 4},
		{Name: "odd", File: "skills-lock.json", Line: 9, Problem: `"source" is missing`},
	})
	if err != nil {
		panic(err)
	}
	for _, step := range plan.Steps {
		fmt.Println(step.Action, step.Name, step.Reason)
	}
	// Output:
	// skipped odd cannot be imported: "source" is missing (skills-lock.json:9)
	// added pdf
}
