package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/catalog/marketplace"
	"skills/source/names"
)

const (
	maxManifests = 2000 // plugin.json files that are brought because one of them may name a directory
	maxFaults    = 50   // findings about one marketplace file
)

// group is a plugin with the directories that count for it.
type group struct {
	marketplace.Plugin
	file string   // that lists it, "" for none
	dirs []string // as candidates have them, "." for the root
	own  []string // those that are named one by one
}

// readMarketplaces reads the files once. They only name groups: skills are found
// by walking, so a file that cannot be read is worth one line.
func (l *Listing) readMarketplaces(fsys fs.FS) {
	if l.groups != nil {
		return
	}
	l.groups, l.renames = []group{}, map[string]string{}
	if p := l.options.Plugin; p != nil {
		l.groups = append(l.groups, group{Plugin: *p})
		l.groups[0].Dir, l.groups[0].Remote = l.start, nil
	}
	for _, name := range l.market {
		l.readMarketplace(fsys, name)
	}
	l.completeGroups(fsys)
	if elsewhere := l.elsewhere(); elsewhere != "" && len(l.found) > 0 {
		l.Findings = append(l.Findings, Finding{"plugins_elsewhere", SeverityInfo, l.market[0], 0, elsewhere + "; see them with --remote-plugins"})
	}
}

// readMarketplace takes in one file. Of two files that name one plugin the first
// counts: they mostly say the same to different programs.
func (l *Listing) readMarketplace(fsys fs.FS, name string) {
	raw, err := readPart(fsys, name)
	var m *marketplace.Marketplace
	if err == nil {
		m, err = marketplace.Parse(raw)
	}
	if err != nil {
		l.remark("marketplace", SeverityWarning, name, fmt.Sprintf("%q is ignored: %v", name, err))
		return
	}
	for _, p := range m.Plugins {
		if l.group(p.Name) == nil {
			l.groups = append(l.groups, group{Plugin: p, file: name})
		}
	}
	for old, renamed := range m.Renames {
		l.renames[old] = cmp.Or(l.renames[old], renamed)
	}
	l.faults(name, m.Faults)
}

// readPart reads a file of a marketplace, and one byte more than it may have.
func readPart(fsys fs.FS, name string) ([]byte, error) {
	in, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, marketplace.MaxBytes+1))
}

func (l *Listing) remark(code string, s Severity, file, message string) {
	l.Findings = append(l.Findings, Finding{code, s, file, 0, message})
}

// faults reports what is wrong in a file: what is only odd as a warning.
func (l *Listing) faults(file string, all []marketplace.Fault) {
	for i, f := range all {
		if i == maxFaults {
			l.remark("limit", SeverityWarning, file, fmt.Sprintf("%d more are wrong", len(all)-i))
			break
		}
		severity := SeverityWarning
		if f.Code == "path_escape" || f.Code == "plugin_invalid" {
			severity = SeverityError
		}
		l.remark(f.Code, severity, file, f.Message)
	}
}

// completeGroups finds out which directories count for the plugins of this
// repository, and which plugins for each directory.
func (l *Listing) completeGroups(fsys fs.FS) {
	holding := map[string]bool{} // directories that hold a candidate, at any depth
	for _, c := range l.found {
		for dir := path.Join(".", c.Path); !holding[dir]; dir = path.Dir(dir) {
			holding[dir] = true
		}
	}
	var missing []marketplace.Fault
	l.byDir = map[string][]int{}
	for i := range l.groups {
		g := &l.groups[i]
		if g.Remote != nil {
			continue
		}
		l.complete(fsys, g, holding)
		for _, dir := range g.own {
			if !holding[dir] {
				missing = append(missing, marketplace.Fault{Code: "plugin_missing", Plugin: g.Name, Message: fmt.Sprintf("plugin %q names %q, where no skill is", g.Name, dir)})
			}
		}
		if _, info, err := follow(fsys, g.Dir); err != nil || !info.IsDir() {
			missing = append(missing, marketplace.Fault{Code: "plugin_missing", Plugin: g.Name, Message: fmt.Sprintf("plugin %q lies in %q, which is no directory here", g.Name, g.Dir)})
		}
		for _, dir := range g.dirs {
			if !slices.Contains(l.byDir[dir], i) {
				l.byDir[dir] = append(l.byDir[dir], i)
			}
		}
	}
	if len(missing) > 0 {
		l.faults(cmp.Or(l.groups[0].file, l.start), missing)
	}
}

// complete gives a plugin its directories: those that its entry names alone, or
// those besides the usual one and the ones that its own file names. Where all of
// these hold nothing, whatever lies below the plugin is meant.
func (l *Listing) complete(fsys fs.FS, g *group, holding map[string]bool) {
	root := l.throughLinks(g.Dir)
	named := g.Skills
	if !g.Lenient {
		named = append(slices.Clip(named), l.ownFile(fsys, g.Name, root)...)
	}
	for _, dir := range named {
		g.own = append(g.own, l.throughLinks(path.Join(root, dir)))
	}
	g.dirs = slices.Clone(g.own)
	if g.Exact() {
		return
	}
	g.dirs = append(g.dirs, l.throughLinks(path.Join(root, "skills")))
	if !slices.ContainsFunc(g.dirs, func(dir string) bool { return holding[dir] }) {
		g.dirs = append(g.dirs, root)
	}
}

// ownFile gives the directories that the plugin.json of a plugin names.
func (l *Listing) ownFile(fsys fs.FS, plugin, root string) []string {
	name := path.Join(root, marketplace.Manifest)
	if !slices.Contains(l.manifests, name) {
		return nil
	}
	raw, err := readPart(fsys, name)
	if err != nil {
		return nil // it was not brought: nothing of it is asked for
	}
	p, faults, err := marketplace.ParseManifest(raw)
	if err != nil {
		l.remark("marketplace", SeverityWarning, name, fmt.Sprintf("%q is ignored: %v", name, err))
	}
	l.faults(name, faults)
	return p.Skills
}

// group finds a plugin by its name.
func (l *Listing) group(name string) *group {
	i := slices.IndexFunc(l.groups, func(g group) bool { return g.Name == name })
	if i < 0 {
		return nil
	}
	return &l.groups[i]
}

// closest gives the plugins that name the closest directory around a skill.
func (l *Listing) closest(skill string) []int {
	for dir := path.Join(".", skill); ; dir = path.Dir(dir) {
		if list := l.byDir[dir]; len(list) > 0 || dir == "." {
			return list
		}
	}
}

// pluginOf gives the first of these plugins, "" for none.
func (l *Listing) pluginOf(skill string) string {
	for _, i := range l.closest(skill) {
		return l.groups[i].Name
	}
	return ""
}

// Plugins gives the plugins that the marketplace files name, in their order. They
// are known after Read.
func (l *Listing) Plugins() []marketplace.Plugin {
	all := make([]marketplace.Plugin, len(l.groups))
	for i, g := range l.groups {
		all[i] = g.Plugin
	}
	return all
}

// FindPlugin gives the plugin of a name, or the one that it was renamed to.
//
// The error is a *SelectError "not_found" with Near names and all Plugins.
func (l *Listing) FindPlugin(name string) (marketplace.Plugin, error) {
	for at, hops := name, 0; hops <= len(l.renames) && hops < maxHops; hops++ {
		if g := l.group(at); g != nil {
			return g.Plugin, nil
		}
		if at = l.renames[at]; at == "" {
			break
		}
	}
	e := &SelectError{Kind: "not_found", Selector: name, Message: fmt.Sprintf("no plugin is named %q", name), Plugins: []string{}}
	for _, g := range l.groups {
		e.Plugins = append(e.Plugins, g.Name)
	}
	if len(e.Plugins) == 0 {
		e.Message += ": the source has no marketplace"
	}
	e.Near = names.Near(name, e.Plugins, mostNames)
	return marketplace.Plugin{}, e
}

// InPlugin gives the skills of a plugin of this repository, in the order of their
// paths: those whose closest directory with a plugin is the plugin's. What is
// hidden is among them where the plugin names its directory, where a namesake
// outranks it, or where nothing else is there; one whose Skill and Err are nil
// is still to be read.
//
// The error is that of FindPlugin, or a *SelectError "elsewhere" for a plugin of
// another repository and "no_skills" for one without any.
func (l *Listing) InPlugin(name string) ([]Candidate, error) {
	p, err := l.FindPlugin(name)
	if err != nil {
		return nil, err
	}
	if p.Remote != nil {
		return nil, &SelectError{Kind: "elsewhere", Selector: name, Message: fmt.Sprintf("the plugin %q lies elsewhere: %s", p.Name, p.Remote)}
	}
	i := slices.IndexFunc(l.groups, func(g group) bool { return g.Name == p.Name })
	list := l.members(i, func(at string) bool {
		return l.reasons[at]&^outranked == 0 || slices.Contains(l.groups[i].own, path.Join(".", at))
	})
	if len(list) == 0 {
		list = outermost(l.members(i, func(at string) bool { return l.reasons[at]&(belowModule|template) == 0 }))
	}
	if len(list) == 0 {
		return nil, &SelectError{Kind: "no_skills", Selector: name, Message: fmt.Sprintf("the plugin %q has no skills", p.Name)}
	}
	return list, nil
}

// members gives the skills of a plugin that lie at a path which is admitted.
func (l *Listing) members(plugin int, admits func(at string) bool) []Candidate {
	var list []Candidate
	for _, c := range l.Candidates {
		for _, at := range append([]string{c.Path}, c.Also...) {
			if slices.Contains(l.closest(at), plugin) && admits(at) {
				if at != c.Path {
					c = c.mirror(at)
				}
				c.Plugin = l.groups[plugin].Name
				list = append(list, c)
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b Candidate) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// outermost leaves out what lies inside another one.
func outermost(list []Candidate) []Candidate {
	var outer []Candidate
	for _, c := range list {
		if !slices.ContainsFunc(outer, func(o Candidate) bool { return within(path.Join(".", o.Path), c.Path) }) {
			outer = append(outer, c)
		}
	}
	return outer
}

// ofPlugin gives the skills of a plugin that were read, for a selector that may
// mean one.
func (l *Listing) ofPlugin(selector string) []Candidate {
	list, err := l.InPlugin(selector)
	var missing *SelectError
	if errors.As(err, &missing) {
		return nil
	}
	return slices.DeleteFunc(list, func(c Candidate) bool { return c.Skill == nil && c.Err == nil })
}

// elsewhere says in one sentence which plugins lie in other repositories.
func (l *Listing) elsewhere() string {
	var names []string
	for _, g := range l.groups {
		if g.Remote != nil {
			names = append(names, fmt.Sprintf("%s (%s)", g.Name, g.Remote))
		}
	}
	if len(names) == 0 {
		return ""
	}
	count := fmt.Sprintf("%d plugins of its marketplace point elsewhere", len(names))
	if len(names) == 1 {
		count = "1 plugin of its marketplace points elsewhere"
	}
	return count + ": " + enumerate(names, 5)
}
