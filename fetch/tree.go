package fetch

import (
	"context"
	"io/fs"

	"skills/source"
)

// Tree is the listing of a revision, whole or below the path of its locator, and the contents that were loaded. Its methods
// may be called from several goroutines.
type Tree struct {
	revision source.Revision
	files    fs.FS
	load     func(ctx context.Context, paths []string) error
	notes    []source.Note
	digest   func(path string) string // nil: that of the revision is that of all
	indexed  bool
}

// Revision is what the tree shows. It may say more than the revision that was asked for: the commit that an archive names, the
// digest of what was downloaded.
func (t *Tree) Revision() source.Revision { return t.revision }

// Digest is that of the artifact which a directory came out of, such as "sha256:…", or will come out of when it is loaded; "" when
// there is none or it is not known.
func (t *Tree) Digest(path string) string {
	if t.digest != nil {
		return t.digest(path)
	}
	return t.revision.Digest
}

// Indexed tells whether the directories at the top are skills, and have their names: an index says so. Then one of several can be
// loaded without the manifests of all.
func (t *Tree) Indexed() bool { return t.indexed }

// Notes are remarks: on what was left out, such as a file that a document refers to and the host does not have, or an entry of an
// index that breaks a rule ("left_out"); on an index that is that of a whole host ("site_index").
func (t *Tree) Notes() []source.Note { return t.notes }

// FS shows the tree; paths begin at the root of the repository. It implements [fs.ReadDirFS], [fs.StatFS] and [fs.ReadLinkFS],
// and for sources with git ids ObjectID(name string) (id string, ok bool), the blob id of a file or the tree id of a directory.
// Executable files have mode 0o755, submodules [fs.ModeIrregular]. The listing is complete from the start, but for that of a site, whose
// directories show their SKILL.md until they are loaded; opening a file, or reading a link, that was not loaded is an error that
// wraps [ErrNotLoaded]. Sizes are 0 before that.
func (t *Tree) FS() fs.FS { return t.files }

// Load brings the contents of files, and of all files below directories, in one request for all that is missing. Links among
// them bring what they point at, where that is in the tree. The root is "" or ".", which brings everything; without paths nothing is
// brought. A path that is not in the tree is an *Error with code not_found.
//
// Of a site each directory is an artifact of its own. When one of several cannot be had, or is not what its digest says, the
// others are loaded, and the reason is the error of its files.
func (t *Tree) Load(ctx context.Context, paths ...string) (err error) {
	defer caused(ctx, &err)
	return t.load(ctx, paths)
}
