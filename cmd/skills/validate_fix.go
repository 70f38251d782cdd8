package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"skills/catalog"
	"skills/catalog/author"
	"skills/catalog/disk"
	"skills/catalog/resource"
)

// maxMended bounds a SKILL.md that is mended, in bytes: no reader takes a longer one.
const maxMended = 8 << 20

// mended is a directory in which one file may have another content than on disk: what a dry run would write.
type mended struct {
	*disk.FS
	name string
	data []byte
}

// Open opens the mended file or one of the disk.
func (m *mended) Open(name string) (fs.File, error) {
	file, err := m.FS.Open(name)
	if err != nil || name != m.name {
		return file, err
	}
	return mendedFile{file, bytes.NewReader(m.data)}, nil
}

type mendedFile struct {
	fs.File
	content *bytes.Reader
}

// Read reads the mended content.
func (f mendedFile) Read(data []byte) (int, error) { return f.content.Read(data) }

// mend writes down what has one right answer, and says what that was. In a dry run only the tree shows it.
func (v validation) mend(dir string, tree *mended) ([]catalog.Finding, error) {
	entries, err := os.ReadDir(dir)
	name := catalog.ManifestName(entries)
	if name == "" || err != nil {
		return nil, err
	}
	raw, err := resource.Read(disk.Open(dir), ".", name, maxMended)
	if err != nil {
		return nil, nil // what cannot be read is told when it is judged; a link that leads out is not ours to mend
	}
	file, err := filepath.EvalSymlinks(filepath.Join(dir, name)) // a link stays one
	if err != nil {
		return nil, err
	}
	fixed, changes, _ := author.Fix(raw, v.rules, filepath.Base(dir))
	if len(changes) == 0 {
		return nil, nil
	}
	for n := range changes {
		changes[n].File = name
	}
	if v.dry {
		tree.name, tree.data = path.Join(filepath.Base(dir), name), fixed
		return changes, nil
	}
	return changes, replace(file, fixed)
}

// replace puts new content in the place of a file that is there, all of it or nothing.
func replace(file string, data []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	staged, err := os.CreateTemp(filepath.Dir(file), ".skills-*")
	if err != nil {
		return err
	}
	keepOwner(staged, info)
	_, err = staged.Write(data)
	err = errors.Join(err, staged.Chmod(info.Mode().Perm()), staged.Sync(), staged.Close())
	if err == nil {
		err = os.Rename(staged.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(staged.Name()))
	}
	return nil
}
