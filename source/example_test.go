package source_test

import (
	"errors"
	"fmt"

	"skills/source"
)

func ExampleParse() {
	l, err := source.Parse("https://github.com/o/r/tree/main/skills/pdf", source.DefaultHosts())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Kind, l.Host, l.Owner, l.Repo, l.Ref, l.Path)
	fmt.Println(l.Source())
	// Output:
	// git github.com o r main skills/pdf
	// https://github.com/o/r
}

func ExampleParse_error() {
	_, err := source.Parse("https://token@github.com/o/r", source.DefaultHosts())
	var e *source.Error
	if errors.As(err, &e) {
		fmt.Println(e.Kind)
		fmt.Println(e)
	}
	// Output:
	// credentials
	// source "https://…@github.com/o/r" carries credentials, which would end up in manifests and logs
}

func ExampleHosts_With() {
	hosts := source.DefaultHosts().With(source.Host{Name: "git.corp.example", Kind: source.GitHub})
	l, err := source.Parse("https://git.corp.example/o/r/tree/main/a", hosts)
	fmt.Println(l.Host, l.Ref, l.Path, err)
	// Output: git.corp.example main a <nil>
}

func ExampleLocator_Settle() {
	l, err := source.Parse("https://github.com/o/r/tree/feature/x/skills/pdf", source.DefaultHosts())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Ref, l.Path, l.Ambiguous)
	l, err = l.Settle([]string{"refs/heads/main", "refs/heads/feature/x"})
	fmt.Println(l.Ref, l.Path, l.Ambiguous, err)
	// Output:
	// feature x/skills/pdf true
	// feature/x skills/pdf false <nil>
}

func ExampleLocator_Canonical() {
	for _, text := range []string{"o/r/skills/pdf", "git@github.com:o/r.git#v1", "o/r@pdf"} {
		l, err := source.Parse(text, source.DefaultHosts())
		fmt.Println(l.Canonical(), err)
	}
	// Output:
	// https://github.com/o/r/tree/HEAD/skills/pdf <nil>
	// ssh://git@github.com/o/r.git#v1 <nil>
	// https://github.com/o/r@pdf <nil>
}

func ExampleCommand() {
	args, ok := source.Command("npx skills@latest add o/r --skill pdf xlsx -y")
	fmt.Printf("%q %t\n", args, ok)
	// Output: ["o/r" "--skill" "pdf" "--skill" "xlsx" "-y"] true
}

func ExampleMatchTag() {
	tag, ok := source.MatchTag("^1.2", "pdf", []string{"pdf-v1.2.0", "pdf-v1.4.1", "pdf-v2.0.0", "v1.9.0"})
	fmt.Println(tag, ok)
	// Output: pdf-v1.4.1 true
}
