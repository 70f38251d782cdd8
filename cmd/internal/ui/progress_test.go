package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// wipe is what clears a line: erase in line, carriage return (ECMA-48 EL 2).
const wipe = "\x1b[2K\r"

// inTime runs a test with a clock that stands still but when everyone waits, so that nothing is drawn behind its back.
func inTime(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// pause lets time go by, and what happens meanwhile happen.
func pause(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestProgressDrawsOnlyWhereAnimationIsWanted(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config)
		drawn  bool
	}{
		{"pipe", nil, false},
		{"terminal", onTerminal, true},
		{"only results on a terminal", func(c *Config) { c.OutTerminal = true }, false},
		{"only the story on a terminal", func(c *Config) { c.ErrTerminal = true }, true},
		{"NO_COLOR or dumb", func(c *Config) { onTerminal(c); c.NoColor = true }, false},
		{"json", func(c *Config) { onTerminal(c); c.JSON = true }, false},
		{"quiet", func(c *Config) { onTerminal(c); c.Quiet = true }, false},
	} {
		inTime(t, test.name, func(t *testing.T) {
			s := newScreen("", test.change)
			p := s.Progress("fetching", 0, Bytes)
			p.Label("fetching more")
			p.Add(2048)
			pause(time.Second)
			p.Done()
			p.Done()
			if drawn := s.err.Len() > 0; drawn != test.drawn {
				t.Errorf("drawn is %v: %q", drawn, s.err.String())
			}
			if s.out.Len() != 0 {
				t.Errorf("standard output is %q", s.out.String())
			}
		})
	}
}

func TestProgressShowsItsLabelAndCount(t *testing.T) {
	for _, test := range []struct {
		name  string
		total int64
		unit  Unit
		want  string
	}{
		{"bytes of unknown number", 0, Bytes, "2.0 kB"},
		{"things of unknown number", 0, Things, "2000"},
		{"bytes", 10_000, Bytes, "2.0/10 kB"},
		{"things", 10_000, Things, "2000/10000"},
	} {
		inTime(t, test.name, func(t *testing.T) {
			s := newScreen("", onTerminal)
			p := s.Progress("fetching\x1b[2J", test.total, test.unit)
			p.Add(2000)
			text := s.err.String()
			if !strings.Contains(text, `fetching\x1b[2J`) || !strings.Contains(text, test.want) {
				t.Errorf("%q lacks the label or %q", text, test.want)
			}
			p.Done()
			if !strings.HasSuffix(s.err.String(), wipe) {
				t.Errorf("%q does not end with a wiped line", s.err.String())
			}
		})
	}
}

func TestProgressMakesRoomForLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen("", onTerminal)
		p := s.Progress("fetching", 0, Things)
		p.Add(1)
		s.Step("a line")
		if !strings.HasSuffix(drawn(s), wipe+"a line\n") {
			t.Errorf("%q does not wipe before the line", drawn(s))
		}
		pause(time.Second)
		if line := lastDrawn(s); !strings.HasPrefix(line, "fetching") {
			t.Errorf("%q does not come back", line)
		}
		s.mutex.Lock()
		s.err.Reset()
		s.mutex.Unlock()
		s.Result("a result")
		s.expect(t, "a result\n", wipe)
		p.Done()
	})
}

func TestLinesWipeNothingWhereNothingIsDrawn(t *testing.T) {
	print := func(s *screen) {
		for range 100 {
			s.Result("a result")
			s.Step("a line")
		}
	}
	lines := strings.Repeat("a line\n", 100)
	results := strings.Repeat("a result\n", 100)
	for _, test := range []struct {
		name   string
		before func(*screen)
	}{
		{"nothing begun", func(*screen) {}},
		{"nothing counted", func(s *screen) { s.Progress("installing", 1900, Things) }},
		{"nothing to say", func(s *screen) { s.Progress("", 0, Bytes).Add(1) }},
		{"done", func(s *screen) {
			p := s.Progress("installing", 1900, Things)
			p.Add(1900)
			p.Done()
			p.Add(1)
			p.Label("late")
		}},
		{"wiped by a line", func(s *screen) {
			s.Progress("installing", 1900, Things).Add(1900)
			s.Step("one")
		}},
	} {
		inTime(t, test.name, func(t *testing.T) {
			s := newScreen("", onTerminal)
			test.before(s)
			s.err.Reset()
			print(s)
			s.expect(t, results, lines)
		})
	}
}

// drawn is everything that was drawn so far.
func drawn(s *screen) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.err.String()
}

// lastDrawn is what stands on the last line of the terminal.
func lastDrawn(s *screen) string {
	text := drawn(s)
	return text[strings.LastIndexAny(text, "\r\n")+1:]
}

func TestProgressMovesAtMostTenTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen("", onTerminal)
		p := s.Progress("installing", 1900, Things)
		var seen []string
		for range 1900 { // in 1.9 seconds
			p.Add(1)
			if line := lastDrawn(s); len(seen) == 0 || seen[len(seen)-1] != line {
				seen = append(seen, line)
			}
			pause(time.Millisecond)
		}
		if n := strings.Count(s.err.String(), wipe); n > 20 {
			t.Errorf("%d draws, want at most 20", n)
		}
		if len(seen) < 18 || !strings.Contains(seen[0], "(1/1900)") || !strings.Contains(seen[len(seen)-1], " 94% |█████████ | (18") {
			t.Errorf("%d different lines: %q", len(seen), seen)
		}
		pause(time.Second)
		if line := lastDrawn(s); !strings.Contains(line, "100% |██████████| (1900/1900)") {
			t.Errorf("at the end it is %q", line)
		}
		p.Done()
	})
}

func TestProgressOfUnknownTotalMovesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen("", onTerminal)
		p := s.Progress("", 0, Things)
		pause(time.Second)
		s.expect(t, "", "")
		p.Label("fetching a")
		first := lastDrawn(s)
		if first != "fetching a ⠋" {
			t.Errorf("it begins as %q", first)
		}
		pause(150 * time.Millisecond)
		if second := lastDrawn(s); first == second || !strings.HasPrefix(first, "fetching a ") || !strings.HasPrefix(second, "fetching a ") {
			t.Errorf("%q became %q", first, second)
		}
		p.Label("") // and again before the next draw: the line stays
		n := s.err.Len()
		p.Label("fetching b")
		pause(100 * time.Millisecond)
		if again := s.err.String()[n:]; strings.Count(again, wipe) != 1 || !strings.HasPrefix(again, wipe+"fetching b ") {
			t.Errorf("another label is %q", again)
		}
		p.Label("")
		pause(100 * time.Millisecond)
		n = s.err.Len()
		if line := lastDrawn(s); line != "" {
			t.Errorf("without a label it is %q", line)
		}
		pause(time.Minute)
		if s.err.Len() != n {
			t.Errorf("without a label it draws %q", s.err.String()[n:])
		}
		p.Done()
	})
}

func TestProgressKeepsAwayFromQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, write := io.Pipe()
		s := newScreen("", func(c *Config) { onTerminal(c); c.In = read })
		p := s.Progress("fetching", 0, Bytes)
		p.Add(1)
		go func() {
			time.Sleep(time.Minute)
			p.Add(1)
			_, _ = io.WriteString(write, "y\n")
		}()
		if ok, err := s.Confirm(context.Background(), "Go on?", "--yes"); !ok || err != nil {
			t.Errorf("the answer is %v, %v", ok, err)
		}
		if !strings.HasSuffix(drawn(s), wipe+"\x1b[1mGo on?\x1b[0m [y/N] ") {
			t.Errorf("the question ends in %q", drawn(s))
		}
		pause(time.Second)
		if line := lastDrawn(s); !strings.HasPrefix(line, "fetching") {
			t.Errorf("%q does not come back", line)
		}
		p.Done()
	})
}

func TestProgressThatWasReplacedIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen("", onTerminal)
		first := s.Progress("first", 0, Things)
		first.Add(1)
		second := s.Progress("second", 0, Things)
		s.err.Reset()
		first.Add(1)
		first.Label("first again")
		first.Done()
		pause(time.Second)
		s.expect(t, "", "")
		second.Add(1)
		if !strings.Contains(s.err.String(), "second") {
			t.Errorf("%q lacks the second", s.err.String())
		}
		second.Done()
	})
}

func TestProgressBearsMoreThanWasAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScreen("", onTerminal)
		p := s.Progress("fetching", 3, Things)
		for range 5 {
			p.Add(1)
			pause(time.Second)
		}
		if line := lastDrawn(s); !strings.Contains(line, "(3/3)") {
			t.Errorf("it is %q", line)
		}
		s.err.Reset()
		s.Step("a line")
		p.Done()
		s.expect(t, "", wipe+"a line\n")
	})
}

func TestProgressFitsANarrowTerminal(t *testing.T) {
	for _, test := range []struct {
		width int
		total int64
		want  string
	}{
		{20, 10, "fet… 50% | | (5/10)"},
		{40, 10, "fetching github.com/ant… 50% | | (5/10)"},
		{40, 0, "fetching github.com/anthropics/s… ⠋ (5)"},
		{80, 0, "fetching github.com/anthropics/skills ⠋ (5)"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScreen("", func(c *Config) { onTerminal(c); c.Width = test.width })
			p := s.Progress("fetching github.com/anthropics/skills", test.total, Things)
			p.Add(5)
			if line := lastDrawn(s); line != test.want {
				t.Errorf("in %d columns it is %q, want %q", test.width, line, test.want)
			}
			p.Done()
		})
	}
}
