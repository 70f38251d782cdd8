// Package house holds no code, only tests: the rules of the module that no compiler keeps. Each is a function from a parsed tree to
// findings that name file, line and rule; it runs on the module itself and on small fixtures that break it, so that a rule which
// cannot fail is noticed.
//
// What is read is what git tracks or would track: ignored files are nobody's business.
//
// # Imports
//
// A literal table says which package of the module may import which, and which packages of the standard library are out of reach
// for packages without I/O. `go list` answers for linux, windows and darwin; imports of tests are free. A package without a row
// is a finding. The library does not print, exit or read the environment.
//
// # Layout
//
// At the top lie the folders of the house, go.mod, go.sum, README.md and dot files. No file names what lies outside of the module.
//
// # Requirements
//
// The package comment of catalog has a table of what four other systems promise. Every number stands there once, every name that is said
// to keep one is declared and exported, and some test or script carries the number. One function reads a skill from a text, and one from a
// path.
//
// # Budgets
//
// Go files count wherever they are, except below testdata and directories that start with "." or "_", as for the go command. Tests
// are files ending in _test.go.
//
//   - A function is as long as the lines from its first word to its closing brace, both included, with blank lines, comments and
//     function literals inside it, without its doc comment. Tests are left out. Median at most 10, at least 95 % at most 50, none over
//     100.
//   - A file, tests included, has at most 600 lines of any kind.
//   - A package exports at most 40 names: types, functions, constants, variables. Methods and fields are not counted.
//   - A package and each exported type, function, constant, variable, method of an exported type, and method in an exported interface
//     has a doc comment, above it or behind it. One above a group of constants or variables explains all of them.
//   - A package variable is an error made by errors.New and named Err… or err…, a regexp made by regexp.MustCompile, or an embedded
//     file. A blank one (`var _ I = T{}`) is an assertion, no variable. Tests are left out.
//   - Shares are counted in lines that are not blank. cmd is at most 30 % of the code; code is Go without tests. Tests (Go, and
//     scripts, trees and tables of rows below any testdata: .txtar, .txt, .tsv) are at least as long as code.
package house
