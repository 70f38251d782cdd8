package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// screen is a Terminal with its streams in memory.
type screen struct {
	*Terminal
	out, err bytes.Buffer
}

// newScreen returns a screen; the function may change the careful Config. The input is what the user will type.
func newScreen(input string, change func(*Config)) *screen {
	s := &screen{}
	config := Config{In: strings.NewReader(input), Out: &s.out, Err: &s.err}
	if change != nil {
		change(&config)
	}
	s.Terminal = New(config)
	return s
}

// onTerminal makes all three streams terminals of 80 columns.
func onTerminal(c *Config) {
	c.InTerminal, c.OutTerminal, c.ErrTerminal, c.Width = true, true, true, 80
}

// expect compares both streams.
func (s *screen) expect(t *testing.T, out, err string) {
	t.Helper()
	if s.out.String() != out {
		t.Errorf("standard output is %q, want %q", s.out.String(), out)
	}
	if s.err.String() != err {
		t.Errorf("standard error is %q, want %q", s.err.String(), err)
	}
}

func TestResultsAndStoryGoToTheirOwnStreams(t *testing.T) {
	for _, test := range []struct {
		name     string
		change   func(*Config)
		out, err string
	}{
		{"plain", nil, "result 1\nchanged 5\nblock\n", "step 2\nwarning: warn 3\n"},
		{"quiet leaves results", func(c *Config) { c.Quiet = true }, "result 1\nblock\n", ""},
		{"verbose", func(c *Config) { c.Verbose = true }, "result 1\nchanged 5\nblock\n", "step 2\nwarning: warn 3\ndetail 4\n"},
		{"quiet wins over verbose", func(c *Config) { c.Quiet, c.Verbose = true, true }, "result 1\nblock\n", ""},
		{"json leaves results to the document", func(c *Config) { c.JSON = true }, "", "step 2\nwarning: warn 3\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", test.change)
			s.Result("result %d", 1)
			s.Changed("changed %d", 5)
			s.Step("step %d", 2)
			s.Warn("warn %d", 3)
			s.Detail("detail %d", 4)
			s.Block("block")
			s.expect(t, test.out, test.err)
		})
	}
}

func TestColourNeedsATerminalAndConsent(t *testing.T) {
	const plainText = "pdf fine\n"
	const colored = "\x1b[1mpdf\x1b[0m \x1b[32mfine\x1b[0m\n"
	for _, test := range []struct {
		name     string
		change   func(*Config)
		out, err string
	}{
		{"pipe", nil, plainText, plainText},
		{"terminal", onTerminal, colored, colored},
		{"only results on a terminal", func(c *Config) { c.OutTerminal = true }, colored, plainText},
		{"only the story on a terminal", func(c *Config) { c.ErrTerminal = true }, plainText, colored},
		{"NO_COLOR", func(c *Config) { onTerminal(c); c.NoColor = true }, plainText, plainText},
		{"json", func(c *Config) { onTerminal(c); c.JSON = true }, "", plainText},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", test.change)
			s.Result("%s %v", Bold("pdf"), Green("fine"))
			s.Step("%s %v", Bold("pdf"), Green("fine"))
			s.expect(t, test.out, test.err)
		})
	}
}

func TestArgumentsCannotObeyTheSource(t *testing.T) {
	type kind string
	hostile := "a\x1b[2Jb\nskills: done"
	const shown = `a\x1b[2Jb skills: done`
	for _, test := range []struct {
		format   string
		argument any
		want     string
	}{
		{"<%s>", hostile, "<" + shown + ">"},
		{"<%v>", hostile, "<" + shown + ">"},
		{"<%q>", hostile, `<"a\x1b[2Jb\nskills: done">`},
		{"<%s>", kind(hostile), "<" + shown + ">"},
		{"<%v>", errors.New(hostile), "<" + shown + ">"},
		{"<%v>", []string{hostile, "x"}, "<[" + shown + " x]>"},
		{"<%+v>", struct{ Name string }{hostile}, "<{Name:" + shown + "}>"},
		{"<%s>", []byte(hostile), "<" + shown + ">"},
		{"<%v>", map[string]string{hostile: ""}, "<map[" + shown + ":]>"},
		{"<%s>", Bold(hostile), "<" + shown + ">"},
		{"<%v>", error(nil), "<<nil>>"},
		{"<%5d|%-5d|%x>", 42, ""},
		{"<%6s>", "pdf", "<   pdf>"},
		{"<%-6s>", "pdf", "<pdf   >"},
		{"<%.2s>", "pdf", "<pd>"},
		{"<%5.1f>", 2.25, "<  2.2>"},
		{"<%t>", true, "<true>"},
	} {
		arguments := []any{test.argument}
		if test.want == "" {
			arguments, test.want = []any{42, 42, 42}, "<   42|42   |2a>"
		}
		s := newScreen("", nil)
		s.Result(test.format, arguments...)
		s.Step(test.format, arguments...)
		s.expect(t, test.want+"\n", test.want+"\n")
	}
}

func TestStyledTextIsHarmlessElsewhere(t *testing.T) {
	if got := fmt.Sprint(Red("\x1b[31m\u202e")); got != `\x1b[31m\u202e` {
		t.Errorf("printed by fmt it is %q", got)
	}
	s := newScreen("", onTerminal)
	s.Result("%s", Yellow("\x1b[0m"))
	s.expect(t, "\x1b[33m\\x1b[0m\x1b[0m\n", "")
}

func TestBlockKeepsItsLinesAndShowsWhatIsHidden(t *testing.T) {
	s := newScreen("", nil)
	s.Block("# Title\r\n\n\tcode\x1b[1m\n")
	s.expect(t, "# Title\n\n\tcode\\x1b[1m\n", "")
}

func TestContentIsExactForProgramsAndHarmlessOnTerminals(t *testing.T) {
	const content = "a\r\n\x1b[1m\xff"
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{nil, content},
		{onTerminal, "a\n\\x1b[1m\\xff\n"},
		{func(c *Config) { c.JSON = true }, ""},
		{func(c *Config) { c.Quiet = true }, content},
	} {
		s := newScreen("", test.change)
		s.Content([]byte(content))
		s.expect(t, test.want, "")
	}
}

// full refuses every byte, as a full disk does.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestResultsThatNobodyGotAreNoSuccess(t *testing.T) {
	for _, json := range []bool{false, true} {
		s := newScreen("", func(c *Config) { c.Out, c.JSON = full{}, json })
		s.Result("pdf")
		if err := s.Document(struct{}{}); err != nil {
			t.Fatal(err)
		}
		if status := s.Fail(nil); status != 1 {
			t.Errorf("json %v: exit %d, want 1", json, status)
		}
		s.expect(t, "", "skills: standard output cannot be written: no space left on device\n")
	}
}

func TestStandardReadsTheEnvironmentItIsGiven(t *testing.T) {
	for _, test := range []struct {
		environ     []string
		noColor, ci bool
	}{
		{nil, false, false},
		{[]string{"NO_COLOR=1", "CI=true"}, true, true},
		{[]string{"NO_COLOR=", "CI="}, false, false},
		{[]string{"NO_COLORS=1", "CIRCLE=1"}, false, false},
		{[]string{"TERM=dumb"}, true, false},
		{[]string{"TERM=dumb", "TERM=xterm"}, false, false},
		{[]string{"CI=0"}, false, true},
	} {
		c := Standard(test.environ)
		if c.NoColor != test.noColor || c.CI != test.ci {
			t.Errorf("%q: no colour %v, CI %v", test.environ, c.NoColor, c.CI)
		}
		if c.In == nil || c.Out == nil || c.Err == nil {
			t.Errorf("%q: a stream is missing", test.environ)
		}
	}
}

func TestLinesOfSeveralGoroutinesDoNotMix(t *testing.T) {
	s := newScreen("", onTerminal)
	p := s.Progress("fetching", 0, Things)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				s.Step("one whole line")
				p.Add(1)
			}
		})
	}
	group.Wait()
	p.Done()
	if n := strings.Count(s.err.String(), "one whole line\n"); n != 200 {
		t.Errorf("%d whole lines, want 200", n)
	}
	if _, err := s.Confirm(context.Background(), "Go on?", "--yes"); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the input is %v", err)
	}
}
