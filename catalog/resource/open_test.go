package resource

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestOneResource(t *testing.T) {
	for _, c := range []struct{ id, rel, kind string }{
		{"S1-18", "scripts/run.sh", ""}, {"S1-18 nope", "nope", "not_found"}, {"S1-18 directory", "scripts", "not_a_file"},
		{"S1-18 itself", ".", "not_a_file"}, {"S1-18 empty", "", "invalid_input"}, {"S1-18 absolute", "/etc/passwd", "invalid_input"},
		{"S1-18 up", "../../etc/passwd", "path_escape"}, {"S1-18 pipe", "pipe", "not_a_file"},
		{"S1-35 below a file", "in.md/x/y", "not_a_file"}, {"S1-41", "out/x", "path_escape"}, {"S1-41 to a directory", "out", "path_escape"},
		{"S1-9", "gone", "not_found"}, {"3.5-21", "references/", "not_a_file"}, {"3.5-24", "in.md", ""}, {"3.5-26", "SKILL.md", ""},
		{"3.5-28", "REFERENCES/A.MD", "not_found"}, {"3.5-7", "a/..", "not_a_file"}, {"3.5-14", "a\x00b", "invalid_input"},
		{"link to the directory", "references/back", "not_a_file"}, {"loop", "loop", "io_error"}, {"through a link", "round/a.md", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			_, err := Stat(store(), "pdf", c.rel)
			want(t, err, c.kind, c.rel)
			f, err := Open(store(), "pdf", c.rel)
			want(t, err, c.kind, c.rel)
			if err == nil {
				f.Close()
			}
			_, err = Read(store(), "pdf", c.rel, 1000)
			want(t, err, c.kind, c.rel)
		})
	}
}

func TestReadIsBounded(t *testing.T) {
	fsys := fstest.MapFS{"s/f": file("12345")}
	if raw, err := Read(fsys, "s", "f", 5); string(raw) != "12345" || err != nil {
		t.Errorf("read %q, %v", raw, err)
	}
	_, err := Read(fsys, "s", "f", 4)
	want(t, err, "too_large", "f")
	endless := zeros{fsys}
	_, err = Read(endless, "s", "f", 100)
	want(t, err, "too_large", "f")
}

// zeros has files that go on for ever, whatever size is told.
type zeros struct{ fstest.MapFS }

func (z zeros) Open(name string) (fs.File, error) {
	f, err := z.MapFS.Open(name)
	return zero{f}, err
}

type zero struct{ fs.File }

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// failing has files that cannot be read, after they could be looked at.
type failing struct {
	fstest.MapFS
	open, read, stat error
}

func (f failing) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	return failingFile{file, f}, errors.Join(err, f.open)
}

type failingFile struct {
	fs.File
	f failing
}

func (f failingFile) Read([]byte) (int, error)   { return 0, f.f.read }
func (f failingFile) Stat() (fs.FileInfo, error) { return nil, f.f.stat }

func TestFilesThatFail(t *testing.T) {
	files := fstest.MapFS{"s/f": file("x")}
	for _, c := range []struct {
		fsys failing
		kind string
	}{
		{failing{MapFS: files, open: fs.ErrPermission}, "io_error"},
		{failing{MapFS: files, open: fs.ErrNotExist}, "not_found"},
		{failing{MapFS: files, stat: fs.ErrClosed}, "not_a_file"},
	} {
		_, err := Open(c.fsys, "s", "f")
		want(t, err, c.kind, "f")
	}
	_, err := Read(readFails{files}, "s", "f", 10)
	want(t, err, "io_error", "f")
}

type readFails struct{ fstest.MapFS }

func (r readFails) Open(name string) (fs.File, error) {
	f, err := r.MapFS.Open(name)
	return readFailsFile{f}, err
}

type readFailsFile struct{ fs.File }

func (readFailsFile) Read([]byte) (int, error) { return 0, fs.ErrPermission }

func TestOpenAsksTheFileSystemForASafeWay(t *testing.T) {
	var asked [2]string
	disk := onDisk{MapFS: store(), opened: func(dir, name string) { asked = [2]string{dir, name} }}
	raw, err := Read(disk, "pdf", "round/a.md", 100)
	if err != nil || string(raw) != "a" || asked != [2]string{"pdf", "references/a.md"} {
		t.Errorf("read %q, %v by %q", raw, err, asked)
	}
}
