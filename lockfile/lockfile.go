// Package lockfile reads and writes skills.lock, the record of what is installed: which source, which commit, which bytes.
//
// The file is TOML with one [[skill]] table a skill, sorted by the bytes of the name. It holds no time, no absolute path and nothing of
// one machine, the same lock always gives the same bytes, and tables that are not neighbours never conflict in a merge. Keys
// that this version does not know are kept. A lock is input from outside (it decides which directories are written), so
// every field is checked on reading, and a lock that is newer, damaged or holds conflict markers is an error that names the
// line, never an empty lock.
//
// The package does no I/O: bytes in, values and bytes out.
//
//	l, err := lockfile.Parse(data, "skills.lock")
//	…
//	err = l.Put(lockfile.Skill{Name: "pdf", Source: "https://github.com/o/r", Commit: commit, Hash: digest})
//	data = l.Bytes()
package lockfile

// Skill is one locked skill. Fields that are "" have no key in the file.
type Skill struct {
	// Name is the directory that the skill is installed under; safe as a directory name on every file system.
	Name string
	// Source is the identity of the source without ref and path (source.Locator.Source); "" for a skill that the manifest
	// itself holds.
	Source string
	// Path is the directory in the source, slash separated and clean; "" for its root.
	Path string
	// Ref is what was asked for: a branch, tag, commit or semver range; "" for the default branch.
	Ref string
	// Resolved is the full name of the ref that answered, such as "refs/heads/main", or the version of a package, "1.2.3"; "" for a
	// commit.
	Resolved string
	// Commit is the commit id, 40 or 64 lower-case hex digits; "" for sources without commits.
	Commit string
	// Tree is the git tree id of the directory as the host has it, 40 or 64 lower-case hex digits; of sources without commits that of
	// what has no Digest.
	Tree string
	// Hash is the digest of what is installed: "s1:" and base64 of SHA-256. Always set.
	Hash string
	// Digest is "sha256:" (or "sha512:") and hex: the artifact of a source without commits.
	Digest string
	// Tracks is what was asked for before the skill was pinned, "HEAD" for the default branch; "" for one that is not pinned.
	Tracks string
	// License is what the skill says of itself.
	License string
	// Skill is the name in the front matter when it differs from Name.
	Skill string

	extra    []string // statements of unknown keys, "key = value", as they stood
	sections []string // [skill.x] tables of unknown keys, header and all, as they stood
}

// Lock is the content of a skills.lock. Make one with New or Parse. It is not safe for concurrent use.
type Lock struct {
	skills   map[string]Skill
	folded   map[string]string // the name that folds to the key
	extra    []string
	sections []string
}

// Error is what is wrong with a lock, or with a skill handed to Put.
//
// Kinds: "lock_damaged" (not TOML, over the limit, a value that may not stand there), "lock_conflict" (merge conflict
// markers), "lock_newer" (written by a newer version of the tool), "lock_invalid" (a skill that may not be put).
type Error struct {
	// Kind is one of the words above.
	Kind string
	// File is the name that Parse was given.
	File string
	// Line is counted from 1; 0 when there is none.
	Line    int
	Message string
	// Hint says what to do next; "" for none.
	Hint string
}
