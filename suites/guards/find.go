package guards

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// finder finds the places of one file where a fault can be.
type finder struct {
	info   *types.Info
	pkg    *types.Package
	fset   *token.FileSet
	source []byte
	name   string
	file   *ast.File
	scopes *int
	next   int

	faults []Fault
	wraps  []wrap
	seen   map[string]int // of the function declaration

	function   string
	scope      int
	classifier bool
}

func (f *finder) find() {
	for _, d := range f.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		f.function, f.seen = fn.Name.Name, map[string]int{}
		f.body(fn.Body, false)
	}
}

// body walks through a function, which is a scope of its own.
func (f *finder) body(b *ast.BlockStmt, classifier bool) {
	before, was := f.scope, f.classifier
	*f.scopes++
	f.scope, f.classifier = *f.scopes, was || classifier
	f.walk(b)
	f.scope, f.classifier = before, was
}

func (f *finder) walk(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.body(n.Body, false)
			return false
		case *ast.KeyValueExpr:
			if lit, ok := n.Value.(*ast.FuncLit); ok {
				key, _ := n.Key.(*ast.Ident)
				f.body(lit.Body, key != nil && (key.Name == "Classify" || key.Name == "Compare"))
				return false
			}
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Variant" {
				f.text(n.Value)
			}
		case *ast.ForStmt:
			// A condition that is always true never ends.
			f.walk(n.Body)
			return false
		case *ast.IfStmt:
			f.condition(n.Cond)
		case *ast.SwitchStmt:
			f.cases(n)
		case *ast.BinaryExpr:
			f.operands(n)
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				f.condition(r)
				f.text(r)
			}
		case *ast.AssignStmt:
			for _, r := range n.Rhs {
				f.condition(r)
				f.text(r)
			}
		case *ast.CallExpr:
			f.call(n)
		case *ast.GenDecl:
			return n.Tok != token.CONST
		}
		return true
	})
}

func (f *finder) cases(s *ast.SwitchStmt) {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if s.Tag == nil {
				f.condition(e)
			} else if constant := f.info.Types[e].Value; constant != nil {
				f.text(e)
				f.number(e)
			}
		}
	}
}

// call breaks the variant that a finding is made with, and the named numbers that are handed on: bars and limits.
func (f *finder) call(c *ast.CallExpr) {
	name := ""
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	if name == "Found" && len(c.Args) > 0 {
		f.text(c.Args[0])
		return
	}
	if describes(name) {
		return
	}
	if t, ok := f.info.Types[c.Fun]; !ok || t.IsType() || t.IsBuiltin() && name != "min" && name != "max" {
		return
	}
	for _, a := range c.Args {
		f.condition(a)
		switch ast.Unparen(a).(type) {
		case *ast.Ident, *ast.SelectorExpr:
			f.number(a)
		}
	}
}

// describes says whether a function only makes what people read, which no cell is judged by.
func describes(name string) bool {
	return strings.HasSuffix(name, "f") && (strings.Contains(name, "rint") || strings.Contains(name, "rror") || strings.Contains(name, "ppend")) ||
		strings.HasPrefix(name, "Format") || name == "Shorten" || name == "With"
}

// condition breaks the parts of a condition, each for itself.
func (f *finder) condition(e ast.Expr) {
	t := f.info.Types[e]
	if t.Type == nil || t.Value != nil {
		return
	}
	if b, ok := t.Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		f.condition(x.X)
		return
	case *ast.UnaryExpr:
		f.condition(x.X)
		return
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			f.condition(x.X)
			f.condition(x.Y)
			return
		}
	}
	f.add(e, "fault.Condition", "true", "false")
}

// operands breaks the numbers that are compared, or computed with.
func (f *finder) operands(e *ast.BinaryExpr) {
	switch e.Op {
	case token.SHL, token.SHR, token.AND, token.OR, token.AND_NOT:
		return
	}
	if f.info.Types[e].Value != nil {
		return
	}
	for _, side := range []ast.Expr{e.X, e.Y} {
		f.number(side)
	}
}

func (f *finder) number(e ast.Expr) {
	t := f.info.Types[e]
	if t.Value == nil || t.Value.Kind() != constant.Int && t.Value.Kind() != constant.Float {
		return
	}
	// What is compared with none or one is a matter of the condition.
	if v, exact := constant.Int64Val(constant.ToInt(t.Value)); exact && v >= -1 && v <= 1 {
		return
	}
	name, ok := f.typeName(t.Type)
	if ok {
		f.add(e, "fault.Number["+name+"]", "more", "less")
	}
}

// text breaks a constant that names a variant, or what leads to one.
func (f *finder) text(e ast.Expr) {
	t := f.info.Types[e]
	if t.Value == nil || t.Value.Kind() != constant.String || constant.StringVal(t.Value) == "" || strings.ContainsAny(constant.StringVal(t.Value), " %") {
		return
	}
	if name, ok := f.typeName(t.Type); ok {
		f.add(e, "fault.Text["+name+"]", "other")
	}
}

// typeName spells a type as the file can.
func (f *finder) typeName(t types.Type) (string, bool) {
	if b, ok := t.(*types.Basic); ok {
		return types.Default(b).String(), true
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return "", false
	}
	if named.Obj().Pkg() == f.pkg {
		return named.Obj().Name(), true
	}
	for _, i := range f.file.Imports {
		if i.Name == nil && strings.Trim(i.Path.Value, `"`) == named.Obj().Pkg().Path() {
			return named.Obj().Pkg().Name() + "." + named.Obj().Name(), true
		}
	}
	return "", false
}

// add puts a call around an expression, once.
func (f *finder) add(e ast.Expr, call string, kinds ...string) {
	from, to := f.fset.Position(e.Pos()).Offset, f.fset.Position(e.End()).Offset
	for _, w := range f.wraps {
		if w.from == from && w.to == to {
			return
		}
	}
	code := strings.Join(strings.Fields(string(f.source[from:to])), " ")
	f.seen[code]++
	place := f.next
	f.wraps = append(f.wraps, wrap{from, to, fmt.Sprintf("%s(%d, ", call, place)})
	for _, k := range kinds {
		f.faults = append(f.faults, Fault{ID: f.next, File: f.name, Line: f.fset.Position(e.Pos()).Line, Func: f.function, Code: code,
			Nth: f.seen[code], Kind: k, Place: place, Scope: f.scope, Classifier: f.classifier})
		f.next++
	}
}
