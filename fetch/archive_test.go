package fetch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
)

// inArchive publishes files of the given names as an archive and gives the names at the top of what is fetched.
func inArchive(t *testing.T, archive string, files ...string) string {
	text := "-- @archive files.example/" + archive + " --\n"
	for _, name := range files {
		text += "-- " + name + " --\nx\n"
	}
	forge := fetchtest.New(t, text)
	c := newClient(t, forge)
	tree := fetchTree(t, c, resolve(t, c, "https://files.example/"+archive))
	if want := sum(t, forge, "https://files.example/"+archive); tree.Digest("any") != want {
		t.Errorf("digest %s, want %s", tree.Digest("any"), want)
	}
	local := filepath.Join(t.TempDir(), archive)
	resp, err := forge.Client().Get("https://files.example/" + archive)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := os.WriteFile(local, []byte(bodyOf(t, resp)), 0o644); err != nil {
		t.Fatal(err)
	}
	here := fetchTree(t, c, resolve(t, c, local))
	if here.Digest("") != tree.Digest("") || names(t, here.FS(), ".") != names(t, tree.FS(), ".") {
		t.Errorf("on this machine %s with %s", here.Digest(""), names(t, here.FS(), "."))
	}
	return names(t, tree.FS(), ".")
}

// A directory that wraps a release is taken off; one that means something stays.
func TestWrapperOfAnArchiveIsTakenOff(t *testing.T) {
	for name, test := range map[string]struct {
		archive string
		files   []string
		want    string
	}{
		"release":                {"a.tar.gz", []string{"pack-1.0/README.md", "pack-1.0/skills/pdf/SKILL.md"}, "README.md skills"},
		"zip":                    {"a.zip", []string{"pack-main/skills/pdf/SKILL.md", "__MACOSX/x"}, "skills"},
		"tar":                    {"a.tar", []string{"./pack/a/SKILL.md", "./pack/b/SKILL.md"}, "a b"},
		"skill":                  {"pdf.skill", []string{"pdf/SKILL.md", "pdf/run"}, "pdf"},
		"skill at the top":       {"pdf.skill", []string{"SKILL.md", "run"}, "SKILL.md run"},
		"manifest in other case": {"a.tgz", []string{"pdf/skill.md", "pdf/x"}, "pdf"},
		"several":                {"a.tar.gz", []string{"a/x", "b/x"}, "a b"},
		"a file beside":          {"a.tar.gz", []string{"a/x", "LICENSE"}, "LICENSE a"},
		"skills":                 {"a.tar.gz", []string{"skills/pdf/SKILL.md"}, "skills"},
		"agents":                 {"a.tar.gz", []string{".claude/skills/pdf/SKILL.md"}, ".claude"},
		"only once":              {"a.tar.gz", []string{"a/b/c/SKILL.md"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := inArchive(t, test.archive, test.files...); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// What was downloaded leaves nothing behind, and what has another digest leaves nothing in the store.
func TestDownloadsLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "none")) // all is on its way in the store, which removes what a killed process left
	forge := fetchtest.New(t, "-- @archive files.example/a.zip --\n-- a/SKILL.md --\nx\n-- @archive files.example/b.tar.gz --\n-- a/SKILL.md --\nx\n-- @site files.example --\n-- page.zip --\n<html>\n")
	c := newClient(t, forge, in(t, dir))
	for _, name := range []string{"a.zip", "b.tar.gz"} {
		rev := resolve(t, c, "https://files.example/"+name)
		rev.Digest = "sha512:" + strings.Repeat("0", 128)
		_, err := c.Fetch(context.Background(), rev)
		code(t, err, fetch.Integrity)
	}
	_, err := c.Fetch(context.Background(), resolve(t, c, "https://files.example/page.zip"))
	code(t, err, fetch.WrongContent)
	if packs, err := filepath.Glob(filepath.Join(dir, "git", "*", "pack-*")); err != nil || len(packs) > 0 {
		t.Errorf("in the store: %v, %v", packs, err)
	}
	fetchTree(t, c, resolve(t, c, "https://files.example/a.zip"))
	forge.Fault(fetchtest.Fault{Host: "files.example", Path: "b.tar.gz", Do: fetchtest.Cut(20)})
	_, err = c.Fetch(context.Background(), resolve(t, c, "https://files.example/b.tar.gz"))
	code(t, err, fetch.Network)
	forge.Heal()
	forge.Fault(fetchtest.Fault{Host: "files.example", Path: "b.tar.gz", Times: 1, Do: fetchtest.Cut(20)})
	fetchTree(t, c, resolve(t, c, "https://files.example/b.tar.gz"))
	if left, err := os.ReadDir(filepath.Join(dir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// 3.9/12: what is no whole archive leaves nothing behind, whichever way it comes.
func TestBrokenArchives(t *testing.T) {
	files := "-- lint/SKILL.md --\nx\n-- lint/more --\n" + strings.Repeat("more and more\n", 100)
	forge := fetchtest.New(t, "-- @archive files.example/a.tar.gz --\n"+files, "-- @archive files.example/a.zip --\n"+files, "-- @discovery site.example --\n"+files, "-- @npm registry.npmjs.org lint 1.0.0 --\n"+files)
	broken := map[string]fetchtest.Action{
		"cut short": fetchtest.Answer(200, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), "bad gzip": fetchtest.Answer(200, "\x1f\x8bnothing of the kind"),
		"page": fetchtest.Answer(200, "<!doctype html>Sign in", "Content-Type", "text/html"), "half a zip": fetchtest.Answer(200, "PK\x03\x04 and no more"), "nothing": fetchtest.Answer(200, ""),
	}
	for name, source := range map[string]struct {
		text, path string
		want       []fetch.Code
	}{
		"tar.gz":        {"https://files.example/a.tar.gz", "a.tar.gz", []fetch.Code{fetch.WrongContent}},
		"zip":           {"https://files.example/a.zip", "a.zip", []fetch.Code{fetch.WrongContent}},
		"entry of site": {"https://site.example", "lint.tar.gz", []fetch.Code{fetch.Integrity, fetch.WrongContent}}, // its digest is known
		"npm":           {"npm:lint", "lint-1.0.0.tgz", []fetch.Code{fetch.Integrity, fetch.WrongContent}},
	} {
		for how, action := range broken {
			t.Run(name+" "+how, func(t *testing.T) {
				forge.Heal()
				forge.Fault(fetchtest.Fault{Path: source.path, Do: action})
				dir := t.TempDir()
				c := newClient(t, forge, in(t, dir))
				tree, err := c.Fetch(context.Background(), resolve(t, c, source.text))
				if err == nil {
					err = tree.Load(context.Background(), "lint")
				}
				var e *fetch.Error
				if !errors.As(err, &e) || !slices.Contains(source.want, e.Kind) {
					t.Errorf("error %v", err)
				}
				sane(t, dir)
			})
		}
	}
}
