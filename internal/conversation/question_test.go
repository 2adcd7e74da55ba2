package conversation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/prompt"
)

// typist is a Person in tests. It types the given lines, and then its input ends.
type typist struct {
	lines  []string
	screen strings.Builder
}

func (p *typist) Screen() page.Page { return page.Page{Err: &p.screen} }
func (p *typist) CanAnswer() bool   { return true }
func (p *typist) Fault(error) int   { return 1 }
func (*typist) StartLooking()       {}

func (*typist) EndLooking() {}

func (p *typist) WhenSaid(func()) {}

func (p *typist) Line() (string, bool) {
	if len(p.lines) == 0 {
		return "", false
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line, true
}

func TestPut(t *testing.T) {
	t.Parallel()
	yes := yesNo(askUndo, "Undo this?", "undo it", difference{none: "no file changes"})
	options := question{
		kind: askAnswer, text: "Answer?", no: leaves, def: "q", own: "3", diff: difference{what: "all", show: func() {}},
		keys: append(listed([]string{"staging", "production"}, []string{"a", "b"}), prompt.Key{Name: "3"}, prompt.Key{Name: "s"}),
	}
	open := question{kind: askAnswer, text: "Type", no: leaves, def: "q", own: "w", open: true, keys: []prompt.Key{{Name: "w"}}}
	alternatives := question{kind: askAlternative, text: "Which?", no: leaves, def: "1", keys: listed([]string{"continue", "start-fresh"}, []string{"", ""}), words: map[string][]string{"restart": {"start-fresh"}, "y": {"1"}}}
	refused := reply{key: "refused"}
	for _, c := range []struct {
		name  string
		q     question
		typed string
		want  reply
		asked int
	}{
		{"yes", yes, "y", reply{key: "y"}, 1},
		{"the whole word", yes, "YES", reply{key: "y"}, 1},
		{"return is the default", yes, "", refused, 1},
		{"no", yes, "no", refused, 1},
		{"an unknown key, the help and the difference are no answers", yes, "x|?|d|ye|y", reply{key: "y"}, 5},
		{"the input ends", yes, "x", refused, 2},
		{"a number", options, "2", reply{key: "2"}, 1},
		{"a name", options, "Production", reply{key: "2"}, 1},
		{"the beginning of a name is no answer, nor are a number or a word that are not there", options, "stag|0|7|n|none|no|1", reply{key: "1"}, 7},
		{"own words only after their key", options, "on my machine|3|on my machine", reply{text: "on my machine"}, 2},
		{"no own words in the end", options, "3|q", refused, 1},
		{"another key", options, "S", reply{key: "s"}, 1},
		{"open: words at once", open, "no", reply{text: "no"}, 1},
		{"open: a single character is a key", open, "x|7|24", reply{text: "24"}, 3},
		{"open: a single character after its key", open, "w|x", reply{text: "x"}, 1},
		{"open: return leaves it", open, "", refused, 1},
		{"a list: return", alternatives, "", reply{key: "1"}, 1},
		{"a list: the word of another system", alternatives, "restart", reply{key: "2"}, 1},
		{"a list: words for no", alternatives, "none", refused, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &typist{lines: strings.Split(c.typed, "|")}
			got, err := (&Talk{Person: p}).put(c.q)
			if err != nil {
				got = refused
			}
			if got != c.want || err != nil && err != exit.Code(exit.No) {
				t.Errorf("got %+v, %v; want %+v\n%s", got, err, c.want, &p.screen)
			}
			if n := strings.Count(p.screen.String(), "for help] "); n != c.asked {
				t.Errorf("asked %d times, want %d\n%s", n, c.asked, &p.screen)
			}
			if said := strings.Contains(p.screen.String(), "nothing was changed\n"); said != (err != nil) {
				t.Errorf("after %v:\n%s", err, &p.screen)
			}
		})
	}
}

func TestQuestions_areListed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	var declared []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && name != "question.go" && (f.Sel.Name == "Line" || f.Sel.Name == "Ask") {
					t.Errorf("%s calls %s: ask with put", name, f.Sel.Name)
				}
			case *ast.Ident:
				if name != "question.go" {
					used[n.Name] = true
				}
			case *ast.GenDecl:
				if name == "question.go" && n.Tok == token.CONST {
					for _, s := range n.Specs {
						declared = append(declared, s.(*ast.ValueSpec).Names[0].Name)
					}
				}
			}
			return true
		})
	}
	if len(declared) != int(kinds)+1 {
		t.Fatalf("%d kinds of questions were found, want %d", len(declared)-1, kinds)
	}
	for _, name := range declared[:kinds] {
		if !used[name] {
			t.Errorf("nobody asks %s", name)
		}
	}
	if names := Questions(); slices.Contains(names, "") {
		t.Errorf("a question has no name: %q", names)
	}
}
