package registry

import (
	"encoding/json"
	"maps"
	"slices"

	"skills/catalog"
	"skills/catalog/resource"
)

// Info is what a list says of one skill. All of it is the caller's own and may
// be changed.
//
// As JSON it has the names that Clarvis gives: metadata is the whole front
// matter there, and allowedTools is absent when no tools are declared.
type Info struct {
	Name, Description string // trimmed

	Frontmatter map[string]any // every key as written; name and description trimmed
	Metadata    map[string]any // the key metadata when it is a mapping, else nil

	AllowedTools  []string // nil when none are declared; empty and not nil allows nothing
	UserInvocable bool     // true unless user-invocable says false
	Disabled      bool     // kept from models: by Config.Disabled or by disable-model-invocation

	Scope, Source string // labels of the root
	Root          string // its path
	Dir           string // absolute path of its directory, which lies in Root, links as they are; "" when it has none
	Path          string // its manifest as spelled

	Shadowed []Shadow          // those of the same name that it hides, the nearest in rank first
	Findings []catalog.Finding // about this skill: from its text and its name, and of Resolve from what it hides

	place *place // nil for records that a caller made
}

// place is where a skill was read from.
type place struct {
	root Root   // its FS is nil for a skill that is in no directory
	dir  string // in the FS of root
	real string // the directory without links, "" when unknown
	rank int    // of the root: the highest wins
	body string
}

// Content is a skill with its text and the files beside it.
type Content struct {
	Info
	Body      string              // below the front matter; the profile says what it loses at its ends
	Resources []resource.Resource // as they are now, sorted by their paths
	Warnings  []catalog.Finding   // why other files are not among them
}

// Shadow says that one skill hides another of the same name, on a disk or not.
type Shadow struct {
	Name   string
	Winner string // manifest of the skill that is seen
	Loser  string // manifest of the hidden one
	Source string // label of the hidden one's root

	real string // the hidden one's directory without links
}

// MarshalJSON writes code ("shadowed"), name, winner, loser and source.
func (s Shadow) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Code   string `json:"code"`
		Name   string `json:"name"`
		Winner string `json:"winner"`
		Loser  string `json:"loser"`
		Source string `json:"source"`
	}{"shadowed", s.Name, s.Winner, s.Loser, s.Source})
}

// infoJSON is the form of Clarvis.
type infoJSON struct {
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	Metadata      map[string]any `json:"metadata"`
	AllowedTools  *[]string      `json:"allowedTools,omitempty"`
	UserInvocable bool           `json:"userInvocable"`
	Scope         string         `json:"scope"`
	Source        string         `json:"source"`
	Root          string         `json:"root"`
	Dir           string         `json:"dir"`
	Path          string         `json:"path"`
}

func (i Info) form() infoJSON {
	form := infoJSON{
		Name: i.Name, Description: i.Description, Metadata: i.Frontmatter, UserInvocable: i.UserInvocable,
		Scope: i.Scope, Source: i.Source, Root: i.Root, Dir: i.Dir, Path: i.Path,
	}
	if i.AllowedTools != nil {
		form.AllowedTools = &i.AllowedTools
	}
	return form
}

// MarshalJSON writes the form of Clarvis: name, description, metadata,
// allowedTools, userInvocable, scope, source, root, dir and path.
func (i Info) MarshalJSON() ([]byte, error) { return json.Marshal(i.form()) }

// MarshalJSON writes what Info writes, then body and resources: kind, rel and the
// absolute path of each.
func (c Content) MarshalJSON() ([]byte, error) {
	type file struct {
		Kind resource.Kind `json:"kind"`
		Rel  string        `json:"rel"`
		Path string        `json:"path"`
	}
	files := []file{}
	for _, r := range c.Resources {
		files = append(files, file{r.Kind, r.Rel, r.Abs})
	}
	return json.Marshal(struct {
		infoJSON
		Body      string `json:"body"`
		Resources []file `json:"resources"`
	}{c.form(), c.Body, files})
}

// infoOf makes the record of a skill that was read.
func infoOf(s *catalog.Skill, findings []catalog.Finding) Info {
	i := Info{
		Name: s.Name, Description: s.Description, Frontmatter: copied(s.Frontmatter), Metadata: copied(s.Metadata),
		AllowedTools: slices.Clone(s.AllowedTools), UserInvocable: s.UserInvocable, Disabled: !s.ModelInvocable, Path: s.Location, Findings: slices.Clone(findings),
	}
	if i.Frontmatter != nil {
		i.Frontmatter["name"], i.Frontmatter["description"] = s.Name, s.Description
	}
	return i
}

// clone gives a record that shares nothing with this one that can be changed.
func (i Info) clone() Info {
	i.Frontmatter, i.Metadata = copied(i.Frontmatter), copied(i.Metadata)
	i.AllowedTools, i.Shadowed, i.Findings = slices.Clone(i.AllowedTools), slices.Clone(i.Shadowed), slices.Clone(i.Findings)
	return i
}

// copied copies a mapping of front matter through and through.
func copied(m map[string]any) map[string]any {
	m = maps.Clone(m)
	for key, value := range m {
		m[key] = copiedValue(value)
	}
	return m
}

func copiedValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return copied(v)
	case []any:
		list := slices.Clone(v)
		for n := range list {
			list[n] = copiedValue(list[n])
		}
		return list
	}
	return value
}

func (i Info) real() string {
	if i.place == nil {
		return ""
	}
	return i.place.real
}
