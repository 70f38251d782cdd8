package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"skills/fetch/internal/local"
	"skills/source"
)

// fetchLocal opens a directory, or an archive, on this machine.
func (c *Client) fetchLocal(ctx context.Context, rev source.Revision) (*Tree, error) {
	name, err := local.Path(rev.Locator.Path, c.config.Home, c.config.Dir)
	if err != nil {
		return nil, localProblem(err)
	}
	found, err := local.Open(name)
	if err != nil {
		return nil, localProblem(err)
	}
	if found.Archive != "" {
		return c.openArchive(ctx, rev, found.Archive)
	}
	return plain(rev, found.FS), nil
}

// localProblem turns an error of package local into an *Error.
func localProblem(err error) error {
	var failure *local.Error
	if !errors.As(err, &failure) {
		return err
	}
	code := Failed
	switch failure.Code {
	case local.NotFound, local.Forbidden, local.Unsupported:
		code = Code(failure.Code)
	}
	return &Error{Kind: code, Message: failure.Error(), Err: err}
}

// plain is the tree of a file system that holds everything already.
func plain(rev source.Revision, files fs.FS) *Tree {
	return &Tree{revision: rev, files: files, load: func(_ context.Context, paths []string) error {
		for _, p := range paths {
			if _, err := fs.Stat(files, p); errors.Is(err, fs.ErrNotExist) {
				return &Error{Kind: NotFound, Message: fmt.Sprintf("there is no %q in %q", p, rev.Locator.Input), Err: err}
			}
		}
		return nil
	}}
}

// fetchBuiltin opens a skill that the program carries.
func (c *Client) fetchBuiltin(rev source.Revision) (*Tree, error) {
	name := rev.Locator.Path
	if c.config.Builtin != nil && fs.ValidPath(name) && name != "." {
		if info, err := fs.Stat(c.config.Builtin, name); err == nil && info.IsDir() {
			files, err := fs.Sub(c.config.Builtin, name)
			if err != nil {
				return nil, err
			}
			return plain(rev, files), nil
		}
	}
	e := &Error{Kind: NotFound, Message: fmt.Sprintf("this program carries no skill %q", name)}
	if c.config.Builtin == nil {
		return nil, e
	}
	entries, err := fs.ReadDir(c.config.Builtin, ".")
	var names []string
	for _, entry := range entries {
		names = append(names, "builtin:"+entry.Name())
	}
	if err == nil && len(names) > 0 {
		e.Hint = "it carries " + strings.Join(names, ", ")
	}
	return nil, e
}
