package gitops

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/proc"
)

// While git still makes a worktree, the cause must be "git is at work". For an unfinished worktree, the processes are not listed.
func TestHalfMade_whileGitIsAtWork(t *testing.T) {
	s := State{Life: proc.Alive}
	s.Op, s.Stop = ongoing.HalfWorktree, ongoing.StopLeft
	if got := s.cause(); got != "git is at work" {
		t.Errorf("%q", got)
	}
}
