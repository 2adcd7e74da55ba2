package sharing

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// LendPreview prints what everybody who can read a remote will see if a run is lent to a branch there.
func LendPreview(s page.Page, l *sharing.Loan) {
	s.Tell("Everybody who can read %s will see of %s:", quote.Name(l.Remote), l.Run.ID)
	s.Row("branch", quote.Name(l.Branch))
	s.Row("commits", fmt.Sprintf("%s of the run, and all earlier history", phrase.Count(l.Commits, "commit", "commits")))
	s.Row("not sent", "the record, uncommitted work, snapshots and the output of tasks")
}

// Lent prints that the commits of a run were sent to a branch at a remote. It also prints how somebody who works on that branch must mark a
// finished task.
func Lent(s page.Page, l *sharing.Loan) {
	id := l.Run.ID
	if l.Was == l.Tip {
		s.Tell("%s already has all commits of %s as branch %s.", quote.Name(l.Remote), id, quote.Name(l.Branch))
	} else {
		s.Tell("lent %s as branch %s at %s; the last commit of the branch is %s", id, quote.Name(l.Branch), quote.Name(l.Remote), l.Tip.Short())
	}
	s.Say("The message of a commit that finishes a task has to end with these lines:\n\n  %s: %s\n  %s: TASK\n\n", checkpoint.TrailerRun, id, checkpoint.TrailerTask)
	s.Hint("use " + phrase.Double("git resume %s --print", string(id)) + " to see what is left to do")
	s.Hint("use " + phrase.Double("git resume pull %s --branch %s", string(id), l.Branch) + " to take the work back")
	if l.Shift != nil { // a push does not give the lease back before the work is taken back
		s.Note("\nThis clone keeps the lease of %s at %s while the run is lent.", id, quote.Name(l.Shift.Remote))
	}
}

// maxShown limits how many commits the function Returned lists.
const maxShown = 20

// Returned prints which commits came back from a branch, and which tasks they name.
func Returned(s page.Page, r *sharing.Returned) {
	id, from := r.Run.ID, fmt.Sprintf("branch %s at %s", quote.Name(r.Branch), quote.Name(r.Remote))
	if len(r.Commits) == 0 {
		s.Say("%s: nothing new on %s\n", id, from)
		return
	}
	s.Say("%s: %s from %s\n", id, phrase.Count(len(r.Commits), "commit", "commits"), from)
	for _, c := range r.Commits[:min(maxShown, len(r.Commits))] {
		s.Row("commit", c.ID.Short()+"  "+quote.Clean(c.Subject())+tasksOf(r, c))
	}
	if more := len(r.Commits) - maxShown; more > 0 {
		s.Row("", phrase.Count(more, "more commit", "more commits"))
	}
	switch n := len(r.Commits) - named(r); n {
	case 0:
	case 1:
		s.Tell("1 commit is on the run's branch now, but finishes no task, because it does not mention a task of this run.")
	default:
		s.Tell("%d commits are on the run's branch now, but finish no task, because they do not mention a task of this run.", n)
	}
	s.Hint("use " + phrase.Double("git resume %s", string(id)) + " to check these commits and to continue here")
	if r.Shift != nil {
		StaysLeased(s, r.Shift)
	}
}

// tasksOf returns the tasks that a commit names, each in parentheses, for example " (task 2)".
func tasksOf(r *sharing.Returned, c object.Commit) string {
	out := ""
	for _, e := range r.Results {
		switch {
		case e.Commit.ID != c.ID || e.Task == "":
		case e.Partial:
			out += fmt.Sprintf("  (task %s, not finished)", quote.Printable(string(e.Task)))
		default:
			out += fmt.Sprintf("  (task %s)", quote.Printable(string(e.Task)))
		}
	}
	return out
}

// named counts the commits that name a task.
func named(r *sharing.Returned) int {
	seen := map[object.ID]bool{}
	for _, e := range r.Results {
		if e.Task != "" {
			seen[e.Commit.ID] = true
		}
	}
	return len(seen)
}
