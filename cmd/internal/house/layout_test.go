package house

import (
	"fmt"
	"strings"
	"testing"
)

// layout keeps the top of the module as it was laid out.
func layout(m *module) []finding {
	var findings []finding
	seen := map[string]bool{}
	for file := range m.tree {
		entry, _, folder := strings.Cut(file, "/")
		if seen[entry] {
			continue
		}
		seen[entry] = true
		if !isAtTop(entry, folder) {
			findings = append(findings, finding{entry, 0, "entry at the top of the module that the layout does not have"})
		}
	}
	return findings
}

// isAtTop tells whether the layout has the entry.
func isAtTop(entry string, folder bool) bool {
	switch entry {
	case "catalog", "cmd", "fetch", "install", "lockfile", "source", "testdata":
		return folder
	case "go.mod", "go.sum", "README.md":
		return !folder
	}
	return strings.HasPrefix(entry, ".")
}

// outside keeps the module free of paths that only its first developers have. The words are put together here, for this file is
// looked at as well.
func outside(m *module) []finding {
	words := []string{".." + "/shared", ".library" + "/"}
	var findings []finding
	for file, text := range m.tree {
		number := 0
		for line := range strings.Lines(text) {
			number++
			for _, word := range words {
				if strings.Contains(line, word) {
					findings = append(findings, finding{file, number, fmt.Sprintf("%q is outside of the module", word)})
				}
			}
		}
	}
	return findings
}

func TestTheTopIsAsLaidOut(t *testing.T) { report(t, layout(this(t))) }

func TestTheModuleStandsAlone(t *testing.T) { report(t, outside(this(t))) }

func TestLayout(t *testing.T) {
	const note = "entry at the top of the module that the layout does not have"
	try(t, layout, []fixture{
		{"all that there is", tree{
			"catalog/a.go": "package a", "cmd/a.go": "package a", "fetch/a.go": "package a", "install/a.go": "package a", "lockfile/a.go": "package a",
			"source/a.go": "package a", "testdata/a": "", "go.mod": "", "go.sum": "", "README.md": "", ".gitignore": "", ".ci/run": "",
		}, nil},
		{"folders", tree{"internal/a.go": "package a", "pkg/a.txt": "", "source/pkg/a.txt": ""}, []string{"internal: " + note, "pkg: " + note}},
		{"files", tree{"main.go": "package a", "NOTES.md": ""}, []string{"NOTES.md: " + note, "main.go: " + note}},
		{"a file where a folder belongs", tree{"source": ""}, []string{"source: " + note}},
		{"a folder where a file belongs", tree{"README.md/a": ""}, []string{"README.md: " + note}},
	})
}

func TestOutside(t *testing.T) {
	up, library := ".."+"/shared", ".library"+"/"
	try(t, outside, []fixture{
		{"none", tree{"a.md": "shared\n../share\n.library\n"}, nil},
		{"any file", tree{".ci/run": "x\ncat " + up + "/x\n", "testdata/a.txt": "/work/" + library},
			[]string{".ci/run:2: \"" + up + "\" is outside of the module", "testdata/a.txt:1: \"" + library + "\" is outside of the module"}},
	})
}
