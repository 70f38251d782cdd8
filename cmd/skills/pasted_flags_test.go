package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"skills/source"
)

// Flags of ours that somebody puts behind the line of another installer are kept, each with its value.
func TestFlagsOfAddAreKnownBehindPastedLines(t *testing.T) {
	flags := addCommand().Flags
	if len(flags) < 15 {
		t.Fatalf("add has %d flags", len(flags))
	}
	for _, flag := range flags {
		want := []string{"o/r", "--" + flag.Names()[0]}
		if flag.(cli.DocGenerationFlag).TakesValue() {
			want = append(want, "x")
		}
		got, ok := source.Command("apm install " + strings.Join(want, " "))
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%q becomes %q", want, got)
		}
	}
}
