package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"skills/install"
	"skills/install/agents"
	"skills/lockfile/foreign"
	"skills/source"
)

// importCommand describes import.
func importCommand() *cli.Command {
	return &cli.Command{
		Name: "import", Usage: "adopt skills that other installers recorded", ArgsUsage: "[FILE...]",
		Description: `Reads skills-lock.json, .agents/.skill-lock.json, apm.lock.yaml and what gh skill writes into SKILL.md: those of the project, or with -g
those of the user, or the files named. Writes skills.toml and skills.lock and nothing else. What a record does not pin is locked
when the files here are those that its source has now. Exit status 1 when a skill was left out; each is listed with the reason.`,
		Action: importRecords,
	}
}

// importRecords adopts what records say.
func importRecords(c *cli.Context) error {
	s := sessionOf(c)
	engine, err := s.engine(true)
	if err != nil {
		return err
	}
	entries, err := s.foreignEntries(engine, c.Args().Slice())
	if err != nil {
		return err
	}
	return s.change(c, engine, func(ctx context.Context) (*install.Plan, error) { return engine.PlanImport(ctx, entries) })
}

// foreignEntries reads the records that are named, or those that are there.
func (s *session) foreignEntries(engine *install.Engine, names []string) ([]foreign.Entry, error) {
	var entries []foreign.Entry
	for _, name := range names {
		found, err := s.foreignFile(s.env.absolute(name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, found...)
	}
	if len(names) > 0 {
		return entries, nil
	}
	read := 0
	for _, file := range s.foreignFiles() {
		found, err := s.foreignFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries, read = append(entries, found...), read+1
	}
	installed, err := s.foreignSkills(engine)
	entries = append(entries, installed...)
	if err == nil && read+len(entries) == 0 {
		err = &install.Error{
			Kind: "not_found", Message: "there is nothing to import: no skills-lock.json, .skill-lock.json or apm.lock.yaml, and no skill of gh skill",
			Hint: "name the file, or look into the user's own with -g",
		}
	}
	return entries, err
}

// foreignFiles are the places of records in the scope.
func (s *session) foreignFiles() []string {
	user := filepath.Join(s.root(), ".agents", ".skill-lock.json")
	if s.scope != agents.UserScope {
		return []string{filepath.Join(s.root(), "skills-lock.json"), user, filepath.Join(s.root(), "apm.lock.yaml")}
	}
	if dir := s.env.variable("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return []string{user, filepath.Join(dir, "skills", ".skill-lock.json")}
	}
	return []string{user}
}

// foreignSkills reads what gh skill wrote into the skills that are installed. One that cannot be read does not hide the others.
func (s *session) foreignSkills(engine *install.Engine) ([]foreign.Entry, error) {
	files, err := engine.SkillFiles()
	var entries []foreign.Entry
	for _, file := range files {
		found, err := s.foreignFile(file)
		if err != nil {
			found = []foreign.Entry{{Name: filepath.Base(filepath.Dir(file)), File: s.relative(file), Problem: err.Error()}}
		}
		entries = append(entries, found...)
	}
	return entries, err
}

// relative writes a path as documents show it.
func (s *session) relative(file string) string { return path.Clean(relativePath(s.root(), file)) }

// foreignFile reads one record. Skills that lie in a directory of their own have its name, and local sources count from the root.
func (s *session) foreignFile(file string) ([]foreign.Entry, error) {
	data, err := readBounded(file)
	if err != nil {
		return nil, err
	}
	record, err := foreign.Parse(s.relative(file), data, s.hosts)
	if err != nil {
		return nil, err
	}
	for _, finding := range record.Findings {
		s.terminal.Step("%s:%d: %s", s.relative(file), finding.Line, finding.Message)
	}
	for i := range record.Entries {
		e := &record.Entries[i]
		if record.Kind == foreign.FrontMatter {
			e.Name = filepath.Base(filepath.Dir(file))
		}
		if l, err := source.Parse(e.Text, s.hosts); err == nil {
			e.Text = s.rebased(l, filepath.Dir(file)).Canonical()
		}
	}
	return record.Entries, nil
}

// readBounded reads a file that should be small; a larger one is cut, so that reading it is an error.
func readBounded(file string) ([]byte, error) {
	const most = 16 << 20
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", file, err)
	}
	return data, nil
}
