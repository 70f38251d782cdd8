package archive

import (
	"archive/tar"
	"fmt"
	"io"
	"regexp"

	"github.com/klauspost/compress/gzip"
)

// tar reads a tar from the unpacked side of src.
func (w *walk) tar(src *source, head io.Reader) error {
	stream := &stream{r: head, walk: w, packed: src}
	if w.info.Format == TarGzip {
		unpacked, err := gzip.NewReader(head)
		if err != nil {
			return damaged("", err)
		}
		defer unpacked.Close()
		stream.r = unpacked
	}
	entries := tar.NewReader(stream)
	for {
		header, err := entries.Next()
		if err == io.EOF {
			return stream.end()
		}
		if err != nil {
			return damaged("", err)
		}
		if err := w.header(header, entries); err != nil {
			return err
		}
	}
}

// header handles one entry of a tar.
func (w *walk) header(h *tar.Header, content io.Reader) error {
	i := item{
		Entry: Entry{Path: h.Name, Size: h.Size},
		open:  func() (io.Reader, error) { return content, nil },
	}
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		w.info.Commit = commitID(h.PAXRecords["comment"])
		return nil
	case tar.TypeDir:
		i.dir = true
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
		if h.Mode&0o100 != 0 {
			i.Mode = Executable
		}
	case tar.TypeSymlink:
		i.Mode, i.Link, i.Size = Symlink, h.Linkname, 0
	case tar.TypeLink:
		return &Error{Code: PathEscape, Path: h.Name, Text: "is a hard link"}
	default:
		i.other = fmt.Sprintf("neither a file nor a folder nor a link (type %q)", h.Typeflag)
	}
	return w.add(i)
}

var commitPattern = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// commitID is the comment that git archive writes, when it is the id of a commit.
func commitID(comment string) string {
	if commitPattern.MatchString(comment) {
		return comment
	}
	return ""
}

// stream is the unpacked tar. It bounds its size, and remembers whether it ends in zeros.
type stream struct {
	r      io.Reader
	walk   *walk
	packed *source
	n      int64
	zeros  int // zero bytes at the end of what was read
}

// ratioFrom is where the rate of compression begins to count.
const ratioFrom = 8 << 20

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.countZeros(p[:n])
	limits := s.walk.options.Limits
	switch {
	case s.n > limits.Unpacked:
		return n, s.walk.tooMuch()
	case s.n > ratioFrom && s.n/limits.Ratio > s.packed.n:
		return n, &Error{Code: TooLarge, Text: fmt.Sprintf("unpacks to more than %d times its size", limits.Ratio)}
	}
	return n, err
}

func (s *stream) countZeros(p []byte) {
	zeros := 0
	for zeros < len(p) && p[len(p)-1-zeros] == 0 {
		zeros++
	}
	if zeros == len(p) {
		zeros += s.zeros
	}
	s.zeros = zeros
}

// end is called at the end of the entries. A tar ends with blocks of zeros, which an archive
// that was cut between two entries has not; what follows them is read so that the
// checksum of gzip is seen.
func (s *stream) end() error {
	if s.zeros < 512 {
		return damaged("", io.ErrUnexpectedEOF)
	}
	if _, err := io.Copy(io.Discard, s); err != nil {
		return damaged("", err)
	}
	return nil
}
