package screen

import (
	"fmt"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
)

// LostStates tells of other systems' work that only the branch of a deleted worktree holds, and how it is seen again.
func LostStates(s Screen, all []candidate.LostState) {
	for _, l := range all {
		branch := shortBranch(l.Branch)
		said := "was deleted"
		if l.Locked { // on a disk that may come back
			said = "is not there"
		}
		s.paragraph("", "", fmt.Sprintf("The worktree %s %s; branch %s still holds %s.", quote.Clean(s.near(l.Worktree)), said, quote.Clean(branch), some(l.Keys)))
		if !l.Locked {
			s.Hint(fmt.Sprintf("use %s to get the worktree back", double("git worktree add -f %s %s", l.Worktree, branch)))
		}
	}
}
