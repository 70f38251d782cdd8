package resource

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"skills/source/names"
)

// mostListed bounds how many paths an error names.
const mostListed = 20

// Find gives the path of a skill that a model means by a name, which it often writes as it remembers it. The clean form of the name is
// tried as a path, as a path in another case, and, where it has no slash, as the last part of a single path in any case.
//
// The error is a *catalog.Error with what was wanted in Rel: what [Clean] says, "ambiguous" with all of the same rank in Paths,
// "not_found" that lists the first twenty paths there are.
func Find(paths []string, wanted string) (string, error) {
	name, err := Clean(wanted)
	if err != nil {
		return "", err
	}
	if slices.Contains(paths, name) {
		return name, nil
	}
	folded := names.Fold(name)
	for _, form := range []func(string) string{func(p string) string { return p }, path.Base} {
		var same []string
		for _, p := range paths {
			if names.Fold(form(p)) == folded {
				same = append(same, p)
			}
		}
		switch len(same) {
		case 0:
			continue
		case 1:
			return same[0], nil
		}
		return "", ambiguous(wanted, same)
	}
	return "", missing(wanted, "%q is no file of the skill; %s", wanted, existing(paths))
}

func ambiguous(wanted string, same []string) error {
	slices.Sort(same)
	e := failure("ambiguous", wanted, "name one by its path", "%q may be %s", wanted, listed(same))
	e.Paths = same
	return e
}

func existing(paths []string) string {
	if len(paths) == 0 {
		return "it has no other files"
	}
	return "there are " + listed(slices.Sorted(slices.Values(paths)))
}

// listed names paths, the first of many.
func listed(paths []string) string {
	var quoted []string
	for _, p := range paths[:min(len(paths), mostListed)] {
		quoted = append(quoted, fmt.Sprintf("%q", p))
	}
	if more := len(paths) - mostListed; more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return strings.Join(quoted, ", ")
}
