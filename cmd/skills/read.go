package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	if c.NArg() == 2 && path.Clean("./"+strings.TrimSpace(c.Args().Get(1))) == "." {
		return ui.UsageError("%q names no file; leave it out for the instructions", c.Args().Get(1))
	}
	skill, err := s.find(c, c.Args().First())
	if err != nil {
		return err
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

// find finds the skill of a name, else the one in the directory of that name, which the name that it was installed under may be. Of all
// that is wrong around it only what concerns it is told.
func (s *session) find(c *cli.Context, name string) (*registry.Content, error) {
	var told []catalog.Finding
	r, err := s.registry(c, func(f catalog.Finding) { told = append(told, f) })
	if err != nil {
		return nil, err
	}
	if skill, ok := r.Get(name); ok {
		s.tellOf(told, func(f catalog.Finding) bool { return strings.HasPrefix(f.File, skill.Dir+string(filepath.Separator)) })
		return skill, nil
	}
	if skill := inDirectory(r.Config().Roots, name); skill != nil {
		return skill, nil
	}
	s.tellOf(told, func(f catalog.Finding) bool {
		return f.Code == "limit" || filepath.Base(f.File) == name || filepath.Base(filepath.Dir(f.File)) == name
	})
	return nil, noSuchSkill(name, r.List())
}

// tellOf tells some of the findings.
func (s *session) tellOf(all []catalog.Finding, concerns func(catalog.Finding) bool) {
	for _, f := range all {
		if concerns(f) {
			s.warnOf(f)
		}
	}
}

// inDirectory gives the skill in the directory of that name, of the root that wins; nil when there is none.
func inDirectory(roots []registry.Root, name string) *registry.Content {
	if catalog.CheckName(name) != nil {
		return nil
	}
	for _, root := range slices.Backward(roots) {
		dir := filepath.Join(root.Path, name)
		entries, _ := os.ReadDir(dir)
		manifest := filepath.Join(dir, catalog.ManifestName(entries))
		if manifest == dir {
			continue
		}
		parsed, _, err := disk.Load(manifest, catalog.Rules{})
		if err != nil {
			continue
		}
		if files, _, err := resource.List(disk.Open(dir), ".", resource.Options{FollowLinks: true}); err == nil {
			return &registry.Content{Info: registry.Info{Name: parsed.Name, Dir: dir, Path: manifest}, Resources: files}
		}
	}
	return nil
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
		return unsafePath(err)
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

// unsafePath makes a path that is refused as such, absolute or with what some system takes for more than a name, one that is refused for
// safety like one that leads out.
func unsafePath(err error) error {
	var invalid *catalog.Error
	if errors.As(err, &invalid) && invalid.Kind == "invalid_input" {
		return &refused{err}
	}
	return err
}

// refused is an error with exit status 4.
type refused struct{ error }

// Unwrap gives the error itself.
func (r *refused) Unwrap() error { return r.error }

// ExitStatus gives 4.
func (r *refused) ExitStatus() int { return int(ui.Refused) }
