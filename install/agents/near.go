package agents

import (
	"cmp"
	"slices"
	"strings"
)

// near returns at most three ids that someone who wrote the text may have meant: first those that hold it ("claude"), then those that
// one typing error in three letters turns into it ("cusror"), the nearest first.
func (t *Table) near(text string) []string {
	text = strings.ToLower(text)
	var holding, similar []string
	for _, agent := range t.agents {
		switch {
		case len(text) > 2 && strings.Contains(agent.ID, text):
			holding = append(holding, agent.ID)
		case distance(text, agent.ID) <= (len(text)+2)/3:
			similar = append(similar, agent.ID)
		}
	}
	nearest := func(a, b string) int { return cmp.Compare(distance(text, a), distance(text, b)) }
	slices.SortStableFunc(holding, nearest)
	slices.SortStableFunc(similar, nearest)
	ids := append(holding, similar...)
	return ids[:min(len(ids), 3)]
}

// distance counts the bytes to insert, delete or replace to turn a into b (Levenshtein 1965). Texts of more than 64 bytes are no ids;
// they are as far as their length, so that a hostile text costs nothing.
func distance(a, b string) int {
	if max(len(a), len(b)) > 64 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
