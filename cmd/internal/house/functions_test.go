package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const (
	longestFunction = 100
	longFunction    = 50 // at most one of twenty is longer
	medianFunction  = 10
	longestFile     = 600
)

// functionLengths keeps functions short.
func functionLengths(m *module) []finding {
	var lengths []int
	var long, findings []finding
	for _, file := range m.code() {
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			lines := m.lines(function)
			lengths = append(lengths, lines)
			if lines > longestFunction {
				findings = append(findings, m.at(function.Pos(), "function %s has %d lines, at most %d", function.Name.Name, lines, longestFunction))
			}
			if lines > longFunction {
				long = append(long, m.at(function.Pos(), "function %s has %d lines, and more than 5 %% have over %d", function.Name.Name, lines, longFunction))
			}
		}
	}
	if len(long)*20 > len(lengths) {
		findings = append(findings, long...)
	}
	slices.Sort(lengths)
	if n := len(lengths); n > 0 && lengths[(n-1)/2]+lengths[n/2] > 2*medianFunction {
		middle := float64(lengths[(n-1)/2]+lengths[n/2]) / 2
		findings = append(findings, finding{text: fmt.Sprintf("the median of %d functions has %g lines, at most %d", n, middle, medianFunction)})
	}
	return findings
}

// fileLengths keeps files short, tests too.
func fileLengths(m *module) []finding {
	var findings []finding
	for _, file := range m.files {
		lines := strings.Count(file.text, "\n")
		if !strings.HasSuffix(file.text, "\n") {
			lines++
		}
		if lines > longestFile {
			findings = append(findings, finding{file.path, longestFile + 1, fmt.Sprintf("file has %d lines, at most %d", lines, longestFile)})
		}
	}
	return findings
}

func TestFunctionsAreShort(t *testing.T) { report(t, functionLengths(this(t))) }

func TestFilesAreShort(t *testing.T) { report(t, fileLengths(this(t))) }

// function returns the text of a function with so many lines.
func function(name string, lines int) string {
	if lines == 1 {
		return "func " + name + "() {}\n"
	}
	return "func " + name + "() {\n" + strings.Repeat("\n", lines-2) + "}\n"
}

// many returns the text of functions with so many lines each.
func many(count, lines int) string {
	return strings.Repeat(function("_", lines), count)
}

func TestFunctionLengths(t *testing.T) {
	try(t, functionLengths, []fixture{
		{"none", tree{"a.go": "package a\n\ntype T interface{ M() }\n\nfunc native()\n"}, nil},
		{"as long as allowed", tree{"a.go": "package a\n" + function("f", 100) + many(9, 10) + many(10, 1)}, nil},
		{"one line too long", tree{"a.go": "package a\n\n" + function("f", 101) + many(19, 1)},
			[]string{"a.go:3: function f has 101 lines, at most 100"}},
		{"method too long", tree{"a.go": "package a\n" + strings.Replace(function("m", 101), "func ", "func (t T) ", 1) + many(19, 1)},
			[]string{"a.go:2: function m has 101 lines, at most 100"}},
		{"doc comments are free", tree{"a.go": "package a\n" + strings.Repeat("// x\n", 90) + function("f", 50) + many(2, 1)}, nil},
		{"one of twenty is long", tree{"a.go": "package a\n" + function("f", 51) + many(19, 1)}, nil},
		{"one of nineteen is long", tree{"a.go": "package a\n" + function("f", 51) + many(18, 1)},
			[]string{"a.go:2: function f has 51 lines, and more than 5 % have over 50"}},
		{"over several files", tree{"a.go": "package a\n" + function("f", 51), "b/b.go": "package b\n" + function("g", 52) + many(37, 1)},
			[]string{"a.go:2: function f has 51 lines, and more than 5 % have over 50", "b/b.go:2: function g has 52 lines, and more than 5 % have over 50"}},
		{"median at its limit", tree{"a.go": "package a\n" + many(1, 9) + many(1, 11)}, nil},
		{"median between two", tree{"a.go": "package a\n" + many(1, 10) + many(1, 11)},
			[]string{"module: the median of 2 functions has 10.5 lines, at most 10"}},
		{"median in the middle", tree{"a.go": "package a\n" + many(1, 1) + many(2, 11)},
			[]string{"module: the median of 3 functions has 11 lines, at most 10"}},
		{"tests and test data are free", tree{"a_test.go": "package a\n" + function("f", 200), "testdata/a.go": "package a\n" + function("f", 200)}, nil},
	})
}

func TestFileLengths(t *testing.T) {
	text := func(lines int) string { return "package a\n" + strings.Repeat("\n", lines-1) }
	try(t, fileLengths, []fixture{
		{"at the limit", tree{"a.go": text(600), "b.go": text(599) + "//"}, nil},
		{"over it", tree{"a.go": text(601), "b_test.go": text(600) + "//"},
			[]string{"a.go:601: file has 601 lines, at most 600", "b_test.go:601: file has 601 lines, at most 600"}},
		{"no Go", tree{"a.txt": text(601)}, nil},
	})
}
