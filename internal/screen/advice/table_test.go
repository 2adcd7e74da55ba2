package advice

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// withoutRow lists the error types that need no row in the table of advice, with the reason for each.
var withoutRow = map[string]string{
	"Code": "is an exit code itself", "UsageError": "is answered with the command's help",
	"rewritten": "never leaves the program: another command line is read instead", "NoTerminalError": "knows its exit code", "ExpectError": "knows its exit code",
	"NoRunError": "becomes a NoneError where a user named the run", "StaleError": "is tried again, or explained as a discard", "KindError": "is an answer inside gitstate",
	"ExitError": "becomes process.Error", "LimitError": "has a row as process.LimitError", "TooLargeError": "is shown with the file that it is about",
	"KeptError": "has its own sentence in screen.Fault", "Fault": "is shown as one of plan.Faults", "UnfinishedError": "is asked about before a merge",
	"DamageError": "is a warning beside the work", "ReaderError": "is a warning beside the work", "RefusedError": "of a source is a warning beside the work", "NoRecordError": "wraps a NoneError",
	"SilentError": "is a line of the check of an agent", "SyntaxError": "is shown with the file that is left as it is",
}

// TestTable_everyErrorHasARow checks that every error type has a row in the table.
// A type needs no row if its message already contains a command in quotes, or if it is in withoutRow.
func TestTable_everyErrorHasARow(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, r := range table() {
		_, name, _ := strings.Cut(r.kind, ".")
		rows[name] = true
	}
	types := errorTypes(t, "../../..")
	if len(types) == 0 {
		t.Fatal("no error types were found")
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if !rows[name] && withoutRow[name] == "" && !types[name] {
			t.Errorf("%s has no row in the table, and no reason for that", name)
		}
	}
	for name := range withoutRow {
		if _, there := types[name]; !there {
			t.Errorf("there is no %s any more", name)
		}
	}
}

// errorTypes returns the names of all types with a method Error, except in tests and in internal/prove. The value is true if the message of
// the error contains a command.
func errorTypes(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/internal/prove/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "Error" || f.Type.Results == nil {
				continue
			}
			of := f.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			names := found[fmt.Sprint(of)]
			ast.Inspect(f, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				names = names || ok && strings.Contains(text.Value, "'git ")
				return true
			})
			found[fmt.Sprint(of)] = names
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTable_findsAnErrorInsideOthers(t *testing.T) {
	t.Parallel()
	none := fmt.Errorf("status: %w", &candidate.NoneError{Given: "job"})
	if code, ways := Code(none), On(none); code != exit.Failed || len(ways) != 1 || !strings.Contains(ways[0], "git resume status --all") {
		t.Errorf("a run that is not there: code %d, %q", code, ways)
	}
	asked := fmt.Errorf("run: %w", fmt.Errorf("task: %w", &tasks.UnconfirmedError{Run: "job", Task: "publish"}))
	if code, ways := Code(asked), On(asked); code != exit.Decide || len(ways) != 1 || !strings.Contains(ways[0], "git resume -- job") {
		t.Errorf("a task that a person must allow: code %d, %q", code, ways)
	}
	if code, ways := Code(fmt.Errorf("anything else")), On(fmt.Errorf("anything else")); code != exit.Failed || ways != nil {
		t.Errorf("any other error: code %d, %q", code, ways)
	}
}

// Files are moved in one go with their folder: several of them could have the same last part of their names.
func TestOn_movesNoFileOverAnother(t *testing.T) {
	t.Parallel()
	ways := On(&worktree.UnfinishedError{Path: "/tree", Files: []string{"one/index.js", "two/index.js"}})
	if len(ways) != 2 || !strings.Contains(ways[1], "mv /tree /tree.mine") {
		t.Errorf("%q", ways)
	}
}
