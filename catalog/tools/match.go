package tools

import (
	"strings"
	"unicode"
)

// Call is a call of a tool that an agent is about to make. Name is the name that the
// tool has for people, which is what entries use: a host whose wire has others
// translates. Input holds the arguments by name, as JSON has them.
type Call struct {
	Name  string
	Input map[string]any
}

// Rules says how arguments are compared. The zero value is strict.
//
// By the letter, some text at the top of the input has to begin with the argument
// (or to be it), whichever field it stands in and whatever follows: Bash(git:*) lets
// "gitleaks" and "git log; rm -rf /" pass, and an input that describes "git" and runs
// something else. An input without texts matches no entry with parentheses.
//
// Strictly, only the field that says what the tool does counts. A prefix has to end
// where a word ends, and what follows may hold nothing by which a shell runs more
// than one command or touches a file: no ; & | < > ( ) or backtick, no $( and no
// control character, in quotes or not. What the prefix itself holds was written by
// the author. Bash(*) is the same as Bash. Options of a program that is allowed can
// still run others (git -c …); no rule of this kind sees that.
type Rules struct {
	Letter bool
	// Field names the field that says what a tool does; nil, and "" from it, stand for
	// the one of command, cmd and script that is there, and for none when there are
	// several. Only strict rules ask. It may use the Active that asks it, and is called
	// from as many goroutines as check.
	Field func(tool string) string
}

// Matches tells whether the entry allows the call.
func (e Entry) Matches(call Call, rules Rules) bool {
	if e.Form == Malformed || e.Form == "" || call.Name != e.Tool {
		return false
	}
	switch {
	case e.Form == Whole, e.Form == Any && !rules.Letter:
		return true
	case !rules.Letter:
		text, ok := rules.subject(call)
		return ok && e.admits(text)
	}
	for _, value := range call.Input {
		text, ok := value.(string)
		if ok && (text == e.Argument || e.Form != Exact && strings.HasPrefix(text, e.Argument)) {
			return true
		}
	}
	return false
}

// subject gives the text that says what a call does.
func (r Rules) subject(call Call) (text string, ok bool) {
	if r.Field != nil {
		if field := r.Field(call.Name); field != "" {
			text, ok = call.Input[field].(string)
			return text, ok
		}
	}
	there := 0
	for _, field := range []string{"command", "cmd", "script"} {
		if value, found := call.Input[field]; found {
			there++
			text, ok = value.(string)
		}
	}
	return text, ok && there == 1
}

// admits compares a text strictly with the argument of a prefix or exact entry.
func (e Entry) admits(text string) bool {
	if e.Form == Exact {
		return text == e.Argument
	}
	rest, ok := strings.CutPrefix(text, e.Argument)
	return ok && (rest == "" || isBlank(rest[0]) || isBlank(e.Argument[len(e.Argument)-1])) && !runsMore(rest)
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// runsMore tells whether a shell may find a second command, or a file to read or
// write, in a text. It knows no quotes: to be wrong about them is worse than to refuse.
func runsMore(text string) bool {
	return strings.ContainsAny(text, ";&|<>()`") || strings.ContainsFunc(text, func(r rune) bool { return r != '\t' && unicode.IsControl(r) })
}
