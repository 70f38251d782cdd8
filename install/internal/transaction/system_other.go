//go:build !linux && !darwin

package transaction

import (
	"errors"
	"io/fs"
)

// exchange is not to be had here; two renames take its place.
func exchange(string, string) error { return errors.ErrUnsupported }

// inode is not to be had here. It is looked at only after an exchange.
func inode(fs.FileInfo) uint64 { return 0 }

// syncFileSystem is not to be had here.
func syncFileSystem(string) error { return errors.ErrUnsupported }

// syncDir does nothing: directories cannot be synchronised here, and renames are written through.
func syncDir(string) error { return nil }
