package tools_test

import (
	"fmt"

	"skills/catalog/tools"
)

func ExampleParse() {
	for _, text := range []string{"Read", "Bash(git:*)", "Bash(git status)", "Bash(*)", "Bash("} {
		entry, findings := tools.Parse(text)
		fmt.Printf("%s %q %q\n", entry.Form, entry.Tool, entry.Argument)
		for _, f := range findings {
			fmt.Println(f.Message)
		}
	}
	// Output:
	// tool "Read" ""
	// prefix "Bash" "git"
	// exact "Bash" "git status"
	// any "Bash" ""
	// malformed "" ""
	// "Bash(" has parentheses that do not pair up and allows nothing
}

func ExampleEntry_Matches() {
	entry, _ := tools.Parse("Bash(git:*)")
	for _, command := range []string{"git log", "gitleaks", "git log; rm -rf /"} {
		call := tools.Call{Name: "Bash", Input: map[string]any{"command": command}}
		fmt.Println(command, entry.Matches(call, tools.Rules{}), entry.Matches(call, tools.Rules{Letter: true}))
	}
	// Output:
	// git log true true
	// gitleaks false true
	// git log; rm -rf / false true
}

func ExampleActive_Guard() {
	var gate tools.Gate
	var active tools.Active
	undo := active.Guard(&gate)
	active.Activate("pdf", []string{"Read"})
	fmt.Println(gate.Check(tools.Call{Name: "Read"}))
	fmt.Println(gate.Check(tools.Call{Name: "Write"}))
	undo()
	fmt.Println(gate.Check(tools.Call{Name: "Write"}))
	// Output:
	// <nil>
	// this call of "Write" is not among the allowed-tools of "pdf"
	// <nil>
}

func ExampleReplay() {
	var active tools.Active
	active.Activate("pdf", nil)
	active.Activate("notes", nil)
	active.Deactivate("pdf", tools.Model)
	active.End(tools.RunEnd)
	fmt.Println(active.Names(), tools.Replay(active.Log()))
	// Output: [] [notes]
}
