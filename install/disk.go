package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"skills/lockfile"
)

// owner says whose an entry on the disk is.
type owner int

const (
	nobody owner = iota // nothing is there
	ours                // what the lock says, untouched
	edited              // the lock names it, and somebody changed it since
	others              // not installed by this program
)

// entry is what was found at one name of one directory.
type entry struct {
	owner  owner
	link   bool // a symbolic link
	digest string
	found  contents
	plain  contents // as it was installed, where nothing but line ends differ, as a checkout on Windows makes them
	odd    []string // paths below it that are neither files nor directories
	seen   string   // tells a directory or link that is ours from what it becomes by an edit; "" for nothing
}

// resolve returns the directory with all links of it and its parents followed; what does not exist yet is appended as it is.
func resolve(dir string) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if err == nil {
		return resolved, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Lstat(dir); err == nil {
		return "", &Error{Kind: "unsupported", Name: dir, Message: "the link " + quote(dir) + " leads nowhere", Hint: "make the directory that it names, or remove the link"}
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return "", err
	}
	parent, err = resolve(parent)
	return filepath.Join(parent, filepath.Base(dir)), err
}

// inspectCanonical tells what is at the canonical place of a name.
func (e *Engine) inspectCanonical(ctx context.Context, name string, locked lockfile.Skill) (entry, error) {
	return e.inspect(ctx, filepath.Join(e.canonical(), name), locked.Hash)
}

// inspect tells what is at a path, given the digest that the lock holds for it, "" for none.
func (e *Engine) inspect(ctx context.Context, path, digest string) (entry, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return entry{}, nil
	case err != nil:
		return entry{}, err
	case info.Mode().Type() == fs.ModeSymlink:
		return entry{owner: others, link: true, seen: "link"}, nil
	case !info.IsDir():
		return entry{owner: others, seen: "file"}, nil
	}
	found, odd, err := diskContents(ctx, path)
	if err != nil {
		return entry{}, err
	}
	result := entry{owner: others, digest: found.digest(), found: found, odd: odd}
	result.seen = result.digest + strings.Join(odd, " ")
	switch {
	case digest == "" && len(odd) == 0 && e.recall(result.digest) != nil:
		result.owner = ours // written by this program, untouched since, and not recorded any more
	case digest == "":
	case len(odd) > 0:
		result.owner = edited
	case e.matches(found, digest):
		result.owner, result.digest = ours, digest
	default:
		result.owner = edited
		if result.plain, err = e.plain(path, digest, found); result.plain != nil {
			result.owner, result.digest = ours, digest
		}
	}
	return result, err
}

// inspectTarget tells what an agent's directory holds for a name: a link to the canonical directory is ours, and so is a copy of
// what the lock says.
func (e *Engine) inspectTarget(ctx context.Context, dir, name, digest string) (entry, error) {
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		if e.leadsHome(path, name) {
			return entry{owner: ours, link: true, seen: "link home"}, nil
		}
		return entry{owner: others, link: true, seen: "link"}, nil
	}
	found, err := e.inspect(ctx, path, digest)
	if found.owner == edited && found.found != nil {
		known := e.recall(digest)
		if known == nil || !related(known, found.found) {
			found.owner = others // a directory of the same name that has nothing of ours
		}
	}
	return found, err
}

// related tells whether two directories share a file, so that one can be an edited copy of the other.
func related(a, b contents) bool {
	paths := map[string]bool{}
	for _, file := range a {
		paths[file.path+string(file.sum[:])] = true
	}
	for _, file := range b {
		if paths[file.path+string(file.sum[:])] {
			return true
		}
	}
	return false
}

// leadsHome tells whether a link names the canonical directory of a skill, be that there or not.
func (e *Engine) leadsHome(path, name string) bool {
	text, err := os.Readlink(path)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(text) {
		parent, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return false
		}
		text = filepath.Join(parent, text)
	}
	home, err := resolve(e.canonical())
	if err != nil {
		return false
	}
	parent, err := resolve(filepath.Dir(filepath.Clean(text)))
	return err == nil && parent == home && filepath.Base(text) == name
}

// linkText is what a link in dir must say to lead to the canonical directory of a name. Both directories are resolved, since a
// relative link counts from where its directory really lies.
func linkText(dir, home, name string) (string, error) {
	return filepath.Rel(dir, filepath.Join(home, name))
}

// everyTarget lists the directories of all known agents that exist now, apart from the canonical one.
func (e *Engine) everyTarget() []target {
	home, err := resolve(e.canonical())
	if err != nil {
		home = e.canonical()
	}
	var all []target
	for _, agent := range e.config.Agents.All() {
		dir, err := agent.Path(e.config.Scope, e.config.Environment)
		if err != nil {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(dir); err == nil && resolved != home {
			all = addTarget(all, dir, agent.ID, agent.CopyOnly)
		}
	}
	return all
}
