package catalog

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// treeFS is a tree as a fetched one looks: everything can be listed, links are
// text, submodules are irregular, and where ids is set it knows an id for each
// content. With lazy set, only files that were loaded can be opened.
type treeFS struct {
	root   *node
	ids    bool
	lazy   bool
	loaded map[string]bool
	opened []string
}

type node struct {
	name string
	mode fs.FileMode
	data []byte
	kids map[string]*node
}

func newTree() *treeFS {
	return &treeFS{root: &node{name: ".", mode: fs.ModeDir | 0o755, kids: map[string]*node{}}, loaded: map[string]bool{}}
}

// tree builds a file system from paths and texts. The path may end in tags:
// " [link]", " [exec]", " [gitlink]", " [dir]".
func tree(_ testing.TB, files map[string]string) *treeFS {
	f := newTree()
	for name, text := range files {
		name, tags := cutTags(name)
		f.add(name, tags, []byte(text))
	}
	return f
}

func cutTags(name string) (string, []string) {
	var tags []string
	for strings.HasSuffix(name, "]") {
		i := strings.LastIndex(name, " [")
		tags = append(tags, name[i+2:len(name)-1])
		name = name[:i]
	}
	return name, tags
}

func (f *treeFS) add(name string, tags []string, data []byte) {
	mode := fs.FileMode(0o644)
	for _, tag := range tags {
		switch tag {
		case "link":
			mode = fs.ModeSymlink | 0o777
		case "exec":
			mode = 0o755
		case "gitlink":
			mode = fs.ModeIrregular
		case "pipe":
			mode = fs.ModeNamedPipe | 0o644
		case "dir":
			mode = fs.ModeDir | 0o755
		}
	}
	at := f.root
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		if at.kids[part] == nil {
			at.kids[part] = &node{name: part, mode: fs.ModeDir | 0o755, kids: map[string]*node{}}
		}
		at = at.kids[part]
	}
	last := parts[len(parts)-1]
	n := &node{name: last, mode: mode, data: data}
	if mode.IsDir() {
		n.kids = map[string]*node{}
	}
	at.kids[last] = n
}

func (f *treeFS) find(op, name string) (*node, error) {
	at := f.root
	if name == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		next := at.kids[part]
		if next == nil || part == "" {
			return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		at = next
	}
	return at, nil
}

func (f *treeFS) Open(name string) (fs.File, error) {
	n, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	f.opened = append(f.opened, name)
	if !n.mode.IsRegular() || f.lazy && !f.loaded[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not loaded")}
	}
	return &openNode{n, bytes.NewReader(n.data)}, nil
}

func (f *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	for _, kid := range slices.Sorted(maps.Keys(n.kids)) {
		list = append(list, fs.FileInfoToDirEntry(n.kids[kid].info()))
	}
	return list, nil
}

func (f *treeFS) Lstat(name string) (fs.FileInfo, error) {
	n, err := f.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return n.info(), nil
}

func (f *treeFS) ReadLink(name string) (string, error) {
	n, err := f.find("readlink", name)
	if err != nil {
		return "", err
	}
	if n.mode.Type() != fs.ModeSymlink {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return string(n.data), nil
}

func (f *treeFS) ObjectID(name string) (string, bool) {
	n, err := f.find("id", name)
	if err != nil || !f.ids {
		return "", false
	}
	return n.id(), true
}

// id is any id that is equal for equal content.
func (n *node) id() string {
	h := sha1.New()
	fmt.Fprintf(h, "%v %q", n.mode, n.data)
	for _, kid := range slices.Sorted(maps.Keys(n.kids)) {
		fmt.Fprintf(h, "%q %s", kid, n.kids[kid].id())
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (n *node) info() fs.FileInfo { return nodeInfo{n} }

type nodeInfo struct{ n *node }

func (i nodeInfo) Name() string       { return i.n.name }
func (i nodeInfo) Size() int64        { return int64(len(i.n.data)) }
func (i nodeInfo) Mode() fs.FileMode  { return i.n.mode }
func (i nodeInfo) ModTime() time.Time { return time.Time{} }
func (i nodeInfo) IsDir() bool        { return i.n.mode.IsDir() }
func (i nodeInfo) Sys() any           { return nil }

type openNode struct {
	n *node
	io.Reader
}

func (o *openNode) Stat() (fs.FileInfo, error) { return o.n.info(), nil }
func (o *openNode) Close() error               { return nil }

// archive reads a tree from the text form that testdata/README.md describes:
// the lines before the first file, and the tree.
func archive(t testing.TB, file string) (header []string, f *treeFS) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f = newTree()
	var name string
	var body strings.Builder
	flush := func() {
		if name != "" {
			f.addText(t, name, body.String())
		}
		body.Reset()
	}
	for line := range strings.Lines(string(raw)) {
		head, isHead := strings.CutPrefix(line, "-- ")
		head, closed := strings.CutSuffix(head, " --\n")
		switch {
		case isHead && closed:
			flush()
			name = head
		case name == "":
			header = append(header, strings.TrimSuffix(line, "\n"))
		default:
			body.WriteString(line)
		}
	}
	flush()
	return header, f
}

func (f *treeFS) addText(t testing.TB, head, text string) {
	t.Helper()
	name, tags := cutTags(head)
	if name[0] == '"' {
		var err error
		if name, err = strconv.Unquote(name); err != nil {
			t.Fatal(err)
		}
	}
	data := []byte(text)
	if slices.Contains(tags, "line") {
		data = bytes.TrimSuffix(data, []byte("\n"))
	}
	if slices.Contains(tags, "base64") {
		var err error
		if data, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", "")); err != nil {
			t.Fatal(err)
		}
	}
	f.add(name, tags, data)
}

// skill gives a valid document.
func skill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\nDo it.\n"
}

func codes(findings []Finding) []string {
	var list []string
	for _, f := range findings {
		list = append(list, f.Code)
	}
	return list
}

func paths1(list []Candidate) []string {
	var all []string
	for _, c := range list {
		all = append(all, path.Join(".", c.Path))
	}
	return all
}
