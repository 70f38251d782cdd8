// Package agents knows where each coding agent reads Agent Skills and what shows that an agent is there.
//
// The facts are data: agents.toml, embedded, one table an agent. A user's file in the same form adds agents or replaces fields of
// known ones ([Table.Override]). Rules kept here:
//
//   - The package looks at nothing by itself. Home, project, variables and files come in as an [Environment].
//   - A variable by which an agent is relocated counts when it holds more than blanks; "~" in it is the home directory; a
//     relative directory in it is an error, for it would be another place in every working directory.
//   - Names in the data have "/"; resolved directories are written as the operating system writes them.
//   - A table never changes. What it returns are copies.
//
// An install that names no agents asks for the targets of its scope:
//
//	table := agents.Default()
//	for _, agent := range table.Targets(agents.ProjectScope, env) {
//		dir, err := agent.Path(agents.ProjectScope, env)
//		…
//	}
package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// SkillsDir is the directory that agents share, relative to the project root or to the home directory, with "/".
const SkillsDir = ".agents/skills"

// Scope says whose skills are meant. The zero value is the project's.
type Scope int

const (
	// ProjectScope is one project: directories below its root.
	ProjectScope Scope = iota
	// UserScope is everything that one user does: directories below the home or where a variable puts them.
	UserScope
)

// String returns "project" or "user", the words of the JSON documents.
func (s Scope) String() string {
	if s == UserScope {
		return "user"
	}
	return "project"
}

// Agent is one row of the table. It is a value: a changed copy changes nothing else.
type Agent struct {
	// ID is what users write: lower-case letters, digits and single hyphens.
	ID string
	// Name is for people.
	Name string
	// ProjectDir is the directory of a project's skills, relative to the project root, with "/".
	ProjectDir string
	// UserDir is the directory of a user's skills when no variable relocates it, such as "~/.claude/skills"; "" when the
	// agent knows skills of projects only. Use [Agent.Path] for the directory on this machine.
	UserDir string
	// SubagentDir is where each subagent reads skills of its own, relative to the project root, with "*" for the subagent's
	// name; "" for agents without such directories.
	SubagentDir string
	// ReadsAgentsDir tells that ProjectDir is [SkillsDir].
	ReadsAgentsDir bool
	// ReadsUserAgentsDir tells that UserDir is [SkillsDir] in the home directory.
	ReadsUserAgentsDir bool
	// CopyOnly tells that the agent does not follow links.
	CopyOnly bool
	// Hidden tells that the agent is left out where agents are offered for choice, unless it is detected.
	Hidden bool

	facts facts
}

// newAgent spells out the facts about an agent.
func newAgent(id string, f facts) Agent {
	agent := Agent{
		ID:             id,
		Name:           f.Name,
		ProjectDir:     f.ProjectDir.path,
		SubagentDir:    f.SubagentDir.path,
		ReadsAgentsDir: f.ProjectDir.path == SkillsDir,
		CopyOnly:       f.CopyOnly,
		Hidden:         f.Hidden,
		facts:          f,
	}
	if len(f.UserDirs) > 0 {
		agent.UserDir = f.UserDirs[0].String()
	}
	agent.ReadsUserAgentsDir = agent.UserDir == "~/"+SkillsDir
	return agent
}

// Path returns the directory from which the agent reads skills of the scope, absolute when the directories of the environment are.
// The user's directory follows the agent's variables and, where an agent had several homes, the first that exists. The error
// is a [ProjectOnlyError] or a [LocationError].
func (a Agent) Path(scope Scope, env Environment) (string, error) {
	if scope == ProjectScope {
		return env.expand("./" + a.ProjectDir)
	}
	if len(a.facts.UserDirs) == 0 {
		return "", &ProjectOnlyError{ID: a.ID}
	}
	return firstHome(a.facts.UserDirs, env)
}

// firstHome returns the first place whose parent exists, else the first that can be resolved.
func firstHome(places []location, env Environment) (string, error) {
	var first string
	var problem error
	for _, place := range places {
		dir, err := place.resolve(env)
		switch {
		case err != nil && problem == nil:
			problem = err
		case err == nil && env.exists(filepath.Dir(dir)):
			return dir, nil
		case err == nil && first == "":
			first = dir
		}
	}
	if first != "" {
		return first, nil
	}
	return "", problem
}

// NeedsLink tells whether a skill in the shared directory of the scope has to be linked, or copied for agents that are CopyOnly,
// into a directory of the agent's own. It compares resolved directories, since a variable may put the agent's directory
// right on the shared one. Errors are those of [Agent.Path].
func (a Agent) NeedsLink(scope Scope, env Environment) (bool, error) {
	own, err := a.Path(scope, env)
	if err != nil {
		return false, err
	}
	shared, err := env.SkillsDir(scope)
	return own != shared, err
}

// detected tells whether files show that the agent is there.
func (a Agent) detected(env Environment) bool {
	if a.facts.Package != "" && !env.dependsOn(a.facts.Package) {
		return false
	}
	return slices.ContainsFunc(a.facts.Detect, func(l location) bool { return l.exists(env) })
}

// isTarget tells whether a detected agent gets skills of the scope without being named. In a project that takes a dot directory, or
// that the project itself shows the agent: plain directories such as "skills" and "data" are where authors keep what they write.
// A bare "skills" in the root is never taken by default.
func (a Agent) isTarget(scope Scope, env Environment) bool {
	if scope == UserScope {
		return len(a.facts.UserDirs) > 0
	}
	shown := func(l location) bool { return l.inProject() && l.exists(env) }
	return strings.HasPrefix(a.ProjectDir, ".") || a.ProjectDir != "skills" && slices.ContainsFunc(a.facts.Detect, shown)
}
