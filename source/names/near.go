// Package names has the rules for names, shared by all packages that take, show or write them: which names and paths may be used to
// read from a source or to write on a disk, which names are one on some file system, and which a person may have meant. It is pure
// text and imports nothing of the module; what it admits still goes through an os.Root.
//
//	if err := names.Check(name); err != nil { … } // a [Reason]
//	names.Near("pfd", []string{"docx", "pdf"}, 3) // [pdf]
package names

import (
	"cmp"
	"slices"
	"strings"
)

// longest is how many characters a name may have that is compared letter by letter, so that a hostile text costs nothing.
const longest = 64

// Near returns the known names, at most so many (none for fewer than one), that someone who typed the word may have meant, the nearest first and each once: those
// that hold it ("skill" for "skills") or are held by it, from three letters on, and those that one typing error in three letters turns
// into it. Case and normal form do not count. Names of more than 64 characters are never meant.
func Near(word string, known []string, most int) []string { return near(word, known, most, false) }

// NearAlike is Near for names that are short and many, where chance makes neighbours ("nope" is not "pipe"): what differs in more than
// a third of the letters must at least begin with the same one.
func NearAlike(word string, known []string, most int) []string { return near(word, known, most, true) }

func near(word string, known []string, most int, alike bool) []string {
	type candidate struct {
		name string
		far  int
	}
	word = Fold(word)
	typed := []rune(word)
	var found []candidate
	for _, name := range known {
		folded := Fold(name)
		letters := []rune(folded)
		far := distance(typed, letters)
		part := min(len(word), len(folded)) > 2 && (strings.Contains(folded, word) || strings.Contains(word, folded))
		typo := far < len(typed) && far <= (len(typed)+2)/3 && (!alike || far <= max(1, len(typed)/3) || typed[0] == letters[0])
		if len(letters) <= longest && (part || typo) {
			found = append(found, candidate{name, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(a.far-b.far, strings.Compare(a.name, b.name)) })
	found = slices.Compact(found)
	var nearest []string
	for _, c := range found[:min(len(found), max(most, 0))] {
		nearest = append(nearest, c.name)
	}
	return nearest
}

// distance counts the characters to insert, delete or replace, or the neighbours to exchange, that turn a into b (optimal string
// alignment). Texts of more than 64 characters are as far apart as they are long.
func distance(a, b []rune) int {
	if long := max(len(a), len(b)); long > longest {
		return long
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := range a {
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			rows[i+1][j+1] = min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				rows[i+1][j+1] = min(rows[i+1][j+1], rows[i-1][j-1]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
