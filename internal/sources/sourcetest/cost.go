package sourcetest

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// FindsNothing checks that a source finds nothing in a repository without files of its workflow system, and that it does not start git.
func FindsNothing(t *testing.T, r *gittest.Repo, s sources.Source) {
	t.Helper()
	p, err := locate.Find(r.Dir, r.Env)
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

// Cost measures the time in which a source finds the given number of pieces of work.
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
