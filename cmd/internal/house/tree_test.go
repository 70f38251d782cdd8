package house

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// finding is a broken rule and where it is broken.
type finding struct {
	file string // "" is the whole module
	line int    // 0 is the whole file
	text string
}

func (f finding) String() string {
	switch {
	case f.file == "":
		return "module: " + f.text
	case f.line == 0:
		return f.file + ": " + f.text
	}
	return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text)
}

// report fails the test with each finding, once.
func report(t *testing.T, findings []finding) {
	t.Helper()
	slices.SortStableFunc(findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	for _, f := range slices.Compact(findings) {
		t.Error(f)
	}
}

// tree is the content of files by path from the top of the module.
type tree map[string]string

// goFile is a parsed file.
type goFile struct {
	path   string
	text   string
	syntax *ast.File
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// folder returns the directory of the file, "." at the top.
func (f goFile) folder() string { return path.Dir(f.path) }

// module is a tree with its Go files parsed, sorted by path.
type module struct {
	tree  tree
	files []goFile
	fset  *token.FileSet
}

// code returns the files that are no tests.
func (m *module) code() []goFile {
	return slices.DeleteFunc(slices.Clone(m.files), goFile.isTest)
}

// at makes a finding at a position.
func (m *module) at(pos token.Pos, format string, values ...any) finding {
	p := m.fset.Position(pos)
	return finding{p.Filename, p.Line, fmt.Sprintf(format, values...)}
}

// lines returns the length of a piece of syntax.
func (m *module) lines(node ast.Node) int {
	return m.fset.Position(node.End()).Line - m.fset.Position(node.Pos()).Line + 1
}

// parse reads the Go files of the tree. Go itself says what is wrong with a file that cannot be parsed; here it is an error.
func parse(files tree) (*module, error) {
	m := &module{tree: files, fset: token.NewFileSet()}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !isGo(name) {
			continue
		}
		syntax, err := parser.ParseFile(m.fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		m.files = append(m.files, goFile{name, files[name], syntax})
	}
	return m, nil
}

// isGo tells whether the go command looks at the file.
func isGo(name string) bool {
	for folder := range strings.SplitSeq(path.Dir(name), "/") {
		if folder == "testdata" || folder != "." && strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") {
			return false
		}
	}
	return strings.HasSuffix(name, ".go")
}

// top is the directory of go.mod as seen from this package.
const top = "../../.."

// load reads what git tracks or would track. It lists each folder too: the go command keeps a test's result until what the test
// has opened changes, and does not see what git sees.
func load() (tree, error) {
	out, err := command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := tree{}
	for name := range strings.SplitSeq(string(bytes.TrimSuffix(out, []byte{0})), "\x00") {
		text, err := read(filepath.Join(top, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, not yet committed
		}
		if err != nil {
			return nil, err
		}
		files[name] = text
		if _, err := os.ReadDir(filepath.Join(top, path.Dir(name))); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// read returns the content of a file, or where a link points: for git that is its content.
func read(name string) (string, error) {
	if target, err := os.Readlink(name); err == nil {
		return target, nil
	}
	data, err := os.ReadFile(name)
	return string(data), err
}

// command is a command at the top of the module.
func command(name string, arguments ...string) *exec.Cmd {
	c := exec.Command(name, arguments...)
	c.Dir = top
	return c
}

// this returns the module that the test belongs to.
func this(t *testing.T) *module {
	t.Helper()
	files, err := load()
	if err != nil {
		t.Fatal(err)
	}
	m, err := parse(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.code()) == 0 || files["go.mod"] == "" {
		t.Fatal("the module was not found: nothing would be checked")
	}
	return m
}

// fixture is a small tree and the findings that a rule must have there, as text, sorted.
type fixture struct {
	name  string
	files tree
	want  []string
}

// try runs a rule on fixtures. A rule that has no fixture with findings could be one that finds nothing ever.
func try(t *testing.T, rule func(*module) []finding, fixtures []fixture) {
	t.Helper()
	broken := false
	for _, f := range fixtures {
		broken = broken || len(f.want) > 0
		t.Run(f.name, func(t *testing.T) {
			m, err := parse(f.files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, found := range rule(m) {
				got = append(got, found.String())
			}
			slices.Sort(got)
			if !slices.Equal(got, f.want) {
				t.Errorf("findings are\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(f.want, "\n\t"))
			}
		})
	}
	if !broken {
		t.Error("no fixture breaks the rule")
	}
}

func TestGoFilesAreThoseOfTheGoCommand(t *testing.T) {
	for name, want := range map[string]bool{
		"a.go": true, "cmd/skills/main.go": true, "a/b_test.go": true, ".ci/a.go": false,
		"a/testdata/b.go": false, "_old/a.go": false, "a/.x/b.go": false, "a.txt": false, "testdata.go": true,
	} {
		if got := isGo(name); got != want {
			t.Errorf("the go command looks at %s: %v, want %v", name, got, want)
		}
	}
}
