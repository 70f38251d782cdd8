package catalog

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// rank orders the places that a skill can lie in, the best first: directly in
// skills, below it, in any other directory, in .agents, in other dot
// directories, in plugins, and last where copies, samples and tests lie. The
// worst directory on the way counts; the skill's own does not.
func rank(name string) int {
	parents := strings.Split(path.Dir(name), "/")
	worst := 2
	if parents[0] == "skills" {
		worst = min(len(parents)-1, 1)
	}
	for _, part := range parents {
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
	plugins := l.pluginsByDirectory()
	l.Candidates = make([]Candidate, 0, len(l.found))
	for _, c := range l.found {
		c.Findings = slices.Clip(c.Findings)
		if c.Name == "" {
			c.Name = l.base(c)
		}
		c.Plugin = nearest(plugins, c.Path)
		l.Candidates = append(l.Candidates, c)
	}
	l.joinEqual(fsys)
	l.settleNames()
	l.conflicts()
	for i := range l.Candidates {
		l.Candidates[i].Hidden = l.reasons[l.Candidates[i].Path] != 0
	}
}

// joinEqual keeps the best placed of several candidates with equal content,
// a visible one first, and lists the paths of the others with it.
func (l *Listing) joinEqual(fsys fs.FS) {
	order := make([]*Candidate, len(l.Candidates))
	for i := range l.Candidates {
		order[i] = &l.Candidates[i]
	}
	slices.SortStableFunc(order, func(a, b *Candidate) int {
		hidden := func(c *Candidate) int { return min(int(l.reasons[c.Path]), 1) }
		if d := hidden(a) - hidden(b); d != 0 {
			return d
		}
		return rank(a.Path) - rank(b.Path)
	})
	first := map[string]*Candidate{}
	gone := map[string]bool{}
	for key, same := range l.identities(fsys, order) {
		for _, c := range same {
			best := first[key]
			if best == nil {
				first[key] = c
				continue
			}
			best.Also = append(best.Also, c.Path)
			gone[c.Path] = true
			if l.base(*c) != l.base(*best) {
				best.report("same_content", SeverityWarning, 0, "%q holds the same skill under another directory name", c.Path)
			}
		}
		slices.Sort(first[key].Also)
	}
	l.Candidates = slices.DeleteFunc(l.Candidates, func(c Candidate) bool { return gone[c.Path] })
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
			key := c.Name + "\x00" + c.Description + "\x00" + c.Skill.Body
			alike[key] = append(alike[key], c)
		}
	}
	for _, same := range alike {
		for _, c := range same {
			if len(same) == 1 {
				continue
			}
			if id, err := TreeID(fsys, path.Join(".", c.Path)); err == nil {
				groups[id] = append(groups[id], c)
			}
		}
	}
	return groups
}

// settleNames deals with skills of one name and different content: the one in
// the single best place is chosen and says so, the others are hidden; where
// none is best, each says that the name is ambiguous.
func (l *Listing) settleNames() {
	byName := map[string][]*Candidate{}
	for i := range l.Candidates {
		if c := &l.Candidates[i]; c.Usable && l.reasons[c.Path] == 0 {
			byName[c.Name] = append(byName[c.Name], c)
		}
	}
	elsewhere := l.hiddenNamesakes()
	for name, same := range byName {
		slices.SortStableFunc(same, func(a, b *Candidate) int { return rank(a.Path) - rank(b.Path) })
		if len(same) > 1 && rank(same[0].Path) == rank(same[1].Path) {
			all := paths(same)
			for _, c := range same {
				c.report("ambiguous_name", SeverityWarning, 0, "the name %q is ambiguous: %s", name, all)
			}
			continue
		}
		others := paths(append(slices.Clone(same[1:]), elsewhere[name]...))
		for _, c := range same[1:] {
			l.reasons[c.Path] |= outranked
		}
		if others != "" {
			same[0].report("same_name", SeverityWarning, 0, "%q is taken for the name %q; others of that name have a different content: %s",
				same[0].Path, name, others)
		}
	}
}

// hiddenNamesakes gives the candidates that are hidden for their place alone, by
// name; by that of their directory while they are not read.
func (l *Listing) hiddenNamesakes() map[string][]*Candidate {
	byName := map[string][]*Candidate{}
	for i := range l.Candidates {
		c := &l.Candidates[i]
		if why := l.reasons[c.Path]; why != 0 && why&^(belowDot|tooDeep) == 0 {
			byName[c.Name] = append(byName[c.Name], c)
		}
	}
	return byName
}

// paths names candidates in a message, at most ten of them.
func paths(list []*Candidate) string {
	var all []string
	for _, c := range list {
		all = append(all, fmt.Sprintf("%q", path.Join(".", c.Path)))
	}
	slices.Sort(all)
	if n := len(all); n > 10 {
		all = append(all[:10], fmt.Sprintf("and %d more", n-10))
	}
	return strings.Join(all, ", ")
}

// conflicts reports skills of different names that would share a directory on
// some file system.
func (l *Listing) conflicts() {
	byDirectory := map[string][]*Candidate{}
	for i := range l.Candidates {
		if c := &l.Candidates[i]; c.Usable && l.reasons[c.Path] == 0 {
			key := Fold(c.Directory)
			byDirectory[key] = append(byDirectory[key], c)
		}
	}
	for _, same := range byDirectory {
		for _, c := range same {
			if slices.ContainsFunc(same, func(other *Candidate) bool { return other.Name != c.Name }) {
				c.report("name_conflict", SeverityWarning, 0, "these would share one directory, so install them under other names: %s", paths(same))
			}
		}
	}
}
