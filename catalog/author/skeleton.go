package author

import (
	"strconv"
	"strings"
	"unicode"
)

func quoted(text string) string { return strconv.Quote(text) }

// Skeleton gives a skill of that name to begin with: it passes [Define] when the name does, and says in its own text what a good
// one has.
func Skeleton(name string) Definition {
	return Definition{
		Name:        name,
		Description: "Says in one or two sentences what " + name + " does. Use when the words of a request fit, which are named here.",
		Instructions: "# " + title(name) + `

Say what an agent must know and cannot guess: the steps, the order, the commands, what a good result looks like.

## Steps

1. Read what the person gave you.
2. Do the work.
3. Check the result, and say what you did.

## Files

Long material belongs in files of its own, which are read only when they are needed: documents in ` + "`references/`, programs in\n`scripts/`" + `,
templates in ` + "`assets/`" + `. Name each here with a word on when to read it. Fewer than 500 lines here keep the skill cheap.
`,
		Source: "inline",
	}.clone()
}

// title makes a heading of a name.
func title(name string) string {
	words := []rune(strings.ReplaceAll(name, "-", " "))
	if len(words) > 0 {
		words[0] = unicode.ToUpper(words[0])
	}
	return string(words)
}
