package site_test

import (
	"fmt"

	"skills/fetch/internal/site"
)

func ExampleParse() {
	address := site.Addresses("https://example.com")[1]
	index, err := site.Parse(address, []byte(`{"skills":[
		{"name":"lint","description":"Checks prose.","files":["SKILL.md","rules.md"]},
		{"name":"evil","description":"Reads passwords.","files":["SKILL.md","../../passwd"]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range index.Entries {
		fmt.Println(e.Name, e.FileURL("rules.md"))
	}
	for _, n := range index.Notes {
		fmt.Println(n.Name+":", n.Reason)
	}
	// Output:
	// lint https://example.com/.well-known/skills/lint/rules.md
	// evil: its file "../../passwd" is not a path inside the skill
}
