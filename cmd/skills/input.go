package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// maxInput bounds a file that a command line names, in bytes: far above what people write by hand.
const maxInput = 16 << 20

// readInput reads a file that a command line names, "-" for standard input. A pipe may never end, so the reading is given up, and
// left to the end of the program, when ctx is.
func (s *session) readInput(ctx context.Context, name string) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := s.readWhole(name)
		done <- result{data, err}
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		return r.data, r.err
	}
}

// readWhole reads all of a file that is not too large.
func (s *session) readWhole(name string) ([]byte, error) {
	in := os.Stdin
	if name != "-" {
		file, err := os.Open(s.env.absolute(name))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err == nil && len(data) > maxInput {
		err = fmt.Errorf("%q has more than the %d bytes that are read", name, maxInput)
	}
	return data, err
}
