package resource_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"testing/fstest"

	"skills/catalog/resource"
)

// skills is a directory with one skill.
func skills() fs.FS {
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte(target)}
	}
	return fstest.MapFS{
		"pdf/SKILL.md":            {Data: []byte("---\nname: pdf\ndescription: Reads PDFs.\n---\n")},
		"pdf/references/forms.md": {Data: []byte("Fill the form.\n")},
		"pdf/scripts/fill.py":     {Data: []byte("print()\n"), Mode: 0o755},
		"pdf/passwords":           link("../../etc/passwd"),
	}
}

func Example() {
	list, findings, err := resource.List(skills(), "pdf", resource.Options{FollowLinks: true})
	for _, r := range list {
		fmt.Println(r.Kind, r.Rel, r.Size, r.Executable)
	}
	fmt.Println(findings[0].Message, err)
	raw, err := resource.Read(skills(), "pdf", "references/forms.md", 1<<20)
	fmt.Printf("%s%v\n", raw, err)
	// Output:
	// references references/forms.md 15 false
	// scripts scripts/fill.py 8 true
	// the link "passwords" escapes from the skill and is left out <nil>
	// Fill the form.
	// <nil>
}

func ExampleClean() {
	fmt.Println(resource.Clean(" ./scripts//../references/a.md "))
	_, err := resource.Clean("../secret")
	fmt.Println(err)
	// Output:
	// references/a.md <nil>
	// "../secret" leaves the directory of the skill
}

func ExampleConfine() {
	place, err := resource.Confine(skills(), "pdf", "references/new.md")
	fmt.Println(place.Rel, place.Path, err)
	_, err = resource.Confine(skills(), "pdf", "passwords")
	fmt.Println(err)
	place, err = resource.Confine(nil, "/srv/pdf", "a/../b.md", resource.Remote)
	fmt.Println(place.Abs, err)
	// Output:
	// references/new.md pdf/references/new.md <nil>
	// "passwords" escapes from the skill: the link "pdf/passwords" to "../../etc/passwd" leads out of the file system
	// /srv/pdf/b.md <nil>
}

func ExampleStat() {
	r, err := resource.Stat(skills(), "pdf", "scripts/fill.py")
	fmt.Println(r.Kind, r.Size, r.Executable, err)
	_, err = resource.Stat(skills(), "pdf", "scripts")
	fmt.Println(err)
	// Output:
	// scripts 8 true <nil>
	// "scripts" is not a file
}

func ExampleOpen() {
	f, err := resource.Open(skills(), "pdf", "scripts/fill.py")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	fmt.Println(info.Name(), err)
	// Output: fill.py <nil>
}

func ExampleFind() {
	paths := []string{"references/forms.md", "a/x.md", "b/x.md"}
	fmt.Println(resource.Find(paths, "FORMS.md"))
	_, err := resource.Find(paths, "x.md")
	fmt.Println(err)
	// Output:
	// references/forms.md <nil>
	// "x.md" may be "a/x.md", "b/x.md"
}

func ExampleNewBundle() {
	bundle, err := resource.NewBundle(map[string]any{"./scripts/b.py": "x\r\n", "logo.png": nil})
	text, _ := json.Marshal(bundle)
	fmt.Println(string(text), err)
	file, err := bundle.Disclose("pdf", "b.py")
	fmt.Printf("%s %q %v\n", file.Path, *file.Content, err)
	// Output:
	// {"logo.png":null,"scripts/b.py":"x\n"} <nil>
	// scripts/b.py "x\n" <nil>
}

func ExamplePack() {
	list, _, _ := resource.List(skills(), "pdf", resource.Options{})
	bundle, findings, err := resource.Pack(skills(), "pdf", list)
	fmt.Println(bundle.Paths(), findings, err)
	// Output: [references/forms.md scripts/fill.py] [] <nil>
}

func ExampleText() {
	fmt.Println(resource.Text([]byte("a\r\nb")))
	_, ok := resource.Text([]byte("GIF89a\x00"))
	fmt.Println(ok)
	// Output:
	// a
	// b true
	// false
}
