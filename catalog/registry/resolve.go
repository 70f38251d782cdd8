package registry

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"skills/catalog"
)

// Sources says where the skills of an agent may come from, the strongest first.
// Of one name a skill of Catalog is before an inline one, that before one of the
// project, that before one of the user; within a list the first wins.
//
// Roots without Scope and Source get those of their list: "inline", "project"
// and "user" as the source, "workspace" and "user" as the scope.
type Sources struct {
	Catalog []*catalog.Skill // what the host holds itself, as Parse or Load gave it
	Inline  []Root           // where inline skills were written
	Project []Root
	User    []Root

	DistrustProject bool     // skills of the project are dropped, each with a finding "untrusted"
	Exclude         []string // names that are dropped
	Enabled         []string // the only names that are admitted; nil admits all, an empty list none
}

// Resolve finds the skills of an agent: it reads the roots of the sources as
// Discover does, joins them with the catalog, and drops what is not wanted.
// Config.Roots is not used; without a profile documents are read as zidane does.
//
// A skill that hides others of its name carries a finding "shadowed" for each,
// whether these are on a disk or not; so does Findings. Errors are those of
// Discover.
func Resolve(ctx context.Context, from Sources, c Config) (*Registry, error) {
	from.Inline = labelled(from.Inline, "workspace", "inline")
	from.Project = labelled(from.Project, "workspace", "project")
	from.User = labelled(from.User, "user", "user")
	from.Catalog, from.Exclude, from.Enabled = slices.Clone(from.Catalog), slices.Clone(from.Exclude), slices.Clone(from.Enabled)
	c.Roots = Descending(slices.Concat(from.Inline, from.Project, from.User)...)
	c.Rules.Profile = cmp.Or(c.Rules.Profile, catalog.ProfileZidane)
	return load(ctx, c, from.find)
}

func labelled(roots []Root, scope, source string) []Root {
	roots = slices.Clone(roots)
	for at := range roots {
		roots[at].Scope, roots[at].Source = cmp.Or(roots[at].Scope, scope), cmp.Or(roots[at].Source, source)
	}
	return roots
}

// find makes one reading of all sources.
func (f Sources) find(s *scanner) ([]Info, error) {
	groups, err := s.groups()
	if err != nil {
		return nil, err
	}
	if f.DistrustProject {
		f.dropProject(s, groups)
	}
	var own []Info
	for _, skill := range Descending(f.Catalog...) {
		info := s.info(skill, nil)
		info.Source, info.place.rank = "catalog", len(groups)
		own = append(own, *info)
	}
	all := slices.DeleteFunc(Merge(append(groups, own)...), f.refuses)
	for at := range all {
		s.tellShadowed(&all[at])
	}
	return all, nil
}

// dropProject empties the groups of the project, which stand above those of the
// user.
func (f Sources) dropProject(s *scanner, groups [][]Info) {
	above := len(groups) - len(f.Inline)
	for rank := max(0, above-len(f.Project)); rank < above; rank++ {
		for _, info := range groups[rank] {
			s.warn(warning("untrusted", info.Path, "the skill %q is dropped: the project is not trusted", info.Name))
		}
		groups[rank] = nil
	}
}

func (f Sources) refuses(i Info) bool {
	return slices.Contains(f.Exclude, i.Name) || f.Enabled != nil && !slices.Contains(f.Enabled, i.Name)
}

// tellShadowed adds the findings for what a skill hides.
func (s *scanner) tellShadowed(i *Info) {
	for _, hidden := range i.Shadowed {
		f := warning("shadowed", hidden.Winner, "%s", hidden.String())
		i.Findings = append(i.Findings, f)
		s.warn(f)
	}
}

// String is the sentence for a person.
func (s Shadow) String() string {
	return fmt.Sprintf("the skill %q hides the one of the same name at %q (%s)", s.Name, s.Loser, s.Source)
}
