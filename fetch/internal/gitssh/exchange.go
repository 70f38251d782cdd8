package gitssh

import (
	"context"
	"errors"
	"io"
	"time"

	"skills/fetch/internal/web"
)

var (
	errStalled = errors.New("the answer stands still")
	errTooLong = errors.New("the answer takes too long")
)

// exchange is one request and its answer. It holds the turn, and bounds both in time: when that is over ssh is ended, which ends every
// wait for it.
type exchange struct {
	remote *Remote
	event  web.Event
	begin  time.Time

	caller  context.Context
	ctx     context.Context // ends with the caller's, or when time is over
	cancel  context.CancelCauseFunc
	idle    *time.Timer
	unwatch func() bool

	done   bool // answered to the end
	err    error
	closed bool
}

// ask sends a command and waits for the first byte of the answer. A connection that the server left while nobody used it is replaced.
func (r *Remote) ask(ctx context.Context, command string, body []byte) (*exchange, error) {
	if err := r.take(ctx); err != nil {
		return nil, err
	}
	x := &exchange{remote: r, caller: ctx, begin: time.Now(),
		event: web.Event{Method: "ssh " + command, Host: r.address.peer.Host, Path: r.address.shown(), Up: int64(len(body))}}
	r.client.config.Event(x.event)
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	total := time.AfterFunc(r.client.config.Timeouts.Total, func() { x.cancel(errTooLong) })
	context.AfterFunc(x.ctx, func() { total.Stop() })
	err := x.send(body)
	if err != nil {
		err = x.end(err)
		_ = x.Close()
		return nil, err
	}
	return x, nil
}

func (x *exchange) send(body []byte) error {
	r := x.remote
	used := r.conn != nil
	if err := r.open(x.ctx); err != nil {
		return err
	}
	x.unwatch = context.AfterFunc(x.ctx, r.conn.kill)
	x.idle = time.AfterFunc(r.client.config.Timeouts.Idle, func() { x.cancel(errStalled) })
	err := r.conn.send(body)
	x.idle.Stop()
	if err != nil && used && x.unwatch() {
		r.drop()
		return x.send(body)
	}
	return err
}

// Read gives the answer.
func (x *exchange) Read(p []byte) (int, error) {
	x.idle.Reset(x.remote.client.config.Timeouts.Idle)
	defer x.idle.Stop()
	n, err := x.remote.conn.out.Read(p)
	x.event.Down += int64(n)
	return n, err
}

// end notes how the answer ended, well with nil or io.EOF, and gives the error that says most.
func (x *exchange) end(err error) error {
	switch cause := context.Cause(x.ctx); {
	case err == nil || err == io.EOF:
		x.done = true
		return err
	case x.caller.Err() != nil:
		err = x.caller.Err()
	case cause == errStalled || cause == errTooLong:
		err = x.remote.address.timeout(cause)
	}
	x.err = err
	return err
}

// Close ends the exchange, and the connection, if its answer was not read to the end.
func (x *exchange) Close() error {
	if x.closed {
		return nil
	}
	x.closed = true
	undisturbed := x.unwatch != nil && x.unwatch()
	x.cancel(nil)
	if !x.done || !undisturbed {
		x.remote.drop()
	}
	x.event.Done, x.event.Took, x.event.Err = true, time.Since(x.begin), x.err
	x.remote.client.config.Event(x.event)
	x.remote.give()
	return nil
}
