package builtin

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// These tests check the skills against the Agent Skills specification without any code of the program: what they accept must be valid
// for every reader.

// forEach runs a test for each skill.
func forEach(t *testing.T, test func(t *testing.T, name string)) {
	t.Helper()
	entries, err := fs.ReadDir(FS(), ".")
	if err != nil || len(entries) == 0 {
		t.Fatalf("no skills: %v", err)
	}
	for _, entry := range entries {
		t.Run(entry.Name(), func(t *testing.T) { test(t, entry.Name()) })
	}
}

// read returns a file.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files returns the files of a skill, relative to it.
func files(t *testing.T, skill string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(FS(), skill, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(name, skill+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// split parts a SKILL.md into front matter and body.
func split(t *testing.T, text string) (front, body string) {
	t.Helper()
	rest, opened := strings.CutPrefix(text, "---\n")
	front, body, closed := strings.Cut(rest, "\n---\n")
	if !opened || !closed {
		t.Fatal("front matter does not stand between lines of three hyphens")
	}
	return front, body
}

func TestFrontMatterIsValid(t *testing.T) {
	forEach(t, func(t *testing.T, skill string) {
		front, _ := split(t, read(t, skill+"/SKILL.md"))
		var fields map[string]string
		if err := yaml.Unmarshal([]byte(front), &fields); err != nil {
			t.Fatalf("front matter is no mapping of texts: %v", err)
		}
		for key := range fields {
			if !slices.Contains([]string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}, key) {
				t.Errorf("field %q is not in the specification", key)
			}
		}
		name := fields["name"]
		if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) || len(name) > 64 {
			t.Errorf("name %q is not of lower-case letters, digits and single hyphens, 1 to 64", name)
		}
		if name != skill {
			t.Errorf("name %q is not the directory %q", name, skill)
		}
		if n := utf8.RuneCountInString(fields["description"]); n < 1 || n > 1024 {
			t.Errorf("description has %d characters, want 1 to 1024", n)
		}
		if !strings.Contains(fields["description"], "Use when") {
			t.Error("description does not say when to use the skill")
		}
		if strings.ContainsAny(fields["description"], "<>") {
			t.Error("description holds angle brackets, which some readers take for markup")
		}
		if n := utf8.RuneCountInString(fields["compatibility"]); n > 500 {
			t.Errorf("compatibility has %d characters, want at most 500", n)
		}
	})
}

func TestInstructionsAreShort(t *testing.T) {
	forEach(t, func(t *testing.T, skill string) {
		_, body := split(t, read(t, skill+"/SKILL.md"))
		if strings.TrimSpace(body) == "" {
			t.Error("there are no instructions")
		}
		if n := strings.Count(body, "\n"); n >= 500 {
			t.Errorf("instructions have %d lines, want less than 500", n)
		}
		if n := len(body) / 4; n >= 5000 { // about four bytes a token in English
			t.Errorf("instructions have about %d tokens, want less than 5000", n)
		}
	})
}

func TestFilesArePlainText(t *testing.T) {
	forEach(t, func(t *testing.T, skill string) {
		for _, name := range files(t, skill) {
			text := read(t, skill+"/"+name)
			if !utf8.ValidString(text) || strings.HasPrefix(text, "\ufeff") {
				t.Errorf("%s is not UTF-8 without a mark", name)
			}
			for i, line := range strings.Split(text, "\n") {
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s:%d ends in blanks", name, i+1)
				}
				if j := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); j >= 0 {
					t.Errorf("%s:%d holds a character that is not printed, at byte %d", name, i+1, j)
				}
			}
			if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
				t.Errorf("%s does not end with one newline", name)
			}
			if strings.Count(text, "\n```")%2 != 0 {
				t.Errorf("%s has an open code block", name)
			}
		}
	})
}

// links returns the targets of the Markdown links in a text.
func links(text string) []string {
	var targets []string
	for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
		targets = append(targets, m[1])
	}
	return targets
}

func TestLinksLeadToFilesOneLevelDeepAndNoFileIsDead(t *testing.T) {
	forEach(t, func(t *testing.T, skill string) {
		all := files(t, skill)
		reached := []string{"SKILL.md"}
		for _, name := range all {
			for _, target := range links(read(t, skill+"/"+name)) {
				if strings.Contains(target, "://") {
					continue
				}
				to := path.Join(path.Dir(name), target)
				if !slices.Contains(all, to) {
					t.Errorf("%s links to %s, which is not there", name, target)
				}
				if strings.Count(to, "/") > 1 || strings.HasPrefix(to, "..") {
					t.Errorf("%s links to %s, which is more than one level deep", name, target)
				}
				if name == "SKILL.md" {
					reached = append(reached, to)
				}
			}
		}
		for _, name := range all {
			if !slices.Contains(reached, name) {
				t.Errorf("SKILL.md does not lead to %s", name)
			}
		}
	})
}

func TestTablesHaveEvenRows(t *testing.T) {
	forEach(t, func(t *testing.T, skill string) {
		for _, name := range files(t, skill) {
			width := 0
			for i, line := range strings.Split(read(t, skill+"/"+name), "\n") {
				cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
				if !strings.HasPrefix(line, "|") {
					width = 0
				} else if width == 0 {
					width = cells
				} else if cells != width {
					t.Errorf("%s:%d has %d bars, the first row %d", name, i+1, cells, width)
				}
			}
		}
	})
}

// taught returns the command lines that a text shows, in code spans and behind a prompt in code blocks.
func taught(text string) [][]string {
	var lines [][]string
	for _, m := range regexp.MustCompile("(?m)`(skills [^`\n]+)`|^\\$ (skills .+)$").FindAllStringSubmatch(text, -1) {
		line, _, _ := strings.Cut(m[1]+m[2], ";")
		line, _, _ = strings.Cut(line, " | ")
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// TestCommandsThatAreTaughtExist keeps the skill to what this version of the program can do.
func TestCommandsThatAreTaughtExist(t *testing.T) {
	common := []string{"--json", "--dry-run", "-g", "-C", "-v", "--version"}
	commands := map[string][]string{
		"add":      {"-s", "--skill", "--all", "-l", "--list", "--ref", "--path", "--as", "-a", "--agent", "--copy", "--link", "--force", "--no-save", "--full-depth", "--plugin", "--remote-plugins"},
		"install":  {"--frozen", "--offline", "--check", "--prune", "--relock", "--force", "-f", "--file", "-a", "--copy", "--link"},
		"update":   {"--latest", "--merge", "--keep", "--force"},
		"outdated": {},
		"diff":     {"--upstream"},
		"pin":      {"--reason"},
		"unpin":    {},
		"import":   {},
		"list":     {"-a", "--all-scopes"},
		"remove":   {"-a", "--force"},
		"verify":   {},
		"show":     {"--ref", "--path", "--full-depth"},
		"resolve":  {"--online"},
		"agents":   {},
		"catalog":  {"--root", "--format", "-a"},
		"read":     {"--root", "-a"},
		"init":     {"--description", "--manifest"},
		"validate": {"--profile", "--strict", "--fix"},
		"export":   {},
		"help":     {},
	}
	var text bytes.Buffer
	for _, name := range files(t, "skills-cli") {
		fmt.Fprintln(&text, read(t, "skills-cli/"+name))
	}
	lines := taught(text.String())
	if len(lines) < 20 {
		t.Fatalf("only %d command lines were found", len(lines))
	}
	for _, line := range lines {
		flags, known := commands[line[1]]
		if !known {
			t.Errorf("%q teaches a command that this version does not have", line)
		}
		for _, word := range line[2:] {
			if strings.HasPrefix(word, "-") && !slices.Contains(flags, word) && !slices.Contains(common, word) {
				t.Errorf("%q teaches the flag %s that %s does not have", line, word, line[1])
			}
		}
	}
	for command := range commands {
		if !slices.ContainsFunc(lines, func(line []string) bool { return line[1] == command }) {
			t.Errorf("command %q is not taught", command)
		}
	}
}

func Example() {
	data, err := fs.ReadFile(FS(), "skills-cli/SKILL.md")
	line, _, _ := bytes.Cut(data[4:], []byte("\n"))
	fmt.Println(string(line), err)
	// Output: name: skills-cli <nil>
}
