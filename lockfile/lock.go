package lockfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"skills/lockfile/internal/document"
	"skills/source/names"
)

// New returns an empty lock.
func New() *Lock { return &Lock{skills: map[string]Skill{}, folded: map[string]string{}} }

// Skills returns all skills, sorted by the bytes of their names.
func (l *Lock) Skills() []Skill {
	all := make([]Skill, 0, len(l.skills))
	for _, name := range slices.Sorted(maps.Keys(l.skills)) {
		all = append(all, l.skills[name])
	}
	return all
}

// Get returns the skill of that name.
func (l *Lock) Get(name string) (Skill, bool) {
	s, found := l.skills[name]
	return s, found
}

// Put adds the skill or replaces the one of that name; keys of the replaced one that this version does not know stay. A skill
// that Parse would refuse is an *Error with code "lock_invalid" and changes nothing, and so is a name that is the same
// directory as another on some file system.
func (l *Lock) Put(s Skill) error {
	key, err := s.check()
	if err != nil {
		return &Error{Kind: "lock_invalid", Message: fmt.Sprintf("skill %q: %s %v", s.Name, key, err)}
	}
	if other, taken := l.folded[names.Fold(s.Name)]; taken && other != s.Name {
		return &Error{Kind: "lock_invalid", Message: fmt.Sprintf("%q and %q are one directory on some file systems", s.Name, other)}
	}
	if old, found := l.skills[s.Name]; found && s.extra == nil && s.sections == nil {
		s.extra, s.sections = old.extra, old.sections
	}
	l.set(s)
	return nil
}

func (l *Lock) set(s Skill) {
	l.skills[s.Name] = s
	l.folded[names.Fold(s.Name)] = s.Name
}

// Remove takes the skill of that name away and reports whether there was one.
func (l *Lock) Remove(name string) bool {
	if _, found := l.skills[name]; !found {
		return false
	}
	delete(l.skills, name)
	delete(l.folded, names.Fold(name))
	return true
}

// Bytes returns the text of the lock, always with "\n" as line end. Equal locks give equal bytes, so whether a file must be
// written is told by comparing with the Bytes of the lock as it was read, which also leaves a checkout with "\r\n" alone.
func (l *Lock) Bytes() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "version = %d\n", version)
	write(&b, l.extra, "")
	write(&b, l.sections, "\n")
	for _, s := range l.Skills() {
		b.WriteString("\n[[skill]]\n")
		for _, f := range s.fields() {
			if *f.value != "" {
				fmt.Fprintf(&b, "%s = %s\n", f.key, document.Quote(*f.value))
			}
		}
		write(&b, s.extra, "")
		write(&b, s.sections, "\n")
	}
	return []byte(b.String())
}

// write puts each text on lines of its own, with something before it.
func write(b *strings.Builder, texts []string, before string) {
	for _, text := range texts {
		b.WriteString(before + text + "\n")
	}
}
