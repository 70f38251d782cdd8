package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeShape is what a code looks like; what stands behind a colon is narrower than a finding.
var codeShape = regexp.MustCompile(`^([a-z]+(?:_[a-z0-9]+)*)(?::.*)?$`)

// codeReader collects the codes that the source of some packages gives to findings and errors.
type codeReader map[string]bool

func (c codeReader) take(e ast.Expr) {
	for {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok {
			break
		}
		e = sum.X
	}
	if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		text, _ := strconv.Unquote(literal.Value)
		if m := codeShape.FindStringSubmatch(text); m != nil {
			c[m[1]] = true
		}
	}
}

// Visit looks at the places where a code can stand: the first argument of the functions that make findings and errors, fields and
// variables for codes, and what a function returns that gives one.
func (c codeReader) Visit(node ast.Node) ast.Visitor {
	switch node := node.(type) {
	case *ast.CallExpr:
		switch name := nameOf(node.Fun); {
		case slices.Contains([]string{"report", "reportKey", "remark", "warn", "warning", "fault", "invalid", "failure", "change"}, name):
			c.take(node.Args[0])
		case name == "add" && len(node.Args) > 1: // of the faults of a name
			c.take(node.Args[1])
		}
	case *ast.CompositeLit:
		c.fields(node)
	case *ast.AssignStmt:
		for i, left := range node.Lhs {
			if isVariable(nameOf(left)) && i < len(node.Rhs) {
				c.take(node.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		for i, name := range node.Names {
			if isVariable(name.Name) && i < len(node.Values) {
				c.take(node.Values[i])
			}
		}
	case *ast.FuncDecl:
		if slices.Contains([]string{"errorReason", "notText", "codeOf"}, node.Name.Name) {
			c.returned(node)
		}
	}
	return c
}

// isVariable tells names of variables that hold a code.
func isVariable(name string) bool { return slices.Contains([]string{"code", "reason", "Reason"}, name) }

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func (c codeReader) fields(literal *ast.CompositeLit) {
	switch nameOf(literal.Type) {
	case "Finding", "Fault", "refusal":
		if len(literal.Elts) > 0 {
			c.take(literal.Elts[0])
		}
	case "Error", "SelectError", "yamlError":
	default:
		return
	}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && slices.Contains([]string{"Code", "Kind", "Reason", "reason"}, nameOf(pair.Key)) {
			c.take(pair.Value)
		}
	}
}

func (c codeReader) returned(function *ast.FuncDecl) {
	ast.Inspect(function, func(node ast.Node) bool {
		if result, ok := node.(*ast.ReturnStmt); ok && len(result.Results) > 0 {
			c.take(result.Results[0])
		}
		return true
	})
}

// reportedCodes reads the source of the package and of those below it.
func reportedCodes(t *testing.T) codeReader {
	t.Helper()
	codes := codeReader{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err == nil {
			ast.Walk(codes, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// TestCodes holds the list in the package comment to what the source gives to findings and errors.
func TestCodes(t *testing.T) {
	text, err := os.ReadFile("findings.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z0-9_]+)  +\S`).FindAllStringSubmatch(string(text), -1) {
		if listed[m[1]] {
			t.Errorf("%s is listed twice", m[1])
		}
		listed[m[1]] = true
	}
	reported := reportedCodes(t)
	for code := range reported {
		if !listed[code] {
			t.Errorf("%s is not in the list", code)
		}
	}
	for code := range listed {
		if !reported[code] {
			t.Errorf("%s is listed, and nothing reports it", code)
		}
	}
	if len(reported) < 70 {
		t.Errorf("only %d codes are found in the source", len(reported))
	}
}
