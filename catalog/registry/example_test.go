package registry_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"skills/catalog"
	"skills/catalog/registry"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func Example() {
	user := fstest.MapFS{"pdf/SKILL.md": file("---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n")}
	project := fstest.MapFS{
		"pdf/SKILL.md":     file("---\nname: pdf\ndescription: Reads and fills our PDF forms.\n---\n# Ours\n"),
		"pdf/forms.md":     file("…"),
		"broken/SKILL.md":  file("no front matter"),
		"release/SKILL.md": file("---\nname: release\ndescription: Makes a release.\n---\n"),
	}
	config := registry.Defaults(
		registry.Root{FS: user, Path: "/home/a/.agents/skills", Scope: "user"},
		registry.Root{FS: project, Path: "/work/.agents/skills", Scope: "workspace"},
	)
	config.Warn = func(f catalog.Finding) { fmt.Printf("%s: %s\n", f.File, f.Code) }
	r, err := registry.Discover(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(registry.Markdown(r.List(), ""))
	pdf, _ := r.Get("pdf")
	fmt.Printf("%s\n%s hides %s\n", pdf.Body, pdf.Path, pdf.Shadowed[0].Loser)
	fmt.Println(r.Resource("pdf", "forms.md"))
	// Output:
	// /work/.agents/skills/broken/SKILL.md: invalid_skill
	// # Available skills
	//
	// - **pdf** — Reads and fills our PDF forms.
	// - **release** — Makes a release.
	// # Ours
	// /work/.agents/skills/pdf/SKILL.md hides /home/a/.agents/skills/pdf/SKILL.md
	// /work/.agents/skills/pdf/forms.md <nil>
}

func ExampleDiscover_strict() {
	root := fstest.MapFS{
		"one/SKILL.md": file("---\nname: pdf\ndescription: Reads.\n---\n"),
		"two/SKILL.md": file("---\nname: pdf\ndescription: Writes.\n---\n"),
	}
	config := registry.Defaults(registry.Root{FS: root, Path: "/skills"})
	config.Strict = true
	_, err := registry.Discover(context.Background(), config)
	fmt.Println(err)
	// Output:
	// the skill "pdf" is there twice, in "/skills/one" and "/skills/two"
}

func ExampleMerge() {
	lower := []registry.Info{{Name: "a", Path: "/1/a"}, {Name: "b", Path: "/1/b"}}
	upper := []registry.Info{{Name: "b", Path: "/2/b"}, {Name: "c", Path: "/2/c"}}
	for _, skill := range registry.Merge(lower, upper) {
		fmt.Println(skill.Path, skill.Shadowed)
	}
	// Output:
	// /1/a []
	// /2/b [the skill "b" hides the one of the same name at "/1/b" ()]
	// /2/c []
}

func ExampleDescending() {
	user, project := registry.Root{Path: "/home/a/.agents/skills"}, registry.Root{Path: "/work/.agents/skills"}
	for _, root := range registry.Descending(project, user) { // of one name the first should win
		fmt.Println(root.Path)
	}
	// Output:
	// /home/a/.agents/skills
	// /work/.agents/skills
}

func ExampleResolve() {
	user := registry.Root{Path: "/home/a/.agents/skills", FS: fstest.MapFS{
		"pdf/SKILL.md": file("---\nname: pdf\ndescription: Reads PDF files.\n---\n"),
	}}
	project := registry.Root{Path: "/work/.agents/skills", FS: fstest.MapFS{
		"pdf/SKILL.md":  file("---\nname: pdf\ndescription: Ours.\n---\n"),
		"mail/SKILL.md": file("---\nname: mail\ndescription: Sends mail.\n---\n"),
	}}
	from := registry.Sources{Project: []registry.Root{project}, User: []registry.Root{user}, Exclude: []string{"mail"}}
	for _, from.DistrustProject = range []bool{false, true} {
		r, err := registry.Resolve(context.Background(), from, registry.Defaults())
		if err != nil {
			log.Fatal(err)
		}
		for _, skill := range r.List() {
			fmt.Println(skill.Name, "of the", skill.Source)
		}
		for _, f := range r.Findings() {
			fmt.Printf("  %s: %s\n", f.Code, f.Message)
		}
	}
	// Output:
	// pdf of the project
	//   shadowed: the skill "pdf" hides the one of the same name at "/home/a/.agents/skills/pdf/SKILL.md" (user)
	// pdf of the user
	//   untrusted: the skill "mail" is dropped: the project is not trusted
	//   untrusted: the skill "pdf" is dropped: the project is not trusted
}

func ExampleXML() {
	fmt.Print(registry.XML([]registry.Info{{Name: "pdf", Description: "Reads & writes <PDF>.", Path: "/skills/pdf/SKILL.md"}}))
	// Output:
	// <available_skills>
	//   <skill>
	//     <name>pdf</name>
	//     <description>Reads &amp; writes &lt;PDF&gt;.</description>
	//     <location>/skills/pdf/SKILL.md</location>
	//   </skill>
	// </available_skills>
}

func ExampleOpenKit() {
	kits := registry.Root{Path: "/kits", FS: fstest.MapFS{
		"files/AGENT.md":                  file("You look after files."),
		"files/skills/summarize/SKILL.md": file("---\nname: files:summarize\ndescription: Sums up.\n---\nSum up {{content}}."),
	}}
	kit, err := registry.OpenKit(context.Background(), kits, "files", registry.Defaults())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(kit.Name, kit.Agent())
	for _, skill := range kit.List() {
		fmt.Println(skill.Name)
	}
	// Output:
	// files You look after files.
	// files:summarize
}
