package resource

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

func rels(list []Resource) (all []string) {
	for _, r := range list {
		all = append(all, r.Rel)
	}
	return all
}

func codes(list []catalog.Finding) (all []string) {
	for _, f := range list {
		all = append(all, f.Code)
	}
	return all
}

func list(t *testing.T, fsys fs.FS, dir string, o Options) ([]Resource, []catalog.Finding) {
	t.Helper()
	got, findings, err := List(fsys, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return got, findings
}

// agree checks that everything listed can be looked at and read, with the size that was told.
func agree(t *testing.T, fsys fs.FS, dir string, listed []Resource) {
	t.Helper()
	for _, r := range listed {
		again, err := Stat(fsys, dir, r.Rel)
		if err != nil || again != r {
			t.Errorf("%q is listed as %+v and looked at as %+v, %v", r.Rel, r, again, err)
		}
		raw, err := Read(fsys, dir, r.Rel, 1<<20)
		if err != nil || int64(len(raw)) != r.Size {
			t.Errorf("%q is listed with %d bytes and has %d, %v", r.Rel, r.Size, len(raw), err)
		}
	}
}

func TestKinds(t *testing.T) {
	for rel, want := range map[string]Kind{
		"scripts/a.py": Scripts, "references/deep/n.md": References, "assets/x.png": Assets, "examples/e.md": Examples,
		"LICENSE.txt": Other, "Scripts/a": Other, "script/a": Other, "x/scripts/a": Other, "assets": Assets, "": Other,
	} {
		t.Run("S1-40 "+rel, func(t *testing.T) {
			if got := KindOf(rel); got != want {
				t.Errorf("kind is %q, want %q", got, want)
			}
		})
	}
}

func TestListOfAWholeTree(t *testing.T) {
	fsys := fstest.MapFS{
		"pdf/SKILL.md":             file("m"),
		"pdf/sub/SKILL.md":         file("below"),
		"pdf/scripts/run.sh":       {Mode: 0o755, Data: []byte("#!")},
		"pdf/.hidden":              file("h"),
		"pdf/.config/x":            file("x"),
		"pdf/.git/config":          file("g"),
		"pdf/.github/w.yml":        file("w"),
		"pdf/assets":               file("a file of that name"),
		"pdf/references/deep/n.md": file("n"),
		"pdf/a-b":                  file(""),
		"pdf/a/b":                  file(""),
		"pdf/LICENSE.txt":          file("MIT"),
		"pdf/empty":                {Mode: fs.ModeDir | 0o755},
		"pdf-evil/x":               file("x"),
	}
	got, findings := list(t, fsys, "pdf", Options{FollowLinks: true})
	t.Run("S1-40 rels", func(t *testing.T) {
		want := ".config/x .github/w.yml .hidden LICENSE.txt a-b a/b assets references/deep/n.md scripts/run.sh sub/SKILL.md"
		if strings.Join(rels(got), " ") != want || len(findings) > 0 {
			t.Errorf("listed %v, %v", rels(got), findings)
		}
	})
	t.Run("S1-40 record", func(t *testing.T) {
		r := got[8]
		if r.Kind != Scripts || r.Path != "pdf/scripts/run.sh" || r.Abs != r.Path || r.Size != 2 || !r.Executable || got[0].Executable {
			t.Errorf("record is %+v", r)
		}
		disk, _ := list(t, onDisk{MapFS: fsys}, "pdf", Options{FollowLinks: true})
		if len(disk) != len(got) || disk[8].Abs != "/m/pdf/scripts/run.sh" {
			t.Errorf("on disk the record is %+v", disk[8])
		}
	})
	agree(t, fsys, "pdf", got)
}

func TestTheManifestIsNoResource(t *testing.T) {
	for _, c := range []struct{ files, want string }{
		{"SKILL.md a", "a"}, {"skill.md a", "a"}, {"Skill.MD", ""}, {"SKILL.md skill.md", "skill.md"}, {"Skill.md skill.md", "skill.md"},
		{"SKILL.md/x a", "SKILL.md/x a"}, {"skills.md", "skills.md"},
	} {
		t.Run("S1-40 "+c.files, func(t *testing.T) {
			fsys := fstest.MapFS{"s": {Mode: fs.ModeDir | 0o755}}
			for name := range strings.FieldsSeq(c.files) {
				fsys["s/"+name] = file("x")
			}
			got, _ := list(t, fsys, "s", Options{})
			if strings.Join(rels(got), " ") != c.want {
				t.Errorf("listed %v, want %s", rels(got), c.want)
			}
		})
	}
	fsys := fstest.MapFS{"s/SKILL.md": link("../m.md"), "m.md": file("x")}
	if got, findings := list(t, fsys, "s", Options{FollowLinks: true}); len(got)+len(findings) > 0 {
		t.Errorf("a manifest that is a link: %v, %v", got, findings)
	}
}

func TestListAndLinks(t *testing.T) {
	got, findings := list(t, store(), "pdf", Options{FollowLinks: true})
	want := "in.md references/a.md round/a.md scripts/run.sh"
	if strings.Join(rels(got), " ") != want {
		t.Errorf("listed %v, want %s", rels(got), want)
	}
	agree(t, store(), "pdf", got)
	said := map[string]string{}
	for _, f := range findings {
		said[f.File] = f.Code + ": " + f.Message
		if f.Severity != catalog.SeverityWarning {
			t.Errorf("%v is no warning", f)
		}
	}
	for _, c := range []struct{ id, rel, code, word string }{
		{"S1-41", "out", "escaping_link", "escap"}, {"S1-41 out of the file system", "far", "escaping_link", "escap"},
		{"S1-41 absolute", "abs", "escaping_link", "escap"}, {"S1-41 to nothing", "gone-out", "escaping_link", "escap"},
		{"S1-41 below a directory", "references/deep.md", "escaping_link", "escap"},
		{"S1-41 through another link", "round/deep.md", "escaping_link", "escap"},
		{"S1-9", "gone", "dangling_link", "dangling"}, {"S1-9 loop", "loop", "dangling_link", "dangling"},
		{"S1-18", "pipe", "not_a_file", "neither"},
	} {
		t.Run(c.id, func(t *testing.T) {
			if text := said["pdf/"+c.rel]; !strings.HasPrefix(text, c.code+": ") || !strings.Contains(text, c.word) {
				t.Errorf("%s: said %q", c.rel, text)
			}
			if _, err := Stat(store(), "pdf", c.rel); err == nil {
				t.Errorf("%s is not listed and can be looked at", c.rel)
			}
		})
	}
	if len(findings) != 9 {
		t.Errorf("findings are %v", findings)
	}
}

func TestListWithoutLinks(t *testing.T) {
	fsys := fstest.MapFS{"R/z/SKILL.md": file("m"), "R/z/b.md": file("b"), "R/z/a.md": link("b.md"), "R/z/d": link("e"), "R/z/e/x": file("x"), "R/z/n": link("/nope")}
	for _, c := range []struct {
		id     string
		follow bool
		want   string
		codes  int
	}{{"S1-8 follow", true, "a.md b.md d/x e/x", 1}, {"S1-8 do not", false, "b.md e/x", 0}} {
		t.Run(c.id, func(t *testing.T) {
			got, findings := list(t, fsys, "R/z", Options{FollowLinks: c.follow})
			if strings.Join(rels(got), " ") != c.want || len(findings) != c.codes {
				t.Errorf("listed %v, %v", rels(got), findings)
			}
			if _, err := Stat(fsys, "R/z", "a.md", NoLinks); (err == nil) == false == !strings.Contains(c.want, "b.md") {
				t.Errorf("a link that is not followed is there: %v", err)
			}
		})
	}
}

func TestLoopsEnd(t *testing.T) {
	for _, c := range []struct {
		id    string
		files fstest.MapFS
		want  string
	}{
		{"S1-40 back", fstest.MapFS{"s/references/back": link(".."), "s/references/a": file("a")}, "references/a"},
		{"S1-40 itself", fstest.MapFS{"s/a": file("a"), "s/me": link(".")}, "a"},
		{"S1-40 two", fstest.MapFS{"s/x/f": file("f"), "s/y/g": file("g"), "s/x/y": link("../y"), "s/y/x": link("../x")},
			"x/f x/y/g y/g y/x/f"},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, findings := list(t, c.files, "s", Options{FollowLinks: true})
			if strings.Join(rels(got), " ") != c.want || len(findings) > 0 {
				t.Errorf("listed %v, %v", rels(got), findings)
			}
			agree(t, c.files, "s", got)
		})
	}
}

// Every directory leads to the next by two links, so that a listing without bounds would have 2^14 files in 14 levels.
func TestListIsBoundedWhereLinksMultiply(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 14 {
		fsys[fmt.Sprintf("s/d%02d/f", i)] = file("x")
		fsys[fmt.Sprintf("s/d%02d/l", i)] = link(fmt.Sprintf("../d%02d", i+1))
		fsys[fmt.Sprintf("s/d%02d/m", i)] = link(fmt.Sprintf("../d%02d", i+1))
	}
	got, findings := list(t, fsys, "s", Options{FollowLinks: true})
	if len(got) != 1024 || !slices.Contains(codes(findings), "limit") {
		t.Errorf("%d listed, %v", len(got), codes(findings))
	}
}

func TestLimits(t *testing.T) {
	wide, deep := fstest.MapFS{}, fstest.MapFS{}
	for i := range 10 {
		wide[fmt.Sprintf("s/f%d", i)] = file("x")
	}
	for i := range 6 {
		deep["s/"+strings.Repeat("d/", i)+"f"] = file("x")
	}
	many := fstest.MapFS{}
	for i := range 2049 {
		many[fmt.Sprintf("s/f%04d", i)] = file("x")
	}
	for _, c := range []struct {
		id     string
		fsys   fs.FS
		limits Limits
		files  int
		code   string
	}{
		{"S1-45 files", wide, Limits{Files: 9}, 9, "limit"}, {"S1-45 files at the bound", wide, Limits{Files: 10}, 10, ""},
		{"S1-45 entries", wide, Limits{Entries: 4}, 4, "limit"}, {"S1-45 entries at the bound", wide, Limits{Entries: 10}, 10, ""},
		{"S1-45 directory", wide, Limits{Directory: 3}, 3, "limit"}, {"S1-45 directory at the bound", wide, Limits{Directory: 10}, 10, ""},
		{"S1-45 depth", deep, Limits{Depth: 4}, 5, "limit"}, {"S1-45 depth at the bound", deep, Limits{Depth: 5}, 6, ""},
		{"S1-45 default of files", many, Limits{}, 1024, "limit"},
		{"S1-45 default of a directory", many, Limits{Files: 5000}, 2048, "limit"},
	} {
		t.Run(c.id, func(t *testing.T) {
			got, findings := list(t, c.fsys, "s", Options{Limits: c.limits})
			code := strings.Join(slices.Compact(codes(findings)), " ")
			if len(got) != c.files || code != c.code {
				t.Errorf("%d files, %q, want %d, %q", len(got), code, c.files, c.code)
			}
		})
	}
	if (Limits{}).OrDefault() != (Limits{16, 4096, 1024, 2048}) {
		t.Error("the defaults are not those of S1-45")
	}
}

func TestNamesThatNoPathHasAreNotListed(t *testing.T) {
	fsys := fstest.MapFS{"s/a:b": file("x"), "s/a\nb": file("x"), `s/a\b`: file("x"), "s/d:/x": file("x"), "s/" + strings.Repeat("n", 513): file("x"), "s/ok": file("x")}
	got, findings := list(t, fsys, "s", Options{})
	if strings.Join(rels(got), " ") != "ok" || len(findings) != 5 || findings[0].Code != "unsafe_name" {
		t.Errorf("listed %v, %v", rels(got), findings)
	}
	for _, f := range findings {
		if strings.Contains(f.File+f.Message, "\n") {
			t.Errorf("%q breaks its line", f.File+f.Message)
		}
	}
}

// broken is a file system with a directory that cannot be listed, and files that vanish.
type broken struct {
	fstest.MapFS
	dir string
}

func (b broken) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == b.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrPermission}
	}
	entries, err := b.MapFS.ReadDir(name)
	for i, e := range entries {
		if e.Name() == "vanishing" {
			entries[i] = vanished{e}
		}
	}
	return entries, err
}

type vanished struct{ fs.DirEntry }

func (vanished) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

func TestWhatCannotBeListed(t *testing.T) {
	fsys := fstest.MapFS{"s/d/x": file("x"), "s/a": file("a"), "s/vanishing": file("v"), "f": file("f"), "l": link("../x")}
	got, findings := list(t, broken{fsys, "s/d"}, "s", Options{})
	if strings.Join(rels(got), " ") != "a" || strings.Join(codes(findings), " ") != "io_error io_error" {
		t.Errorf("listed %v, %v", rels(got), findings)
	}
	for _, c := range []struct{ dir, kind string }{
		{"nope", "not_found"}, {"f", "not_a_file"}, {"../s", "invalid_input"}, {"l", "path_escape"}, {"s", "io_error"}, {"f/x", "not_found"},
	} {
		_, _, err := List(broken{fsys, "s"}, c.dir, Options{})
		var e *catalog.Error
		if !errors.As(err, &e) || e.Kind != c.kind {
			t.Errorf("%s: error is %v, want %s", c.dir, err, c.kind)
		}
	}
}

// Whatever the links are, nothing outside is listed, and what is listed can be opened.
func FuzzList(f *testing.F) {
	f.Add("b", "../a", "../../x")
	f.Add(".", "..", "../d/l")
	f.Add("a/m", "../l", "nope")
	f.Fuzz(func(t *testing.T, one, two, three string) {
		fsys := fstest.MapFS{"x/secret": file("out"), "s/d/a/f": file("f"), "s/d/b/g": file("g"), "s/d/l": link(one), "s/d/a/m": link(two), "s/d/b/n": link(three)}
		got, _, err := List(fsys, "s/d", Options{FollowLinks: true})
		if err != nil {
			t.Fatal(err)
		}
		agree(t, fsys, "s/d", got)
		for _, r := range got {
			if raw, _ := Read(fsys, "s/d", r.Rel, 100); string(raw) == "out" || path.Base(r.from) == "secret" {
				t.Errorf("%+v is outside", r)
			}
		}
		if !slices.IsSortedFunc(got, func(a, b Resource) int { return strings.Compare(a.Rel, b.Rel) }) {
			t.Errorf("not sorted: %v", rels(got))
		}
		if kept := slices.Sorted(maps.Keys(index(got))); len(kept) != len(got) {
			t.Errorf("some path comes twice: %v", rels(got))
		}
	})
}

func index(list []Resource) map[string]bool {
	all := map[string]bool{}
	for _, r := range list {
		all[r.Rel] = true
	}
	return all
}
