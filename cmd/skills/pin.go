package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
)

// pinCommand describes pin.
func pinCommand() *cli.Command {
	return &cli.Command{
		Name: "pin", Usage: "hold a skill at its commit or at REF", ArgsUsage: "NAME [REF]",
		Flags:  []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "why, for those who read skills.toml: `TEXT`"}},
		Action: pin,
	}
}

// unpinCommand describes unpin.
func unpinCommand() *cli.Command {
	return &cli.Command{Name: "unpin", Usage: "let a pinned skill follow again what it followed before", ArgsUsage: "NAME", Action: unpin}
}

// pin holds a skill.
func pin(c *cli.Context) error {
	if c.NArg() < 1 || c.NArg() > 2 {
		return ui.UsageError("pin needs the name of a skill and may have a ref")
	}
	return changeHold(c, func(ctx context.Context, engine *install.Engine) (*install.Plan, error) {
		return engine.PlanPin(ctx, c.Args().Get(0), c.Args().Get(1), c.String("reason"))
	})
}

// unpin lets a skill go on.
func unpin(c *cli.Context) error {
	if c.NArg() != 1 {
		return ui.UsageError("unpin needs the name of one skill")
	}
	return changeHold(c, func(_ context.Context, engine *install.Engine) (*install.Plan, error) {
		return engine.PlanUnpin(c.Args().First())
	})
}

// changeHold changes what a skill follows.
func changeHold(c *cli.Context, plan func(context.Context, *install.Engine) (*install.Plan, error)) error {
	s := sessionOf(c)
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	return s.change(c, engine, func(ctx context.Context) (*install.Plan, error) { return plan(ctx, engine) })
}
