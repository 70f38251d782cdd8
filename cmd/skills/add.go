package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/cmd/internal/ui"
	"skills/install"
	"skills/source"
)

// addCommand describes add.
func addCommand() *cli.Command {
	return &cli.Command{
		Name: "add", Aliases: []string{"i", "a"}, Usage: "install skills from any link", ArgsUsage: "SOURCE...",
		Description: addDescription,
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "skill", Aliases: []string{"s"}, Usage: "only `NAME`: a name, a path in the source or a glob (repeatable)"},
			&cli.BoolFlag{Name: "all", Usage: "all skills of the source; one whose place something else has is skipped"},
			&cli.BoolFlag{Name: "list", Aliases: []string{"l"}, Usage: "show the skills of the source, install nothing"},
			&cli.StringFlag{Name: "ref", Usage: "branch, tag, commit or semver range `REF`"},
			&cli.StringFlag{Name: "path", Usage: "look below `DIR` of the source"},
			&cli.StringFlag{Name: "as", Usage: "install under another `NAME`"},
			&cli.StringSliceFlag{Name: "agent", Aliases: []string{"a"}, Usage: "for the agent `ID` (repeatable, '*' for all known)"},
			&cli.BoolFlag{Name: "copy", Usage: "copy into the agents' directories"},
			&cli.BoolFlag{Name: "link", Usage: "link from the agents' directories"},
			&cli.BoolFlag{Name: "force", Usage: "replace what is in the way; it is kept in " + install.BackupDir},
			&cli.BoolFlag{Name: "no-save", Usage: "leave skills.toml as it is"},
			&cli.BoolFlag{Name: "full-depth", Usage: "look everywhere, hidden directories and skills in skills too"},
			&cli.StringFlag{Name: "engine", Value: engineNative, Usage: "`WHO` installs: native (this program), skills (the npm tool of that name) or auto"},
		}, pluginFlags()...),
		Action: add,
	}
}

const addDescription = `SOURCE is what you have: the address of any page of a repository, owner/repo, owner/repo/path, owner/repo@v1,
git@host:owner/repo.git, https://host/x/SKILL.md, a site with an index of skills, an archive, npm:package@version, a directory,
builtin:skills-cli.

Where the source has a marketplace of plugins, --plugin chooses by these. Plugins that it lists from other repositories or npm are
fetched only with --remote-plugins; they are recorded, and updated, as what they are.

Without -a the agents of skills.toml are served, else those found on this machine. Skills go to .agents/skills.

With --engine skills the npm tool is run as: skills add SOURCE --skill NAME -y. It wants one source and skills by name, says what it
does on standard error, and keeps a record of its own, which skills import adopts. With --engine auto it is run where a skill is named
and it is on PATH; where not, this program installs and says why.`

// add installs.
func add(c *cli.Context) error {
	s := sessionOf(c)
	locators, err := s.locators(c)
	if err != nil {
		return err
	}
	if c.Bool("list") {
		return s.showSources(c, locators)
	}
	request, err := addRequest(c, locators)
	if err != nil {
		return err
	}
	if done, err := s.delegate(c, request); done || err != nil {
		return err
	}
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	request.Ask = s.ask()
	err = s.change(c, engine, func(ctx context.Context) (*install.Plan, error) { return engine.PlanAdd(ctx, request) })
	var question *install.ChooseError
	if errors.As(err, &question) {
		s.byPlugin(describeCandidates(question.Source.Listing.Visible()))
	}
	return s.nearby(err, c.Args().Slice()...)
}

// locators parses the sources of a command line and applies --ref and --path.
func (s *session) locators(c *cli.Context) ([]source.Locator, error) {
	if !c.Args().Present() {
		return nil, ui.UsageError("%s needs a source, such as owner/repo or the address of a page", c.Command.Name)
	}
	var all []source.Locator
	for _, text := range c.Args().Slice() {
		l, err := s.locator(text)
		if err != nil {
			return nil, usageOf(s.nearby(err, text))
		}
		if ref := c.String("ref"); ref != "" {
			if l, err = l.WithRef(ref); err != nil {
				return nil, usageOf(err)
			}
		}
		if dir := strings.Trim(c.String("path"), "/"); dir != "" {
			if err := catalog.CheckPath(dir); err != nil {
				return nil, usageOf(err)
			}
			if l.Kind == source.Site || l.Kind == source.File || l.Kind == source.Archive {
				return nil, ui.UsageError("--path is for repositories, packages and directories; of %s choose with --skill", l.Input)
			}
			l.Path = strings.TrimPrefix(l.Path+"/"+dir, "/")
		}
		all = append(all, l)
	}
	return all, nil
}

// usageOf makes an error one of the command line, unless it is a refusal.
func usageOf(err error) error {
	if has := (*source.Error)(nil); errors.As(err, &has) && has.ExitStatus() != int(ui.Failed) {
		return err
	}
	return &usage{err}
}

// usage is an error with exit status 2.
type usage struct{ error }

// Unwrap gives the error itself.
func (u *usage) Unwrap() error { return u.error }

// ExitStatus gives 2.
func (u *usage) ExitStatus() int { return int(ui.Usage) }

// addRequest reads the flags.
func addRequest(c *cli.Context, locators []source.Locator) (install.AddRequest, error) {
	request := install.AddRequest{
		All: c.Bool("all"), Full: c.Bool("full-depth"), As: c.String("as"), Force: c.Bool("force"), NoSave: c.Bool("no-save"),
	}
	skills := c.StringSlice("skill")
	if c.IsSet("as") && request.As == "" {
		return request, ui.UsageError("--as needs a name")
	}
	if request.All && len(skills) > 0 {
		return request, ui.UsageError("--all and --skill contradict each other")
	}
	var err error
	if request.Mode, err = modeOf(c); err != nil {
		return request, err
	}
	if c.IsSet("agent") {
		request.Agents = c.StringSlice("agent")
	}
	for _, l := range locators {
		request.Sources = append(request.Sources, sourceRequest(c, l))
	}
	return request, nil
}

// ask lets a person choose among candidates; nil where nobody can be asked.
func (s *session) ask() func(context.Context, *install.Source) ([]catalog.Candidate, error) {
	if !s.terminal.Interactive() {
		return nil
	}
	return func(ctx context.Context, from *install.Source) ([]catalog.Candidate, error) {
		var usable []catalog.Candidate
		var options []ui.Option
		for _, candidate := range from.Listing.Visible() {
			if candidate.Usable {
				usable = append(usable, candidate)
				options = append(options, ui.Option{Label: candidate.Name, Note: candidate.Description})
			}
		}
		chosen, err := s.terminal.Choose(ctx, fmt.Sprintf("Which skills of %s?", from.Locator.Input), "--skill NAME or --all", options)
		if err != nil {
			return nil, err
		}
		var candidates []catalog.Candidate
		for _, i := range chosen {
			candidates = append(candidates, usable[i])
		}
		return candidates, nil
	}
}

// change makes a plan, applies it unless it is a dry run, and reports it.
func (s *session) change(c *cli.Context, engine *install.Engine, plan func(context.Context) (*install.Plan, error)) error {
	dry := c.Bool("dry-run")
	do := engine.Do
	if dry {
		do = func(ctx context.Context, plan func(context.Context) (*install.Plan, error)) (*install.Plan, error) {
			return plan(ctx)
		}
	}
	p, err := do(c.Context, plan)
	if err != nil {
		return err
	}
	return s.report(p, dry)
}

// report tells what a plan did, or would do.
func (s *session) report(plan *install.Plan, dry bool) error {
	s.progress.Done()
	s.reportPlan(plan, dry)
	if err := s.terminal.Document(planDocument(plan)); err != nil {
		return err
	}
	return planError(plan)
}
