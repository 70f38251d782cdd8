//go:build unix

package local

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

func TestNothingButFilesAndFoldersIsOpened(t *testing.T) {
	dir := tree(t, map[string]string{"SKILL.md": ""})
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := fs.ReadFile(open(t, dir).FS, "pipe"); err == nil {
		t.Error("a pipe was opened")
	}
	_, err := Open(pipe)
	wantCode(t, err, Unsupported)
}
