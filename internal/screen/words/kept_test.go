package words

import (
	"testing"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

func TestSavedNames_nameOnlyTheWorksOwn(t *testing.T) {
	t.Parallel()
	f := &sources.Found{Root: "specs/one", Files: []string{"STATE.md"}, Tasks: []sources.Task{{Files: []string{"src/a.go"}}}}
	a := &assess.Assessment{Summary: candidate.Summary{Found: f}}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"specs/one/plan.md", "STATE.md", "src/a.go"}, "specs/one/plan.md, STATE.md, src/a.go"},
		{[]string{"specs/one/plan.md", "specs/two/plan.md", "b"}, "specs/one/plan.md, and 2 uncommitted files of this worktree that its state does not name,"},
		{[]string{"specs/onesie", "b"}, "2 uncommitted files of this worktree that its state does not name,"},
	} {
		a.Snapshot = snapshot.Snapshot{ID: "1", Paths: c.paths}
		if got := SavedNames(a); got != c.want {
			t.Errorf("%v: %q", c.paths, got)
		}
	}
}
