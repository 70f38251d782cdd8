package house

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// filled counts the lines that are not blank.
func filled(text string) int {
	count := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			count++
		}
	}
	return count
}

// codeLines returns the lines of code, and how many of them are the programs'.
func codeLines(m *module) (all, programs int) {
	for _, file := range m.code() {
		lines := filled(file.text)
		all += lines
		if strings.HasPrefix(file.path, "cmd/") {
			programs += lines
		}
	}
	return all, programs
}

// programShare keeps the work in the library.
func programShare(m *module) []finding {
	all, programs := codeLines(m)
	if programs*100 > all*30 {
		return []finding{{"cmd", 0, fmt.Sprintf("%d of %d lines of code, at most 30 %%", programs, all)}}
	}
	return nil
}

// testLines keeps tests at least as long as code.
func testLines(m *module) []finding {
	code, _ := codeLines(m)
	tests := 0
	for _, file := range m.files {
		if file.isTest() {
			tests += filled(file.text)
		}
	}
	for name, text := range m.tree {
		table := slices.Contains([]string{".txtar", ".txt", ".tsv"}, path.Ext(name)) // scripts, trees, and rows of tables
		if table && slices.Contains(strings.Split(name, "/"), "testdata") {
			tests += filled(text)
		}
	}
	if tests < code {
		return []finding{{text: fmt.Sprintf("%d lines of tests and scripts for %d lines of code, at least as many", tests, code)}}
	}
	return nil
}

func TestProgramsAreSmall(t *testing.T) { report(t, programShare(this(t))) }

func TestTestsAreAsLongAsCode(t *testing.T) { report(t, testLines(this(t))) }

func TestProgramShare(t *testing.T) {
	code := func(lines int) string { return "package a\n" + strings.Repeat("// x\n\n", lines-1) }
	try(t, programShare, []fixture{
		{"at the limit", tree{"cmd/skills/main.go": code(10), "cmd/internal/ui/ui.go": code(20), "source/a.go": code(70)}, nil},
		{"over it", tree{"cmd/skills/main.go": code(11), "cmd/internal/ui/ui.go": code(20), "source/a.go": code(70)},
			[]string{"cmd: 31 of 101 lines of code, at most 30 %"}},
		{"tests and data do not count", tree{"cmd/a_test.go": code(99), "cmd/testdata/a.go": code(99), "cmd/a.txt": code(99), "source/a.go": code(1)}, nil},
		{"tests of the library do not help", tree{"cmd/a.go": code(1), "source/a_test.go": code(99)}, []string{"cmd: 1 of 1 lines of code, at most 30 %"}},
	})
}

func TestTestLines(t *testing.T) {
	code := func(lines int) string { return "package a\n" + strings.Repeat("// x\n\n", lines-1) }
	try(t, testLines, []fixture{
		{"as many", tree{"a.go": code(30), "a_test.go": code(10), "testdata/script/a.txtar": code(10), "fetch/testdata/b.txt": code(10)}, nil},
		{"one too few", tree{"a.go": code(30), "a_test.go": code(10), "testdata/script/a.txtar": code(19)},
			[]string{"module: 29 lines of tests and scripts for 30 lines of code, at least as many"}},
		{"other data does not count", tree{"a.go": code(3), "a_test.go": code(1), "testdata/a.json": code(9), "a.txtar": code(9), "a.txt": code(9), "testdata/b.go": code(9)},
			[]string{"module: 1 lines of tests and scripts for 3 lines of code, at least as many"}},
	})
}
