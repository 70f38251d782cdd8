package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// indexed makes a pack file of nothing but an index.
func indexed(t *testing.T, records []record) *pack {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "pack"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if err := writeIndex(file, 0, records); err != nil {
		t.Fatal(err)
	}
	p, err := openPack(file, "pack")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryRecordIsFoundAndNoOther(t *testing.T) {
	for _, count := range []int{0, 1, 2, 128, 129, 1000} { // more than 128 of one first byte are halved first
		for _, first := range []byte{0x00, 0x7f, 0xff} {
			var records []record
			for i := range count {
				r := record{kind: Blob, offset: int64(i), size: int64(2 * i)}
				r.id[0] = first
				binary.BigEndian.PutUint32(r.id[1:], uint32(2*i+1))
				records = append(records, r)
			}
			p := indexed(t, bytesReversed(records))
			for _, want := range records {
				if got, ok := p.find(want.id); !ok || got != want {
					t.Fatalf("%d of %02x: %v, want %v", count, first, got, want)
				}
				for _, step := range []int{-1, 1} {
					other := want.id
					binary.BigEndian.PutUint32(other[1:], uint32(int(binary.BigEndian.Uint32(other[1:]))+step))
					if got, ok := p.find(other); ok {
						t.Fatalf("%s is not there, but found as %v", other, got)
					}
				}
			}
			for _, other := range []byte{0x00, 0x01, 0x7e, 0x80, 0xfe, 0xff} {
				if _, ok := p.find(ID{0: other, 19: 0xff}); ok {
					t.Fatalf("an id of %02x is found", other)
				}
			}
		}
	}
}

func bytesReversed(records []record) []record {
	reversed := make([]record, len(records))
	for i, r := range records {
		reversed[len(records)-1-i] = r
	}
	return reversed
}

func TestRecordsHoldLargePlacesAndSizes(t *testing.T) {
	for _, want := range []record{
		{id: ID{1, 2, 3}, kind: Commit, offset: 0, size: 0},
		{id: ID{19: 9}, kind: Tag, offset: 1<<48 - 1, size: 1<<40 - 1},
		{id: ID{0xff}, kind: Tree, offset: 1 << 32, size: 1 << 33},
	} {
		b := want.append(nil)
		if got := parseRecord(b); len(b) != recordSize || got != want {
			t.Errorf("%v became %v in %d bytes", want, got, len(b))
		}
	}
}

func TestObjectThatComesTwiceIsRecordedOnce(t *testing.T) {
	r := openRepository(t)
	add(t, r, blob("a"), blob("b"), blob("a"))
	if n := r.packs[0].fanout[255]; n != 2 {
		t.Errorf("%d records", n)
	}
	if got := content(t, r, gitID("blob", "a")) + content(t, r, gitID("blob", "b")); got != "ab" {
		t.Errorf("content %q", got)
	}
}

func TestPacksOfVersion3AreTaken(t *testing.T) {
	pack := buildPack(blob("a"))
	pack[7] = 3
	r := openRepository(t)
	if _, err := r.AddPack(context.Background(), bytes.NewReader(seal(pack[:len(pack)-20])), Limits{}); err != nil {
		t.Error(err)
	}
}

// allocated is how many bytes f allocates, whether they are freed again or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// zeros is a stream of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLargeObjectsNeverAreInMemory(t *testing.T) {
	const size = 64 << 20
	var id ID
	r := openRepository(t)
	n := allocated(func() {
		w, err := r.NewWriter(context.Background(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if id, err = w.File("big", ModeFile, size, io.LimitReader(zeros{}, size)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Finish(); err != nil {
			t.Fatal(err)
		}
	})
	if n > 8<<20 {
		t.Errorf("writing 64 MB took %d bytes of memory", n)
	}
	n = allocated(func() {
		in, err := r.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if got, err := io.Copy(io.Discard, in); err != nil || got != size {
			t.Errorf("%d bytes, %v", got, err)
		}
	})
	if n > 1<<20 {
		t.Errorf("reading 64 MB took %d bytes of memory", n)
	}
}

func TestDeltasOfLargeObjectsNeverAreInMemory(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 1<<20) // 16 MB
	end := big[1<<16:1<<16+1<<16] + "end"
	pack := buildPack(blob(big), refDelta(big, "\x84\x01\x03end", len(end)), refDelta(big, "\x90\x10", 16))
	r := openRepository(t)
	n := allocated(func() {
		if _, err := r.AddPack(context.Background(), bytes.NewReader(pack), Limits{Ratio: 2000}); err != nil {
			t.Fatal(err)
		}
	})
	if n > 8<<20 {
		t.Errorf("a delta of 16 MB took %d bytes of memory", n)
	}
	if got := content(t, r, gitID("blob", end)); got != end {
		t.Errorf("%d bytes, want %d", len(got), len(end))
	}
	if left := leftovers(t, r); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestClosedStoreIsAnErrorNotACrash(t *testing.T) {
	s := openStore(t, t.TempDir())
	r, err := s.Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	add(t, r, blob("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open(gitID("blob", "a")); err == nil {
		t.Error("a closed store gives content")
	}
	if _, err := r.AddPack(context.Background(), bytes.NewReader(buildPack(blob("b"))), Limits{}); err == nil {
		t.Error("a closed store takes a pack")
	}
	if err := s.Remember("x", "k", "v"); err == nil {
		t.Error("a closed store remembers")
	}
}

func TestWhatStandsInPlaceOfAPackIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	r, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	add(t, r, blob("a"))
	in := filepath.Dir(packFiles(t, r)[0])
	if err := os.MkdirAll(filepath.Join(in, "pack-dir", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(in, "pack-link")); err != nil {
		t.Fatal(err)
	}
	again, err := openStore(t, dir).Repository("o/r")
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, again, gitID("blob", "a")); got != "a" {
		t.Errorf("content %q", got)
	}
}

func TestStoreNeedsADirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Open(dir); err == nil {
			t.Errorf("%s is taken for a store", dir)
		}
	}
}

func TestWriterThatIsAbortedOrCancelledLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := openRepository(t)
	w, err := r.NewWriter(ctx, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.File("a", ModeFile, 1, strings.NewReader("a")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := w.File("b", ModeFile, 1, strings.NewReader("b")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	w.Abort()
	w.Abort()
	if _, _, err := w.Finish(); err == nil {
		t.Error("what was given up is finished")
	}
	if r.Has(gitID("blob", "a")) {
		t.Error("what was given up is there")
	}
	if left := append(leftovers(t, r), packFiles(t, r)...); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLimitsThatAreNotGivenAreTheDefaults(t *testing.T) {
	d := DefaultLimits()
	if got := (Limits{}).OrDefault(); got != d {
		t.Errorf("%+v, want %+v", got, d)
	}
	given := Limits{Bytes: 1, Unpacked: 2, Object: 3, Objects: 4, Depth: 5, Ratio: 6}
	if got := given.OrDefault(); got != given {
		t.Errorf("%+v, want %+v", got, given)
	}
	if got := (Limits{Object: 7}).OrDefault(); got.Object != 7 || got.Bytes != d.Bytes {
		t.Errorf("%+v", got)
	}
}
