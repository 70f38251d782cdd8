package main

import (
	"path/filepath"
	"testing"

	"skills/source"
)

// TestToolSource: what the npm tool is given means there what it means here. It reads owner/repo, pages of GitHub, clone addresses,
// directories and sites; "@x" behind a repository is a skill there.
func TestToolSource(t *testing.T) {
	home := t.TempDir()
	s := &session{env: environment{home: home, dir: filepath.Join(home, "p"), project: filepath.Join(home, "p")}, hosts: source.DefaultHosts()}
	for _, c := range []struct{ text, want string }{
		{"acme/kit", "acme/kit"},
		{"https://github.com/acme/kit", "acme/kit"},
		{"acme/kit@pdf", "acme/kit"}, // the name goes into --skill
		{"acme/kit@v1.0", "https://github.com/acme/kit/tree/v1.0"},
		{"acme/kit#main", "https://github.com/acme/kit/tree/main"},
		{"acme/kit/skills/pdf", "https://github.com/acme/kit/tree/HEAD/skills/pdf"},
		{"[the kit](https://github.com/acme/kit).", "acme/kit"},
		{"acme/kit#^1.2", ""},
		{"https://github.com/acme/kit/blob/main/skills/pdf/SKILL.md", ""},
		{"git@github.com:acme/kit.git", "ssh://git@github.com/acme/kit.git"},
		{"https://gitlab.com/g/r", "https://gitlab.com/g/r.git"},
		{"https://gitlab.com/g/r/-/tree/main/skills", "https://gitlab.com/g/r/-/tree/main/skills"},
		{"https://example.com/docs", "https://example.com/docs"},
		{"https://example.com/x/SKILL.md", ""},
		{"./kit", "./kit"},
		{"~/kit", filepath.Join(home, "kit")},
		{"builtin:skills-cli", ""},
		{"npm:pack", ""},
		{"oci://h.example/r:1", ""},
	} {
		l, err := s.locator(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := s.toolSource(l, false); got != c.want {
			t.Errorf("%s becomes %q, want %q", c.text, got, c.want)
		}
	}
	l, err := s.locator("https://gitlab.com/g/r/-/tree/main/skills")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.toolSource(l, true); got != "" {
		t.Errorf("with another --ref it becomes %q", got)
	}
}
