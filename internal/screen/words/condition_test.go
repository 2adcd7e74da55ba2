package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/condition"
)

// The test reads the reasons from the source code, so that a new reason cannot be forgotten here.
func TestProofs_everyReasonHasWords(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../condition/condition.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		v, ok := node.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, "By") {
			return true
		}
		n++
		reason := condition.Reason(strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
		words := proofs()[reason]
		if words == nil {
			t.Errorf("%s has no words", v.Names[0].Name)
			return true
		}
		if text := words(condition.Proof{Reason: reason, Commit: &commitlog.Commit{ID: "0123456789012345678901234567890123456789", Subject: "a subject"}, Text: "text", Done: 2, Left: 1}, "chunk"); len(text) < 4 {
			t.Errorf("%s says %q", v.Names[0].Name, text)
		}
		return true
	})
	if n != len(proofs()) || n == 0 {
		t.Errorf("%d reasons, and words for %d", n, len(proofs()))
	}
}
