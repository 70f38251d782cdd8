package install

import (
	"context"
	"io/fs"
	"os"
	"testing/fstest"

	"skills/source"
)

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
