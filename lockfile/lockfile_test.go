package lockfile_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	burntsushi "github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skills/lockfile"
)

const (
	commit = "9d2f1ae1d0a59d2f1ae1d0a59d2f1ae1d0a5ffff"
	tree   = "5f1c5f1c5f1c5f1c5f1c5f1c5f1c5f1c5f1c5f1c"
	hash   = "s1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" // SHA-256 of nothing (FIPS 180-4)
	digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

const whole = `version = 1

[[skill]]
name = "notes"
hash = "` + hash + `"

[[skill]]
name = "pdf"
source = "https://github.com/anthropics/skills"
path = "skills/pdf"
ref = "main"
resolved = "refs/heads/main"
commit = "` + commit + `"
tree = "` + tree + `"
hash = "` + hash + `"
license = "Apache-2.0"
skill = "docs:pdf"

[[skill]]
name = "tide-4.2"
source = "https://example.com/pack.tar.gz"
hash = "` + hash + `"
digest = "` + digest + `"
`

func wholeSkills() []lockfile.Skill {
	return []lockfile.Skill{
		{Name: "notes", Hash: hash},
		{Name: "pdf", Source: "https://github.com/anthropics/skills", Path: "skills/pdf", Ref: "main", Resolved: "refs/heads/main",
			Commit: commit, Tree: tree, Hash: hash, License: "Apache-2.0", Skill: "docs:pdf"},
		{Name: "tide-4.2", Source: "https://example.com/pack.tar.gz", Hash: hash, Digest: digest},
	}
}

func ExampleParse() {
	l, err := lockfile.Parse([]byte("version = 2\n"), "skills.lock")
	fmt.Println(l, err)
	fmt.Println(err.(*lockfile.Error).Code())
	// Output:
	// <nil> skills.lock:1: version 2 of the lock is newer than version 1, which this program reads
	// lock_newer
}

func ExampleLock_Put() {
	l := lockfile.New()
	err := l.Put(lockfile.Skill{Name: "pdf", Source: "https://github.com/o/r", Path: "skills/pdf", Ref: "v1",
		Commit: strings.Repeat("0", 40), Hash: "s1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="})
	fmt.Print(string(l.Bytes()), err)
	// Output:
	// version = 1
	//
	// [[skill]]
	// name = "pdf"
	// source = "https://github.com/o/r"
	// path = "skills/pdf"
	// ref = "v1"
	// commit = "0000000000000000000000000000000000000000"
	// hash = "s1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	// <nil>
}

func TestWholeLockIsWrittenInOneWay(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}
	for _, order := range orders {
		l := lockfile.New()
		for _, i := range order {
			put(t, l, wholeSkills()[i])
		}
		if diff := cmp.Diff(whole, string(l.Bytes())); diff != "" {
			t.Error(diff)
		}
	}
	if got := string(lockfile.New().Bytes()); got != "version = 1\n" {
		t.Errorf("empty lock: %q", got)
	}
}

func TestWholeLockIsReadBack(t *testing.T) {
	for name, text := range map[string]string{
		"lf": whole, "crlf": strings.ReplaceAll(whole, "\n", "\r\n"), "comments": "# ours\n" + strings.ReplaceAll(whole, "\n\n", "\n# c\n\n\n"),
		"aligned and out of order": "version=1\n" + strings.ReplaceAll(reversed(whole), " = ", "   = "), "bom": "\uFEFF" + whole,
	} {
		l := parse(t, text)
		if diff := cmp.Diff(wholeSkills(), l.Skills(), cmpopts.IgnoreUnexported(lockfile.Skill{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := string(l.Bytes()); got != whole {
			t.Errorf("%s: written as %q", name, got)
		}
	}
}

// reversed gives the tables from last to first.
func reversed(text string) string {
	tables := strings.Split(strings.TrimSuffix(text, "\n"), "\n\n")[1:]
	slices.Reverse(tables)
	return strings.Join(tables, "\n\n") + "\n"
}

func TestNamesAreSortedByBytes(t *testing.T) {
	l := lockfile.New()
	for _, name := range []string{"b", "代码", "B2", "a-b", "a", "a.b", "\u00e9"} {
		put(t, l, lockfile.Skill{Name: name, Hash: hash})
	}
	var got []string
	for _, s := range l.Skills() {
		got = append(got, s.Name)
	}
	if want := []string{"B2", "a", "a-b", "a.b", "b", "\u00e9", "代码"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRemoveTakesTheTableAway(t *testing.T) {
	l := parse(t, whole)
	if !l.Remove("pdf") || l.Remove("pdf") || l.Remove("none") {
		t.Error("wrong report")
	}
	if _, found := l.Get("pdf"); found || strings.Contains(string(l.Bytes()), "pdf") || len(l.Skills()) != 2 {
		t.Errorf("still there: %s", l.Bytes())
	}
}

func TestPutReplacesByName(t *testing.T) {
	l := parse(t, whole)
	s, found := l.Get("pdf")
	if !found {
		t.Fatal("not found")
	}
	s.Ref, s.License = "v2", ""
	put(t, l, s)
	want := strings.Replace(strings.Replace(whole, `ref = "main"`, `ref = "v2"`, 1), "license = \"Apache-2.0\"\n", "", 1)
	if diff := cmp.Diff(want, string(l.Bytes())); diff != "" {
		t.Error(diff)
	}
}

const unknown = `version = 1
revision = 7
list = [
  1, # one
]

[meta]
x.y = 2024-01-02

[meta.more] # kept
z = '''
a
'''

[[skill]]
name = "a"
hash = "` + hash + `"
signer = { key = "k" }
audit.high = 0

[skill.accepted]
code = "x" # why

[[skill.accepted.list]]
n = 1.5

[[skill]]
name = "b"
hash = "` + hash + `"
`

func TestUnknownKeysAreKept(t *testing.T) {
	l := parse(t, unknown)
	if diff := cmp.Diff(unknown, string(l.Bytes())); diff != "" {
		t.Fatal(diff)
	}
	if got := string(parse(t, strings.ReplaceAll(unknown, "\n", "\r\n")).Bytes()); got != unknown {
		t.Errorf("crlf: %q", got)
	}
	put(t, l, lockfile.Skill{Name: "a", Hash: hash, License: "MIT"})
	put(t, l, lockfile.Skill{Name: "a0", Hash: hash})
	l.Remove("b")
	want := strings.Replace(unknown, "signer", "license = \"MIT\"\nsigner", 1)
	want = strings.Replace(want, `name = "b"`, `name = "a0"`, 1)
	if diff := cmp.Diff(want, string(l.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownTablesGoWithTheirSkillWhereverTheyStand(t *testing.T) {
	text := "version = 1\n[[skill]]\nname = 'b'\nhash = '" + hash + "'\n[meta]\nm = 1\n[skill.x]\nk = 2\n[[skill]]\nhash = '" + hash + "'\nname = 'a'\nz = 3\n"
	want := "version = 1\n\n[meta]\nm = 1\n\n[[skill]]\nname = \"a\"\nhash = \"" + hash + "\"\nz = 3\n\n[[skill]]\nname = \"b\"\nhash = \"" + hash + "\"\n\n[skill.x]\nk = 2\n"
	if diff := cmp.Diff(want, string(parse(t, text).Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestOtherReadersReadTheSame(t *testing.T) {
	odd := lockfile.Skill{Name: "a b", Source: `./dir "x"`, Path: "d\u00e9mo/devicon:x", Ref: "^1.2 || >=3", Hash: hash, License: "see\nLICENSE\t\u202E", Skill: "../../evil"}
	l := lockfile.New()
	put(t, l, odd)
	var file struct {
		Version int
		Skill   []map[string]string
	}
	if err := burntsushi.Unmarshal(l.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{{"name": odd.Name, "source": odd.Source, "path": odd.Path, "ref": odd.Ref, "hash": hash, "license": odd.License, "skill": odd.Skill}}
	if file.Version != 1 || !reflect.DeepEqual(file.Skill, want) {
		t.Errorf("got %+v", file)
	}
}

func put(t *testing.T, l *lockfile.Lock, s lockfile.Skill) {
	t.Helper()
	if err := l.Put(s); err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, text string) *lockfile.Lock {
	t.Helper()
	l, err := lockfile.Parse([]byte(text), "skills.lock")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return l
}

// FuzzParse: no text makes it panic, every fault has a line, and what is admitted is written so that it reads back equal, in this
// reader and in another.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{whole, unknown, "version = 1", "version = 2", "", "version = 1\nskill = []", "version=1\n[skill]\nname='a'",
		"version=1\n<<<<<<< a\n", "version=1\n[[skill]]\nname='..'", "version=1\n[[skill.x]]\n", strings.ReplaceAll(unknown, "\n", "\r\n")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := lockfile.Parse(data, "skills.lock")
		if err != nil {
			var e *lockfile.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Code() == "" || len(e.Hints()) != 1 {
				t.Fatalf("%q: error %#v", data, err)
			}
			return
		}
		text := l.Bytes()
		again, err := lockfile.Parse(text, "skills.lock")
		if err != nil || !reflect.DeepEqual(again, l) {
			t.Fatalf("%q is written as %q and reads as %+v, %v", data, text, again, err)
		}
		if string(again.Bytes()) != string(text) {
			t.Fatalf("%q is written as %q and then as %q", data, text, again.Bytes())
		}
		before, after := map[string]any{}, map[string]any{}
		if burntsushi.Unmarshal(data, &before) != nil || burntsushi.Unmarshal(text, &after) != nil || len(before) != len(after) {
			t.Fatalf("%q and %q differ for another reader", data, text)
		}
	})
}
