package install

import (
	"context"
	"io/fs"
	"os"
	"testing/fstest"

	"skills/source"
)

// load brings directories of trees, all of one tree at once, and gives what went wrong with one of them: those of an index each have their own
// error, which is known without asking again.
func load(ctx context.Context, paths map[Tree][]string) func(tree Tree, path string) error {
	failures := map[Tree]error{}
	for tree, wanted := range paths {
		failures[tree] = tree.Load(ctx, wanted...)
	}
	return func(tree Tree, path string) error {
		if failures[tree] != nil && indexed(tree) {
			return tree.Load(ctx, path)
		}
		return failures[tree]
	}
}

// diskTree is a skill that is installed, as the source of copies for other agents.
type diskTree struct{ dir string }

// Revision is of no use here.
func (d diskTree) Revision() source.Revision { return source.Revision{} }

// FS reads the disk.
func (d diskTree) FS() fs.FS { return os.DirFS(d.dir) }

// Load has nothing to do.
func (d diskTree) Load(context.Context, ...string) error { return nil }

// memoryTree is a skill in memory.
type memoryTree struct{ files fstest.MapFS }

// Revision is of no use here.
func (m *memoryTree) Revision() source.Revision { return source.Revision{} }

// FS reads the memory.
func (m *memoryTree) FS() fs.FS { return m.files }

// Load has nothing to do.
func (m *memoryTree) Load(context.Context, ...string) error { return nil }
