package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func add(t testing.TB, r *Repository, entries ...entry) {
	t.Helper()
	if _, err := r.AddPack(context.Background(), bytes.NewReader(buildPack(entries...)), Limits{}); err != nil {
		t.Fatal(err)
	}
}

func TestMissingObjectsAreMissing(t *testing.T) {
	r := openRepository(t)
	add(t, r, blob("here"))
	id := gitID("blob", "not here")
	if r.Has(id) {
		t.Error("an object that never came is there")
	}
	if _, err := r.Open(id); !errors.Is(err, ErrMissing) {
		t.Errorf("Open: %v", err)
	}
	if _, err := r.Tree(id); !errors.Is(err, ErrMissing) {
		t.Errorf("Tree: %v", err)
	}
	if _, err := r.Commit(id); !errors.Is(err, ErrMissing) {
		t.Errorf("Commit: %v", err)
	}
	if _, err := r.Tree(gitID("blob", "here")); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("a blob read as a tree: %v", err)
	}
}

func TestObjectsStayWhenTheStoreIsOpenedAgain(t *testing.T) {
	dir := t.TempDir()
	first := openStore(t, dir)
	r, err := first.Repository("Example.com/O/R")
	if err != nil {
		t.Fatal(err)
	}
	add(t, r, blob("content"))
	first.Close()
	r, err = openStore(t, dir).Repository("example.com/o/r") // case does not matter
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, r, gitID("blob", "content")); got != "content" {
		t.Errorf("content %q", got)
	}
	other, err := openStore(t, dir).Repository("example.com/o+r")
	if err != nil {
		t.Fatal(err)
	}
	if other.Has(gitID("blob", "content")) {
		t.Error("two repositories share their objects")
	}
}

func TestPacksOfOtherProcessesAppearOnReload(t *testing.T) {
	dir := t.TempDir()
	mine, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	add(t, mine, blob("mine"))
	theirs, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	add(t, theirs, blob("theirs"))
	add(t, theirs, blob("mine")) // the very pack that is there
	if err := mine.Reload(); err != nil {
		t.Fatal(err)
	}
	if !mine.Has(gitID("blob", "theirs")) || !theirs.Has(gitID("blob", "mine")) {
		t.Error("one does not see the objects of the other")
	}
	if files := packFiles(t, mine); len(files) != 2 {
		t.Errorf("equal packs are kept twice: %v", files)
	}
}

func TestEmptyPackLeavesNothing(t *testing.T) {
	r := openRepository(t)
	add(t, r)
	if files := append(packFiles(t, r), leftovers(t, r)...); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

// damage changes one byte of the only pack, counted from the end where at is negative.
func damage(t *testing.T, r *Repository, at int64) {
	t.Helper()
	files := packFiles(t, r)
	if len(files) != 1 {
		t.Fatalf("packs: %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if at < 0 {
		at += int64(len(data))
	}
	data[at] ^= 0x40
	if err := os.WriteFile(files[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedContentIsNoticedAndForgotten(t *testing.T) {
	text := strings.Repeat("some content ", 10)
	header := 12 + 2 // of the pack, of the entry
	for at := header; at < len(buildPack(blob(text)))-20; at++ {
		r := openRepository(t)
		add(t, r, blob(text))
		damage(t, r, int64(at))
		in, err := r.Open(gitID("blob", text))
		if err == nil {
			_, err = io.ReadAll(in)
			in.Close()
		}
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d changed: error %v, want ErrDamaged", at, err)
		}
		if r.Has(gitID("blob", text)) || len(packFiles(t, r)) > 0 {
			t.Fatalf("byte %d changed: the pack is still used", at)
		}
		add(t, r, blob(text))
		if got := content(t, r, gitID("blob", text)); got != text {
			t.Fatalf("fetched again: %q", got)
		}
	}
}

func TestDamagedTreeIsReadFromAnotherPack(t *testing.T) {
	id := gitID("blob", "x")
	tree := "100644 f\x00" + string(id[:])
	r := openRepository(t)
	add(t, r, entry{kind: 2, data: []byte(tree)})
	damage(t, r, 12+1+8)
	add(t, r, entry{kind: 2, data: []byte(tree)}, blob("x"))
	entries, err := r.Tree(gitID("tree", tree))
	if err != nil || len(entries) != 1 || entries[0] != (Entry{"f", ModeFile, id}) {
		t.Errorf("entries %v, error %v", entries, err)
	}
}

func TestDamagedIndexIsAsIfThePackWereNotThere(t *testing.T) {
	for _, at := range []int64{-1, -3, -footerSize, -footerSize + 8, -footerSize - 1, -footerSize - recordSize, -footerSize - recordSize - 1} {
		dir := t.TempDir()
		r, err := openStore(t, dir).Repository("o/r")
		if err != nil {
			t.Fatal(err)
		}
		add(t, r, blob("content"))
		damage(t, r, at)
		again, err := openStore(t, dir).Repository("o/r")
		if err != nil {
			t.Fatal(err)
		}
		if again.Has(gitID("blob", "content")) || len(packFiles(t, again)) > 0 {
			t.Errorf("byte %d changed: the pack is still used", at)
		}
	}
}

func TestTruncatedPackIsAsIfItWereNotThere(t *testing.T) {
	dir := t.TempDir()
	r, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	add(t, r, blob("content"))
	info, err := os.Stat(packFiles(t, r)[0])
	if err != nil {
		t.Fatal(err)
	}
	for size := info.Size() - 1; size >= 0; size -= 37 {
		if err := os.Truncate(packFiles(t, r)[0], size); err != nil {
			t.Fatal(err)
		}
		again, err := openStore(t, dir).Repository("o/r")
		if err != nil {
			t.Fatal(err)
		}
		if again.Has(gitID("blob", "content")) {
			t.Fatalf("cut to %d bytes: the pack is still used", size)
		}
		add(t, again, blob("content"))
	}
}

func TestCompleteNeedsEveryBlobButNoSubmodule(t *testing.T) {
	file, gone := gitID("blob", "x"), gitID("blob", "gone")
	inner := "100755 f\x00" + string(file[:])
	innerID := gitID("tree", inner)
	whole := "40000 dir\x00" + string(innerID[:]) + "160000 module\x00" + string(gone[:])
	partial := "100644 a\x00" + string(gone[:]) + "40000 dir\x00" + string(innerID[:])
	r := openRepository(t)
	add(t, r, blob("x"), entry{kind: 2, data: []byte(inner)}, entry{kind: 2, data: []byte(whole)}, entry{kind: 2, data: []byte(partial)})
	if !r.Complete(gitID("tree", whole)) {
		t.Error("a whole tree is not complete")
	}
	if r.Complete(gitID("tree", partial)) {
		t.Error("a tree without one of its blobs is complete")
	}
	if r.Complete(gitID("tree", "")) {
		t.Error("a tree that is not there is complete")
	}
}

func TestCompleteEndsOnATreeThatNamesItselfAMillionTimes(t *testing.T) {
	r := openRepository(t)
	var entries []entry
	below := gitID("tree", "")
	data := ""
	entries = append(entries, entry{kind: 2})
	for range 40 { // 10 to the power of 40 paths
		data = ""
		for i := range 10 {
			data += fmt.Sprintf("40000 %d\x00%s", i, below[:])
		}
		entries = append(entries, entry{kind: 2, data: []byte(data)})
		below = gitID("tree", data)
	}
	add(t, r, entries...)
	if !r.Complete(below) {
		t.Error("not complete")
	}
}

func TestRootOfACommitWithoutItsObjectIsRemembered(t *testing.T) {
	dir := t.TempDir()
	commit, tree := gitID("commit", "c"), gitID("tree", "")
	r, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetRoot(commit, tree); err != nil {
		t.Fatal(err)
	}
	again, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Commit(commit); err != nil || got != tree {
		t.Errorf("root %s, error %v", got, err)
	}
}

func TestFactsAreKeptPerScopeAndMayBeForgotten(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	for _, fact := range [][3]string{{"git a.example", "filter", "yes"}, {"git a.example", "v2", "no"}, {"git b.example", "filter", "no"}} {
		if err := s.Remember(fact[0], fact[1], fact[2]); err != nil {
			t.Fatal(err)
		}
	}
	again := openStore(t, dir)
	if facts := again.Facts("git a.example"); len(facts) != 2 || facts["filter"] != "yes" || facts["v2"] != "no" {
		t.Errorf("facts %v", facts)
	}
	if err := s.RememberAll("git b.example", Facts{"filter": "yes", "v2": "yes"}); err != nil {
		t.Fatal(err)
	}
	if facts := again.Facts("git b.example"); len(facts) != 2 || facts["filter"] != "yes" || facts["v2"] != "yes" {
		t.Errorf("facts %v", facts)
	}
	files, err := filepath.Glob(dir + "/facts/*.json")
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, text := range []string{"", "{", "null", "[1]"} {
		if err := os.WriteFile(files[0], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if facts := again.Facts("git a.example"); len(facts) != 0 {
			t.Errorf("file %q: facts %v", text, facts)
		}
	}
	if err := again.Remember("git a.example", "v2", "yes"); err != nil {
		t.Errorf("over a damaged file: %v", err)
	}
}

func TestTemporaryFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	file, done, err := s.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("on its way"); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"tmp-old": 25 * time.Hour, "tmp-young": time.Hour} {
		left := filepath.Join(dir, "tmp", name)
		if err := os.WriteFile(left, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(left, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	done()
	if _, done, err = s.Temporary(); err != nil {
		t.Fatal(err)
	}
	done()
	left, err := filepath.Glob(filepath.Join(dir, "tmp", "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "tmp-young" {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestLeftoversOfKilledProcessesAreRemovedAfterADay(t *testing.T) {
	r := openRepository(t)
	add(t, r, blob("a"))
	dir := filepath.Join(r.root.Name(), r.dir)
	for name, age := range map[string]time.Duration{"tmp-old": 25 * time.Hour, "tmp-young": time.Hour, "other": 1000 * time.Hour} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Now(), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	add(t, r, blob("b"))
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "pack-") {
			names = append(names, e.Name())
		}
	}
	if want := []string{"key", "other", "tmp-young"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	if key, err := os.ReadFile(filepath.Join(dir, "key")); err != nil || string(key) != "example.com/o/r\n" {
		t.Errorf("key %q, error %v", key, err)
	}
}

func TestReadersAndWritersWorkAtOnce(t *testing.T) {
	r := openRepository(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			text := fmt.Sprintf("content %d", i%4)
			add(t, r, blob(text), blob("common"))
			for range 20 {
				if got := content(t, r, gitID("blob", text)); got != text {
					t.Errorf("content %q, want %q", got, text)
				}
			}
		})
	}
	group.Wait()
	if files := packFiles(t, r); len(files) != 4 {
		t.Errorf("%d packs of 4 different ones", len(files))
	}
}

func TestNamesOfDirectoriesAreSafeAndDifferent(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range []string{"", ".", "..", "../../x", "/abs", "a/b", "a+b", "con", "ü", strings.Repeat("long/", 100), "a\x00b", "-x", ".git"} {
		name := fileName(key)
		if !filepath.IsLocal(name) || strings.ContainsAny(name, "/\\:\x00") || strings.HasPrefix(name, ".") || len(name) > 100 || seen[name] {
			t.Errorf("%q becomes %q", key, name)
		}
		seen[name] = true
	}
}

func TestReaderAfterItsEnd(t *testing.T) {
	r := openRepository(t)
	add(t, r, blob("content"))
	in, err := r.Open(gitID("blob", "content"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(in); err != nil || string(data) != "content" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := in.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	in.Close()
	in.Close()
	in, _ = r.Open(gitID("blob", "content"))
	in.Close()
	if _, err := in.Read(make([]byte, 1)); err == nil {
		t.Error("a closed reader reads")
	}
}
