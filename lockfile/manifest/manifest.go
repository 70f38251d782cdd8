// Package manifest reads and edits skills.toml, the file in which a project or a person says which skills are wanted, and reads
// two other forms that say the same: SkillPlugin documents in YAML and plain lists of sources. These are never edited.
//
// The file is written by people and by the tool, so an edit is a change of byte ranges: comments, order, formatting, line
// endings and a missing final newline of everything else stay as they are, and every edit is read back before it is
// returned. Reading is strict: an unknown key, a wrong type, an unsafe name or two names that are one directory on some file
// system are errors that name the line. Source texts are kept as written, for source.Parse to read with the hosts that the
// user configured.
//
// [Policy] says which sources may be used at all, by patterns over what source.Locator.Source gives.
//
// The package does no I/O: bytes in, values and bytes out.
//
//	m, err := manifest.Parse(data, "skills.toml")
//	…
//	data, err = m.Set(manifest.Skill{Name: "pdf", Source: "https://github.com/o/r/tree/main/skills/pdf"})
package manifest

import "skills/lockfile/internal/document"

// Manifest is what a skills.toml, a list or SkillPlugin documents say. The exported fields are a copy for the reader: changing them
// changes no text; Set, Delete, SetAgents and SetMode give new text, but of a skills.toml only.
type Manifest struct {
	// Agents are the ids that skills are installed for; nil when the file does not say (then those that are detected), empty
	// and not nil when it says none.
	Agents []string
	// Mode is "link", "copy" or "" when the file does not say.
	Mode string
	// Skills are the entries of [skills] in the order of the file.
	Skills []Skill
	// Packs are the [[packs]] in the order of the file.
	Packs []Pack
	// Policy is [policy].
	Policy Policy
	// Plugins tells that the manifest is SkillPlugin documents.
	Plugins bool
	// Warnings are the keys that were not read because nothing is known of them, in the order of the file. Only SkillPlugin
	// documents have any, other forms fail; [Manifest.Strict] fails here too.
	Warnings []*Error

	file string
	doc  *document.Document // nil for the forms that are not edited
}

// Skill is one entry of [skills]. Exactly one of Source and Inline is set.
type Skill struct {
	// Name is the key: the directory that the skill is installed under. It is safe as a directory name on every file system.
	Name string
	// Source is the source text as written.
	Source string
	// Path is the directory in the source, slash separated and clean; "" when the source text or the name decides.
	Path string
	// Select is the skill in the source, a name, a path or a glob that one skill fits, where Name is another name for it; "" when
	// Path, the source text or Name decides. Only lists say it.
	Select string
	// Ref is a branch, tag, commit or semver range; "" when the source text decides.
	Ref string
	// Reason says why the skill is held at Ref.
	Reason string
	// Agents are the ids that this skill is installed for; nil when the file does not say, empty and not nil when it says none.
	Agents []string
	// Mode is "link", "copy" or "" when the file does not say.
	Mode string
	// Inline is the skill itself when the manifest holds it.
	Inline *Inline
	// Line is where the entry begins, counted from 1; 0 for a value that was not read. Set ignores it.
	Line int
}

// Inline is a skill that stands in the manifest itself.
type Inline struct {
	// Document is the text of SKILL.md, never empty, its line ends "\n" unless escapes say otherwise.
	Document string
	// Resources are the texts of the other files by their slash separated path below the skill; nil or empty for none.
	Resources map[string]string
	// Unavailable are the paths of further files whose contents are not in the manifest, sorted. Only SkillPlugin documents have
	// any: a skills.toml cannot say it.
	Unavailable []string
}

// Pack is one of [[packs]]: several skills of one source, or as many as there are where nobody has said how many.
type Pack struct {
	// Source is the source text as written.
	Source string
	// Path is the directory of the source below which skills are looked for; "" where the source text points. Only lists say it.
	Path string
	// Ref is a branch, tag, commit or semver range; "" when the source text decides.
	Ref string
	// Include are globs over names and paths; empty for all.
	Include []string
	// Exclude are globs over names and paths, taken away from what Include admits.
	Exclude []string
	// Agents are as in Skill.
	Agents []string
	// Line is where the table begins, counted from 1.
	Line int
}

// Error is what is wrong with a manifest, or with a change that was asked for.
//
// Kinds: "manifest_damaged" (not TOML, not YAML, no text, or over a limit), "manifest_conflict" (merge conflict markers),
// "manifest_invalid" (a value that may not stand there), "invalid_input" (skillData with neither or both of skill and source), "invalid_source" (none on any host), "unknown_key", "unsafe_name",
// "path_escape", "already_exists" (two names that are one directory on some file system), "not_found" (no entry of that name),
// "cannot_edit" (a form that is read but not edited, or a skill that would not read back).
type Error struct {
	// Kind is one of the words above.
	Kind string
	// File is the name that the reader was given; "" when there is none.
	File string
	// Line is counted from 1; 0 when there is none.
	Line    int
	Message string
	// Hint says what to do next; "" for none.
	Hint string
}
