package catalog

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// grammar is a rule for names.
type grammar int

const (
	anyNames        grammar = iota // whatever DirectoryName takes
	plainNames                     // a to z, 0 to 9, single hyphens, at most 64 characters: the specification, smarter, zidane
	namespacedNames                // namespace:name, SkillKit
	looseNames                     // clarvis
)

const maxNameCharacters = 64

var looseName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// fault says what a name has against a grammar as the rest of a sentence, "" for nothing.
func (g grammar) fault(name string, bare bool) string {
	switch {
	case g == plainNames:
		return plainFault(name)
	case g == looseNames && !looseName.MatchString(name):
		return "holds other characters than letters, digits, dots, hyphens and underscores"
	case g == namespacedNames && !namespacedName.MatchString(name) && !(bare && nameSegment.MatchString(name)):
		return "is not of the form namespace:name with lower case letters, digits, hyphens and underscores"
	}
	return ""
}

// advice says which names pass.
func (g grammar) advice() string {
	switch g {
	case namespacedNames:
		return "write the name as namespace:name, each part a lower case letter and then lower case letters, digits, - and _"
	case looseNames:
		return "use letters, digits, dots, hyphens and underscores"
	}
	return "use a to z, 0 to 9 and single hyphens, at most 64"
}

// plainFault tells the ways apart in which a name breaks the rule of the specification.
func plainFault(name string) string {
	switch {
	case specName.MatchString(name):
		return ""
	case strings.ContainsFunc(name, func(r rune) bool { return r >= 'A' && r <= 'Z' }):
		return "holds upper case letters"
	case strings.ContainsFunc(name, func(r rune) bool { return !plainRune(r) }):
		return "holds other characters than a to z, 0 to 9 and hyphens"
	case strings.HasPrefix(name, "-"), strings.HasSuffix(name, "-"):
		return "begins or ends with a hyphen"
	}
	return "holds two hyphens in a row"
}

func plainRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' }

// formatEarly and formatLate check the name when the profile does: with the name, or at last, since what is missing is told first.
func (p *skillParser) formatEarly() {
	if p.grammar == plainNames || p.grammar == looseNames {
		p.format()
	}
}

func (p *skillParser) formatLate() {
	if p.grammar == namespacedNames {
		p.format()
	} else if p.grammar == anyNames {
		p.name()
	}
}

// format checks the name against the grammar of the profile. Whether it can name a directory too is told, for nothing is
// installed here.
func (p *skillParser) format() {
	name := p.skill.Name
	if name == "" {
		return
	}
	fault := p.grammar.fault(name, p.rules.BareNames)
	switch {
	case fault == "":
	case p.severity("name_format") == SeverityError:
		p.fault(invalid("name_format", "name", p.line("name"), "name %q %s", name, fault).advise(p.grammar.advice()))
	default:
		p.report("name_format:name", p.line("name"), "name %q %s", name, fault)
	}
	if n := utf8.RuneCountInString(name); n > maxNameCharacters {
		p.report("too_long:name", p.line("name"), "name has %d characters, more than %d", n, maxNameCharacters)
	}
	dir, _, err := DirectoryName(name)
	p.skill.directory = dir
	var e *Error
	if errors.As(err, &e) && e.Kind == "unsafe_name" && (fault == "" || p.severity("name_format") != SeverityError) {
		p.report("unsafe_name:name", p.line("name"), "name %s; it cannot name a directory", e.Message)
	}
}

// name checks that the name can be installed.
func (p *skillParser) name() {
	dir, findings, err := DirectoryName(p.skill.Name)
	p.skill.directory = dir
	for _, f := range findings {
		f.Line = p.line("name")
		p.add(f)
	}
	var e *Error
	if errors.As(err, &e) {
		e.Line = p.line("name")
		p.fault(e)
	}
}
