package planning

import (
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestStarted: the first plan has started if a later commit carries out a part of it, although no summary exists.
func TestStarted(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]sources.State{
		"feat(01-01): parse the list":      sources.Interrupted,
		"test(1-1)!: add failing tests":    sources.Interrupted,
		"docs(01-01): create the plan":     sources.NotStarted,
		"feat(01-02): parse another list":  sources.NotStarted,
		"feat: parse the list as in 01-01": sources.NotStarted,
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), planned("phases/01-foundation/01-01", "phases/01-foundation/01-02"))(r)
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "docs: plan it")
		r.With("GIT_COMMITTER_DATE=2030-01-02T04:04:05Z").Git("commit", "-q", "--allow-empty", "-m", subject)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != want || found[0].Point.Task != "01-01" || (found[0].Tasks[0].State == checkpoint.Active) != (want == sources.Interrupted) {
			t.Errorf("%s: %+v", subject, found)
		}
	}
}
