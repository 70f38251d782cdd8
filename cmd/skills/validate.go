package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/disk"
	"skills/cmd/internal/ui"
)

// validateCommand describes validate.
func validateCommand() *cli.Command {
	return &cli.Command{
		Name: "validate", Usage: "check skills against the specification, as their author", ArgsUsage: "[DIR...]",
		Description: "DIR is a skill, its SKILL.md, or a directory that holds skills at any depth; without one the directory you are in. " +
			"Exit status 1 when a skill has an error. In a GitHub workflow findings become annotations.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "profile", Value: string(catalog.ProfileSpec), Usage: "rules to judge by, `NAME` of " + profileNames()},
			&cli.BoolFlag{Name: "strict", Usage: "warnings count as errors"},
			&cli.BoolFlag{Name: "fix", Usage: "write down what has one right answer, and change nothing else"},
		},
		Action: validate,
	}
}

func profiles() []catalog.Profile {
	return []catalog.Profile{
		catalog.ProfileSpec, catalog.ProfileSkillKit, catalog.ProfileClarvis, catalog.ProfileSmarter, catalog.ProfileZidane, catalog.ProfileInstall,
	}
}

func profileNames() string {
	var names []string
	for _, profile := range profiles() {
		names = append(names, string(profile))
	}
	return strings.Join(names, ", ")
}

type validatedDocument struct {
	Path     string            `json:"path"`
	Name     *string           `json:"name"`
	Valid    bool              `json:"valid"`
	Fixed    []findingDocument `json:"fixed"`
	Findings []findingDocument `json:"findings"`
}

// validation is one run of validate.
type validation struct {
	*session
	rules       catalog.Rules
	strict, fix bool
	dry         bool
}

// validate checks the skills of its arguments.
func validate(c *cli.Context) error {
	v := validation{session: sessionOf(c), strict: c.Bool("strict"), fix: c.Bool("fix"), dry: c.Bool("dry-run")}
	v.rules = catalog.Rules{Profile: catalog.Profile(c.String("profile")), UnknownKeys: v.strict}
	if !slices.Contains(profiles(), v.rules.Profile) {
		return ui.UsageError("profile %q is not known; it is one of %s", v.rules.Profile, profileNames())
	}
	dirs, err := v.skillDirs(c.Context, c.Args().Slice())
	if err != nil {
		return err
	}
	documents, bad := []validatedDocument{}, 0
	for _, dir := range dirs {
		d, err := v.check(c.Context, dir)
		if err != nil {
			return err
		}
		if documents = append(documents, d); !d.Valid {
			bad++
		}
	}
	if err := v.terminal.Document(map[string]any{"profile": v.rules.Profile, "skills": documents}); err != nil {
		return err
	}
	if bad > 0 {
		v.terminal.Step("not valid: %d of %d", bad, len(documents))
		return ui.Failed
	}
	v.terminal.Step("valid: %d of %d", len(documents), len(documents))
	return nil
}

// skillDirs finds the directories of skills that arguments mean, absolute, each once and in order.
func (v validation) skillDirs(ctx context.Context, arguments []string) ([]string, error) {
	if len(arguments) == 0 {
		arguments = []string{"."}
	}
	var dirs []string
	for _, argument := range arguments {
		below, err := v.skillsBelow(ctx, v.env.absolute(argument))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", argument, err)
		}
		for _, dir := range below {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs, nil
}

// skillsBelow is the directory itself when it is a skill, else every one in it.
func (v validation) skillsBelow(ctx context.Context, dir string) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if !strings.EqualFold(filepath.Base(dir), "SKILL.md") {
			return nil, ui.UsageError("it is a file and no SKILL.md")
		}
		return []string{filepath.Dir(dir)}, nil
	}
	listing, err := catalog.Walk(ctx, disk.Open(dir), catalog.WalkOptions{Full: true})
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, candidate := range listing.Visible() {
		dirs = append(dirs, filepath.Join(dir, filepath.FromSlash(candidate.Path)))
	}
	if len(dirs) == 0 {
		return nil, errors.New("there is no SKILL.md in it")
	}
	if dirs[0] == dir {
		dirs = dirs[:1]
	}
	return dirs, nil
}

// check judges one skill, and mends it before where that was asked for.
func (v validation) check(ctx context.Context, dir string) (validatedDocument, error) {
	d := validatedDocument{Path: v.shown(dir), Fixed: []findingDocument{}}
	tree := &mended{FS: disk.Open(filepath.Dir(dir))}
	if v.fix {
		changes, err := v.mend(dir, tree)
		if err != nil {
			return d, err
		}
		d.Fixed = v.placed(changes, d.Path)
		word := map[bool]string{true: "would fix", false: "fixed"}[v.dry]
		for _, f := range changes {
			v.terminal.Result("%s %s: %s", ui.Green(word), place(d.Path, f), f.Message)
		}
	}
	skill, findings, err := catalog.Inspect(ctx, tree, filepath.Base(dir), v.rules)
	if err != nil {
		return d, err
	}
	if skill != nil {
		d.Name = orNull(skill.Name)
	}
	d.Valid = !slices.ContainsFunc(findings, v.counts)
	for _, f := range findings {
		v.print(d.Path, f)
	}
	d.Findings = v.placed(findings, d.Path)
	return d, nil
}

// mended is a directory in which one file may have another content than on disk: what a dry run would write.
type mended struct {
	*disk.FS
	name string
	data []byte
}

// Open opens the mended file or one of the disk.
func (m *mended) Open(name string) (fs.File, error) {
	file, err := m.FS.Open(name)
	if err != nil || name != m.name {
		return file, err
	}
	return mendedFile{file, bytes.NewReader(m.data)}, nil
}

type mendedFile struct {
	fs.File
	content *bytes.Reader
}

// Read reads the mended content.
func (f mendedFile) Read(data []byte) (int, error) { return f.content.Read(data) }

// mend writes down what has one right answer, and says what that was. In a dry run only the tree shows it.
func (v validation) mend(dir string, tree *mended) ([]catalog.Finding, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	name := catalog.ManifestName(entries)
	file, err := filepath.EvalSymlinks(filepath.Join(dir, name)) // a link stays one
	if name == "" || err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fixed, changes, _ := author.Fix(raw, v.rules, filepath.Base(dir)) // what nobody can read is told when it is judged
	if len(changes) == 0 {
		return nil, nil
	}
	for n := range changes {
		changes[n].File = name
	}
	if v.dry {
		tree.name, tree.data = path.Join(filepath.Base(dir), name), fixed
		return changes, nil
	}
	return changes, replace(file, fixed)
}

// replace puts new content in the place of a file that is there, all of it or nothing.
func replace(file string, data []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	staged, err := os.CreateTemp(filepath.Dir(file), ".skills-*")
	if err != nil {
		return err
	}
	_, err = staged.Write(data)
	err = errors.Join(err, staged.Chmod(info.Mode().Perm()), staged.Sync(), staged.Close())
	if err == nil {
		err = os.Rename(staged.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(staged.Name()))
	}
	return nil
}

// counts tells whether a finding makes a skill invalid.
func (v validation) counts(f catalog.Finding) bool {
	return f.Severity == catalog.SeverityError || v.strict && f.Severity == catalog.SeverityWarning
}

// placed gives findings with paths as documents have them.
func (v validation) placed(findings []catalog.Finding, dir string) []findingDocument {
	findings = slices.Clone(findings)
	for n := range findings {
		findings[n].File = path.Join(dir, findings[n].File)
	}
	return findingDocuments(findings)
}

// place is where a finding is, as compilers write it.
func place(dir string, f catalog.Finding) string {
	text := path.Join(dir, f.File)
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
	}
	return text
}

// print prints a finding, in a GitHub workflow as an annotation.
func (v validation) print(dir string, f catalog.Finding) {
	if v.env.variable("GITHUB_ACTIONS") == "true" {
		v.terminal.Result("%s", annotation(path.Join(dir, f.File), f))
		return
	}
	word := ui.Yellow(string(f.Severity))
	switch f.Severity {
	case catalog.SeverityError:
		word = ui.Red(string(f.Severity))
	case catalog.SeverityInfo:
		word = ui.Faint(string(f.Severity))
	}
	v.terminal.Result("%s: %s: %s %s", place(dir, f), word, f.Message, ui.Faint("("+f.Code+")"))
}

// annotation is the workflow command of GitHub Actions for a finding. Its own signs are escaped in what the finding says.
func annotation(file string, f catalog.Finding) string {
	command := map[catalog.Severity]string{catalog.SeverityError: "error", catalog.SeverityWarning: "warning"}[f.Severity]
	if command == "" {
		command = "notice"
	}
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	where := "file=" + property.Replace(file)
	if f.Line > 0 {
		where += fmt.Sprintf(",line=%d", f.Line)
	}
	return fmt.Sprintf("::%s %s,title=%s::%s", command, where, property.Replace(f.Code), message.Replace(f.Message))
}
