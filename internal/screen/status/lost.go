package status

import (
	"fmt"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/site"
)

// HalfRestored prints the restores that were interrupted, and how to finish or undo them.
func HalfRestored(s page.Page, all []site.HalfRestored) {
	for i := range all {
		h := &all[i]
		interrupted(s, h.Tree, words.HalfRestored(string(h.Purpose), h.Label()), words.FinishRestore(h))
	}
}

// HalfMerged prints the merges that were interrupted, and how to finish them or take them back.
func HalfMerged(s page.Page, all []site.HalfMerged) {
	for i := range all {
		interrupted(s, all[i].Tree, words.HalfMerged(&all[i]), words.FinishMerge(&all[i]))
	}
}

func interrupted(s page.Page, tree, what string, ways [][2]string) {
	s.Paragraph("", "  ", fmt.Sprintf("In %s, %s.", phrase.Unbroken(quote.Clean(s.Near(tree))), what))
	for _, way := range ways {
		s.Hint(fmt.Sprintf("use \"%s\" to %s", phrase.Unbroken(way[0]), way[1]))
	}
}

// LostStates prints work of other systems that is only on the branch of a missing worktree. If the worktree is not locked, it also prints
// how to restore it.
func LostStates(s page.Page, all []candidate.LostState) {
	for _, l := range all {
		branch := words.ShortBranch(l.Branch)
		form := "The worktree %s was deleted; branch %s still holds %s."
		if l.Locked { // a locked worktree may be on a disk that is not mounted
			form = "The worktree %s is not there; branch %s still holds %s."
		}
		s.Paragraph("", "", fmt.Sprintf(form, quote.Clean(s.Near(l.Worktree)), quote.Clean(branch), phrase.Some(l.Keys)))
		if !l.Locked {
			s.Hint(fmt.Sprintf("use %s to get the worktree back", phrase.Double("git worktree add -f %s %s", l.Worktree, branch)))
		}
	}
}
