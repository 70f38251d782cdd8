package main

import (
	"strings"

	"skills/source"
)

// pasted makes a command line of another installer, written behind "add" as it was copied, one of this program: the leading words
// are dropped, the rest is in the form of add.
func pasted(arguments []string) []string {
	for i, argument := range arguments {
		if strings.HasPrefix(argument, "-") {
			continue // a flag before the command; those with a value are not expected before a pasted line
		}
		if argument != "add" && argument != "i" && argument != "a" {
			return arguments
		}
		rest := arguments[i+1:]
		if words, ok := source.Command(strings.Join(rest, " ")); ok {
			return append(append([]string{}, arguments[:i+1]...), words...)
		}
		return arguments
	}
	return arguments
}
