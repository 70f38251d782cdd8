package resource

import "skills/catalog"

// Disclosure is the answer to an agent that asks for a skill: its instructions, and the names of the files that it may ask for next.
// What is empty is not in the JSON, a list of tools that allows nothing neither: it is told to a model, and no gate is made of it.
type Disclosure struct {
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	Instructions  string         `json:"instructions"`
	License       string         `json:"license,omitempty"`
	Compatibility string         `json:"compatibility,omitempty"`
	AllowedTools  []string       `json:"allowed_tools,omitempty"`
	Metadata      map[string]any `json:"metadata,omitempty"`
	Resources     []string       `json:"resources,omitempty"`
	Note          string         `json:"note,omitempty"` // how to ask for a resource
}

// Disclose gives the answer for a parsed skill and the paths of its resources.
func Disclose(skill *catalog.Skill, paths []string) Disclosure {
	d := Disclosure{
		Name: skill.Name, Description: skill.Description, Instructions: skill.Body, License: skill.License,
		Compatibility: skill.Compatibility, AllowedTools: skill.AllowedTools, Metadata: skill.Metadata, Resources: paths,
	}
	if len(paths) > 0 {
		d.Note = "ask for a resource by its path when the instructions need it"
	}
	return d
}

// File is the answer to an agent that asks for one resource. Content is null for a file that is no text, and Note says so.
type File struct {
	Name    string  `json:"name"` // of the skill
	Path    string  `json:"path"`
	Content *string `json:"content"`
	Note    string  `json:"note,omitempty"`
}

// DiscloseFile gives the answer for one resource of a skill; content is nil when it is no text.
func DiscloseFile(skill, path string, content *string) File {
	f := File{Name: skill, Path: path, Content: content}
	if content == nil {
		f.Note = "the file is not text, so its content cannot be shown"
	}
	return f
}

// Disclose gives the answer for the resource that an agent means by a name. The error is that of [Find].
func (b Bundle) Disclose(skill, wanted string) (File, error) {
	path, err := Find(b.Paths(), wanted)
	if err != nil {
		return File{}, err
	}
	return DiscloseFile(skill, path, b[path]), nil
}
