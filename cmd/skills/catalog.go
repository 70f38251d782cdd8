package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/catalog/registry"
	"skills/cmd/internal/ui"
	"skills/install/agents"
	"skills/lockfile"
)

// catalogCommand describes catalog.
func catalogCommand() *cli.Command {
	return &cli.Command{
		Name: "catalog", Usage: "print the skills that an agent finds here, for its instructions",
		Description: "Looks into the user's and the project's skills, those of the agents that are detected included; the project's win. " +
			"Skills that are not for models are left out of the text, not of --json.",
		Flags: append(rootFlags(),
			&cli.StringFlag{Name: "format", Value: "markdown", Usage: "`FORMAT` of the text: markdown or xml"},
			&cli.StringFlag{Name: "heading", Usage: "first line of the Markdown, `TEXT` in place of \"# Available skills\""},
		),
		Action: printCatalog,
	}
}

// rootFlags say where skills are looked for.
func rootFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "root", Usage: "look into `DIR` alone, whose directories are skills (repeatable; the last wins)"},
		&cli.StringSliceFlag{Name: "agent", Aliases: []string{"a"}, Usage: "look where the agent `ID` does (repeatable)"},
	}
}

type catalogDocument struct {
	Name           string            `json:"name"`
	Description    string            `json:"description"`
	Location       string            `json:"location"`
	Scope          string            `json:"scope"`
	Source         *string           `json:"source"`
	AllowedTools   []string          `json:"allowed_tools"`
	UserInvocable  bool              `json:"user_invocable"`
	ModelInvocable bool              `json:"model_invocable"`
	Shadowed       []string          `json:"shadowed"`
	Findings       []findingDocument `json:"findings"`
}

// printCatalog prints the catalog of the roots.
func printCatalog(c *cli.Context) error {
	s := sessionOf(c)
	if c.Args().Present() {
		return ui.UsageError("catalog takes no arguments, got %q", c.Args().First())
	}
	r, err := s.registry(c, s.warnOf)
	if err != nil {
		return err
	}
	list := r.List()
	switch format := c.String("format"); format {
	case "markdown":
		s.terminal.Block(registry.Markdown(list, c.String("heading")))
	case "xml":
		s.terminal.Block(registry.XML(list))
	default:
		return ui.UsageError("format %q is not known; it is markdown or xml", format)
	}
	if len(list) == 0 {
		s.terminal.Step("there is no skill in %s", rootNames(r.Config().Roots))
	}
	documents := []catalogDocument{}
	for _, info := range list {
		documents = append(documents, s.describeInfo(info))
	}
	return s.terminal.Document(map[string]any{"skills": documents})
}

func rootNames(roots []registry.Root) string {
	var names []string
	for _, root := range roots {
		names = append(names, root.Path)
	}
	return strings.Join(names, ", ")
}

// describeInfo writes a skill of the registry.
func (s *session) describeInfo(info registry.Info) catalogDocument {
	d := catalogDocument{
		Name: info.Name, Description: info.Description, Location: s.shown(info.Path), Scope: info.Scope, Source: orNull(info.Source),
		AllowedTools: info.AllowedTools, UserInvocable: info.UserInvocable, ModelInvocable: !info.Disabled, Shadowed: []string{},
		Findings: findingDocuments(s.shownFindings(info.Findings)),
	}
	for _, hidden := range info.Shadowed {
		d.Shadowed = append(d.Shadowed, s.shown(hidden.Loser))
	}
	return d
}

// shownFindings gives findings with paths as documents have them.
func (s *session) shownFindings(findings []catalog.Finding) []catalog.Finding {
	findings = slices.Clone(findings)
	for n := range findings {
		findings[n].File = s.shown(findings[n].File)
	}
	return findings
}

// shown is a path as documents have it: below the root of the project relative to that, with slashes.
func (s *session) shown(path string) string {
	relative, err := filepath.Rel(s.env.project, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(relative)
}

// What a registry of this program reads: all that an install takes, so that what is installed is found.
const (
	maxCatalogued = 10_000  // skills of one root, and directories that may be some
	maxManifest   = 8 << 20 // bytes of a SKILL.md, and of its front matter
)

// registry finds the skills that the flags mean, and tells what is left out. That a skill which this program installed under another
// name is not named as its directory is nothing to tell.
func (s *session) registry(c *cli.Context, tell func(catalog.Finding)) (*registry.Registry, error) {
	roots, err := s.roots(c.StringSlice("root"), c.StringSlice("agent"))
	if err != nil {
		return nil, err
	}
	ours := s.recorded()
	return disk.New(c.Context, disk.Options{
		Home: s.env.home, WorkingDir: s.env.dir, Roots: roots, Rules: catalog.Rules{Profile: catalog.ProfileInstall},
		Limits: registry.Limits{Entries: maxCatalogued, Skills: maxCatalogued, Merged: maxCatalogued, Manifest: maxManifest, Front: maxManifest},
		Warn: func(f catalog.Finding) {
			if f.Code != "name_mismatch" || !ours[filepath.Base(filepath.Dir(f.File))] {
				tell(f)
			}
		},
	})
}

// warnOf tells a finding about a skill that lies here.
func (s *session) warnOf(f catalog.Finding) {
	f.File = s.shown(f.File)
	s.terminal.Warn("%s", findingText(f))
}

// recorded are the names of directories that the locks of both scopes have. A lock that cannot be read is for other commands to tell.
func (s *session) recorded() map[string]bool {
	ours := map[string]bool{}
	for _, scope := range []agents.Scope{agents.UserScope, agents.ProjectScope} {
		file := filepath.Join(s.recordDir(scope), "skills.lock")
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if lock, err := lockfile.Parse(data, file); err == nil {
			for _, skill := range lock.Skills() {
				ours[skill.Name] = true
			}
		}
	}
	return ours
}

// roots are the directories to look into, in rising precedence: the user's, then the project's, the shared one last in each.
func (s *session) roots(dirs, ids []string) ([]disk.RootInput, error) {
	if len(dirs) > 0 && len(ids) > 0 {
		return nil, ui.UsageError("--root and --agent exclude each other")
	}
	var roots []disk.RootInput
	for _, dir := range dirs {
		dir = s.env.absolute(dir)
		if info, err := os.Stat(dir); err != nil {
			return nil, err
		} else if !info.IsDir() {
			return nil, ui.UsageError("root %q is no directory", dir)
		}
		roots = append(roots, disk.RootInput{Path: dir, Scope: "directory"})
	}
	if len(dirs) > 0 {
		return roots, nil
	}
	return s.agentRoots(ids)
}

// agentRoots are the directories that agents read: of those that are named, else of those that are detected, and the shared ones.
func (s *session) agentRoots(ids []string) ([]disk.RootInput, error) {
	table, err := s.agents()
	if err != nil {
		return nil, err
	}
	env := s.env.agents()
	chosen := table.Detected(env)
	for n, id := range ids {
		agent, err := table.Lookup(id)
		if err != nil {
			return nil, usageOf(err)
		}
		chosen = append(chosen[:n:n], agent)
	}
	var roots []disk.RootInput
	for _, scope := range []agents.Scope{agents.UserScope, agents.ProjectScope}[:2-int(s.scope)] {
		for _, agent := range chosen {
			if dir, err := agent.Path(scope, env); err == nil { // some agents know one scope only
				roots = append(roots, disk.RootInput{Path: dir, Scope: scope.String(), Source: agent.ID})
			}
		}
		if shared, err := env.SkillsDir(scope); err == nil && len(ids) == 0 {
			roots = append(roots, disk.RootInput{Path: shared, Scope: scope.String()})
		}
	}
	return roots, nil
}
