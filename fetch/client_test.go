package fetch_test

import (
	"context"
	"io/fs"
	"testing"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/fetch/store"
	"skills/source"
)

const acme = `
-- @repo github.com/acme/skills --
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- skills/pdf/run.sh exec --
#!/bin/sh
-- skills/pdf/sub/notes.md --
Notes.
-- skills/docx/SKILL.md --
---
name: docx
description: Reads DOCX files.
---
-- README.md --
Read me.
-- @tag v1 --
`

func client(t testing.TB, forge *fetchtest.Forge, change ...func(*fetch.Config)) *fetch.Client {
	t.Helper()
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	config := fetch.Config{Store: s, Settings: map[string]fetch.HostSettings{}}
	for _, host := range []string{"github.com", "codeload.github.com", "api.github.com", "raw.githubusercontent.com"} {
		config.Settings[host] = fetch.HostSettings{Connect: forge.Addr(), CA: forge.CA()}
	}
	for _, c := range change {
		c(&config)
	}
	c, err := fetch.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func locate(t testing.TB, text string) source.Locator {
	t.Helper()
	l, err := source.Parse(text, source.DefaultHosts())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestPageOfASkillIsThreeRequests(t *testing.T) {
	forge := fetchtest.New(t, acme)
	c := client(t, forge)
	rev, err := c.Resolve(context.Background(), locate(t, "github.com/acme/skills/tree/main/skills/pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if want := forge.Repo("github.com/acme/skills").ID("main"); rev.Commit != want {
		t.Errorf("commit %s, want %s", rev.Commit, want)
	}
	tree, err := c.Fetch(context.Background(), rev)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Load(context.Background(), "skills/pdf/SKILL.md"); err != nil {
		t.Fatal(err)
	}
	if err := tree.Load(context.Background(), "skills/pdf"); err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(tree.FS(), "skills/pdf/sub/notes.md")
	if err != nil || string(data) != "Notes.\n" {
		t.Errorf("%q, %v", data, err)
	}
	for _, r := range forge.Requests() {
		t.Logf("%s %s %s %q %d up %d down %d", r.Method, r.Host, r.Command, r.Arguments, r.Status, r.Up, r.Down)
	}
	if n := forge.Counts("").Requests; n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}
