// Package marketplace reads the files by which repositories offer plugins: marketplace.json, a list of plugins here and elsewhere, and
// the plugin.json of one plugin. What they say is data: nothing is looked up, asked or followed.
//
// The files are read leniently, since several programs write them: unknown keys are ignored, and one entry that is wrong becomes a
// [Fault] and spoils no other. What comes out is safe to look up: every directory is below the one that it counts from, names show as
// what they are, a commit is a whole id. Where a plugin lies elsewhere the text is as it was written; it has to go through
// source.Parse, which may refuse it.
//
//	m, err := marketplace.Parse(data)
//	for _, p := range m.Plugins { … p.Name, p.Dir, p.Remote … }
package marketplace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/source/names"
)

// The bounds of what is read: MaxBytes of a file, MaxPlugins of a marketplace, MaxSkills that one entry or plugin.json names. Beyond
// the first the file is refused, beyond the others the rest is left out with a fault "limit".
const (
	MaxBytes   = 4 << 20
	MaxPlugins = 5000
	MaxSkills  = 1000
)

const (
	maxName     = 200 // bytes of a name
	maxLocation = 2048
)

// Files gives the places of a marketplace file below the root of a repository: of Claude, Copilot and Codex. The first that names a
// plugin is the one that counts for it.
func Files() []string {
	return []string{".claude-plugin/marketplace.json", ".github/plugin/marketplace.json", ".agents/plugins/marketplace.json"}
}

// Manifest is the place of a plugin's own file below its directory.
const Manifest = ".claude-plugin/plugin.json"

// Marketplace is what a marketplace file says.
type Marketplace struct {
	Plugins []Plugin          // in the order of the file, names are unique
	Renames map[string]string // old names of plugins to new ones
	Faults  []Fault
}

// Plugin is one entry.
type Plugin struct {
	Name        string
	Description string
	Dir         string   // below the root of the repository, "." for it; "" for a plugin that lies elsewhere
	Skills      []string // directories that the entry names, below the plugin's own; "." for that
	Lenient     bool     // "strict": false: the entry stands in place of a plugin.json
	Remote      *Remote  // nil for a plugin in the repository
}

// Exact tells whether the entry names all skills of the plugin, so that no other place of it counts.
func (p Plugin) Exact() bool { return p.Lenient && len(p.Skills) > 0 }

// Remote is where a plugin lies that is not in the repository of its marketplace.
type Remote struct {
	Kind     string // "github", "url" (git), "git-subdir" or "npm"
	Location string // "owner/repo", the address to clone, the name of a package; as written
	Path     string // directory in it, "" for its root
	Ref      string // branch or tag; of a package its version; "" for the default
	Commit   string // full id, "" for none
	Registry string // address of the registry of a package, "" for the usual one
}

// String gives the place for people.
func (r Remote) String() string {
	text := r.Location
	if r.Path != "" {
		text += " " + r.Path
	}
	if r.Ref != "" {
		text += "#" + r.Ref
	}
	return text
}

// Fault is something that is wrong in a file.
//
// Code is one of "plugin_invalid" (an entry, or a part of one, cannot be read), "path_escape" (a directory that leaves what it counts
// from; it is not looked at), "plugin_path" (a SKILL.md is named in place of its directory, which is taken), "plugin_duplicate" and
// "limit". Message is a sentence that names the plugin.
type Fault struct {
	Code    string
	Plugin  string // "" for none, or one without a name
	Message string
}

// Parse reads a marketplace file. The error says why all of it is unreadable: it is no JSON object, its plugins are no list, or it is
// too large.
func Parse(data []byte) (*Marketplace, error) {
	top, err := document(data, "marketplace")
	if err != nil {
		return nil, err
	}
	var entries []json.RawMessage
	if raw, ok := top["plugins"]; ok && json.Unmarshal(raw, &entries) != nil {
		return nil, errors.New("its plugins are no list")
	}
	r := &reader{known: map[string]bool{}}
	r.pluginRoot(top["metadata"])
	if n := len(entries); n > MaxPlugins {
		r.fault("limit", "", fmt.Sprintf("it lists %d plugins, and only the first %d are read", n, MaxPlugins))
		entries = entries[:MaxPlugins]
	}
	m := &Marketplace{}
	for i, raw := range entries {
		if p, ok := r.entry(i, raw); ok {
			m.Plugins = append(m.Plugins, p)
		}
	}
	m.Renames = r.renames(top["renames"])
	m.Faults = r.faults
	return m, nil
}

// ParseManifest reads a plugin.json as an entry without a source: Name, Description and Skills are set. The error says why it is
// unreadable.
func ParseManifest(data []byte) (Plugin, []Fault, error) {
	top, err := document(data, "plugin")
	if err != nil {
		return Plugin{}, nil, err
	}
	p, r := Plugin{}, &reader{}
	_ = text(top, "name", &p.Name) // whoever lists the plugin names it
	if !shows(p.Name) {
		p.Name = ""
	}
	_ = text(top, "description", &p.Description)
	p.Skills = r.skills(p.Name, top["skills"])
	return p, r.faults, nil
}

// document reads the one object of a file.
func document(data []byte, what string) (map[string]json.RawMessage, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", MaxBytes>>20)
	}
	top, ok := object(bytes.TrimPrefix(data, []byte("\ufeff")))
	if !ok {
		return nil, fmt.Errorf("it is not the JSON of a %s", what)
	}
	return top, nil
}

// object reads an object by its keys, which count by letter case.
func object(raw []byte) (map[string]json.RawMessage, bool) {
	var o map[string]json.RawMessage
	return o, json.Unmarshal(raw, &o) == nil && o != nil
}

// text reads a text into a field. null is as good as none.
func text(o map[string]json.RawMessage, key string, into *string) error {
	raw, ok := o[key]
	if !ok || json.Unmarshal(raw, into) == nil {
		return nil
	}
	return fmt.Errorf("%q is no text", key)
}

// shows tells whether a name looks like what it is.
func shows(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, names.Unseen)
}

// reader reads one file.
type reader struct {
	root   string // metadata.pluginRoot, "" for none
	known  map[string]bool
	faults []Fault
}

// fault notes something that is wrong.
func (r *reader) fault(code, plugin, message string) {
	r.faults = append(r.faults, Fault{code, plugin, message})
}

// pluginRoot reads the directory that stands before bare names.
func (r *reader) pluginRoot(raw json.RawMessage) {
	metadata, _ := object(raw)
	var written string
	if err := text(metadata, "pluginRoot", &written); err != nil {
		r.fault("plugin_invalid", "", "metadata: "+err.Error())
	}
	if written == "" {
		return
	}
	root, err := below(written)
	if err != nil {
		r.fault(codeOf(err), "", "metadata.pluginRoot: "+err.Error())
		root = "" // names count from the root of the repository
	}
	r.root = root
}

// entry reads one entry.
func (r *reader) entry(i int, raw json.RawMessage) (Plugin, bool) {
	o, ok := object(raw)
	var p Plugin
	err := text(o, "name", &p.Name)
	switch {
	case !ok:
		r.fault("plugin_invalid", "", fmt.Sprintf("entry %d is no object", i+1))
		return p, false
	case err != nil || !shows(p.Name):
		r.fault("plugin_invalid", "", fmt.Sprintf("entry %d has no name that can be shown", i+1))
		return p, false
	case r.known[p.Name]:
		r.fault("plugin_duplicate", p.Name, fmt.Sprintf("entry %d is another plugin named %q, and the first counts", i+1, p.Name))
		return p, false
	}
	if err := r.place(&p, o["source"]); err != nil {
		r.fault(codeOf(err), p.Name, fmt.Sprintf("plugin %q: %v", p.Name, err))
		return p, false
	}
	r.known[p.Name] = true
	_ = text(o, "description", &p.Description) // a word for people, wrong or not
	p.Skills = r.skills(p.Name, o["skills"])
	p.Lenient = r.lenient(p.Name, o["strict"])
	return p, true
}

// lenient reads "strict", which is true where nothing is said.
func (r *reader) lenient(plugin string, raw json.RawMessage) bool {
	strict := true
	if len(raw) > 0 && json.Unmarshal(raw, &strict) != nil {
		r.fault("plugin_invalid", plugin, fmt.Sprintf("plugin %q: \"strict\" is neither true nor false, so it is taken for true", plugin))
	}
	return !strict
}

// skills reads a directory or a list of them.
func (r *reader) skills(plugin string, raw json.RawMessage) []string {
	var list []json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case raw[0] != '[':
		list = []json.RawMessage{raw}
	case json.Unmarshal(raw, &list) != nil:
		return nil
	}
	if len(list) > MaxSkills {
		r.fault("limit", plugin, fmt.Sprintf("plugin %q names %d skills, and only the first %d are read", plugin, len(list), MaxSkills))
		list = list[:MaxSkills]
	}
	var dirs []string
	for _, raw := range list {
		dir, err := r.skill(plugin, raw)
		if err != nil {
			r.fault(codeOf(err), plugin, fmt.Sprintf("plugin %q: skills: %v", plugin, err))
		} else if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// skill reads one directory.
func (r *reader) skill(plugin string, raw json.RawMessage) (string, error) {
	var written string
	if json.Unmarshal(raw, &written) != nil || written == "" {
		return "", errors.New("what is listed is no text")
	}
	dir, err := below(written)
	if err == nil && strings.EqualFold(path.Base(dir), "SKILL.md") {
		dir = path.Dir(dir)
		r.fault("plugin_path", plugin, fmt.Sprintf("plugin %q names the file %q; its directory %q is meant", plugin, written, dir))
	}
	return dir, err
}

// renames reads old and new names.
func (r *reader) renames(raw json.RawMessage) map[string]string {
	all, ok := object(raw)
	if !ok && len(raw) > 0 && string(raw) != "null" {
		r.fault("plugin_invalid", "", "its renames are no object")
	}
	renames := map[string]string{}
	for _, old := range slices.Sorted(maps.Keys(all)) {
		var name string
		switch err := text(all, old, &name); {
		case err != nil, !shows(old), !shows(name):
			r.fault("plugin_invalid", "", fmt.Sprintf("renames: %.80q has no new name", old))
		case len(renames) < MaxPlugins:
			renames[old] = name
		}
	}
	return renames
}

// refusal is a path that cannot be taken.
type refusal struct {
	code, message string
}

// Error gives the reason.
func (e *refusal) Error() string { return e.message }

// codeOf is the code of a fault.
func codeOf(err error) string {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.code
	}
	return "plugin_invalid"
}

// below reads a directory as it is written, with "./" or without, and gives it clean, "." for where it counts from.
func below(written string) (string, error) {
	clean := path.Clean(written)
	switch err := names.CheckPath(clean); {
	case clean == ".":
		return ".", nil
	case errors.Is(err, names.Up), errors.Is(err, names.Absolute):
		return "", &refusal{"path_escape", fmt.Sprintf("%q leads out, and is not looked at", written)}
	case err != nil:
		return "", &refusal{"plugin_invalid", fmt.Sprintf("the path %q %v", written, err)}
	}
	return clean, nil
}
