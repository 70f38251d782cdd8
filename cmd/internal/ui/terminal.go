// Package ui is the one place of the program that talks to the terminal: text, JSON, questions, progress and the exit status.
//
// Rules enforced here, so that no command can forget them:
//
//   - results go to standard output, everything else (the story, warnings, questions, errors) to standard error;
//   - with --json standard output holds exactly one JSON document that starts with "version", and nothing else;
//   - with -q nothing is printed but errors, questions and results that were asked for: not what a change did, which the exit
//     status says;
//   - every argument of a format passes [OneLine], so that text which came from a source cannot move the cursor, hide itself or
//     begin a line of its own;
//   - colour and animation only on a terminal, never with NO_COLOR, TERM=dumb or --json;
//   - no question without a terminal, in CI or with --yes: then it is an error that names the flag which answers it;
//   - an error becomes one sentence, its hints, and the exit status, or the error document.
//
// A use:
//
//	config := ui.Standard(os.Environ())
//	config.JSON = slices.Contains(os.Args, "--json")
//	terminal := ui.New(config)
//	os.Exit(terminal.Fail(run(ctx, terminal)))
//
// A command prints both forms of its result and returns; which one appears is decided here:
//
//	terminal.Table([]string{"NAME", "STATE"}, rows)
//	return terminal.Document(document)
//
// Nothing here reads the environment: the caller hands it in.
package ui

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Config says what the terminal is and what the user asked of it. The zero value of each field but the streams is the careful one: no
// terminal, no colour, no question.
type Config struct {
	// In gives the answers, Out takes the results, Err the story. All three must be set.
	In  io.Reader
	Out io.Writer
	Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal tell which of the streams are terminals.
	InTerminal, OutTerminal, ErrTerminal bool
	// Width is the number of columns; 0 is unknown, and then nothing is cut.
	Width int
	// NoColor tells that NO_COLOR is set (https://no-color.org: to anything but the empty text) or TERM is "dumb".
	NoColor bool
	// CI tells that CI is set to anything but the empty text.
	CI bool
	// JSON, Quiet, Verbose and Yes are the flags --json, -q, -v and --yes.
	JSON, Quiet, Verbose, Yes bool
}

// Standard returns the Config of the process's own streams. The environment is a list of KEY=value as os.Environ gives it; of a doubled
// key the last one holds, as in os/exec.
func Standard(environ []string) Config {
	c := Config{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	for _, stream := range []*os.File{os.Stderr, os.Stdout} {
		if width, _, err := term.GetSize(int(stream.Fd())); err == nil {
			c.Width = width
		}
	}
	c.NoColor = lookup(environ, "NO_COLOR") != "" || lookup(environ, "TERM") == "dumb"
	c.CI = lookup(environ, "CI") != ""
	return c
}

// lookup returns the last value of a key, "" when there is none.
func lookup(environ []string, key string) string {
	value := ""
	for _, entry := range environ {
		if k, v, _ := strings.Cut(entry, "="); k == key {
			value = v
		}
	}
	return value
}

// Terminal prints, asks and counts. Its methods may be called by several goroutines; lines never mix.
type Terminal struct {
	config  Config
	answers *bufio.Reader // of config.In

	mutex    sync.Mutex // guards what follows and the order of lines
	progress *Progress  // the one that is drawn, nil for none
	asking   bool       // a question stands on the terminal
	document bool       // the JSON document is out
	lost     error      // the first error of Out: results that nobody got
}

// New returns a Terminal for the Config, which must not change afterwards.
func New(config Config) *Terminal {
	return &Terminal{config: config, answers: bufio.NewReader(config.In)}
}

// Changed prints one line about what a command changed on standard output: as Result does, but nothing with -q, since that nothing
// failed is all that is wanted then. What a dry run would change was asked for, and is a Result.
func (t *Terminal) Changed(format string, arguments ...any) {
	if !t.config.Quiet {
		t.Result(format, arguments...)
	}
}

// Result prints one line of results on standard output, with -q as well; with --json nothing, since the document is the result. The
// format is trusted, its arguments are not: each passes [OneLine].
func (t *Terminal) Result(format string, arguments ...any) {
	t.out(sprint(t.config.OutTerminal && t.colored(), format, arguments) + "\n")
}

// Block prints a text of several lines on standard output as [Visible] shows it, with a final newline when it has none; with --json
// nothing.
func (t *Terminal) Block(text string) {
	t.out(strings.TrimSuffix(Visible(text), "\n") + "\n")
}

// Content prints the bytes of a file on standard output: as they are for programs, as Block does on a terminal, which would obey
// them; with --json nothing.
func (t *Terminal) Content(data []byte) {
	if t.config.OutTerminal {
		t.Block(string(data))
		return
	}
	t.out(string(data))
}

// Step tells one line of the story on standard error, unless -q was given. Arguments pass [OneLine].
func (t *Terminal) Step(format string, arguments ...any) {
	if !t.config.Quiet {
		t.say(format, arguments...)
	}
}

// Detail is a Step that only -v shows: each request, each operation on a file.
func (t *Terminal) Detail(format string, arguments ...any) {
	if t.config.Verbose {
		t.Step(format, arguments...)
	}
}

// Warn is a Step that begins with "warning:".
func (t *Terminal) Warn(format string, arguments ...any) {
	t.Step("%s "+format, append([]any{Yellow("warning:")}, arguments...)...)
}

// say prints a line on standard error. What goes wrong there has no place left to be told.
func (t *Terminal) say(format string, arguments ...any) {
	t.story(sprint(t.config.ErrTerminal && t.colored(), format, arguments) + "\n")
}

// story writes to standard error, with the progress out of the way.
func (t *Terminal) story(text string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.progress.clear()
	_, _ = io.WriteString(t.config.Err, text)
}

// out writes results, unless the result is a document.
func (t *Terminal) out(text string) {
	if !t.config.JSON {
		t.write(text)
	}
}

// write writes to standard output and keeps the first error for [Terminal.Fail]: a full disk behind `skills list > file` must not end
// in exit 0.
func (t *Terminal) write(text string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.progress.clear()
	if _, err := io.WriteString(t.config.Out, text); err != nil && t.lost == nil {
		t.lost = fmt.Errorf("standard output cannot be written: %w", err)
	}
}

// colored tells whether colour is wanted on those streams that are terminals.
func (t *Terminal) colored() bool { return !t.config.NoColor && !t.config.JSON }
