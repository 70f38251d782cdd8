package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Many skills out of many repositories: what is asked grows with the repositories, never with the skills.
func TestRequestsAreCountedByRepositories(t *testing.T) {
	const repositories, skills = 20, 10
	m := newMachine(t)
	m.program = build(t)
	add := []string{"add", "--all"}
	for i := range repositories {
		name := fmt.Sprintf("acme/pack%02d", i)
		m.forge.Add(pack(name, fmt.Sprintf("p%02d-", i), skills))
		add = append(add, name)
	}
	m.skills(t, 0, add...)
	before := m.state(t)
	for _, name := range []string{"cache", "project/.agents", "project/.claude"} {
		if err := os.RemoveAll(m.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command []string
		asked   string // of each repository once; "" for nobody
	}{
		{[]string{"install", "--frozen"}, "fetch"}, // a fresh clone on a new machine: the trees of the lock
		{[]string{"install", "--frozen"}, ""},
		{[]string{"install"}, ""},
		{[]string{"verify"}, ""},
		{[]string{"outdated"}, "ls-refs"},
		{[]string{"update"}, "ls-refs"},
	} {
		m.forge.Reset()
		m.skills(t, 0, c.command...)
		paths := map[string]int{}
		for _, r := range m.forge.Requests() {
			paths[r.Path]++
			if r.Command != c.asked {
				t.Errorf("skills %q: %s %s %s", c.command, r.Method, r.Path, r.Command)
			}
		}
		want := repositories
		if c.asked == "" {
			want = 0
		}
		if total := len(m.forge.Requests()); total != want || len(paths) != want {
			t.Errorf("skills %q: %d requests to %d places, want %d", c.command, total, len(paths), want)
		}
		if after := m.state(t); after != before {
			t.Fatalf("skills %q: there is\n%s\nwant:\n%s", c.command, after, before)
		}
	}
	lock, err := os.ReadFile(m.path("project/skills.lock"))
	if got := strings.Count(string(lock), "[[skill]]"); err != nil || got != repositories*skills {
		t.Errorf("%d skills in the lock, error %v; want %d", got, err, repositories*skills)
	}
}
