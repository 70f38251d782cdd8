package store

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// shattered is the beginning of the first of the two files with one SHA-1 that were published in 2017.
const shattered = `
JVBERi0xLjMKJeLjz9MKCgoxIDAgb2JqCjw8L1dpZHRoIDIgMCBSL0hlaWdodCAzIDAgUi9UeXBlIDQgMCBSL1N1YnR5cGUgNSAw
IFIvRmlsdGVyIDYgMCBSL0NvbG9yU3BhY2UgNyAwIFIvTGVuZ3RoIDggMCBSL0JpdHNQZXJDb21wb25lbnQgOD4+CnN0cmVhbQr/
2P/+ACRTSEEtMSBpcyBkZWFkISEhISGFL+wJIzl1nDmxocY8TJfh//4Bc0bckWa2fhGPApq2IbJWD/nKZ8yox/hbqEx5AwwrPeIY
+G2zqQkB1d9FwU8m/t+z3DjpasIv571yjw5FvOBG0jxXD+sUE5i7VS71oKgr4zH+pIA3uLXXHw4zLt+TrDUA603cDezBqGR5DHgs
diFWYN0wl5HQa9CvP5jNpLxGKbE=`

func TestContentMadeToCollideHasNoID(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(shattered, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	h := newHasher(Blob, 0)
	h.Hash.Reset() // without the head of a blob, after which these blocks do not collide
	h.Write(data)
	if id, err := h.id(); !errors.Is(err, ErrPack) {
		t.Errorf("id %s, error %v; want ErrPack", id, err)
	}
}

func TestMalformedPacksAreRefusedAndLeaveNothing(t *testing.T) {
	base := "0123456789abcdef"
	good := buildPack(blob(base), refDelta(base, "\x90\x04", 4))
	change := func(at int, b byte) []byte {
		p := bytes.Clone(good[:len(good)-20])
		p[at] = b
		return seal(p)
	}
	deltaAgainst := func(instructions string, result int) []byte {
		return buildPack(blob(base), refDelta(base, instructions, result))
	}
	tests := map[string][]byte{
		"nothing":                        {},
		"a web page":                     []byte("<!DOCTYPE html><html></html>"),
		"another signature":              change(0, 'p'),
		"another version":                change(7, 4),
		"more entries than announced":    change(11, 1),
		"a wrong checksum":               append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1),
		"bytes after the end":            append(bytes.Clone(good), 'x'),
		"an unknown type":                buildPack(entry{kind: 5, data: []byte("x")}),
		"no type":                        buildPack(entry{kind: 0, data: []byte("x")}),
		"an object shorter than said":    buildPack(entry{kind: 3, data: []byte("abc"), size: 4}),
		"an object longer than said":     buildPack(entry{kind: 3, data: []byte("abc"), size: 2}),
		"a stream that is not deflated":  buildPack(entry{kind: 3, data: []byte("abc"), stream: []byte("abcdefgh")}),
		"a delta without its base":       buildPack(refDelta("not here", "\x90\x04", 4)),
		"a delta of itself":              buildPack(entry{kind: 6, head: []byte{0}, data: []byte("\x00\x00")}),
		"a delta before the pack":        buildPack(entry{kind: 6, head: []byte{100}, data: []byte("\x00\x00")}),
		"a delta against no entry":       buildPack(blob(base), entry{kind: 6, head: []byte{3}, data: []byte("\x10\x00")}),
		"a delta for another base":       buildPack(blob(base), entry{kind: 7, head: idOf(base), data: []byte("\x11\x01\x90\x01")}),
		"an empty delta":                 buildPack(blob(base), entry{kind: 7, head: idOf(base)}),
		"a delta that copies too much":   deltaAgainst("\x90\x11", 17),
		"a delta that copies from after": deltaAgainst("\x91\x10\x01", 1),
		"a delta that gives too little":  deltaAgainst("\x90\x04", 5),
		"a delta that gives too much":    deltaAgainst("\x90\x04", 3),
		"a delta with instruction 0":     deltaAgainst("\x00", 1),
		"a delta that inserts nothing":   deltaAgainst("\x05ab", 5),
		"a delta without its copy size":  deltaAgainst("\x90", 5),
		"a size of more than 46 bits":    seal(append(append([]byte{}, good[:12]...), "\xbf\xff\xff\xff\xff\xff\xff\xff\xff\x7f"...)),
	}
	for name, pack := range tests {
		t.Run(name, func(t *testing.T) {
			r := openRepository(t)
			if _, err := r.AddPack(context.Background(), bytes.NewReader(pack), Limits{}); !errors.Is(err, ErrPack) {
				t.Errorf("error %v, want ErrPack", err)
			}
			if r.Has(gitID("blob", base)) {
				t.Error("an object of a refused pack is in the store")
			}
			if left := append(leftovers(t, r), packFiles(t, r)...); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestChecksumIsNotTakenForAnEntry(t *testing.T) {
	pack := buildPack(blob("a"))
	pack[11] = 2 // announces one entry more
	r := openRepository(t)
	if _, err := r.AddPack(context.Background(), bytes.NewReader(pack), Limits{}); err == nil || r.Has(gitID("blob", "a")) {
		t.Errorf("error %v; the object must not be there", err)
	}
}

func idOf(base string) []byte {
	id := gitID("blob", base)
	return id[:]
}

func TestPackCutAnywhereIsRefused(t *testing.T) {
	base := "0123456789abcdef"
	pack := buildPack(blob(base), refDelta(base, "\x90\x04", 4), blob(""))
	r := openRepository(t)
	for n := range len(pack) {
		if _, err := r.AddPack(context.Background(), bytes.NewReader(pack[:n]), Limits{}); !errors.Is(err, ErrPack) {
			t.Errorf("cut after %d of %d bytes: error %v, want ErrPack", n, len(pack), err)
		}
	}
	if _, err := r.AddPack(context.Background(), iotest.OneByteReader(bytes.NewReader(pack)), Limits{}); err != nil {
		t.Errorf("whole: %v", err)
	}
}

func TestErrorOfTheStreamIsReturnedAsItIs(t *testing.T) {
	broken := errors.New("the line is dead")
	pack := buildPack(blob("0123456789abcdef"))
	for n := range len(pack) {
		in := io.MultiReader(bytes.NewReader(pack[:n]), iotest.ErrReader(broken))
		if _, err := openRepository(t).AddPack(context.Background(), in, Limits{}); err != broken {
			t.Fatalf("after %d bytes: error %v, want the reader's own", n, err)
		}
	}
}

func TestLimitsAreErrorsWhenExceeded(t *testing.T) {
	base := strings.Repeat("0123456789", 1000)
	pack := buildPack(blob(base), blob("b"), refDelta(base, "\xb0\x00\x27", 0x2700)) // 9,984 bytes
	all := int64(len(base) + 1 + 0x2700)
	tests := map[string]struct {
		limits Limits
		what   string
	}{
		"bytes":              {Limits{Bytes: int64(len(pack)) - 1}, "bytes"},
		"objects announced":  {Limits{Objects: 2}, "objects"},
		"one object":         {Limits{Object: int64(len(base)) - 1}, "bytes in one object"},
		"unpacked bytes":     {Limits{Unpacked: all - 1}, "unpacked bytes"},
		"unpacked, no delta": {Limits{Unpacked: 10}, "unpacked bytes"},
		"just enough":        {Limits{Bytes: int64(len(pack)), Objects: 3, Object: int64(len(base)), Unpacked: all}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := openRepository(t)
			_, err := r.AddPack(context.Background(), bytes.NewReader(pack), test.limits)
			var limit *LimitError
			if test.what == "" && err == nil {
				return
			}
			if !errors.As(err, &limit) || limit.What != test.what {
				t.Errorf("error %v, want a limit of %q", err, test.what)
			}
			if left := append(leftovers(t, r), packFiles(t, r)...); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestResultOfADeltaIsBounded(t *testing.T) {
	base := "0123456789abcdef"
	pack := buildPack(blob(base), refDelta(base, strings.Repeat("\x90\x10", 100), 1600))
	var limit *LimitError
	if _, err := openRepository(t).AddPack(context.Background(), bytes.NewReader(pack), Limits{Object: 1000}); !errors.As(err, &limit) {
		t.Errorf("error %v, want a limit", err)
	}
}

func TestCancelledContextEndsAPack(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := openRepository(t)
	if _, err := r.AddPack(ctx, bytes.NewReader(buildPack(blob("a"))), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if left := leftovers(t, r); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFullDiskOrReadOnlyStoreIsAnError(t *testing.T) {
	if os.Getuid() == 0 {
		dir := t.TempDir()
		s := openStore(t, dir)
		if err := os.WriteFile(dir+"/git", nil, 0o644); err != nil { // root may write anywhere, but not below a file
			t.Fatal(err)
		}
		r, err := s.Repository("o/r")
		if err == nil {
			_, err = r.AddPack(context.Background(), bytes.NewReader(buildPack(blob("a"))), Limits{})
		}
		if err == nil {
			t.Error("no error")
		}
		return
	}
	r := openRepository(t)
	if err := os.Chmod(r.root.Name(), 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := r.AddPack(context.Background(), bytes.NewReader(buildPack(blob("a"))), Limits{}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("error %v, want a permission", err)
	}
}
