package manifest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"skills/lockfile/internal/document"
	"skills/source"
)

// Get returns the entry of that name, as a copy: changing it changes no manifest.
func (m *Manifest) Get(name string) (Skill, bool) {
	for _, s := range m.Skills {
		if s.Name == name {
			return s.clone(), true
		}
	}
	return Skill{}, false
}

// clone gives an entry that shares nothing with s.
func (s Skill) clone() Skill {
	s.Agents = slices.Clone(s.Agents)
	if s.Inline != nil {
		inline := *s.Inline
		inline.Resources, inline.Unavailable = maps.Clone(inline.Resources), slices.Clone(inline.Unavailable)
		s.Inline = &inline
	}
	return s
}

// Location reads where an entry comes from: its source with the ref and the path that stand beside it. The error is a *source.Error;
// an entry that holds its text has no location, which is the error of an empty source.
func (s Skill) Location(hosts source.Hosts) (source.Locator, error) {
	l, err := source.Parse(s.Source, hosts)
	if err == nil && s.Ref != "" {
		l, err = l.WithRef(s.Ref)
	}
	if err == nil && s.Path != "" {
		l.Path = strings.TrimPrefix(l.Path+"/"+s.Path, "/")
		if l.Kind != source.Git {
			l.Path = strings.TrimSuffix(l.Path, "/"+s.Path)
		}
	}
	return l, err
}

// Set gives the text of the manifest with the entries changed where they stand, or added: to [skills] in the style found there, in
// the order of names where the others are, else at the end; as more [skills.name] tables or dotted keys where the file is written so; under a new [skills] at the end where there
// is none. A skill that says nothing but its source is written as a string, others as an inline table. Everything else
// keeps its bytes, and so does an entry that says the same already. The manifest itself does not change. Every error is an *Error,
// "cannot_edit" for a manifest that is no skills.toml.
func (m *Manifest) Set(skills ...Skill) ([]byte, error) {
	if m.doc == nil {
		return nil, m.readOnly()
	}
	want := m.copy()
	for i, s := range skills {
		if slices.ContainsFunc(skills[:i], named(s.Name)) {
			return nil, m.refuse("already_exists", "", "skill %q is given twice", s.Name)
		}
		s.Line = 0
		if at := slices.IndexFunc(want.Skills, named(s.Name)); at >= 0 {
			want.Skills[at] = s
		} else {
			want.Skills = append(want.Skills, s)
		}
	}
	return m.edit(want)
}

// Delete gives the text of the manifest without the entries. Their lines go; comments on lines of their own stay, unless they stand
// inside a [skills.name] table that goes. The header [skills] stays. A name without an entry is an *Error with code "not_found".
func (m *Manifest) Delete(names ...string) ([]byte, error) {
	if m.doc == nil {
		return nil, m.readOnly()
	}
	want := m.copy()
	for _, name := range names {
		if _, found := m.Get(name); !found {
			return nil, m.notFound(name)
		}
		want.Skills = slices.DeleteFunc(want.Skills, named(name))
	}
	return m.edit(want)
}

// edit gives the text in which the skills are those of want.
func (m *Manifest) edit(want *Manifest) ([]byte, error) {
	e := editor{doc: m.doc}
	if s, inline := e.inlineSkills(); inline {
		if !reflect.DeepEqual(m.content(), want.content()) {
			e.rewrite(s, want.Skills)
		}
		return m.finish(&e, want)
	}
	for _, old := range m.Skills {
		if at := slices.IndexFunc(want.Skills, named(old.Name)); at < 0 {
			e.cut(old.Name)
		} else if s := want.Skills[at]; !equal(old, s) {
			e.change(old, s)
		}
	}
	var added []Skill
	for _, s := range want.Skills {
		if !slices.ContainsFunc(m.Skills, named(s.Name)) {
			added = append(added, s)
		}
	}
	e.add(added)
	return m.finish(&e, want)
}

func named(name string) func(Skill) bool { return func(s Skill) bool { return s.Name == name } }

// equal reports whether two entries say the same, wherever they stand.
func equal(a, b Skill) bool {
	a.Line, b.Line = 0, 0
	return reflect.DeepEqual(a, b)
}

// SetAgents gives the text of the manifest with these default agents; nil takes the key away, an empty list says "none".
func (m *Manifest) SetAgents(agents []string) ([]byte, error) {
	if m.doc == nil {
		return nil, m.readOnly()
	}
	want := m.copy()
	want.Agents = agents
	e := editor{doc: m.doc}
	if !slices.Equal(agents, m.Agents) || (agents == nil) != (m.Agents == nil) {
		e.top("agents", list(agents), agents != nil)
	}
	return m.finish(&e, want)
}

// SetMode gives the text of the manifest with this default mode, "link" or "copy"; "" takes the key away.
func (m *Manifest) SetMode(mode string) ([]byte, error) {
	if m.doc == nil {
		return nil, m.readOnly()
	}
	want := m.copy()
	want.Mode = mode
	e := editor{doc: m.doc}
	if mode != m.Mode {
		e.top("mode", document.Quote(mode), mode != "")
	}
	return m.finish(&e, want)
}

// copy gives a manifest whose list of skills can be changed.
func (m *Manifest) copy() *Manifest {
	c := *m
	c.Skills = slices.Clone(m.Skills)
	return &c
}

// finish makes the text and reads it back: nothing is given out that would not say exactly what was wanted.
func (m *Manifest) finish(e *editor, want *Manifest) ([]byte, error) {
	if e.obstacle != "" {
		return nil, m.refuse("cannot_edit", "write the skills under a [skills] header", "%s", e.obstacle)
	}
	text := e.apply()
	got, err := Parse(text, m.file)
	if err != nil {
		fault := *err.(*Error)
		fault.Line = 0 // of a text that nobody has seen
		return nil, &fault
	}
	if !reflect.DeepEqual(got.content(), want.content()) {
		return nil, m.refuse("cannot_edit", "edit the file by hand", "the change would not read back as it was given")
	}
	return text, nil
}

// content is what a manifest says, without where it says it.
func (m *Manifest) content() Manifest {
	c := Manifest{Agents: m.Agents, Mode: m.Mode, Policy: m.Policy, Packs: slices.Clone(m.Packs)}
	for i := range c.Packs {
		c.Packs[i].Line = 0
	}
	for _, s := range m.Skills {
		s.Line = 0
		c.Skills = append(c.Skills, s)
	}
	slices.SortFunc(c.Skills, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return c
}

func (m *Manifest) refuse(code, hint, format string, args ...any) *Error {
	return &Error{Kind: code, File: m.file, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// readOnly is the error for an edit of a list or of SkillPlugin documents.
func (m *Manifest) readOnly() *Error {
	return m.refuse("cannot_edit", "edit the file by hand, or write a skills.toml", "only a skills.toml is edited")
}

func (m *Manifest) notFound(name string) *Error {
	var known []string
	for _, s := range m.Skills {
		known = append(known, s.Name)
	}
	return m.refuse("not_found", didYouMean(name, known), "no skill %q", name)
}
