package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A change waits this long for another one, of this process or not, and looks this often.
const (
	longestWait = 60 * time.Second
	waitStep    = 50 * time.Millisecond
)

// holding is the key of a context whose owner has the right to change the scope already.
type holding struct{}

// acquire takes the right to change this scope. It waits for another change, which it says once, and gives up after a bound.
func (e *Engine) acquire(ctx context.Context) (release func(), err error) {
	if ctx.Value(holding{}) != nil {
		return func() {}, nil
	}
	path := e.stateFile("locks", ".lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(path)
	held, err := lock.TryLock()
	if err == nil && !held {
		e.config.Event(Event{Kind: "waiting", Path: e.root, Message: "another change of the skills here is under way; waiting for it"})
		held, err = e.wait(ctx, lock)
	}
	if err != nil {
		return nil, err
	}
	if !held {
		return nil, &Error{Kind: "busy", Name: e.root, Message: "another change of the skills of " + quote(e.root) + " is under way", Hint: "try again when it is done"}
	}
	return func() { _ = lock.Close() }, nil // closing lets go; nothing was written
}

// wait tries until the lock is free, the bound is reached or the caller has enough.
func (e *Engine) wait(ctx context.Context, lock *flock.Flock) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	held, err := lock.TryLockContext(bounded, waitStep)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return held, err
}
