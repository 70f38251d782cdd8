package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/catalog/registry"
	"skills/catalog/resource"
	"skills/cmd/internal/ui"
)

// readCommand describes read.
func readCommand() *cli.Command {
	return &cli.Command{
		Name: "read", Usage: "print the instructions of a skill, or one of its files", ArgsUsage: "SKILL [FILE]",
		Description: "FILE is a path in the skill, in any letter case, or a name that only one of its files has.",
		Flags:       rootFlags(),
		Action:      read,
	}
}

// read prints what an agent would load.
func read(c *cli.Context) error {
	s := sessionOf(c)
	if n := c.NArg(); n == 0 {
		return ui.UsageError("read needs the name of a skill; see them with: skills catalog")
	} else if n > 2 {
		return ui.UsageError("read takes a skill and one file, got %q as well", c.Args().Get(2))
	}
	r, err := s.registry(c)
	if err != nil {
		return err
	}
	skill, ok := r.Get(c.Args().First())
	if !ok {
		return noSuchSkill(c.Args().First(), r.List())
	}
	if c.NArg() == 2 {
		return s.readFile(skill, c.Args().Get(1))
	}
	parsed, _, err := disk.Load(skill.Path, catalog.Rules{})
	if err != nil {
		return err
	}
	s.terminal.Content([]byte(parsed.Body + "\n"))
	return s.terminal.Document(resource.Disclose(parsed, resourcePaths(skill)))
}

// resourcePaths lists the files beside the manifest.
func resourcePaths(skill *registry.Content) []string {
	var paths []string
	for _, r := range skill.Resources {
		paths = append(paths, r.Rel)
	}
	return paths
}

// noSuchSkill says which skills are there instead.
func noSuchSkill(name string, list []registry.Info) error {
	err := &ui.Error{Word: "not_found", Message: fmt.Sprintf("there is no skill %q here", name), Advice: []string{"see what is there with: skills catalog"}}
	var names []string
	for _, info := range list {
		names = append(names, info.Name)
	}
	if near := ui.Near(name, names); len(near) > 0 {
		err.Advice = append([]string{fmt.Sprintf("is %q meant?", near[0])}, err.Advice...)
	}
	return err
}

// maxRead bounds one file that is printed, in bytes.
const maxRead = 64 << 20

// readFile prints one file of a skill, found by the name that a model uses.
func (s *session) readFile(skill *registry.Content, wanted string) error {
	manifest := filepath.Base(skill.Path)
	path, err := resource.Find(append(resourcePaths(skill), manifest), wanted)
	var missing *catalog.Error
	if errors.As(err, &missing) && missing.Kind == "not_found" { // a file that is not listed, such as a link to outside, has a reason
		path = wanted
	} else if err != nil {
		return err
	}
	data, readErr := resource.Read(disk.Open(skill.Dir), ".", path, maxRead)
	if errors.As(readErr, &missing) && missing.Kind == "not_found" {
		return err
	} else if readErr != nil {
		return readErr
	}
	s.terminal.Content(data)
	var content *string
	if text, ok := resource.Text(data); ok {
		content = &text
	}
	return s.terminal.Document(resource.DiscloseFile(skill.Name, path, content))
}
