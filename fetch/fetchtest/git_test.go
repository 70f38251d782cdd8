package fetchtest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"skills/fetch/fetchtest"
)

const two = `Two commits, two branches, two tags.
-- @repo github.com/acme/skills --
-- skills/pdf/SKILL.md --
---
name: pdf
---
-- skills/pdf/run.sh exec --
#!/bin/sh
-- skills/link symlink --
pdf/SKILL.md
-- @tag v1 --
-- @commit second --
-- skills/pdf/SKILL.md --
changed
-- "with blank.md" --
x
-- bin base64 --
AAEC
-- @tag v2 --
Second release.
-- @branch feature/x v1 --
-- vendor/x gitlink --
-- @ref refs/pull/1/head --
`

func git(t *testing.T, f *fetchtest.Forge, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), f.Environ()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestCloneGivesWhatWasPutIn(t *testing.T) {
	f := fetchtest.New(t, two)
	dir := t.TempDir()
	t.Log(git(t, f, dir, "clone", "https://github.com/acme/skills", "c"))
	t.Log(git(t, f, filepath.Join(dir, "c"), "log", "--all", "--graph", "--format=%h %d %s %ad"))
	t.Log(git(t, f, filepath.Join(dir, "c"), "ls-tree", "-r", "HEAD"))
	t.Log(git(t, f, filepath.Join(dir, "c"), "ls-remote"))
	git(t, f, filepath.Join(dir, "c"), "fsck", "--strict")
	for _, r := range f.Requests() {
		t.Logf("%+v", r)
	}
	t.Logf("%+v", f.Counts("github.com"))
}
