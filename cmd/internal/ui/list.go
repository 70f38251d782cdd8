package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// list is a choice as bubbletea runs it: a title, the options with their marks, as many as the terminal has room for, a line that tells
// what is marked and what is out of sight, and a line with the keys. When it is over it shows nothing.
type list struct {
	title         string
	options       []Option // Chosen is the mark
	rows          []string // what they look like
	shown         []int    // indices of those that pass the filter
	cursor, first int      // the row of the cursor and the first one in sight, in shown
	width, height int      // of the terminal, 0 until it is known

	filter   string
	typing   bool // keys are letters of the filter
	reminded bool // the answer was empty

	answered, cancelled bool
}

// newList returns a list of which nothing is filtered out, the cursor on the first option with a mark. The options are copied.
func newList(title string, options []Option) *list {
	l := &list{title: title, options: slices.Clone(options)}
	cells := make([][]string, len(options))
	for i, o := range options {
		cells[i] = []string{o.Label, o.Note}
	}
	l.rows = columns(cells)
	l.sift()
	l.cursor = max(0, slices.IndexFunc(options, func(o Option) bool { return o.Chosen }))
	return l
}

// Init does nothing; bubbletea tells the size of the terminal by itself.
func (l *list) Init() tea.Cmd { return nil }

// Update obeys a key or a new size of the terminal.
func (l *list) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		l.width, l.height = m.Width, m.Height
	case tea.KeyPressMsg:
		l.reminded = false
		if l.typing {
			l.edit(m)
		} else {
			l.obey(m.String())
		}
	}
	l.scroll()
	if l.answered || l.cancelled {
		return l, tea.Quit
	}
	return l, nil
}

// obey does what a key says while no filter is typed.
func (l *list) obey(key string) {
	switch key {
	case "up", "k", "ctrl+p":
		l.cursor--
	case "down", "j", "ctrl+n":
		l.cursor++
	case "pgup", "ctrl+u":
		l.cursor -= l.room()
	case "pgdown", "ctrl+d":
		l.cursor += l.room()
	case "home", "g":
		l.cursor = 0
	case "end", "G":
		l.cursor = len(l.shown) - 1
	case "space", "x":
		l.toggle()
	case "a", "ctrl+a":
		l.toggleAll()
	case "/":
		l.typing = true
	case "enter":
		l.answered = len(l.marked()) > 0
		l.reminded = !l.answered
	case "esc":
		l.cancelled = l.filter == ""
		l.filter = ""
		l.sift()
	case "ctrl+c":
		l.cancelled = true
	}
}

// edit changes the filter by a key.
func (l *list) edit(key tea.KeyPressMsg) {
	switch key.String() {
	case "up", "down", "pgup", "pgdown", "ctrl+c":
		l.obey(key.String())
		return
	case "enter":
		l.typing = false
	case "esc":
		l.filter, l.typing = "", false
	case "backspace":
		if letters := []rune(l.filter); len(letters) > 0 {
			l.filter = string(letters[:len(letters)-1])
		}
	default:
		l.filter += key.Text
	}
	l.sift()
}

// sift finds the options that hold the filter, in whatever case. The cursor stays on its option if that is among them.
func (l *list) sift() {
	at := -1
	if l.cursor < len(l.shown) {
		at = l.shown[l.cursor]
	}
	l.shown = nil
	for i, o := range l.options {
		if strings.Contains(strings.ToLower(o.Label+" "+o.Note), strings.ToLower(l.filter)) {
			l.shown = append(l.shown, i)
		}
	}
	l.cursor = max(0, slices.Index(l.shown, at))
}

// scroll keeps the cursor on an option and in sight, and the room filled.
func (l *list) scroll() {
	l.cursor = max(0, min(l.cursor, len(l.shown)-1))
	l.first = max(l.cursor-l.room()+1, min(l.first, l.cursor))
	l.first = max(0, min(l.first, len(l.shown)-l.room()))
}

// room returns how many options are shown at once: what the terminal has beside the three other lines and the command above, but not
// more than a person looks through.
func (l *list) room() int { return max(1, min(len(l.options), l.height-4, 20)) }

// toggle marks the option under the cursor or takes its mark away.
func (l *list) toggle() {
	if l.cursor < len(l.shown) {
		o := &l.options[l.shown[l.cursor]]
		o.Chosen = !o.Chosen
	}
}

// toggleAll marks what passes the filter; when all of it is marked already it takes the marks away.
func (l *list) toggleAll() {
	mark := slices.ContainsFunc(l.shown, func(i int) bool { return !l.options[i].Chosen })
	for _, i := range l.shown {
		l.options[i].Chosen = mark
	}
}

// marked returns the indices of the options with a mark, filtered out or not.
func (l *list) marked() []int {
	var marked []int
	for i, o := range l.options {
		if o.Chosen {
			marked = append(marked, i)
		}
	}
	return marked
}

// View shows the list. It keeps its height whatever the filter leaves, so that nothing jumps.
func (l *list) View() tea.View {
	if l.answered || l.cancelled || l.height == 0 {
		return tea.NewView("")
	}
	lines := []string{l.line(Bold, l.title)}
	for i := range l.room() {
		lines = append(lines, l.row(l.first+i))
	}
	return tea.NewView(strings.Join(append(lines, l.state(), l.line(Faint, l.keys())), "\n"))
}

// line returns a text in one line of the terminal. The last column stays free, since some terminals begin a new line after it.
func (l *list) line(style func(string) Styled, text string) string {
	return style(Cut(text, l.width-1)).render(true)
}

// row returns the line of the nth option that is shown, "" when there is none.
func (l *list) row(n int) string {
	if n >= len(l.shown) {
		return ""
	}
	i := l.shown[n]
	mark := "[ ] "
	if l.options[i].Chosen {
		mark = "[x] "
	}
	if n == l.cursor {
		return l.line(Bold, "> "+mark+l.rows[i])
	}
	return Cut("  "+mark+l.rows[i], l.width-1)
}

// state tells the filter, how many are marked and how many are out of sight, or what is missing.
func (l *list) state() string {
	if l.reminded {
		return l.line(Yellow, "mark at least one with space")
	}
	var parts []string
	if l.typing {
		parts = append(parts, "/"+l.filter+"▏")
	} else if l.filter != "" {
		parts = append(parts, "/"+l.filter)
	}
	if len(l.shown) == 0 {
		parts = append(parts, "nothing matches")
	} else {
		parts = append(parts, fmt.Sprintf("%d of %d marked", len(l.marked()), len(l.options)))
	}
	if l.first > 0 {
		parts = append(parts, fmt.Sprintf("↑ %d more", l.first))
	}
	if below := len(l.shown) - l.first - l.room(); below > 0 {
		parts = append(parts, fmt.Sprintf("↓ %d more", below))
	}
	return l.line(Faint, strings.Join(parts, " · "))
}

// keys tells what can be done, the most needed first, since a narrow terminal cuts the rest.
func (l *list) keys() string {
	switch {
	case l.typing:
		return "type to filter · enter keep · esc clear"
	case l.filter != "":
		return "space mark · enter done · esc show all · / filter · a all"
	}
	return "space mark · enter done · esc cancel · / filter · a all"
}
