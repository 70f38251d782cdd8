package main

import (
	"os"
	"slices"
	"testing"

	"skills/cmd/internal/ui"
)

// Flags of our own, and their values, may stand before a pasted line.
func TestPasted(t *testing.T) {
	same := []string(nil) // nothing was pasted
	for _, test := range []struct{ arguments, want []string }{
		{[]string{"add", "npx", "skills", "add", "o/r", "--skill", "pdf"}, []string{"add", "o/r", "--skill", "pdf"}},
		{[]string{"-C", "dir", "add", "npx", "skills", "add", "o/r"}, []string{"-C", "dir", "add", "o/r"}},
		{[]string{"-y", "i", "npx", "skills", "add", "o/r"}, []string{"-y", "i", "o/r"}},
		{[]string{"add", "-y", "--json", "npx", "skills", "add", "o/r", "-s", "pdf"}, []string{"add", "-y", "--json", "o/r", "-s", "pdf"}},
		{[]string{"add", "-a", "codex", "npx", "skills", "add", "o/r"}, []string{"add", "-a", "codex", "o/r"}},
		{[]string{"add", "-ya", "codex", "npx", "skills", "add", "o/r"}, []string{"add", "-ya", "codex", "o/r"}},
		{[]string{"add", "-yacodex", "npx", "skills", "add", "o/r"}, []string{"add", "-yacodex", "o/r"}},
		{[]string{"add", "--agent=codex", "git", "clone", "-b", "v1", "o/r"}, []string{"add", "--agent=codex", "o/r", "--ref", "v1"}},
		{[]string{"add", "npx skills add o/r -y", "--copy"}, []string{"add", "o/r", "-y", "--copy"}},
		{[]string{"add", "npx", "skills", "add", "o/r", "--skill", "find skills", "it's", ""}, []string{"add", "o/r", "--skill", "find skills", "--skill", "it's", "--skill", ""}},
		{[]string{"add", "npx", "skills", "add", `C:\x\y`}, []string{"add", `C:\x\y`}},
		{[]string{"add", "npx", "skills", "update", "-y"}, []string{"add", "skills update -y"}},
		{[]string{"add", "--as", "skills", "add", "o/r"}, same},
		{[]string{"add", "o/r", "npx", "skills", "add", "a/b"}, same},
		{[]string{"add", "--", "npx", "skills", "add", "a/b"}, same},
		{[]string{"show", "npx", "skills", "add", "a/b"}, same},
		{[]string{"-C", "add", "list"}, same},
		{[]string{"add", "-a"}, same},
		{[]string{"add"}, same},
		{[]string{"-y"}, same},
		{nil, same},
	} {
		if test.want == nil {
			test.want = test.arguments
		}
		if got := pasted(test.arguments, flagsOf(newApp(os.Environ()))); !slices.Equal(got, test.want) {
			t.Errorf("pasted(%q) = %q, want %q", test.arguments, got, test.want)
		}
	}
}

func TestValueFollows(t *testing.T) {
	known := map[string]ui.Flag{"yes": {Name: "yes"}, "y": {Name: "yes"}, "agent": {Name: "agent", Value: true}, "a": {Name: "agent", Value: true}}
	for word, want := range map[string]bool{"-a": true, "-ya": true, "-ay": false, "-y": false, "--agent": true, "--agent=x": false, "--yes": false, "--none": false, "-é": false, "-": false} {
		if got := valueFollows(word, known); got != want {
			t.Errorf("valueFollows(%q) = %t", word, got)
		}
	}
}
