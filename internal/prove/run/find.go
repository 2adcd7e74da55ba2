package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// target is one test or fuzz target that "make prove" runs.
type target struct {
	suite string
	// dir is the package's folder, relative to the module root.
	dir  string
	test string
}

func (t target) fuzz() bool { return strings.HasPrefix(t.test, "Fuzz") }

// find reads all test files and returns the tests of each suite.
// A test belongs to suite "A" if it calls gittest.Prove with "A", directly or through a function of its package. All fuzz targets belong to
// suite H.
func find(root string) ([]target, error) {
	packages := map[string]*testPackage{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		if packages[dir] == nil {
			packages[dir] = &testPackage{suites: map[string][]string{}, calls: map[string][]string{}}
		}
		packages[dir].read(file)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for tests: %w", err)
	}
	var out []target
	for dir, p := range packages {
		for name := range p.calls {
			for _, letter := range p.suitesOf(name) {
				out = append(out, target{letter, filepath.ToSlash(dir), name})
			}
		}
	}
	slices.SortFunc(out, func(a, b target) int {
		return strings.Compare(a.suite+a.dir+"\x00"+a.test, b.suite+b.dir+"\x00"+b.test)
	})
	return out, nil
}

// testPackage describes the functions in the test files of one package. For each function name it has the suites of that function and the
// functions that it calls.
type testPackage struct {
	suites map[string][]string
	calls  map[string][]string
}

func (p *testPackage) read(file *ast.File) {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		p.calls[name] = append(p.calls[name], "")
		ast.Inspect(fn, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch f := call.Fun.(type) {
			case *ast.Ident:
				p.calls[name] = append(p.calls[name], f.Name)
			case *ast.SelectorExpr:
				if f.Sel.Name == "Prove" && len(call.Args) == 3 {
					p.suites[name] = append(p.suites[name], literal(call.Args[1]))
				} else {
					p.calls[name] = append(p.calls[name], f.Sel.Name)
				}
			}
			return true
		})
	}
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}

// suitesOf returns the letters of the proof suites to which a test belongs; docs/RELIABILITY.md describes the suites. It also returns the
// suites of the functions that the test calls. Fuzz targets belong to suite H. A helper function belongs to no suite of its own, so
// suitesOf returns nil for it.
func (p *testPackage) suitesOf(name string) []string {
	switch {
	case strings.HasPrefix(name, "Fuzz"):
		return []string{"H"}
	case !strings.HasPrefix(name, "Test") || name == "TestMain":
		return nil
	}
	var out []string
	seen := map[string]bool{}
	var follow func(string)
	follow = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		out = append(out, p.suites[name]...)
		for _, to := range p.calls[name] {
			follow(to)
		}
	}
	follow(name)
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(letter string) bool {
		_, known := suiteOf(letter)
		return !known
	})
}
