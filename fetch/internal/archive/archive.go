// Package archive reads tar, tar.gz and zip archives as a stream of files.
//
// It writes nothing but, for a zip that cannot be read at will, one temporary file. Rules
// it enforces:
//
//   - the bytes decide what an archive is, not its name: a page of HTML is wrong content;
//   - a name that is absolute, holds "..", or leads through a link or a file of the same archive
//     is an error, and so is a name that comes twice, and a hard link;
//   - of the modes only the owner's x bit counts (servers hand out 0664 and 0775);
//   - bytes, files, depth and the rate of compression are bounded, and a bound that is
//     exceeded is an error; so is an archive that ends early.
//
// Names are passed on as they are otherwise, for a git repository may hold any: it is the
// checker of whoever installs a file that decides about blanks, colons and control
// characters. The targets of links are passed on unchecked, too.
//
// A use:
//
//	info, err := archive.Read(ctx, resp.Body, archive.Options{Strip: true}, func(e archive.Entry, r io.Reader) error {
//		return add(e.Path, e.Mode, r)
//	})
package archive

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Mode is what an entry is.
type Mode int

// The modes: those of git.
const (
	File Mode = iota
	Executable
	Symlink
)

// Entry is a file or a link. Directories are not reported: they are where files are.
type Entry struct {
	Path string // slash separated, clean, without the folder that Strip removes
	Mode Mode
	Size int64  // bytes of a file, as announced
	Link string // target of a Symlink, as written
}

// Options say what is read.
type Options struct {
	Strip bool   // remove the one top folder that holds everything
	Below string // report only what is at or below this path, "" for all
	// Ordered says that the files of a folder stand together, as in the archives git makes:
	// reading then ends when all of Below has been read, and what follows is not checked.
	Ordered bool
	Limits  Limits
	Temp    string // directory for the temporary file of a zip, "" for the system's

	ContentType, Name string // what the server and the address say, for better errors only
}

// Limits bound an archive. A field that is zero stands for its value in [DefaultLimits].
type Limits struct {
	Packed   int64 // bytes of a zip; other archives are bounded by their stream
	Unpacked int64 // bytes of all files together, and of a tar as a whole
	File     int64 // bytes of one file
	Files    int   // number of entries, directories included
	Depth    int   // parts of a path
	Ratio    int64 // unpacked bytes for each packed one, looked at after 8 MiB
}

// DefaultLimits are far above any repository of skills: 1 GiB packed, 4 GiB unpacked,
// 256 MiB in one file, 250,000 entries, 64 levels, 200 bytes from one.
func DefaultLimits() Limits {
	return Limits{Packed: 1 << 30, Unpacked: 4 << 30, File: 256 << 20, Files: 250_000, Depth: 64, Ratio: 200}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Packed: cmp.Or(l.Packed, d.Packed), Unpacked: cmp.Or(l.Unpacked, d.Unpacked), File: cmp.Or(l.File, d.File),
		Files: cmp.Or(l.Files, d.Files), Depth: cmp.Or(l.Depth, d.Depth), Ratio: cmp.Or(l.Ratio, d.Ratio),
	}
}

// Info is what an archive said about itself.
type Info struct {
	Format   Format
	Commit   string // 40 or 64 hex digits, when git wrote them into the archive; nothing proves them
	Top      string // the folder that Strip removed
	Complete bool   // false when reading ended before the archive did
	Notes    []Note // what was left out
}

// Note names an entry that was left out, and why.
type Note struct{ Path, Reason string }

// Code is the word for a kind of error.
type Code string

// The codes of errors.
const (
	WrongContent Code = "wrong_content" // no archive, a damaged one, or one that ends early
	PathEscape   Code = "path_escape"   // a name that leads out of the archive
	Unsupported  Code = "unsupported"   // a format or an entry that this package does not read
	TooLarge     Code = "too_large"     // a limit is exceeded
)

// Error says what is wrong with an archive. Errors of the stream itself and of the sink are
// returned as they are.
type Error struct {
	Code Code
	Path string // the entry, when it is about one
	Text string
	Err  error // the cause, if any
}

// Error is a sentence.
func (e *Error) Error() string {
	text := "the archive " + e.Text
	if e.Path != "" {
		text = fmt.Sprintf("the archive's entry %q %s", e.Path, e.Text)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrStop, returned by a sink, ends the reading without an error.
var ErrStop = errors.New("enough of the archive is read")

// Sink takes one entry. It need not read r to its end; r is nil for a link.
type Sink func(e Entry, r io.Reader) error

// Read gives the entries of an archive to sink, in the order in which they stand there. The
// format is found by [Sniff]. A zip is copied to a temporary file first, unless r is an
// *os.File. Read does not close r.
func Read(ctx context.Context, r io.Reader, o Options, sink Sink) (Info, error) {
	o.Limits = o.Limits.orDefault()
	o.Below = strings.Trim(o.Below, "/")
	src := &source{ctx: ctx, r: r}
	head := bufio.NewReaderSize(src, 64<<10)
	first, err := head.Peek(sniffed)
	if err != nil && err != io.EOF {
		return Info{}, err
	}
	w := &walk{options: o, sink: sink, seen: map[string]bool{}}
	if w.info.Format, err = Sniff(o.ContentType, o.Name, first); err != nil {
		return w.info, err
	}
	if w.info.Format == Zip {
		err = w.zip(r, head)
	} else {
		err = w.tar(src, head)
	}
	if w.info.Complete = err == nil; errors.Is(err, ErrStop) {
		err = nil
	}
	if err != nil && src.err != nil {
		err = src.err // the stream failed, not the archive
	}
	return w.info, err
}

// source is the packed stream: it counts, keeps its own error, and ends with its context.
type source struct {
	ctx context.Context
	r   io.Reader
	n   int64
	err error // not io.EOF
}

func (s *source) Read(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
