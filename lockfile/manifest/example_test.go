package manifest_test

import (
	"fmt"

	"skills/lockfile/manifest"
)

func ExampleParse() {
	_, err := manifest.Parse([]byte("[skills]\npdf = { sorce = \"acme/pdf\" }\n"), "skills.toml")
	fmt.Println(err)
	fmt.Println(err.(*manifest.Error).Hints()[0])
	// Output:
	// skills.toml:2: unknown key "sorce" in skill "pdf"
	// did you mean "source"?
}

func ExampleManifest_Set() {
	m, err := manifest.Parse([]byte("[skills]\n# forms\npdf    = \"acme/pdf\" # v1 is broken\n"), "skills.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := m.Set(
		manifest.Skill{Name: "pdf", Source: "acme/pdf", Ref: "v2"},
		manifest.Skill{Name: "notes", Source: "https://github.com/acme/notes"},
	)
	fmt.Print(string(text), err)
	// Output:
	// [skills]
	// # forms
	// pdf    = { source = "acme/pdf", ref = "v2" } # v1 is broken
	// notes  = "https://github.com/acme/notes"
	// <nil>
}

func ExampleManifest_Delete() {
	m, err := manifest.Parse([]byte("[skills]\npdf = \"acme/pdf\"\nxlsx = \"acme/xlsx\"\n"), "skills.toml")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := m.Delete("pdf")
	fmt.Print(string(text), err)
	// Output:
	// [skills]
	// xlsx = "acme/xlsx"
	// <nil>
}
