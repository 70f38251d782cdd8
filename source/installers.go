package source

import (
	"regexp"
	"slices"
	"strings"
)

// tool is what must be known of the flags of another program to read its command lines.
type tool struct {
	valued []string // are followed by a value
	plain  []string // have none, and mean something else than ours of that name
	refs   []string // name a ref
}

// words separates what the words of a command line name from its flags. Of these, ours are kept and those for a ref become --ref.
func (t tool) words(words []string) (named, flags []string) {
	for i := 0; i < len(words); i++ {
		flag, value, joined := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			named = append(named, words[i])
			continue
		}
		known, valued := addFlag(flag)
		ours := known && !slices.Contains(t.plain, flag)
		if !joined && (slices.Contains(t.valued, flag) || ours && valued) && i+1 < len(words) {
			i++
			value, joined = words[i], true
		}
		switch {
		case slices.Contains(t.refs, flag) && value != "":
			flags = append(flags, "--ref", value)
		case ours && joined:
			flags = append(flags, flag, value)
		case ours:
			flags = append(flags, flag)
		}
	}
	return named, flags
}

// addFlag tells whether "skills add" has a flag, and whether a value follows it. A test of that command keeps both true.
func addFlag(flag string) (known, valued bool) {
	switch flag {
	case "-s", "--skill", "-a", "--agent", "--ref", "--path", "--as", "--plugin", "--engine":
		return true, true
	case "--all", "--list", "-y", "--yes", "-g", "--global", "--copy", "--link", "--force", "--no-save", "--full-depth", "--remote-plugins", "--json", "--dry-run":
		return true, false
	}
	return false, false
}

// fromClone writes the words of "git clone [flags] REPOSITORY [DIRECTORY]" as ours: the repository, the branch, and our own flags
// that somebody put behind them.
func fromClone(words []string) []string {
	git := tool{
		valued: []string{"-b", "--branch", "-o", "--origin", "--depth", "-c", "--config", "-j", "--jobs", "--filter", "--reference", "--reference-if-able",
			"--separate-git-dir", "-u", "--upload-pack", "--template", "--shallow-since", "--shallow-exclude", "--bundle-uri", "--server-option"},
		plain: []string{"-s"},
		refs:  []string{"-b", "--branch"},
	}
	named, flags := git.words(words)
	return append(slices.Clip(named[:min(1, len(named))]), flags...)
}

// fromPackageManager writes the words of "npm install [flags] PACKAGE..." and its like as ours. What is no name of a package is an
// address or a path, which these programs take as well.
func fromPackageManager(words []string) []string {
	npm := tool{
		valued: []string{"--registry", "--prefix", "-w", "--workspace", "--tag", "--omit", "--include", "-C", "--cwd", "--dir", "-F", "--filter"},
		plain:  []string{"-s", "-a"},
	}
	named, flags := npm.words(words)
	args := []string{}
	for _, name := range named {
		if _, archive := archiveName(name); npmPattern.MatchString(name) && !archive {
			name = "npm:" + name
		}
		args = append(args, name)
	}
	return append(args, flags...)
}

// installs tells whether the words begin with a program that installs packages, and its command for that.
func installs(words []string) bool {
	switch words[0] {
	case "npm", "pnpm", "bun":
		return slices.Contains([]string{"install", "i", "add"}, words[1])
	case "yarn":
		return words[1] == "add"
	}
	return false
}

// fromOthers reads the command lines of further installers, without the program that runs them. A line that names no source is given
// as one word, which the reader of command lines takes for an error that says what to do instead.
func fromOthers(words []string) (args []string, ok bool) {
	if len(words) > 1 && words[1] == "plugin" && slices.Contains([]string{"claude", "codex", "copilot", "droid"}, words[0]) {
		words = append([]string{"/plugin"}, words[2:]...)
	}
	for _, line := range []string{"/plugin marketplace add", "apm install", "gemini extensions install", "openskills install", "playbooks add skill"} {
		head := strings.Fields(line)
		if len(words) < len(head) || packageName(words[0]) != head[0] || !slices.Equal(words[1:len(head)], head[1:]) {
			continue
		}
		named, flags := tool{valued: []string{"--scope", "-t", "--target", "--only", "--exclude", "--runtime"}}.words(words[len(head):])
		return slices.Concat([]string{}, named, flags), true
	}
	if instead(words) == "" {
		return nil, false
	}
	return []string{strings.Join(words, " ")}, true
}

// pluginPattern is the name of a plugin and that of its marketplace.
var pluginPattern = regexp.MustCompile(`^([a-z0-9]+(?:-[a-z0-9]+)*)@[a-z0-9]+(-[a-z0-9]+)*$`)

// instead says what does here what a command line of another installer does that names no source; "" for other words.
func instead(words []string) string {
	if len(words) < 2 {
		return ""
	}
	switch packageName(words[0]) {
	case "/plugin":
		name := "NAME"
		if m := pluginPattern.FindStringSubmatch(last(words)); m != nil {
			name = m[1]
		}
		return "add the repository of the marketplace, and choose there: OWNER/REPO --plugin " + name
	case "apm":
		return "for what apm recorded run: skills import"
	case "openskills", "playbooks":
		return "name the source alone, for instance owner/repo"
	case "skills":
		return insteadOf(words[1])
	}
	return ""
}

// insteadOf says which of our commands does what one of the npm tool of our name does.
func insteadOf(verb string) string {
	switch verb {
	case "find", "f", "search", "s":
		return "nothing is searched here; what a repository has is listed by: skills show OWNER/REPO"
	case "check":
		return "run: skills outdated"
	case "update", "upgrade":
		return "run: skills update"
	case "list", "ls":
		return "run: skills list"
	case "remove", "rm", "r", "uninstall":
		return "run: skills remove NAME"
	case "experimental_install":
		return "run: skills install"
	case "init":
		return "run: skills init NAME"
	}
	return "see the commands with: skills help"
}
