package registry

import (
	"cmp"
	"slices"

	"skills/source/names"
)

// Ascending lists roots (or what becomes roots) as Config.Roots wants them, from
// the lowest precedence to the highest: the order of Clarvis, last wins.
func Ascending[R any](roots ...R) []R { return slices.Clone(roots) }

// Descending lists roots given from the highest precedence to the lowest, the
// order of zidane in which the first wins, as Config.Roots wants them.
func Descending[R any](roots ...R) []R {
	ascending := slices.Clone(roots)
	slices.Reverse(ascending)
	return ascending
}

// Merge joins lists of skills to one with one record a name, standing where the
// name was first seen. The record of the later list wins, within a list the
// later one, and says in Shadowed what it hides; the same directory reached by
// another way is not hidden. The lists stay as they are.
func Merge(groups ...[]Info) []Info {
	merged := []Info{}
	index := map[string]int{}
	for _, group := range groups {
		for _, info := range group {
			at, known := index[info.Name]
			if !known {
				index[info.Name] = len(merged)
				merged = append(merged, info)
				continue
			}
			merged[at] = info.over(merged[at])
		}
	}
	return merged
}

// over gives the record with what it hides in place of another.
func (i Info) over(loser Info) Info {
	hidden := append(slices.Clone(i.Shadowed), Shadow{Name: i.Name, Loser: loser.Path, Source: loser.Source, real: loser.real()})
	hidden = append(hidden, loser.Shadowed...)
	if real := i.real(); real != "" {
		hidden = slices.DeleteFunc(hidden, func(s Shadow) bool { return s.real == real })
	}
	for n := range hidden {
		hidden[n].Winner = i.Path
	}
	i.Shadowed = hidden
	return i
}

// sorted gives the skills in the order of their names, without letter case, then
// by their bytes, in a slice of its own.
func sorted(skills []Info) []Info {
	type keyed struct {
		fold string
		info Info
	}
	keys := make([]keyed, len(skills))
	for n, info := range skills {
		keys[n] = keyed{names.Fold(info.Name), info}
	}
	slices.SortStableFunc(keys, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.fold, b.fold), cmp.Compare(a.info.Name, b.info.Name))
	})
	ordered := make([]Info, len(skills))
	for n, k := range keys {
		ordered[n] = k.info
	}
	return ordered
}
