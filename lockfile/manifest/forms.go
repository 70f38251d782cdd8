package manifest

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"skills/lockfile/internal/document"
)

// Limits of the forms that are not edited, far above what people write: the YAML reader needs a hundred times the bytes of its text.
const (
	maxBytes   = 2 << 20
	maxEntries = 10_000
)

var (
	tomlLine = regexp.MustCompile(`^(?:\[|[A-Za-z0-9_."'-]+[ \t]*=)`)
	yamlLine = regexp.MustCompile(`^(?:[{%]|(?:---|["']?[A-Za-z]+["']?:)(?:\s|$))`)
)

// ParseAny reads a manifest of any form. The extension of file decides, ".toml", ".yaml" or ".yml"; without one of these the first line
// that says something does: "[table]" or "key =" is TOML, "---", "key:", "{" or "%" is YAML, else the text is a list.
func ParseAny(data []byte, file string) (*Manifest, error) {
	switch strings.ToLower(path.Ext(file)) {
	case ".toml":
		return Parse(data, file)
	case ".yaml", ".yml":
		return ParsePlugins(data, file)
	}
	switch line := firstLine(string(data)); {
	case tomlLine.MatchString(line):
		return Parse(data, file)
	case yamlLine.MatchString(line):
		return ParsePlugins(data, file)
	}
	return ParseList(data, file)
}

// firstLine gives the first line that is neither blank nor a comment.
func firstLine(text string) string {
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// plainText gives the text of a file without its byte order mark. What is no text, too long or left unmerged is an error.
func plainText(data []byte, file string) (string, *Error) {
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if len(data) > maxBytes {
		return "", &Error{Kind: "manifest_damaged", File: file, Line: 1,
			Message: fmt.Sprintf("%d bytes are more than the %d that are read", len(data), maxBytes)}
	}
	number := 0
	for line := range strings.Lines(text) {
		if number++; !utf8.ValidString(line) {
			return "", &Error{Kind: "manifest_damaged", File: file, Line: number, Message: "not UTF-8"}
		}
	}
	return text, nil
}

// lineOf gives the line of an offset, counted from 1.
func lineOf(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

var marker = regexp.MustCompile(`(?m)^(?:<{7}|={7}|>{7}|\|{7})(?:[ \t\r].*)?$`)

// conflict gives the error for merge conflict markers; nil when there are none.
func conflict(text, file string) *Error {
	if !strings.Contains(text, "<<<<<<<") {
		return nil
	}
	var lines []int
	for _, at := range marker.FindAllStringIndex(text, -1) {
		lines = append(lines, lineOf(text, at[0]))
	}
	if lines == nil {
		return nil
	}
	return syntaxError(file, &document.SyntaxError{Line: lines[0], Markers: lines})
}
