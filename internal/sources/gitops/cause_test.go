package gitops

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/proc"
)

// TestHalfMade_whileGitIsAtWork checks that the cause is "git is at work" while git still makes a worktree. The cause cannot name a
// process, because State has no list of processes for an unfinished worktree.
func TestHalfMade_whileGitIsAtWork(t *testing.T) {
	s := State{Life: proc.Alive}
	s.Op, s.Stop = ongoing.HalfWorktree, ongoing.StopLeft
	if got := s.cause(); got != "git is at work" {
		t.Errorf("%q", got)
	}
}
