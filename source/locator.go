package source

// Kind says how a source is fetched.
type Kind string

// The kinds of sources.
const (
	Git     Kind = "git"     // a repository, over https or ssh
	File    Kind = "file"    // one SKILL.md on plain https, and what it refers to
	Archive Kind = "archive" // a zip or tar file, on https or (URL "") on this machine
	Site    Kind = "site"    // an address that may be a repository or a site with a well-known index
	NPM     Kind = "npm"     // a package of the npm registry
	OCI     Kind = "oci"     // an artifact of an OCI registry
	Local   Kind = "local"   // a directory on this machine
	Builtin Kind = "builtin" // a skill that the binary carries
)

// Transport says how git is spoken.
type Transport string

// The transports of git; a source of another kind has none.
const (
	HTTPS Transport = "https"
	SSH   Transport = "ssh"
)

// RefKind is what the text itself says about a ref.
type RefKind string

// The kinds of refs. Most texts leave it open.
const (
	AnyRef    RefKind = ""
	BranchRef RefKind = "branch"
	TagRef    RefKind = "tag"
	CommitRef RefKind = "commit"
)

// Note is a remark on what was understood all the same.
//
// Code is one of "manifest_case" (the file is not spelled SKILL.md),
// "pull_request" (the ref is the head of a change request), "latest_release" (the
// newest version among the tags was asked for), "ambiguous_ref" (a branch and a
// tag have the name, the branch is taken), "fragment_ignored" (what stands behind
// "#" looks like a ref, but on a page it is none), "unencrypted" (https is written,
// and the host is configured to be asked over http). Package fetch adds, to the
// locator of a revision, "ref_unverified" (the host does not show its refs) and
// "deprecated" (its authors say that of the package), and to a tree "left_out"
// (a file or an entry that did not come) and "site_index" (the index is that of a
// whole host). Message is a sentence for a person.
type Note struct {
	Code    string
	Message string
}

// Locator is what was asked for: a request that may move.
type Locator struct {
	Input      string    // the text as written, trimmed, without the values of unknown query parameters
	Kind       Kind      //
	Host       string    // in lower case, without "www."; ":port" only for configured hosts; "" on this machine
	Owner      string    // "o", "g/s1/s2", "org/proj", "~u", "@scope"; "" where there is none
	Repo       string    // without ".git"; the package for npm, the last part of the repository for OCI
	Ref        string    // what was asked for, "" = the default branch (HEAD); may be a semver range such as "^1.2"
	RefKind    RefKind   // what the text says about Ref
	Path       string    // with slashes, none at the ends, "" = root; for a File, where the file lies on the host; for Local (and a local Archive) as written; for Builtin the name
	File       bool      // the text named one SKILL.md: exactly this skill, no question
	Ambiguous  bool      // Ref may go on into Path: branch names have slashes
	Skill      string    // the selector that the text carries
	SkillOrRef bool      // Skill stood behind "@": it is the ref of that name when no skill has it
	Transport  Transport // git only
	User       string    // ssh user
	URL        string    // what is asked: clone URL, file, archive or site; no query, no credentials; "" for local and builtin
	Notes      []Note
}

// Revision is what a Locator was when it was resolved. It never moves.
type Revision struct {
	Locator Locator // settled: Ref and Path are final, Ambiguous and SkillOrRef are false
	Ref     string  // full name of the ref that answered ("refs/heads/main"), the version of a package; "" for a commit or a source without refs
	Commit  string  // 40 or 64 hex digits; "" for sources without commits
	Tree    string  // git tree id of the root of the revision, when known
	Digest  string  // "sha256:…" of the artifact, when known: an archive, the tarball of a package ("sha512:…" mostly), the index of a site
}
