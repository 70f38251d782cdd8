package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// pack is the text of a repository with as many skills, whose names are a prefix and a number.
func pack(repository, prefix string, skills int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- @repo github.com/%s --\n", repository)
	for i := range skills {
		fmt.Fprintf(&b, "-- skills/%[1]s%[2]d/SKILL.md --\n---\nname: %[1]s%[2]d\ndescription: Does %[2]d.\n---\n\nOf %[3]s.\n-- skills/%[1]s%[2]d/more.md --\nMore of %[2]d.\n", prefix, i, repository)
	}
	return b.String()
}

// together runs the program several times at once, each in its directory, and tells what went wrong.
func (m *machine) together(t *testing.T, dirs []string, arguments func(i int) []string) {
	t.Helper()
	var group sync.WaitGroup
	for i, dir := range dirs {
		c := m.command(dir, arguments(i)...)
		group.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%q: %v\n%s", c.Args[1:], err, out)
			}
		})
	}
	group.Wait()
}

// repeated is the same text several times.
func repeated(text string, times int) []string {
	return strings.Split(strings.TrimSuffix(strings.Repeat(text+" ", times), " "), " ")
}

func TestProcessesInOneProjectWaitForEachOther(t *testing.T) {
	m := newMachine(t)
	m.forge.Add(pack("acme/pack", "s", 8))
	m.together(t, repeated("project", 8), func(i int) []string { return []string{"add", "acme/pack", "-s", fmt.Sprint("s", i)} })
	if out := m.skills(t, 0, "verify"); !strings.Contains(out, "as the lock says: 8 of 8") {
		t.Error(out)
	}
	before := m.state(t)
	m.together(t, repeated("project", 6), func(i int) []string { // the same at once, and other commands among them
		return [][]string{{"add", "acme/pack", "-s", "s1"}, {"install"}, {"update"}, {"install", "--frozen"}, {"list"}, {"verify"}}[i]
	})
	if after := m.state(t); after != before {
		t.Errorf("something changed:\n%s\nbefore:\n%s", after, before)
	}
	m.together(t, repeated("project", 8), func(i int) []string { return []string{"remove", fmt.Sprint("s", i)} })
	if after := m.state(t); strings.Contains(after, ".agents") || strings.Contains(after, ".claude") {
		t.Errorf("something is left:\n%s", after)
	}
}

func TestProcessesOfSeveralProjectsShareAStore(t *testing.T) {
	m := newMachine(t)
	m.forge.Add(pack("acme/pack", "s", 20))
	m.forge.Add(pack("acme/other", "s", 3))
	dirs := []string{"project", "second", "third", "fourth"}
	for _, dir := range dirs[1:] {
		if err := os.MkdirAll(m.path(dir+"/.git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m.together(t, dirs, func(i int) []string { return []string{"add", "acme/pack", "--all"} })
	m.together(t, dirs, func(i int) []string { return []string{"verify"} })
	locks := map[string]bool{}
	for _, dir := range dirs {
		lock, err := os.ReadFile(m.path(dir + "/skills.lock"))
		if err := errors.Join(err, os.RemoveAll(m.path(dir+"/.agents"))); err != nil {
			t.Fatal(err)
		}
		locks[string(lock)] = true
	}
	if len(locks) != 1 || strings.Count(fmt.Sprint(locks), "[[skill]]") != 20 {
		t.Errorf("%d locks: %v", len(locks), locks)
	}
	m.together(t, dirs, func(i int) []string { // out of the store, while something else is written to it
		return [][]string{{"install", "--frozen", "--offline"}, {"add", "acme/other", "--all", "--force"}}[i%2]
	})
}
