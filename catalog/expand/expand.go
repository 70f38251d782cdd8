package expand

import (
	"context"
	"fmt"
	"strings"
)

// maxText bounds the result of an expansion, in bytes: a short text of many tokens
// could ask for any size.
const maxText = 16 << 20

// Expand gives the text with values in place of tokens. With a shell that has a Run,
// spans are run in their order and replaced; with nil they stay, which is how a host
// goes on that has not been told by a person to run what skills say.
//
// A span that fails becomes a sentence with the command and the reason, and the others
// go on. The error is the cause of a cancelled ctx, or an *Error "too_large": for more
// spans than the shell's limit before any runs, and for a result of more than 16 MiB.
func (t *Template) Expand(ctx context.Context, values Values, shell *Shell) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if shell != nil && shell.Run != nil && len(t.spans) > shell.limits().Spans {
		return "", tooLarge("the text has %d shell spans, at most %d are run", len(t.spans), shell.limits().Spans)
	}
	values = values.known()
	var text strings.Builder
	words := strings.Fields(values.Arguments)
	for _, p := range t.pieces {
		part, err := t.part(ctx, p, values, words, shell)
		if err != nil {
			return "", err
		}
		if text.Len()+len(part) > maxText {
			return "", tooLarge("the text grows beyond %d bytes", maxText)
		}
		text.WriteString(part)
	}
	if values.Arguments == "" || t.takes {
		return text.String(), nil
	}
	return appended(text.String(), values.Arguments)
}

// part gives what stands in place of a piece.
func (t *Template) part(ctx context.Context, p piece, values Values, words []string, shell *Shell) (string, error) {
	switch {
	case p.token:
		return values.of(p.text, words), nil
	case p.span != nil && shell != nil && shell.Run != nil:
		return shell.replace(ctx, *p.span)
	}
	return p.text, nil
}

// appended adds the arguments that no token takes.
func appended(text, arguments string) (string, error) {
	if len(text)+len(arguments) > maxText {
		return "", tooLarge("the text grows beyond %d bytes", maxText)
	}
	if text = strings.TrimRight(text, "\r\n"); text != "" {
		text += "\n\n"
	}
	return text + "ARGUMENTS: " + arguments, nil
}

// Error says why a text is not expanded, or why a span was stopped. Kind is "too_large",
// or "timeout" for a span.
type Error struct{ Kind, Message string }

// Error gives the message.
func (e *Error) Error() string { return e.Message }

// Code gives the kind.
func (e *Error) Code() string { return e.Kind }

// Hints says what to do.
func (e *Error) Hints() []string {
	return []string{"look at the shell spans and tokens of the skill; it may not be meant to be used like this"}
}

func tooLarge(format string, arguments ...any) *Error {
	return &Error{"too_large", fmt.Sprintf(format, arguments...)}
}
