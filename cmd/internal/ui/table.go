package ui

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Table prints rows of results in columns that are aligned by display width, two blanks apart; with --json nothing. Cells
// pass [OneLine]; rows may differ in length. On a terminal lines are cut to its width, elsewhere never, since programs read them. The
// header may be nil.
func (t *Terminal) Table(header []string, rows [][]string) {
	if header != nil {
		rows = append([][]string{header}, rows...)
	}
	var b strings.Builder
	for i, line := range columns(rows) {
		if t.config.OutTerminal && t.config.Width > 0 {
			line = Cut(line, t.config.Width)
		}
		if i == 0 && header != nil {
			line = Bold(line).render(t.config.OutTerminal && t.colored())
		}
		b.WriteString(line + "\n")
	}
	t.out(b.String())
}

// columns returns the lines of a table, without blanks at their ends.
func columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(OneLine(cell)))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = OneLine(cell)
			b.WriteString(cell + strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+2))
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
