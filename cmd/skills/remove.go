package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
)

// removeCommand describes remove.
func removeCommand() *cli.Command {
	return &cli.Command{
		Name: "remove", Aliases: []string{"rm"}, Usage: "remove skills, their links and records", ArgsUsage: "NAME...",
		Description: "NAME is an installed skill, or a source such as owner/repo: then everything that came from it is removed.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "agent", Aliases: []string{"a"}, Usage: "only from the agent `ID` (repeatable, '*' for all known)"},
			&cli.BoolFlag{Name: "force", Usage: "also what was edited or not installed by this program; it is kept in " + install.BackupDir},
		},
		Action: remove,
	}
}

// remove removes.
func remove(c *cli.Context) error {
	s := sessionOf(c)
	if !c.Args().Present() {
		return ui.UsageError("remove needs the name of an installed skill, or a source")
	}
	request := install.RemoveRequest{Force: c.Bool("force")}
	if c.IsSet("agent") {
		request.Agents = c.StringSlice("agent")
	}
	if slices.Contains(request.Agents, "*") {
		request.Agents = nil // all of them: the skill itself
	}
	for _, name := range c.Args().Slice() {
		if !strings.ContainsAny(name, "/:@#") {
			request.Names = append(request.Names, name)
			continue
		}
		l, err := s.locator(name)
		if err != nil {
			return usageOf(err)
		}
		request.Sources = append(request.Sources, l)
	}
	engine, err := s.engine(false)
	if err != nil {
		return err
	}
	return s.change(c, engine, func(ctx context.Context) (*install.Plan, error) { return engine.PlanRemove(ctx, request) })
}
