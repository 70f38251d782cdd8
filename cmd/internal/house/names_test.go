package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const mostNames = 40

// name is an identifier that a package declares at its top, or a method.
type name struct {
	identifier *ast.Ident
	kind       string // "type", "function", "constant", "variable", "method"
	receiver   string // for methods, the type
	doc        string // "" when there is none
}

// names returns what a file declares.
func names(file *ast.File) []name {
	var all []name
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				all = append(all, name{d.Name, "function", "", d.Doc.Text()})
			} else {
				all = append(all, name{d.Name, "method", receiver(d), d.Doc.Text()})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				all = append(all, declared(d, spec)...)
			}
		}
	}
	return all
}

// declared returns the names of one line in a declaration. The comment above a declaration explains all lines of it, as in Go's
// documentation, but each of several types needs its own.
func declared(d *ast.GenDecl, spec ast.Spec) []name {
	outer := d.Doc.Text()
	if d.Tok == token.TYPE && d.Lparen.IsValid() {
		outer = ""
	}
	switch s := spec.(type) {
	case *ast.TypeSpec:
		all := []name{{s.Name, "type", "", outer + s.Doc.Text() + s.Comment.Text()}}
		if contract, ok := s.Type.(*ast.InterfaceType); ok {
			for _, method := range contract.Methods.List {
				for _, identifier := range method.Names {
					all = append(all, name{identifier, "method", s.Name.Name, method.Doc.Text() + method.Comment.Text()})
				}
			}
		}
		return all
	case *ast.ValueSpec:
		var all []name
		for _, identifier := range s.Names {
			all = append(all, name{identifier, kindOf(d.Tok), "", outer + s.Doc.Text() + s.Comment.Text()})
		}
		return all
	}
	return nil
}

func kindOf(word token.Token) string {
	if word == token.CONST {
		return "constant"
	}
	return "variable"
}

// receiver returns the name of the type that a method belongs to.
func receiver(method *ast.FuncDecl) string {
	expression := method.Recv.List[0].Type
	for {
		switch e := expression.(type) {
		case *ast.StarExpr:
			expression = e.X
		case *ast.IndexExpr:
			expression = e.X
		case *ast.IndexListExpr:
			expression = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

// exported tells whether users of the package see the name.
func (n name) exported() bool {
	return n.identifier.IsExported() && (n.kind != "method" || ast.IsExported(n.receiver))
}

// exportedNames keeps the surface of packages small.
func exportedNames(m *module) []finding {
	count := map[string]int{}
	for _, file := range m.code() {
		for _, n := range names(file.syntax) {
			if n.kind != "method" && n.exported() {
				count[file.folder()]++
			}
		}
	}
	var findings []finding
	for _, folder := range slices.Sorted(maps.Keys(count)) {
		if count[folder] > mostNames {
			findings = append(findings, finding{folder, 0, fmt.Sprintf("package exports %d names, at most %d", count[folder], mostNames)})
		}
	}
	return findings
}

// docComments keeps every package and exported name explained.
func docComments(m *module) []finding {
	var findings []finding
	first, explained := map[string]goFile{}, map[string]bool{}
	for _, file := range m.code() {
		if _, known := first[file.folder()]; !known {
			first[file.folder()] = file
		}
		explained[file.folder()] = explained[file.folder()] || file.syntax.Doc.Text() != ""
		for _, n := range names(file.syntax) {
			if n.exported() && strings.TrimSpace(n.doc) == "" {
				findings = append(findings, m.at(n.identifier.Pos(), "%s %s has no doc comment", n.kind, n.identifier.Name))
			}
		}
	}
	for folder, file := range first {
		if !explained[folder] {
			findings = append(findings, m.at(file.syntax.Package, "package %s has no doc comment", file.syntax.Name.Name))
		}
	}
	return findings
}

var sentinelForm = regexp.MustCompile(`^[Ee]rr[A-Z]`)

// packageVariables keeps state out of packages.
func packageVariables(m *module) []finding {
	var findings []finding
	for _, file := range m.code() {
		for _, declaration := range file.syntax.Decls {
			d, ok := declaration.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				s := spec.(*ast.ValueSpec)
				if embeds(d.Doc) || embeds(s.Doc) {
					continue
				}
				for i, identifier := range s.Names {
					if identifier.Name != "_" && !isConstant(identifier, s.Values, i) {
						findings = append(findings, m.at(identifier.Pos(), "variable %s is no error, regexp or embedded file", identifier.Name))
					}
				}
			}
		}
	}
	return findings
}

// embeds tells whether a comment has the go command fill the variable.
func embeds(comment *ast.CommentGroup) bool {
	return comment != nil && slices.ContainsFunc(comment.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

// isConstant tells whether a variable is one only because the language has no constants of its type.
func isConstant(identifier *ast.Ident, values []ast.Expr, i int) bool {
	if i >= len(values) {
		return false
	}
	call, ok := values[i].(*ast.CallExpr)
	if !ok {
		return false
	}
	switch qualified(call.Fun) {
	case "regexp.MustCompile":
		return true
	case "errors.New":
		return sentinelForm.MatchString(identifier.Name)
	}
	return false
}

// qualified returns "package.Name" for such an expression.
func qualified(expression ast.Expr) string {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	left, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return left.Name + "." + selector.Sel.Name
}

func TestPackagesExportFewNames(t *testing.T) { report(t, exportedNames(this(t))) }

func TestEverythingExportedIsExplained(t *testing.T) { report(t, docComments(this(t))) }

func TestPackagesHaveNoState(t *testing.T) { report(t, packageVariables(this(t))) }

func TestExportedNames(t *testing.T) {
	const some = "package a\ntype T struct{ F int }\nfunc (T) M() {}\nfunc F() {}\nconst A, b = 1, 2\nvar V int\nfunc g() {}\n" // 4
	constants := func(count int) string { return "package a\nconst A" + strings.Repeat(", A", count-1) + " = 1\n" }
	try(t, exportedNames, []fixture{
		{"at the limit", tree{"x/a.go": some, "x/b.go": constants(36)}, nil},
		{"over it", tree{"x/a.go": some, "x/b.go": constants(37)}, []string{"x: package exports 41 names, at most 40"}},
		{"in two packages", tree{"x/a.go": some, "y/b.go": constants(37)}, nil},
		{"tests are free", tree{"x/a.go": some, "x/b_test.go": constants(37)}, nil},
	})
}

func TestDocComments(t *testing.T) {
	const start = "// Package a is.\npackage a\n\n"
	try(t, docComments, []fixture{
		{"all explained", tree{"a.go": start + "// T is.\ntype T struct{ F int }\n\n// M does.\nfunc (*T) M() {}\n\n" +
			"const (\n\t// A is.\n\tA = 1\n\tB = 2 // B is.\n)\n\n// I does.\ntype I interface {\n\t// N does.\n\tN()\n}\n"}, nil},
		{"nothing to explain", tree{"a.go": start + "type t int\n\nfunc (t) M() {}\n\nfunc f() {}\n\ntype i interface{ M() }\n"}, nil},
		{"package explained in another file", tree{"a.go": "package a\n", "doc.go": "// Package a is.\npackage a\n"}, nil},
		{"package", tree{"x/a.go": "package a\n", "x/b.go": "package a\n"}, []string{"x/a.go:1: package a has no doc comment"}},
		{"package explained in its test", tree{"a.go": "package a\n", "a_test.go": "// Package a is.\npackage a\n"},
			[]string{"a.go:1: package a has no doc comment"}},
		{"license is no doc comment", tree{"a.go": "// License.\n\npackage a\n"}, []string{"a.go:3: package a has no doc comment"}},
		{"function", tree{"a.go": start + "func F() {}\n"}, []string{"a.go:4: function F has no doc comment"}},
		{"type", tree{"a.go": start + "type T int\n"}, []string{"a.go:4: type T has no doc comment"}},
		{"constant", tree{"a.go": start + "const C = 1\n"}, []string{"a.go:4: constant C has no doc comment"}},
		{"variable", tree{"a.go": start + "var ErrX = 1\n"}, []string{"a.go:4: variable ErrX has no doc comment"}},
		{"method", tree{"a.go": start + "// T is.\ntype T[K any] int\n\nfunc (t *T[K]) M() {}\n"}, []string{"a.go:7: method M has no doc comment"}},
		{"method of an interface", tree{"a.go": start + "// I is.\ntype I interface{ M() }\n"}, []string{"a.go:5: method M has no doc comment"}},
		{"group explained as a whole", tree{"a.go": start + "// All of them.\nconst (\n\tA = 1\n\tB = 2\n)\n"}, nil},
		{"one of a group", tree{"a.go": start + "const (\n\t// A is.\n\tA = 1\n\tB = 2\n)\n"}, []string{"a.go:7: constant B has no doc comment"}},
		{"one of several types", tree{"a.go": start + "// All of them.\ntype (\n\t// A is.\n\tA int\n\tB int\n)\n"}, []string{"a.go:8: type B has no doc comment"}},
		{"a directive is no doc comment", tree{"a.go": start + "//go:noinline\nfunc F() {}\n"}, []string{"a.go:5: function F has no doc comment"}},
		{"tests are free", tree{"a_test.go": "package a\n\nfunc F() {}\n"}, nil},
	})
}

func TestPackageVariables(t *testing.T) {
	try(t, packageVariables, []fixture{
		{"allowed", tree{"a.go": "package a\n\nvar ErrA = errors.New(\"a\")\n\nvar (\n\terrB = errors.New(\"b\")\n\tform = regexp.MustCompile(`x`)\n" +
			"\t_ I = T{}\n)\n\n//go:embed x\nvar data []byte\n\nvar (\n\t//go:embed y\n\tmore string\n)\n\nfunc f() { var x int }\n"}, nil},
		{"without a value", tree{"a.go": "package a\n\nvar x int\n"}, []string{"a.go:3: variable x is no error, regexp or embedded file"}},
		{"literal", tree{"a.go": "package a\n\nvar table = map[string]int{}\n"}, []string{"a.go:3: variable table is no error, regexp or embedded file"}},
		{"error by another name", tree{"a.go": "package a\n\nvar problem = errors.New(\"a\")\n"}, []string{"a.go:3: variable problem is no error, regexp or embedded file"}},
		{"error without a value", tree{"a.go": "package a\n\nvar errLast error\n"}, []string{"a.go:3: variable errLast is no error, regexp or embedded file"}},
		{"made by another function", tree{"a.go": "package a\n\nvar errX = fmt.Errorf(\"a\")\n"}, []string{"a.go:3: variable errX is no error, regexp or embedded file"}},
		{"second of two", tree{"a.go": "package a\n\nvar errX, y = errors.New(\"a\"), 1\n"}, []string{"a.go:3: variable y is no error, regexp or embedded file"}},
		{"comment about embedding", tree{"a.go": "package a\n\n// go:embed x\nvar x string\n"}, []string{"a.go:4: variable x is no error, regexp or embedded file"}},
		{"tests are free", tree{"a_test.go": "package a\n\nvar x int\n"}, nil},
	})
}
