package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/disk"
	"skills/cmd/internal/ui"
	"skills/install/agents"
)

// initCommand describes init.
func initCommand() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "write a valid SKILL.md to begin with, or a manifest", ArgsUsage: "[NAME]",
		Description: "Writes NAME/SKILL.md; without NAME the SKILL.md of the directory you are in, named after it; with -g the one of a skill of your own, in ~/.agents/skills. Nothing is ever overwritten.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "description", Usage: "what the skill does and when to use it, `TEXT`"},
			&cli.BoolFlag{Name: "manifest", Usage: "write a skills.toml for the project instead"},
		},
		Action: begin,
	}
}

// emptyManifest is what init --manifest writes.
const emptyManifest = `# The skills that this project wants. "skills add SOURCE" writes here, "skills install" makes it so.

[skills]
`

// begin writes the first file of a skill or a project.
func begin(c *cli.Context) error {
	s := sessionOf(c)
	if c.Bool("manifest") {
		if c.Args().Present() {
			return ui.UsageError("a manifest has no name, got %q", c.Args().First())
		}
		return s.create(filepath.Join(s.recordDir(s.scope), "skills.toml"), []byte(emptyManifest), c.Bool("dry-run"))
	}
	if c.NArg() > 1 {
		return ui.UsageError("init takes one name, got %q as well", c.Args().Get(1))
	}
	dir, name := s.env.dir, c.Args().First()
	switch {
	case s.scope == agents.UserScope && name == "":
		return ui.UsageError("init -g needs a name")
	case s.scope == agents.UserScope:
		dir = filepath.Join(s.env.home, filepath.FromSlash(agents.SkillsDir))
	case !c.Args().Present():
		dir, name = filepath.Dir(dir), filepath.Base(dir)
	}
	d := author.Skeleton(name)
	if c.IsSet("description") {
		d.Description = c.String("description")
	}
	d, err := author.Define(d)
	if err != nil {
		return refusedDefinition(name, err)
	}
	text, err := author.Format(d)
	if err != nil {
		return err
	}
	if err := s.create(filepath.Join(dir, name, manifestIn(filepath.Join(dir, name))), text, c.Bool("dry-run")); err != nil || c.Bool("dry-run") {
		return err
	}
	_, findings, err := catalog.Inspect(c.Context, disk.Open(dir), name, catalog.Rules{Profile: catalog.ProfileSpec})
	for _, f := range findings {
		s.terminal.Warn("%s", findingText(f))
	}
	return err
}

// manifestIn is how the SKILL.md of a directory is spelled, in which case it may be another one.
func manifestIn(dir string) string {
	entries, _ := os.ReadDir(dir) // what cannot be read cannot be written either
	return cmp.Or(catalog.ManifestName(entries), "SKILL.md")
}

// refusedDefinition says all that is wrong with what was typed, and what would do.
func refusedDefinition(name string, err error) error {
	refused := ui.UsageError("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	parts := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		parts = joined.Unwrap()
	}
	for _, part := range parts {
		var fault *catalog.Error
		advice := hintsOf(part)
		if errors.As(part, &fault) && (fault.At == "name" || fault.Kind == "unsafe_name") {
			advice = []string{betterName(name)}
		}
		refused.Advice = slices.Compact(append(refused.Advice, advice...))
	}
	return refused
}

// betterName says which name would do.
func betterName(name string) string {
	if plain, _, err := catalog.DirectoryName(strings.ToLower(name)); err == nil && plain != name {
		return "write: skills init " + plain
	}
	return "a name is made of the letters a to z, digits and single hyphens"
}

// create writes a file that must not be there, and says so.
func (s *session) create(file string, text []byte, dry bool) error {
	shown := strings.TrimPrefix(relativePath(s.env.dir, file), "./")
	if _, err := os.Lstat(file); err == nil {
		return &ui.Error{Word: "already_exists", Message: "\"" + shown + "\" is there already", Advice: []string{"remove it first, or edit it"}}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if dry {
		s.terminal.Result("would write %s", shown)
	} else if err := writeNew(file, text); err != nil {
		return err
	} else {
		s.terminal.Changed("wrote %s", shown)
	}
	return s.terminal.Document(map[string]any{"path": shown, "written": !dry})
}

// writeNew writes a file that is not there.
func writeNew(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return errors.Join(err, out.Close())
}
