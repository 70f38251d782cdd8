package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"skills/cmd/internal/ui"
)

// version is what --version prints. Releases set it with the linker.
const version = "0.1.0"

// run is the program: arguments without the program's name in, exit status out.
func run(arguments, environ []string) int {
	debug.SetGCPercent(50)         // the resident set stays below 64 MB whatever the size of a repository;
	debug.SetMemoryLimit(40 << 20) // small runs never come near
	log.SetOutput(io.Discard)      // net/http tells it what servers send that nobody asked for
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	config := ui.Standard(environ)
	config.JSON = given(arguments, "json")
	early := ui.New(config)
	if config.JSON && given(arguments, "version") {
		return early.Fail(early.Document(map[string]string{"program": version}))
	}
	app := newApp(environ)
	app.Writer, app.ErrWriter = config.Out, config.Err
	arguments, err := ui.Permute(pasted(arguments, flagsOf(app)), flagsOf(app))
	if err != nil {
		return early.Fail(err)
	}
	config.JSON, config.Quiet = given(arguments, "json"), given(arguments, "quiet")
	config.Verbose, config.Yes = given(arguments, "verbose"), given(arguments, "yes")
	terminal := ui.New(config)
	app.Metadata = map[string]any{"terminal": terminal}
	err = app.RunContext(ctx, append([]string{"skills"}, arguments...))
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // whatever the interrupt made of it
	}
	return terminal.Fail(err)
}

// given tells whether arguments say yes to a flag, as --name or --name=true; the last one counts. What is no truth is told when the
// flags are parsed.
func given(arguments []string, name string) (yes bool) {
	for _, word := range arguments {
		flag, value, has := strings.Cut(word, "=")
		switch {
		case word == "--":
			return yes
		case flag == "--"+name && has:
			yes, _ = strconv.ParseBool(value)
		case flag == "--"+name:
			yes = true
		}
	}
	return yes
}

// newApp describes the commands. Everything that the library would print or exit by itself is turned off.
func newApp(environ []string) *cli.App {
	app := &cli.App{
		Name:            "skills",
		Usage:           "install Agent Skills from any link and keep them",
		UsageText:       "skills COMMAND [ARGUMENTS] [FLAGS]",
		Version:         version,
		HideHelpCommand: true, DisableSliceFlagSeparator: true,
		ExitErrHandler: func(*cli.Context, error) {},
		Metadata:       map[string]any{},
		Flags:          append(commonFlags(), cli.HelpFlag),
		Action:         noCommand,
		OnUsageError:   usageError,
	}
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Usage: "print the version"}
	for _, command := range []*cli.Command{
		addCommand(), installCommand(), listCommand(), removeCommand(), showCommand(), verifyCommand(), updateCommand(), outdatedCommand(), diffCommand(), pinCommand(), unpinCommand(), importCommand(), exportCommand(), resolveCommand(), agentsCommand(),
		initCommand(), validateCommand(), catalogCommand(), readCommand(), helpCommand(),
	} {
		command.Flags = append(command.Flags, commonFlags()...)
		command.HideHelpCommand = true
		command.OnUsageError = usageError
		command.Action = withSession(environ, command.Action)
		app.Commands = append(app.Commands, command)
	}
	return app
}

// commonFlags are the flags that every command knows. They are made anew on each call, since the library keeps state in them.
func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "C", Usage: "run as if started in `DIR`"},
		&cli.BoolFlag{Name: "global", Aliases: []string{"g"}, Usage: "user scope instead of project scope"},
		&cli.BoolFlag{Name: "json", Usage: "one JSON document on standard output"},
		&cli.BoolFlag{Name: "offline", Usage: "use the local store only"},
		&cli.BoolFlag{Name: "dry-run", Usage: "print the plan, write nothing"},
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "never ask"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show each request and file operation"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "only errors, and the results of commands that show something"},
	}
}

// usageError passes on what the library found, instead of its help on standard output.
func usageError(_ *cli.Context, err error, _ bool) error {
	return ui.UsageError("%v", err)
}

// noCommand handles a command line without a command that is known.
func noCommand(c *cli.Context) error {
	name := c.Args().First()
	if name == "" {
		return cli.ShowAppHelp(c)
	}
	err := ui.UsageError("%q is no command", name)
	err.Advice = []string{"see the commands with: skills help"}
	if near := ui.Near(name, commandNames(c.App)); len(near) > 0 {
		err.Advice = append([]string{fmt.Sprintf("is %q meant?", near[0])}, err.Advice...)
	}
	return err
}

// commandNames lists the commands by their full names.
func commandNames(app *cli.App) []string {
	var names []string
	for _, command := range app.Commands {
		names = append(names, command.Name)
	}
	return names
}

// flagsOf tells the flags of a command.
func flagsOf(app *cli.App) func(string) map[string]ui.Flag {
	return func(name string) map[string]ui.Flag {
		flags := app.Flags
		if name != "" {
			command := app.Command(name)
			if command == nil {
				return nil
			}
			flags = command.Flags
		}
		known := map[string]ui.Flag{"help": {Name: "help"}, "h": {Name: "help"}}
		if name == "" {
			known["version"] = ui.Flag{Name: "version"}
		}
		for _, flag := range flags {
			described, _ := flag.(cli.DocGenerationFlag)
			for _, spelling := range flag.Names() {
				known[spelling] = ui.Flag{Name: flag.Names()[0], Value: described != nil && described.TakesValue()}
			}
		}
		return known
	}
}

// withSession opens the session of a command, runs it and closes it.
func withSession(environ []string, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, err := openSession(c, environ)
		if err != nil {
			return err
		}
		c.App.Metadata["session"] = s
		return errors.Join(s.hinted(action(c)), s.close())
	}
}

// sessionOf is the session of a running command.
func sessionOf(c *cli.Context) *session {
	s, _ := c.App.Metadata["session"].(*session)
	return s
}

// helpCommand prints the help of the program or of a command.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "show the commands, or the flags of one", ArgsUsage: "[COMMAND]",
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return cli.ShowAppHelp(c)
			}
			name := c.Args().First()
			if c.App.Command(name) == nil {
				return noCommand(c)
			}
			return cli.ShowCommandHelp(c, name)
		},
	}
}
