package main

import (
	"strings"
	"unicode/utf8"

	"skills/cmd/internal/ui"
	"skills/source"
)

// pasted makes a command line of another installer, written behind "add" as it was copied, one of this program: the leading words
// are dropped, the rest is in the form of add. Flags of our own may stand before the line; flags tells them, as for [ui.Permute].
func pasted(arguments []string, flags func(command string) map[string]ui.Flag) []string {
	command := leading(arguments, flags(""))
	if command == len(arguments) {
		return arguments
	}
	switch arguments[command] {
	case "add", "i", "a":
	default:
		return arguments
	}
	line := command + 1 + leading(arguments[command+1:], flags("add"))
	if line == len(arguments) {
		return arguments
	}
	end := len(arguments)
	text := quoted(arguments[line:])
	if strings.Contains(arguments[line], " ") { // the line is one argument, and what follows it is ours
		end, text = line+1, arguments[line]
	}
	words, ok := source.Command(text)
	if !ok {
		return arguments
	}
	return append(append(arguments[:line:line], words...), arguments[end:]...)
}

// leading counts the words at the front that are flags and values of these.
func leading(words []string, known map[string]ui.Flag) int {
	n := 0
	for n < len(words) && len(words[n]) > 1 && words[n][0] == '-' && words[n] != "--" {
		if valueFollows(words[n], known) {
			n++
		}
		n++
	}
	return min(n, len(words))
}

// valueFollows tells whether the value of a flag, or of the last one of a group, is the next word.
func valueFollows(word string, known map[string]ui.Flag) bool {
	if name, long := strings.CutPrefix(word, "--"); long {
		return known[name].Value
	}
	for i, letter := range word {
		if known[string(letter)].Value {
			return i+utf8.RuneLen(letter) == len(word)
		}
	}
	return false
}

// quoted writes words as one line that is read back as the same words.
func quoted(words []string) string {
	line := make([]string, len(words))
	for i, word := range words {
		line[i] = word
		if word == "" || strings.ContainsAny(word, ` '"`) {
			line[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(line, " ")
}
