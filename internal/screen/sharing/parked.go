package sharing

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
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
		works(s, w)
	}
	for _, w := range all {
		if i := slices.IndexFunc(w.Commits, func(e checkpoint.Evidence) bool { return e.Task != "" && !e.Partial }); i >= 0 {
			s.Hint("use " + phrase.Double("git resume parked %s --take %s", string(w.Run), string(w.Commits[i].Task)) + " to bring a result into the run")
			break
		}
	}
	s.Hint("use " + phrase.Double("git resume parked %s --drop", string(all[0].Run)) + " to drop it (can be brought back)")
}

// The function "works" prints the tasks, commits and the ref of parked work.
func works(s page.Page, w sharing.ParkedWork) {
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

// TookParked prints that a parked result is part of the run now.
func TookParked(s page.Page, t *sharing.Taken) {
	s.Say("took task '%s' into %s as %s\n", quote.Printable(string(t.Task)), t.Work.Run, t.Commit.Short())
}

// DroppedParked prints that parked work was dropped. If back is true, it prints that the work was brought back.
func DroppedParked(s page.Page, all []sharing.ParkedWork, back bool) {
	for _, w := range all {
		if back {
			s.Tell("brought back the parked work of %s, which was done with lease %d", w.Run, w.Lease)
		} else {
			s.Tell("dropped the parked work of %s, which was done with lease %d", w.Run, w.Lease)
		}
		works(s, w)
	}
	if !back && len(all) > 0 {
		s.Hint("use " + phrase.Double("git resume parked %s --undrop", string(all[0].Run)) + " to bring it back")
	}
}
