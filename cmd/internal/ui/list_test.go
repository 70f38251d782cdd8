package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// shownList is a list on a terminal of that size.
func shownList(options []Option, width, height int) *list {
	l := newList("Which skills?", options)
	l.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return l
}

// press types keys by their names, a word of several letters one by one.
func press(l *list, keys ...string) {
	named := map[string]tea.KeyPressMsg{
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
	}
	for _, key := range keys {
		if message, ok := named[key]; ok {
			l.Update(message)
			continue
		}
		for _, r := range key {
			l.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// Colours, which the comparisons leave out.
var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// picture is what the terminal shows.
func picture(l *list) string { return colours.ReplaceAllString(l.View().Content, "") }

// many are as many options, "skill-01" and so on, each with a note of 1,000 characters.
func many(n int) []Option {
	options := make([]Option, n)
	for i := range options {
		options[i] = Option{Label: fmt.Sprintf("skill-%02d", i+1), Note: strings.Repeat("Reads files. ", 77)}
	}
	return options
}

func TestListShowsMarksStateAndKeys(t *testing.T) {
	for _, test := range []struct {
		name string
		keys []string
		want string
	}{
		{"at first", nil, `
Which skills?
  [ ] pdf   Reads PDFs.
> [x] xlsx
  [ ] 3     a name that is a number
1 of 3 marked
space mark · enter done · esc cancel · / filter · a all`},
		{"another", []string{"x", "j", "space"}, `
Which skills?
  [ ] pdf   Reads PDFs.
  [ ] xlsx
> [x] 3     a name that is a number
1 of 3 marked
space mark · enter done · esc cancel · / filter · a all`},
		{"nothing to be done with", []string{"x", "enter"}, `
Which skills?
  [ ] pdf   Reads PDFs.
> [ ] xlsx
  [ ] 3     a name that is a number
mark at least one with space
space mark · enter done · esc cancel · / filter · a all`},
		{"a key after that", []string{"x", "enter", "up"}, `
Which skills?
> [ ] pdf   Reads PDFs.
  [ ] xlsx
  [ ] 3     a name that is a number
0 of 3 marked
space mark · enter done · esc cancel · / filter · a all`},
		{"filtering", []string{"end", "/", "A n", "up"}, `
Which skills?
> [ ] 3     a name that is a number


/A n▏ · 1 of 3 marked
type to filter · enter keep · esc clear`},
		{"filtered", []string{"/", "pdx", "backspace", "enter", "x"}, `
Which skills?
> [x] pdf   Reads PDFs.


/pd · 2 of 3 marked
space mark · enter done · esc show all · / filter · a all`},
		{"filtered out", []string{"/", "pdffff", "enter", "x", "a"}, `
Which skills?



/pdffff · nothing matches
space mark · enter done · esc show all · / filter · a all`},
		{"filter cleared", []string{"/", "number", "enter", "esc"}, `
Which skills?
  [ ] pdf   Reads PDFs.
  [x] xlsx
> [ ] 3     a name that is a number
1 of 3 marked
space mark · enter done · esc cancel · / filter · a all`},
		{"filter cleared while typing", []string{"/", "q", "esc"}, `
Which skills?
> [ ] pdf   Reads PDFs.
  [x] xlsx
  [ ] 3     a name that is a number
1 of 3 marked
space mark · enter done · esc cancel · / filter · a all`},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := shownList(three(), 80, 24)
			press(l, test.keys...)
			if got := picture(l); got != strings.TrimPrefix(test.want, "\n") {
				t.Errorf("it is\n%s\nwant%s", got, test.want)
			}
		})
	}
}

func TestListFitsTheTerminalAndTellsWhatIsOutOfSight(t *testing.T) {
	for _, size := range []struct{ width, height, rows int }{{80, 24, 20}, {40, 24, 20}, {80, 15, 11}, {40, 15, 11}, {40, 3, 1}, {200, 60, 20}, {3, 8, 4}} {
		l := shownList(many(50), size.width, size.height)
		for _, test := range []struct {
			key, state  string
			first, last int
		}{
			{"", fmt.Sprintf("0 of 50 marked · ↓ %d more", 50-size.rows), 1, size.rows},
			{"end", fmt.Sprintf("0 of 50 marked · ↑ %d more", 50-size.rows), 51 - size.rows, 50},
			{"up", "", 0, 0},
			{"home", fmt.Sprintf("0 of 50 marked · ↓ %d more", 50-size.rows), 1, size.rows},
			{"pgdown", "", 0, 0},
			{"pgdown", "", 0, 0},
			{"pgup", "", 0, 0},
		} {
			press(l, test.key)
			lines := strings.Split(picture(l), "\n")
			if len(lines) != size.rows+3 {
				t.Errorf("%v: %d lines after %q", size, len(lines), test.key)
			}
			for _, line := range lines {
				if lipgloss.Width(line) >= size.width {
					t.Errorf("%v: %q is too wide", size, line)
				}
			}
			if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, ">") }) {
				t.Errorf("%v: the cursor is out of sight after %q", size, test.key)
			}
			if size.width < 40 || test.first == 0 {
				continue
			}
			first, last, state := lines[1], lines[size.rows], lines[size.rows+1]
			if !strings.Contains(first, fmt.Sprintf("skill-%02d", test.first)) || !strings.Contains(last, fmt.Sprintf("skill-%02d", test.last)) {
				t.Errorf("%v: after %q it goes from %q to %q", size, test.key, first, last)
			}
			if state != test.state {
				t.Errorf("%v: after %q the state is %q, want %q", size, test.key, state, test.state)
			}
		}
	}
}

func TestListFollowsTheTerminal(t *testing.T) {
	l := newList("Which skills?", many(50))
	if got := l.View().Content; got != "" {
		t.Errorf("before the size is known it shows %q", got)
	}
	l.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(l, "end")
	l.Update(tea.WindowSizeMsg{Width: 40, Height: 10})
	if got := picture(l); !strings.Contains(got, "> [ ] skill-50  ") || strings.Count(got, "\n") != 8 || !strings.Contains(got, "↑ 44 more") {
		t.Errorf("on a smaller terminal it is\n%s", got)
	}
	l.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := picture(l); !strings.Contains(got, "> [ ] skill-50  ") || !strings.Contains(got, "↑ 30 more") {
		t.Errorf("on a larger terminal again it is\n%s", got)
	}
}

func TestListEndsAndLeavesNothing(t *testing.T) {
	for _, test := range []struct {
		name      string
		keys      []string
		answered  bool
		cancelled bool
		marked    []int
	}{
		{"done", []string{"enter"}, true, false, []int{1}},
		{"nothing marked", []string{"x", "enter"}, false, false, nil},
		{"none, then one", []string{"x", "enter", "x", "enter"}, true, false, []int{1}},
		{"all", []string{"a", "enter"}, true, false, []int{0, 1, 2}},
		{"all and none", []string{"a", "a", "enter"}, false, false, nil},
		{"all that a filter shows", []string{"/", "pdf", "enter", "a", "enter"}, true, false, []int{0, 1}},
		{"none that a filter shows", []string{"/", "xlsx", "enter", "a", "enter"}, false, false, nil},
		{"letters of the filter are no keys", []string{"/", "axgq"}, false, false, []int{1}},
		{"escape", []string{"esc"}, false, true, []int{1}},
		{"escape out of a filter", []string{"/", "pdf", "esc"}, false, false, []int{1}},
		{"escape out of an empty filter", []string{"/", "esc"}, false, false, []int{1}},
		{"escape out of a filter that was kept", []string{"/", "pdf", "enter", "esc"}, false, false, []int{1}},
		{"escape twice", []string{"/", "pdf", "esc", "esc"}, false, true, []int{1}},
		{"control C", []string{"ctrl+c"}, false, true, []int{1}},
		{"control C in the filter", []string{"/", "p", "ctrl+c"}, false, true, []int{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := three()
			l := shownList(options, 80, 24)
			press(l, test.keys...)
			if l.answered != test.answered || l.cancelled != test.cancelled || !slices.Equal(l.marked(), test.marked) {
				t.Errorf("answered %v, cancelled %v, marked %v", l.answered, l.cancelled, l.marked())
			}
			if over := test.answered || test.cancelled; (l.View().Content == "") != over {
				t.Errorf("it shows %q", l.View().Content)
			}
			if !slices.Equal(options, three()) {
				t.Error("the caller's options were changed")
			}
		})
	}
}

func TestListShowsWhatIsHidden(t *testing.T) {
	l := newList("Which\x1b[2J?\nskills: done", []Option{{Label: "pdf\x1b", Note: "a\nb\u202e"}, {Label: "pdf\x1b"}})
	l.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(l, "/", "\u202e", "backspace", "pdf\u202e", "backspace")
	want := `Which\x1b[2J? skills: done
> [ ] pdf\x1b  a b\u202e
  [ ] pdf\x1b
/pdf▏ · 0 of 2 marked
type to filter · enter keep · esc clear`
	if got := picture(l); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}
