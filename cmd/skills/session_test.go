package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"skills/cmd/internal/ui"
	"skills/fetch"
)

// lines returns the lines that a progress drew, one after the other on the same place.
func lines(text string) []string { return strings.Split(text, "\x1b[2K\r") }

func TestActivityNamesWhatIsFetchedAndCountsWhatIsInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		a := &activity{terminal: ui.New(ui.Config{In: strings.NewReader(""), Out: &screen, Err: &screen, ErrTerminal: true, Width: 80})}
		refs := fetch.Event{Host: "github.com", Path: "/acme/skills.git/info/refs"}
		pack := fetch.Event{Host: "github.com", Path: "/acme/skills.git/git-upload-pack"}
		file := fetch.Event{Host: "example.com", Path: "/x/SKILL.md"}
		over := func(e fetch.Event) fetch.Event { e.Done = true; return e }
		after := func(events ...fetch.Event) string {
			for _, e := range events {
				a.request(e)
			}
			time.Sleep(150 * time.Millisecond)
			synctest.Wait()
			drawn := lines(screen.String())
			return drawn[len(drawn)-1]
		}
		for _, step := range []struct {
			events []fetch.Event
			want   string
		}{
			{[]fetch.Event{refs}, "fetching github.com/acme/skills "},
			{[]fetch.Event{file, over(refs), pack}, "fetching example.com/x/SKILL.md "},
			{[]fetch.Event{over(file)}, "fetching github.com/acme/skills "},
			{[]fetch.Event{over(pack), over(pack)}, ""},
		} {
			if got := after(step.events...); !strings.HasPrefix(got, step.want) || (got == "") != (step.want == "") {
				t.Errorf("after %v it is %q, want %q", step.events, got, step.want)
			}
		}
		for range 3 {
			a.installed(3)
		}
		if got := after(); !strings.Contains(got, "installing 100% ") || !strings.Contains(got, "(3/3)") {
			t.Errorf("at the end it is %q", got)
		}
		a.Done()
		if got := after(refs); !strings.HasPrefix(got, "fetching github.com/acme/skills ") {
			t.Errorf("what is fetched afterwards is %q", got)
		}
		a.Done()
		if got := after(); got != "" {
			t.Errorf("what stays is %q", got)
		}
	})
}

func TestActivityOfOneSkillNeedsNoBar(t *testing.T) {
	var screen bytes.Buffer
	a := &activity{terminal: ui.New(ui.Config{In: strings.NewReader(""), Out: &screen, Err: &screen, ErrTerminal: true})}
	a.installed(1)
	a.Done()
	if screen.Len() > 0 {
		t.Errorf("it drew %q", screen.String())
	}
}
