package store

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// openStore opens a store in a directory of the test.
func openStore(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openRepository(t testing.TB) *Repository {
	t.Helper()
	r, err := openStore(t, t.TempDir()).Repository("example.com/o/r")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// entry is one entry of a pack under construction.
type entry struct {
	kind   byte
	head   []byte // between the size and the zlib stream
	data   []byte
	size   int    // announced; 0 means the true one
	stream []byte // in place of the compressed data
}

// pack builds a pack after gitformat-pack(5), independently of the code under test.
func buildPack(entries ...entry) []byte {
	b := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(entries)))
	for _, e := range entries {
		size := len(e.data)
		if e.size != 0 {
			size = e.size
		}
		b = append(b, e.encode(size)...)
	}
	return seal(b)
}

func (e entry) encode(size int) []byte {
	first := e.kind<<4 | byte(size&15)
	size >>= 4
	var b []byte
	for size > 0 {
		b = append(b, first|0x80)
		first, size = byte(size&0x7f), size>>7
	}
	b = append(append(b, first), e.head...)
	if e.stream != nil {
		return append(b, e.stream...)
	}
	return append(b, deflated(e.data)...)
}

func deflated(data []byte) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(data)
	w.Close()
	return z.Bytes()
}

func seal(b []byte) []byte {
	sum := sha1.Sum(b)
	return append(b, sum[:]...)
}

func blob(data string) entry { return entry{kind: 3, data: []byte(data)} }

// gitID is the id as git computes it, independently of the code under test.
func gitID(kind, data string) ID {
	return ID(sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(data), data)))
}

// refDelta is a delta against an object that is named by its id: size of the base, size of the result, instructions.
func refDelta(base string, instructions string, result int) entry {
	id := gitID("blob", base)
	data := append(append(leb128(len(base)), leb128(result)...), instructions...)
	return entry{kind: 7, head: id[:], data: data}
}

func leb128(n int) []byte {
	var b []byte
	for ; n > 127; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

func content(t testing.TB, r *Repository, id ID) string {
	t.Helper()
	in, err := r.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// leftovers are the files of a store that are neither packs nor notes.
func leftovers(t testing.TB, r *Repository) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.root.Name(), r.dir, "tmp-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func packFiles(t testing.TB, r *Repository) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(r.root.Name(), r.dir, "pack-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// git runs git in dir without anyone's settings and returns what it prints.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AUTHOR_DATE=2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2020-01-01T00:00:00Z")
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// gitRepository makes a repository with files that git packs as chains of deltas.
func gitRepository(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", ".")
	text := strings.Repeat("a line that many files have in common\n", 200)
	for i := range 40 {
		name := filepath.Join(dir, fmt.Sprintf("skills/s%02d/SKILL.md", i%7), fmt.Sprintf("part%02d.md", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		data := fmt.Sprintf("%d\n%s%d\n%s", i, text[:4000+i*50], i*i, text[:i*90])
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "", "add", ".")
	git(t, dir, "", "commit", "-q", "-m", "first")
	git(t, dir, "", "tag", "-a", "-m", "a tag", "v1")
	return dir
}

func TestPackFromGitGivesEveryObjectOfGit(t *testing.T) {
	dir := gitRepository(t)
	for _, flags := range [][]string{{"--delta-base-offset"}, {}, {"--window=0"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			args := append([]string{"pack-objects", "--all", "--stdout", "-q"}, flags...)
			pack := git(t, dir, "", args...)
			r := openRepository(t)
			stats, err := r.AddPack(context.Background(), strings.NewReader(pack), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if (stats.Deltas > 10) != (len(flags) == 0 || flags[0] != "--window=0") {
				t.Errorf("%d deltas: the fixture does not test what it should", stats.Deltas)
			}
			if stats.Bytes != int64(len(pack)) {
				t.Errorf("counted %d bytes of %d", stats.Bytes, len(pack))
			}
			checkAgainstGit(t, r, dir, stats)
		})
	}
}

func checkAgainstGit(t *testing.T, r *Repository, dir string, stats Stats) {
	t.Helper()
	list := strings.Fields(git(t, dir, "", "cat-file", "--batch-all-objects", "--batch-check=%(objectname),%(objecttype),%(objectsize)"))
	if stats.Objects != len(list) {
		t.Errorf("%d objects, git has %d", stats.Objects, len(list))
	}
	var unpacked int64
	for _, line := range list {
		fields := strings.Split(line, ",")
		id, err := ParseID(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		want := git(t, dir, "", "cat-file", fields[1], fields[0])
		if got := content(t, r, id); got != want {
			t.Errorf("%s %s: %d bytes, git has %d", fields[1], id, len(got), len(want))
		}
		kind, size, ok := r.Stat(id)
		if names := []string{"", "commit", "tree", "blob", "tag"}; !ok || names[kind] != fields[1] || fmt.Sprint(size) != fields[2] {
			t.Errorf("%s is %d of %d bytes, git says %s", id, kind, size, line)
		}
		unpacked += size
	}
	if unpacked != stats.Unpacked {
		t.Errorf("counted %d unpacked bytes, want %d", stats.Unpacked, unpacked)
	}
}

func TestCommitAndTreesReadAsGitReadsThem(t *testing.T) {
	dir := gitRepository(t)
	r := openRepository(t)
	pack := git(t, dir, "", "pack-objects", "--all", "--stdout", "-q")
	if _, err := r.AddPack(context.Background(), strings.NewReader(pack), Limits{}); err != nil {
		t.Fatal(err)
	}
	commit, _ := ParseID(strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD")))
	tree, err := r.Commit(commit)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD^{tree}")); tree.String() != want {
		t.Errorf("root tree %s, want %s", tree, want)
	}
	entries, err := r.Tree(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&got, "%06o %s %s\n", e.Mode, e.ID, e.Name)
	}
	want := git(t, dir, "", "ls-tree", "--format=%(objectmode) %(objectname) %(path)", "HEAD")
	if got.String() != want {
		t.Errorf("tree:\n%swant:\n%s", got.String(), want)
	}
	if !r.Complete(tree) {
		t.Error("a tree that came whole is not complete")
	}
}

func TestDeltasResolveInAnyOrderAndSize(t *testing.T) {
	base := "0123456789abcdef"
	once := "0123" + "x" + "cdef"        // copy 4 from 0, insert x, copy 4 from 12
	twice := "0123" + "x" + "0123"       // copy 5 from 0, copy 4 from 0
	big := strings.Repeat(base, 400_000) // 6.4 MB: more than is held in memory
	bigger := big[1<<16:1<<16+0x10000] + "end"
	copyOnce := "\x90\x04" + "\x01x" + "\x91\x0c\x04"
	copyTwice := "\x90\x05" + "\x90\x04"
	copyBig := "\x84\x01" + "\x03end" // offset 0x010000, no size byte: 0x10000
	pack := buildPack(
		refDelta(once, copyTwice, len(twice)), // before its base, which is a delta before its base
		refDelta(base, copyOnce, len(once)),
		blob(base),
		blob(big),
		refDelta(big, copyBig, len(bigger)),
		refDelta(bigger, "\x90\x03", 3),
	)
	r := openRepository(t)
	stats, err := r.AddPack(context.Background(), bytes.NewReader(pack), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Deltas != 4 || stats.Objects != 6 {
		t.Errorf("stats %+v", stats)
	}
	for _, want := range []string{base, once, twice, big, bigger, bigger[:3]} {
		if got := content(t, r, gitID("blob", want)); got != want {
			t.Errorf("%.20q…: %d bytes, want %d", got, len(got), len(want))
		}
	}
	if left := leftovers(t, r); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestChainOfLargeDeltasStaysWithinTheCache(t *testing.T) {
	base := strings.Repeat("some content of a base. ", 45_000) // 1.1 MB: three a level are more than the cache
	entries, parent := []entry{blob(base)}, base
	for i := range 4 {
		tail := fmt.Sprintf("%04d", i)
		ops := "\xf0" + string([]byte{byte(len(base)), byte(len(base) >> 8), byte(len(base) >> 16)}) + "\x04" + tail
		for j := range 3 { // siblings, each with a child
			sibling := base + fmt.Sprintf("%d%03d", j, i)
			entries = append(entries, refDelta(parent, ops[:4]+"\x04"+sibling[len(base):], len(sibling)))
			entries = append(entries, refDelta(sibling, "\x90\x10", 16))
		}
		entries = append(entries, refDelta(parent, ops, len(base)+4))
		parent = base + tail
	}
	r := openRepository(t)
	if _, err := r.AddPack(context.Background(), bytes.NewReader(buildPack(entries...)), Limits{}); err != nil {
		t.Fatal(err)
	}
	if got := content(t, r, gitID("blob", parent)); got != parent {
		t.Errorf("the end of the chain has %d bytes, want %d", len(got), len(parent))
	}
}
