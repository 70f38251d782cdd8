package archive

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// walk is one reading of an archive.
type walk struct {
	options Options
	sink    Sink
	info    Info
	seen    map[string]bool // path -> is a directory
	files   int             // entries
	bytes   int64           // of files
	inside  bool            // an entry below Below has been seen
}

// item is an entry as it stands in the archive.
type item struct {
	Entry
	dir   bool
	other string                    // what it is, when it is none of the modes and no folder
	open  func() (io.Reader, error) // content of a file
}

// add checks one item and gives it to the sink.
func (w *walk) add(i item) error {
	raw := i.Path
	var err error
	if i.Path, err = clean(raw); err != nil {
		return err
	}
	if w.files++; w.files > w.options.Limits.Files {
		return &Error{Code: TooLarge, Text: fmt.Sprintf("holds more than %d entries", w.options.Limits.Files)}
	}
	if i.Path == "" || w.isLitter(i.Path) {
		return nil
	}
	if w.options.Strip {
		if i.Path, err = w.strip(i); err != nil || i.Path == "" {
			return err
		}
	}
	if i.other != "" {
		w.info.Notes = append(w.info.Notes, Note{Path: i.Path, Reason: "is " + i.other})
		return nil
	}
	if err := w.record(i.Path, i.dir); err != nil {
		return err
	}
	if !within(i.Path, w.options.Below) {
		if w.inside && w.options.Ordered {
			return ErrStop
		}
		return nil
	}
	w.inside = true
	if i.dir {
		return nil
	}
	return w.deliver(i)
}

func (w *walk) deliver(i item) error {
	if i.Mode == Symlink {
		return w.sink(i.Entry, nil)
	}
	if i.Size > w.options.Limits.File {
		return &Error{Code: TooLarge, Path: i.Path, Text: fmt.Sprintf("is larger than %d bytes", w.options.Limits.File)}
	}
	if w.bytes += i.Size; w.bytes > w.options.Limits.Unpacked {
		return w.tooMuch()
	}
	r, err := i.open()
	if err != nil {
		return err
	}
	if closer, ok := r.(io.Closer); ok {
		defer closer.Close()
	}
	content := &content{r: r}
	if err := w.sink(i.Entry, content); content.err == nil {
		return err
	}
	return damaged(i.Path, content.err) // the cause, whatever the sink made of it
}

func (w *walk) tooMuch() error {
	return &Error{Code: TooLarge, Text: fmt.Sprintf("unpacks to more than %d bytes", w.options.Limits.Unpacked)}
}

// content is what a sink reads; it keeps the error.
type content struct {
	r   io.Reader
	err error // not io.EOF
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// damaged makes an error about the archive's bytes, unless err is one already.
func damaged(name string, err error) error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Code: WrongContent, Path: name, Text: "ends early", Err: io.ErrUnexpectedEOF}
	}
	return &Error{Code: WrongContent, Path: name, Text: "is damaged", Err: err}
}

// clean makes a relative path of an entry's name. "" is the root.
func clean(name string) (string, error) {
	escape := func(text string) (string, error) {
		return "", &Error{Code: PathEscape, Path: name, Text: text}
	}
	if name != "" && (name[0] == '/' || name[0] == '\\') || isDrive(name) {
		return escape("is an absolute path")
	}
	if strings.Contains(name, "\x00") {
		return escape("holds a NUL")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return escape("leads out of the archive")
		}
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/"), nil
}

// isDrive tells absolute paths of Windows: "C:\x", "c:/x".
func isDrive(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') &&
		(name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// isLitter tells what is part of no tree: what macOS adds to a zip, and a git directory, which no git tree can hold and which is noted.
func (w *walk) isLitter(name string) bool {
	if name == "__MACOSX" || strings.HasPrefix(name, "__MACOSX/") {
		return true
	}
	before, _, found := strings.Cut("/"+name+"/", "/.git/")
	if found {
		note := Note{Path: strings.TrimPrefix(before+"/.git", "/"), Reason: "is a git directory, which is no part of a skill"}
		if !slices.Contains(w.info.Notes[max(0, len(w.info.Notes)-1):], note) { // its entries mostly follow each other
			w.info.Notes = append(w.info.Notes, note)
		}
	}
	return found
}

// strip removes the top folder. Everything must be in the same one.
func (w *walk) strip(i item) (string, error) {
	top, rest, below := strings.Cut(i.Path, "/")
	if !below && !i.dir || w.info.Top != "" && top != w.info.Top {
		return "", &Error{Code: WrongContent, Path: i.Path, Text: "is not in the one top folder that all others are in"}
	}
	w.info.Top = top
	return rest, nil
}

// record refuses names that come twice or lead through a file or a link. The depth is bounded
// first, for every level is kept.
func (w *walk) record(name string, dir bool) error {
	if depth := strings.Count(name, "/") + 1; depth > w.options.Limits.Depth {
		return &Error{Code: TooLarge, Path: name, Text: fmt.Sprintf("is more than %d levels deep", w.options.Limits.Depth)}
	}
	if isDir, there := w.seen[name]; there && !(isDir && dir) {
		return &Error{Code: Unsupported, Path: name, Text: "comes twice"}
	}
	w.seen[name] = dir
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		isDir, there := w.seen[parent]
		if there && !isDir {
			return &Error{Code: PathEscape, Path: name, Text: fmt.Sprintf("leads through %q, which is no folder", parent)}
		}
		if there {
			break
		}
		w.seen[parent] = true
	}
	return nil
}

func within(name, below string) bool {
	return below == "" || name == below || strings.HasPrefix(name, below+"/")
}
