package catalog

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/source/names"
)

// rank orders the places that a skill can lie in, the best first: directly in
// skills, below it, in any other directory, in .agents, in other dot
// directories, in plugins, and last where copies, samples and tests lie. The
// worst directory on the way counts; the skill's own does not.
func rank(name string) int {
	worst := 2
	if rest, ok := strings.CutPrefix(name, "skills/"); ok {
		worst = min(strings.Count(rest, "/"), 1)
	}
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		worst = max(worst, rankOf(strings.ToLower(part)))
	}
	return worst
}

func rankOf(directory string) int {
	switch directory {
	case "plugin", "plugins":
		return 5
	case "doc", "docs", "test", "tests", "example", "examples", "template", "templates", "backup", "backups", "bak":
		return 6
	case ".agents":
		return 3
	case ".":
		return 0
	}
	if strings.HasPrefix(directory, ".") {
		return 4
	}
	return 0
}

// arrange makes Candidates out of what was found: equal ones joined, names
// settled. It starts anew each time, so that reading more changes nothing twice.
func (l *Listing) arrange(fsys fs.FS) {
	for name := range l.reasons {
		if name != "" {
			l.reasons[name] &^= outranked
		}
	}
	l.Candidates = slices.Clone(l.found)
	for _, c := range l.each() {
		c.Findings = slices.Clip(c.Findings)
		c.Name = cmp.Or(c.Name, l.base(*c))
		c.Plugin = l.pluginOf(c.Path)
	}
	l.joinEqual(fsys)
	l.settleNames()
	l.conflicts()
	for _, c := range l.each() {
		c.Hidden = l.reasons[c.Path] != 0
	}
}

// joinEqual keeps the best placed of several candidates with equal content,
// a visible one first, and lists the paths of the others with it.
func (l *Listing) joinEqual(fsys fs.FS) {
	gone := map[string]bool{}
	for _, same := range l.identities(fsys, l.bestFirst()) {
		best := same[0]
		for _, c := range same[1:] {
			best.Also = append(best.Also, c.Path)
			gone[c.Path] = true
			if l.base(*c) != l.base(*best) {
				best.report("same_content", SeverityWarning, 0, "%q holds the same skill under another directory name", c.Path)
			}
		}
		slices.Sort(best.Also)
	}
	l.Candidates = slices.DeleteFunc(l.Candidates, func(c Candidate) bool { return gone[c.Path] })
}

// each gives the candidates to work on in place.
func (l *Listing) each() []*Candidate {
	all := make([]*Candidate, len(l.Candidates))
	for i := range l.Candidates {
		all[i] = &l.Candidates[i]
	}
	return all
}

// listed gives those that are visible and usable.
func (l *Listing) listed() []*Candidate {
	return slices.DeleteFunc(l.each(), func(c *Candidate) bool { return !c.Usable || l.reasons[c.Path] != 0 })
}

// bestFirst orders the candidates by what one would rather have.
func (l *Listing) bestFirst() []*Candidate {
	order := l.each()
	hidden := func(c *Candidate) int { return min(int(l.reasons[c.Path]), 1) }
	slices.SortStableFunc(order, func(a, b *Candidate) int {
		return cmp.Or(hidden(a)-hidden(b), rank(a.Path)-rank(b.Path))
	})
	return order
}

// identities groups candidates by what they hold: by the git id of the directory
// where the file system knows it, else by an id computed from the bytes, which
// is tried only for namesakes with equal instructions.
func (l *Listing) identities(fsys fs.FS, order []*Candidate) map[string][]*Candidate {
	groups := map[string][]*Candidate{}
	alike := map[string][]*Candidate{}
	for _, c := range order {
		dir := path.Join(".", c.Path)
		switch id, known := objectID(fsys, dir); {
		case known:
			groups[id] = append(groups[id], c)
		case c.Usable:
			key := c.Name + "\x00" + c.Description + "\x00" + string(c.Skill.sum[:])
			alike[key] = append(alike[key], c)
		}
	}
	for _, same := range alike {
		if len(same) > 1 {
			byBytes(fsys, same, groups)
		}
	}
	return groups
}

func byBytes(fsys fs.FS, same []*Candidate, groups map[string][]*Candidate) {
	for _, c := range same {
		if id, err := TreeID(fsys, path.Join(".", c.Path)); err == nil {
			groups[id] = append(groups[id], c)
		}
	}
}

// settleNames deals with skills of different content that would be installed in
// one directory, most of them of one name: the one in the single best place is
// chosen and says so, the others are hidden; where none is best, each says that
// its name is ambiguous.
func (l *Listing) settleNames() {
	elsewhere := l.hiddenNamesakes()
	for _, same := range l.byDirectory() {
		slices.SortStableFunc(same, func(a, b *Candidate) int { return rank(a.Path) - rank(b.Path) })
		if len(same) == 1 || rank(same[0].Path) < rank(same[1].Path) {
			l.prefer(same[0], same[1:], elsewhere[same[0].Name])
			continue
		}
		for _, c := range same {
			c.ambiguous(same)
		}
	}
}

// byDirectory groups the visible and usable candidates by what is one directory
// on some file system.
func (l *Listing) byDirectory() map[string][]*Candidate {
	groups := map[string][]*Candidate{}
	for _, c := range l.listed() {
		key := names.Fold(c.Directory)
		groups[key] = append(groups[key], c)
	}
	return groups
}

// ambiguous reports those of the same directory that have the same name too.
func (c *Candidate) ambiguous(same []*Candidate) {
	namesakes := slices.DeleteFunc(slices.Clone(same), func(other *Candidate) bool { return other.Name != c.Name })
	if len(namesakes) > 1 {
		c.report("ambiguous_name", SeverityWarning, 0, "the name %q is ambiguous: %s", c.Name, paths(namesakes))
	}
}

// prefer hides the namesakes of a candidate and lets it name them.
func (l *Listing) prefer(best *Candidate, visible, hidden []*Candidate) {
	for _, c := range visible {
		l.reasons[c.Path] |= outranked
	}
	if others := append(slices.Clone(visible), hidden...); len(others) > 0 {
		best.report("same_name", SeverityWarning, 0, "%q is taken for the name %q; others of that name have a different content: %s",
			best.Path, best.Name, paths(others))
	}
}

// hiddenNamesakes gives the candidates that are hidden for their place alone, by
// name; by that of their directory while they are not read.
func (l *Listing) hiddenNamesakes() map[string][]*Candidate {
	byName := map[string][]*Candidate{}
	for _, c := range l.each() {
		if why := l.reasons[c.Path]; why != 0 && why&^(belowDot|tooDeep) == 0 {
			byName[c.Name] = append(byName[c.Name], c)
		}
	}
	return byName
}

// paths names candidates in a message.
func paths(list []*Candidate) string {
	var all []string
	for _, c := range list {
		all = append(all, fmt.Sprintf("%q", path.Join(".", c.Path)))
	}
	return enumerate(all, 10)
}

// enumerate joins names in order, at most so many of them.
func enumerate(names []string, most int) string {
	slices.Sort(names)
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// conflicts reports skills of different names that would share a directory on
// some file system.
func (l *Listing) conflicts() {
	for _, same := range l.byDirectory() {
		for _, c := range same {
			if slices.ContainsFunc(same, func(other *Candidate) bool { return other.Name != c.Name }) {
				c.report("name_conflict", SeverityWarning, 0, "these would share one directory, so install them under other names: %s", paths(same))
			}
		}
	}
}
