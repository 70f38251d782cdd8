package lockfile_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	burntsushi "github.com/BurntSushi/toml"
	pelletier "github.com/pelletier/go-toml/v2"

	"skills/lockfile"
)

// TestLockIsAMapOfItsSkills runs random operations, with writing and reading in between, and holds the lock against a plain map.
func TestLockIsAMapOfItsSkills(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		l, model := lockfile.New(), map[string]lockfile.Skill{}
		for range 60 {
			s := entry(r.IntN(12), r.IntN(2) == 0)
			_, locked := model[s.Name]
			switch r.IntN(5) {
			case 0:
				if l.Remove(s.Name) != locked {
					t.Fatalf("seed %d: remove of %s, locked %v", seed, s.Name, locked)
				}
				delete(model, s.Name)
			case 1:
				l = parse(t, string(l.Bytes()))
			case 2:
				s.Name = strings.ToUpper(s.Name)
				if err := l.Put(s); (err != nil) != locked {
					t.Fatalf("seed %d: put of %s, locked in lower case %v: %v", seed, s.Name, locked, err)
				}
				if !locked {
					l.Remove(s.Name)
				}
			default:
				put(t, l, s)
				model[s.Name] = s
			}
			compare(t, l, model)
		}
	}
}

// compare fails unless the lock holds exactly the skills of the model, in order.
func compare(t *testing.T, l *lockfile.Lock, model map[string]lockfile.Skill) {
	t.Helper()
	all := l.Skills()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		if want := model[s.Name]; s.Commit != want.Commit || s.Source != want.Source || s.Path != want.Path {
			t.Fatalf("got %+v, want %+v", s, want)
		}
	}
	if !slices.Equal(names, slices.Sorted(maps.Keys(model))) {
		t.Fatalf("got %q, want %q", names, slices.Sorted(maps.Keys(model)))
	}
}

// TestChangesOfOneSkillAreLinesOfOneTable is what makes a lock fit for review and for merges.
func TestChangesOfOneSkillAreLinesOfOneTable(t *testing.T) {
	l := parse(t, whole)
	before := strings.Split(string(l.Bytes()), "\n")
	s, _ := l.Get("pdf")
	s.Commit = strings.Repeat("1", 40)
	put(t, l, s)
	after := strings.Split(string(l.Bytes()), "\n")
	var changed []int
	for i := range before {
		if before[i] != after[i] {
			changed = append(changed, i+1)
		}
	}
	if len(before) != len(after) || !slices.Equal(changed, []int{13}) {
		t.Errorf("lines %v changed in %q", changed, after)
	}
}

// TestDamageIsToldOrHarmless cuts, doubles and swaps bytes of a good lock: the reader gives an error with a line, or a lock that two
// independent readers read as well. Half a table is never taken for a whole one.
func TestDamageIsToldOrHarmless(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	told := 0
	for at := 0; at < len(whole); at += 7 {
		other := r.IntN(len(whole))
		swapped := []byte(whole)
		swapped[at], swapped[other] = swapped[other], swapped[at]
		for _, text := range []string{whole[:at], whole[:at] + whole[at+1:], whole[:at] + whole[at:at+1] + whole[at:], string(swapped)} {
			l, err := lockfile.Parse([]byte(text), "skills.lock")
			if err != nil {
				told++
				var e *lockfile.Error
				if !errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(text, "\n")+1 {
					t.Fatalf("%v is no line of %s", err, text)
				}
				continue
			}
			for _, s := range l.Skills() {
				if s.Name == "" || s.Hash == "" {
					t.Fatalf("half a skill %+v from %s", s, text)
				}
			}
			var one, two struct{ Skill []map[string]any }
			if burntsushi.Unmarshal([]byte(text), &one) != nil || pelletier.Unmarshal(l.Bytes(), &two) != nil || len(one.Skill) != len(two.Skill) {
				t.Fatalf("%d and %d skills in %s", len(one.Skill), len(two.Skill), text)
			}
		}
	}
	if told < len(whole)/7 {
		t.Errorf("only %d of %d damages were noticed", told, 4*len(whole)/7)
	}
}
