// Package tools reads entries of allowed-tools, tells which calls of tools they
// match, and keeps the gate that holds an agent to the lists of its active skills.
//
// It is pure: a host hands in calls and gets verdicts; nothing is run.
//
// Rules that hold everywhere:
//
//   - What cannot be read allows nothing and is reported.
//   - No list (nil) is no limit; a list that is empty allows nothing. So a skill without
//     allowed-tools opens nothing that another one's list keeps shut.
//   - Strict is the default: see Rules. Rules{Letter: true} matches as loosely as
//     zidane, where such entries come from.
//   - Case counts, in names and in arguments.
//
// A use:
//
//	var own, mcp tools.Gate // asked by the host before each call
//	var active tools.Active
//	undo := active.Guard(&own, &mcp)
//	defer undo()
//	findings := active.Activate(skill.Name, skill.AllowedTools) // of a catalog.Skill, a registry.Info, an author.Definition
//	err := own.Check(tools.Call{Name: "Bash", Input: map[string]any{"command": "git log"}})
//	active.End(tools.RunEnd)
package tools
