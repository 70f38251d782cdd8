package links

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func link(target string) *fstest.MapFile {
	return &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(target)}
}

// counted counts the looks at a file system.
type counted struct {
	fstest.MapFS
	looks int
}

func (c *counted) Lstat(name string) (fs.FileInfo, error) {
	c.looks++
	return c.MapFS.Lstat(name)
}

func tree() fstest.MapFS {
	return fstest.MapFS{
		"a/b/file":   {Data: []byte("x")},
		"a/abs":      link("/a/b"),
		"a/rel":      link("b/file"),
		"a/up":       link("../a/./b//file"),
		"a/out":      link("../../x"),
		"a/dir":      link("b"),
		"a/gone":     link("b/nothing/../other"),
		"a/self":     link("self"),
		"a/ping":     link("pong"),
		"a/pong":     link("ping"),
		"a/windows":  link(`C:\x`),
		"a/long":     link(strings.Repeat("b/../", 1000) + "b"),
		"a/chain":    link("chain1"),
		"a/chain1":   link("dir/../dir"),
		"a/modules":  {Mode: fs.ModeIrregular},
		"a/junction": {Mode: fs.ModeIrregular},
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name, want string
		err        error
		whole      string // with the whole machine, where that differs
	}{
		{name: ".", want: "."},
		{name: "a/b/file", want: "a/b/file"},
		{name: "./a//b/./file", want: "a/b/file"},
		{name: "a/rel", want: "a/b/file"},
		{name: "a/up", want: "a/b/file"},
		{name: "a/dir/file", want: "a/b/file"},
		{name: "a/dir/../b", want: "a/b"},
		{name: "a/chain", want: "a/b"},
		{name: "a/gone", want: "a/b/other"},
		{name: "a/gone/below", want: "a/b/other/below"},
		{name: "a/no/such/../file", want: "a/no/file"},
		{name: "a/rel/below/that", want: "a/b/file/below/that"},
		{name: "a/rel/../file", want: "a/b/file"},
		{name: "a/modules/x", want: "a/modules/x"},
		{name: "a/abs/file", err: ErrEscape, whole: "a/b/file"},
		{name: "a/out", err: ErrEscape, whole: "x"},
		{name: "..", err: ErrEscape, whole: "."},
		{name: "a/self", err: ErrLoop},
		{name: "a/ping/x", err: ErrLoop},
		{name: "a/windows", err: ErrEscape, whole: `a/C:\x`},
		{name: "a/long", err: fs.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Resolve(tree(), c.name, false)
			if got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v, want %q, %v", got, err, c.want, c.err)
			}
			if c.whole == "" {
				return
			}
			if got, err := Resolve(tree(), c.name, true); got != c.whole || err != nil {
				t.Errorf("whole: got %q, %v, want %q", got, err, c.whole)
			}
		})
	}
}

// Two links each could double the way at every one of forty hops.
func TestLooksAreBounded(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 60 {
		files[fmt.Sprintf("l%d", i)] = link(fmt.Sprintf("l%d/../l%d", i+1, i+1))
	}
	c := &counted{MapFS: files}
	if _, err := Resolve(c, "l0", false); !errors.Is(err, ErrLoop) {
		t.Errorf("error is %v", err)
	}
	if c.looks > 2*maxHops {
		t.Errorf("%d looks for %d links", c.looks, maxHops)
	}
}

// unreadable is a file system that does not tell.
type unreadable struct{ fstest.MapFS }

func (unreadable) Lstat(string) (fs.FileInfo, error) { return nil, fs.ErrPermission }

func (u unreadable) ReadLink(string) (string, error) { return "", fs.ErrPermission }

// mute knows links and not where they lead.
type mute struct{ fstest.MapFS }

func (mute) ReadLink(string) (string, error) { return "", fs.ErrPermission }

// junctions reads an irregular file as Windows reads a junction.
type junctions struct{ fstest.MapFS }

func (j junctions) ReadLink(name string) (string, error) {
	if name == "a/junction" {
		return "/elsewhere", nil
	}
	return j.MapFS.ReadLink(name)
}

func TestWhatTheFileSystemSays(t *testing.T) {
	for _, fsys := range []fs.FS{unreadable{tree()}, mute{tree()}} {
		if _, err := Resolve(fsys, "a/rel", false); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%T: error is %v", fsys, err)
		}
	}
	if got, err := Resolve(junctions{tree()}, "a/junction/x", true); got != "elsewhere/x" || err != nil {
		t.Errorf("through a junction: %q, %v", got, err)
	}
	if _, err := Resolve(junctions{tree()}, "a/junction/x", false); !errors.Is(err, ErrEscape) {
		t.Errorf("out through a junction: %v", err)
	}
	_, err := Resolve(tree(), "a/out", false)
	if want := `the link "a/out" to "../../x" leads out of the file system`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		want      bool
	}{
		{".", "a", true}, {"a", "a", true}, {"a", "a/b", true}, {"a", "ab", false}, {"a/b", "a", false},
		{"/s/pdf", "/s/pdf-evil/x", false}, {"/s/pdf", "/s/pdf/x", true}, {"/", "/x", true}, {"C:/", "C:/x", true}, {"C:/a", "D:/a", false},
	} {
		if got := Within(c.dir, c.name); got != c.want {
			t.Errorf("%q in %q: %v", c.name, c.dir, got)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("a/b", "../x", "b", "a/l/x")
	f.Add("l", "m/../l", "l/x/..", "l")
	f.Fuzz(func(t *testing.T, target1, target2, target3, name string) {
		c := &counted{MapFS: fstest.MapFS{"a/b/c": {}, "a/l": link(target1), "a/m": link(target2), "l": link(target3), "m": link("a/m")}}
		got, err := Resolve(c, name, false)
		if c.looks > (maxHops+1)*(maxTarget+len(name)) {
			t.Errorf("%d looks", c.looks)
		}
		if err != nil {
			return
		}
		if !fs.ValidPath(got) && strings.ToValidUTF8(got, "") == got {
			t.Errorf("%q leads to %q, which is no path", name, got)
		}
		if again, err := Resolve(c, got, false); err != nil || again != got {
			t.Errorf("%q leads to %q and that to %q, %v", name, got, again, err)
		}
	})
}
