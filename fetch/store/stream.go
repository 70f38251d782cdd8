package store

import (
	"bufio"
	"context"
	"crypto"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing/hash"
)

// Types of pack entries beside the four kinds (gitformat-pack(5)).
const (
	offsetDelta = 6
	idDelta     = 7
)

// AddPack takes in one pack as a git server sends it (version 2 or 3, no thin pack): the bytes go to disk as they come,
// each object is inflated once for its id, deltas a second time when all bases are known. Memory does not grow with
// the pack but for about 40 bytes an object.
//
// Errors of in are returned as they are; a stream that is no pack is [ErrPack], one beyond the limits is [*LimitError].
// After any error the store is as it was before.
func (r *Repository) AddPack(ctx context.Context, in io.Reader, limits Limits) (Stats, error) {
	d, err := r.newDraft(ctx, limits)
	if err != nil {
		return Stats{}, err
	}
	defer d.abort()
	s := newStream(in, d)
	if err := s.run(); err != nil {
		return d.stats, s.cause(err)
	}
	d.offset = s.tee.read
	if err := d.resolve(s); err != nil {
		return d.stats, err
	}
	return d.stats, d.finish()
}

// delta is an entry of the pack that waits for its base.
type delta struct {
	start  int64 // where the entry begins: how others refer to it
	offset int64 // where its zlib stream begins
	size   int64 // of the delta itself
	base   int64 // where the base begins, or 0
	baseID ID    // or the id of the base
	done   bool
}

// stream is the first pass over a pack.
type stream struct {
	draft    *draft
	tee      *tee
	in       *bufio.Reader
	inflater *inflater
	scratch  []byte
	starts   []int64 // of the records of the draft, as the pack counts them
	deltas   []delta
	inflated int64 // bytes, deltas as they are
}

func newStream(in io.Reader, d *draft) *stream {
	t := &tee{in: in, file: d.file, limit: d.limits.Bytes, hash: hash.New(crypto.SHA1)}
	return &stream{
		draft: d, tee: t, in: bufio.NewReaderSize(t, 64<<10), inflater: newInflater(), scratch: make([]byte, 32<<10),
	}
}

// offset is the position in the pack of the next byte.
func (s *stream) offset() int64 { return s.tee.read - int64(s.in.Buffered()) }

// cause prefers the reader's own error to what the inflater made of it.
func (s *stream) cause(err error) error {
	s.draft.stats.Bytes = s.tee.read
	switch {
	case s.tee.err != nil && s.tee.err != io.EOF:
		return s.tee.err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: it is cut short", ErrPack)
	}
	return err
}

// run reads the whole pack.
func (s *stream) run() error {
	var header [12]byte
	if _, err := io.ReadFull(s.in, header[:]); err != nil {
		return err
	}
	version, count := binary.BigEndian.Uint32(header[4:]), binary.BigEndian.Uint32(header[8:])
	if string(header[:4]) != "PACK" || version != 2 && version != 3 {
		return fmt.Errorf("%w: it does not begin as one", ErrPack)
	}
	if int64(count) > int64(s.draft.limits.Objects) {
		return &LimitError{"objects", int64(s.draft.limits.Objects)}
	}
	for range count {
		if err := s.entry(); err != nil {
			return err
		}
	}
	return s.trailer()
}

// trailer checks that 20 bytes are left, which are the SHA-1 of all before.
func (s *stream) trailer() error {
	var want [21]byte
	if n, err := io.ReadFull(s.in, want[:]); err != io.ErrUnexpectedEOF || n != 20 {
		if err == nil || err == io.EOF {
			return fmt.Errorf("%w: its checksum is missing", ErrPack)
		}
		return err
	}
	if string(s.tee.hash.Sum(nil)) != string(want[:20]) {
		return fmt.Errorf("%w: its checksum is wrong", ErrPack)
	}
	s.draft.stats.Bytes = s.tee.read
	return nil
}

// entry reads one object or delta.
func (s *stream) entry() error {
	start := s.offset()
	kind, size, err := s.head()
	if err != nil {
		return err
	}
	if size > s.draft.limits.Object {
		return &LimitError{"bytes in one object", s.draft.limits.Object}
	}
	switch kind {
	case byte(Commit), byte(Tree), byte(Blob), byte(Tag):
		return s.object(start, Kind(kind), size)
	case offsetDelta, idDelta:
		return s.delta(start, kind, size)
	}
	return fmt.Errorf("%w: entry of type %d", ErrPack, kind)
}

// head reads the type (3 bits) and the size (4 bits, then 7 a byte, least first).
func (s *stream) head() (kind byte, size int64, err error) {
	b, err := s.in.ReadByte()
	kind, size = b>>4&7, int64(b&15)
	for shift := 4; err == nil && b&0x80 != 0; shift += 7 {
		if shift > 39 { // more than 2^46 bytes
			return 0, 0, fmt.Errorf("%w: an impossible size", ErrPack)
		}
		b, err = s.in.ReadByte()
		size |= int64(b&0x7f) << shift
	}
	return kind, size, err
}

func (s *stream) object(start int64, kind Kind, size int64) error {
	rec := record{kind: kind, offset: s.offset(), size: size}
	s.inflater.hash.reset(kind, size)
	err := s.inflate(size, s.inflater.hash)
	if err == nil {
		rec.id, err = s.inflater.hash.id()
	}
	if err != nil {
		return err
	}
	s.starts = append(s.starts, start)
	return s.draft.add(rec)
}

func (s *stream) delta(start int64, kind byte, size int64) error {
	d := delta{start: start, size: size}
	if kind == idDelta {
		if _, err := io.ReadFull(s.in, d.baseID[:]); err != nil {
			return err
		}
	} else {
		back, err := s.distance()
		if err != nil {
			return err
		}
		if d.base = start - back; back <= 0 || d.base < 12 {
			return fmt.Errorf("%w: a delta without a base", ErrPack)
		}
	}
	d.offset = s.offset()
	s.deltas = append(s.deltas, d)
	if len(s.deltas)+len(s.starts) > s.draft.limits.Objects {
		return &LimitError{"objects", int64(s.draft.limits.Objects)}
	}
	return s.inflate(size, io.Discard)
}

// distance reads how far back the base begins: 7 bits a byte, greatest first, one added for each byte that follows.
func (s *stream) distance() (int64, error) {
	b, err := s.in.ReadByte()
	n := int64(b & 0x7f)
	for err == nil && b&0x80 != 0 {
		if n > 1<<46 {
			return 0, fmt.Errorf("%w: an impossible distance", ErrPack)
		}
		b, err = s.in.ReadByte()
		n = (n+1)<<7 | int64(b&0x7f)
	}
	return n, err
}

// inflate reads one zlib stream of exactly size bytes.
func (s *stream) inflate(size int64, w io.Writer) error {
	err := s.inflater.restart(s.in)
	if err != nil {
		return s.malformed(err)
	}
	for err == nil {
		var n int
		n, err = s.inflater.zlib.Read(s.scratch)
		if size -= int64(n); size < 0 {
			return fmt.Errorf("%w: an object is longer than announced", ErrPack)
		}
		if s.inflated += int64(n); s.inflated > ratioFrom && s.inflated/s.draft.limits.Ratio > s.tee.read {
			return &LimitError{"times the packed size", s.draft.limits.Ratio}
		}
		_, _ = w.Write(s.scratch[:n])
	}
	if err != io.EOF {
		return s.malformed(err)
	}
	if size > 0 {
		return fmt.Errorf("%w: an object is shorter than announced", ErrPack)
	}
	return nil
}

func (s *stream) malformed(err error) error {
	if err == io.ErrUnexpectedEOF {
		return err
	}
	return fmt.Errorf("%w: %v", ErrPack, err)
}

// tee copies all that is read to a file and hashes it but for the last 20 bytes.
type tee struct {
	in    io.Reader
	file  *os.File
	limit int64
	read  int64
	hash  hash.Hash
	tail  []byte // read, not hashed yet
	err   error
}

// Read passes on what it copied; an error of the file or beyond the limit takes the place of the bytes.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	if t.read+int64(n) > t.limit {
		n, err = 0, &LimitError{"bytes", t.limit}
	}
	if _, writeErr := t.file.WriteAt(p[:n], t.read); writeErr != nil {
		n, err = 0, writeErr
	}
	t.read += int64(n)
	t.tail = append(t.tail, p[:n]...)
	if done := len(t.tail) - 20; done > 0 {
		_, _ = t.hash.Write(t.tail[:done])
		t.tail = append(t.tail[:0], t.tail[done:]...)
	}
	t.err = err
	return n, err
}
