package fetchtest_test

import (
	"fmt"
	"io"
	"net/http"

	"skills/fetch/fetchtest"
)

// A test begins with New and the text of its forge; outside of tests Start does the same.
func Example() {
	f, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	f.Add(`
-- @repo github.com/acme/skills --
-- skills/pdf/SKILL.md --
---
name: pdf
description: Reads PDF files.
---
-- @tag v1 --
-- @commit Say more --
-- skills/pdf/notes.md --
More.
`)
	response, err := f.Client().Get("https://raw.githubusercontent.com/acme/skills/main/skills/pdf/notes.md")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Printf("%s%v\n", body, err)
	repo := f.Repo("github.com/acme/skills")
	fmt.Println(repo.ID("v1") == repo.ID("main~1"))
	fmt.Println(f.Counts("").Requests, f.Requests()[0].Status)
	// Output:
	// More.
	// <nil>
	// true
	// 1 200
}

// The second request finds the truth.
func ExampleForge_Fault() {
	f, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	f.Add("-- @repo github.com/acme/skills --\n-- README.md --\nHello.\n")
	f.Fault(fetchtest.Fault{Host: "codeload.github.com", Times: 1, Do: fetchtest.Answer(http.StatusServiceUnavailable, "busy", "Retry-After", "1")})
	for range 2 {
		response, err := f.Client().Get("https://codeload.github.com/acme/skills/tar.gz/main")
		if err != nil {
			fmt.Println(err)
			return
		}
		response.Body.Close()
		fmt.Println(response.Status, response.Header.Get("Retry-After"))
	}
	// Output:
	// 503 Service Unavailable 1
	// 200 OK
}

// What a program asked for is in the log: here the two requests of git for a repository that has moved.
func ExampleForge_Requests() {
	f, err := fetchtest.Start(fetchtest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	f.Add("-- @repo github.com/acme/skills formerly=github.com/acme/old --\n-- README.md --\nHello.\n")
	response, err := f.Client().Get("https://github.com/acme/old/info/refs?service=git-upload-pack")
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	for _, r := range f.Requests() {
		fmt.Println(r.Method, r.Host, r.Path, r.Command, r.Status)
	}
	fmt.Println(f.Counts("github.com").Connections, "connection")
	// Output:
	// GET github.com /acme/old/info/refs info/refs 301
	// GET github.com /acme/skills.git/info/refs info/refs 200
	// 1 connection
}
