package disk

import (
	"bytes"
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
// begins with ".new-". Links below dir are not followed out of it. What begins with "#!" is executable (0755), all other files are not
// (0644); the umask takes from both.
//
// The error is that of author.Define, which joins several, or a *catalog.Error with the path: "already_exists", "io_error" for what the
// system refuses. With it may be joined why what was begun could not be taken away.
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
		return "", unwritten(err, dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", unwritten(err, dir)
	}
	defer root.Close()
	files := maps.Clone(d.Resources)
	if files == nil {
		files = map[string][]byte{}
	}
	files["SKILL.md"] = text
	if err := writeNew(root, d.Name, files); err != nil {
		return "", unwritten(err, filepath.Join(dir, d.Name))
	}
	return filepath.Join(dir, d.Name, "SKILL.md"), nil
}

// unwritten turns what the system says into the error that callers branch on.
func unwritten(err error, path string) error {
	if e := (*catalog.Error)(nil); errors.As(err, &e) {
		return err
	}
	return &catalog.Error{
		Kind: "io_error", At: path, Path: path, Message: fmt.Sprintf("%q cannot be written: %v", path, cause(err)), Hint: "see who may write there",
	}
}

// also joins a second error to the first where there is one.
func also(first, second error) error {
	if second == nil {
		return first
	}
	return errors.Join(first, second)
}

// mode is that of a file with such contents: no other file is run by its name.
func mode(data []byte) fs.FileMode {
	if bytes.HasPrefix(data, []byte("#!")) {
		return 0o755
	}
	return 0o644
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
			err = also(err, root.RemoveAll(stage))
		}
	}()
	for _, file := range slices.Sorted(maps.Keys(files)) {
		target := path.Join(stage, file)
		if err := root.MkdirAll(path.Dir(target), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(target, files[file], mode(files[file])); err != nil {
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
