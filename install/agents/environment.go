package agents

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// Environment is all that the package learns about a machine. Each field may be left empty: then nothing is known, set or there.
type Environment struct {
	// Home is the user's home directory, absolute, as the operating system writes it.
	Home string
	// Project is the project root, absolute, as the operating system writes it.
	Project string
	// Getenv returns the value of a variable, "" when it is not set.
	Getenv func(name string) string
	// Exists tells whether a file or directory is there, links followed. The path is as the operating system writes it.
	Exists func(path string) bool
	// ReadFile returns the content of a file. It is asked for a project's package.json only, and has to bound the size.
	ReadFile func(path string) ([]byte, error)
}

// SkillsDir returns the directory that agents share in the scope, or a [LocationError] when the home or project is not known.
func (e Environment) SkillsDir(scope Scope) (string, error) {
	if scope == UserScope {
		return e.expand("~/" + SkillsDir)
	}
	return e.expand("./" + SkillsDir)
}

// expand resolves "~/x", "./x" and absolute names.
func (e Environment) expand(text string) (string, error) {
	anchor, rest, _ := strings.Cut(filepath.ToSlash(text), "/")
	root, missing := "", LocationError{Location: text}
	switch anchor {
	case "~":
		root = e.Home
		missing.Reason, missing.Hint = "the home directory is not known", "set HOME"
	case ".":
		root = e.Project
		missing.Reason, missing.Hint = "the project directory is not known", "name the project with -C"
	default:
		if filepath.IsAbs(filepath.FromSlash(text)) {
			return filepath.Clean(filepath.FromSlash(text)), nil
		}
		missing.Reason, missing.Hint = "it is no absolute directory on this machine", `write an absolute directory, or one that starts with "~/"`
	}
	if root == "" {
		return "", &missing
	}
	return filepath.Join(root, filepath.FromSlash(rest)), nil
}

// variable returns the value of a variable without blanks around it; "" for no name.
func (e Environment) variable(name string) string {
	if name == "" || e.Getenv == nil {
		return ""
	}
	return strings.TrimSpace(e.Getenv(name))
}

// exists tells whether something is at the path.
func (e Environment) exists(path string) bool {
	return e.Exists != nil && e.Exists(path)
}

// dependsOn tells whether the project's package.json lists an npm package in dependencies or devDependencies. A file that cannot be
// read or understood lists nothing: detection has no errors.
func (e Environment) dependsOn(name string) bool {
	path, err := e.expand("./package.json")
	if err != nil || e.ReadFile == nil {
		return false
	}
	data, err := e.ReadFile(path)
	if err != nil {
		return false
	}
	var manifest struct {
		Dependencies    map[string]json.RawMessage `json:"dependencies"`
		DevDependencies map[string]json.RawMessage `json:"devDependencies"`
	}
	if json.Unmarshal(data, &manifest) != nil {
		return false
	}
	return manifest.Dependencies[name] != nil || manifest.DevDependencies[name] != nil
}
