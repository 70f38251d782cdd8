package archive

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// zip reads a zip, whose directory stands at its end: from r itself when that is a file,
// else from a copy of head.
func (w *walk) zip(r io.Reader, head io.Reader) error {
	if file, ok := r.(*os.File); ok {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		return w.zipAt(file, info.Size())
	}
	file, err := os.CreateTemp(w.options.Temp, "archive-*.zip")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	size, err := io.Copy(file, io.LimitReader(head, w.options.Limits.Packed+1))
	if err != nil {
		return err
	}
	return w.zipAt(file, size)
}

func (w *walk) zipAt(file io.ReaderAt, size int64) error {
	limits := w.options.Limits
	if size > limits.Packed {
		return &Error{Code: TooLarge, Text: fmt.Sprintf("is larger than %d bytes", limits.Packed)}
	}
	// The directory is kept in memory, so its size is bounded, by bytes that are read for it.
	budget := &budget{ReaderAt: file, left: 256<<10 + 512*int64(limits.Files), files: limits.Files}
	archive, err := zip.NewReader(budget, size)
	if err != nil {
		return damaged("", err)
	}
	budget.left = -1
	w.info.Commit = commitID(archive.Comment)
	for _, f := range archive.File {
		if err := w.zipped(f); err != nil {
			return err
		}
		if w.bytes > ratioFrom && w.bytes/limits.Ratio > size {
			return &Error{Code: TooLarge, Text: fmt.Sprintf("unpacks to more than %d times its size", limits.Ratio)}
		}
	}
	return nil
}

// zipped handles one entry of a zip.
func (w *walk) zipped(f *zip.File) error {
	i := item{
		Entry: Entry{Path: f.Name, Size: int64(min(f.UncompressedSize64, 1<<62))},
		open:  func() (io.Reader, error) { return open(f) },
	}
	if !strings.Contains(f.Name, "/") { // some programs write "\" between folders, against the specification (APPNOTE 4.4.17)
		i.Path = strings.ReplaceAll(f.Name, `\`, "/")
	}
	mode := f.Mode()
	switch {
	case mode.IsDir() || strings.HasSuffix(i.Path, "/"):
		i.dir = true
	case mode&fs.ModeSymlink != 0:
		link, err := readLink(f)
		if err != nil {
			return err
		}
		i.Mode, i.Link, i.Size = Symlink, link, 0
	case !mode.IsRegular():
		i.other = "neither a file nor a folder nor a link"
	case mode&0o100 != 0:
		i.Mode = Executable
	}
	return w.add(i)
}

// open opens the content of an entry. Encrypted ones and methods but deflate and none are
// not read.
func open(f *zip.File) (io.Reader, error) {
	if f.Flags&1 != 0 {
		return nil, &Error{Code: Unsupported, Path: f.Name, Text: "is encrypted"}
	}
	if f.Method != zip.Store && f.Method != zip.Deflate {
		return nil, &Error{Code: Unsupported, Path: f.Name, Text: fmt.Sprintf("is compressed by method %d", f.Method)}
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(f.Name, err)
	}
	return r, nil
}

// longestLink bounds the target of a link; Linux has the same bound for a path.
const longestLink = 4096

func readLink(f *zip.File) (string, error) {
	r, err := open(f)
	if err != nil {
		return "", err
	}
	target, err := io.ReadAll(io.LimitReader(r, longestLink+1))
	if err != nil {
		return "", damaged(f.Name, err)
	}
	if len(target) > longestLink {
		return "", &Error{Code: TooLarge, Path: f.Name, Text: fmt.Sprintf("is a link of more than %d bytes", longestLink)}
	}
	return string(target), nil
}

// budget bounds how many bytes are read; a negative one ends the bound.
type budget struct {
	io.ReaderAt
	left  int64
	files int
}

func (b *budget) ReadAt(p []byte, offset int64) (int, error) {
	if b.left >= 0 {
		if b.left -= int64(len(p)); b.left < 0 {
			b.left = 0
			return 0, &Error{Code: TooLarge, Text: fmt.Sprintf("has a directory that is too large for %d entries", b.files)}
		}
	}
	return b.ReaderAt.ReadAt(p, offset)
}
