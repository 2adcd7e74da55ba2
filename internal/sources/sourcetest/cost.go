package sourcetest

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// FindsNothing asks a source about a repository that holds nothing of its system, where there is no git to ask.
func FindsNothing(t *testing.T, r *gittest.Repo, s sources.Source) {
	t.Helper()
	p, err := gitstate.Locate(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(p, []string{"PATH=" + t.TempDir()})
	defer repo.Close()
	found, err := s.Find(t.Context(), sources.NewView(repo, Now, nil))
	if err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

// Cost measures what it takes to find so many pieces of work.
func Cost(b *testing.B, r *gittest.Repo, s sources.Source, many int) {
	b.Helper()
	for b.Loop() {
		v, done := View(r)
		if found, err := s.Find(b.Context(), v); err != nil || len(found) != many {
			b.Fatal(len(found), err)
		}
		done()
	}
}

// Linear runs something at a tenth of a size and at the whole, and fails if the whole takes far more than ten times as long:
// what compares everything with everything takes a hundred. Both are measured here and now, on the same busy machine.
func Linear(t *testing.T, size int, run func(size int)) {
	t.Helper()
	timed := func(n int) time.Duration {
		begun := time.Now()
		run(n)
		return time.Since(begun)
	}
	few := max(timed(size/10), timed(size/10))
	if many := timed(size); many > 50*few {
		t.Errorf("%d took %s, %d took %s", size/10, few, size, many)
	}
}
