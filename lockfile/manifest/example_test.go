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
	// notes  = "https://github.com/acme/notes"
	// # forms
	// pdf    = { source = "acme/pdf", ref = "v2" } # v1 is broken
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

func ExampleParseList() {
	m, err := manifest.ParseList([]byte("acme/skills#v2  # all of them\nacme/docs --skill lint\nacme/docs --skill lint --as prose-lint\n"), "team.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range m.Packs {
		fmt.Println(p.Line, p.Source, p.Include)
	}
	for _, s := range m.Skills {
		fmt.Println(s.Line, s.Name, s.Source, s.Select)
	}
	// Output:
	// 1 acme/skills#v2 []
	// 2 acme/docs [lint]
	// 3 prose-lint acme/docs lint
}

func ExampleParsePlugins() {
	m, err := manifest.ParsePlugins([]byte(`apiVersion: smarter.sh/v1
kind: SkillPlugin
metadata:
  name: notes
spec:
  skillData:
    skill: |
      ---
      name: notes
      description: Writes notes.
      ---
      Follow [the template](template.md).
    resources:
      template.md: "# Decisions"
`), "notes.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(m.Skills[0].Name, "\n", m.Skills[0].Inline.Document, m.Skills[0].Inline.Resources)
	// Output:
	// notes
	// ---
	// name: notes
	// description: Writes notes.
	// ---
	// Follow [the template](template.md).
	// map[template.md:# Decisions]
}

func ExampleParseAny() {
	for _, text := range []string{"[skills]\npdf = \"acme/pdf\"", "acme/pdf --as pdf"} {
		m, err := manifest.ParseAny([]byte(text), "-")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Skills[0].Name, m.Skills[0].Source)
	}
	// Output:
	// pdf acme/pdf
	// pdf acme/pdf
}

func ExamplePolicy_Refuses() {
	p := manifest.Policy{Allow: []string{"acme/*", "builtin:*"}, Deny: []string{"acme/old-*"}}
	for _, identity := range []string{"https://github.com/acme/skills", "https://github.com/acme/old-skills", "https://github.com.evil.example/acme/skills"} {
		rule, refused := p.Refuses(identity)
		fmt.Printf("%s %t %q\n", identity, refused, rule)
	}
	// Output:
	// https://github.com/acme/skills false ""
	// https://github.com/acme/old-skills true "acme/old-*"
	// https://github.com.evil.example/acme/skills true ""
}

func ExamplePolicy_Merge() {
	project := manifest.Policy{Allow: []string{"acme/*", "other/*"}}
	user := manifest.Policy{Allow: []string{"github.com/acme/*"}, Deny: []string{"acme/old"}}
	both := project.Merge(user)
	for _, repository := range []string{"acme/skills", "other/skills", "acme/old"} {
		_, refused := both.Refuses("https://github.com/" + repository)
		fmt.Println(repository, refused)
	}
	// Output:
	// acme/skills false
	// other/skills true
	// acme/old true
}

func ExamplePolicy_Check() {
	fmt.Println(manifest.Policy{Allow: []string{"github.com/acme"}}.Check())
	// Output: pattern "github.com/acme" names no repository
}
