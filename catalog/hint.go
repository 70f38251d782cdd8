package catalog

import (
	"fmt"
	"strings"
)

// mostNames bounds how many names a sentence holds: more are not read.
const mostNames = 3

// meant asks for one of a few names.
func meant(names []string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	last := len(quoted) - 1
	if last == 0 {
		return "did you mean " + quoted[0] + "?"
	}
	return "did you mean " + strings.Join(quoted[:last], ", ") + " or " + quoted[last] + "?"
}

// Hints for what only the author can change.
const (
	fileItself = "ask the author to put the file itself in its place"
	betterName = "ask the author for a name of a to z, 0 to 9 and single hyphens"
)

// usualHint says what helps against an error whatever it is about.
func usualHint(e *Error) string {
	switch e.Kind {
	case "invalid_skill":
		return writeHint(e)
	case "unsafe_name":
		return "use letters, digits and single hyphens"
	case "path_escape":
		return "name a directory of the repository"
	case "too_large":
		return "ask the author to leave out what no agent reads"
	case "no_skills":
		return "name a repository or a directory that holds a SKILL.md"
	case "invalid_input":
		return "name a file by its path below the skill, with /"
	case "duplicate_skill":
		return "give each skill a name of its own"
	case "not_a_file":
		return "name a regular file"
	case "io_error":
		return "see whether the file can be read"
	}
	return "see the skills of the source with --list, without the path"
}

// writeHint says what to write in a SKILL.md.
func writeHint(e *Error) string {
	switch {
	case e.Reason == "fence_unclosed":
		return "close the frontmatter with a line that is exactly ---"
	case e.finding == "duplicate_key":
		return "keep one of them"
	case e.Reason == "yaml":
		return "write plain keys with plain values"
	case e.Reason == "not_a_mapping":
		return "write keys with values, name: and description: first"
	case e.Reason == "template":
		return "make a skill of the template: put values in place of the placeholders"
	case e.Reason == "missing_field" && e.At == "description":
		return "write a line \"description: …\" that says what the skill does and when to use it"
	case e.Reason == "missing_field":
		return "write a line \"name: …\", with a to z, 0 to 9 and single hyphens"
	case e.finding == "unknown_key":
		return "leave the key out, or put it below metadata"
	case e.Reason == "invalid_field":
		return "write " + e.At + " as " + wanted(e.At)
	case e.Reason == "name_format":
		return betterName
	case e.Reason == "too_long" && (e.At == "name" || e.At == "description"):
		return "shorten the " + e.At
	case e.Reason == "too_long":
		return "move what is not needed at first into files beside it"
	case e.Reason == "not_text":
		return "save it as UTF-8"
	}
	return "begin the file with a line ---, then name: and description:, then a line ---"
}

// otherProfile names the profiles.
func otherProfile() string {
	return fmt.Sprintf("use %s, %s, %s, %s, %s or %s", ProfileInstall, ProfileSpec, ProfileSkillKit, ProfileClarvis, ProfileSmarter, ProfileZidane)
}

// wanted says what a field has to be.
func wanted(field string) string {
	switch field {
	case "allowed-tools", "tools", "required_scope":
		return "a list of texts"
	case "metadata":
		return "keys with texts"
	case "user-invocable":
		return "true or false"
	case "compatibility":
		return fmt.Sprintf("one text of at most %d characters", softCompatible)
	}
	return "one text"
}
