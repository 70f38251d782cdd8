package expand

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// Shell runs spans. Who makes one decides that the commands of a skill may run here.
type Shell struct {
	// Run runs one command and writes what it says on standard output to stdout. It has
	// to stop when ctx ends, and when stdout returns an error: Expand waits for it, and
	// what it brings after the end of ctx is a "timeout" without regard to its error. The
	// command is the author's text; no value has been put into it.
	Run func(ctx context.Context, command string, stdout io.Writer) error
	// OnFailure is told of each span that failed, before the next one runs; it may be
	// nil. The error is that of Run, or an *Error.
	OnFailure func(span Span, err error)
	// Limits are those of one expansion.
	Limits Limits
}

// Limits bounds what spans may take. Fields below 1 mean the defaults.
type Limits struct {
	Spans int           // of one text; 32
	Bytes int           // of the output of one span; 64 KiB
	Time  time.Duration // for one span; 10 seconds
}

func (s *Shell) limits() Limits {
	l := s.Limits
	return Limits{cmp.Or(max(l.Spans, 0), 32), cmp.Or(max(l.Bytes, 0), 64<<10), cmp.Or(max(l.Time, 0), 10*time.Second)}
}

// replace runs a span and gives its output, or the sentence that says why there is
// none. The error is the cause of a cancelled ctx alone.
func (s *Shell) replace(ctx context.Context, span Span) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	out, err := s.run(ctx, span.Command)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err == nil {
		return clean(strings.TrimSuffix(strings.TrimSuffix(out, "\n"), "\r")), nil
	}
	if s.OnFailure != nil {
		s.OnFailure(span, err)
	}
	return fmt.Sprintf("[the shell command %q failed: %s]", span.Command, reason(err)), nil
}

func (s *Shell) run(ctx context.Context, command string) (string, error) {
	limits := s.limits()
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time, &Error{"timeout", fmt.Sprintf("it took more than %v", limits.Time)})
	defer cancel()
	out := &bounded{limit: limits.Bytes}
	err := s.Run(ctx, command, out)
	switch {
	case out.full:
		return "", tooLarge("it wrote more than %d bytes", limits.Bytes)
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	}
	return out.kept.String(), err
}

// maxReason bounds, in bytes, what is quoted of an error.
const maxReason = 1 << 10

// reason is the text of an error in one line.
func reason(err error) string {
	text := err.Error()
	if len(text) > maxReason {
		text = text[:maxReason] + "…"
	}
	return clean(strings.Join(strings.Fields(text), " "))
}

// clean replaces what is no text: invalid UTF-8 and control characters, but for
// newlines (with a carriage return or without) and tabs.
func clean(text string) string {
	const ends = "\r\n"
	lines := strings.Split(strings.ToValidUTF8(text, "\ufffd"), ends)
	for i, line := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				return '\ufffd'
			}
			return r
		}, line)
	}
	return strings.Join(lines, ends)
}

// bounded keeps what is written up to a limit and refuses all that goes beyond.
type bounded struct {
	kept  bytes.Buffer
	limit int
	full  bool
}

// Write takes all or nothing.
func (b *bounded) Write(p []byte) (int, error) {
	if b.full = b.full || b.kept.Len()+len(p) > b.limit; b.full {
		return 0, tooLarge("it wrote more than %d bytes", b.limit)
	}
	return b.kept.Write(p)
}
