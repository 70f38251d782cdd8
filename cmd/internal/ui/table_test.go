package ui

import (
	"strings"
	"testing"
)

func TestTableAlignsByDisplayWidth(t *testing.T) {
	header := []string{"NAME", "STATE", "SOURCE"}
	rows := [][]string{
		{"pdf", "ok", "anthropics/skills"},
		{"代码审查", "modified", "acme/skills\nskills: done"},
		{"e\u0301te\u0301", "", "x"},
		{"a\x1b[2J", "ok", ""},
		{"short"},
		{},
	}
	for _, test := range []struct {
		name   string
		header []string
		change func(*Config)
		want   string
	}{
		{"pipe", header, nil, `
NAME      STATE     SOURCE
pdf       ok        anthropics/skills
代码审查  modified  acme/skills skills: done
été                 x
a\x1b[2J  ok
short

`},
		{"narrow terminal", header, func(c *Config) { onTerminal(c); c.Width, c.NoColor = 24, true }, `
NAME      STATE     SOU…
pdf       ok        ant…
代码审查  modified  acm…
été                 x
a\x1b[2J  ok
short

`},
		{"narrow, but unknown", nil, func(c *Config) { onTerminal(c); c.Width = 0 }, `
pdf       ok        anthropics/skills
代码审查  modified  acme/skills skills: done
été                 x
a\x1b[2J  ok
short

`},
		{"width of a terminal behind which nobody looks", nil, func(c *Config) { c.Width = 5 }, `
pdf       ok        anthropics/skills
代码审查  modified  acme/skills skills: done
été                 x
a\x1b[2J  ok
short

`},
		{"json", header, func(c *Config) { c.JSON = true }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScreen("", test.change)
			s.Table(test.header, rows)
			got := strings.ReplaceAll(s.out.String(), "e\u0301", "é")
			if want := strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("table\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestTableHeaderIsBoldOnATerminal(t *testing.T) {
	s := newScreen("", onTerminal)
	s.Table([]string{"NAME"}, [][]string{{"pdf"}})
	s.expect(t, "\x1b[1mNAME\x1b[0m\npdf\n", "")
}

func TestTableWithoutRowsPrintsItsHeaderOnly(t *testing.T) {
	s := newScreen("", nil)
	s.Table(nil, nil)
	s.Table([]string{"NAME", "STATE"}, nil)
	s.expect(t, "NAME  STATE\n", "")
}
