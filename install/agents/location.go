package agents

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// location is where a file or directory of an agent lies, said without an environment: "~/x", "./x", "/x", "${VAR}/x" or
// "${VAR:-~/y}/x". The last two are the shell's notation and mean what they mean there, so data needs no further word about
// which directory follows which variable.
type location struct {
	variable string // "" when no variable is looked at
	base     string // where rest is when the variable is not set; "" is nowhere
	rest     string // below the base or the variable's directory; "" is that itself
}

var variableForm = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]+))?\}(?:/(.+))?$`)

// UnmarshalText parses the notation. It is the hook of the TOML decoder, which adds the line.
func (l *location) UnmarshalText(text []byte) error {
	*l = location{base: string(text)}
	if strings.HasPrefix(l.base, "$") {
		parts := variableForm.FindStringSubmatch(l.base)
		if parts == nil {
			return fmt.Errorf(`%q is not understood: a variable is written "${NAME}/directory" or "${NAME:-~/directory}/directory"`, text)
		}
		*l = location{variable: parts[1], base: parts[2], rest: parts[3]}
	}
	if l.rest != "" && !isRelative(l.rest) {
		return fmt.Errorf("%q has no clean relative path below the variable", text)
	}
	if l.variable != "" && l.base == "" {
		return nil
	}
	return checkBase(l.base)
}

// checkBase refuses text that is no place of its own, or not written cleanly.
func checkBase(text string) error {
	anchor, rest, below := strings.Cut(text, "/")
	known := anchor == "~" || anchor == "." || anchor == "" || isDrive(anchor)
	if !known || !below || !isRelative(rest) {
		return fmt.Errorf(`%q is no place: write "~/directory", "./directory" or "/directory", without "..", backslashes or control characters`, text)
	}
	return nil
}

// isDrive tells whether the text is a drive of Windows, such as "C:".
func isDrive(text string) bool {
	return len(text) == 2 && text[1] == ':' && unicode.IsLetter(rune(text[0]))
}

// isRelative tells whether the text is a relative path that stays below its base on every operating system.
func isRelative(text string) bool {
	odd := func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == ':' }
	return text != "." && fs.ValidPath(text) && !strings.ContainsFunc(text, odd)
}

// String returns the place for people, as it is when no variable is set.
func (l location) String() string {
	if l.base == "" {
		return path.Join("${"+l.variable+"}", l.rest)
	}
	if l.rest == "" {
		return l.base
	}
	return l.base + "/" + l.rest
}

// inProject tells whether the place belongs to a project rather than to a user or machine.
func (l location) inProject() bool {
	return strings.HasPrefix(l.base, "./")
}

// resolve returns the place in an environment, or a [LocationError].
func (l location) resolve(env Environment) (string, error) {
	base := l.base
	if value := env.variable(l.variable); value != "" {
		if anchor, _, _ := strings.Cut(filepath.ToSlash(value), "/"); anchor != "~" && !filepath.IsAbs(value) {
			return "", &LocationError{
				Location: l.String(),
				Reason:   l.variable + " holds a relative directory",
				Hint:     "set " + l.variable + " to an absolute directory, or unset it",
			}
		}
		base = value
	}
	if base == "" {
		return "", &LocationError{Location: l.String(), Reason: l.variable + " is not set", Hint: "set " + l.variable}
	}
	dir, err := env.expand(base)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.FromSlash(l.rest)), nil
}

// exists tells whether something is at the place. A place that cannot be resolved holds nothing.
func (l location) exists(env Environment) bool {
	name, err := l.resolve(env)
	return err == nil && env.exists(name)
}

// directory is a path relative to the project root, with "/".
type directory struct{ path string }

// UnmarshalText takes clean relative paths only. It is the hook of the TOML decoder, which adds the line.
func (d *directory) UnmarshalText(text []byte) error {
	if !isRelative(string(text)) {
		return fmt.Errorf(`%q is no directory of a project: write it relative to the root, without ".", "..", backslashes or control characters`, text)
	}
	d.path = string(text)
	return nil
}
