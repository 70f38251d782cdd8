package disk

import (
	"os"
	"testing"
)

// A file in the way of a directory fails in the midst of the work, on every system and for every user.
func TestAFailureLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := writeNew(root, "notes", map[string][]byte{"a.md": []byte("x"), "b": []byte("x"), "b/c.md": []byte("x")}); err == nil {
		t.Error("a file lies below a file")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
