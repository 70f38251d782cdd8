package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLimits(t *testing.T) {
	entries := []tar.Header{file("a", strings.Repeat("a", 1000)), file("b/c/d", "1")}
	deep := []tar.Header{file(strings.Repeat("d/", 64)+"f", "")}
	for _, test := range []struct {
		name    string
		entries []tar.Header
		limits  Limits
		ok      bool
	}{
		{"all within", entries, Limits{File: 1000, Files: 2, Depth: 3}, true},
		{"file one over", entries, Limits{File: 999}, false},
		{"entries one over", entries, Limits{Files: 1}, false},
		{"depth one over", entries, Limits{Depth: 2}, false},
		{"sum one over", entries, Limits{Unpacked: 1000}, false},
		{"deeper than the default", deep, Limits{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, data := range map[string][]byte{
				"tar": packTar(t, test.entries...), "tar.gz": packGzip(packTar(t, test.entries...)), "zip": tarToZip(t, test.entries),
			} {
				_, _, err := list(t, bytes.NewReader(data), Options{Limits: test.limits, Temp: t.TempDir()})
				if test.ok && err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if !test.ok {
					wantCode(t, err, TooLarge)
				}
			}
		})
	}
}

func TestZipLimits(t *testing.T) {
	data := tarToZip(t, []tar.Header{file("a", "1")})
	_, _, err := list(t, bytes.NewReader(data), Options{Limits: Limits{Packed: int64(len(data)) - 1}, Temp: t.TempDir()})
	wantCode(t, err, TooLarge)

	var many []tar.Header
	for range 4000 { // a directory of 400 KB for one allowed entry
		many = append(many, file(strings.Repeat("n", 54), ""))
	}
	_, _, err = list(t, bytes.NewReader(tarToZip(t, many)), Options{Limits: Limits{Files: 1}, Temp: t.TempDir()})
	if e := wantCode(t, err, TooLarge); !strings.Contains(e.Text, "directory") {
		t.Errorf("the directory was read whole: %v", err)
	}

	long := []tar.Header{{Name: "l", Typeflag: tar.TypeSymlink, Linkname: strings.Repeat("x", 4097)}}
	_, _, err = list(t, bytes.NewReader(tarToZip(t, long)), Options{Temp: t.TempDir()})
	wantCode(t, err, TooLarge)
}

func TestBombsGoOffNowhere(t *testing.T) {
	zeros := io.LimitReader(zeroReader{}, 32<<20)
	bomb := func(write func(w io.Writer)) []byte {
		var b bytes.Buffer
		write(&b)
		return b.Bytes()
	}
	for name, data := range map[string][]byte{
		"tar.gz": bomb(func(w io.Writer) {
			z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
			tw := tar.NewWriter(z)
			tw.WriteHeader(&tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Size: 12 << 20})
			io.CopyN(tw, zeros, 12<<20)
			tw.Close()
			z.Close()
		}),
		"zip": bomb(func(w io.Writer) {
			z := zip.NewWriter(w)
			for _, name := range []string{"a", "b"} {
				f, _ := z.Create(name)
				io.CopyN(f, zeros, 6<<20)
			}
			z.Close()
		}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), bytes.NewReader(data), Options{Temp: t.TempDir()}, func(_ Entry, r io.Reader) error {
				_, err := io.Copy(io.Discard, r)
				return err
			})
			wantCode(t, err, TooLarge)
		})
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestSniff(t *testing.T) {
	oldTar := packTar(t, file("a", ""))
	copy(oldTar[257:265], make([]byte, 8)) // no "ustar": the sum is found anew
	for _, test := range []struct {
		name, media string
		head        []byte
		format      Format
		code        Code
		text        string
	}{
		{"pack.tar.gz", "", packGzip(nil), TarGzip, "", ""},
		{"pack.zip", "text/plain", packGzip(nil), TarGzip, "", ""},
		{"pack.zip", "", []byte("PK\x03\x04rest"), Zip, "", ""},
		{"empty.zip", "", []byte("PK\x05\x06rest"), Zip, "", ""},
		{"pack.tar", "", packTar(t, file("a", "")), Tar, "", ""},
		{"empty.tar", "", make([]byte, 1024), Tar, "", ""},
		{"wrong sum", "", oldTar, "", WrongContent, "none"},
		{"", "text/html; charset=utf-8", []byte("\n<!DOCTYPE html><title>Sign in</title>"), "", WrongContent, "sign in"},
		{"", "", []byte("\xef\xbb\xbf <HTML lang=en>"), "", WrongContent, "sign in"},
		{"", "text/html", []byte("Please sign in"), "", WrongContent, "sign in"},
		{"", "application/json", []byte(`{"message":"Not Found"}`), "", WrongContent, "application/json"},
		{"x/pack.tgz", "", []byte("hello"), "", WrongContent, `"pack.tgz"`},
		{"", "", nil, "", WrongContent, "empty"},
		{"pack.tar.bz2", "", []byte("BZh91AY"), "", Unsupported, "bzip2"},
		{"pack.tar.xz", "", []byte("\xfd7zXZ\x00\x00"), "", Unsupported, "xz"},
		{"pack.tar.zst", "", []byte("\x28\xb5\x2f\xfd\x00"), "", Unsupported, "zstd"},
		{"pack.7z", "", []byte("7z\xbc\xaf\x27\x1c\x00"), "", Unsupported, "7z"},
		{"pack.rar", "", []byte("Rar!\x1a\x07\x00"), "", Unsupported, "rar"},
	} {
		got, err := Sniff(test.media, test.name, test.head[:min(len(test.head), 512)])
		if got != test.format {
			t.Errorf("%q, %q: got %q", test.name, test.head, got)
		}
		if test.code == "" && err == nil {
			continue
		}
		if e := wantCode(t, err, test.code); !strings.Contains(e.Text, test.text) {
			t.Errorf("%q: %v does not say %q", test.head, err, test.text)
		}
	}
}

// 3.9/12: a page.
func TestLoginPageInPlaceOfAnArchive(t *testing.T) {
	page := "<!doctype html><html><body>" + strings.Repeat("Sign in. ", 100)
	got, _, err := list(t, strings.NewReader(page), Options{ContentType: "text/html"})
	wantCode(t, err, WrongContent)
	if got != nil {
		t.Errorf("the sink got %q", got)
	}
}

func TestArchivesOfOtherPrograms(t *testing.T) {
	dir, _ := repository(t)
	python := `import sys, zipfile
z = zipfile.ZipFile(sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED)
def put(name, data, system, mode=0):
    i = zipfile.ZipInfo(name); i.create_system = system; i.external_attr = mode << 16; i.compress_type = zipfile.ZIP_DEFLATED
    i.filename = name
    z.writestr(i, data)
put("run.sh", "sh", 3, 0o100755)
put("plain", "p", 3, 0o100644)
put("link", "plain", 3, 0o120777)
put("win\\dir\\f.md", "w", 0)
put("unix\\f.md", "u", 3, 0o100644)
z.close()`
	for _, test := range []struct {
		name string
		cmd  *exec.Cmd
		want []string
	}{
		{"python zipfile", exec.Command("python3", "-c", python),
			[]string{"x run.sh sh", "f plain p", "l link plain", "f win/dir/f.md w", "f unix/f.md u"}},
		{"tar of a directory", exec.Command("tar", "-C", dir, "-cf", "-", "--sort=name", "docs/a.md", "skills", ".git"),
			[]string{"f docs/a.md a", "f skills/pdf/SKILL.md skill\n", "l skills/pdf/a.md ../../docs/a.md", "x skills/pdf/scripts/run.sh #!/bin/sh\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			data, err := test.cmd.Output()
			if errors.Is(err, exec.ErrNotFound) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, info, err := list(t, bytes.NewReader(data), Options{Temp: t.TempDir()})
			if err != nil || !info.Complete {
				t.Fatal(info, err)
			}
			if diff := cmp.Diff(sorted(test.want), sorted(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEncryptedAndOddMethodsAreUnsupported(t *testing.T) {
	plain := tarToZip(t, []tar.Header{file("a", "1")})
	at := bytes.Index(plain, []byte("PK\x01\x02")) // the entry in the directory
	for name, change := range map[string]func(entry []byte){
		"encrypted": func(entry []byte) { entry[8] |= 1 },
		"method":    func(entry []byte) { entry[10] = 12 },
	} {
		data := bytes.Clone(plain)
		change(data[at:])
		_, _, err := list(t, bytes.NewReader(data), Options{Temp: t.TempDir()})
		if e := wantCode(t, err, Unsupported); e.Path != "a" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
