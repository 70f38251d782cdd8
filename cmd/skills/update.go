package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
)

// updateCommand describes update.
func updateCommand() *cli.Command {
	return &cli.Command{
		Name: "update", Aliases: []string{"up"}, Usage: "move skills to the newest revision that skills.toml allows", ArgsUsage: "[NAME...]",
		Description: "Shows what changes in each skill. Skills that were edited here are left alone and reported, unless a flag says what to do.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "latest", Usage: "beyond the range in skills.toml, which is rewritten"},
			&cli.BoolFlag{Name: "merge", Usage: "bring local edits and the update together"},
			&cli.BoolFlag{Name: "keep", Usage: "leave edited skills as they are"},
			&cli.BoolFlag{Name: "force", Usage: "replace edited skills; the edited ones are kept in " + install.BackupDir},
		},
		Action: update,
	}
}

// update moves pins and files.
func update(c *cli.Context) error {
	s := sessionOf(c)
	request := install.UpdateRequest{
		Names: c.Args().Slice(), Latest: c.Bool("latest"), Merge: c.Bool("merge"), Keep: c.Bool("keep"), Force: c.Bool("force"),
	}
	if request.Merge && request.Keep || request.Merge && request.Force || request.Keep && request.Force {
		return ui.UsageError("--merge, --keep and --force contradict each other")
	}
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	return s.change(c, engine, func(ctx context.Context) (*install.Plan, error) { return engine.PlanUpdate(ctx, request) })
}

// reportChanges prints what an update changes in a skill.
func (s *session) reportChanges(step install.Step) {
	c := step.Changes
	if c == nil {
		return
	}
	for _, list := range []struct {
		sign  string
		paths []string
	}{{"+", c.Added}, {"-", c.Removed}, {"~", c.Modified}} {
		for _, path := range list.paths {
			s.terminal.Changed("    %s %s", list.sign, path)
		}
	}
	for _, path := range c.Executables {
		s.terminal.Warn("%s: %s is a new executable", step.Name, path)
	}
	if len(c.Tools) > 0 {
		s.terminal.Warn("%s: allows more tools: %s", step.Name, strings.Join(c.Tools, ", "))
	}
	for _, hook := range c.Hooks {
		s.terminal.Warn("%s: a new hook on %s runs %s", step.Name, hook.Event, hook.Command)
	}
	for _, path := range step.Conflicts {
		s.terminal.Warn("%s: conflict in %s", step.Name, path)
	}
}

// outdatedCommand describes outdated.
func outdatedCommand() *cli.Command {
	return &cli.Command{
		Name: "outdated", Aliases: []string{"check"}, Usage: "show what is newer than what is installed; changes nothing", ArgsUsage: "[NAME...]",
		Description: "Exit status 3 when anything is behind.", Action: outdated,
	}
}

type outdatedDocument struct {
	Name    string         `json:"name"`
	Ref     *string        `json:"ref"`
	Current *string        `json:"current"`
	Wanted  *string        `json:"wanted"`
	Latest  *string        `json:"latest"`
	Behind  bool           `json:"behind"`
	Pinned  bool           `json:"pinned"`
	Reason  *string        `json:"reason"`
	Error   *errorDocument `json:"error"`
}

type outdatedDocuments struct {
	Skills []outdatedDocument `json:"skills"`
}

// outdated compares with the sources.
func outdated(c *cli.Context) error {
	s := sessionOf(c)
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	rows, err := engine.Outdated(c.Context, c.Args().Slice()...)
	if err != nil {
		return err
	}
	documents := outdatedDocuments{Skills: []outdatedDocument{}}
	for _, row := range rows {
		documents.Skills = append(documents.Skills, outdatedDocument{
			Name: row.Name, Ref: orNull(row.Ref), Current: orNull(row.Current), Wanted: orNull(row.Wanted), Latest: orNull(row.Latest),
			Behind: row.Behind, Pinned: row.Pinned, Reason: orNull(row.Reason), Error: errorOf(row.Err),
		})
	}
	s.printOutdated(rows)
	if err := s.terminal.Document(documents); err != nil {
		return err
	}
	return outdatedExit(rows)
}

// outdatedExit is 1 when a source could not be asked, 3 when something is behind.
func outdatedExit(rows []install.Outdated) error {
	var result error
	for _, row := range rows {
		if row.Err != nil {
			return fmt.Errorf("%q: %w", row.Name, row.Err)
		}
		if row.Behind {
			result = ui.Different
		}
	}
	return result
}

// printOutdated prints the rows that say something.
func (s *session) printOutdated(rows []install.Outdated) {
	var table [][]string
	for _, row := range rows {
		note := ""
		switch {
		case row.Err != nil:
			note = "unknown"
		case row.Pinned:
			note = "pinned"
			if row.Reason != "" {
				note += ": " + row.Reason
			}
		case row.Behind:
			note = "behind"
		}
		if note != "" || row.Latest != row.Current {
			table = append(table, []string{row.Name, row.Ref, row.Current, row.Wanted, row.Latest, note})
		}
	}
	if len(table) == 0 {
		s.terminal.Step("everything is up to date: %d", len(rows))
		return
	}
	s.terminal.Table([]string{"NAME", "REF", "CURRENT", "WANTED", "LATEST", "NOTE"}, table)
}
