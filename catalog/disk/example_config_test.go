package disk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"skills/catalog/author"
	"skills/catalog/disk"
)

// workspace makes a directory with one skill. Who calls it removes it.
func workspace() string {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	pdf := filepath.Join(dir, ".agents", "skills", "pdf")
	text := "---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n"
	if err := errors.Join(os.MkdirAll(pdf, 0o755), os.WriteFile(filepath.Join(pdf, "SKILL.md"), []byte(text), 0o644)); err != nil {
		log.Fatal(err)
	}
	return dir
}

func ExampleNew() {
	dir := workspace()
	defer os.RemoveAll(dir)
	r, err := disk.New(context.Background(), disk.Options{Home: "/home/a", Workspace: dir, Roots: disk.Preset()})
	if err != nil {
		log.Fatal(err)
	}
	for _, skill := range r.List() {
		fmt.Println(skill.Name, skill.Scope, skill.Source, skill.Path == filepath.Join(dir, ".agents", "skills", "pdf", "SKILL.md"))
	}
	// Output:
	// pdf workspace agents true
}

func ExampleResolve() {
	_, err := disk.Resolve(disk.Options{Home: "/home/a", WorkingDir: "/work"})
	var startup *disk.StartupError
	fmt.Println(errors.As(err, &startup), err)
	// Output:
	// true there are no roots to read skills from
}

func ExampleResolveSkills() {
	dir := workspace()
	defer os.RemoveAll(dir)
	skills, err := disk.ResolveSkills(context.Background(), disk.AgentOptions{
		Options: disk.Options{Home: "/home/a", Workspace: dir},
		Inline:  []author.Definition{{Name: "notes", Description: "Takes notes.", Instructions: "Write them down."}},
		TempDir: dir,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, skill := range skills.List() {
		fmt.Println(skill.Name, "of the", skill.Source)
	}
	fmt.Println(skills.Cleanup())
	// Output:
	// notes of the inline
	// pdf of the project
	// <nil>
}
