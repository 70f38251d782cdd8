package ui

import (
	"fmt"
	"io"
)

// Styled is text with a colour: an argument for [Terminal.Result], [Terminal.Step] and the like, which drop the colour where none is
// wanted. Printed by anything else it is the plain text, made visible.
type Styled struct{ text, sequence string }

// Bold marks names and headings.
func Bold(text string) Styled { return Styled{text, "1"} }

// Faint marks what matters less.
func Faint(text string) Styled { return Styled{text, "2"} }

// Red marks what failed.
func Red(text string) Styled { return Styled{text, "31"} }

// Green marks what is well.
func Green(text string) Styled { return Styled{text, "32"} }

// Yellow marks what needs a look.
func Yellow(text string) Styled { return Styled{text, "33"} }

// String returns the text without colour, as [OneLine] shows it.
func (s Styled) String() string { return OneLine(s.text) }

// render returns the text with its colour (ECMA-48 SGR).
func (s Styled) render(color bool) string {
	if !color {
		return s.String()
	}
	return "\x1b[" + s.sequence + "m" + s.String() + "\x1b[0m"
}

// sprint is fmt.Sprintf with every argument made visible, whatever its type and verb.
func sprint(color bool, format string, arguments []any) string {
	safe := make([]any, len(arguments))
	for i, value := range arguments {
		safe[i] = argument{value, color}
	}
	return fmt.Sprintf(format, safe...)
}

// argument stands for a value in a format, so that the words of a source are escaped and those of the format are not.
type argument struct {
	value any
	color bool
}

// Format prints the value with the same verb and flags and then makes it visible.
func (a argument) Format(state fmt.State, verb rune) {
	if styled, ok := a.value.(Styled); ok {
		_, _ = io.WriteString(state, styled.render(a.color))
		return
	}
	_, _ = io.WriteString(state, OneLine(fmt.Sprintf(fmt.FormatString(state, verb), a.value)))
}
