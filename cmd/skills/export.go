package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"skills/install"
	"skills/lockfile/manifest"
)

// exportCommand describes export.
func exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Usage: "write what is installed as SkillPlugin documents", ArgsUsage: "[NAME...]",
		Description: `Prints one YAML document a skill: the source it came from, or the text of a skill that stands in skills.toml with its other files. A
skill that is not recorded is printed, with its files, when it is named. "skills install -f FILE" reads all of them. Pictures and other files that are no text are null in them; the executable bit is not kept.`,
		Action: export,
	}
}

// pluginDocument is a SkillPlugin as JSON, with the keys of the YAML.
type pluginDocument struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   pluginMetadata `json:"metadata"`
	Spec       pluginSpec     `json:"spec"`
}

type pluginMetadata struct {
	Name string `json:"name"`
}

type pluginSpec struct {
	SkillData skillDataDocument `json:"skillData"`
}

type skillDataDocument struct {
	Skill     string             `json:"skill,omitempty"`
	Resources map[string]*string `json:"resources,omitempty"`
	Source    *pluginSource      `json:"source,omitempty"`
}

type pluginSource struct {
	URL string `json:"url"`
}

type pluginDocuments struct {
	Documents []pluginDocument `json:"documents"`
}

// export prints the documents.
func export(c *cli.Context) error {
	s := sessionOf(c)
	engine, err := s.engine(false)
	if err != nil {
		return err
	}
	all, findings, err := engine.Export(c.Context, c.Args().Slice()...)
	if err != nil {
		return err
	}
	text, err := manifest.FormatPlugins(all...)
	if err != nil {
		return err
	}
	for _, f := range findings {
		s.terminal.Warn("%s: %s", f.File, f.Message)
	}
	if len(all) == 0 {
		if err := s.tellUnrecorded(c.Context, engine); err != nil {
			return err
		}
	}
	s.terminal.Content(text)
	return s.terminal.Document(describePlugins(all))
}

// tellUnrecorded says why nothing is exported, and which skills are when they are named.
func (s *session) tellUnrecorded(ctx context.Context, engine *install.Engine) error {
	here, err := engine.Installed(ctx)
	if err != nil {
		return err
	}
	names := []string{"skills export"}
	for _, skill := range here {
		names = append(names, skill.Name)
	}
	if len(here) == 0 {
		s.terminal.Step("nothing is installed here")
	} else {
		s.terminal.Step("nothing is recorded here; what is not recorded is exported by its name: %s", strings.Join(names, " "))
	}
	return nil
}

// describePlugins gives the documents as JSON.
func describePlugins(all []manifest.Skill) pluginDocuments {
	documents := pluginDocuments{Documents: []pluginDocument{}}
	for _, skill := range all {
		d := pluginDocument{APIVersion: manifest.PluginVersion, Kind: manifest.PluginKind, Metadata: pluginMetadata{skill.Name}}
		data := &d.Spec.SkillData
		if skill.Inline == nil {
			data.Source = &pluginSource{skill.Source}
		} else {
			data.Skill, data.Resources = skill.Inline.Document, contentsOf(skill.Inline)
		}
		documents.Documents = append(documents.Documents, d)
	}
	return documents
}

// contentsOf gives the other files of a skill, null where their contents are not known.
func contentsOf(inline *manifest.Inline) map[string]*string {
	files := map[string]*string{}
	for path, text := range inline.Resources {
		files[path] = &text
	}
	for _, path := range inline.Unavailable {
		files[path] = nil
	}
	return files
}
