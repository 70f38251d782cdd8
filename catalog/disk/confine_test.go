package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/catalog/resource"
)

// kindIs checks the kind of a *catalog.Error, "" for none.
func kindIs(t *testing.T, err error, kind string) {
	t.Helper()
	var e *catalog.Error
	switch {
	case kind == "" && err != nil:
		t.Errorf("error is %v", err)
	case kind != "" && (!errors.As(err, &e) || e.Kind != kind):
		t.Errorf("error is %v, want %s", err, kind)
	}
}

func TestConfineOnDisk(t *testing.T) {
	dir := layOut(t, storeEntries())
	for _, c := range []struct{ id, rel, kind string }{
		{"3.5-1", "references/a.md", ""}, {"3.5-8", "../x", "path_escape"}, {"3.5-9", "../pdf-evil/x", "path_escape"},
		{"3.5-10", "/etc/passwd", "invalid_input"}, {"3.5-22", "out/y", "path_escape"}, {"3.5-23", "out/x", "path_escape"},
		{"3.5-24", "in.md", ""}, {"3.5-24 absolute", "in-abs/a.md", ""}, {"3.5-24 absolute through a link", "in-skills", ""},
		{"3.5-25", "deep/f", ""}, {"S1-31 absent", "assets/new/x.png", ""}, {"S1-31 out and in again", "round/a.md", ""},
		{"S4-39", "out.txt", "path_escape"}, {"S4-40 target absent", "gone", ""}, {"S4-40 link to nothing outside", "gone-out", "path_escape"},
		{"S4-40 new file below a link", "gone-out/new.txt", "path_escape"}, {"above the root", "top/passwd", "path_escape"},
		{"up from a link is where that leads", "via", "path_escape"}, {"loop", "loop/x", "io_error"}, {"3.5-20", strings.Repeat("p", 512), ""},
		{"3.5-20 513", strings.Repeat("p", 513), "too_long"}, {"below a file", "in.md/x", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			for _, skill := range []string{"skills/pdf", "skills/abs", "store/pdf"} {
				base := filepath.Join(dir, skill)
				p, err := disk.Confine(base, c.rel)
				kindIs(t, err, c.kind)
				if err == nil && (p.Abs != filepath.Join(base, c.rel) || p.Rel != c.rel) {
					t.Errorf("C-16: place is %+v, not %s as written", p, c.rel)
				}
				if c.kind == "path_escape" && !strings.HasPrefix(c.rel, "..") {
					_, err := disk.Confine(base, c.rel, resource.Remote)
					kindIs(t, err, "")
				}
			}
		})
	}
	t.Run("S1-31 directory absent", func(t *testing.T) {
		for _, base := range []string{"none", "skills/dangling", "store/pdf/in.md"} {
			p, err := disk.Confine(filepath.Join(dir, base), "assets/x.png")
			if err != nil || p.Abs != filepath.Join(dir, base, "assets/x.png") {
				t.Errorf("%s: %+v, %v", base, p, err)
			}
		}
	})
	t.Run("C-15", func(t *testing.T) {
		_, err := disk.Confine(dir, ".")
		kindIs(t, err, "invalid_input")
		if p, err := disk.Confine(dir, "a/..", resource.Root); err != nil || p.Abs != dir {
			t.Errorf("place is %+v, %v", p, err)
		}
	})
}

func TestConfineIsAbsolute(t *testing.T) {
	dir := layOut(t, storeEntries())
	t.Chdir(dir)
	p, err := disk.Confine("skills/pdf", "in.md")
	if err != nil || p.Abs != filepath.Join(dir, "skills/pdf/in.md") {
		t.Errorf("place is %+v, %v", p, err)
	}
}

func TestListOnDisk(t *testing.T) {
	dir := layOut(t, storeEntries())
	f := disk.Open(filepath.Join(dir, "skills"))
	for _, skill := range []string{"pdf", "abs"} {
		list, findings, err := resource.List(f, skill, resource.Options{FollowLinks: true})
		if err != nil {
			t.Fatal(err)
		}
		var rels, said []string
		for _, r := range list {
			rels = append(rels, r.Rel)
			if again, err := resource.Stat(f, skill, r.Rel); err != nil || again != r || r.Abs != filepath.Join(dir, "skills", skill, filepath.FromSlash(r.Rel)) {
				t.Errorf("%+v is %+v when looked at, %v", r, again, err)
			}
			if raw, err := resource.Read(f, skill, r.Rel, 100); err != nil || int64(len(raw)) != r.Size || string(raw) == "secret" {
				t.Errorf("S1-41 %s: read %q, %v", r.Rel, raw, err)
			}
		}
		for _, found := range findings {
			said = append(said, found.Code+" "+strings.TrimPrefix(found.File, skill+"/"))
		}
		want := "deep/f in-abs/a.md in-abs/l/m/n in-skills in.md references/a.md references/l/m/n round/a.md round/l/m/n"
		if strings.Join(rels, " ") != want {
			t.Errorf("S1-40 listed %v", rels)
		}
		saying := "dangling_link gone; escaping_link gone-out; dangling_link loop; escaping_link out; escaping_link out.txt; escaping_link top; escaping_link via"
		if strings.Join(said, "; ") != saying {
			t.Errorf("S1-41 said %v", said)
		}
	}
}

func TestResourcesOnDisk(t *testing.T) {
	dir := layOut(t, storeEntries())
	f := disk.Open(filepath.Join(dir, "skills"))
	for _, c := range []struct{ id, rel, kind string }{
		{"S1-18", "references/a.md", ""}, {"S1-18 nope", "nope", "not_found"}, {"S1-18 directory", "references", "not_a_file"},
		{"S1-18 itself", ".", "not_a_file"}, {"S1-18 empty", "", "invalid_input"}, {"S1-18 up", "../../etc/passwd", "path_escape"},
		{"S1-35 ENOTDIR", "in.md/x", "not_a_file"}, {"S1-9", "gone", "not_found"}, {"S1-41", "out.txt", "path_escape"},
		{"3.5-24 absolute", "in-abs/a.md", ""}, {"3.5-20", strings.Repeat("p", 512), "not_found"}, {"3.5-26", "SKILL.md", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			_, err := resource.Stat(f, "pdf", c.rel)
			kindIs(t, err, c.kind)
			_, err = resource.Read(f, "pdf", c.rel, 1000)
			kindIs(t, err, c.kind)
		})
	}
}

// agree compares the verdicts on a path below base, whose real path is root, with filepath.EvalSymlinks, which knows only what is there:
// what it says is outside is refused, what it says is inside is admitted when the text of the path is fine. Files outside hold "out".
func agree(t *testing.T, base, root, rel string) {
	t.Helper()
	p, err := disk.Confine(base, rel)
	real, absent := filepath.EvalSymlinks(filepath.Join(base, rel))
	inside := absent == nil && strings.HasPrefix(real+"/", root+"/")
	if err == nil && absent == nil && !inside {
		t.Errorf("%q is admitted and leads to %q", rel, real)
	}
	if err == nil && p.Abs != filepath.Join(base, p.Rel) {
		t.Errorf("%q is at %q", rel, p.Abs)
	}
	if _, bad := disk.Confine(base, rel, resource.Remote); err != nil && bad == nil && inside {
		t.Errorf("%q leads to %q and is refused: %v", rel, real, err)
	}
	raw, err := resource.Read(disk.Open(base), ".", rel, 100)
	if string(raw) == "out" {
		t.Errorf("%q reads a file outside", rel)
	}
	if info, lost := os.Stat(real); inside && lost == nil && info.Mode().IsRegular() && err != nil && filepath.ToSlash(filepath.Clean(rel)) == p.Rel {
		t.Errorf("%q leads to the file %q and cannot be read: %v", rel, real, err)
	}
}

// fragments are parts of links and paths in the trees of TestConfineAgreesWithTheSystem.
func fragments() []string {
	return strings.Fields("a b l m n .. .. . f g x secret none $DIR $DIR/s/d $DIR/x d s")
}

func TestConfineAgreesWithTheSystem(t *testing.T) {
	random := rand.New(rand.NewSource(16))
	all := fragments()
	text := func(most int) string {
		parts := make([]string, 1+random.Intn(most))
		for i := range parts {
			parts[i] = all[random.Intn(len(all))]
		}
		return strings.Join(parts, "/")
	}
	few := resource.Options{FollowLinks: true, Limits: resource.Limits{Files: 40, Entries: 200}}
	for range 20 {
		dir := layOut(t, map[string]string{
			"x/secret": "out", "s/d/a/f": "f", "s/d/b/g": "g", "d": "-> s/d", "s/x/secret": "out",
			"s/d/l": "-> " + text(4), "s/d/a/m": "-> " + text(4), "s/d/b/n": "-> " + text(4),
		})
		for range 50 {
			agree(t, filepath.Join(dir, "d"), filepath.Join(dir, "s", "d"), strings.ReplaceAll(text(6), "$DIR", "l"))
		}
		list, _, err := resource.List(disk.Open(dir), "d", few)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if raw, err := resource.Read(disk.Open(dir), "d", r.Rel, 100); err != nil || string(raw) == "out" {
				t.Errorf("S1-41: listed %s and read %q, %v", r.Rel, raw, err)
			}
		}
	}
}

func FuzzConfine(f *testing.F) {
	f.Add("a/b", "../x", "l/x")
	f.Add("..", "a", "l/x/secret")
	f.Add("../../s", "l/../..", "a/m/d/a/f")
	f.Add("$DIR/s/d", "$DIR/x", "l/a/m/secret")
	f.Fuzz(func(t *testing.T, target1, target2, rel string) {
		dir := layOut(t, map[string]string{"x/secret": "out", "s/d/a/f": "f", "s/d/b/g": "g", "d": "-> s/d"})
		for name, target := range map[string]string{"s/d/l": target1, "s/d/a/m": target2} {
			if os.Symlink(strings.ReplaceAll(target, "$DIR", dir), filepath.Join(dir, name)) != nil {
				t.Skip()
			}
		}
		agree(t, filepath.Join(dir, "d"), filepath.Join(dir, "s", "d"), rel)
	})
}

func ExampleConfine() {
	place, err := disk.Confine("/srv/skills/pdf", "references/../forms.md")
	fmt.Println(place.Rel, filepath.ToSlash(place.Abs), err)
	_, err = disk.Confine("/srv/skills/pdf", "../other/SKILL.md")
	fmt.Println(err)
	// Output:
	// forms.md /srv/skills/pdf/forms.md <nil>
	// "../other/SKILL.md" leaves the directory of the skill
}

var _ interface {
	fs.ReadDirFS
	fs.StatFS
	fs.ReadLinkFS
} = (*disk.FS)(nil)
