package resource

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/catalog"
	"skills/source/names"
)

const (
	maxPath = 512      // characters of a clean path below a skill
	maxRaw  = 16 << 10 // bytes of a path as it is written
)

const betterPath = "write the path below the skill's directory with slashes, such as references/guide.md"

// Clean gives the one form of a path below a skill, as keys of bundles and names that a model uses are written: blanks around it gone,
// no ".", ".." or empty part. The skill's directory itself is no such path.
//
// The error is a *catalog.Error with the path as it was written in Rel: "path_escape" for one that leaves the directory, "too_long"
// beyond 512 characters, else "invalid_input": empty, absolute, a URL or anything with a colon, a backslash or a control character,
// bytes that are not UTF-8, and a part that some file system takes for .git.
func Clean(rel string) (string, error) { return cleaned(rel, strings.TrimSpace(rel), false) }

// cleaned is Clean for text that stands for the path rel; root admits the directory itself, as ".".
func cleaned(rel, text string, root bool) (string, error) {
	if len(text) > maxRaw {
		return "", tooLong(rel)
	}
	if why := fault(text); why != "" {
		return "", invalid(rel, "%q %s", rel, why)
	}
	name := path.Clean(text)
	switch {
	case name == ".." || strings.HasPrefix(name, "../"):
		return "", escape(rel, "%q leaves the directory of the skill", rel)
	case name == "." && !root:
		return "", invalid(rel, "%q is the directory of the skill", rel)
	case utf8.RuneCountInString(name) > maxPath:
		return "", tooLong(rel)
	}
	return name, nil
}

// fault says what keeps a text from being a path below anything, on any system.
func fault(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "is empty"
	case !utf8.ValidString(text):
		return "is not UTF-8"
	case strings.ContainsFunc(text, unicode.IsControl):
		return "holds a control character"
	case strings.Contains(text, `\`):
		return "holds a backslash"
	case strings.HasPrefix(text, "/"):
		return "is absolute"
	case strings.Contains(text, ":"):
		return "holds a colon"
	}
	for part := range strings.SplitSeq(text, "/") {
		if names.IsGit(part) {
			return "is part of a git directory"
		}
	}
	return ""
}

func failure(kind, rel, hint, format string, args ...any) *catalog.Error {
	return &catalog.Error{Kind: kind, At: rel, Rel: rel, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func invalid(rel, format string, args ...any) error {
	return failure("invalid_input", rel, betterPath, format, args...)
}

func escape(rel, format string, args ...any) error {
	return failure("path_escape", rel, betterPath, format, args...)
}

func tooLong(rel string) error {
	return failure("too_long", rel, "use shorter names", "a path below a skill has more than %d characters: %.40q…", maxPath, rel)
}
