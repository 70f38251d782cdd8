package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"skills/catalog"
	"skills/catalog/author"
)

// Write puts a skill below a directory, as <dir>/<name>/SKILL.md with its resources beside it, and gives the path of the SKILL.md. The
// directory is made where it is not there. The definition is checked as author.Define does, and nothing is written when it is
// refused: to take in what others wrote, read it with a lenient profile instead.
//
// Nothing is overwritten: what has the name already, a link to nothing too, is a *catalog.Error "already_exists". The files are made
// in a directory of their own that gets its name at last, so no reader sees half a skill; what an interrupted call leaves behind
// begins with ".new-". Links below dir are not followed out of it.
func Write(dir string, d author.Definition) (string, error) {
	d, err := author.Define(d)
	if err != nil {
		return "", err
	}
	text, err := author.Format(d)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	files := maps.Clone(d.Resources)
	if files == nil {
		files = map[string][]byte{}
	}
	files["SKILL.md"] = text
	if err := writeNew(root, d.Name, files); err != nil {
		return "", err
	}
	return filepath.Join(dir, d.Name, "SKILL.md"), nil
}

// writeNew makes a directory with files, which must not be there.
func writeNew(root *os.Root, name string, files map[string][]byte) (err error) {
	if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return taken(root, name, err)
	}
	stage := ".new-" + rand.Text()
	if err := root.Mkdir(stage, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.RemoveAll(stage))
		}
	}()
	for _, file := range slices.Sorted(maps.Keys(files)) {
		target := path.Join(stage, file)
		if err := root.MkdirAll(path.Dir(target), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(target, files[file], 0o644); err != nil {
			return err
		}
	}
	if err := root.Rename(stage, name); err != nil {
		return taken(root, name, err) // somebody was faster
	}
	return nil
}

// taken says that something has a name already; any other error of asking for it stays.
func taken(root *os.Root, name string, err error) error {
	if _, missing := root.Lstat(name); missing != nil {
		return err
	}
	return &catalog.Error{
		Kind: "already_exists", Name: name, Path: filepath.Join(root.Name(), name), Message: fmt.Sprintf("%q is there already", filepath.Join(root.Name(), name)),
		Hint: "choose another name, or take away what is there",
	}
}
