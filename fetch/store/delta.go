package store

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
)

const (
	heldBytes = 8 << 20 // contents of bases that are kept for their children
	bigObject = 4 << 20 // larger bases are unpacked to a file
)

// resolver is the second pass: it turns deltas into whole objects at the end of the draft.
type resolver struct {
	draft    *draft
	byStart  []delta // those that name their base by place, sorted by it
	byID     []delta // those that name it by id, sorted by it
	open     int     // deltas that still wait
	stack    []base
	held     int64
	inflater *inflater
	reader   *bufio.Reader // of deltas
}

// base is an object whose children are to be resolved.
type base struct {
	rec   record
	start int64  // in the pack, as its children name it
	data  []byte // or nil: read it again
}

// resolve takes deltas depth first, so that a base is unpacked once for all its children, and seldom twice.
func (d *draft) resolve(s *stream) error {
	if len(s.deltas) == 0 {
		return nil
	}
	v := &resolver{draft: d, open: len(s.deltas), inflater: newInflater(), reader: bufio.NewReader(nil)}
	for _, x := range s.deltas {
		if x.base != 0 {
			v.byStart = append(v.byStart, x)
		} else {
			v.byID = append(v.byID, x)
		}
	}
	slices.SortFunc(v.byStart, func(a, b delta) int { return cmp.Compare(a.base, b.base) })
	slices.SortFunc(v.byID, func(a, b delta) int { return compareIDs(a.baseID, b.baseID) })
	for i, start := range s.starts {
		v.stack = append(v.stack, base{rec: d.records[i], start: start})
		for len(v.stack) > 0 {
			if err := v.expand(); err != nil {
				return err
			}
		}
	}
	if v.open > 0 {
		return fmt.Errorf("%w: %d deltas without a base", ErrPack, v.open)
	}
	return nil
}

func compareIDs(a, b ID) int { return bytes.Compare(a[:], b[:]) }

// children returns the deltas against b.
func (v *resolver) children(b base) []*delta {
	var found []*delta
	i := sort.Search(len(v.byStart), func(i int) bool { return v.byStart[i].base >= b.start })
	for ; i < len(v.byStart) && v.byStart[i].base == b.start; i++ {
		found = append(found, &v.byStart[i])
	}
	i = sort.Search(len(v.byID), func(i int) bool { return compareIDs(v.byID[i].baseID, b.rec.id) >= 0 })
	for ; i < len(v.byID) && v.byID[i].baseID == b.rec.id; i++ {
		found = append(found, &v.byID[i])
	}
	return slices.DeleteFunc(found, func(d *delta) bool { return d.done })
}

// expand resolves the children of the base on top of the stack and pushes those that have children themselves.
func (v *resolver) expand() error {
	top := v.stack[len(v.stack)-1]
	v.stack = v.stack[:len(v.stack)-1]
	v.held -= int64(len(top.data))
	children := v.children(top)
	if len(children) == 0 {
		return nil
	}
	src, err := v.source(top)
	if err != nil {
		return err
	}
	defer src.close()
	for _, c := range children {
		if err := v.child(top, src, c); err != nil {
			return err
		}
	}
	return nil
}

// source makes the base's content readable at any place.
func (v *resolver) source(b base) (*source, error) {
	if b.data != nil {
		return &source{data: b.data, size: b.rec.size, close: func() {}}, nil
	}
	if err := v.draft.out.Flush(); err != nil { // the base may be a delta that was resolved a moment ago
		return nil, err
	}
	if b.rec.size <= bigObject {
		data, err := v.inflater.readAll(v.draft.file, b.rec)
		return &source{data: data, size: b.rec.size, close: func() {}}, err
	}
	file, temp, err := temporary(v.draft.repo.root, v.draft.repo.dir)
	if err != nil {
		return nil, err
	}
	src := &source{file: file, size: b.rec.size, close: func() { _ = file.Close(); _ = v.draft.repo.root.Remove(temp) }}
	if err = v.inflater.open(v.draft.file, b.rec); err == nil {
		_, err = io.Copy(file, v.inflater)
	}
	if err != nil {
		src.close()
	}
	return src, err
}

// child resolves one delta against its base.
func (v *resolver) child(parent base, src *source, c *delta) error {
	v.inflater.buffer.Reset(io.NewSectionReader(v.draft.file, c.offset, 1<<62-c.offset))
	if err := v.inflater.restart(v.inflater.buffer); err != nil {
		return fmt.Errorf("%w: %v", ErrPack, err)
	}
	v.reader.Reset(v.inflater.zlib)
	size, err := deltaSizes(v.reader, src.size)
	if err != nil {
		return err
	}
	if size > v.draft.limits.Object {
		return &LimitError{"bytes in one object", v.draft.limits.Object}
	}
	var keep bytes.Buffer
	rec, err := v.draft.put(parent.rec.kind, size, func(w io.Writer) error {
		if size <= bigObject && v.parent(c) {
			w = io.MultiWriter(w, &keep)
		}
		return applyDelta(w, src, v.reader, size)
	})
	if err != nil {
		return err
	}
	c.done = true
	v.open--
	v.draft.stats.Deltas++
	v.push(base{rec: rec, start: c.start, data: keep.Bytes()})
	return v.draft.add(rec)
}

// parent reports whether other deltas may build on c. Those that name their base by id are only found later.
func (v *resolver) parent(c *delta) bool {
	return len(v.byID) > 0 || len(v.children(base{start: c.start})) > 0
}

// push keeps the content while there is room; those at the bottom of the stack, needed last, give theirs up.
func (v *resolver) push(b base) {
	v.stack = append(v.stack, b)
	v.held += int64(len(b.data))
	for i := 0; i < len(v.stack) && v.held > heldBytes; i++ {
		v.held -= int64(len(v.stack[i].data))
		v.stack[i].data = nil
	}
}

// source is the content of a base: in memory, or in a file when it is big.
type source struct {
	data  []byte
	file  *os.File
	size  int64
	close func()
}

// copy writes n bytes from offset; the range was checked.
func (s *source) copy(w io.Writer, offset, n int64) error {
	if s.file == nil {
		_, err := w.Write(s.data[offset : offset+n])
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(s.file, offset, n))
	return err
}

// deltaSizes reads the head of a delta: the size of its base, which must be that of base, and the size of the result.
func deltaSizes(in io.ByteReader, base int64) (int64, error) {
	from, err := deltaSize(in)
	if err != nil {
		return 0, err
	}
	if from != base {
		return 0, fmt.Errorf("%w: a delta for another base", ErrPack)
	}
	return deltaSize(in)
}

// deltaSize reads 7 bits a byte, least first.
func deltaSize(in io.ByteReader) (int64, error) {
	var n int64
	for shift := 0; shift < 49; shift += 7 {
		b, err := in.ReadByte()
		if err != nil {
			return 0, fmt.Errorf("%w: a delta is cut short", ErrPack)
		}
		n |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%w: an impossible size", ErrPack)
}

// applyDelta carries out the instructions (gitformat-pack(5), "Deltified representation"): copy from the base, or insert
// from the delta. It ends with the delta, and writes exactly size bytes.
func applyDelta(w io.Writer, src *source, in *bufio.Reader, size int64) error {
	for {
		op, err := in.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%w: %v", ErrPack, err)
		}
		n := int64(op)
		switch {
		case op&0x80 != 0:
			n, err = copyFromBase(w, src, in, op)
		case op != 0:
			err = insert(w, in, int(n))
		default:
			err = fmt.Errorf("%w: a delta holds an unknown instruction", ErrPack)
		}
		if err == io.EOF {
			err = fmt.Errorf("%w: a delta is cut short", ErrPack)
		}
		if err != nil {
			return err
		}
		size -= n
	}
	if size != 0 {
		return fmt.Errorf("%w: a delta does not give the size that it says", ErrPack)
	}
	return nil
}

// insert writes the next n bytes of the delta, at most 127.
func insert(w io.Writer, in *bufio.Reader, n int) error {
	data, err := in.Peek(n)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	_, err = in.Discard(n)
	return err
}

// copyFromBase reads which of four offset bytes and three size bytes follow from the bits of op; no size is 64 KiB.
func copyFromBase(w io.Writer, src *source, in *bufio.Reader, op byte) (int64, error) {
	var fields [7]int64
	for i := range fields {
		if op&(1<<i) != 0 {
			b, err := in.ReadByte()
			if err != nil {
				return 0, err
			}
			fields[i] = int64(b)
		}
	}
	offset := fields[0] | fields[1]<<8 | fields[2]<<16 | fields[3]<<24
	n := fields[4] | fields[5]<<8 | fields[6]<<16
	if n == 0 {
		n = 0x10000
	}
	if offset+n > src.size {
		return 0, fmt.Errorf("%w: a delta copies from beyond its base", ErrPack)
	}
	return n, src.copy(w, offset, n)
}
