package ui

import (
	"strings"
	"testing"
)

// wipe is what clears a line: erase in line, carriage return (ECMA-48 EL 2).
const wipe = "\x1b[2K\r"

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
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", test.change)
			p := s.Progress("fetching", 0, Bytes)
			p.Add(2048)
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
		t.Run(test.name, func(t *testing.T) {
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
	s := newScreen("", onTerminal)
	p := s.Progress("fetching", 0, Things)
	p.Add(1)
	s.Step("a line")
	if !strings.HasSuffix(s.err.String(), wipe+"a line\n") {
		t.Errorf("%q does not wipe before the line", s.err.String())
	}
	s.err.Reset()
	s.Result("a result")
	s.expect(t, "a result\n", wipe)
}

func TestProgressThatWasReplacedIsSilent(t *testing.T) {
	s := newScreen("", onTerminal)
	first := s.Progress("first", 0, Things)
	first.Add(1)
	second := s.Progress("second", 0, Things)
	s.err.Reset()
	first.Add(1)
	first.Done()
	s.expect(t, "", "")
	second.Add(1)
	if !strings.Contains(s.err.String(), "second") {
		t.Errorf("%q lacks the second", s.err.String())
	}
}

func TestProgressBearsMoreThanWasAnnounced(t *testing.T) {
	s := newScreen("", onTerminal)
	p := s.Progress("fetching", 3, Things)
	for range 5 {
		p.Add(1)
	}
	s.err.Reset()
	s.Step("a line")
	p.Done()
	if !strings.Contains(s.err.String(), "a line\n") {
		t.Errorf("%q lacks the line", s.err.String())
	}
}

func TestProgressFitsANarrowTerminal(t *testing.T) {
	s := newScreen("", func(c *Config) { onTerminal(c); c.Width = 20 })
	p := s.Progress("fetching", 10, Things)
	p.Add(5)
	p.Done()
	if !strings.Contains(s.err.String(), "5/10") {
		t.Errorf("%q lacks the count", s.err.String())
	}
}
