package ui

import (
	"io"
	"time"

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
// aside. A nil Progress is one that draws nothing.
type Progress struct {
	terminal *Terminal
	bar      *progressbar.ProgressBar
}

// Progress begins to show a step; the label passes [OneLine]. A total that is not known is 0: then a moving sign stands for the bar. At
// most one is shown; a new one takes the place of the old, which goes on in silence.
func (t *Terminal) Progress(label string, total int64, unit Unit) *Progress {
	if !t.animated() {
		return nil
	}
	if total <= 0 {
		total = -1
	}
	width := t.config.Width
	if width == 0 {
		width = 80
	}
	p := &Progress{terminal: t, bar: progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(struct{ io.Writer }{t.config.Err}), // hides *os.File, whose Sync the bar would call each time
		progressbar.OptionSetDescription(Cut(label, max(10, min(30, width-50)))),
		progressbar.OptionShowBytes(unit == Bytes),
		progressbar.OptionShowCount(),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetWidth(max(1, min(10, width-70))),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine: it turns when something arrives
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionClearOnFinish(),
	)}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.progress.clear()
	t.progress = p
	return p
}

// animated tells whether a line may be drawn over and over.
func (t *Terminal) animated() bool { return t.config.ErrTerminal && t.colored() && !t.config.Quiet }

// Add tells that so many more are done. It is cheap: the line is drawn at most ten times a second.
func (p *Progress) Add(n int64) {
	if p == nil {
		return
	}
	p.terminal.mutex.Lock()
	defer p.terminal.mutex.Unlock()
	if p.terminal.progress == p {
		_ = p.bar.Add64(n) // says only that more arrived than was announced
	}
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

// clear wipes the line; it comes back with the next Add. The caller holds the mutex.
func (p *Progress) clear() {
	if p != nil {
		_ = p.bar.Clear()
	}
}
