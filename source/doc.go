// Package source turns the text by which a person names skills into a value: a
// [Locator], what was asked for, and later a [Revision], what it was.
//
// The text may be a shorthand (owner/repo), the address of any page of a known
// host, an ssh address, one https file, a site, an archive, a directory, an npm
// package, an OCI artifact, a skill that the binary carries, or a pasted command
// line. Parsing is pure: nothing is read, asked or resolved, the same text gives
// the same value everywhere (but for drive letters, which are paths on Windows
// only). What the text leaves open (a branch name with slashes, whether "@x" is a
// skill or a ref) is marked in the Locator and settled later from what the host
// lists.
//
// Rules that hold for every Locator that [Parse] returns:
//
//   - Credentials never get in: a text that carries a password or a token is an
//     error that does not repeat it; queries are dropped.
//   - Path has no empty, "." or ".." part, no backslash and no control character,
//     however they were encoded (local paths stay as written).
//   - Host, Owner, Repo, User and Ref never begin with "-", so that none can be
//     taken for an option of git or ssh.
//   - Hosts are compared whole. Only hosts of the table have a port or an address
//     that is not public.
//   - [Locator.Canonical] is read back to an equal Locator.
//
// A use:
//
//	l, err := source.Parse("https://github.com/o/r/tree/main/skills/pdf", source.DefaultHosts())
//	// l.Source() == "https://github.com/o/r", l.Ref == "main", l.Path == "skills/pdf"
package source
