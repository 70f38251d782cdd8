package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/source/names"
)

// Permute brings a command line into the order that urfave/cli reads: the command, its flags, "--", its arguments. That library ends
// the flags at the first argument, so that `add SOURCE --global` would install into the project without a word.
//
// The arguments are os.Args without the program's name. flags returns what a command knows: each flag under all its names, short and
// long, without hyphens. It is asked with "" for the flags that may stand before the command, which each
// command must know as well, and with the first argument that is no flag. For a command that does not exist it returns nil, and the rest
// is passed on as it is, for the library to report. "help" and "h" are flags like others here.
//
// Understood are --name, --name=value, --name value, -n, -n=value, -nvalue, -n value, grouped -gy and -gyn value; "--" ends the flags
// and "-" is an argument. A flag that is unknown or lacks its value is a usage [Error] with near names.
//
// What the author of the commands must set in urfave/cli/v2 beside this: on each command HideHelpCommand, or the library takes an
// argument "help" or "h" for a subcommand; on the App and each command OnUsageError, returning the error as a [UsageError], or help
// goes to standard output on errors; on the App Writer, ErrWriter, and an ExitErrHandler that does nothing. Whether errors are to be
// JSON is known before anything is parsed only from the bare arguments. Each flag is
// written with its first name, since the library refuses two forms of one flag in a line ("-s a --skill b").
func Permute(arguments []string, flags func(command string) map[string]Flag) ([]string, error) {
	p := permutation{rest: arguments, known: flags("")}
	for len(p.rest) > 0 {
		word := p.next()
		switch {
		case word == "--":
			p.arguments = append(p.arguments, p.rest...)
			p.rest = nil
		case len(word) < 2 || word[0] != '-':
			p.arguments = append(p.arguments, word)
			if len(p.arguments) > 1 {
				continue
			}
			if p.known = flags(word); p.known == nil {
				return append(append(p.arguments, p.flags...), p.rest...), nil
			}
		default:
			if err := p.flag(word); err != nil {
				return nil, err
			}
		}
	}
	return p.result(), nil
}

// Flag is what [Permute] has to know of a flag.
type Flag struct {
	// Name is its first name, without hyphens.
	Name string
	// Value tells whether it takes a value.
	Value bool
}

// permutation is the state of [Permute].
type permutation struct {
	rest, flags, arguments []string // not yet read, and read
	known                  map[string]Flag
}

// next takes the next word.
func (p *permutation) next() string {
	word := p.rest[0]
	p.rest = p.rest[1:]
	return word
}

// result returns the words in their new order.
func (p *permutation) result() []string {
	if len(p.arguments) == 0 {
		return p.flags
	}
	words := append(p.arguments[:1:1], p.flags...)
	if len(p.arguments) > 1 {
		words = append(append(words, "--"), p.arguments[1:]...)
	}
	return words
}

// flag reads a word that begins with a hyphen, and its value from the next one.
func (p *permutation) flag(word string) error {
	if strings.HasPrefix(word, "--") {
		name, value, has := strings.Cut(word[2:], "=")
		return p.one(word, "--"+name, name, value, has)
	}
	for tail := word[1:]; tail != ""; {
		_, size := utf8.DecodeRuneInString(tail)
		name := tail[:size]
		tail = tail[size:]
		if p.known[name].Value || strings.HasPrefix(tail, "=") {
			return p.one(word, "-"+name, name, strings.TrimPrefix(tail, "="), tail != "")
		}
		if err := p.one(word, "-"+name, name, "", false); err != nil {
			return err
		}
	}
	return nil
}

// one adds a flag that is written like this, with the value that stands in the same word or else in the next.
func (p *permutation) one(word, written, name, value string, has bool) error {
	flag, known := p.known[name]
	result := "--" + flag.Name
	switch {
	case !known:
		return p.unknown(word, written)
	case has:
		result += "=" + value
	case flag.Value && len(p.rest) == 0:
		return UsageError("flag %q needs a value", written)
	case flag.Value:
		result += "=" + p.next()
	}
	p.flags = append(p.flags, result)
	return nil
}

// unknown returns the error for a flag that the command does not know.
func (p *permutation) unknown(word, written string) error {
	name := strings.TrimLeft(word, "-")
	name, _, _ = strings.Cut(name, "=")
	err := UsageError("flag %q is unknown", written)
	if strings.TrimLeft(written, "-") != name {
		err = UsageError("flag %q in %q is unknown", written, word)
	}
	var near []string
	for _, n := range Near(name, slices.Collect(maps.Keys(p.known))) {
		if len(n) > 1 {
			near = append(near, "--"+n)
		}
	}
	if near != nil {
		err.Advice = []string{fmt.Sprintf("did you mean %s?", strings.Join(near, ", "))}
	}
	return err
}

// Near returns at most three of the known words that someone who typed the word may have meant, the nearest first, by [names.Near].
func Near(word string, known []string) []string { return names.Near(word, known, 3) }
