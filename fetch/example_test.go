package fetch_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"skills/fetch"
	"skills/fetch/fetchtest"
	"skills/fetch/store"
	"skills/source"
)

// exampleClient is a client whose github.com is a forge on this machine.
func exampleClient() (client *fetch.Client, forge *fetchtest.Forge, done func()) {
	forge, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	forge.Add(acme)
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	s, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		log.Fatal(err)
	}
	here := fetch.HostSettings{Connect: forge.Addr(), CA: forge.CA()}
	client, err = fetch.New(fetch.Config{Store: s, Settings: map[string]fetch.HostSettings{
		"github.com": here, "site.example": here, "registry.npmjs.org": here,
	}})
	if err != nil {
		log.Fatal(err)
	}
	return client, forge, func() {
		s.Close()
		forge.Close()
		os.RemoveAll(dir)
	}
}

// A client for a test: the hosts that it asks are a forge on this machine. Inside of a test fetchtest.New and t.TempDir do without the
// errors.
func ExampleNew() {
	forge, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer forge.Close()
	forge.Add("-- @repo github.com/acme/skills --\n-- pdf/SKILL.md --\n---\nname: pdf\ndescription: Reads PDF files.\n---\n-- @tag v1 --\n")
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := fetch.OpenStore(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	settings := map[string]fetch.HostSettings{}
	for _, host := range []string{"github.com", "codeload.github.com", "api.github.com"} { // GitHub, its archives and its API
		settings[host] = fetch.HostSettings{Connect: forge.Addr(), CA: forge.CA()}
	}
	client, err := fetch.New(fetch.Config{Store: s, Settings: settings})
	if err != nil {
		log.Fatal(err)
	}
	locator, err := source.Parse("acme/skills#v1", source.DefaultHosts())
	if err != nil {
		log.Fatal(err)
	}
	revision, err := client.Resolve(context.Background(), locator)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(revision.Ref, revision.Commit == forge.Repo("github.com/acme/skills").ID("v1"))
	// Output: refs/tags/v1 true
}

func Example() {
	client, _, done := exampleClient()
	defer done()
	ctx := context.Background()
	locator, err := source.Parse("github.com/acme/skills/tree/main/skills/pdf", source.DefaultHosts())
	if err != nil {
		log.Fatal(err)
	}
	revision, err := client.Resolve(ctx, locator)
	if err != nil {
		log.Fatal(err)
	}
	tree, err := client.Fetch(ctx, revision)
	if err != nil {
		log.Fatal(err)
	}
	if err := tree.Load(ctx, "skills/pdf"); err != nil {
		log.Fatal(err)
	}
	data, err := fs.ReadFile(tree.FS(), "skills/pdf/sub/notes.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s", revision.Ref, data)
	// Output: refs/heads/main Notes.
}

func ExampleClient_FetchTrees() {
	client, forge, done := exampleClient()
	defer done()
	locator, err := source.Parse("acme/skills", source.DefaultHosts())
	if err != nil {
		log.Fatal(err)
	}
	locked := map[string]string{"skills/docx": forge.Repo(acmeName).ID("main:skills/docx")}
	tree, err := client.FetchTrees(context.Background(), locator, locked)
	if err != nil {
		log.Fatal(err)
	}
	entries, err := fs.ReadDir(tree.FS(), "skills/docx")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(entries[0].Name(), len(forge.Requests()))
	// Output: SKILL.md 1
}

func ExampleClient_Changed() {
	client, forge, done := exampleClient()
	defer done()
	ctx := context.Background()
	locator, err := source.Parse("acme/skills", source.DefaultHosts())
	if err != nil {
		log.Fatal(err)
	}
	locked, err := client.Resolve(ctx, locator)
	if err != nil {
		log.Fatal(err)
	}
	trees := map[string]string{"skills/docx": forge.Repo(acmeName).ID("main:skills/docx")}
	forge.Add("-- @repo github.com/acme/skills --\n-- README.md --\nChanged.\n")
	newest, changed, err := client.Changed(ctx, locked, trees)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(newest.Commit != locked.Commit, len(changed))
	// Output: true 0
}

// A site lists its skills; each has a digest, and is brought when it is loaded.
func ExampleTree_Digest() {
	client, forge, done := exampleClient()
	defer done()
	forge.Add(shop)
	ctx := context.Background()
	locator, err := source.Parse("https://site.example", source.DefaultHosts())
	if err != nil {
		log.Fatal(err)
	}
	revision, err := client.Resolve(ctx, locator)
	if err != nil {
		log.Fatal(err)
	}
	tree, err := client.Fetch(ctx, revision)
	if err != nil {
		log.Fatal(err)
	}
	skills, err := fs.ReadDir(tree.FS(), ".")
	if err != nil {
		log.Fatal(err)
	}
	for _, skill := range skills {
		fmt.Println(skill.Name())
	}
	fmt.Println(tree.Digest("lint"))
	if err := tree.Load(ctx, "lint"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// lint
	// triage
	// sha256:6511a04ec3e5f7178408338081706925acdb0891f5381341eadc3f2cd188828b
}
