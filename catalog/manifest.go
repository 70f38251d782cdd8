package catalog

import "io/fs"

// ManifestName gives the entry of a directory that is its manifest: SKILL.md in exactly this spelling, else the first in the order of
// bytes that differs only in case, "" for none. Directories are none; a link is not followed.
func ManifestName(entries []fs.DirEntry) string { return manifestOf(entries) }
