package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
)

// diffCommand describes diff.
func diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Usage: "show local edits, or what an update would bring", ArgsUsage: "[NAME...]",
		Description: `Prints a patch from the locked files to those that are here; "git apply -R" takes the edits back. With --upstream it is one from the files
that are here to the newest ones that skills.toml allows. Exit status 3 when anything differs.`,
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "upstream", Usage: "compare with the newest allowed revision"}},
		Action: diff,
	}
}

type fileDiffDocument struct {
	Path  string `json:"path"`
	State string `json:"state"`
	Diff  string `json:"diff"`
}

type diffDocument struct {
	Name  string             `json:"name"`
	Files []fileDiffDocument `json:"files"`
	Error *errorDocument     `json:"error"`
}

type diffDocuments struct {
	Skills []diffDocument `json:"skills"`
}

// diff compares and prints patches.
func diff(c *cli.Context) error {
	s := sessionOf(c)
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	compare := engine.Diff
	if c.Bool("upstream") {
		compare = engine.DiffUpstream
	}
	all, err := compare(c.Context, c.Args().Slice()...)
	if err != nil {
		return err
	}
	documents := diffDocuments{Skills: []diffDocument{}}
	var failures []error
	different := 0
	for _, skill := range all {
		documents.Skills = append(documents.Skills, describeDiff(skill))
		failures = append(failures, skill.Err)
		if s.printDiff(skill) {
			different++
		}
	}
	if err := s.terminal.Document(documents); err != nil {
		return err
	}
	switch err := errors.Join(failures...); {
	case err != nil:
		return err
	case different > 0:
		return ui.Different
	}
	s.terminal.Step("no differences: %d of %d", len(all), len(all))
	return nil
}

// describeDiff writes the comparison of a skill.
func describeDiff(skill install.Diff) diffDocument {
	d := diffDocument{Name: skill.Name, Files: []fileDiffDocument{}, Error: errorOf(skill.Err)}
	for _, f := range skill.Files {
		d.Files = append(d.Files, fileDiffDocument{Path: f.Path, State: string(f.State), Diff: f.Text})
	}
	return d
}

// printDiff prints the patches of a skill and tells whether anything but line ends differs.
func (s *session) printDiff(skill install.Diff) bool {
	different := false
	for _, f := range skill.Files {
		if f.LineEndings() {
			s.terminal.Step("%s: line endings only: %s", skill.Name, f.Path)
			continue
		}
		different = true
		if f.Text != "" {
			s.terminal.Block(f.Text)
		}
	}
	return different
}
