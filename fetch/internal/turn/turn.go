// Package turn lets few do something at a time, and nobody wait for longer than a context lasts: a mutex, and a semaphore, whose waits end.
//
// A use:
//
//	t := turn.New(1)
//	if err := t.Take(ctx); err != nil {
//		return err
//	}
//	defer t.Give()
package turn

import "context"

// Turn is what is taken before and given back after. It holds a token for each that has it.
type Turn chan struct{}

// New makes a turn that so many can have at once.
func New(several int) Turn { return make(Turn, several) }

// Take waits for the turn. Its error is that of the context, which ended first.
func (t Turn) Take(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Try takes the turn, if nobody need be waited for.
func (t Turn) Try() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

// Give gives the turn back, which the caller has.
func (t Turn) Give() { <-t }
