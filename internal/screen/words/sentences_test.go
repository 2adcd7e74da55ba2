package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
)

// constants returns the values of all string constants of one type in a Go file.
func constants(t *testing.T, file, kind string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(tree, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := v.Type.(*ast.Ident); !ok || name.Name != kind {
			return true
		}
		for _, value := range v.Values {
			if lit, ok := value.(*ast.BasicLit); ok {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("%s: no constants of type %s were found", file, kind)
	}
	return out
}

func TestSentences_everyFindingHasWords(t *testing.T) {
	facts := candidate.Facts{Conflict: &conflicts.Conflict{}, Seen: checkpoint.Word{Event: checkpoint.RunPaused}}
	used := map[candidate.Case]bool{}
	split := map[candidate.Code]bool{}
	for _, c := range constants(t, "../../candidate/facts.go", "Case") {
		used[candidate.Case(c)] = true
		split[candidate.Case(c).Code()] = true
		if text := Sentence(candidate.Note{Case: candidate.Case(c), Facts: facts}); text == c {
			t.Errorf("case %s has no words", c)
		}
	}
	for _, c := range append(constants(t, "../../candidate/finding.go", "Code"), string(candidate.FindFileMissing)) {
		used[candidate.Case(c)] = true
		text := Sentence(candidate.Note{Case: candidate.Case(c), Facts: facts})
		if text == c && !split[candidate.Code(c)] {
			t.Errorf("finding %s has no words", c)
		}
	}
	for c := range sentences() {
		if !used[c] {
			t.Errorf("there are words for %s, but no such finding", c)
		}
	}
}

// The sentences appear on screens and in JSON output. So they must be ordinary text. They must not contain characters that only a screen
// understands, such as the one that phrase.Unbroken puts in place of a space.
func TestSentences_areOrdinaryText(t *testing.T) {
	facts := candidate.Facts{Conflict: &conflicts.Conflict{}, Seen: checkpoint.Word{Event: checkpoint.RunPaused}, Saved: "job-1a2b@3"}
	for c := range sentences() {
		if text := Sentence(candidate.Note{Case: c, Facts: facts}); text != quote.Clean(text) {
			t.Errorf("%s: %q", c, text)
		}
	}
}

func TestReasons_eachHasWords(t *testing.T) {
	for _, c := range constants(t, "../../assess/reason.go", "ReasonCase") {
		r := assess.Reason{Case: assess.ReasonCase(c), Findings: []candidate.Finding{{Code: candidate.FindFileMissing, Said: "is missing"}}}
		if strings.TrimSpace(Reason(r)) == "" {
			t.Errorf("reason %s has no words", c)
		}
	}
}
