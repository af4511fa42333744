// Package guards breaks classifiers on purpose, to see whether the kill table would notice. Every condition that a
// classifier asks can be taken for true or for false, every number that it compares with can be ten times as large or
// a tenth, every variant that it names can be another one: each is a fault. All of them are compiled into one test
// binary, by an overlay over the sources, and switched on one at a time (package fault), so that thousands cost one
// build.
//
// A fault that leaves every cell of the table as it was survives, and is listed with a reason. Where no cell ever came
// out otherwise by it, either a wrong server is missing, or the condition is not needed, or nothing that a server can do
// tells the two apart, and the reason says why. Where some did, what follows comes to the same finding, which the run
// sees for itself (Redundant, NoWorse).
package guards

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Fault is one way in which a classifier is broken.
type Fault struct {
	ID   int
	File string // relative to the module
	Line int
	Func string // the function declaration around it
	Code string // what is broken, as it is written
	Nth  int    // among the same code in the same function, from 1
	Kind string // "true", "false", "other", "more" or "less"
	// Place is the id of the first fault of the same code: that is what fault.OnReach reports.
	Place int
	// Scope numbers the innermost function, literals included; Classifier: it is the value of a field Classify or Compare.
	Scope      int
	Classifier bool
}

// Key names a fault independently of its line.
func (f Fault) Key() string {
	nth := ""
	if f.Nth > 1 {
		nth = fmt.Sprintf(" #%d", f.Nth)
	}
	return fmt.Sprintf("%s %s: %s%s is %s", f.File, f.Func, f.Code, nth, f.Kind)
}

// Instrumented are sources in which faults can be switched on.
type Instrumented struct {
	Faults []Fault
	Files  map[string][]byte // by absolute path
}

const runtimePackage = "github.com/embedcontract/embedcontract/suites/guards/fault"

// Instrument reads the packages of the module in dir that match the patterns, without their tests.
func Instrument(dir string, patterns ...string) (*Instrumented, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	found, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("read %v: %w", patterns, err)
	}
	out := &Instrumented{Files: map[string][]byte{}}
	scopes := 0
	for _, p := range found {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("read %s: %w", p.PkgPath, p.Errors[0])
		}
		for _, file := range p.Syntax {
			path := p.Fset.Position(file.FileStart).Filename
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil, err
			}
			f := &finder{info: p.TypesInfo, pkg: p.Types, fset: p.Fset, source: source, name: filepath.ToSlash(name), file: file, scopes: &scopes, next: len(out.Faults)}
			f.find()
			if len(f.faults) == 0 {
				continue
			}
			out.Faults = append(out.Faults, f.faults...)
			out.Files[path] = f.rewritten()
		}
	}
	return out, nil
}

// wrap is a call put around an expression.
type wrap struct {
	from, to int // offsets in the source
	open     string
}

// rewritten is the source with all wraps, on the lines on which everything was.
func (f *finder) rewritten() []byte {
	type insert struct {
		at, order int
		text      string
	}
	var all []insert
	for _, w := range f.wraps {
		// Of two that begin at one place the longer one is outside, and of two that end at one place.
		all = append(all, insert{w.from, len(f.source) - (w.to - w.from), w.open}, insert{w.to, w.to - w.from - len(f.source), ")"})
	}
	slices.SortStableFunc(all, func(a, b insert) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	var out bytes.Buffer
	at := 0
	for _, i := range all {
		out.Write(f.source[at:i.at])
		out.WriteString(i.text)
		at = i.at
	}
	out.Write(f.source[at:])
	return addImport(out.Bytes(), f.file, f.fset)
}

// addImport puts the import behind the package clause, on the same line, so that panics name the lines of the sources.
func addImport(source []byte, file *ast.File, fset *token.FileSet) []byte {
	end := fset.Position(file.Name.End()).Offset
	return slices.Concat(source[:end], []byte(`; import fault "`+runtimePackage+`"`), source[end:])
}
