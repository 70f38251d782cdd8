package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row says what packages of the module a package may import, and which others it must not. "x/..." is x and all below it.
type row struct {
	pkg   string
	may   []string // packages of the module
	never []string // packages of the standard library
	plain bool     // nothing but the standard library
}

// importTable is who may import whom. The first row that fits a package counts. The rules for names that several packages need
// stand in source/names, which imports nothing of the module, so that it fits below all of them.
func importTable() []row {
	machine := []string{"os/...", "net/http/..."}
	return []row{
		{pkg: "cmd/bench", may: []string{"..."}},
		{pkg: "cmd/internal/ui", may: []string{"source/names"}},
		{pkg: "cmd/internal/..."},
		{pkg: "cmd/skills/builtin"},
		{pkg: "cmd/skills", may: []string{"cmd/internal/ui", "cmd/skills/builtin", "install", "install/agents", "install/delegate", "fetch", "fetch/credential", "catalog/...", "lockfile/...", "source"}},
		{pkg: "install/agents", may: []string{"source/names"}, never: machine},
		{pkg: "install/internal/merge", may: []string{"source/names"}, never: machine},
		{pkg: "install/internal/...", may: []string{"install/internal/..."}},
		{pkg: "install/delegate"},
		{pkg: "install", may: []string{"install/agents", "install/internal/...", "fetch", "catalog/...", "lockfile/...", "source/..."}},
		{pkg: "fetch/fetchtest", plain: true},
		{pkg: "fetch/credential", plain: true},
		{pkg: "fetch/store", may: []string{"source"}},
		{pkg: "fetch/internal/...", may: []string{"fetch/internal/...", "fetch/store", "source"}},
		{pkg: "fetch", may: []string{"fetch/credential", "fetch/internal/...", "fetch/store", "source/..."}},
		{pkg: "lockfile/internal/...", may: []string{"lockfile/internal/...", "source/names"}, never: machine},
		{pkg: "lockfile/manifest", may: []string{"lockfile/internal/...", "source/..."}, never: machine},
		{pkg: "lockfile/foreign", may: []string{"lockfile/internal/...", "source/..."}, never: machine},
		{pkg: "lockfile", may: []string{"lockfile/internal/...", "lockfile/manifest", "source/..."}},
		{pkg: "catalog/disk", may: []string{"catalog/...", "source/names"}, never: []string{"net/http/..."}},
		{pkg: "catalog/marketplace", may: []string{"source/names"}, never: machine},
		{pkg: "catalog", may: []string{"catalog/marketplace", "catalog/internal/...", "source/..."}, never: machine},
		{pkg: "catalog/...", may: []string{"catalog", "catalog/...", "source/..."}, never: machine},
		{pkg: "source/names", never: machine},
		{pkg: "source", may: []string{"source/names"}, never: machine},
	}
}

// covers tells whether a pattern of the table means the package.
func covers(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if folder, all := strings.CutSuffix(pattern, "/..."); all {
		return pkg == folder || strings.HasPrefix(pkg, folder+"/")
	}
	return pkg == pattern
}

// anyCovers tells whether one of the patterns means the package.
func anyCovers(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return covers(pattern, pkg) })
}

// listed is what `go list` says about a package. Imports are those of files that are no tests.
type listed struct {
	ImportPath string
	Imports    []string
}

// imports keeps packages in their rooms.
func imports(m *module, packages []listed) []finding {
	var findings []finding
	for _, pkg := range packages {
		name := strings.TrimPrefix(pkg.ImportPath, "skills/")
		index := slices.IndexFunc(importTable(), func(r row) bool { return covers(r.pkg, name) })
		if index < 0 {
			findings = append(findings, finding{name, 0, "package has no row in the import table"})
			continue
		}
		for _, imported := range pkg.Imports {
			if rule := importTable()[index].refuses(imported); rule != "" {
				found := m.importedAt(name, imported)
				found.text = fmt.Sprintf("%s imports %s: %s", name, imported, rule)
				findings = append(findings, found)
			}
		}
	}
	return findings
}

// refuses says why the import is not allowed; "" when it is.
func (r row) refuses(imported string) string {
	own, inside := strings.CutPrefix(imported, "skills/")
	domain, _, _ := strings.Cut(imported, "/")
	switch {
	case inside && !anyCovers(r.may, own):
		return "not in its row of the import table"
	case anyCovers(r.never, imported):
		return "a package without I/O"
	case r.plain && strings.Contains(domain, "."):
		return "standard library only"
	}
	return ""
}

// importedAt finds the line of an import: go list tells only that it is there.
func (m *module) importedAt(folder, imported string) finding {
	for _, file := range m.code() {
		for _, spec := range file.syntax.Imports {
			if file.folder() == folder && spec.Path.Value == strconv.Quote(imported) {
				return m.at(spec.Pos(), "")
			}
		}
	}
	return finding{file: folder}
}

// list asks the go command about all packages, as built for an operating system.
func list(system string) ([]listed, error) {
	c := command("go", "list", "-json=ImportPath,Imports", "./...")
	c.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w: %s", system, err, complaints.String())
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listed
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, pkg)
	}
}

// manners keeps the library from printing, from ending the program and from reading the environment. The forge for tests runs
// git and may.
func manners(m *module) []finding {
	var findings []finding
	for _, file := range m.code() {
		if strings.HasPrefix(file.path, "cmd/") || strings.HasPrefix(file.path, "fetch/fetchtest/") {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			expression, ok := node.(ast.Expr)
			if use := qualified(expression); ok && isRude(use) && file.imports(use) {
				findings = append(findings, m.at(node.Pos(), "the library uses %s", use))
			}
			return true
		})
	}
	return findings
}

// imports tells whether the first part of "package.Name" is a package, and not a variable of that name.
func (f goFile) imports(use string) bool {
	pkg, _, _ := strings.Cut(use, ".")
	return slices.ContainsFunc(f.syntax.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(pkg) })
}

// isRude tells whether something of the standard library is the program's alone to use.
func isRude(use string) bool {
	switch use {
	case "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Setenv", "os.Unsetenv", "os.Clearenv",
		"os.UserHomeDir", "os.UserConfigDir", "os.UserCacheDir", "os.Args", "os.Exit", "os.Stdin", "os.Stdout", "os.Stderr",
		"fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan", "fmt.Scanf", "fmt.Scanln":
		return true
	}
	return path.Dir(strings.ReplaceAll(use, ".", "/")) == "log"
}

func TestPackagesImportWhatTheyMay(t *testing.T) {
	m := this(t)
	var findings []finding
	for _, system := range []string{"linux", "windows", "darwin"} {
		packages, err := list(system)
		if err != nil {
			t.Fatal(err)
		}
		if len(packages) == 0 {
			t.Error("go list names no package: nothing is checked")
		}
		findings = append(findings, imports(m, packages)...)
	}
	report(t, findings)
}

func TestTheLibraryHasManners(t *testing.T) { report(t, manners(this(t))) }

func TestImports(t *testing.T) {
	const refused = "not in its row of the import table"
	for _, c := range []struct {
		pkg, imported, rule string
	}{
		{"cmd/skills", "install", ""},
		{"cmd/skills", "cmd/internal/ui", ""},
		{"cmd/skills", "catalog/tools", ""},
		{"cmd/skills", "cmd/skills/builtin", ""},
		{"cmd/skills", "os", ""},
		{"cmd/skills/builtin", "install", refused},
		{"cmd/skills", "fetch/fetchtest", refused},
		{"cmd/skills", "fetch/internal/web", refused},
		{"cmd/bench", "fetch/fetchtest", ""},
		{"cmd/internal/ui", "install", refused},
		{"install", "fetch", ""},
		{"install", "lockfile/manifest", ""},
		{"install", "cmd/internal/ui", refused},
		{"install", "fetch/internal/web", refused},
		{"install/internal/merge", "source/names", ""},
		{"install/internal/merge", "os", "a package without I/O"},
		{"install/internal/transaction", "catalog", refused},
		{"install/agents", "source", refused},
		{"install/agents", "os", "a package without I/O"},
		{"fetch", "fetch/store", ""},
		{"fetch", "catalog", refused},
		{"fetch", "install", refused},
		{"fetch/internal/web", "fetch/store", ""},
		{"fetch/internal/web", "fetch/internal/archive", ""},
		{"fetch/internal/web", "fetch", refused},
		{"fetch/internal/web", "lockfile", refused},
		{"fetch/fetchtest", "net/http", ""},
		{"fetch/fetchtest", "source", refused},
		{"fetch/fetchtest", "github.com/go-git/go-git/v5", "standard library only"},
		{"lockfile", "lockfile/manifest", ""},
		{"lockfile", "catalog", refused},
		{"lockfile/manifest", "lockfile", refused},
		{"lockfile/manifest", "os", "a package without I/O"},
		{"lockfile/foreign", "source", ""},
		{"lockfile/foreign", "lockfile", refused},
		{"lockfile/foreign", "os", "a package without I/O"},
		{"catalog", "source", ""},
		{"catalog", "fetch", refused},
		{"catalog", "catalog/tools", refused},
		{"catalog", "net/http", "a package without I/O"},
		{"catalog", "net/url", ""},
		{"catalog/tools", "catalog", ""},
		{"catalog/tools", "source", ""},
		{"catalog/registry", "catalog/resource", ""},
		{"catalog/registry", "os", "a package without I/O"},
		{"catalog/disk", "catalog/registry", ""},
		{"catalog/disk", "os", ""},
		{"catalog/disk", "net/http", "a package without I/O"},
		{"catalog/audit", "os/exec", "a package without I/O"},
		{"source", "net/url", ""},
		{"source", "os", "a package without I/O"},
		{"source", "catalog", refused},
		{"source", "source/names", ""},
		{"source/names", "source", refused},
		{"source/names", "os", "a package without I/O"},
		{"cmd/internal/ui", "source/names", ""},
		{"cmd/internal/ui", "source", refused},
		{"install/agents", "source/names", ""},
	} {
		full := c.imported
		if row := slices.IndexFunc(importTable(), func(r row) bool { return covers(r.pkg, c.imported) }); row >= 0 {
			full = "skills/" + c.imported
		}
		t.Run(c.pkg+" imports "+c.imported, func(t *testing.T) {
			m, err := parse(tree{c.pkg + "/a.go": "package a\n\nimport \"" + full + "\"\n"})
			if err != nil {
				t.Fatal(err)
			}
			var want []finding
			if c.rule != "" {
				want = []finding{{c.pkg + "/a.go", 3, c.pkg + " imports " + full + ": " + c.rule}}
			}
			if got := imports(m, []listed{{"skills/" + c.pkg, []string{full}}}); !slices.Equal(got, want) {
				t.Errorf("findings are %v, want %v", got, want)
			}
		})
	}
}

func TestPackagesWithoutARowAreFound(t *testing.T) {
	m := &module{fset: token.NewFileSet()}
	for _, pkg := range []string{"skills/helpers", "skills/fetchx", "skills/install/other", "skills"} {
		if got := imports(m, []listed{{ImportPath: pkg}}); len(got) != 1 {
			t.Errorf("findings for %s are %v, want one", pkg, got)
		}
	}
}

func TestManners(t *testing.T) {
	const use = "package a\n\nimport (\n\t\"fmt\"\n\t\"log\"\n\t\"os\"\n)\n\n"
	try(t, manners, []fixture{
		{"clean", tree{"fetch/a.go": use + "func f() { os.Open(fmt.Sprint(os.ErrExist)); fmt.Fprintln(w) }\n"}, nil},
		{"variables of these names", tree{"fetch/a.go": "package a\n\nfunc f(os, log T) { os.Exit(); log.Print() }\n"}, nil},
		{"prints", tree{"fetch/a.go": use + "func f() {\n\tfmt.Println()\n\tlog.Print()\n\tw = os.Stderr\n}\n"},
			[]string{"fetch/a.go:10: the library uses fmt.Println", "fetch/a.go:11: the library uses log.Print", "fetch/a.go:12: the library uses os.Stderr"}},
		{"exits", tree{"catalog/a.go": use + "func f() { os.Exit(1) }\n"}, []string{"catalog/a.go:9: the library uses os.Exit"}},
		{"reads the environment", tree{"install/a.go": use + "func f() { g(os.Getenv) }\n"}, []string{"install/a.go:9: the library uses os.Getenv"}},
		{"programs and tests may", tree{"cmd/skills/a.go": use + "func f() { os.Exit(1) }\n", "fetch/a_test.go": use + "func f() { os.Exit(1) }\n",
			"fetch/fetchtest/a.go": use + "func f() { os.Environ() }\n"}, nil},
	})
}
