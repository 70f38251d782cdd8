package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zlib"
)

// draft is a pack that is being written under a temporary name.
type draft struct {
	ctx     context.Context
	repo    *Repository
	limits  Limits
	stats   Stats
	file    *os.File
	temp    string
	out     *bufio.Writer // writes at offset
	offset  int64
	zlib    *zlib.Writer
	hash    hasher
	records []record
}

func (r *Repository) newDraft(ctx context.Context, limits Limits) (*draft, error) {
	if err := r.prepare(); err != nil {
		return nil, err
	}
	file, temp, err := temporary(r.root, r.dir)
	if err != nil {
		return nil, err
	}
	d := &draft{ctx: ctx, repo: r, limits: limits.OrDefault(), file: file, temp: temp, hash: newHasher(Blob, 0)}
	d.out = bufio.NewWriterSize((*offsetWriter)(d), 64<<10)
	return d, nil
}

// prepare makes the repository's directory, with its key in it for those who list the store.
func (r *Repository) prepare() error {
	if err := r.root.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	sweep(r.root, r.dir)
	if _, err := r.root.Stat(r.dir + "/key"); err == nil {
		return nil
	}
	return r.root.WriteFile(r.dir+"/key", []byte(r.key+"\n"), 0o666)
}

// offsetWriter writes to a draft's end and keeps count.
type offsetWriter draft

// Write appends p to the file.
func (w *offsetWriter) Write(p []byte) (int, error) {
	n, err := w.file.WriteAt(p, w.offset)
	w.offset += int64(n)
	return n, err
}

// add records an object and counts it.
func (d *draft) add(rec record) error {
	d.stats.Objects++
	d.stats.Unpacked += rec.size
	d.records = append(d.records, rec)
	switch {
	case d.stats.Objects > d.limits.Objects:
		return &LimitError{"objects", int64(d.limits.Objects)}
	case rec.size > d.limits.Object:
		return &LimitError{"bytes in one object", d.limits.Object}
	case d.stats.Unpacked > d.limits.Unpacked:
		return &LimitError{"unpacked bytes", d.limits.Unpacked}
	}
	return d.ctx.Err()
}

// put appends an object whose content write delivers. The content must have the size that was said.
func (d *draft) put(kind Kind, size int64, write func(io.Writer) error) (record, error) {
	rec := record{kind: kind, offset: d.offset + int64(d.out.Buffered()), size: size}
	d.hash.reset(kind, size)
	if err := d.deflate(); err != nil {
		return rec, err
	}
	counted := &exactWriter{w: io.MultiWriter(d.hash, d.zlib), left: size}
	err := write(counted)
	if err == nil && counted.left > 0 {
		err = fmt.Errorf("%w: an object ends %d bytes early", ErrPack, counted.left)
	}
	if err == nil {
		err = d.zlib.Close()
	}
	if err == nil {
		rec.id, err = d.hash.id()
	}
	return rec, err
}

// deflate begins a zlib stream at the end. The compressor takes a megabyte, so it is made when first needed.
func (d *draft) deflate() (err error) {
	if d.zlib == nil {
		d.zlib, err = zlib.NewWriterLevel(d.out, zlib.BestSpeed)
		return err
	}
	d.zlib.Reset(d.out)
	return nil
}

// exactWriter refuses more than the bytes that were announced.
type exactWriter struct {
	w    io.Writer
	left int64
}

// Write passes p on, or refuses it whole.
func (e *exactWriter) Write(p []byte) (int, error) {
	if e.left -= int64(len(p)); e.left < 0 {
		return 0, fmt.Errorf("%w: an object is longer than announced", ErrPack)
	}
	return e.w.Write(p)
}

// finish writes the index, gives the file its name and hands it to the repository. An empty draft leaves nothing.
func (d *draft) finish() error {
	if len(d.records) == 0 {
		d.abort()
		return nil
	}
	if err := d.out.Flush(); err != nil {
		return err
	}
	index, sum := d.offset, sha256.New()
	if err := writeIndex(io.MultiWriter(d.out, sum), index, d.records); err != nil {
		return err
	}
	if err := d.out.Flush(); err != nil {
		return err
	}
	if err := d.file.Truncate(d.offset); err != nil { // something longer may have been taken back
		return err
	}
	if err := d.file.Close(); err != nil {
		return err
	}
	return d.repo.keep(d.temp, d.repo.dir+"/pack-"+hex.EncodeToString(sum.Sum(nil)[:16]))
}

// keep gives a finished pack its name. A pack of that name holds the same objects at the same places.
func (r *Repository) keep(temp, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loaded(name) {
		return r.root.Remove(temp)
	}
	if err := r.root.Rename(temp, name); err != nil {
		return err
	}
	return r.load(name)
}

// abort removes the temporary file. After finish it does nothing that matters.
func (d *draft) abort() {
	_ = d.file.Close()
	_ = d.repo.root.Remove(d.temp)
}
