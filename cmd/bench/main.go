// Bench measures the program against a forge on the loopback interface, and serves such a forge for use by hand.
//
//	go run ./cmd/bench                          measure on made-up repositories: a table of medians
//	go run ./cmd/bench NAME=DIR ...             measure on git directories, served as NAME ("github.com/org/repo")
//	go run ./cmd/bench -serve NAME=DIR ...      serve them until interrupted, with the lines that config.toml needs;
//	                                            add -rtt 0 -mbit 0 for a link that costs nothing
//
// Figures are medians of several runs of the built program, each a process of its own with an empty store, over a link that is
// modelled (flags -rtt and -mbit). Compare rows of one table; absolute times hold for one machine only. Nothing is sent anywhere
// but to the loopback interface.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"skills/fetch/fetchtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	serve  bool
	rtt    time.Duration
	mbit   int64
	runs   int
	binary string
	filter string
}

// run reads the flags and serves or measures.
func run(ctx context.Context, arguments []string) error {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&o.serve, "serve", false, "serve the repositories until interrupted")
	flags.DurationVar(&o.rtt, "rtt", 40*time.Millisecond, "round trip of the modelled link")
	flags.Int64Var(&o.mbit, "mbit", 100, "bandwidth of the modelled link in Mbit/s")
	flags.IntVar(&o.runs, "runs", 5, "runs of each row")
	flags.StringVar(&o.binary, "binary", "", "the program to measure; empty: build it")
	flags.StringVar(&o.filter, "filter", "blob:none", "filters that the forge serves")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	config := fetchtest.Config{Link: fetchtest.Link{RTT: o.rtt, BitsPerSecond: o.mbit * 1e6}}
	forge, err := fetchtest.Start(config)
	if err != nil {
		return err
	}
	defer forge.Close()
	for _, argument := range flags.Args() {
		name, dir, ok := strings.Cut(argument, "=")
		if !ok {
			return fmt.Errorf("%q is not NAME=DIR", argument)
		}
		forge.Mount(name, dir).Set(fetchtest.Settings{Filter: o.filter})
	}
	if o.serve {
		return serve(ctx, forge)
	}
	return measure(ctx, forge, o, flags.Args())
}

// serve tells how to reach the forge, and waits.
func serve(ctx context.Context, forge *fetchtest.Forge) error {
	fmt.Print(configuration(forge))
	<-ctx.Done()
	return nil
}

// configuration are the lines of config.toml that lead GitHub's hosts to the forge.
func configuration(forge *fetchtest.Forge) string {
	var b strings.Builder
	for _, host := range []string{"github.com", "codeload.github.com", "raw.githubusercontent.com", "api.github.com"} {
		fmt.Fprintf(&b, "[host.%q]\nconnect = %q\nca_file = %q\n", host, forge.Addr(), forge.CAFile())
	}
	return b.String()
}
