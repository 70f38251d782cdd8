package ui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"skills/cmd/internal/ui"
)

func Example() {
	terminal := ui.New(ui.Config{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stdout})
	terminal.Step("fetching %s", "acme/skills\x1b[2J")
	terminal.Table([]string{"NAME", "STATE"}, [][]string{{"pdf", "ok"}, {"代码审查", "modified"}})
	fmt.Println("exit", terminal.Fail(ui.Different))
	// Output:
	// fetching acme/skills\x1b[2J
	// NAME      STATE
	// pdf       ok
	// 代码审查  modified
	// exit 3
}

func ExampleTerminal_Document() {
	terminal := ui.New(ui.Config{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr, JSON: true})
	terminal.Result("not in a document")
	_ = terminal.Document(map[string][]string{"skills": {"pdf"}})
	// Output:
	// {
	//   "version": 1,
	//   "skills": [
	//     "pdf"
	//   ]
	// }
}

func ExampleTerminal_Fail() {
	err := &ui.Error{Exit: ui.Usage, Message: `command "ad" is unknown`, Advice: []string{"did you mean add?"}}
	text := ui.New(ui.Config{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stdout})
	fmt.Println("exit", text.Fail(err))
	json := ui.New(ui.Config{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stdout, JSON: true})
	fmt.Println("exit", json.Fail(err))
	// Output:
	// skills: command "ad" is unknown
	// hint: did you mean add?
	// exit 2
	// {
	//   "version": 1,
	//   "error": {
	//     "code": "usage",
	//     "message": "command \"ad\" is unknown",
	//     "hint": "did you mean add?",
	//     "fields": {}
	//   }
	// }
	// exit 2
}

func ExampleTerminal_Choose() {
	terminal := ui.New(ui.Config{In: strings.NewReader(""), Out: os.Stdout, Err: os.Stdout})
	_, err := terminal.Choose(context.Background(), "Which skills?", "--skill NAME or --all", []ui.Option{{Label: "pdf"}, {Label: "xlsx"}})
	var question *ui.QuestionError
	fmt.Println(errors.As(err, &question))
	fmt.Println("exit", terminal.Fail(err))
	// Output:
	// true
	// skills: question "Which skills?" cannot be asked: standard input is not a terminal
	// hint: answer it with --skill NAME or --all
	// exit 5
}

func ExamplePermute() {
	global, skill := ui.Flag{Name: "global"}, ui.Flag{Name: "skill", Value: true}
	flags := func(string) map[string]ui.Flag {
		return map[string]ui.Flag{"global": global, "g": global, "skill": skill, "s": skill}
	}
	words, _ := ui.Permute([]string{"add", "acme/skills", "-gs", "pdf"}, flags)
	fmt.Printf("%q\n", words)
	_, err := ui.Permute([]string{"add", "acme/skills", "--skil", "pdf"}, flags)
	fmt.Println(err)
	// Output:
	// ["add" "--global" "--skill=pdf" "--" "acme/skills"]
	// flag "--skil" is unknown
}

func ExampleNear() {
	fmt.Println(ui.Near("remvoe", []string{"add", "remove", "resolve"}))
	// Output: [remove]
}

func ExampleVisible() {
	fmt.Println(ui.Visible("\x1b[31mred p\u202edf 👨\u200d👩"))
	// Output: \x1b[31mred p\u202edf 👨‍👩
}

func ExampleOneLine() {
	fmt.Println(ui.OneLine("Reads PDFs.\n  Use when asked."))
	// Output: Reads PDFs. Use when asked.
}

func ExampleCut() {
	fmt.Println(ui.Cut("代码审查 and more", 7))
	// Output: 代码审…
}
