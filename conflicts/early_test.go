package conflicts

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// In tests, the search for commits gets more time than usual, because it can be slow on a busy machine.
func init() { historyTime = time.Minute }

// branches makes two branches of n commits each. Every commit changes a file of its own, and the last commits change the same line.
func branches(r *gittest.Repo, n int) (ours, theirs object.ID) {
	var text strings.Builder
	text.WriteString("commit refs/heads/base\nmark :1\ncommitter a <a@example.com> 1900000000 +0000\ndata 1\nx\nM 644 inline f\ndata 4\n1\n2\n\n")
	for side := range 2 {
		from := 1
		for i := range n {
			mark := 2 + side*n + i
			fmt.Fprintf(&text, "commit refs/heads/b%d\nmark :%d\ncommitter a <a@example.com> %d +0000\ndata 1\nx\nfrom :%d\n", side, mark, 1900000001+2*i+side, from)
			fmt.Fprintf(&text, "M 644 inline %d/%d\ndata 1\n%d\n", side, i, i%10)
			if i == n-1 {
				fmt.Fprintf(&text, "M 644 inline f\ndata 4\n%d\n2\n", 8+side)
			}
			text.WriteString("\n")
			from = mark
		}
	}
	r.Pipe(text.String(), "fast-import", "--quiet")
	return object.ID(r.Git("rev-parse", "b0")), object.ID(r.Git("rev-parse", "b1"))
}

// The report must be the same in three cases: git's early merge is used, the early merge is stopped and git merges again, and the
// repository has a commit-graph.
func TestCheck_earlyMergesChangeNothing(t *testing.T) {
	want := Git
	if !(gittest.Git{}).AtLeast(2, 38) {
		want = Builtin
	}
	defer func(was time.Duration) { bothTime = was }(bothTime)
	for _, n := range []int{1, 80} {
		r := gittest.New(t)
		ours, theirs := branches(r, n)
		var all []Report
		for _, state := range []struct {
			both    time.Duration
			prepare []string
		}{
			{time.Hour, nil},
			{0, nil},
			{time.Hour, []string{"commit-graph", "write", "--reachable", "--no-progress"}},
		} {
			if len(state.prepare) > 0 {
				r.Git(state.prepare...)
			}
			bothTime = state.both
			rep, err := Check(t.Context(), repotest.Open(t, r.Dir, r.Env), Query{Ours: ours, Theirs: theirs, OursName: "b0", TheirsName: "b1"})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Engine != want || len(rep.Conflicts) != 1 || len(rep.Conflicts[0].Ours.Ranges) != 1 {
				t.Errorf("%d commits: %+v", n, rep)
			}
			all = append(all, rep)
		}
		for _, rep := range all[1:] {
			if !reflect.DeepEqual(rep, all[0]) {
				t.Errorf("%d commits: %+v\nand %+v", n, rep, all[0])
			}
		}
	}
}

// A check of unrelated histories must fail, even though git's merge starts before it is known that there is no common ancestor.
func TestCheck_earlyMergeOfUnrelatedHistories(t *testing.T) {
	r := gittest.New(t)
	first := object.ID(r.Git("rev-parse", "HEAD"))
	other := object.ID(r.Git("commit-tree", "-m", "other", "HEAD^{tree}"))
	if rep, err := Check(t.Context(), repotest.Open(t, r.Dir, r.Env), Query{Ours: first, Theirs: other}); err == nil {
		t.Errorf("unrelated commits are compared: %+v", rep)
	}
}

// If git is too old to merge without a worktree, the builtin engine is used, and it can decide about every path. If the caller demands
// git, the check fails.
func TestCheck_gitIsTooOld(t *testing.T) {
	r := gittest.New(t)
	ours, theirs := branches(r, 1)
	// This script behaves like git before 2.38, whose merge-tree expects three trees.
	old := r.Fronted(`case " $* " in *" merge-tree "*)
	while [ "$1" != merge-tree ]; do shift; done
	if [ $# = 4 ]; then echo "fatal: unknown rev $2" >&2; exit 128; fi
	echo "usage: git merge-tree <base-tree> <branch1> <branch2>" >&2; exit 129 ;; esac`)
	rep, err := Check(t.Context(), repotest.Open(t, old.Dir, old.Env), Query{Ours: ours, Theirs: theirs})
	if err != nil || rep.Engine != Builtin || len(rep.Conflicts) != 1 {
		t.Errorf("%+v, %v", rep, err)
	}
	for _, n := range rep.Notes {
		if n.Code == CannotTell {
			t.Errorf("%+v", n)
		}
	}
	if rep, err := Check(t.Context(), repotest.Open(t, old.Dir, old.Env), Query{Ours: ours, Theirs: theirs, Engine: Git}); !errors.Is(err, past.ErrNoMergeTree) {
		t.Errorf("%+v, %v", rep, err)
	}
}
