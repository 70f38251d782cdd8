package agents

import (
	"fmt"
	"strings"
)

// UnknownError tells that no agent has the id.
type UnknownError struct {
	// ID is what was asked for.
	ID string
	// Near holds at most three ids that may have been meant, the nearest first.
	Near []string
}

// Error names the id.
func (e *UnknownError) Error() string { return fmt.Sprintf("agent %q is unknown", e.ID) }

// ExitStatus returns 2: it is a word of the command line that is wrong.
func (e *UnknownError) ExitStatus() int { return 2 }

// Code returns "unknown_agent".
func (e *UnknownError) Code() string { return "unknown_agent" }

// Hints offers the near ids and the list of all.
func (e *UnknownError) Hints() []string {
	const all = "`skills agents` lists the known ones"
	if len(e.Near) == 0 {
		return []string{all}
	}
	return []string{"did you mean " + strings.Join(e.Near, ", ") + "?", all}
}

// ProjectOnlyError tells that an agent knows skills of projects only, so that nothing can be installed for it in user scope.
type ProjectOnlyError struct {
	// ID is the agent's.
	ID string
}

// Error names the agent.
func (e *ProjectOnlyError) Error() string {
	return fmt.Sprintf("agent %q reads skills of projects only and has no directory for a user's", e.ID)
}

// Code returns "project_only_agent".
func (e *ProjectOnlyError) Code() string { return "project_only_agent" }

// Hints says how to install for the agent.
func (e *ProjectOnlyError) Hints() []string {
	return []string{"leave out --global to install into the project"}
}

// LocationError tells that a directory of an agent cannot be placed in this environment.
type LocationError struct {
	// Location is the directory as the table or a variable has it.
	Location string
	// Reason says what is missing, without a full stop.
	Reason string
	// Hint says what to do about it.
	Hint string
}

// Error names the directory and the reason.
func (e *LocationError) Error() string {
	return fmt.Sprintf("directory %q cannot be found: %s", e.Location, e.Reason)
}

// Code returns "no_directory".
func (e *LocationError) Code() string { return "no_directory" }

// Hints returns the hint.
func (e *LocationError) Hints() []string { return []string{e.Hint} }

// OverrideError tells what is wrong with a user's file of agents. Nothing of such a file is used.
type OverrideError struct {
	// File is the name that was handed in.
	File string
	// Line counts from 1.
	Line int
	// Reason says what is wrong, without a full stop.
	Reason string
}

// Error names file, line and reason.
func (e *OverrideError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// Code returns "invalid_agents_file".
func (e *OverrideError) Code() string { return "invalid_agents_file" }

// Hints says what a right entry looks like.
func (e *OverrideError) Hints() []string {
	return []string{"an entry is [agent.ID] with name, project_dir, user_dirs = [\"~/…\"] and detect = [\"~/…\"]"}
}
