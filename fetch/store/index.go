package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"
)

// The form of a pack file: the stream as it came (or nothing), the contents of resolved deltas or written objects, each
// as one zlib stream, then the index: 256 counts of 4 bytes (how many ids begin with that byte or a smaller one), one
// record of 32 bytes per object sorted by id, and a footer. Numbers are big-endian.
const (
	recordSize = 32
	fanoutSize = 256 * 4
	footerSize = 8 + 8 + 4 + 4 // magic, offset of the index, number of records, CRC-32C of the index
	magic      = "SKPACK01"
)

// record says where one object's zlib stream begins.
type record struct {
	id     ID
	kind   Kind
	offset int64 // at most 48 bits
	size   int64 // inflated; at most 40 bits
}

func (r record) append(b []byte) []byte {
	var n [8]byte
	b = append(append(b, r.id[:]...), byte(r.kind))
	binary.BigEndian.PutUint64(n[:], uint64(r.offset))
	b = append(b, n[2:]...)
	binary.BigEndian.PutUint64(n[:], uint64(r.size))
	return append(b, n[3:]...)
}

func parseRecord(b []byte) record {
	var offset, size [8]byte
	copy(offset[2:], b[21:27])
	copy(size[3:], b[27:32])
	return record{
		id: ID(b[:20]), kind: Kind(b[20]),
		offset: int64(binary.BigEndian.Uint64(offset[:])), size: int64(binary.BigEndian.Uint64(size[:])),
	}
}

// writeIndex ends a pack file whose contents reach up to offset. Objects that came twice are recorded once.
func writeIndex(w io.Writer, offset int64, records []record) error {
	slices.SortFunc(records, func(a, b record) int { return bytes.Compare(a.id[:], b.id[:]) })
	records = slices.CompactFunc(records, func(a, b record) bool { return a.id == b.id })
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	out := bufio.NewWriterSize(w, 64<<10)
	both := io.MultiWriter(out, sum)
	if _, err := both.Write(fanout(records)); err != nil {
		return err
	}
	var line [recordSize]byte
	for _, r := range records {
		if _, err := both.Write(r.append(line[:0])); err != nil {
			return err
		}
	}
	footer := binary.BigEndian.AppendUint64([]byte(magic), uint64(offset))
	footer = binary.BigEndian.AppendUint32(footer, uint32(len(records)))
	footer = binary.BigEndian.AppendUint32(footer, sum.Sum32())
	if _, err := out.Write(footer); err != nil {
		return err
	}
	return out.Flush()
}

func fanout(records []record) []byte {
	b := make([]byte, 0, fanoutSize)
	n := 0
	for first := range 256 {
		for n < len(records) && int(records[n].id[0]) <= first {
			n++
		}
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// pack is one open pack file. Only its 256 counts are in memory.
type pack struct {
	file    *os.File
	name    string // below the store's root
	records int64  // offset of the first record
	fanout  [256]uint32
}

// openPack reads and checks the index. Any doubt is ErrDamaged.
func openPack(file *os.File, name string) (*pack, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var footer [footerSize]byte
	end := info.Size() - footerSize
	if _, err := file.ReadAt(footer[:], max(end, 0)); err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrDamaged, name, err)
	}
	index := int64(binary.BigEndian.Uint64(footer[8:]))
	count := int64(binary.BigEndian.Uint32(footer[16:]))
	if string(footer[:8]) != magic || index < 0 || index > end || end-index != fanoutSize+count*recordSize {
		return nil, fmt.Errorf("%w: %s has no index", ErrDamaged, name)
	}
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.Copy(sum, io.NewSectionReader(file, index, end-index)); err != nil {
		return nil, err
	}
	if sum.Sum32() != binary.BigEndian.Uint32(footer[20:]) {
		return nil, fmt.Errorf("%w: the index of %s", ErrDamaged, name)
	}
	return newPack(file, name, index)
}

func newPack(file *os.File, name string, index int64) (*pack, error) {
	p := &pack{file: file, name: name, records: index + fanoutSize}
	err := binary.Read(io.NewSectionReader(file, index, fanoutSize), binary.BigEndian, &p.fanout)
	return p, err
}

// find looks id up with one read of at most 4 KiB; a bucket larger than that is halved first, one record a step.
func (p *pack) find(id ID) (record, bool) {
	lo, hi := int64(0), int64(p.fanout[id[0]])
	if id[0] > 0 {
		lo = int64(p.fanout[id[0]-1])
	}
	var buffer [128 * recordSize]byte
	for hi-lo > 128 {
		mid := (lo + hi) / 2
		if !p.read(buffer[:recordSize], mid) {
			return record{}, false
		}
		if bytes.Compare(buffer[:20], id[:]) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	n := max(int(hi-lo), 0)
	if !p.read(buffer[:n*recordSize], lo) {
		return record{}, false
	}
	at := func(i int) []byte { return buffer[i*recordSize : (i+1)*recordSize] }
	i := sort.Search(n, func(i int) bool { return bytes.Compare(at(i)[:20], id[:]) >= 0 })
	if i == n || ID(at(i)[:20]) != id {
		return record{}, false
	}
	return parseRecord(at(i)), true
}

func (p *pack) read(b []byte, index int64) bool {
	_, err := p.file.ReadAt(b, p.records+index*recordSize)
	return err == nil
}
