package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
	"skills/lockfile/manifest"
)

// installCommand describes install.
func installCommand() *cli.Command {
	return &cli.Command{
		Name: "install", Usage: "make the project match skills.toml and skills.lock",
		Description: `What is locked is installed at the commit of the lock, byte for byte; what the lock lacks is resolved and locked. Links and copies for
the agents of this machine are made, so a fresh clone works. A second run does nothing and asks nobody.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "frozen", Usage: "the lock is the law: any disagreement is exit 4 and nothing changes"},
			&cli.BoolFlag{Name: "check", Usage: "only report; exit 3 when something is to do"},
			&cli.StringFlag{Name: "file", Aliases: []string{"f"}, Usage: "another manifest `FILE`: TOML, SkillPlugin documents, or one source a line; - is standard input"},
			&cli.BoolFlag{Name: "relock", Usage: "make a skills.lock that is damaged or in conflict anew; it is kept in " + install.BackupDir},
			&cli.BoolFlag{Name: "prune", Usage: "remove installed skills that the manifest does not name any more"},
			&cli.StringSliceFlag{Name: "agent", Aliases: []string{"a"}, Usage: "for the agent `ID` (repeatable)"},
			&cli.BoolFlag{Name: "copy", Usage: "copy into the agents' directories"},
			&cli.BoolFlag{Name: "link", Usage: "link from the agents' directories"},
			&cli.BoolFlag{Name: "force", Usage: "replace what is in the way or was edited; it is kept in " + install.BackupDir},
		},
		Action: installAll,
	}
}

// installAll makes disk and lock match the manifest.
func installAll(c *cli.Context) error {
	s := sessionOf(c)
	if c.Args().Present() {
		return ui.UsageError("install takes no arguments, got %q; to add a skill write: skills add %s", c.Args().First(), c.Args().First())
	}
	mode, err := modeOf(c)
	if err != nil {
		return err
	}
	request := install.InstallRequest{
		Frozen: c.Bool("frozen"), Prune: c.Bool("prune"), Mode: mode, Force: c.Bool("force"), Relock: c.Bool("relock"),
	}
	if request.Frozen && request.Relock {
		return ui.UsageError("--frozen and --relock contradict each other")
	}
	if c.IsSet("agent") {
		request.Agents = c.StringSlice("agent")
	}
	if request.Manifest, err = s.manifest(c.Context, c.String("file")); err != nil {
		return err
	}
	request.Refresh = request.Manifest != nil && request.Manifest.Plugins && !request.Frozen && !s.offline
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	plan := func(ctx context.Context) (*install.Plan, error) { return engine.PlanInstall(ctx, request) }
	if c.Bool("check") {
		return s.check(c.Context, plan)
	}
	return s.change(c, engine, plan)
}

// manifest reads another manifest; nil for none.
func (s *session) manifest(ctx context.Context, name string) (*manifest.Manifest, error) {
	if name == "" {
		return nil, nil
	}
	data, err := s.readInput(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := manifest.ParseAny(data, name)
	if err != nil {
		return nil, err
	}
	for _, warning := range m.Warnings {
		s.terminal.Warn("%v", warning)
	}
	return m, nil
}

// check reports a plan without applying it.
func (s *session) check(ctx context.Context, plan func(context.Context) (*install.Plan, error)) error {
	p, err := plan(ctx)
	if err != nil {
		return err
	}
	if err := s.report(p, true); err != nil {
		return err
	}
	if !p.Idle() {
		return ui.Different
	}
	return nil
}

// modeOf reads --copy and --link.
func modeOf(c *cli.Context) (install.Mode, error) {
	switch {
	case c.Bool("copy") && c.Bool("link"):
		return "", ui.UsageError("--copy and --link contradict each other")
	case c.Bool("copy"):
		return install.ModeCopy, nil
	case c.Bool("link"):
		return install.ModeLink, nil
	}
	return "", nil
}
