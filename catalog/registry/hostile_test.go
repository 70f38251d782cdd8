package registry

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/catalog"
)

// odd is a file system whose files and directories are not what they say.
type odd struct {
	fstest.MapFS
	blocked bool // a pipe was opened
}

func (f *odd) Open(name string) (fs.File, error) {
	if file := f.MapFS[name]; file != nil && file.Mode&fs.ModeNamedPipe != 0 {
		f.blocked = true
	}
	file, err := f.MapFS.Open(name)
	switch {
	case name == "broken":
		return unlistable{file}, err
	case name == "cut":
		return cutShort{file.(fs.ReadDirFile)}, err
	case name == "unread/SKILL.md":
		return unlistable{file}, err
	case name == "vanished/SKILL.md":
		return nil, fs.ErrNotExist
	}
	return file, err
}

// unlistable is a file that can be neither read nor listed.
type unlistable struct{ fs.File }

func (unlistable) Read([]byte) (int, error) { return 0, fs.ErrInvalid }

// cutShort is a directory that fails in the middle of its listing.
type cutShort struct{ fs.ReadDirFile }

func (c cutShort) ReadDir(int) ([]fs.DirEntry, error) {
	entries, _ := c.ReadDirFile.ReadDir(-1)
	return entries, io.ErrUnexpectedEOF
}

func TestHostileRoots(t *testing.T) {
	t.Run("S1-18 pipes", func(t *testing.T) {
		files := &odd{MapFS: tree(map[string]string{"ok/SKILL.md": skill("ok")})}
		for _, name := range []string{"pipe", "a/SKILL.md", "ok/in"} {
			files.MapFS[name] = &fstest.MapFile{Mode: fs.ModeNamedPipe | 0o644}
		}
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		r.want(t, []string{"ok"}, []string{"not_a_file /R/a/SKILL.md"})
		c, _ := r.Get("ok")
		_, err := r.Resource("ok", "in")
		if e := fault(t, err); len(c.Resources) > 0 || e.Kind != "not_a_file" || files.blocked {
			t.Errorf("resources are %v, error %v, opened %v", c.Resources, err, files.blocked)
		}
		strict := Defaults(Root{FS: files, Path: "/R"})
		strict.Strict = true
		_, err = Discover(t.Context(), strict)
		if e := fault(t, err); e.Kind != "not_a_file" || e.Path != "/R/a/SKILL.md" {
			t.Errorf("error is %#v", e)
		}
	})
	t.Run("S1-6 faults of the disk", func(t *testing.T) {
		files := &odd{MapFS: tree(map[string]string{"ok/SKILL.md": skill("ok"), "broken/SKILL.md": skill("broken"), "cut/SKILL.md": skill("cut"), "unread/SKILL.md": skill("unread"), "vanished/SKILL.md": skill("vanished")})}
		discover(t, Defaults(Root{FS: files, Path: "/R"})).want(t, []string{"ok"}, []string{"io_error /R/broken", "io_error /R/cut", "io_error /R/unread/SKILL.md", "not_found /R/vanished/SKILL.md"})
	})
	t.Run("S1-16 gone", func(t *testing.T) {
		files := tree(map[string]string{"a/SKILL.md": skill("a")})
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		delete(files, "a/SKILL.md")
		c, there := r.Get("a")
		if !there || c.Body != "Body of a." || len(c.Resources) > 0 {
			t.Errorf("content is %+v", c)
		}
		if got := r.codes(); !slices.Equal(got, []string{"io_error /R/a"}) {
			t.Errorf("told was %q", got)
		}
	})
	t.Run("S1-45 a huge directory of a skill", func(t *testing.T) {
		files := tree(map[string]string{"a/zzz": "", "a/skill.md": skill("a")})
		for n := range 5_000 {
			files[fmt.Sprintf("a/%04d", n)] = &fstest.MapFile{}
		}
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		r.want(t, []string{"a"}, []string{})
		if c, _ := r.Get("a"); len(c.Resources) > 1_024 || !strings.HasPrefix(r.codes()[0], "limit ") {
			t.Errorf("there are %d resources", len(c.Resources))
		}
	})
	t.Run("S1-9 loops", func(t *testing.T) {
		files := tree(map[string]string{"a -> b": "", "b -> a": "", "c -> .": "", "s/SKILL.md": skill("s"), "s/up -> ..": "", "s/self -> .": "", "s/a/b -> ..": "", "out -> /etc": ""})
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		r.want(t, []string{"s"}, []string{"dangling_link /R/a", "dangling_link /R/b", "dangling_link /R/out"})
		if c, _ := r.Get("s"); len(c.Resources) > 0 {
			t.Errorf("resources are %+v", c.Resources)
		}
	})
	t.Run("hostile names", func(t *testing.T) {
		files := tree(map[string]string{"a\nb/SKILL.md": skill("x"), "-rf/SKILL.md": skill("y"), "c\x1b[2J/SKILL.md": skill("x"), "d\x1b/SKILL.md": "x", "d\x1b/skill.md": skill("z")})
		r := discover(t, Defaults(Root{FS: files, Path: "/R"}))
		if r.Size() != 2 {
			t.Errorf("skills are %q", namesOf(r.List()))
		}
		for _, f := range r.Findings() {
			if strings.ContainsFunc(f.Message, func(c rune) bool { return c < ' ' }) {
				t.Errorf("message is %q", f.Message)
			}
		}
	})
	t.Run("nobody is told", func(t *testing.T) {
		r, err := Discover(t.Context(), Defaults(Root{FS: tree(map[string]string{"a/SKILL.md": "x"}), Path: "/R"}))
		if err != nil || len(r.Findings()) != 1 {
			t.Errorf("%v, %v", r.Findings(), err)
		}
	})
}

// TestEveryProfile holds that a registry works under all rules.
func TestEveryProfile(t *testing.T) {
	const kept = "    code\n\nend  "
	for profile, c := range map[catalog.Profile]struct{ name, body string }{
		catalog.ProfileInstall: {"any.name", kept}, catalog.ProfileSpec: {"plain", "code\n\nend"}, catalog.ProfileSkillKit: {"a:b", "code\n\nend"},
		catalog.ProfileClarvis: {"Any.Name", "code\n\nend"}, catalog.ProfileSmarter: {"plain", kept}, catalog.ProfileZidane: {"plain", "code\n\nend"},
	} {
		name, want := c.name, c.body
		t.Run("S1-20 C-6 "+string(profile), func(t *testing.T) {
			directory := strings.ReplaceAll(name, ":", "_")
			c := Defaults(Root{FS: tree(map[string]string{directory + "/SKILL.md": doc(name, "d", "\n    code\n\nend  \n\n")}), Path: "/R"})
			c.Rules.Profile = profile
			r := discover(t, c)
			r.want(t, []string{name}, []string{})
			if c, _ := r.Get(name); c.Body != want {
				t.Errorf("body is %q, want %q", c.Body, want)
			}
		})
	}
}
