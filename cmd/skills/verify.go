package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
	"skills/install"
)

// verifyCommand describes verify.
func verifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "compare what is installed with the lock", ArgsUsage: "[NAME...]",
		Description: "Exit status 3 when anything differs. Skills that are not in the lock are reported and are no difference.",
		Action:      verify,
	}
}

type fileDocument struct {
	Path  string `json:"path"`
	State string `json:"state"`
}

type verifiedDocument struct {
	Name    string           `json:"name"`
	State   string           `json:"state"`
	Files   []fileDocument   `json:"files"`
	Targets []targetDocument `json:"targets"`
}

type verifiedDocuments struct {
	Skills []verifiedDocument `json:"skills"`
}

// verify hashes everything and reports what differs.
func verify(c *cli.Context) error {
	s := sessionOf(c)
	engine, err := s.engine(false)
	if err != nil {
		return err
	}
	all, err := engine.Installed(c.Context, c.Args().Slice()...)
	if err != nil {
		return err
	}
	documents := verifiedDocuments{Skills: []verifiedDocument{}}
	differ := false
	all = slices.DeleteFunc(all, func(skill install.Installed) bool {
		return skill.State == install.StateMissing && skill.Lock.Name == ""
	})
	for _, skill := range all {
		d := describeVerified(skill)
		documents.Skills = append(documents.Skills, d)
		differ = differ || differs(skill)
		s.printVerified(d, skill)
	}
	if err := s.terminal.Document(documents); err != nil {
		return err
	}
	if differ {
		return ui.Different
	}
	s.terminal.Step("as the lock says: %d of %d", len(slices.DeleteFunc(all, unmanaged)), len(documents.Skills))
	return nil
}

func unmanaged(skill install.Installed) bool { return skill.State == install.StateUnmanaged }

// differs tells whether a skill or what an agent sees of it is not as the lock says. Line ends alone, as a checkout on Windows makes
// them, are shown but are no difference.
func differs(skill install.Installed) bool {
	broken := slices.ContainsFunc(skill.Targets, func(t install.Target) bool {
		return t.State == install.StateMissing || t.State == install.StateModified
	})
	if skill.State == install.StateModified && onlyLineEndings(skill) {
		return broken
	}
	return broken || skill.State != install.StateOK && !unmanaged(skill)
}

// onlyLineEndings tells whether nothing but line ends differs.
func onlyLineEndings(skill install.Installed) bool {
	return len(skill.Files) > 0 && !slices.ContainsFunc(skill.Files, func(f install.FileState) bool { return !f.LineEndings() })
}

// describeVerified writes the comparison of a skill.
func describeVerified(skill install.Installed) verifiedDocument {
	d := verifiedDocument{Name: skill.Name, State: string(skill.State), Files: []fileDocument{}, Targets: []targetDocument{}}
	for _, f := range skill.Files {
		d.Files = append(d.Files, fileDocument{Path: f.Path, State: string(f.State)})
	}
	for _, t := range skill.Targets {
		d.Targets = append(d.Targets, targetDocument{Agent: t.Agent, Path: t.Path, State: string(t.State)})
	}
	return d
}

// printVerified prints a skill that differs, with its files.
func (s *session) printVerified(d verifiedDocument, skill install.Installed) {
	if !differs(skill) && !unmanaged(skill) && len(skill.Files) == 0 {
		s.terminal.Detail("%s: %s", d.Name, d.State)
		return
	}
	state := d.State
	if onlyLineEndings(skill) {
		state = "line endings only"
	}
	s.terminal.Result("%s %s", ui.Bold(d.Name), ui.Yellow(state))
	for _, f := range d.Files {
		s.terminal.Result("  %s %s", f.State, f.Path)
	}
	if skill.State == install.StateModified && skill.Files == nil {
		s.terminal.Result("  which files is not known here, for the store does not hold what was installed")
	}
	for _, t := range d.Targets {
		if t.State != string(install.StateOK) {
			s.terminal.Result("  %s %s for %s", t.State, t.Path, t.Agent)
		}
	}
}
