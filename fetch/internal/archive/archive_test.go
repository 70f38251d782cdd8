package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// list reads an archive into lines "mode path content".
func list(t testing.TB, r io.Reader, o Options) ([]string, Info, error) {
	t.Helper()
	var lines []string
	info, err := Read(t.Context(), r, o, func(e Entry, r io.Reader) error {
		content := e.Link
		if e.Mode != Symlink {
			data, err := io.ReadAll(r)
			if err != nil {
				return fmt.Errorf("the sink says: %w", err)
			}
			if int64(len(data)) != e.Size {
				t.Errorf("%s announces %d bytes, has %d", e.Path, e.Size, len(data))
			}
			content = string(data)
		}
		lines = append(lines, fmt.Sprintf("%c %s %s", "fxl"[e.Mode], e.Path, content))
		return nil
	})
	return lines, info, err
}

func wantCode(t *testing.T, err error, code Code) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got error %v, want one of code %s", err, code)
	}
	return e
}

// packTar writes a tar of headers; the content of a file is its Linkname when it is no link.
func packTar(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		content := ""
		if h.Typeflag == tar.TypeReg {
			content, h.Linkname = h.Linkname, ""
			h.Size = int64(len(content))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name, content string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o664, Linkname: content}
}

func packGzip(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

// repository makes a git repository with one commit and returns its directory and commit.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	long := strings.Repeat("long-name-", 12) + ".md"
	script := `git init -q . && git config user.name t && git config user.email t@example.com
mkdir -p skills/pdf/scripts docs
printf 'skill\n' > skills/pdf/SKILL.md
printf '#!/bin/sh\n' > skills/pdf/scripts/run.sh && chmod 755 skills/pdf/scripts/run.sh
ln -s ../../docs/a.md skills/pdf/a.md
printf 'a' > docs/a.md
printf 'umlaut' > "docs/ä.md"
printf 'long' > "docs/` + long + `"
: > empty
git add . && git commit -qm one && git rev-parse HEAD`
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return dir, strings.TrimSpace(string(out))
}

func gitArchive(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "archive", "--prefix=r-abc/"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestArchivesOfGitGiveWhatTheRepositoryHolds(t *testing.T) {
	dir, commit := repository(t)
	want := []string{
		"f docs/a.md a",
		"f docs/" + strings.Repeat("long-name-", 12) + ".md long",
		"f docs/ä.md umlaut",
		"f empty ",
		"l skills/pdf/a.md ../../docs/a.md",
		"f skills/pdf/SKILL.md skill\n",
		"x skills/pdf/scripts/run.sh #!/bin/sh\n",
	}
	for _, format := range []Format{Tar, TarGzip, Zip} {
		t.Run(string(format), func(t *testing.T) {
			data := gitArchive(t, dir, "--format="+string(format), "HEAD")
			got, info, err := list(t, bytes.NewReader(data), Options{Strip: true, Temp: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(Info{Format: format, Commit: commit, Top: "r-abc", Complete: true}, info); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("a tree has no commit", func(t *testing.T) {
		_, info, err := list(t, bytes.NewReader(gitArchive(t, dir, "--format=tar", "HEAD^{tree}")), Options{})
		if err != nil || info.Commit != "" {
			t.Errorf("got commit %q, %v", info.Commit, err)
		}
	})
}

func sorted(lines []string) map[string]bool {
	set := map[string]bool{}
	for _, line := range lines {
		set[line] = true
	}
	return set
}

func TestBelowAndOrderedReadNoMoreThanTheyMust(t *testing.T) {
	data := packTar(t, file("r/a", "1"), file("r/s/p/SKILL.md", "2"), file("r/s/p/x", "3"), file("r/s/pdf", "4"), file("../evil", "5"))
	o := Options{Strip: true, Below: "s/p", Ordered: true}
	got, info, err := list(t, bytes.NewReader(data), o)
	if err != nil || info.Complete || !cmp.Equal(got, []string{"f s/p/SKILL.md 2", "f s/p/x 3"}) {
		t.Errorf("got %q, %+v, %v", got, info, err)
	}
	o.Ordered = false
	_, _, err = list(t, bytes.NewReader(data), o)
	wantCode(t, err, PathEscape)
}

func TestSinkEndsTheReading(t *testing.T) {
	data := packTar(t, file("a", "1"), file("b", "2"))
	boom := errors.New("boom")
	for _, test := range []struct{ give, want error }{{ErrStop, nil}, {boom, boom}} {
		calls := 0
		info, err := Read(t.Context(), bytes.NewReader(data), Options{}, func(Entry, io.Reader) error {
			calls++
			return test.give
		})
		if err != test.want || calls != 1 || info.Complete {
			t.Errorf("sink gave %v: %d calls, %+v, %v", test.give, calls, info, err)
		}
	}
}

// 3.9/14.
func TestHostileEntries(t *testing.T) {
	link := func(name, target string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
	}
	for _, test := range []struct {
		name    string
		entries []tar.Header
		code    Code
	}{
		{"parent", []tar.Header{file("../x", "")}, PathEscape},
		{"parent inside", []tar.Header{file("a/../../x", "")}, PathEscape},
		{"parent that stays inside", []tar.Header{file("a/../x", "")}, PathEscape},
		{"parent below the top", []tar.Header{file("r-sha/../../x", "")}, PathEscape},
		{"absolute", []tar.Header{file("/x", "")}, PathEscape},
		{"drive", []tar.Header{file(`C:\x`, "")}, PathEscape},
		{"drive with slash", []tar.Header{file("c:/x", "")}, PathEscape},
		{"share", []tar.Header{file(`\\srv\x`, "")}, PathEscape},
		{"through a link", []tar.Header{link("a", "/etc"), file("a/passwd", "")}, PathEscape},
		{"through a file", []tar.Header{file("a", ""), file("a/b/c", "")}, PathEscape},
		{"file in place of a folder", []tar.Header{file("a/b", ""), file("a", "")}, Unsupported},
		{"twice", []tar.Header{file("a", "1"), file("./a", "2")}, Unsupported},
		{"link in place of a file", []tar.Header{file("a", "1"), link("a", "/etc")}, Unsupported},
		{"hard link", []tar.Header{{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}}, PathEscape},
		{"device with a bad name", []tar.Header{{Name: "../d", Typeflag: tar.TypeChar}}, PathEscape},
		{"folder with a bad name", []tar.Header{{Name: "../d/", Typeflag: tar.TypeDir}}, PathEscape},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, data := range map[string][]byte{"tar": packTar(t, test.entries...), "zip": tarToZip(t, test.entries)} {
				if data == nil {
					continue
				}
				got, info, err := list(t, bytes.NewReader(data), Options{Temp: t.TempDir()})
				wantCode(t, err, test.code)
				if len(got) >= len(test.entries) || info.Complete {
					t.Errorf("%s: the sink got %q", name, got)
				}
			}
		})
	}
}

// tarToZip makes a zip of the same entries, nil when a zip cannot hold them.
func tarToZip(t testing.TB, headers []tar.Header) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, h := range headers {
		zh := &zip.FileHeader{Name: h.Name}
		if h.Linkname != "" {
			zh.Method = zip.Deflate
		}
		switch h.Typeflag {
		case tar.TypeReg:
			zh.SetMode(0o664)
		case tar.TypeSymlink:
			zh.SetMode(fs.ModeSymlink | 0o777)
		case tar.TypeDir:
			zh.SetMode(fs.ModeDir | 0o755)
		case tar.TypeChar:
			zh.SetMode(fs.ModeDevice | fs.ModeCharDevice)
		default:
			return nil
		}
		f, err := w.CreateHeader(zh)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeSymlink {
			io.WriteString(f, h.Linkname)
		}
	}
	w.Close()
	return b.Bytes()
}

func TestNamesThatGitMayHoldPass(t *testing.T) {
	names := []string{"icons/devicon:react.svg", `a\b.md`, "tab\there", "latin-\xe4", "...", "..a/b", "-rf", "C:"}
	var headers []tar.Header
	var want []string
	for _, name := range names {
		headers = append(headers, file("top/"+name, ""))
		want = append(want, "f "+name+" ")
	}
	got, _, err := list(t, bytes.NewReader(packTar(t, headers...)), Options{Strip: true})
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWhatIsPartOfNoTreeIsLeftOut(t *testing.T) {
	data := packTar(t,
		tar.Header{Name: "./", Typeflag: tar.TypeDir}, file("./a", "1"), file(".git/config", "x"), file(".git/HEAD", "x"), file("sub/.git", "gitdir: x"),
		file("__MACOSX/._a", "x"), tar.Header{Name: "fifo", Typeflag: tar.TypeFifo}, tar.Header{Name: "dev", Typeflag: tar.TypeBlock},
		file(".gitignore", "2"))
	got, info, err := list(t, bytes.NewReader(data), Options{})
	if err != nil || !cmp.Equal(got, []string{"f a 1", "f .gitignore 2"}) {
		t.Errorf("got %q, %v", got, err)
	}
	var noted []string
	for _, note := range info.Notes {
		noted = append(noted, note.Path)
	}
	if !cmp.Equal(noted, []string{".git", "sub/.git", "fifo", "dev"}) {
		t.Errorf("notes %+v", info.Notes)
	}
}

func TestStripNeedsOneTopFolder(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"two tops":        {file("a/x", ""), file("b/x", "")},
		"file at the top": {file("x", "")},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := list(t, bytes.NewReader(packTar(t, headers...)), Options{Strip: true})
			wantCode(t, err, WrongContent)
		})
	}
}

// 3.9/12: cut short.
func TestEveryCutIsSeen(t *testing.T) {
	whole := packTar(t, file("a", strings.Repeat("a", 700)), file("b", strings.Repeat("b", 512)))
	zipped := tarToZip(t, []tar.Header{file("a", strings.Repeat("a", 700)), file("b", "b")})
	for name, data := range map[string][]byte{"tar": whole[:len(whole)-1024], "tar.gz": packGzip(whole), "zip": zipped} {
		temp := t.TempDir()
		for n := range data {
			_, info, err := list(t, bytes.NewReader(data[:n]), Options{Temp: temp})
			var e *Error
			if !errors.As(err, &e) || e.Code != WrongContent || info.Complete {
				t.Fatalf("%s cut at %d of %d: got %+v, %v", name, n, len(data), info, err)
			}
		}
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("%s: %d temporary files are left", name, len(left))
		}
	}
}

// 3.9/12: damaged.
func TestDamageIsWrongContent(t *testing.T) {
	flip := func(data []byte, at int) []byte {
		data = bytes.Clone(data)
		data[at] ^= 0xff
		return data
	}
	packed := packGzip(packTar(t, file("a", "some text")))
	stored := tarToZip(t, []tar.Header{file("a", "some text")})
	for name, data := range map[string][]byte{
		"gzip checksum":   flip(packed, len(packed)-8),
		"gzip header":     flip(packed, 2),
		"gzip data":       flip(packed, 30),
		"gzip of no tar":  packGzip([]byte("hello")),
		"zip content":     flip(stored, 35),
		"gzip then noise": append(bytes.Clone(packed), "noise"...),
	} {
		t.Run(name, func(t *testing.T) {
			_, info, err := list(t, bytes.NewReader(data), Options{Temp: t.TempDir()})
			wantCode(t, err, WrongContent)
			if info.Complete {
				t.Error("counts as complete")
			}
		})
	}
}

func TestErrorsOfTheStreamStayWhatTheyAre(t *testing.T) {
	broken := errors.New("connection reset")
	whole := packTar(t, file("a", strings.Repeat("a", 200<<10)))
	for name, data := range map[string][]byte{
		"in a header": whole[:100], "in a file": whole[:100<<10], "before the end": whole[:len(whole)-1024],
		"in a gzip": packGzip(whole)[:150], "in a zip": tarToZip(t, []tar.Header{file("a", "b")})[:20],
	} {
		r := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken))
		if _, _, err := list(t, r, Options{Temp: t.TempDir()}); err != broken {
			t.Errorf("%s: got %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, bytes.NewReader(whole), Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a done context gave %v", err)
	}
}

func TestZipFromAFileNeedsNoCopy(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pack.zip")
	if err := os.WriteFile(name, tarToZip(t, []tar.Header{file("a", "1")}), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, _, err := list(t, f, Options{Temp: "/nonexistent"})
	if err != nil || !cmp.Equal(got, []string{"f a 1"}) {
		t.Errorf("got %q, %v", got, err)
	}
}
