package gitwire_test

import (
	"context"
	"fmt"
	"log"

	"skills/fetch/fetchtest"
	"skills/fetch/internal/gitwire"
)

func Example() {
	forge, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer forge.Close()
	forge.Add(text)
	remote := gitwire.New(forge.Client(), "https://github.com/acme/skills.git")
	refs, err := remote.Refs(context.Background(), "HEAD")
	if err != nil {
		log.Fatal(err)
	}
	pack, err := remote.Fetch(context.Background(), gitwire.Request{Wants: []string{refs[0].ID}, Filter: "blob:none"})
	if err != nil {
		log.Fatal(err)
	}
	defer pack.Close()
	magic := make([]byte, 4)
	if _, err := pack.Read(magic); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s", refs[0].Target, magic)
	// Output: refs/heads/main PACK
}
