package manifest

import (
	"errors"
	"strings"

	"skills/lockfile/internal/document"
)

// ParseList reads a plain list of sources, one a line, with words behind them that mean what they mean to the command that adds:
//
//	# all skills of a repository
//	acme/skills#v2
//	acme/docs --skill lint --skill 'docs-*' --path tools
//	https://github.com/anthropics/skills/tree/main/skills/pdf --as forms
//	"./a directory"
//
// A "#" at the beginning of a word begins a comment; quotes, single or double, keep blanks, and nothing is escaped. --skill may be
// repeated; --ref, --path and --as may not.
//
// A line with --as is a [Skill] of that name: there the name is known. Every other line is a [Pack], with the values of --skill as Include,
// since what its skills are called is known only when the source was read; without --skill it means all of them, or the one that the
// source text selects. A list has no agents, mode and policy, and is not edited. Every error is an *Error with a line.
func ParseList(data []byte, file string) (*Manifest, error) {
	text, fault := plainText(data, file)
	if fault == nil {
		fault = conflict(text, file)
	}
	if fault != nil {
		return nil, fault
	}
	l := lines{reader: reader{file: file}, manifest: &Manifest{file: file}, taken: claims{}}
	for line := range strings.SplitSeq(text, "\n") {
		l.number++
		if l.line(strings.TrimSuffix(line, "\r")); l.err != nil {
			return nil, l.err
		}
	}
	return l.manifest, nil
}

// lines reads the lines of a list.
type lines struct {
	reader
	manifest *Manifest
	taken    claims
	number   int // of the line
}

// node is something on the line as the reader takes it.
func (l *lines) node(key, text string) *document.Node {
	return &document.Node{Key: key, Kind: document.String, Text: text, Line: l.number}
}

// line reads one line.
func (l *lines) line(text string) {
	words, err := words(text)
	if err != nil {
		l.fail(l.node("", ""), "manifest_invalid", "", "%v", err)
	}
	if len(words) == 0 || l.err != nil {
		return
	}
	said := l.said(words)
	if l.err != nil {
		return
	}
	p := Pack{Source: l.source(said["source"][0]), Line: l.number}
	for _, n := range said["--path"] {
		p.Path = l.path(n)
	}
	for _, n := range said["--ref"] {
		p.Ref = l.ref(n)
	}
	for _, n := range said["--skill"] {
		p.Include = append(p.Include, l.text(n))
	}
	if len(l.manifest.Skills)+len(l.manifest.Packs) == maxEntries {
		l.fail(l.node("", ""), "manifest_damaged", "", "more than %d sources", maxEntries)
	}
	if as := said["--as"]; as != nil {
		l.alias(p, l.text(as[0]))
		return
	}
	l.manifest.Packs = append(l.manifest.Packs, p)
}

// alias adds the one skill that a line with --as names.
func (l *lines) alias(p Pack, name string) {
	l.claim(l.node(name, ""), l.taken)
	s := Skill{Name: name, Source: p.Source, Path: p.Path, Ref: p.Ref, Line: l.number}
	if len(p.Include) > 1 {
		l.fail(l.node("", ""), "manifest_invalid", "write a line for each", "--as names one skill, and --skill names %d", len(p.Include))
	}
	if len(p.Include) > 0 {
		s.Select = p.Include[0]
	}
	l.manifest.Skills = append(l.manifest.Skills, s)
}

// said sorts the words of a line: the values behind each option, and the source. There is one source, and one value for each option
// but --skill.
func (l *lines) said(words []string) map[string][]*document.Node {
	said := map[string][]*document.Node{}
	for i := 0; i < len(words); i++ {
		key, value := "source", words[i]
		if strings.HasPrefix(value, "-") {
			var joined bool
			key, value, joined = strings.Cut(words[i], "=")
			l.option(key)
			if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
				value, joined = words[i], true
			}
			if !joined {
				l.fail(l.node("", ""), "manifest_invalid", "", "%s is not followed by a value", key)
			}
		}
		if said[key] != nil && key != "--skill" { // without the value, which may be a secret in a source
			l.fail(l.node("", ""), "manifest_invalid", "write one source a line, in quotes when it holds blanks", "a second %s on the line", strings.TrimLeft(key, "-"))
		}
		said[key] = append(said[key], l.node(key, value))
	}
	if said["source"] == nil {
		l.fail(l.node("", ""), "manifest_invalid", "begin the line with a source, such as owner/repo", "no source")
	}
	return said
}

// option fails for a word that is no option of a line.
func (l *lines) option(word string) {
	switch word {
	case "--skill", "--ref", "--path", "--as":
	default:
		l.unknown(l.node(word, ""), "behind a source", "--skill", "--ref", "--path", "--as")
	}
}

// words splits a line at blanks, up to a comment.
func words(line string) ([]string, error) {
	var all []string
	var word strings.Builder
	inside, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case c == ' ' || c == '\t':
			if inside {
				all = append(all, word.String())
			}
			word.Reset()
			inside = false
		case c == '#' && !inside:
			return all, nil
		default:
			word.WriteByte(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inside {
		all = append(all, word.String())
	}
	return all, nil
}
