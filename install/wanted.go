package install

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skills/catalog"
	"skills/lockfile"
	"skills/lockfile/manifest"
	"skills/source"
)

// wanted is one thing that the manifest asks for.
type wanted struct {
	entry   manifest.Skill
	locator source.Locator
	pack    *manifest.Pack  // of several skills, when it is one
	lock    *lockfile.Skill // what answers it; nil when nothing does yet
}

// line is where the manifest asks for it.
func (w wanted) line() int {
	if w.pack != nil {
		return w.pack.Line
	}
	return w.entry.Line
}

// match finds for each wish of the manifest what the lock has for it.
func (r *restorer) match() error {
	claimed := map[string]bool{}
	for _, entry := range r.records.manifest.Skills {
		w, err := r.wish(entry)
		if err != nil {
			return err
		}
		r.wanted = append(r.wanted, w)
		claimed[entry.Name] = true
	}
	for i := range r.records.manifest.Packs {
		if err := r.matchPack(&r.records.manifest.Packs[i], claimed); err != nil {
			return err
		}
	}
	for _, skill := range r.records.lock.Skills() {
		if !claimed[skill.Name] {
			r.extra = append(r.extra, skill)
		}
	}
	return nil
}

// wish reads one entry and finds its lock.
func (r *restorer) wish(entry manifest.Skill) (wanted, error) {
	w := wanted{entry: entry}
	skill, ok := r.records.lock.Get(entry.Name)
	if entry.Inline != nil {
		if ok && skill.Source == "" {
			w.lock = &skill
		}
		return w, nil
	}
	var err error
	if w.locator, err = r.engine.locator(entry.Source, entry.Ref, entry.Path); err != nil {
		return w, fmt.Errorf("%s:%d: %q: %w", r.records.manifest.File(), entry.Line, entry.Name, err)
	}
	if ok && answers(skill, w.locator) && !r.request.Refresh {
		w.lock = &skill
	}
	return w, nil
}

// locator reads a source of the manifest with the ref and path that stand beside it.
func (e *Engine) locator(text, ref, path string) (source.Locator, error) {
	return manifest.Skill{Source: text, Ref: ref, Path: path}.Location(e.config.Hosts)
}

// answers tells whether a locked skill is what a locator asks for. Where the host had to decide what is ref and what is path, both
// together are compared.
func answers(skill lockfile.Skill, l source.Locator) bool {
	if skill.Source != l.Source() {
		return false
	}
	if l.Ambiguous {
		return join(skill.Ref, skill.Path) == join(l.Ref, l.Path) || strings.HasPrefix(join(skill.Ref, skill.Path), join(l.Ref, l.Path)+"/")
	}
	return skill.Ref == l.Ref && (!hasPath(l) || l.Path == "" || skill.Path == l.Path || strings.HasPrefix(skill.Path, l.Path+"/"))
}

func join(parts ...string) string { return strings.Trim(strings.Join(parts, "/"), "/") }

// matchPack finds what the lock has of a pack. A pack is complete when each of its patterns has something.
func (r *restorer) matchPack(pack *manifest.Pack, claimed map[string]bool) error {
	l, err := r.engine.locator(pack.Source, pack.Ref, pack.Path)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", r.records.manifest.File(), pack.Line, err)
	}
	missing := slices.Clone(pack.Include)
	found := 0
	for _, skill := range r.records.lock.Skills() {
		if !answers(skill, l) || !inPack(pack, skill) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(pattern string) bool { return matchesSkill(pattern, skill) })
		if claimed[skill.Name] {
			found++
			continue // an entry of its own goes first
		}
		claimed[skill.Name] = true
		found++
		r.wanted = append(r.wanted, wanted{entry: manifest.Skill{Name: skill.Name, Agents: pack.Agents}, locator: l, pack: pack, lock: &skill})
	}
	if found == 0 || len(missing) > 0 {
		r.wanted = append(r.wanted, wanted{entry: manifest.Skill{Name: pack.Source, Agents: pack.Agents}, locator: l, pack: pack})
	}
	return nil
}

// inPack tells whether the patterns of a pack admit a locked skill.
func inPack(pack *manifest.Pack, skill lockfile.Skill) bool {
	admits := func(pattern string) bool { return matchesSkill(pattern, skill) }
	return (len(pack.Include) == 0 || slices.ContainsFunc(pack.Include, admits)) && !slices.ContainsFunc(pack.Exclude, admits)
}

// matchesSkill tells whether a pattern means a locked skill, by its name or its place.
func matchesSkill(pattern string, skill lockfile.Skill) bool {
	return catalog.Matches(pattern, skill.Path, skill.Name) || catalog.Matches(pattern, skill.Path, cmp.Or(skill.Skill, skill.Name))
}
