package delegate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"skills/install/delegate"
)

func ExampleChoose() {
	for _, facts := range []delegate.Facts{{Named: true, Found: true}, {Found: true}} {
		engine, reason := delegate.Choose(facts)
		fmt.Printf("%s %q\n", engine, reason)
	}
	// Output:
	// skills ""
	// native "no skill is named"
}

func ExampleRequest_Arguments() {
	words, err := delegate.Request{Source: "acme/kit", Skills: []string{"pdf"}, Agents: []string{"codex"}, Global: true}.Arguments()
	fmt.Println(strings.Join(words, " "), err)
	_, err = delegate.Request{Source: "acme/kit"}.Arguments()
	fmt.Println(err)
	// Output:
	// add acme/kit --skill pdf --agent codex --global -y <nil>
	// the npm tool is only asked for skills by name, and no skill is named
}

func ExampleTool_Add() {
	tool := delegate.Tool{
		Program: "/usr/bin/skills",
		Output:  func(line string) { fmt.Println("skills:", line) },
		Run: func(_ context.Context, command delegate.Command, output io.Writer) error {
			_, _ = fmt.Fprintln(output, "no such skill:", command.Arguments[3])
			return errors.New("gone")
		},
	}
	err := tool.Add(context.Background(), delegate.Request{Source: "acme/kit", Skills: []string{"pdf"}})
	fmt.Println(err)
	// Output:
	// skills: no such skill: pdf
	// "/usr/bin/skills" cannot be run to its end: gone: no such skill: pdf
}

func ExampleSearch_Find() {
	_, err := delegate.Search{Path: "", Self: "/proc/self/exe"}.Find()
	var missing *delegate.Error
	fmt.Println(errors.As(err, &missing), missing.Code())
	// Output: true delegate_missing
}

func ExampleRefuse() {
	fmt.Println(delegate.Refuse([]string{"HOME=/home/me", delegate.Guard + "=1"}))
	// Output: this program was run in place of the npm tool "skills" by a copy of itself
}
