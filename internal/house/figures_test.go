package house

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// These limits keep packages small enough to be understood.
const (
	mostInCircle  = 8
	mostMethods   = 40
	mostRoomLines = 4000
	mostFileLines = 400
	mostExports   = 60
)

// publicRooms are the packages that other programs may import. The exported names of their subpackages count too.
var publicRooms = []string{"gitstate", "worktree", "checkpoint", "conflicts", "hooks"}

// decided lists public packages that may exceed the limit for exported names if their subpackages are counted too. Each value is the
// number of the decision in docs/decisions. A package or subpackage alone must still keep the limit. In these packages, a type and its
// constants count as one name.
var decided = map[string]string{"gitstate": "0095", "checkpoint": "0104", "worktree": "0104", "conflicts": "0104"}

// figures holds the measurements of one package.
type figures struct {
	room         string
	files, lines int
	// circle is the largest set of files that depend on each other in a cycle, directly or indirectly.
	circle []string
	// receiver is the type with the most methods. Embedded methods count too, and so do functions whose first parameter has this type.
	receiver string
	methods  int
	exports  int
	// words is the number of exported constants whose type is an exported type of the same package.
	words int
	// long holds the files with too many lines, and how many lines they have.
	long map[string]int
	// functions holds the lengths of all functions, in lines.
	functions []int
	// texts holds the tokens of each function. All identifiers are the same token, so that renamed copies of code are found too.
	texts []tokens
}

// measured loads a module and measures its packages without their tests.
func measured(t *testing.T, dir string) []figures {
	t.Helper()
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	all, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var out []figures
	for _, p := range all {
		for _, e := range p.Errors {
			t.Fatalf("%s: %v", p.PkgPath, e)
		}
		if len(p.Syntax) > 0 {
			out = append(out, figuresOf(p))
		}
	}
	return out
}

func figuresOf(p *packages.Package) figures {
	_, room, _ := strings.Cut(p.PkgPath, module+"/")
	out := figures{room: room, files: len(p.Syntax), long: map[string]int{}}
	needs := map[string]map[string]bool{}
	for _, f := range p.Syntax {
		file := p.Fset.File(f.Pos())
		name := filepath.Base(file.Name())
		text, err := os.ReadFile(file.Name())
		if err != nil {
			panic(err) // cannot fail, because the file has just been parsed
		}
		out.lines += file.LineCount()
		if file.LineCount() > mostFileLines {
			out.long[name] = file.LineCount()
		}
		needs[name] = neededBy(p, f)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				from, to := p.Fset.Position(d.Pos()), p.Fset.Position(d.End())
				out.functions = append(out.functions, to.Line-from.Line+1)
				out.texts = append(out.texts, tokensOf(text[from.Offset:to.Offset]))
			}
		}
	}
	for _, c := range circles(needs) {
		if len(c) > len(out.circle) {
			out.circle = c
		}
	}
	out.receiver, out.methods = widest(p.Types)
	for _, name := range p.Types.Scope().Names() {
		o := p.Types.Scope().Lookup(name)
		if o.Exported() {
			out.exports++
		}
		if isWord(o) {
			out.words++
		}
	}
	return out
}

// isWord reports whether an object is an exported constant whose type is an exported type of its package.
func isWord(o types.Object) bool {
	if _, isConst := o.(*types.Const); !isConst || !o.Exported() {
		return false
	}
	named, ok := o.Type().(*types.Named)
	return ok && named.Obj().Pkg() == o.Pkg() && named.Obj().Exported()
}

// neededBy returns the other files of the package that declare a function, method, type or value that this file uses.
func neededBy(p *packages.Package, f *ast.File) map[string]bool {
	out := map[string]bool{}
	own := p.Fset.File(f.Pos())
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		o := p.TypesInfo.Uses[id]
		if o == nil || o.Pkg() != p.Types {
			return true
		}
		if _, isFunc := o.(*types.Func); !isFunc && o.Parent() != p.Types.Scope() {
			return true // skip fields and local names
		}
		if file := p.Fset.File(o.Pos()); file != nil && file != own {
			out[filepath.Base(file.Name())] = true
		}
		return true
	})
	return out
}

// circles returns the sets of files that depend on each other in a cycle. A file in no cycle is a set of its own. The function uses
// Tarjan's algorithm.
func circles(needs map[string]map[string]bool) [][]string {
	s := search{needs: needs, number: map[string]int{}, low: map[string]int{}}
	for _, file := range slices.Sorted(maps.Keys(needs)) {
		if s.number[file] == 0 {
			s.visit(file)
		}
	}
	return s.found
}

type search struct {
	needs       map[string]map[string]bool
	number, low map[string]int
	open        []string
	found       [][]string
}

func (s *search) visit(file string) {
	s.number[file] = len(s.number) + 1
	s.low[file] = s.number[file]
	s.open = append(s.open, file)
	for next := range s.needs[file] {
		if s.number[next] == 0 {
			s.visit(next)
			s.low[file] = min(s.low[file], s.low[next])
		} else if slices.Contains(s.open, next) {
			s.low[file] = min(s.low[file], s.number[next])
		}
	}
	if s.low[file] == s.number[file] {
		at := slices.Index(s.open, file)
		s.found = append(s.found, slices.Sorted(slices.Values(s.open[at:])))
		s.open = s.open[:at]
	}
}

// widest returns the type with the most methods in a package, and the number of its methods. Functions whose first parameter has this
// type count as methods too.
func widest(p *types.Package) (name string, most int) {
	taking := map[types.Object]int{}
	for _, n := range p.Scope().Names() {
		if f, ok := p.Scope().Lookup(n).(*types.Func); ok {
			if t := firstOf(f.Signature()); t != nil {
				taking[t]++
			}
		}
	}
	for _, n := range p.Scope().Names() {
		t, ok := p.Scope().Lookup(n).(*types.TypeName)
		if !ok || types.IsInterface(t.Type()) {
			continue
		}
		if count := types.NewMethodSet(types.NewPointer(t.Type())).Len() + taking[t]; count > most {
			name, most = n, count
		}
	}
	return name, most
}

// firstOf returns the type of a function's first parameter that is not a context. It returns nil if there is no such parameter, or if its
// type has no name.
func firstOf(s *types.Signature) types.Object {
	for v := range s.Params().Variables() {
		t := v.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		named, ok := t.(*types.Named)
		if !ok {
			return nil
		}
		if named.Obj().Name() != "Context" {
			return named.Obj()
		}
	}
	return nil
}

type tokens []token.Token

func tokensOf(text []byte) (out tokens) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, t, _ := s.Scan()
		if t == token.EOF {
			return out
		}
		out = append(out, t)
	}
}

// alike is how many tokens in a row two functions must share to count as duplicated code.
const alike = 70

// twice counts the pairs of functions that contain duplicated code. The constant "alike" says how many equal tokens in a row count as
// duplicated.
func twice(all []figures) int {
	owners, pairs := map[string][]int{}, map[[2]int]bool{}
	number := 0
	for _, f := range all {
		for _, text := range f.texts {
			number++
			for i := 0; i+alike <= len(text); i++ {
				key := fmt.Sprint(text[i : i+alike])
				for _, other := range owners[key] {
					if other != number {
						pairs[[2]int{other, number}] = true
					}
				}
				if n := owners[key]; len(n) == 0 || n[len(n)-1] != number {
					owners[key] = append(n, number)
				}
			}
		}
	}
	return len(pairs)
}

// tooMuch returns everything that exceeds a limit, with the measured number.
func tooMuch(all []figures) map[string]int {
	out := map[string]int{}
	exports := map[string]int{}
	for _, f := range all {
		over := func(what string, n, most int) {
			if n > most {
				out[f.room+": "+what] = n
			}
		}
		over("circle of files", len(f.circle), mostInCircle)
		over("methods of one type", f.methods, mostMethods)
		over("lines", f.lines, mostRoomLines)
		for name, n := range f.long {
			over("lines of "+name, n, mostFileLines)
		}
		if top, _, _ := strings.Cut(f.room, "/"); decided[top] != "" {
			over("exported names", f.exports-f.words, mostExports)
		} else if slices.Contains(publicRooms, top) {
			exports[top] += f.exports
		}
	}
	for room, n := range exports {
		if n > mostExports {
			out[room+": exported names"] = n
		}
	}
	return out
}

// isProduct reports whether a package is part of the program. A package that only serves the tests is not, and the limits at the top of
// this file do not apply to it.
func isProduct(f figures) bool {
	return !slices.Contains(testRooms, f.room) && !strings.HasPrefix(f.room, "internal/prove")
}

// TestHouse_figures checks every package of the program against the limits. It allows the exceptions in the list "unfinished".
func TestHouse_figures(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(measured(t, root), func(f figures) bool { return !isProduct(f) })
	t.Log("\n" + table(all))
	if len(all) < 20 {
		t.Fatalf("only %d rooms were found", len(all))
	}
	for _, fault := range againstList(tooMuch(all), unfinished) {
		t.Error(fault)
	}
}

// againstList compares the exceeded limits with the list of known exceptions. It also reports exceptions that are no longer needed.
func againstList(over map[string]int, listed []string) []string {
	var out []string
	for what, n := range over {
		if !slices.Contains(listed, what) {
			out = append(out, fmt.Sprintf("%s: %d are too many", what, n))
		}
	}
	for _, what := range listed {
		if over[what] == 0 {
			out = append(out, what+": finished; take it from the list")
		}
	}
	slices.Sort(out)
	return out
}

func table(all []figures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-32s %5s %6s %6s %8s %8s %s\n", "room", "files", "lines", "circle", "exports", "longest", "widest type")
	slices.SortFunc(all, func(a, b figures) int { return cmp.Compare(b.lines, a.lines) })
	total := 0
	var lengths []int
	for _, f := range all {
		total += f.lines
		lengths = append(lengths, f.functions...)
		fmt.Fprintf(&b, "%-32s %5d %6d %6d %8d %8d %s %d\n", f.room, f.files, f.lines, len(f.circle), f.exports, slices.Max(append(f.functions, 0)), f.receiver, f.methods)
	}
	slices.Sort(lengths)
	fmt.Fprintf(&b, "%-32s %5s %6d\n", "in all", "", total)
	fmt.Fprintf(&b, "%d functions: median %d lines, 95 of 100 below %d, longest %d; %d pairs share %d tokens in a row\n",
		len(lengths), lengths[len(lengths)/2], lengths[len(lengths)*95/100], lengths[len(lengths)-1], twice(all), alike)
	return b.String()
}

// TestHouse_figuresBite checks for each limit that a value above it is reported, and for most limits that the limit itself is allowed.
func TestHouse_figuresBite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"circle":       {ring(mostInCircle + 1), "hooks: circle of files"},
		"small circle": {ring(mostInCircle), ""},
		"methods":      {map[string]string{"a.go": wide(mostMethods + 1)}, "hooks: methods of one type"},
		"few methods":  {map[string]string{"a.go": wide(mostMethods)}, ""},
		"embedded": {map[string]string{"a.go": wide(mostMethods) + "type u struct{ t }\nfunc (u) own() {}\n"},
			"hooks: methods of one type"},
		"functions": {map[string]string{"a.go": wide(mostMethods) + "func own(*t) {}\n"}, "hooks: methods of one type"},
		"a long file": {map[string]string{"a.go": "package hooks\n" + strings.Repeat("//\n", mostFileLines)},
			"hooks: lines of a.go"},
		"exports":     {map[string]string{"a.go": offering(mostExports + 1)}, "hooks: exported names"},
		"few exports": {map[string]string{"a.go": offering(mostExports)}, ""},
		"exports of an inner room": {map[string]string{"a.go": offering(mostExports), "inner/b.go": "package inner\nvar One int\n"},
			"hooks: exported names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := slices.Sorted(maps.Keys(tooMuch(measured(t, written(t, c.files)))))
			if strings.Join(got, "; ") != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
	many := []figures{{room: "internal/big", lines: mostRoomLines + 1}}
	if over := tooMuch(many); over["internal/big: lines"] == 0 {
		t.Errorf("found %v", over)
	}
	alone := []figures{{room: "gitstate", exports: mostExports}, {room: "gitstate/inner", exports: mostExports + 1}}
	if over := tooMuch(alone); len(over) != 1 || over["gitstate/inner: exported names"] == 0 {
		t.Errorf("where each room counts alone: %v", over)
	}
	words := measured(t, written(t, map[string]string{"a.go": "package hooks\ntype T string\nconst A, B T = \"a\", \"b\"\nconst C = \"c\"\nvar V T\ntype u int\nconst D u = 1\n"}))
	if f := words[0]; f.exports != 6 || f.words != 2 {
		t.Errorf("of %d names %d are words of a type", f.exports, f.words)
	}
	spoken := []figures{{room: "gitstate", exports: mostExports + 2, words: 1}, {room: "gitstate/inner", exports: mostExports + 2, words: 2}}
	if over := tooMuch(spoken); len(over) != 1 || over["gitstate: exported names"] == 0 {
		t.Errorf("where words count with their type: %v", over)
	}
	if got := againstList(map[string]int{"a": 3, "b": 1}, []string{"b", "c"}); len(got) != 2 {
		t.Errorf("a list that is not so: %q", got)
	}
	copied := tokensOf([]byte(strings.Repeat("a = b + 1; ", alike)))
	if n := twice([]figures{{texts: []tokens{copied, copied[1:], copied[:alike-1]}}}); n != 1 {
		t.Errorf("%d pairs of two functions that are alike and one that is too short", n)
	}
}

// written writes a module into a new folder. The files become the package "hooks" and its subpackages.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26\n")
	for name, text := range files {
		put(t, filepath.Join(dir, "hooks", filepath.FromSlash(name)), text)
	}
	return dir
}

// ring returns a package in which each file calls the next, and the last file calls the first.
func ring(n int) map[string]string {
	out := map[string]string{}
	for i := range n {
		out[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package hooks\nfunc f%d() { f%d() }\n", i, (i+1)%n)
	}
	return out
}

func wide(n int) string {
	text := "package hooks\ntype t struct{}\n"
	for i := range n {
		text += fmt.Sprintf("func (t) m%d() {}\n", i)
	}
	return text
}

func offering(n int) string {
	text := "package hooks\n"
	for i := range n {
		text += fmt.Sprintf("var V%d int\n", i)
	}
	return text
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
