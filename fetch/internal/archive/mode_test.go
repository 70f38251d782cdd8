package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyTheOwnersXBitCounts(t *testing.T) {
	var headers []tar.Header
	var want []string
	for mode, kind := range map[int64]string{
		0o664: "f", 0o775: "x", 0o644: "f", 0o755: "x", 0o744: "x", 0o654: "f", 0o645: "f", 0o100: "x", 0o4644: "f", 0o7777: "x", 0: "f",
	} {
		name := fmt.Sprintf("m%o", mode)
		h := file(name, "")
		h.Mode = mode
		headers = append(headers, h)
		want = append(want, kind+" "+name+" ")
	}
	got, _, err := list(t, bytes.NewReader(packTar(t, headers...)), Options{})
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestSinkNeedNotReadWhatItGets(t *testing.T) {
	headers := []tar.Header{file("a", strings.Repeat("a", 3000)), file("b", "b"), file("c", strings.Repeat("c", 600)), file("d", "d")}
	for name, data := range map[string][]byte{"tar": packTar(t, headers...), "tar.gz": packGzip(packTar(t, headers...)), "zip": tarToZip(t, headers)} {
		var got []string
		info, err := Read(t.Context(), bytes.NewReader(data), Options{Temp: t.TempDir()}, func(e Entry, r io.Reader) error {
			if e.Size > 1 {
				_, err := io.ReadFull(r, make([]byte, 10))
				return err
			}
			data, err := io.ReadAll(r)
			got = append(got, string(data))
			return err
		})
		if err != nil || !info.Complete || !cmp.Equal(got, []string{"b", "d"}) {
			t.Errorf("%s: got %q, %+v, %v", name, got, info, err)
		}
	}
}

func TestErrorOfTheSinkIsNotTakenForDamage(t *testing.T) {
	full := errors.New("no space left on device")
	for name, data := range map[string][]byte{
		"tar": packTar(t, file("a", "text")), "zip": tarToZip(t, []tar.Header{file("a", "text")}),
	} {
		_, err := Read(t.Context(), bytes.NewReader(data), Options{Temp: t.TempDir()}, func(_ Entry, r io.Reader) error {
			io.Copy(io.Discard, r)
			return full
		})
		if err != full {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestNamesOfEveryTarFormat(t *testing.T) {
	long := strings.Repeat("a-long-folder-name/", 20) + "ünï.md"
	for _, format := range []tar.Format{tar.FormatPAX, tar.FormatGNU} {
		link := tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: strings.Repeat("../", 50) + "x", Format: format}
		h := file(long, "1")
		h.Format = format
		got, _, err := list(t, bytes.NewReader(packTar(t, h, link)), Options{})
		if err != nil || !cmp.Equal(got, []string{"f " + long + " 1", "l l " + link.Linkname}) {
			t.Errorf("%v: got %q, %v", format, got, err)
		}
	}
}

func TestCommitMustLookLikeOne(t *testing.T) {
	sha1, sha256 := strings.Repeat("0a", 20), strings.Repeat("0a", 32)
	for comment, want := range map[string]string{
		sha1: sha1, sha256: sha256, strings.ToUpper(sha1): "", sha1[1:]: "", "made by hand": "", sha1 + "\n": "",
	} {
		header := tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header", PAXRecords: map[string]string{"comment": comment}}
		_, info, err := list(t, bytes.NewReader(packTar(t, header, file("top/a", ""))), Options{Strip: true})
		if err != nil || info.Commit != want || info.Top != "top" {
			t.Errorf("%q gives %+v, %v", comment, info, err)
		}
	}
}

func TestZipThatWasWrittenAsAStream(t *testing.T) {
	// an output that cannot seek: sizes stand behind the contents (bit 3 of the flags)
	python := `import sys, zipfile
class Pipe:
    def write(self, b): return sys.stdout.buffer.write(b)
    def flush(self): pass
z = zipfile.ZipFile(Pipe(), "w", zipfile.ZIP_DEFLATED)
z.writestr("top/", "")
z.writestr("top/a.md", "a" * 1000)
z.comment = b"0a" * 20
z.close()`
	data, err := exec.Command("python3", "-c", python).Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, info, err := list(t, bytes.NewReader(data), Options{Strip: true, Temp: t.TempDir()})
	if err != nil || !cmp.Equal(got, []string{"f a.md " + strings.Repeat("a", 1000)}) || info.Commit != strings.Repeat("0a", 20) {
		t.Errorf("got %q, %+v, %v", got, info, err)
	}
}

func TestErrorsNameTheEntry(t *testing.T) {
	_, _, err := list(t, bytes.NewReader(packTar(t, file("a/../../x\x1b", ""))), Options{})
	if got, want := fmt.Sprint(err), `the archive's entry "a/../../x\x1b" leads out of the archive`; got != want {
		t.Errorf("got %s", got)
	}
	e := &Error{Code: WrongContent, Text: "ends early", Err: io.ErrUnexpectedEOF}
	if e.Error() != "the archive ends early: unexpected EOF" || !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Error(e)
	}
}
