package catalog

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"skills/source/names"
)

// Visible gives the candidates to show: all of them after a walk with Full.
func (l *Listing) Visible() []Candidate {
	return slices.DeleteFunc(slices.Clone(l.Candidates), func(c Candidate) bool { return c.Hidden && !l.options.Full })
}

// Hidden says how many more a full listing would show.
func (l *Listing) Hidden() int {
	return len(l.Candidates) - len(l.Visible())
}

// Select gives the candidates that the selectors name, each once, in the order of
// their paths. A selector is tried as the exact name of a skill, as a path ("."
// for the root; through links too), as a name without letter case, as a
// directory name, as the name of a marketplace plugin, and as a glob over names
// and paths. Visible candidates are preferred; hidden ones count once they are
// read, so after "not_found" read them and select again.
//
// The error is a *SelectError for the first selector that names nothing
// ("not_found") or several skills of one name ("ambiguous").
func (l *Listing) Select(selectors []string) ([]Candidate, error) {
	chosen := map[string]Candidate{}
	for _, selector := range selectors {
		list, err := l.match(selector)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			chosen[c.Path] = c
		}
	}
	var list []Candidate
	for _, c := range chosen {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Candidate) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func (l *Listing) match(selector string) ([]Candidate, error) {
	if selector == "" {
		return nil, l.notFound(selector)
	}
	if list := l.named(func(c Candidate) bool { return c.Name == selector }); len(list) > 0 {
		return l.one(selector, list)
	}
	if c, ok := l.placed(selector); ok {
		return []Candidate{c}, nil
	}
	if list := l.folded(names.Fold(selector)); len(list) > 0 {
		return l.one(selector, list)
	}
	if list := l.ofPlugin(selector); len(list) > 0 {
		return list, nil
	}
	if list := l.globbed(selector); len(list) > 0 {
		return list, nil
	}
	return nil, l.notFound(selector)
}

// folded gives the candidates of a name in any letter case, else of a directory.
func (l *Listing) folded(selector string) []Candidate {
	name := func(c Candidate) string { return c.Name }
	directory := func(c Candidate) string { return c.Directory }
	for _, of := range []func(Candidate) string{name, directory, l.base} {
		if list := l.named(func(c Candidate) bool { return names.Fold(of(c)) == selector }); len(list) > 0 {
			return list
		}
	}
	return nil
}

// named gives the visible candidates that fit, else the hidden ones that were
// read.
func (l *Listing) named(fits func(Candidate) bool) []Candidate {
	var visible, hidden []Candidate
	for _, c := range l.Candidates {
		switch {
		case c.Skill == nil && c.Err == nil || !fits(c):
		case c.Hidden:
			hidden = append(hidden, c)
		default:
			visible = append(visible, c)
		}
	}
	if len(visible) > 0 {
		return visible
	}
	return hidden
}

// one settles several candidates of one name by their places.
func (l *Listing) one(selector string, list []Candidate) ([]Candidate, error) {
	slices.SortStableFunc(list, func(a, b Candidate) int { return rank(a.Path) - rank(b.Path) })
	if len(list) == 1 || rank(list[0].Path) < rank(list[1].Path) {
		return list[:1], nil
	}
	return nil, ambiguous(selector, list)
}

func ambiguous(selector string, list []Candidate) error {
	e := &SelectError{Kind: "ambiguous", Selector: selector}
	for _, c := range list {
		e.Paths = append(e.Paths, path.Join(".", c.Path))
	}
	slices.Sort(e.Paths)
	e.Message = fmt.Sprintf("%q names %d skills: %s", selector, len(list), enumerate(slices.Clone(e.Paths), mostNames))
	return e
}

// placed finds the candidate at a path; one that was joined with an equal one is
// given under the path that was asked for.
func (l *Listing) placed(selector string) (Candidate, bool) {
	name := l.directory(selector)
	for _, c := range l.Candidates {
		if c.Skill == nil && c.Err == nil {
			continue
		}
		if c.Path == name {
			return c, true
		}
		if slices.Contains(c.Also, name) {
			return c.mirror(name), true
		}
	}
	return Candidate{}, false
}

// mirror gives a candidate as it lies at another of its paths.
func (c Candidate) mirror(name string) Candidate {
	c.Also = append(slices.DeleteFunc(slices.Clone(c.Also), func(p string) bool { return p == name }), c.Path)
	c.Manifest = path.Join(name, path.Base(c.Manifest))
	c.Path = name
	return c
}

// directory gives the path that a selector means as Candidate spells it.
func (l *Listing) directory(selector string) string {
	name := path.Clean(strings.Trim(selector, "/"))
	if strings.EqualFold(path.Base(name), manifestName) {
		name = path.Dir(name)
	}
	if name = l.throughLinks(name); name == "." {
		return ""
	}
	return name
}

// throughLinks replaces links to directories on the way, as often as on disk.
func (l *Listing) throughLinks(name string) string {
	for range maxHops {
		next := name
		for at := name; at != "."; at = path.Dir(at) {
			if real, ok := l.links[at]; ok {
				next = path.Join(real, strings.TrimPrefix(name, at))
			}
		}
		if next == name {
			break
		}
		name = next
	}
	return name
}

func (l *Listing) globbed(pattern string) []Candidate {
	if !strings.ContainsAny(pattern, "*?[{") {
		return nil
	}
	return l.named(func(c Candidate) bool { return Matches(pattern, c.Path, c.Name) })
}

// Matches tells whether a pattern means a skill: it is the name or the path of its
// directory, or a glob (with ** for several levels) that fits one of them. A glob
// that is malformed fits nothing.
func Matches(pattern, path, name string) bool {
	if pattern == name || pattern == path {
		return true
	}
	if !doublestar.ValidatePattern(pattern) {
		return false
	}
	byName, _ := doublestar.Match(pattern, name)
	byPath, _ := doublestar.Match(pattern, path)
	return byName || byPath
}

func (l *Listing) notFound(selector string) error {
	e := &SelectError{Kind: "not_found", Selector: selector, Message: fmt.Sprintf("no skill is named %q", selector)}
	if real := l.suspects[path.Clean(strings.Trim(selector, "/"))]; real != "" {
		e.Message = fmt.Sprintf("%q is a text file, probably a symlink committed as text", selector)
		e.Near = []string{real}
		return e
	}
	for _, module := range l.modules {
		if within(module, path.Clean(strings.Trim(selector, "/"))) {
			e.Message = fmt.Sprintf("%q is a submodule, which is not fetched; name its own repository instead", module)
			return e
		}
	}
	e.Near, e.Skills = names.NearAlike(selector, l.names(), mostNames), len(l.Visible())
	return e
}

// names gives the names that are visible, each once.
func (l *Listing) names() (names []string) {
	for _, c := range l.Visible() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
