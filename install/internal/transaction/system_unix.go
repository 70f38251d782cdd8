//go:build linux || darwin

package transaction

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// inode returns the number that stays with an entry when it is renamed.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}

// syncDir makes the names in a directory last.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
