package fetch

import (
	"io"
	"sync/atomic"

	"skills/fetch/store"
)

// total counts what all skills of a site bring, side by side: [Limits] are those of a source, not of each skill. A nil one counts
// nothing.
type total struct {
	limits                 Limits // without zeros
	bytes, unpacked, files atomic.Int64
}

// file counts one more file. The error is a *store.LimitError.
func (t *total) file(size int64) error {
	switch {
	case t == nil:
		return nil
	case t.files.Add(1) > int64(t.limits.Objects):
		return &store.LimitError{What: "objects", Limit: int64(t.limits.Objects)}
	case t.unpacked.Add(size) > t.limits.Unpacked:
		return &store.LimitError{What: "unpacked bytes", Limit: t.limits.Unpacked}
	}
	return nil
}

// counting counts what is read as it was sent.
func (t *total) counting(in io.Reader) io.Reader {
	if t == nil {
		return in
	}
	return &countedReader{in, t}
}

type countedReader struct {
	io.Reader
	total *total
}

// Read ends with a *store.LimitError when there was too much.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if limit := c.total.limits.Bytes; c.total.bytes.Add(int64(n)) > limit {
		return 0, &store.LimitError{What: "bytes", Limit: limit}
	}
	return n, err
}
