package house

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requirementsFile holds the table of what four systems promise and where it is kept, one line a promise.
const requirementsFile = "catalog/requirements.go"

// requirement is a line of the table.
type requirement struct {
	id, text string
	line     int
}

// requirements reads the table: the lines of the package comment that are set as they stand and begin with an S.
func (m *module) requirements() []requirement {
	var all []requirement
	number := 0
	for line := range strings.Lines(m.tree[requirementsFile]) {
		number++
		if text, ok := strings.CutPrefix(line, "//\tS"); ok {
			id, text, _ := strings.Cut("S"+strings.TrimSpace(text), " ")
			all = append(all, requirement{id, text, number})
		}
	}
	return all
}

// promised lists the numbers that there are, in order.
func promised() []string {
	var all []string
	for _, system := range []struct {
		name  string
		count int
	}{{"S0", 24}, {"S1", 45}, {"S2", 47}, {"S4", 40}} {
		for n := range system.count {
			all = append(all, fmt.Sprintf("%s-%d", system.name, n+1))
		}
	}
	return all
}

// requirementsAreListed keeps the table complete: every number once, in order.
func requirementsAreListed(m *module) []finding {
	var findings []finding
	order := promised()
	seen := map[string]bool{}
	last := -1
	for _, r := range m.requirements() {
		at := slices.Index(order, r.id)
		switch {
		case at < 0:
			findings = append(findings, finding{requirementsFile, r.line, fmt.Sprintf("%s is no number of a requirement", r.id)})
		case seen[r.id]:
			findings = append(findings, finding{requirementsFile, r.line, fmt.Sprintf("%s is listed twice", r.id)})
		case at < last:
			findings = append(findings, finding{requirementsFile, r.line, fmt.Sprintf("%s is out of order", r.id)})
		}
		seen[r.id], last = true, max(last, at)
	}
	for _, id := range order {
		if !seen[id] {
			findings = append(findings, finding{requirementsFile, 0, fmt.Sprintf("%s is not listed", id)})
		}
	}
	return findings
}

// symbolForm is a name of another package, with a method or field of it.
var symbolForm = regexp.MustCompile(`\b[a-z]\w*\.[A-Z]\w*(\.[A-Z]\w*)?`)

// requirementsLiveSomewhere keeps the names of the table true: each is declared, and users of the module see it.
func requirementsLiveSomewhere(m *module) []finding {
	declared := m.exported()
	var findings []finding
	for _, r := range m.requirements() {
		for _, symbol := range symbolForm.FindAllString(r.text, -1) {
			if !declared[symbol] {
				findings = append(findings, finding{requirementsFile, r.line, fmt.Sprintf("%s lives in %s, which is not declared", r.id, symbol)})
			}
		}
	}
	return findings
}

// exported is everything that users of the packages see: "package.Name", and "package.Type.Member" for methods and fields.
func (m *module) exported() map[string]bool {
	all := map[string]bool{}
	for _, file := range m.code() {
		pkg := file.syntax.Name.Name + "."
		for _, n := range names(file.syntax) {
			switch {
			case !n.exported():
			case n.kind == "method":
				all[pkg+n.receiver+"."+n.identifier.Name] = true
			default:
				all[pkg+n.identifier.Name] = true
			}
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if fields, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
				for _, field := range fields.Fields.List {
					for _, identifier := range field.Names {
						all[pkg+spec.Name.Name+"."+identifier.Name] = identifier.IsExported()
					}
				}
			}
			return false
		})
	}
	return all
}

var requirementForm = regexp.MustCompile(`\bS[0-9]-[0-9]+\b`)

// requirementsAreTested keeps each number in some test or script, where a vector of it can be looked for. The tests of this package have
// numbers of their own making.
func requirementsAreTested(m *module) []finding {
	tested := map[string]bool{}
	for name, text := range m.tree {
		script := path.Ext(name) == ".txtar" && slices.Contains(strings.Split(name, "/"), "testdata")
		if (script || strings.HasSuffix(name, "_test.go")) && !strings.HasPrefix(name, "cmd/internal/house/") {
			for _, id := range requirementForm.FindAllString(text, -1) {
				tested[id] = true
			}
		}
	}
	var findings []finding
	for _, r := range m.requirements() {
		if !tested[r.id] {
			findings = append(findings, finding{requirementsFile, r.line, fmt.Sprintf("%s is in no test and no script", r.id)})
		}
	}
	return findings
}

func TestRequirementsAreListed(t *testing.T) { report(t, requirementsAreListed(this(t))) }

func TestRequirementsLiveSomewhere(t *testing.T) { report(t, requirementsLiveSomewhere(this(t))) }

func TestRequirementsAreTested(t *testing.T) { report(t, requirementsAreTested(this(t))) }

// listing writes a table of lines.
func listing(lines ...string) string {
	return "// Package a is.\n//\n//\t" + strings.Join(lines, "\n//\t") + "\npackage catalog\n"
}

func TestTableOfRequirements(t *testing.T) {
	all := promised()
	if len(all) != 156 {
		t.Fatalf("%d requirements, want 156", len(all))
	}
	swapped, doubled := slices.Clone(all), slices.Insert(slices.Clone(all), 3, "S0-1  x")
	swapped[24], swapped[25] = swapped[25], swapped[24]
	try(t, requirementsAreListed, []fixture{
		{"all", tree{requirementsFile: listing(all...)}, nil},
		{"one is missing", tree{requirementsFile: listing(slices.Delete(slices.Clone(all), 155, 156)...)}, []string{requirementsFile + ": S4-40 is not listed"}},
		{"two are swapped", tree{requirementsFile: listing(swapped...)}, []string{requirementsFile + ":28: S1-1 is out of order"}},
		{"one is doubled", tree{requirementsFile: listing(doubled...)}, []string{requirementsFile + ":6: S0-1 is listed twice"}},
		{"one too many", tree{requirementsFile: listing(append(slices.Clone(all), "S4-41 x")...)}, []string{requirementsFile + ":159: S4-41 is no number of a requirement"}},
	})
}

func TestNamesOfRequirements(t *testing.T) {
	code := "package x\n\ntype T struct{ F, g int }\n\ntype I interface{ N() }\n\nfunc (*T) M() {}\n\nfunc F() {}\n\nconst C = 1\n\nfunc f() { type U struct{ V int } }\n"
	missing := func(line int, id, symbol string) string {
		return fmt.Sprintf("%s:%d: %s lives in %s, which is not declared", requirementsFile, line, id, symbol)
	}
	try(t, requirementsLiveSomewhere, []fixture{
		{"all are there", tree{"y/x/x.go": code, requirementsFile: listing("S0-1 words: x.T, x.T.M, x.T.F", "S0-2 in SKILL.md: x.F and x.C; also x.I.N.", "S0-3 skills add")}, nil},
		{"none is", tree{"y/x/x.go": code, requirementsFile: listing("S0-1 x.Gone", "S0-2 x.T.Gone x.F", "S0-3 z.T", "S0-4 x.T.G", "S0-5 x.U", "S0-6 x.I.M")}, []string{
			missing(3, "S0-1", "x.Gone"), missing(4, "S0-2", "x.T.Gone"), missing(5, "S0-3", "z.T"), missing(6, "S0-4", "x.T.G"), missing(7, "S0-5", "x.U"), missing(8, "S0-6", "x.I.M"),
		}},
		{"tests declare nothing", tree{"x/x_test.go": code, requirementsFile: listing("S0-1 x.F")}, []string{missing(3, "S0-1", "x.F")}},
	})
}

func TestTestsOfRequirements(t *testing.T) {
	table := listing("S0-1 a", "S0-11 b", "S1-1 c")
	untested := func(line int, id string) string {
		return fmt.Sprintf("%s:%d: %s is in no test and no script", requirementsFile, line, id)
	}
	try(t, requirementsAreTested, []fixture{
		{"all are", tree{requirementsFile: table, "a/a_test.go": "package a\n\n// S0-1.\n", "testdata/script/a.txtar": "# S1-1, S0-11\n"}, nil},
		{"a longer number is another", tree{requirementsFile: table, "a/a_test.go": "package a\n\n// S0-11 S1-1\n"}, []string{untested(3, "S0-1")}},
		{"code is no test", tree{requirementsFile: table, "a/a.go": "package a\n\n// S0-1\n", "a.txtar": "S0-11", "testdata/a.txt": "S1-1", "cmd/internal/house/a_test.go": "package house\n\n// S0-1\n"},
			[]string{untested(3, "S0-1"), untested(4, "S0-11"), untested(5, "S1-1")}},
	})
}

// oneParser keeps what S0-17 says: a skill is read from a text by Parse and from a path by Load, with profiles, and by nothing else that is
// exported. Validate and Inspect judge what is no text.
func oneParser(m *module) []finding {
	known := []string{"catalog.Parse", "catalog.Validate", "catalog.Inspect", "disk.Load"}
	var findings []finding
	for _, file := range m.code() {
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Recv != nil || !function.Name.IsExported() || function.Type.Results == nil {
				continue
			}
			symbol := file.syntax.Name.Name + "." + function.Name.Name
			if slices.ContainsFunc(function.Type.Results.List, givesSkill) && !slices.Contains(known, symbol) {
				findings = append(findings, m.at(function.Pos(), "%s is another parser of skills", symbol))
			}
		}
	}
	return findings
}

// givesSkill tells whether a result is a *catalog.Skill.
func givesSkill(result *ast.Field) bool {
	pointer, ok := result.Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	own, _ := pointer.X.(*ast.Ident)
	return qualified(pointer.X) == "catalog.Skill" || own != nil && own.Name == "Skill"
}

func TestThereIsOneParser(t *testing.T) { report(t, oneParser(this(t))) }

func TestOneParser(t *testing.T) {
	try(t, oneParser, []fixture{
		{"the known ones", tree{"catalog/a.go": "package catalog\n\nfunc Parse() (*Skill, error) {}\n", "catalog/disk/a.go": "package disk\n\nfunc Load() (*catalog.Skill, error) {}\n"}, nil},
		{"others", tree{"catalog/a.go": "package catalog\n\nfunc ParseKit() *Skill {}\n", "x/a.go": "package x\n\nfunc Load() (n int, s *catalog.Skill) {}\n"},
			[]string{"catalog/a.go:3: catalog.ParseKit is another parser of skills", "x/a.go:3: x.Load is another parser of skills"}},
		{"what users do not see, and other results", tree{"x/a.go": "package x\n\nfunc parse() *catalog.Skill {}\n\nfunc (e *Engine) Document() *catalog.Skill {}\n\nfunc Skills() []*catalog.Skill {}\n\nfunc F() (*manifest.Skill, error) {}\n"}, nil},
	})
}
