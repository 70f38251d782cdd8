package catalog

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Digester computes the digest of a skill from the hashes of its files, in any
// order. The zero value is ready. It is not safe for concurrent use.
type Digester struct {
	lines []digestLine
}

type digestLine struct{ path, text string }

// Add takes one file: its path below the skill, whether it is executable, and
// the SHA-256 of its bytes.
func (d *Digester) Add(path string, executable bool, sum [32]byte) {
	kind := "-"
	if executable {
		kind = "x"
	}
	d.lines = append(d.lines, digestLine{path, hex.EncodeToString(sum[:]) + " " + kind + " " + path + "\n"})
}

// Sum gives "s1:" and the base64 of a SHA-256 over one line a file, sorted by
// the bytes of the paths: the file's SHA-256 in hex, a blank, "-" or "x" for
// executable, a blank, the path, a newline.
func (d *Digester) Sum() string {
	slices.SortFunc(d.lines, func(a, b digestLine) int { return strings.Compare(a.path, b.path) })
	h := sha256.New()
	for _, line := range d.lines {
		io.WriteString(h, line.text)
	}
	return "s1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// Digest reads every file of a list that Files made and gives its digest.
func Digest(fsys fs.FS, files []File) (string, error) {
	var d Digester
	for _, f := range files {
		sum, err := hashFile(fsys, f.From)
		if err != nil {
			return "", err
		}
		d.Add(f.Path, f.Executable, sum)
	}
	return d.Sum(), nil
}

func hashFile(fsys fs.FS, name string) (sum [32]byte, err error) {
	in, err := fsys.Open(name)
	if err != nil {
		return sum, err
	}
	defer in.Close()
	h := sha256.New()
	_, err = io.Copy(h, in)
	return [32]byte(h.Sum(nil)), err
}

// identified is a file system that knows git ids without reading.
type identified interface {
	ObjectID(name string) (id string, ok bool)
}

func objectID(fsys fs.FS, name string) (string, bool) {
	if ids, ok := fsys.(identified); ok {
		return ids.ObjectID(name)
	}
	return "", false
}

// TreeID gives the id that git (SHA-1) has for a directory, from its bytes:
// modes 100644, 100755 and 120000, no empty directories, no .git. A submodule
// needs a file system that knows its commit.
func TreeID(fsys fs.FS, dir string) (string, error) {
	id, _, err := treeOf(fsys, path.Clean(dir))
	return hex.EncodeToString(id), err
}

// treeOf gives the id of a tree and the number of its entries.
func treeOf(fsys fs.FS, dir string) ([]byte, int, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, 0, err
	}
	gitOrder(entries)
	var body bytes.Buffer
	count := 0
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		mode, id, err := gitEntry(fsys, path.Join(dir, e.Name()), e)
		if err != nil {
			return nil, 0, err
		}
		if len(id) == 0 {
			continue
		}
		count++
		fmt.Fprintf(&body, "%s %s\x00%s", mode, e.Name(), id)
	}
	id, err := gitObject("tree", int64(body.Len()), &body)
	return id, count, err
}

// gitOrder sorts a directory as if its name ended in a slash, as git does.
func gitOrder(entries []fs.DirEntry) {
	key := func(e fs.DirEntry) string {
		if e.IsDir() {
			return e.Name() + "/"
		}
		return e.Name()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(key(a), key(b)) })
}

// gitEntry gives mode and id of one entry; no id for an empty directory.
func gitEntry(fsys fs.FS, name string, e fs.DirEntry) (mode string, id []byte, err error) {
	switch e.Type() {
	case 0:
		return gitFile(fsys, name)
	case fs.ModeDir:
		id, count, err := treeOf(fsys, name)
		if count == 0 {
			return "", nil, err
		}
		return "40000", id, err
	case fs.ModeSymlink:
		target, err := fs.ReadLink(fsys, name)
		if err != nil {
			return "", nil, err
		}
		id, err := gitObject("blob", int64(len(target)), strings.NewReader(target))
		return "120000", id, err
	case fs.ModeIrregular:
		id, err := gitCommit(fsys, name)
		return "160000", id, err
	}
	return "", nil, fmt.Errorf("%q is not a file", name) // opening a pipe would wait for ever
}

// gitCommit gives the commit that a submodule stands at.
func gitCommit(fsys fs.FS, name string) ([]byte, error) {
	text, known := objectID(fsys, name)
	if !known {
		return nil, fmt.Errorf("%q is a submodule whose commit is not known", name)
	}
	return hex.DecodeString(text)
}

func gitFile(fsys fs.FS, name string) (string, []byte, error) {
	in, err := fsys.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", nil, err
	}
	mode := "100644"
	if info.Mode()&0o111 != 0 {
		mode = "100755"
	}
	id, err := gitObject("blob", info.Size(), in)
	return mode, id, err
}

// gitObject hashes an object as git does: kind, size, NUL, bytes. A reader that
// does not hold the size it promised is an error.
func gitObject(kind string, size int64, r io.Reader) ([]byte, error) {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, size)
	n, err := io.Copy(h, r)
	if err == nil && n != size {
		err = fmt.Errorf("it has %d bytes and promised %d", n, size)
	}
	return h.Sum(nil), err
}
