package screen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// called matches the start of a shell command in a text.
const called = `(?:^|[\s'"(\[])(?:git (?:-C|resume|switch|worktree|merge|log|show|show-ref|config|checkout|branch|update-ref|revert|rebase|stash)|cd|mv|rm|ls) `

// withValue matches a command that contains %s, %q or %v. cutShort matches a command at the end of a text: the code may append a value.
var (
	withValue = regexp.MustCompile(called + "[^%'\":;\\n]*%[sqv]")
	cutShort  = regexp.MustCompile(called + `(?:[^%'":;,]* )?['"]?$`)
)

// ourWords lists texts with a command in which the program itself chooses the value, for example the name of a command of git. Such a value
// needs no quoting.
var ourWords = []string{
	"usage: git resume %s", "'%s' is neither a command nor a run; did you mean 'git resume %s'?",
	"git refused to merge into %s", "resolve the problem in '%s', run 'git %s --continue' there, then %s", "or abort the %s there with 'git %s --abort'",
	"git resume ", // the start of a note that is written into another system's file
}

// If a printed command contains a value, a quoting function such as quote.Command must have formatted it.
// This test finds commands that are formatted in another way.
func TestCommands_areMadeInOnePlace(t *testing.T) {
	set := token.NewFileSet()
	quoted := 0
	for _, pattern := range []string{"*.go", "*/*.go", "../handler/*/*.go", "../adopt/*.go", "../assess/*.go", "../candidate/*.go", "../conversation/*.go", "../site/*.go", "../staging/*.go", "../tasks/*.go", "../sources/*/*.go", "../../cmd/git-resume/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			good, bad := commandTexts(file)
			quoted += len(good)
			for _, lit := range bad {
				t.Errorf("%s: a value gets into %s without quotes; use quote.Command", set.Position(lit.Pos()), lit.Value)
			}
		}
	}
	if quoted == 0 {
		t.Error("no commands with values were found")
	}
	for _, text := range []string{`fmt.Sprintf("see 'git switch %s'", x)`, `"git resume status " + id`, `s.Say("cd %s\n", path)`, `out + "'git log " + x`} {
		file, err := parser.ParseFile(set, "x.go", "package x\n\nvar _ = "+text+"\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if _, bad := commandTexts(file); len(bad) != 1 {
			t.Errorf("%s is not seen", text)
		}
	}
}

// commandTexts finds string literals that contain a command with a value. The result "good" has the arguments of quoting functions, and
// "bad" has all others.
func commandTexts(file *ast.File) (good, bad []*ast.BasicLit) {
	safe := map[*ast.BasicLit]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if isQuoting(n) {
				ast.Inspect(n.Args[0], func(n ast.Node) bool { markText(safe, n); return true })
			}
		case *ast.RangeStmt: // a loop that passes each format of its list to a quoting function
			if callsQuoting(n.Body) {
				ast.Inspect(n.X, func(n ast.Node) bool { markText(safe, n); return true })
			}
		case *ast.AssignStmt: // a variable named "format" or "form", which is passed to a quoting function later
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && (id.Name == "format" || id.Name == "form") && i < len(n.Rhs) {
					ast.Inspect(n.Rhs[i], func(n ast.Node) bool { markText(safe, n); return true })
				}
			}
		}
		return true
	})
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, _ := strconv.Unquote(lit.Value)
		switch {
		case !withValue.MatchString(text) && !cutShort.MatchString(text) || slices.Contains(ourWords, text):
		case safe[lit]:
			good = append(good, lit)
		default:
			bad = append(bad, lit)
		}
		return true
	})
	return good, bad
}

func markText(safe map[*ast.BasicLit]bool, n ast.Node) {
	if lit, ok := n.(*ast.BasicLit); ok {
		safe[lit] = true
	}
}

// isQuoting reports whether a call is to a function that quotes the values in a command.
func isQuoting(call *ast.CallExpr) bool {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return slices.Contains([]string{"Single", "Double", "Command"}, name) && len(call.Args) > 0
}

func callsQuoting(body ast.Node) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		yes = yes || ok && isQuoting(call)
		return true
	})
	return yes
}
