package store

import (
	"bufio"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
)

// inflater reads one zlib stream after the other and hashes what comes out. It holds about 50 kB and is used again.
type inflater struct {
	buffer *bufio.Reader
	zlib   io.ReadCloser
	hash   hasher
	rec    record
	left   int64 // bytes that must still come
}

func newInflater() *inflater {
	return &inflater{buffer: bufio.NewReaderSize(nil, 4<<10), hash: newHasher(Blob, 0)}
}

func (r *Repository) inflater() *inflater {
	if in, ok := r.inflaters.Get().(*inflater); ok {
		return in
	}
	return newInflater()
}

// open begins the object that rec describes. Its errors are ErrDamaged.
func (in *inflater) open(file io.ReaderAt, rec record) error {
	in.buffer.Reset(io.NewSectionReader(file, rec.offset, 1<<62-rec.offset))
	in.rec, in.left = rec, rec.size
	in.hash.reset(rec.kind, rec.size)
	if err := in.restart(in.buffer); err != nil {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, rec.id, err)
	}
	return nil
}

// restart begins the zlib stream that src is at.
func (in *inflater) restart(src *bufio.Reader) (err error) {
	if in.zlib == nil {
		in.zlib, err = zlib.NewReader(src)
		return err
	}
	return in.zlib.(zlib.Resetter).Reset(src, nil)
}

// Read hashes what it hands out and returns ErrDamaged in place of io.EOF when it was not the object.
func (in *inflater) Read(p []byte) (int, error) {
	n, err := in.zlib.Read(p)
	_, _ = in.hash.Write(p[:n])
	in.left -= int64(n)
	switch {
	case err == nil && in.left >= 0:
		return n, nil
	case err == io.EOF && in.left == 0:
		if id, hashErr := in.hash.id(); hashErr == nil && id == in.rec.id {
			return n, io.EOF
		}
	}
	return n, fmt.Errorf("%w: %s", ErrDamaged, in.rec.id)
}

// readAll returns the whole object.
func (in *inflater) readAll(file io.ReaderAt, rec record) ([]byte, error) {
	if err := in.open(file, rec); err != nil {
		return nil, err
	}
	data := make([]byte, 0, min(rec.size, 1<<20)+1) // a damaged size must not cost memory; the byte more meets the end
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// reader is an inflater that belongs to a caller until it is closed.
type reader struct {
	in   *inflater
	repo *Repository
	pack *pack
	err  error
}

// Read is that of the inflater; damage puts the pack away.
func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil || r.in == nil {
		return 0, r.failure()
	}
	n, err := r.in.Read(p)
	r.err = err
	if err != nil && err != io.EOF {
		r.repo.drop(r.pack)
	}
	return n, err
}

func (r *reader) failure() error {
	if r.err != nil {
		return r.err
	}
	return io.ErrClosedPipe
}

// Close gives the inflater back.
func (r *reader) Close() error {
	if r.in != nil {
		r.repo.inflaters.Put(r.in)
		r.in = nil
	}
	return nil
}
