package ui

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// known has the flags of two commands, as a program would tell them.
func known(command string) map[string]Flag {
	valued := map[string]bool{"C": true, "json": false, "global g": false, "yes y": false, "help h": false}
	switch command {
	case "":
		valued["version"] = false
	case "add":
		maps.Copy(valued, map[string]bool{"skill s": true, "agent a": true, "all": false, "force": false})
	case "list":
	default:
		return nil
	}
	flags := map[string]Flag{}
	for names, value := range valued {
		for _, name := range strings.Fields(names) {
			flags[name] = Flag{Name: strings.Fields(names)[0], Value: value}
		}
	}
	return flags
}

func TestPermute(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"", ""},
		{"--version", "--version"},
		{"list", "list"},
		{"add a", "add -- a"},
		{"add a --all b -g", "add --all --global -- a b"},
		{"add --all a", "add --all -- a"},
		{"--json add a", "add --json -- a"},
		{"-C dir add a --skill pdf", "add --C=dir --skill=pdf -- a"},
		{"add a --skill=pdf --skill docs/* -s=x -sy -s z", "add --skill=pdf --skill=docs/* --skill=x --skill=y --skill=z -- a"},
		{"add -gy a", "add --global --yes -- a"},
		{"add -gys pdf a", "add --global --yes --skill=pdf -- a"},
		{"add -gspdf a", "add --global --skill=pdf -- a"},
		{"add -gs=pdf a", "add --global --skill=pdf -- a"},
		{"add -g=false a", "add --global=false -- a"},
		{"add --all=false a", "add --all=false -- a"},
		{"add -s --all a", "add --skill=--all -- a"},
		{"add -s -- a", "add --skill=-- -- a"},
		{"add a -- --all -g", "add -- a --all -g"},
		{"add -- a --all", "add -- a --all"},
		{"-- add", "add"},
		{"add -", "add -- -"},
		{"add --skill= a", "add --skill= -- a"},
		{"add npx skills add o/r --skill pdf -y", "add --skill=pdf --yes -- npx skills add o/r"},
		{"frobnicate a --what -x=1", "frobnicate a --what -x=1"},
		{"--json frobnicate a", "frobnicate --json a"},
		{"add ünïcode -gy", "add --global --yes -- ünïcode"},
	} {
		t.Run(test.line, func(t *testing.T) {
			arguments := strings.Fields(test.line)
			before := slices.Clone(arguments)
			got, err := Permute(arguments, known)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Fields(test.want); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if !slices.Equal(arguments, before) {
				t.Errorf("the caller's arguments became %q", arguments)
			}
		})
	}
}

func TestPermuteRefusesWhatTheCommandDoesNotKnow(t *testing.T) {
	for _, test := range []struct{ line, message, hint string }{
		{"add a --skil pdf", `flag "--skil" is unknown`, "did you mean --skill?"},
		{"add a --skil=pdf", `flag "--skil" is unknown`, "did you mean --skill?"},
		{"add a --golbal", `flag "--golbal" is unknown`, "did you mean --global?"},
		{"add a -json", `flag "-j" in "-json" is unknown`, "did you mean --json?"},
		{"add a -gx", `flag "-x" in "-gx" is unknown`, ""},
		{"add a -x", `flag "-x" is unknown`, ""},
		{"add a -é", `flag "-é" is unknown`, ""},
		{"add a -g\xff0", "flag \"-\\xff\" in \"-g\\xff0\" is unknown", ""},
		{"add a --nothing-like-it", `flag "--nothing-like-it" is unknown`, ""},
		{"add a ---all", `flag "---all" is unknown`, "did you mean --all?"},
		{"add a --=x", `flag "--" is unknown`, ""},
		{"list --skill pdf", `flag "--skill" is unknown`, ""},
		{"--skill pdf add a", `flag "--skill" is unknown`, ""},
		{"add a --skill", `flag "--skill" needs a value`, ""},
		{"add a -gs", `flag "-s" needs a value`, ""},
		{"-C", `flag "-C" needs a value`, ""},
	} {
		t.Run(test.line, func(t *testing.T) {
			got, err := Permute(strings.Fields(test.line), known)
			var usage *Error
			if !errors.As(err, &usage) || usage.ExitStatus() != 2 || usage.Code() != "usage" || got != nil {
				t.Fatalf("%q, %v", got, err)
			}
			if usage.Message != test.message || strings.Join(usage.Hints(), "\n") != cmp.Or(test.hint, "see how it is used with: skills help COMMAND") {
				t.Errorf("%q with %q, want %q with %q", usage.Message, usage.Hints(), test.message, test.hint)
			}
		})
	}
}

// heard is what a command of urfave/cli was told.
type heard struct {
	skills    []string
	global    bool
	directory string
	arguments []string
}

// hear runs urfave/cli on words and returns what the command add was told.
func hear(t *testing.T, words []string) heard {
	t.Helper()
	var h heard
	app := &cli.App{
		Name: "skills", Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {},
		Commands: []*cli.Command{{
			Name: "add", HideHelpCommand: true,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "C"}, &cli.BoolFlag{Name: "json"}, &cli.BoolFlag{Name: "global", Aliases: []string{"g"}},
				&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}, &cli.StringSliceFlag{Name: "skill", Aliases: []string{"s"}},
				&cli.BoolFlag{Name: "all"}, &cli.BoolFlag{Name: "force"},
			},
			OnUsageError: func(_ *cli.Context, err error, _ bool) error { return UsageError("%v", err) },
			Action: func(c *cli.Context) error {
				h = heard{c.StringSlice("skill"), c.Bool("global"), c.String("C"), c.Args().Slice()}
				return nil
			},
		}},
	}
	if err := app.Run(append([]string{"skills"}, words...)); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPermutedLinesMeanTheSameToTheLibrary(t *testing.T) {
	for _, test := range []struct {
		line string
		want heard
	}{
		{"add a --skill pdf b -g", heard{[]string{"pdf"}, true, "", []string{"a", "b"}}},
		{"-C dir add a -gys pdf -s=-x", heard{[]string{"pdf", "-x"}, true, "dir", []string{"a"}}},
		{"add help -g", heard{nil, true, "", []string{"help"}}},
		{"add -- -g --skill", heard{nil, false, "", []string{"-g", "--skill"}}},
		{"add - -g=false", heard{nil, false, "", []string{"-"}}},
		{"add json --json", heard{nil, false, "", []string{"json"}}},
	} {
		words, err := Permute(strings.Fields(test.line), known)
		if err != nil {
			t.Fatal(err)
		}
		got := hear(t, words)
		if !slices.Equal(got.skills, test.want.skills) || got.global != test.want.global || got.directory != test.want.directory ||
			!slices.Equal(got.arguments, test.want.arguments) {
			t.Errorf("%q was heard as %+v, want %+v", test.line, got, test.want)
		}
	}
}

func FuzzPermute(f *testing.F) {
	f.Add("add a -gys pdf -- b")
	f.Add("--json -C dir add --skill= x -")
	f.Add("add -s")
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Permute(strings.Fields(line), known)
		if err != nil {
			return
		}
		if len(words) == 0 || known(words[0]) == nil {
			return
		}
		again, err := Permute(words, known)
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q became %q and then %q, %v", line, words, again, err)
		}
	})
}
