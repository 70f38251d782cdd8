package registry

import (
	"cmp"
	"context"
	"fmt"
	"math"
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
	// Catalog is what the host holds itself, as catalog.Parse, disk.Load or
	// author.Definition.Skill gave it: in one made by hand UserInvocable and
	// ModelInvocable are false, so that it is disabled. Resolve copies them: what the
	// host changes afterwards is not seen.
	Catalog []*catalog.Skill
	Inline  []Root // where inline skills were written
	Project []Root
	User    []Root

	DistrustProject bool     // skills of the project are dropped, each with a finding "untrusted"
	Exclude         []string // names that are dropped
	Enabled         []string // the only names that are admitted; nil admits all, an empty list none

	own []Info // of Catalog, as they were at first
}

// Resolve finds the skills of an agent: it reads the roots of the sources as
// Discover does, joins them with the catalog, and drops what is not wanted.
// Config.Roots is not used; without a profile documents are read as zidane does.
//
// A skill that hides others of its name carries a finding "shadowed" for each,
// whether these are on a disk or not; so does Findings. A name in Exclude, Enabled or
// Config.Disabled that no skill has is told (unknown_name).
//
// With Strict only what may be admitted can be the error: not a skill of a project
// that is not trusted, and none whose name, or where it cannot be read whose directory,
// is excluded or not enabled. Errors are those of Discover, and "invalid_input" for an
// entry of Catalog that is nil.
func Resolve(ctx context.Context, from Sources, c Config) (*Registry, error) {
	from.Inline = labelled(from.Inline, "workspace", "inline")
	from.Project = labelled(from.Project, "workspace", "project")
	from.User = labelled(from.User, "user", "user")
	from.Exclude, from.Enabled = slices.Clone(from.Exclude), slices.Clone(from.Enabled)
	for at := range from.Project {
		from.Project[at].lenient = from.DistrustProject
	}
	for at, skill := range slices.Backward(from.Catalog) {
		if skill == nil {
			return nil, &catalog.Error{Kind: "invalid_input", At: "Catalog", Message: fmt.Sprintf("entry %d of the catalog is no skill", at), Hint: "leave it out"}
		}
		info := infoOf(skill, nil)
		info.Source, info.place = "catalog", &place{body: skill.Body, rank: math.MaxInt}
		from.own = append(from.own, info)
	}
	from.Catalog = nil
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
	s.refuses = f.refuses
	groups, err := s.groups()
	if err != nil {
		return nil, err
	}
	own := slices.Clone(f.own)
	for at := range own {
		own[at].Disabled = own[at].Disabled || slices.Contains(s.config.Disabled, own[at].Name)
	}
	groups = append(groups, own)
	there := slices.Concat(groups...)
	s.tellUnknown("Exclude", f.Exclude, there)
	s.tellUnknown("Enabled", f.Enabled, there)
	s.tellUnknown("Disabled", s.config.Disabled, there)
	if f.DistrustProject {
		f.dropProject(s, groups)
	}
	all := slices.DeleteFunc(Merge(groups...), func(i Info) bool { return f.refuses(i.Name) })
	for at := range all {
		s.tellShadowed(&all[at])
	}
	return all, nil
}

// dropProject empties the groups of the project, which stand above those of the
// user, below those of the inline skills and the catalog.
func (f Sources) dropProject(s *scanner, groups [][]Info) {
	above := len(groups) - 1 - len(f.Inline)
	for rank := max(0, above-len(f.Project)); rank < above; rank++ {
		for _, info := range groups[rank] {
			s.warn(warning("untrusted", info.Path, "the skill %q is dropped: the project is not trusted", info.Name))
		}
		groups[rank] = nil
	}
}

func (f Sources) refuses(name string) bool {
	return slices.Contains(f.Exclude, name) || f.Enabled != nil && !slices.Contains(f.Enabled, name)
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
