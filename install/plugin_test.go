package install_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"skills/install"
	"skills/lockfile/manifest"
)

// plugins parses SkillPlugin documents.
func plugins(t testing.TB, skills ...manifest.Skill) *manifest.Manifest {
	t.Helper()
	text, err := manifest.FormatPlugins(skills...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.ParsePlugins(text, "p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// apply plans and applies what a manifest says.
func (p *place) apply(t testing.TB, m *manifest.Manifest) map[string]install.Action {
	t.Helper()
	plan, err := p.PlanInstall(context.Background(), install.InstallRequest{Manifest: m, Refresh: m.Plugins})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	return actions(plan)
}

func TestTheDocumentOfAnEntry(t *testing.T) {
	t.Run("S2-39", func(t *testing.T) {
		p, entry := newPlace(t), inlineJot()
		entry.Inline.Document = "---\nname: pdf-processing\ndescription: Reads.\n---\n\nRead.\n"
		if skill, _, err := p.Document(entry); err != nil || skill.Name != "pdf-processing" || skill.Body != "Read." {
			t.Errorf("%+v, %v", skill, err)
		}
		if skill, findings, err := p.Document(manifest.Skill{Name: "pdf", Source: pdfPage}); skill != nil || findings != nil || err != nil {
			t.Errorf("%+v, %v", skill, err)
		}
		entry.Inline.Document = "# no frontmatter"
		if skill, _, err := p.Document(entry); skill != nil || err == nil {
			t.Errorf("%+v, %v", skill, err)
		}
	})
}

func inlineJot() manifest.Skill {
	return manifest.Skill{Name: "jot", Inline: &manifest.Inline{
		Document: "---\nname: jot\ndescription: Jots.\n---\n\nBe brief.\n", Resources: map[string]string{"a.md": "# A\n"}, Unavailable: []string{"logo.png"},
	}}
}

const pdfPage = "https://github.com/acme/kit/tree/main/skills/pdf"

func TestPluginsAreAppliedTwiceWithoutAChange(t *testing.T) {
	t.Run("S2-44", func(t *testing.T) {
		p := newPlace(t)
		m := plugins(t, inlineJot(), manifest.Skill{Name: "pdf", Source: pdfPage})
		if diff := cmp.Diff(map[string]install.Action{"jot": install.Added, "pdf": install.Added}, p.apply(t, m)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]install.Action{"jot": install.Unchanged, "pdf": install.Unchanged}, p.apply(t, m)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestApplyingAgainRefreshes(t *testing.T) {
	t.Run("S2-43", func(t *testing.T) {
		p := newPlace(t)
		m := plugins(t, manifest.Skill{Name: "pdf", Source: pdfPage})
		p.apply(t, m)
		p.shelf["https://github.com/acme/kit"]["skills/pdf/SKILL.md"] = skill("pdf", "Read better.")
		if diff := cmp.Diff(map[string]install.Action{"pdf": install.Updated}, p.apply(t, m)); diff != "" {
			t.Error(diff)
		}
		text, err := os.ReadFile(filepath.Join(p.dir, ".agents/skills/pdf/SKILL.md"))
		if err != nil || !strings.Contains(string(text), "Read better.") {
			t.Errorf("%s, %v", text, err)
		}
		delete(p.shelf, "https://github.com/acme/kit") // nothing answers any more
		all, err := p.Installed(context.Background(), "pdf")
		if err != nil || all[0].State != install.StateOK {
			t.Errorf("%v, %v", all, err)
		}
	})
}

func TestTheExportIsWhatWasWritten(t *testing.T) {
	t.Run("S2-45", func(t *testing.T) {
		p := newPlace(t)
		p.apply(t, plugins(t, inlineJot(), manifest.Skill{Name: "pdf", Source: pdfPage}))
		got, findings, err := p.Export(context.Background())
		want := []manifest.Skill{inlineJot(), {Name: "pdf", Source: pdfPage}}
		want[0].Inline.Unavailable = nil // never was here
		if diff := cmp.Diff(want, got); diff != "" || len(findings) > 0 || err != nil {
			t.Errorf("%s %v %v", diff, findings, err)
		}
		if diff := cmp.Diff(map[string]install.Action{"jot": install.Unchanged, "pdf": install.Unchanged}, p.apply(t, plugins(t, got...))); diff != "" {
			t.Error(diff)
		}
		got, _, err = p.Export(context.Background(), "pdf", "pdf")
		if diff := cmp.Diff(want[1:], got); diff != "" || err != nil {
			t.Errorf("%s %v", diff, err)
		}
		_, _, err = p.Export(context.Background(), "jott")
		if hint := hintOf(err); code(err) != "not_installed" || !strings.Contains(hint, `"jot"`) {
			t.Errorf("%v, %s", err, hint)
		}
	})
}

// hintOf gives the first hint of an error.
func hintOf(err error) string {
	var hinted interface{ Hints() []string }
	if errors.As(err, &hinted) && len(hinted.Hints()) > 0 {
		return hinted.Hints()[0]
	}
	return ""
}

func TestTheExportOfWhatAManifestNames(t *testing.T) {
	p := newPlace(t)
	text := "[skills]\n" +
		"fresh = \"acme/fresh\"\n" +
		"jot = { skill = \"---\\nname: jot\\ndescription: Jots.\\n---\\n\", resources = { \"b.md\" = \"b\" } }\n" +
		"minutes = { source = \"acme/kit\", path = \"skills/notes\" }\n" +
		"pdf = { source = \"acme/kit\", path = \"skills/pdf\", ref = \"^1.2\", agents = [\"codex\"] }\n" +
		"site = \"https://example.com\"\n"
	if err := os.WriteFile(filepath.Join(p.dir, "skills.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _, err := p.Export(context.Background())
	want := []manifest.Skill{
		{Name: "fresh", Source: "https://github.com/acme/fresh"},
		{Name: "jot", Inline: &manifest.Inline{Document: "---\nname: jot\ndescription: Jots.\n---\n", Resources: map[string]string{"b.md": "b"}}},
		{Name: "minutes", Source: "https://github.com/acme/kit/tree/HEAD/skills/notes"},
		{Name: "pdf", Source: "git+https://github.com/acme/kit//skills/pdf#^1.2"},
		{Name: "site", Source: "https://example.com"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
}

func TestTheExportOfASkillThatWasWrittenInPlace(t *testing.T) {
	t.Run("3.14-7", func(t *testing.T) {
		p := newPlace(t)
		dir := filepath.Join(p.dir, ".agents/skills/own")
		write := func(name, text string, mode os.FileMode) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
				t.Fatal(err)
			}
		}
		write("SKILL.md", "---\nname: own\ndescription: Own.\n---\r\n", 0o644)
		write("assets/logo.png", "\x89PNG\x00", 0o644)
		write("assets/large.txt", strings.Repeat("x", 2<<20), 0o644)
		write("scripts/run.sh", "#!/bin/sh\n", 0o755)
		write(".DS_Store", "junk", 0o644)
		got, findings, err := p.Export(context.Background(), "own")
		want := []manifest.Skill{{Name: "own", Inline: &manifest.Inline{
			Document: "---\nname: own\ndescription: Own.\n---\r\n", Resources: map[string]string{"scripts/run.sh": "#!/bin/sh\n"},
			Unavailable: []string{"assets/large.txt", "assets/logo.png"},
		}}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%s %v", diff, err)
		}
		var said []string
		for _, f := range findings {
			said = append(said, f.Code+" "+f.File)
		}
		if diff := cmp.Diff([]string{"resource_unavailable own/assets/large.txt", "resource_unavailable own/assets/logo.png", "executable own/scripts/run.sh"}, said); diff != "" {
			t.Error(diff)
		}
		if all, _, err := p.Export(context.Background()); len(all) > 0 || err != nil {
			t.Errorf("what nobody recorded is exported unasked: %v, %v", all, err)
		}
	})
}

func TestContentsThatTheManifestDoesNotHoldStay(t *testing.T) {
	t.Run("3.14-7", func(t *testing.T) {
		p := newPlace(t)
		logo := filepath.Join(p.dir, ".agents/skills/jot/logo.png")
		m := plugins(t, inlineJot())
		p.apply(t, m)
		if _, err := os.Lstat(logo); err == nil {
			t.Fatal("the file came from nowhere")
		}
		for name, text := range map[string]string{logo: "\x89PNG\x00"} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(map[string]install.Action{"jot": install.Updated}, p.apply(t, m)); diff != "" { // the record takes it in
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]install.Action{"jot": install.Unchanged}, p.apply(t, m)); diff != "" {
			t.Error(diff)
		}
		if data, err := os.ReadFile(logo); string(data) != "\x89PNG\x00" {
			t.Errorf("%q, %v", data, err)
		}
		if err := os.Remove(logo); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(p.home, "secret"), logo); err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(filepath.Join(p.home, "secret"), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		plan, err := p.PlanInstall(context.Background(), install.InstallRequest{Manifest: m})
		if err != nil || len(plan.Steps) != 1 {
			t.Fatal(err)
		}
		if !strings.Contains(fmt.Sprint(plan.Steps[0].Findings), "resource_unavailable") {
			t.Errorf("a link was followed: %+v", plan.Steps[0].Findings)
		}
	})
}

func TestTextsThatAreNoSkillsAreErrorsOfTheManifest(t *testing.T) {
	t.Run("S2-40", func(t *testing.T) {
		p := newPlace(t)
		bad, worse := inlineJot(), inlineJot()
		bad.Inline.Document, worse.Inline.Document, worse.Name = "# no frontmatter", "---\nname: x\n---\n", "worse"
		_, err := p.PlanInstall(context.Background(), install.InstallRequest{Manifest: plugins(t, manifest.Skill{Name: "pdf", Source: pdfPage}, bad, worse)})
		var invalid *manifest.Error
		if !errors.As(err, &invalid) || invalid.Code() != "manifest_invalid" || invalid.Line != 10 {
			t.Fatalf("%#v", err)
		}
		for _, part := range []string{`p.yaml:10: "jot": `, "frontmatter", `"worse": `, "description"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q lacks %q", err, part)
			}
		}
		if _, err := os.Stat(filepath.Join(p.dir, ".agents")); err == nil {
			t.Error("something was written")
		}
	})
}

// TestInlineTextsOfTheTomlFormFailAlone: in skills.toml one bad text hides no other skill.
func TestInlineTextsOfTheTomlFormFailAlone(t *testing.T) {
	p := newPlace(t)
	p.shelf["https://github.com/acme/one"] = fstest.MapFS{"SKILL.md": skill("one", "One.")}
	text := "[skills]\nbad = { skill = \"# nothing\" }\none = \"acme/one\"\n"
	if err := os.WriteFile(filepath.Join(p.dir, "skills.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	plan, err := p.PlanInstall(context.Background(), install.InstallRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]install.Action{"bad": install.Failed, "one": install.Added}, actions(plan)); diff != "" {
		t.Error(diff)
	}
	if code(plan.Err()) != "manifest_invalid" || !strings.Contains(plan.Err().Error(), `skills.toml:2: "bad": `) {
		t.Errorf("%v", plan.Err())
	}
}

// code gives the word of an error.
func code(err error) string {
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return ""
}

// What a document named without contents is not here: the export says so where the text refers to it.
func TestTheExportTellsWhatIsNotHere(t *testing.T) {
	p := newPlace(t)
	document := "---\nname: jot\ndescription: Jots.\n---\n\nSee [a](a.md), [b](docs/b.md) and ![c](logo.png).\n"
	p.apply(t, plugins(t, manifest.Skill{Name: "jot", Inline: &manifest.Inline{
		Document: document, Resources: map[string]string{"a.md": "# A\n"}, Unavailable: []string{"docs/b.md", "logo.png"},
	}}))
	got, findings, err := p.Export(context.Background())
	want := []manifest.Skill{{Name: "jot", Inline: &manifest.Inline{Document: document, Resources: map[string]string{"a.md": "# A\n"}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	var said []string
	for _, f := range findings {
		said = append(said, f.Code+" "+f.File)
	}
	if diff := cmp.Diff([]string{"missing_reference jot/docs/b.md", "missing_reference jot/logo.png"}, said); diff != "" {
		t.Error(diff)
	}
}
