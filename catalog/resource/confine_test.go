package resource

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(target)}
}

// store is a directory of skills, one of them a link, with links that lead everywhere.
func store() fstest.MapFS {
	return fstest.MapFS{
		"pdf":                          link("store/pdf"),
		"store/pdf/SKILL.md":           file("---\nname: pdf\ndescription: d\n---\n"),
		"store/pdf/references/a.md":    file("a"),
		"store/pdf/in.md":              link("references/a.md"),
		"store/pdf/round":              link("../pdf/references"),
		"store/pdf/out":                link("../../elsewhere"),
		"store/pdf/far":                link("../../../elsewhere"),
		"store/pdf/abs":                link("/etc/passwd"),
		"store/pdf/gone":               link("references/new.md"),
		"store/pdf/gone-out":           link("../new.md"),
		"store/pdf/loop":               link("loop"),
		"store/pdf/pipe":               {Mode: fs.ModeNamedPipe | 0o644},
		"store/pdf/scripts/run.sh":     {Mode: 0o755, Data: []byte("#!/bin/sh\n")},
		"store/pdf/references/back":    link(".."),
		"store/pdf-evil/x":             file("evil"),
		"elsewhere/x":                  file("not of the skill"),
		"store/pdf/references/deep.md": link("../out/x"),
	}
}

func TestConfineByText(t *testing.T) {
	for _, c := range pathCases() {
		t.Run(c.id, func(t *testing.T) {
			clean, kind := c.clean, c.kind
			if c.written != "" {
				clean = c.written
			}
			if c.writtenKind != "" {
				clean, kind = "", c.writtenKind
			}
			for _, o := range []Option{0, Remote} {
				p, err := Confine(fstest.MapFS{}, "s/pdf", c.rel, o)
				want(t, err, kind, c.rel)
				if p.Rel != clean || kind == "" && p.Path != "s/pdf/"+clean {
					t.Errorf("%q is %q at %q, want %q", c.rel, p.Rel, p.Path, clean)
				}
			}
		})
	}
}

func TestConfineThroughLinks(t *testing.T) {
	for _, c := range []struct{ id, dir, rel, kind string }{
		{"3.5-22", "pdf", "out/y", "path_escape"},
		{"3.5-23", "pdf", "out/x", "path_escape"},
		{"3.5-24", "pdf", "in.md", ""},
		{"3.5-25", "pdf", "references/a.md", ""},
		{"3.5-25 a directory that is none", "store/pdf", "references/a.md", ""},
		{"S1-31 absent", "pdf", "assets/new/x.png", ""},
		{"S1-31 directory absent", "nope", "assets/x.png", ""},
		{"S1-31 out of the file system", "pdf", "far/x", "path_escape"},
		{"S1-31 out and in again", "pdf", "round/a.md", ""},
		{"S1-31 link in a directory", "pdf", "references/deep.md", "path_escape"},
		{"S4-39", "pdf", "abs", "path_escape"},
		{"S4-40 link to nothing inside", "pdf", "gone", ""},
		{"S4-40 link to nothing outside", "pdf", "gone-out", "path_escape"},
		{"S4-40 below a link to nothing outside", "pdf", "gone-out/x", "path_escape"},
		{"loop", "pdf", "loop/x", "io_error"},
		{"back to the directory", "pdf", "references/back/in.md", ""},
		{"a pipe is a place", "pdf", "pipe", ""},
		{"below a file", "pdf", "in.md/x", ""},
		{"not a path", "../pdf", "x", "invalid_input"},
		{"not clean", "pdf/../pdf", "x", "invalid_input"},
	} {
		t.Run(c.id, func(t *testing.T) {
			p, err := Confine(store(), c.dir, c.rel)
			want(t, err, c.kind, c.rel)
			if err == nil && (p.Rel != c.rel || p.Path != c.dir+"/"+c.rel || p.Abs != p.Path) {
				t.Errorf("place is %+v, which is not as written", p)
			}
			if err == nil || c.kind != "path_escape" {
				return
			}
			if p, err := Confine(nil, c.dir, c.rel, Remote); err != nil || p.Rel != c.rel {
				t.Errorf("by the text alone: %+v, %v", p, err)
			}
		})
	}
}

// TestConfineAsOtherSystemsDo has the columns of the systems whose answers differ from this module's own.
func TestConfineAsOtherSystemsDo(t *testing.T) {
	for _, c := range []struct {
		id, dir, rel string
		o            Option
		abs, kind    string
	}{
		{"C-15", "s/pdf", ".", 0, "", "invalid_input"},
		{"C-15 clarvis", "s/pdf", ".", Root, "s/pdf", ""},
		{"S1-31 a/..", "s/pdf", "a/..", Root, "s/pdf", ""},
		{"S1-31 empty", "s/pdf", "", Root, "", "invalid_input"},
		{"S1-31 up", "s/pdf", "..", Root, "", "path_escape"},
		{"C-16 S4-38", "/s/pdf", "a/../b", Remote, "/s/pdf/b", ""},
		{"S4-38 itself", "/s/pdf", "a/..", Remote, "", "invalid_input"},
		{"S4-40 base is elsewhere", "/nowhere/pdf", "a.md", Remote, "/nowhere/pdf/a.md", ""},
		{"C-17", "pdf", "out/x", Remote, "pdf/out/x", ""},
		{"C-17 both", "/s/pdf", ".", Remote | Root, "/s/pdf", ""},
		{"S1-8 link", "pdf", "in.md", NoLinks, "", "not_found"},
		{"S1-8 through a link", "pdf", "round/a.md", NoLinks, "", "not_found"},
		{"S1-8 no link", "pdf", "references/a.md", NoLinks, "pdf/references/a.md", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			p, err := Confine(store(), c.dir, c.rel, c.o)
			want(t, err, c.kind, c.rel)
			if p.Abs != c.abs {
				t.Errorf("is %q, want %q", p.Abs, c.abs)
			}
		})
	}
}

func TestConfineInAllOfTheFileSystem(t *testing.T) {
	for _, dir := range []string{"", "."} {
		p, err := Confine(store(), dir, "pdf/in.md")
		if err != nil || p.Path != "pdf/in.md" || p.inner != "store/pdf/references/a.md" {
			t.Errorf("in %q: %+v, %v", dir, p, err)
		}
		_, err = Confine(store(), dir, "pdf/far/x")
		want(t, err, "path_escape", "pdf/far/x")
	}
}

func TestConfineNotesAHomeThatIsNone(t *testing.T) {
	for rel, noted := range map[string]bool{"~/x": true, "~": true, "~bob/x": false, "a/~/x": false} {
		t.Run("3.5-18 "+rel, func(t *testing.T) {
			p, err := Confine(store(), "pdf", rel)
			if err != nil || (p.Note != "") != noted {
				t.Errorf("note is %q, %v", p.Note, err)
			}
		})
	}
}

func TestConfineSaysWhere(t *testing.T) {
	disk := onDisk{MapFS: store()}
	_, err := Confine(disk, "pdf", "out/x")
	if err == nil || !strings.Contains(err.Error(), `"out/x" escapes from the skill: it leads to "/m/elsewhere/x"`) {
		t.Errorf("error is %v", err)
	}
	_, err = Confine(store(), "pdf", "far/x")
	if err == nil || !strings.Contains(err.Error(), `"../../../elsewhere" leads out`) {
		t.Errorf("error is %v", err)
	}
	_, err = Confine(store(), "pdf", "loop")
	if err == nil || !strings.Contains(err.Error(), `"loop" leads back to itself`) {
		t.Errorf("error is %v", err)
	}
	var e *catalog.Error
	if _, err = Confine(disk, "pdf", "../x"); !errors.As(err, &e) || e.ExitStatus() != 4 {
		t.Errorf("an escape is no refusal: %v", err)
	}
}

// onDisk is a file system that knows where on a disk it lies: the directory /m.
type onDisk struct {
	fstest.MapFS
	opened func(dir, name string)
}

func (d onDisk) Abs(name string) string { return path.Join("/m", name) }

func (d onDisk) RealPath(name string) (string, error) {
	real, err := resolve(d.MapFS, name)
	return path.Join("/m", real), err
}

func (d onDisk) OpenIn(dir, name string) (fs.File, error) {
	if d.opened != nil {
		d.opened(dir, name)
	}
	return d.MapFS.Open(path.Join(dir, name))
}

// resolve follows links of a flat sort: each is tried as the front of the name until none fits.
func resolve(files fstest.MapFS, name string) (string, error) {
	for range 100 {
		before := name
		for at, f := range files {
			if rest, ok := strings.CutPrefix(name+"/", at+"/"); ok && f.Mode&fs.ModeSymlink != 0 {
				name = path.Join(path.Dir(at), string(f.Data), rest)
			}
		}
		if name == before {
			return name, nil
		}
	}
	return "", errors.New("too many links")
}

func TestConfineOnDiskIsAbsoluteAndAsWritten(t *testing.T) {
	p, err := Confine(onDisk{MapFS: store()}, "pdf", "./round/a.md")
	if err != nil || p.Abs != "/m/pdf/round/a.md" || p.Path != "pdf/round/a.md" || p.Rel != "round/a.md" {
		t.Errorf("place is %+v, %v", p, err)
	}
	if p.from != "pdf/references/a.md" || p.inner != "references/a.md" {
		t.Errorf("the way without links is %q, %q", p.from, p.inner)
	}
}

func FuzzConfine(f *testing.F) {
	f.Add("a/b", "../x", "l/x")
	f.Add("..", "a", "l/a")
	f.Add("../../s", "l/../..", "a/m")
	f.Fuzz(func(t *testing.T, target1, target2, rel string) {
		fsys := fstest.MapFS{"s/d/l": link(target1), "s/d/a/m": link(target2), "s/d/a/f": file("x"), "s/x": file("out"), "d": link("s/d")}
		p, err := Confine(fsys, "d", rel)
		var e *catalog.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("error is %v", err)
		}
		if err == nil && (!strings.HasPrefix(p.from+"/", "s/d/") || !fs.ValidPath(p.Rel) || p.Path != "d/"+p.Rel) {
			t.Errorf("%q is admitted as %+v", rel, p)
		}
		// What the file system itself opens at the place that was found is never the file outside.
		if raw, err := Read(fsys, "d", rel, 10); err == nil && string(raw) == "out" {
			t.Errorf("%q reads a file outside", rel)
		}
	})
}
