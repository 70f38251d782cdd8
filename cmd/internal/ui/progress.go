package ui

import (
	"io"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/schollz/progressbar/v3"
)

// Unit says what a [Progress] counts.
type Unit int

// The units.
const (
	Things Unit = iota // objects, files, skills
	Bytes              // bytes, shown with SI prefixes
)

// Progress shows on one line of standard error how far a long step is. It draws only where animation is wanted: on a terminal,
// without NO_COLOR, TERM=dumb, --json and -q; elsewhere every method does nothing. Lines that the Terminal prints meanwhile push it
// aside, questions until they are answered. It is drawn at most ten times a second. A nil Progress is one that draws nothing.
type Progress struct {
	terminal *Terminal // its mutex guards what follows
	bar      *progressbar.ProgressBar
	label    string
	count    int64
	total    int64
	shown    string // what stands on the terminal, "" for nothing
	ticking  bool
}

// Progress begins to show a step, from the first Add or Label on; the label passes [OneLine]. A total that is not known is 0: then a
// moving sign stands for the bar. At most one is shown; a new one takes the place of the old, which goes on in silence.
func (t *Terminal) Progress(label string, total int64, unit Unit) *Progress {
	if !t.animated() {
		return nil
	}
	if total <= 0 {
		total = -1
	}
	p := &Progress{terminal: t, label: label, total: total, bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(io.Discard), // it makes the line; when that is drawn and wiped is decided here
		progressbar.OptionShowBytes(unit == Bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionShowTotalBytes(total > 0),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetWidth(max(1, min(10, t.columns()-40))),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine: it turns when it is drawn
	)}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.progress.clear()
	t.progress = p
	return p
}

// animated tells whether a line may be drawn over and over.
func (t *Terminal) animated() bool { return t.config.ErrTerminal && t.colored() && !t.config.Quiet }

// columns returns the width of the terminal, or what most have.
func (t *Terminal) columns() int {
	if t.config.Width == 0 {
		return 80
	}
	return t.config.Width
}

// Add tells that so many more are done. It is cheap.
func (p *Progress) Add(n int64) {
	p.change(func() { p.count += n })
}

// Label says anew what is done; it passes [OneLine]. While it is "" nothing is shown.
func (p *Progress) Label(text string) {
	p.change(func() { p.label = text })
}

// change changes the progress and sees to it that it is drawn, now or when a tenth of a second is over.
func (p *Progress) change(how func()) {
	if p == nil {
		return
	}
	p.terminal.mutex.Lock()
	defer p.terminal.mutex.Unlock()
	how()
	if p.terminal.progress == p && !p.ticking {
		p.tick()
	}
}

// tick draws the line ten times a second until it is done, for the sign that moves and after lines that pushed it aside. The caller
// holds the mutex.
func (p *Progress) tick() {
	p.ticking = true
	p.draw()
	time.AfterFunc(time.Second/10, func() {
		p.terminal.mutex.Lock()
		defer p.terminal.mutex.Unlock()
		if p.terminal.progress == p {
			p.tick()
		}
	})
}

// draw brings the line on the terminal up to date. The caller holds the mutex.
func (p *Progress) draw() {
	if p.label == "" || p.terminal.asking {
		p.clear()
		return
	}
	count := p.count
	if p.total > 0 {
		count = min(count, p.total) // the bar bears no more
	}
	_ = p.bar.Set64(count)
	bar := " " + strings.ReplaceAll(strings.TrimSpace(p.bar.String()), "  (", " (") // it holds no label
	if p.total < 0 && count == 0 {
		bar, _, _ = strings.Cut(bar, " (") // nothing is counted
	}
	line := Cut(p.label, p.terminal.columns()-1-lipgloss.Width(bar)) + bar
	if line == p.shown {
		return
	}
	_, _ = io.WriteString(p.terminal.config.Err, wipeLine+line)
	p.shown = line
}

// Done removes the line. It may be called twice.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.terminal.mutex.Lock()
	defer p.terminal.mutex.Unlock()
	if p.terminal.progress == p {
		p.clear()
		p.terminal.progress = nil
	}
}

// wipeLine clears the line of the cursor and goes to its beginning (ECMA-48 EL).
const wipeLine = "\x1b[2K\r"

// clear wipes the line if there is one; it comes back at the next draw. The caller holds the mutex.
func (p *Progress) clear() {
	if p != nil && p.shown != "" {
		_, _ = io.WriteString(p.terminal.config.Err, wipeLine)
		p.shown = ""
	}
}
