package lockfile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/lockfile"
)

// names are the names in a lock.
func names(l *lockfile.Lock) []string {
	var all []string
	for _, s := range l.Skills() {
		all = append(all, s.Name)
	}
	return all
}

// Whatever two branches did, a conflict of git leaves what one of them alone says, and what both say.
func TestMendTakesWhatGitCouldNot(t *testing.T) {
	conflicts := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		base, ours, theirs := lockfile.New(), lockfile.New(), lockfile.New()
		want := lockfile.New()
		count := 2 + r.IntN(5)
		mine, other := r.IntN(count), r.IntN(count) // the same: both add it, with another commit each
		for i := range count {
			for _, l := range []*lockfile.Lock{base, ours, theirs, want} {
				s := entry(i, true)
				if l == base && (i == mine || i == other) || l == ours && i == other && i != mine || l == theirs && i == mine && i != other {
					continue
				}
				if l == theirs && i == mine {
					s.Commit = fmt.Sprintf("%040x", seed)
				}
				if l == want && mine == other && i == mine {
					continue
				}
				put(t, l, s)
			}
		}
		text, clean := mergeFile(t, ours, base, theirs)
		if clean {
			continue
		}
		conflicts++
		got := lockfile.Mend([]byte(text), "skills.lock")
		if diff := cmp.Diff(string(want.Bytes()), string(got.Bytes())); diff != "" {
			t.Errorf("seed %d: %d and %d of %d:\n%s\nof\n%s", seed, mine, other, count, diff, text)
		}
	}
	if conflicts < 10 {
		t.Errorf("only %d of the merges had conflicts", conflicts)
	}
}

func TestMendOfWhatIsNoConflict(t *testing.T) {
	for text, want := range map[string][]string{
		whole:                                {"notes", "pdf", "tide-4.2"},
		"version = 1\n[[skill]]\nname = 5\n": nil,
		"":                                   nil,
		"version = 1\n<<<<<<< a\n=======\n[[skill]]\nname = 5\n>>>>>>> b\n":                                            nil,
		"version = 1\r\n<<<<<<< a\r\n[[skill]]\r\nname = \"a\"\r\nhash = \"" + hash + "\"\r\n=======\r\n>>>>>>> b\r\n": {"a"},
	} {
		got := names(lockfile.Mend([]byte(text), "skills.lock"))
		if !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
