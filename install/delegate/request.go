package delegate

import (
	"path/filepath"
	"strings"
	"unicode"
)

// Request is what the npm tool is to install.
type Request struct {
	Source string   // in a form that the tool reads
	Skills []string // names; the tool knows neither paths nor patterns
	Agents []string // ids, "*" for all; nil: the tool chooses
	Global bool     // for the user, not for the project
	Copy   bool     // copies instead of links
}

// Arguments writes the command line of the tool, without the program:
//
//	add SOURCE --skill NAME… [--agent ID…] [--global] [--copy] -y
//
// The error is an *Error "invalid_input": no source, no name, a name that is a path or a
// pattern ("*" would be everything), or a word that could be taken for a flag.
func (r Request) Arguments() ([]string, error) {
	if len(r.Skills) == 0 {
		return nil, invalid("the npm tool is only asked for skills by name, and no skill is named")
	}
	words := []string{"add", r.Source}
	for _, name := range r.Skills {
		if !IsName(name) {
			return nil, invalid("%q is no name of a skill, and the npm tool knows names only", name)
		}
		words = append(words, "--skill", name)
	}
	for _, id := range r.Agents {
		words = append(words, "--agent", id)
	}
	for _, word := range append([]string{r.Source}, r.Agents...) {
		if !isWord(word) {
			return nil, invalid("%q cannot be a word of the npm tool's command line", word)
		}
	}
	if r.Global {
		words = append(words, "--global")
	}
	if r.Copy {
		words = append(words, "--copy")
	}
	return append(words, "-y"), nil
}

// IsName tells whether a selector can be given to the npm tool: a name, and neither a
// path nor a pattern.
func IsName(selector string) bool {
	return isWord(selector) && !strings.ContainsAny(selector, `*?[]{}/\`)
}

// isWord tells whether a text stands for itself as an argument.
func isWord(text string) bool {
	return strings.TrimSpace(text) != "" && text[0] != '-' && !strings.ContainsFunc(text, unicode.IsControl)
}

// checkBatch refuses words that the command interpreter of Windows, which runs the batch
// files that npm makes there, would read as something else than text.
func checkBatch(program string, words []string) error {
	extension := strings.ToLower(filepath.Ext(program))
	if extension != ".cmd" && extension != ".bat" {
		return nil
	}
	for _, word := range words {
		if strings.ContainsAny(word, "\"%&|<>^!()") {
			return &Error{Kind: "unsupported", Program: program, Message: "the batch file of the npm tool cannot be given " + word, Hint: nativeHint}
		}
	}
	return nil
}
