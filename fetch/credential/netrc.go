package credential

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Netrc reads a netrc file, which name stands for in messages, when a host has refused. A file that is not there has nothing. The file
// names hosts without ports (netrc(5)); its "default" belongs to no host and is not used.
func Netrc(name string, read func() ([]byte, error)) Source {
	return func(_ context.Context, r Request) (Credential, error) {
		if !r.Refused {
			return Credential{}, nil
		}
		data, err := read()
		if errors.Is(err, fs.ErrNotExist) {
			return Credential{}, nil
		}
		if err != nil {
			return Credential{}, err
		}
		machines, err := parseNetrc(string(data))
		if err != nil {
			return Credential{}, fmt.Errorf("%q, %w", name, err)
		}
		for _, m := range machines {
			if strings.EqualFold(m.name, r.name()) && m.password != "" {
				return Credential{User: m.login, Password: m.password, From: name}, nil
			}
		}
		return Credential{}, nil
	}
}

// machine is an entry of a netrc file; its name is "" for the default.
type machine struct{ name, login, password string }

// parseNetrc reads the format of netrc(5) as curl and Python read it: words apart by blanks or line ends; a word may stand in
// double quotes with backslashes; "#" where a keyword is expected begins a comment; a macro ends at an empty line.
func parseNetrc(text string) ([]machine, error) {
	var machines []machine
	s := &words{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	for {
		keyword := s.next()
		var target *string
		switch {
		case keyword == "" && s.ended:
			return machines, nil
		case strings.HasPrefix(keyword, "#"):
			s.skipTo("\n")
			continue
		case keyword == "macdef":
			s.skipTo("\n\n")
			continue
		case keyword == "default":
			machines = append(machines, machine{})
			continue
		case keyword == "machine":
			machines = append(machines, machine{})
			target = &machines[len(machines)-1].name
		case len(machines) == 0:
			return nil, fmt.Errorf("line %d: it does not begin with a machine", s.line)
		default:
			target = machines[len(machines)-1].field(keyword)
		}
		if target == nil {
			return nil, fmt.Errorf("line %d: a word that is no keyword", s.line) // which may be a part of a password
		}
		if *target = s.next(); s.ended {
			return nil, fmt.Errorf("line %d: nothing comes after %q", s.line, keyword)
		}
	}
}

// field is where the value of a keyword goes, nil for what is none.
func (m *machine) field(keyword string) *string {
	switch keyword {
	case "login", "user":
		return &m.login
	case "password", "passwd":
		return &m.password
	case "account":
		return new(string)
	}
	return nil
}

// words takes a text apart.
type words struct {
	text  string
	line  int
	ended bool // there was no further word
}

// next is the next word; "" may be one that stands in quotes.
func (w *words) next() string {
	rest := strings.TrimLeft(w.text, " \t\r\n")
	w.line += strings.Count(w.text[:len(w.text)-len(rest)], "\n")
	w.text = rest
	if w.ended = rest == ""; w.ended {
		return ""
	}
	if rest[0] == '"' {
		return w.quoted()
	}
	end := strings.IndexAny(rest, " \t\r\n")
	if end < 0 {
		end = len(rest)
	}
	w.text = rest[end:]
	return rest[:end]
}

// quoted is a word in quotes; what follows a backslash is itself, but for the letters of line ends and tabs.
func (w *words) quoted() string {
	var word strings.Builder
	for i := 1; i < len(w.text); i++ {
		c := w.text[i]
		switch {
		case c == '"':
			w.text = w.text[i+1:]
			return word.String()
		case c == '\\' && i+1 < len(w.text):
			i++
			if c = w.text[i]; strings.IndexByte("nrt", c) >= 0 {
				c = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}[c]
			}
		case c == '\n':
			w.line++
		}
		word.WriteByte(c)
	}
	w.text, w.ended = "", true // the quote does not end
	return ""
}

// skipTo passes over everything up to an end, or all.
func (w *words) skipTo(end string) {
	skipped, rest, _ := strings.Cut(strings.ReplaceAll(w.text, "\r\n", "\n"), end)
	w.line += strings.Count(skipped+end, "\n")
	w.text = rest
}
