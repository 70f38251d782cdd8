package author_test

import (
	"fmt"

	"skills/catalog"
	"skills/catalog/author"
)

func ExampleDefine() {
	_, err := author.Define(author.Definition{Name: "My--Notes", Description: ""})
	fmt.Println(err)
	// Output:
	// the name "My--Notes" has capital letters
	// the name "My--Notes" has two hyphens in a row
	// the frontmatter has no description
}

func ExampleFormat() {
	text, err := author.Format(author.Definition{
		Name: "notes", Description: "Writes notes: short ones.", AllowedTools: []string{"Read", "Bash(git log:*)"},
		Metadata: map[string]any{"version": "1.0"}, Instructions: "Be brief.",
	})
	fmt.Print(string(text), err)
	// Output:
	// ---
	// name: notes
	// description: "Writes notes: short ones."
	// metadata:
	//   version: "1.0"
	// allowed-tools: Read Bash(git log:*)
	// ---
	//
	// Be brief.
	// <nil>
}

func ExampleFix() {
	text := "---\nName: notes # mine\ndescription: Use when: notes are due\nlicense: 1.0\n---\nBe brief.\n"
	fixed, changes, err := author.Fix([]byte(text), catalog.Rules{Profile: catalog.ProfileSpec}, "notes")
	fmt.Print(string(fixed), err, "\n")
	for _, c := range changes {
		fmt.Printf("%d %s: %s\n", c.Line, c.Code, c.Message)
	}
	// Output:
	// ---
	// name: notes # mine
	// description: "Use when: notes are due"
	// license: "1.0"
	// ---
	// Be brief.
	// <nil>
	// 2 unknown_key: the key Name becomes name
	// 3 yaml_repaired: description is put in quotes
	// 4 type_coerced: license is put in quotes, since it is a text
}

func ExampleSkeleton() {
	d := author.Skeleton("pdf-forms")
	fmt.Println(d.Description)
	// Output:
	// Says in one or two sentences what pdf-forms does. Use when the words of a request fit, which are named here.
}
