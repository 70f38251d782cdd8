package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/catalog"
	"skills/catalog/disk"
	"skills/cmd/internal/ui"
	"skills/install/agents"
	"skills/lockfile/manifest"
)

// validateCommand describes validate.
func validateCommand() *cli.Command {
	return &cli.Command{
		Name: "validate", Usage: "check skills against the specification, as their author", ArgsUsage: "[DIR...]",
		Description: "DIR is a skill, its SKILL.md, a directory that holds skills at any depth, or a manifest (skills.toml, SkillPlugin documents in YAML); without one the directory you are in, with -g your own skills. " +
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
	documents, missed := v.judge(c.Context, c.Args().Slice())
	if c.Context.Err() != nil || len(documents) == 0 && missed != nil {
		return missed
	}
	if err := v.terminal.Document(map[string]any{"profile": v.rules.Profile, "skills": documents}); err != nil {
		return err
	}
	bad := 0
	for _, d := range documents {
		if !d.Valid {
			bad++
		}
	}
	if missed != nil {
		return missed
	}
	if bad > 0 {
		v.terminal.Step("not valid: %d of %d", bad, len(documents))
		return ui.Failed
	}
	v.terminal.Step("valid: %d of %d", len(documents), len(documents))
	return nil
}

// judge judges what the arguments mean, each skill once and in order. The error is about arguments that mean nothing.
func (v validation) judge(ctx context.Context, arguments []string) (documents []validatedDocument, missed error) {
	if len(arguments) == 0 {
		arguments = []string{"."}
		if v.scope == agents.UserScope {
			arguments = []string{filepath.Join(v.env.home, filepath.FromSlash(agents.SkillsDir))}
		}
	}
	documents = []validatedDocument{}
	for _, argument := range arguments {
		judged, err := v.judgeOne(ctx, v.env.absolute(argument))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			missed = errors.Join(missed, fmt.Errorf("%q: %w", argument, err))
		}
		for _, d := range judged {
			if !slices.ContainsFunc(documents, func(o validatedDocument) bool { return o.Path == d.Path && same(o.Name, d.Name) }) {
				documents = append(documents, d)
			}
		}
	}
	return documents, missed
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// judgeOne judges what one path means.
func (v validation) judgeOne(ctx context.Context, path string) (judged []validatedDocument, err error) {
	if isManifest(path) {
		return v.checkManifest(path)
	}
	found, err := v.skillsAt(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, dir := range found.dirs {
		judged = append(judged, v.check(ctx, dir))
	}
	for _, bad := range found.unreadable {
		judged = append(judged, v.judged(bad.path, "", []catalog.Finding{bad.finding}))
	}
	if found.hidden > 0 {
		v.terminal.Step("%d more in %s are in skills, in hidden directories or in node_modules; name their directories to judge them", found.hidden, v.near(path))
	}
	return judged, nil
}

// check judges one skill, and mends it before where that was asked for.
func (v validation) check(ctx context.Context, dir string) validatedDocument {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return v.judged(dir, "", []catalog.Finding{findingOf(err, catalog.SeverityError)})
	}
	tree := &mended{FS: disk.Open(filepath.Dir(real))}
	var changes []catalog.Finding
	if v.fix {
		if changes, err = v.mend(real, tree); err != nil {
			return v.judged(dir, "", []catalog.Finding{findingOf(err, catalog.SeverityError)})
		}
		word := map[bool]string{true: "would fix", false: "fixed"}[v.dry]
		for _, f := range changes {
			v.terminal.Result("%s %s: %s", ui.Green(word), v.place(dir, f), f.Message)
		}
	}
	skill, findings, err := catalog.Inspect(ctx, tree, filepath.Base(real), v.rules)
	if err != nil {
		findings = append(findings, findingOf(err, catalog.SeverityError))
	}
	name := ""
	if skill != nil {
		name = skill.Name
	} else if lenient, _, err := disk.Load(filepath.Join(real, "SKILL.md"), catalog.Rules{}); err == nil {
		name = lenient.Name // it has one, though not as it should be
	}
	d := v.judged(dir, name, findings)
	d.Fixed = v.placed(changes, d.Path)
	return d
}

// judged prints the findings about a skill, or a file of several, and gives its document.
func (v validation) judged(path, name string, findings []catalog.Finding) validatedDocument {
	d := validatedDocument{Path: v.shown(path), Name: orNull(name), Valid: !slices.ContainsFunc(findings, v.counts), Fixed: []findingDocument{}}
	for _, f := range findings {
		v.print(path, f)
	}
	d.Findings = v.placed(findings, d.Path)
	return d
}

// findingOf makes an error a finding.
func findingOf(err error, severity catalog.Severity) catalog.Finding {
	f := catalog.Finding{Code: "io_error", Severity: severity, Message: err.Error()}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		f.Code = coded.Code()
	}
	var invalid *catalog.Error
	var damaged *manifest.Error
	switch {
	case errors.As(err, &invalid):
		f = invalid.Finding()
	case errors.As(err, &damaged):
		f.Line, f.Message = damaged.Line, damaged.Message
	}
	return f
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

// place is where a finding is, as compilers write it: relative to where the person is.
func (v validation) place(dir string, f catalog.Finding) string {
	text := v.near(filepath.Join(dir, filepath.FromSlash(f.File)))
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
	}
	return text
}

// near is a path as the person would type it here.
func (v validation) near(path string) string {
	return strings.TrimPrefix(relativePath(v.env.dir, path), "./")
}

// print prints a finding, in a GitHub workflow as an annotation, whose paths count from the checkout.
func (v validation) print(dir string, f catalog.Finding) {
	if v.env.variable("GITHUB_ACTIONS") == "true" {
		file := filepath.Join(dir, filepath.FromSlash(f.File))
		shown := v.shown(file)
		if workspace := v.env.variable("GITHUB_WORKSPACE"); workspace != "" {
			shown = strings.TrimPrefix(relativePath(workspace, file), "./")
		}
		v.terminal.Result("%s", annotation(shown, f))
		return
	}
	word := ui.Yellow(string(f.Severity))
	switch f.Severity {
	case catalog.SeverityError:
		word = ui.Red(string(f.Severity))
	case catalog.SeverityInfo:
		word = ui.Faint(string(f.Severity))
	}
	v.terminal.Result("%s: %s: %s %s", v.place(dir, f), word, f.Message, ui.Faint("("+f.Code+")"))
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
