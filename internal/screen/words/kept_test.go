package words

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

func TestClause_followsBecause(t *testing.T) {
	for reason, want := range map[string]string{
		"the first open box": "it is the first open box", "the next pending phase": "it is the next pending phase",
		"it was in progress": "it was in progress", "the plan is damaged": "the plan is damaged",
	} {
		if got := Clause(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
}

func TestSavedNames_nameOnlyTheWorksOwn(t *testing.T) {
	t.Parallel()
	f := &sources.Found{Root: "specs/one", Files: []string{"STATE.md"}, Tasks: []sources.Task{{Files: []string{"src/a.go"}}}}
	a := &assess.Assessment{Summary: candidate.Summary{Found: f}}
	long := strings.Repeat("x", longPath)
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"specs/one/plan.md", "STATE.md", "src/a.go"}, "specs/one/plan.md, STATE.md, src/a.go"},
		{[]string{"specs/one/plan.md", "specs/two/plan.md", "b"}, "specs/one/plan.md, and 2 uncommitted files of this worktree that its state does not name (b, specs/two/plan.md),"},
		{[]string{"specs/two/plan.md", "src/b.go"}, "2 uncommitted files of this worktree that its state does not name (src/b.go, specs/two/plan.md),"}, // the state of other work comes last
		{[]string{"specs/one/" + long + "/a", "specs/one/" + long + "/b/c"}, "in specs/one/" + long + ": a, b/c"},
		{[]string{"specs/one/" + long + "/a"}, "specs/one/" + long + "/a"},
		{[]string{"specs/onesie", "b"}, "2 uncommitted files of this worktree that its state does not name (b, specs/onesie),"},
	} {
		a.Snapshot = snapshot.Snapshot{ID: "1", Paths: c.paths}
		if got := SavedNames(a); got != c.want {
			t.Errorf("%v: %q", c.paths, got)
		}
	}
}
