package catalog

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// sample is a skill with every kind of entry that a digest or a tree id sees.
func sample() map[string]string {
	return map[string]string{
		"SKILL.md": skill("pdf", "P"), "scripts/run.sh [exec]": "#!/bin/sh\necho hi\n", "scripts/a.py": "", "scripts.md": "sorts before scripts/ as a name",
		"scripts-x/y": "y", "größe.md": "x\r\n", "a b/c d": "\x00\xff", "link [link]": "scripts/a.py", "Z": "z", "deep/er/and/er": "d", "scripts0": "0",
	}
}

// onDisk writes a tree to a directory.
func onDisk(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name, tags := cutTags(name)
		at := filepath.Join(dir, name)
		mode := fs.FileMode(0o644)
		if slices.Contains(tags, "exec") {
			mode = 0o755
		}
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		switch {
		case err != nil:
		case slices.Contains(tags, "link"):
			err = os.Symlink(text, at)
		case slices.Contains(tags, "dir"):
			err = os.MkdirAll(at, 0o755)
		default:
			err = os.WriteFile(at, []byte(text), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func shell(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// The digest against the same rule written with sha256sum, sort and openssl.
func TestDigestAgreesWithAShellPipeline(t *testing.T) {
	files := sample()
	delete(files, "link [link]")
	dir := onDisk(t, files)
	const pipeline = `find . -type f | sed 's|^\./||' | sort | while IFS= read -r f; do
		kind=-; [ -x "$f" ] && kind=x
		printf '%s %s %s\n' "$(sha256sum < "$f" | cut -d' ' -f1)" "$kind" "$f"
	done | openssl dgst -sha256 -binary | base64`
	want := "s1:" + shell(t, dir, "sh", "-c", pipeline)
	for name, f := range map[string]fs.FS{"memory": tree(t, files), "disk": os.DirFS(dir)} {
		list, _, err := Files(context.Background(), f, ".", Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Digest(f, list); got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
}

// A link counts as the bytes that it leads to: what is installed is what counts.
func TestDigestIsOfWhatIsInstalled(t *testing.T) {
	linked, copied := sample(), sample()
	delete(copied, "link [link]")
	copied["link"] = copied["scripts/a.py"]
	var got []string
	for _, files := range []map[string]string{linked, copied} {
		f := tree(t, files)
		list, _, err := Files(context.Background(), f, ".", Limits{})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Digest(f, list)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, sum)
	}
	if got[0] != got[1] {
		t.Errorf("%s and %s", got[0], got[1])
	}
}

func TestDigesterTakesFilesInAnyOrder(t *testing.T) {
	var a, b, mode Digester
	one, two := sha256.Sum256([]byte("1")), sha256.Sum256([]byte("2"))
	a.Add("a/b", false, one)
	a.Add("a-b", true, two)
	b.Add("a-b", true, two)
	b.Add("a/b", false, one)
	mode.Add("a-b", false, two)
	mode.Add("a/b", false, one)
	if a.Sum() != b.Sum() || a.Sum() == mode.Sum() {
		t.Errorf("%s, %s, %s", a.Sum(), b.Sum(), mode.Sum())
	}
}

// The ids of git's own binary, which reads the files from disk.
func TestTreeIDAgreesWithGit(t *testing.T) {
	files := sample()
	files["empty/inner [dir]"] = ""
	dir := onDisk(t, files)
	shell(t, dir, "git", "init", "-q", "--object-format=sha1")
	shell(t, dir, "git", "-c", "core.autocrlf=false", "add", "-A")
	root := shell(t, dir, "git", "write-tree")
	for below, want := range map[string]string{".": root, "scripts": shell(t, dir, "git", "rev-parse", root+":scripts"), "deep/er": shell(t, dir, "git", "rev-parse", root+":deep/er")} {
		for name, f := range map[string]fs.FS{"memory": tree(t, files), "disk": os.DirFS(dir)} {
			if got, err := TreeID(f, below); got != want || err != nil {
				t.Errorf("%s of %s: got %s, %v, want %s", below, name, got, err, want)
			}
		}
	}
	none := shell(t, dir, "git", "hash-object", "-t", "tree", os.DevNull)
	if got, err := TreeID(os.DirFS(dir), "empty"); got != none || err != nil {
		t.Errorf("an empty directory: %s, %v, want %s", got, err, none)
	}
}

// gitlinks gives submodules their commits, as a fetched tree does.
type gitlinks struct{ *treeFS }

func (gitlinks) ObjectID(name string) (string, bool) {
	return strings.Repeat("12", 20), name == "vendor/big"
}

func TestTreeIDOfASubmodule(t *testing.T) {
	dir := t.TempDir()
	shell(t, dir, "git", "init", "-q", "--object-format=sha1")
	shell(t, dir, "git", "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("12", 20)+",vendor/big")
	want := shell(t, dir, "git", "write-tree")
	f := tree(t, map[string]string{"vendor/big [gitlink]": ""})
	if got, err := TreeID(gitlinks{f}, "."); got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := TreeID(f, "."); err == nil {
		t.Errorf("without a commit it is %s", got)
	}
	if got, err := TreeID(tree(t, map[string]string{"p [pipe]": ""}), "."); err == nil {
		t.Errorf("a pipe has the id %s", got)
	}
}

func ExampleDigester() {
	var d Digester
	d.Add("SKILL.md", false, sha256.Sum256([]byte("text\n")))
	d.Add("run.sh", true, sha256.Sum256(nil))
	fmt.Println(d.Sum())
	// Output: s1:q1DrdWh7RIjssCpQfK2B36/GycUJeerfr6HK6nEPky8=
}

func ExampleTreeID() {
	id, err := TreeID(fstest.MapFS{"a.txt": {Data: []byte("a\n"), Mode: 0o644}}, ".")
	fmt.Println(id, err)
	// Output: 08585692ce06452da6f82ae66b90d98b55536fca <nil>
}

func ExampleDigest() {
	tree := fstest.MapFS{"pdf/SKILL.md": {Data: []byte("text\n")}, "pdf/run.sh": {Mode: 0o755}}
	files, _, err := Files(context.Background(), tree, "pdf", Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(Digest(tree, files))
	// Output: s1:q1DrdWh7RIjssCpQfK2B36/GycUJeerfr6HK6nEPky8= <nil>
}
