package sharing

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// ParkedList prints what is parked.
func ParkedList(s page.Page, all []sharing.ParkedWork) {
	if len(all) == 0 {
		s.Say("Nothing is parked.\n")
		return
	}
	for _, w := range all {
		s.Tell("%s, lease %d: this work is kept, but is not part of the run", w.Run, w.Lease)
		for _, t := range w.Tasks {
			s.Row("task", quote.Printable(string(t))+", done")
		}
		for _, c := range w.Commits {
			what := c.Commit.Subject()
			if c.Task != "" {
				what = fmt.Sprintf("%s  (task %s)", what, c.Task)
			}
			s.Row("commit", c.Commit.ID.Short()+"  "+quote.Clean(what))
		}
		s.Row("ref", string(w.Ref))
	}
	for _, w := range all {
		if len(w.Commits) > 0 {
			s.Hint(fmt.Sprintf("use %s to take the work of lease %d into the run", picking(w), w.Lease))
		}
	}
}

// picking returns the commands that put parked commits onto the run's branch.
func picking(w sharing.ParkedWork) string {
	git, first, where := []string{"git"}, "", " on the branch of "+string(w.Run)
	if w.Worktree != "" {
		git, where = []string{"git", "-C", w.Worktree}, ""
	}
	if w.Behind {
		first = phrase.Double("git resume %s", string(w.Run)) + " to get what others did, then "
	}
	pick, ids := []string{"cherry-pick"}, []string{}
	for _, c := range w.Commits {
		ids = append(ids, c.Commit.ID.Short())
		if len(c.Commit.Parents) > 1 {
			pick = []string{"cherry-pick", "-m", "1"} // git refuses to pick a merge without it, and allows it for other commits
		}
	}
	words := slices.Concat(git, pick, slices.Compact(ids)) // a commit that finishes several tasks is listed several times
	return first + phrase.Unbroken(quote.Between(`"`, quote.Words(words))) + where
}
