package tools

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/registry"
)

// skill has a list, or with "none" no list, or with nothing an empty one.
func skill(name string, list ...string) (string, []string) {
	if slices.Equal(list, []string{"none"}) {
		return name, nil
	}
	return name, append([]string{}, list...)
}

func bash(command string) Call { return Call{"Bash", map[string]any{"command": command}} }

// verdicts tells which calls pass.
func verdicts(check func(Call) error, calls ...Call) string {
	var b strings.Builder
	for _, call := range calls {
		if check(call) == nil {
			b.WriteByte('y')
		} else {
			b.WriteByte('n')
		}
	}
	return b.String()
}

// TestGate has the vectors of S4-34 and the rows of table 3.11 about gates.
func TestGate(t *testing.T) {
	calls := []Call{bash("git log"), bash("ls"), {Name: "Read"}, {Name: "Grep"}}
	for _, c := range []struct {
		id     string
		active [][]string // name and list
		want   string
	}{
		{"S4-34 union", [][]string{{"A", "Read"}, {"B", "Grep"}}, "nnyy"},
		{"S4-34 one without a list", [][]string{{"A", "Read"}, {"C", "none"}}, "nnyn"},
		{"S4-34 without a list only", [][]string{{"C", "none"}}, "yyyy"},
		{"S4-34 C-13 empty list", [][]string{{"A"}}, "nnnn"},
		{"S4-34 empty list beside another", [][]string{{"A"}, {"B", "Grep"}}, "nnny"},
		{"3.11-22", [][]string{{"A", "Read"}, {"B", "Bash(git:*)"}}, "ynyn"},
		{"3.11-23", nil, "yyyy"},
		{"a list that cannot be read", [][]string{{"A", "Bash("}}, "nnnn"},
		{"the same skill again", [][]string{{"A", "Read"}, {"A", "Grep"}}, "nnny"},
	} {
		t.Run(c.id, func(t *testing.T) {
			var gate Gate
			var active Active
			defer active.Guard(&gate)()
			for _, s := range c.active {
				active.Activate(skill(s[0], s[1:]...))
			}
			if got := verdicts(gate.Check, calls...); got != c.want {
				t.Errorf("verdicts %s, want %s", got, c.want)
			}
		})
	}
}

func TestBothGatesAreGuarded(t *testing.T) {
	t.Run("S4-34", func(t *testing.T) {
		var own, mcp Gate
		var active Active
		undo := active.Guard(&own, &mcp)
		active.Activate(skill("A", "Read", "mcp__gh__list"))
		if got := verdicts(own.Check, Call{Name: "Read"}, Call{Name: "Bash"}) + verdicts(mcp.Check, Call{Name: "mcp__gh__list"}, Call{Name: "mcp__gh__drop"}); got != "ynyn" {
			t.Errorf("verdicts %s", got)
		}
		undo()
		if own.Guards()+mcp.Guards() != 0 || verdicts(own.Check, Call{Name: "Bash"})+verdicts(mcp.Check, Call{Name: "Bash"}) != "yy" {
			t.Error("something is left")
		}
	})
}

// TestUndo also is row 24 of table 3.11.
func TestUndo(t *testing.T) {
	t.Run("S4-35 3.11-24", func(t *testing.T) {
		var gate Gate
		var first, second Active
		undoFirst, undoSecond := first.Guard(&gate), second.Guard(&gate)
		undoAgain := second.Guard(&gate)
		first.Activate(skill("A", "Read"))
		second.Activate(skill("B", "Read", "Grep"))
		if got := verdicts(gate.Check, Call{Name: "Read"}, Call{Name: "Grep"}, Call{Name: "Bash"}); got != "ynn" {
			t.Errorf("with both: %s", got)
		}
		undoFirst()
		undoFirst()
		undoAgain()
		if got := verdicts(gate.Check, Call{Name: "Read"}, Call{Name: "Grep"}, Call{Name: "Bash"}); got != "yyn" || gate.Guards() != 1 {
			t.Errorf("with the second: %s, %d guards", got, gate.Guards())
		}
		undoSecond()
		undoSecond()
		if got := verdicts(gate.Check, Call{Name: "Bash"}); got != "y" || gate.Guards() != 0 {
			t.Errorf("with none: %s, %d guards", got, gate.Guards())
		}
	})
}

func TestRulesOfTheGate(t *testing.T) {
	for _, c := range []struct {
		id    string
		rules Rules
		want  string
	}{{"6-6 strict by default", Rules{}, "nn"}, {"6-6 letter for zidane", Rules{Letter: true}, "yy"}} {
		t.Run(c.id, func(t *testing.T) {
			active := Active{Rules: c.rules}
			active.Activate(skill("A", "Bash(git:*)"))
			if got := verdicts(active.Check, bash("gitleaks"), bash("git log; rm")); got != c.want {
				t.Errorf("verdicts %s, want %s", got, c.want)
			}
		})
	}
}

func TestBlockedError(t *testing.T) {
	var active Active
	findings := active.Activate(skill("a", "Read", "Bash("))
	active.Activate(skill("b", "none"))
	if len(findings) != 1 || findings[0].Code != "tool_format" {
		t.Errorf("findings %v", findings)
	}
	err := active.Check(bash("ls"))
	var blocked *BlockedError
	if !errors.As(err, &blocked) || blocked.Tool != "Bash" || !slices.Equal(blocked.Skills, []string{"a"}) {
		t.Fatalf("error %#v", err)
	}
	if blocked.Code() != "tool_blocked" || len(blocked.Hints()) == 0 || blocked.Fields()["tool"] != "Bash" {
		t.Errorf("%s %v %v", blocked.Code(), blocked.Hints(), blocked.Fields())
	}
	if got := err.Error(); got != `this call of "Bash" is not among the allowed-tools of "a"` {
		t.Error(got)
	}
}

// TestDeactivation has each reason, and what the log keeps of it.
func TestDeactivation(t *testing.T) {
	var active Active
	for _, name := range []string{"a", "b", "c", "d"} {
		active.Activate(skill(name, "none"))
	}
	steps := []struct {
		id   string
		do   func() []string
		left string
	}{
		{"S4-36 model", func() []string { active.Deactivate("a", Model); return []string{"a model"} }, "b c d"},
		{"S4-36 explicit", func() []string { active.Deactivate("c", Explicit); return []string{"c explicit"} }, "b d"},
		{"S4-36 run-end", func() []string { active.End(RunEnd); return []string{"b run-end", "d run-end"} }, ""},
		{"S4-36 reset", func() []string { active.Activate(skill("a")); active.End(Reset); return []string{"a ", "a reset"} }, ""},
		{"no reason", func() []string {
			active.Activate(skill("a"))
			active.Deactivate("a", "")
			return []string{"a ", "a explicit"}
		}, ""},
	}
	for _, step := range steps {
		t.Run(step.id, func(t *testing.T) {
			before := len(active.Log())
			want := step.do()
			var got []string
			for _, event := range active.Log()[before:] {
				got = append(got, event.Skill+" "+string(event.Reason))
			}
			if !slices.Equal(got, want) || strings.Join(active.Names(), " ") != step.left {
				t.Errorf("log %q, want %q; left %q", got, want, active.Names())
			}
		})
	}
	if active.Deactivate("nobody", Model) || len(active.End(Reset)) != 0 {
		t.Error("nobody was ended")
	}
}

// TestReplay reads logs as they are kept: in JSON.
func TestReplay(t *testing.T) {
	for _, c := range []struct{ id, log, want string }{
		{"S4-36 released", `[{"skill":"a"},{"skill":"b"},{"skill":"a","reason":"model"}]`, "b"},
		{"S4-36 used again", `[{"skill":"a"},{"skill":"a","reason":"model"},{"skill":"a"}]`, "a"},
		{"S4-36 a run that ended", `[{"skill":"a"},{"skill":"a","reason":"run-end"}]`, "a"},
		{"S4-36 a release sticks over runs", `[{"skill":"a"},{"skill":"a","reason":"model"},{"skill":"b"},{"skill":"b","reason":"run-end"}]`, "b"},
		{"S4-36 reset", `[{"skill":"a"},{"skill":"b"},{"skill":"a","reason":"reset"},{"skill":"b","reason":"reset"},{"skill":"c"}]`, "c"},
		{"S4-36 explicit", `[{"skill":"a"},{"skill":"a","reason":"explicit"}]`, ""},
		{"a reason of the host's own", `[{"skill":"a"},{"skill":"a","reason":"idle"}]`, ""},
		{"order of the latest use", `[{"skill":"a"},{"skill":"b"},{"skill":"a"}]`, "b a"},
		{"nothing", `[]`, ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			var log []Event
			if err := json.Unmarshal([]byte(c.log), &log); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(Replay(log), " "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if data, _ := json.Marshal(log); string(data) != c.log {
				t.Errorf("written again: %s", data)
			}
		})
	}
}

func TestParallelUse(t *testing.T) {
	var gate Gate
	var active Active
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name := string(rune('a' + i))
			for range 50 {
				undo := active.Guard(&gate)
				active.Activate(skill(name, "Read"))
				_ = gate.Check(Call{Name: "Read"})
				_, _, _ = active.Names(), active.Log(), gate.Guards()
				active.Deactivate(name, Model)
				undo()
				undo()
			}
		})
	}
	group.Wait()
	if gate.Guards() != 0 || len(active.Names()) != 0 || len(active.Log()) != 800 {
		t.Errorf("%d guards, %v active, %d events", gate.Guards(), active.Names(), len(active.Log()))
	}
}

// TestFieldMayAsk lets the callback of a check use what is checked.
func TestFieldMayAsk(t *testing.T) {
	var active Active
	active.Rules.Field = func(string) string {
		active.Activate(active.Names()[0], []string{"Bash(ls:*)"})
		active.End(Reset)
		return "command"
	}
	active.Activate("a", []string{"Bash(git:*)", "Bash(ls:*)"})
	if err := active.Check(bash("git log")); err != nil {
		t.Error(err)
	}
	if names := active.Names(); len(names) != 0 {
		t.Errorf("%q are active", names)
	}
}

// TestNoHandOverOpensTheGate hands lists over from everything that has one: what cannot be read, and what is empty, allows nothing.
func TestNoHandOverOpensTheGate(t *testing.T) {
	for front, want := range map[string]string{"5": "n", "[]": "n", "Read": "n", "Write": "y", "[Write": "n", "''": "n"} {
		text := "---\nname: a\ndescription: b\nallowed-tools: " + front + "\n---\n"
		for _, profile := range []catalog.Profile{catalog.ProfileInstall, catalog.ProfileClarvis, catalog.ProfileZidane} {
			skill, _, err := catalog.Parse([]byte(text), catalog.Rules{Profile: profile})
			root := registry.Root{FS: fstest.MapFS{"a/SKILL.md": {Data: []byte(text)}}, Path: "/r"}
			r, _ := registry.Discover(t.Context(), registry.Config{Roots: []registry.Root{root}, Rules: catalog.Rules{Profile: profile}})
			if info, known := r.Get("a"); known != (err == nil) {
				t.Fatalf("%s, %s: %v", front, profile, err)
			} else if known {
				var of, as Active
				of.Activate(skill.Name, skill.AllowedTools)
				as.Activate(info.Name, info.AllowedTools)
				if got := verdicts(of.Check, Call{Name: "Write"}) + verdicts(as.Check, Call{Name: "Write"}); got != want+want {
					t.Errorf("%s, %s: %s", front, profile, got)
				}
			}
		}
	}
	d, err := author.Define(author.Definition{Name: "a", Description: "b", AllowedTools: []string{}})
	var active Active
	active.Activate(d.Name, d.AllowedTools)
	if err != nil || active.Check(Call{Name: "Write"}) == nil {
		t.Errorf("a definition that allows nothing allows all: %v", err)
	}
}
