package turn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestTurnIsHadByOneAtATime(t *testing.T) {
	turn, sum := New(1), 0
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if err := turn.Take(t.Context()); err != nil {
				t.Error(err)
				return
			}
			defer turn.Give()
			sum++ // which the race detector watches
		})
	}
	if all.Wait(); sum != 100 {
		t.Errorf("%d had it", sum)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	turn := New(2)
	if first, second, third := turn.Try(), turn.Try(), turn.Try(); !first || !second || third {
		t.Errorf("of two: %v, %v, %v", first, second, third)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { waited <- turn.Take(ctx) }()
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	turn.Give()
	if err := turn.Take(ctx); !errors.Is(err, context.Canceled) { // although it could be had
		t.Errorf("error %v", err)
	}
	if !turn.Try() {
		t.Error("it was not given back")
	}
}

func ExampleTurn() {
	t := New(1)
	if err := t.Take(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println(t.Try())
	t.Give()
	fmt.Println(t.Try())
	// Output:
	// false
	// true
}
