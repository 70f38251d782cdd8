package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
)

// FuzzRead holds that no archive makes the reader panic, name a path outside of it or the
// same one twice, give more than the limits allow, or count as complete with an error.
func FuzzRead(f *testing.F) {
	entries := []tar.Header{
		file("top/a", "text"), {Name: "top/l", Typeflag: tar.TypeSymlink, Linkname: "a"},
		{Name: "top/d/", Typeflag: tar.TypeDir}, file("top/d/"+strings.Repeat("long", 40), "x"),
	}
	for _, seed := range [][]byte{
		packTar(f, entries...), packGzip(packTar(f, entries...)), tarToZip(f, entries),
		packTar(f, file("../x", "")), tarToZip(f, []tar.Header{file(`C:\x`, "")}), []byte("<html>"),
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	limits := Limits{Packed: 1 << 20, Unpacked: 1 << 20, File: 1 << 16, Files: 100, Depth: 8}
	temp := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, strip bool) {
		seen := map[string]bool{}
		var total int64
		info, err := Read(t.Context(), bytes.NewReader(data), Options{Strip: strip, Limits: limits, Temp: temp}, func(e Entry, r io.Reader) error {
			if e.Path == "" || strings.HasPrefix(e.Path, "/") || path.Clean(e.Path) != e.Path || strings.HasPrefix(e.Path+"/", "../") {
				t.Errorf("path %q", e.Path)
			}
			if seen[e.Path] || seen[path.Dir(e.Path)] {
				t.Errorf("path %q comes twice or lies in a file", e.Path)
			}
			seen[e.Path] = true
			if r == nil {
				return nil
			}
			n, err := io.Copy(io.Discard, r)
			total += n
			if n > limits.File || err == nil && n != e.Size {
				t.Errorf("%q: %d bytes of %d", e.Path, n, e.Size)
			}
			return err
		})
		if total > limits.Unpacked || len(seen) > limits.Files {
			t.Errorf("%d bytes in %d files", total, len(seen))
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || info.Complete) {
			t.Errorf("error %v, complete %v", err, info.Complete)
		}
	})
}
