package lockfile_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/lockfile"
)

// mergeFile merges as git does and tells whether there was a conflict.
func mergeFile(t *testing.T, ours, base, theirs *lockfile.Lock) (text string, clean bool) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"merge-file", "-p", "--diff3"}
	for name, l := range map[string]*lockfile.Lock{"ours": ours, "base": base, "theirs": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), l.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ours", "base", "theirs"} {
		args = append(args, filepath.Join(dir, name))
	}
	out, err := exec.Command("git", args...).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 127) {
		t.Fatal(err)
	}
	return string(out), err == nil
}

// entry gives a skill; those of one repository have all lines but two in common.
func entry(i int, shared bool) lockfile.Skill {
	s := lockfile.Skill{Name: fmt.Sprintf("s%03d", i), Source: "https://github.com/o/r", Path: fmt.Sprintf("skills/s%03d", i), Ref: "main",
		Resolved: "refs/heads/main", Commit: commit, Tree: tree, Hash: hash, License: "MIT"}
	if !shared {
		s.Source += fmt.Sprint(i)
		s.Commit = fmt.Sprintf("%040x", i)
		s.Tree = fmt.Sprintf("%040x", i+1000)
	}
	return s
}

func TestMergeOfBranchesThatAddSkillsThatAreNoNeighbours(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		shared := r.IntN(2) == 0
		count := 3 + r.IntN(8)
		mine := r.IntN(count - 1)
		other := mine + 2 + r.IntN(count-mine-1) // at least one in between
		if r.IntN(2) == 0 {
			mine, other = other, mine
		}
		base, ours, theirs, both := lockfile.New(), lockfile.New(), lockfile.New(), lockfile.New()
		for i := range count + 1 {
			for _, l := range []*lockfile.Lock{base, ours, theirs, both} {
				if (i == mine && (l == base || l == theirs)) || (i == other && (l == base || l == ours)) {
					continue
				}
				put(t, l, entry(i, shared))
			}
		}
		got, clean := mergeFile(t, ours, base, theirs)
		if !clean || got != string(both.Bytes()) {
			t.Fatalf("seed %d: %d and %d of %d: conflict %v in\n%s", seed, mine, other, count, !clean, got)
		}
		parse(t, got)
	}
}

func TestMergeOfBranchesThatUpdateNeighbours(t *testing.T) {
	base, ours, theirs, both := lockfile.New(), lockfile.New(), lockfile.New(), lockfile.New()
	for i := range 4 {
		for _, l := range []*lockfile.Lock{base, ours, theirs, both} {
			s := entry(i, true)
			if (i == 1 && (l == ours || l == both)) || (i == 2 && (l == theirs || l == both)) {
				s.Commit = strings.Repeat("1", 40)
			}
			put(t, l, s)
		}
	}
	if got, clean := mergeFile(t, ours, base, theirs); !clean || got != string(both.Bytes()) {
		t.Errorf("conflict %v in\n%s", !clean, got)
	}
}

func TestMergeConflictIsRefused(t *testing.T) {
	base, ours, theirs := lockfile.New(), lockfile.New(), lockfile.New()
	put(t, ours, entry(1, false))
	put(t, theirs, entry(2, false))
	got, clean := mergeFile(t, ours, base, theirs)
	if clean {
		t.Fatalf("no conflict in %s", got)
	}
	_, err := lockfile.Parse([]byte(got), "skills.lock")
	refused(t, got, err, "lock_conflict", "skills.lock:2: merge conflict markers on lines 2, ")
}
