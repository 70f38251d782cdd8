package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// body is a response's body that ends when nothing comes for too long, counts, and gives
// errors of this package. Only time spent waiting for the server counts, not the time
// its reader takes.
type body struct {
	io.ReadCloser
	req      *http.Request
	timeouts Timeouts
	sent     context.Context // of the one request, which ends after timeouts.Total
	cancel   context.CancelFunc
	finish   func(down int64, err error)

	down    int64         // bytes read
	waited  time.Duration // since got was zero
	got     int           // bytes since waited was zero
	stalled atomic.Bool
}

// The pace below which a body counts as stalled: less than slowBytes in slowTimes idle
// times. A server that sends a byte a second would hold the caller for ever otherwise.
const (
	slowBytes = 1024
	slowTimes = 4
)

// Read waits for bytes, at most for the idle time.
func (b *body) Read(p []byte) (int, error) {
	start := time.Now()
	timer := time.AfterFunc(b.timeouts.Idle, func() {
		b.stalled.Store(true)
		b.cancel()
	})
	n, err := b.ReadCloser.Read(p)
	timer.Stop()
	b.down += int64(n)
	b.waited, b.got = b.waited+time.Since(start), b.got+n
	switch {
	case b.got >= slowBytes:
		b.waited, b.got = 0, 0
	case err == nil && b.waited >= slowTimes*b.timeouts.Idle:
		b.stalled.Store(true)
		err = context.DeadlineExceeded
	}
	return n, b.ended(err)
}

// ended reports the end of the body, and returns the error that its reader gets.
func (b *body) ended(err error) error {
	switch err {
	case nil:
	case io.EOF:
		b.finish(b.down, nil)
	default:
		err = b.describe(err)
		b.finish(b.down, err)
	}
	return err
}

func (b *body) describe(err error) error {
	cause := ""
	switch {
	case b.req.Context().Err() != nil:
	case b.stalled.Load():
		cause = fmt.Sprintf("the body stopped after %d bytes", b.down)
	case b.sent.Err() == context.DeadlineExceeded:
		cause = fmt.Sprintf("after %v it had sent %d bytes and was not done", b.timeouts.Total, b.down)
	}
	if cause != "" {
		return Error{Kind: Timeout, Whole: !b.stalled.Load(), Err: fmt.Errorf("%w: %s", context.DeadlineExceeded, cause)}.of(b.req)
	}
	return describe(b.req, err)
}

// Close ends the transfer, read to the end or not.
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	b.finish(b.down, nil)
	return err
}

// Limit bounds the body of resp: reading more than limit bytes of it is an *Error of kind
// TooLarge. A response that announces more is that error at once, and is closed.
func Limit(resp *http.Response, limit int64) error {
	tooLarge := Error{Kind: TooLarge, Limit: limit}.of(resp.Request)
	if resp.ContentLength > limit {
		resp.Body.Close()
		return tooLarge
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: limit, err: tooLarge}
	return nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
	err  error
}

// Read asks for one byte more than is allowed, so that a body of just the limit passes.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.err
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.err
	}
	return n, err
}
