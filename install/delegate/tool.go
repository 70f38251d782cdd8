package delegate

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Command is one run of the npm tool.
type Command struct {
	Program     string   // absolute path
	Arguments   []string // without the program
	Dir         string   // where it runs: the tool takes it for the project
	Environment []string // NAME=value, all of it
}

// Runner runs a command to its end and writes all that it says to output, one Write at a
// time. An error with a method ExitCode() int, as *exec.ExitError has one, tells the exit
// status of a command that failed.
type Runner func(ctx context.Context, command Command, output io.Writer) error

// Tool is the npm tool. It runs without colour and without telemetry.
type Tool struct {
	Program     string
	Dir         string
	Environment []string          // of this process, NAME=value
	Output      func(line string) // told each line of the tool, without escape sequences of terminals; nil for nobody
	Run         Runner            // nil is Execute
}

// Command gives what Add would run.
func (t Tool) Command(r Request) (Command, error) {
	words, err := r.Arguments()
	if err == nil {
		err = checkBatch(t.Program, words)
	}
	if err == nil {
		err = Refuse(t.Environment)
	}
	if err != nil {
		return Command{}, err
	}
	quiet := []string{Guard + "=1", "NO_COLOR=1", "DO_NOT_TRACK=1", "DISABLE_TELEMETRY=1"}
	return Command{t.Program, words, t.Dir, slices.Concat(t.Environment, quiet)}, nil
}

// Add has the tool install. The error is an *Error, or the cause of a cancelled ctx.
func (t Tool) Add(ctx context.Context, r Request) error {
	command, err := t.Command(r)
	if err != nil {
		return err
	}
	run := t.Run
	if run == nil {
		run = Execute
	}
	said := &story{tell: t.Output}
	err = run(ctx, command, said)
	said.end()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	status := 0
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	return failed(t.Program, status, strings.Join(said.last, "\n"), err)
}

// Execute is the Runner of the operating system: no shell, nothing on standard input,
// both outputs in one. A cancelled command is interrupted, and killed after 5 seconds.
func Execute(ctx context.Context, command Command, output io.Writer) error {
	c := exec.CommandContext(ctx, command.Program, command.Arguments...)
	c.Dir, c.Env, c.Stdout, c.Stderr = command.Dir, command.Environment, output, output
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(os.Interrupt) }, 5*time.Second
	return c.Run()
}

const (
	maxLine = 4 << 10 // bytes of a line; longer ones are cut in two
	maxLast = 20      // lines that are kept for an error
)

// story takes the output of the tool apart into lines and keeps the last ones.
type story struct {
	tell func(string)
	line []byte
	last []string
}

// Write never fails.
func (s *story) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == '\n' || b == '\r' || len(s.line) == maxLine {
			s.end()
		}
		if b != '\n' && b != '\r' {
			s.line = append(s.line, b)
		}
	}
	return len(p), nil
}

// escapes are the sequences by which programs colour text and move the cursor.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])`)

// end ends a line; blank ones are left out.
func (s *story) end() {
	line := strings.TrimSpace(escapes.ReplaceAllString(string(s.line), ""))
	s.line = s.line[:0]
	if line == "" {
		return
	}
	if s.last = append(s.last, line); len(s.last) > maxLast {
		s.last = s.last[1:]
	}
	if s.tell != nil {
		s.tell(line)
	}
}
