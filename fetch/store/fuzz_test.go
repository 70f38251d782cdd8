package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// FuzzAddPack: whatever comes, it is taken whole or refused, nothing is left behind, and what is there has its id.
func FuzzAddPack(f *testing.F) {
	base := "0123456789abcdef"
	f.Add(buildPack(blob(base), refDelta(base, "\x90\x04\x01x", 5)))
	f.Add(buildPack(entry{kind: 1, data: []byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n")}, entry{kind: 2}))
	f.Add(buildPack(blob(""), entry{kind: 6, head: []byte{9}, data: []byte("\x00\x00")}))
	f.Add([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"))
	s := openStore(f, f.TempDir())
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, sealed := range []bool{false, true} { // a wrong checksum must not hide the rest from the fuzzer
			if sealed && len(data) > 20 {
				data = seal(bytes.Clone(data[:len(data)-20]))
			}
			r := &Repository{root: s.root, dir: "git/fuzz"}
			_, err := r.AddPack(context.Background(), bytes.NewReader(data), Limits{Unpacked: 1 << 20, Object: 1 << 18, Objects: 1000})
			var limit *LimitError
			if err != nil && !errors.Is(err, ErrPack) && !errors.As(err, &limit) {
				t.Fatalf("error %v", err)
			}
			if left := leftovers(t, r); len(left) > 0 || (err != nil) != (len(packFiles(t, r)) == 0) && err != nil {
				t.Fatalf("error %v; left behind: %v %v", err, left, packFiles(t, r))
			}
			checkIDs(t, r)
			r.close()
			s.root.RemoveAll("git")
		}
	})
}

func checkIDs(t *testing.T, r *Repository) {
	t.Helper()
	for _, p := range r.packs {
		for i := range int64(p.fanout[255]) {
			var line [recordSize]byte
			if !p.read(line[:], i) {
				t.Fatal("a record cannot be read")
			}
			rec := parseRecord(line[:])
			names := []string{"", "commit", "tree", "blob", "tag"}
			if got := content(t, r, rec.id); gitID(names[rec.kind], got) != rec.id {
				t.Errorf("%s is something else", rec.id)
			}
		}
	}
}

// FuzzDelta compares the result of a delta with that of go-git.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("0123456789"), []byte("\x0a\x05\x90\x04\x01x"))
	f.Add([]byte("0123456789"), []byte("\x0a\x04\x91\x03\x04"))
	f.Add(bytes.Repeat([]byte("x"), 70000), []byte("\xf0\xa2\x04\x80\x80\x04\x80"))
	f.Add([]byte("a"), []byte("\x01\x00"))
	f.Fuzz(func(t *testing.T, base, data []byte) {
		ends := 0 // of numbers, two of which are the head
		for _, b := range data {
			if b < 0x80 {
				ends++
			}
		}
		if len(base) == 0 || len(data) > 1000 || ends < 2 {
			return // go-git takes no empty base, and a head that is cut short; a long delta may unpack to gigabytes
		}
		want, wantErr := packfile.PatchDelta(base, data)
		var got bytes.Buffer
		in := bufio.NewReader(bytes.NewReader(data))
		size, err := deltaSizes(in, int64(len(base)))
		if err == nil {
			out := &exactWriter{w: &got, left: size}
			err = applyDelta(out, &source{data: base, size: int64(len(base))}, in, size)
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, go-git says %v", err, wantErr)
		}
		if err == nil && !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%q, go-git says %q", got.Bytes(), want)
		}
	})
}

// FuzzTree: a tree that is taken is written back as it was, but for order and historic modes.
func FuzzTree(f *testing.F) {
	id := string(make([]byte, 20))
	f.Add([]byte("100644 a\x00" + id + "40000 b\x00" + id))
	f.Add([]byte("100664 a\x00" + id))
	f.Add([]byte("160000 ..\x00" + id))
	f.Add([]byte("120000 a/b\x00" + id + "100755 c\x00" + id[:19]))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data)
		if err != nil {
			if !errors.Is(err, ErrPack) {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, e := range entries {
			if e.Name == "" || e.Name == "." || e.Name == ".." || bytes.ContainsAny([]byte(e.Name), "/\x00") {
				t.Errorf("name %q", e.Name)
			}
		}
		again, err := parseTree(encodeTree(slices.Clone(entries)))
		slices.SortFunc(entries, compareEntries)
		if err != nil || !slices.Equal(again, entries) {
			t.Errorf("%v became %v, %v", entries, again, err)
		}
	})
}

func TestTreesThatGitWouldNotWriteAreRefused(t *testing.T) {
	id := string(make([]byte, 20))
	for name, data := range map[string]string{
		"cut in an id":       "100644 a\x00" + id[:19],
		"cut in a name":      "100644 a",
		"cut in a mode":      "1006",
		"no mode":            " a\x00" + id,
		"mode not octal":     "100648 a\x00" + id,
		"mode of a device":   "020000 a\x00" + id,
		"no name":            "100644 \x00" + id,
		"name with a slash":  "100644 a/b\x00" + id,
		"name of the parent": "40000 ..\x00" + id,
		"name twice":         "100644 a\x00" + id + "100644 a\x00" + id,
		"file and directory": "100644 a\x00" + id + "100644 a.b\x00" + id + "40000 a\x00" + id,
	} {
		if entries, err := parseTree([]byte(data)); !errors.Is(err, ErrPack) {
			t.Errorf("%s: entries %v, error %v", name, entries, err)
		}
	}
	for mode, want := range map[string]Mode{"100664": ModeFile, "100600": ModeFile, "100775": ModeExecutable, "040000": ModeTree} {
		entries, err := parseTree([]byte(mode + " a\x00" + id))
		if err != nil || entries[0].Mode != want {
			t.Errorf("mode %s: %v, %v", mode, entries, err)
		}
	}
}

func TestCommitsWithoutATreeAreRefused(t *testing.T) {
	for _, text := range []string{"", "tree ", "tree 4b825dc", "parent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n",
		"tree 4b825dc642cb6eb9a060e54bf8d69288fbee490g\n", "tree 4b825dc642cb6eb9a060e54bf8d69288fbee49044b825dc642cb6eb9a060e54b\n"} {
		if id, err := commitTree([]byte(text)); !errors.Is(err, ErrPack) {
			t.Errorf("%q: tree %s, error %v", text, id, err)
		}
	}
}

func TestParseIDTakesFortyHexDigits(t *testing.T) {
	const text = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	if id, err := ParseID(text); err != nil || id.String() != text || id.IsZero() {
		t.Errorf("%s, %v", id, err)
	}
	for _, text := range []string{"", "4b825dc", text + "00", text[:39] + "g"} {
		if _, err := ParseID(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
