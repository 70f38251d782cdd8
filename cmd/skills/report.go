package main

import (
	"errors"
	"fmt"
	"strings"

	"skills/catalog"
	"skills/cmd/internal/ui"
	"skills/install"
)

// reportPlan prints what was done, or would be.
func (s *session) reportPlan(plan *install.Plan, dry bool) {
	if len(plan.Steps) == 0 {
		s.terminal.Step("there is nothing to do: no skill is recorded here")
	}
	still, tell := 0, s.tellChange(dry)
	for _, step := range plan.Steps {
		if step.Action == install.Failed {
			continue // told as an error, after all that went well
		}
		if step.Action == install.Unchanged && len(plan.Steps) > 1 && step.Reason == "" {
			still++
			continue
		}
		from := origin(step)
		if from == "" {
			from = "from the manifest"
		}
		tell("%s %s %s", coloured(step.Action, dry), ui.Bold(step.Name), ui.Faint(from))
		for _, line := range placesOf(step) {
			tell("  %s", line)
		}
		s.reportChanges(step)
		if step.Reason != "" {
			s.terminal.Warn("%s: %s", step.Name, reasonOf(step))
		}
		for _, path := range step.Backups {
			if dry {
				s.terminal.Warn("%s: what is in %s would be kept in %s", step.Name, path, install.BackupDir)
			}
		}
		s.reportFindings(step)
	}
	if still > 0 {
		s.terminal.Step("unchanged: %d of %d", still, len(plan.Steps))
	}
	if dry {
		s.terminal.Step("this was a dry run: nothing was changed")
	}
}

// tellChange tells what changes: with -q only what a dry run was asked for.
func (s *session) tellChange(dry bool) func(format string, arguments ...any) {
	if dry {
		return s.terminal.Result
	}
	return s.terminal.Changed
}

// coloured is the word for an action.
func coloured(action install.Action, dry bool) ui.Styled {
	word := string(action)
	if dry {
		word = map[install.Action]string{
			install.Added: "would add", install.Updated: "would update", install.Removed: "would remove",
		}[action]
		if word == "" {
			word = string(action)
		}
	}
	switch action {
	case install.Added, install.Updated, install.Removed:
		return ui.Green(word)
	case install.Skipped:
		return ui.Yellow(word)
	}
	return ui.Faint(word)
}

// origin says where a skill came from.
func origin(step install.Step) string {
	text := strings.TrimPrefix(step.Source, "https://")
	if step.From != "" {
		text += " " + step.From
	}
	if step.Ref != "" {
		text += " " + step.Ref
	}
	if step.Commit != "" {
		text += " @ " + step.Commit[:min(12, len(step.Commit))]
	}
	return text
}

// placesOf lists where a skill is, each directory with its agents.
func placesOf(step install.Step) []string {
	lines := []string{step.Path}
	var paths []string
	agents := map[string][]string{}
	for _, target := range step.Targets {
		key := target.Path + " (" + string(target.Mode) + ")"
		if target.Mode == install.ModeDirect {
			key = ""
		}
		if agents[key] == nil {
			paths = append(paths, key)
		}
		agents[key] = append(agents[key], target.Agent)
	}
	for _, key := range paths {
		line := strings.Join(agents[key], ", ")
		if key == "" {
			lines[0] += " for " + line
		} else {
			lines = append(lines, key+" for "+line)
		}
	}
	return lines
}

// reportFindings prints what a person should know of a skill before an agent reads it.
func (s *session) reportFindings(step install.Step) {
	if step.Skill != nil && step.Changes == nil {
		for _, hook := range step.Skill.Hooks {
			s.terminal.Warn("%s: a hook on %s runs %s", step.Name, hook.Event, hook.Command)
		}
	}
	for _, finding := range step.Findings {
		if finding.Severity == catalog.SeverityInfo {
			s.terminal.Detail("%s: %s", step.Name, findingText(finding))
			continue
		}
		s.terminal.Warn("%s: %s", step.Name, findingText(finding))
	}
}

// findingText is a finding in one line.
func findingText(f catalog.Finding) string {
	switch {
	case f.File == "":
		return f.Message
	case f.Line == 0:
		return fmt.Sprintf("%s: %s", f.File, f.Message)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
}

// planError is the error of a plan of which a part failed, after the rest was reported.
func planError(plan *install.Plan) error {
	var all []error
	for _, step := range plan.Steps {
		if step.Err != nil {
			all = append(all, step.Err)
		}
	}
	if len(all) == 0 {
		return exitOf(plan)
	}
	return errors.Join(all...)
}

// exitOf is the exit status of a plan: that of its errors, 1 for skipped skills.
func exitOf(plan *install.Plan) error {
	for _, step := range plan.Steps {
		var status interface{ ExitStatus() int }
		if errors.As(step.Err, &status) && status.ExitStatus() != int(ui.Failed) {
			return ui.Exit(status.ExitStatus())
		}
	}
	if plan.Failed() {
		return ui.Failed
	}
	return nil
}
