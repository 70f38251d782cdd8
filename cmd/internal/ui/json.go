package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// Document prints the result as JSON when --json was given, and nothing otherwise. The value must become a JSON object; its keys are the
// caller's, snake_case, without "version", which is put first. A second document, or a value that is no object, is an error of the
// program. Characters that [Visible] would show as an escape are written as \uXXXX, which is the same text for every reader of JSON.
func (t *Terminal) Document(value any) error {
	if !t.config.JSON {
		return nil
	}
	text, err := encode(value)
	if err != nil {
		return err
	}
	t.mutex.Lock()
	again := t.document
	t.document = true
	t.mutex.Unlock()
	if again {
		return errors.New("a second JSON document was about to be printed")
	}
	t.write(text)
	return nil
}

// encode returns the document, indented, with a final newline.
func encode(value any) (string, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false) // "<" in a description is no danger on a terminal
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("the result is no JSON: %w", err)
	}
	rest, ok := strings.CutPrefix(buffer.String(), "{")
	if !ok {
		return "", fmt.Errorf("the result is no JSON object but %T", value)
	}
	head := "{\n  \"version\": 1"
	if strings.HasPrefix(rest, "}") {
		return head + "\n" + rest, nil
	}
	return head + "," + escapeJSON(rest), nil
}

// escapeJSON writes characters that a terminal obeys or hides as \uXXXX (RFC 8259, section 7; a surrogate pair beyond U+FFFF). All of
// them stand inside strings, since JSON is ASCII elsewhere.
func escapeJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x7f || shows(-1, r, -1):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
