package source

import (
	"regexp"
	"slices"
	"strings"
)

// Command reads a pasted command line of an installer and gives the words behind the command, in the form that "skills add"
// takes: "npx skills add o/r --skill a b -y" gives o/r --skill a --skill b -y, "gh skill install o/r pdf@v1" gives
// o/r --skill pdf --ref v1, "git clone -b v1 https://h/o/r" gives https://h/o/r --ref v1, "npm install @s/p" gives npm:@s/p, "/plugin marketplace add o/r"
// gives o/r. A line of an installer that names no source, such as "npx skills update", is given as one word, of which [Parse] says
// what to do instead. It is false for any other text. Quotes are read as shells do; nothing is expanded.
func Command(text string) (args []string, ok bool) {
	words, ok := words(unwrap(text))
	if ok && len(words) > 0 && words[0] == "$" {
		words = words[1:]
	}
	if !ok || len(words) < 2 {
		return nil, false
	}
	switch gh := words[0] == "gh" && len(words) > 2; {
	case gh && words[1] == "skill" && isAdd(words[2]):
		return fromGh(words[3:]), true
	case gh && words[1] == "repo" && words[2] == "clone":
		return fromClone(words[3:]), true
	case words[0] == "git" && words[1] == "clone":
		return fromClone(words[2:]), true
	case installs(words):
		return fromPackageManager(words[2:]), true
	}
	words = behindRunner(words)
	switch {
	case len(words) > 1 && packageName(words[0]) == "skills" && isAdd(words[1]):
		return repeatFlags(words[2:]), true
	case len(words) > 0 && packageName(words[0]) == "add-skill":
		return repeatFlags(words[1:]), true
	}
	return fromOthers(words)
}

// isAdd tells whether a word is a name of the command that adds.
func isAdd(word string) bool { return slices.Contains([]string{"add", "a", "install", "i"}, word) }

// packageName cuts the version off a package.
func packageName(word string) string {
	name, _, _ := strings.Cut(word, "@")
	return name
}

// behindRunner drops the program that runs a package, and its flags.
func behindRunner(words []string) []string {
	switch words[0] {
	case "npx", "bunx", "pnpx":
		words = words[1:]
	case "pnpm", "yarn", "bun", "npm":
		if !slices.Contains([]string{"dlx", "x", "exec"}, words[1]) {
			return nil
		}
		words = words[2:]
	default:
		return words
	}
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		n := 1
		if words[0] == "-p" || words[0] == "--package" {
			n = min(2, len(words))
		}
		words = words[n:]
	}
	return words
}

// takesValue tells whether a flag of ours, or of gh, is followed by its value.
func takesValue(flag string) bool {
	_, valued := addFlag(flag)
	return valued || flag == "--pin" || flag == "--scope"
}

// repeatFlags writes several values behind one flag as several flags. A word is a value when the source stands before it.
func repeatFlags(words []string) []string {
	var args []string
	flag, filled, source := "", false, false
	for _, word := range words {
		switch {
		case strings.HasPrefix(word, "-"):
			flag, filled = "", false
			if takesValue(word) {
				flag = word
				continue
			}
			args = append(args, word)
		case flag != "" && (!filled || source && flag != "--ref" && flag != "--path" && flag != "--as"):
			args = append(args, flag, word)
			filled = true
		default:
			args = append(args, word)
			source, flag = true, ""
		}
	}
	return args
}

// fromGh writes the words of "gh skill install REPOSITORY [SKILL[@VERSION]]" as ours.
func fromGh(words []string) []string {
	var args []string
	positional := 0
	for i := 0; i < len(words); i++ {
		flag, value, joined := strings.Cut(words[i], "=")
		if !strings.HasPrefix(words[i], "-") {
			positional++
			args = append(args, ghPositional(positional, words[i])...)
			continue
		}
		if takesValue(flag) && !joined && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case flag == "--pin":
			args = append(args, "--ref", value)
		case flag == "--scope" && value == "user":
			args = append(args, "--global")
		case flag == "--scope":
		case takesValue(flag):
			args = append(args, flag, value)
		default:
			args = append(args, words[i])
		}
	}
	return args
}

// ghPositional gives the source, or the flags that stand for a skill and its version.
func ghPositional(position int, word string) []string {
	if position != 2 {
		return []string{word}
	}
	skill, version, found := strings.Cut(word, "@")
	if !found {
		return []string{"--skill", skill}
	}
	return []string{"--skill", skill, "--ref", version}
}

// pasted reads the first source of a command line, with the skill and the ref that its flags name. What else the line says is
// for the command.
func (r reader) pasted(args []string) (Locator, error) {
	var text, skill, ref string
	for i := 0; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		if !strings.HasPrefix(flag, "-") {
			if text == "" {
				text = args[i]
			}
			continue
		}
		if !joined && takesValue(flag) && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch {
		case (flag == "--skill" || flag == "-s") && skill == "":
			skill = value
		case flag == "--ref" && ref == "":
			ref = value
		}
	}
	r.text = unwrap(text)
	if r.text == "" {
		return Locator{}, r.fail("invalid-source", "is missing from the command", "name a source, for instance owner/repo")
	}
	if words := strings.Fields(r.text); instead(words) != "" {
		hint := instead(words)
		r.text = strings.Join(words[:2], " ") // what follows may hold anything
		return Locator{}, r.fail("invalid-source", "is a command that names no source", hint)
	}
	l, err := r.read()
	if err != nil {
		return l, err
	}
	return r.selected(l, skill, ref)
}

// selected applies the flags of a command line.
func (r reader) selected(l Locator, skill, ref string) (Locator, error) {
	if skill != "" && l.Skill != "" && l.Skill != skill {
		return l, r.fail("invalid-source", "names a skill beside that of --skill", "leave out one of them")
	}
	if skill != "" {
		l.Skill, l.SkillOrRef = skill, false
	}
	if ref == "" {
		return l, nil
	}
	l, err := r.finish(l)
	if err != nil {
		return l, err
	}
	return l.WithRef(ref)
}

// words splits a line as shells do: at blanks, with quotes; a backslash keeps a blank, a quote or itself. It is false when a
// quote is not closed.
func words(line string) ([]string, bool) {
	var all []string
	var word strings.Builder
	var quote byte
	inside := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line) && strings.IndexByte(` '"\`, line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
			inside = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inside = c, true
		case quote == 0 && c == ' ':
			if inside {
				all = append(all, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteByte(c)
			inside = true
		}
	}
	if inside {
		all = append(all, word.String())
	}
	return all, quote == 0
}

var plainWordPattern = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,#^~*=-]+$`)

// quote writes a word so that [words] reads it back.
func quote(word string) string {
	if plainWordPattern.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
