package agents

import (
	"slices"
	"strings"

	"skills/source/names"
)

// near returns at most three ids that someone who wrote the text may have meant: first those that hold it, for agents are called by
// parts of their ids ("kiro" is "kiro-cli" and not "kilo"), then the others, each time the nearest first.
func (t *Table) near(text string) []string {
	var known, others []string
	for _, agent := range t.agents {
		known = append(known, agent.ID)
	}
	near := slices.DeleteFunc(names.Near(text, known, len(known)), func(id string) bool {
		other := !strings.Contains(id, strings.ToLower(text))
		if other {
			others = append(others, id)
		}
		return other
	})
	near = append(near, others...)
	return near[:min(len(near), 3)]
}
