package expand

import (
	"regexp"
	"strconv"
	"strings"
)

// Values are what tokens stand for; "" is no value, and neither are arguments of
// nothing but blanks.
type Values struct {
	Arguments string // as the person typed them
	SkillDir  string // absolute
	SessionID string
}

// token has the forms that are replaced, and a backslash in front that makes one text.
// A letter, digit or _ behind a name or a number makes it another variable.
var token = regexp.MustCompile(`\\?\$(?:ARGUMENTS\[[0-9]+\]|(?:ARGUMENTS|SKILL_DIR|SESSION_ID|[0-9]+)\b|\{CLAUDE_(?:SKILL_DIR|SESSION_ID)\})`)

// known gives the values without arguments that are none.
func (v Values) known() Values {
	if strings.TrimSpace(v.Arguments) == "" {
		v.Arguments = ""
	}
	return v
}

// takesArguments tells whether a token stands for arguments.
func takesArguments(token string) bool {
	name := token[1:]
	return strings.HasPrefix(name, "ARGUMENTS") || name[0] >= '0' && name[0] <= '9'
}

// of gives the value of a token, or the token where it has none.
func (v Values) of(token string, words []string) string {
	value := ""
	switch name := token[1:]; {
	case name == "ARGUMENTS":
		value = v.Arguments
	case strings.HasSuffix(name, "SKILL_DIR}"), name == "SKILL_DIR":
		value = v.SkillDir
	case strings.HasSuffix(name, "SESSION_ID}"), name == "SESSION_ID":
		value = v.SessionID
	default:
		number := strings.TrimSuffix(strings.TrimPrefix(name, "ARGUMENTS["), "]")
		if i, err := strconv.Atoi(number); err == nil && i < len(words) {
			return words[i]
		}
	}
	if value == "" {
		return token
	}
	return value
}

// Environment gives the values as variables, each as NAME=value under its own name and
// that of Claude Code, for the shell that runs spans: there "$ARGUMENTS" is data, and
// never code. What has no value is left out.
func (v Values) Environment() []string {
	v = v.known()
	var variables []string
	for _, pair := range [][2]string{
		{"ARGUMENTS", v.Arguments}, {"SKILL_DIR", v.SkillDir}, {"SESSION_ID", v.SessionID},
		{"CLAUDE_SKILL_DIR", v.SkillDir}, {"CLAUDE_SESSION_ID", v.SessionID},
	} {
		if pair[1] != "" {
			variables = append(variables, pair[0]+"="+pair[1])
		}
	}
	return variables
}
