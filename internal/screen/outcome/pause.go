package outcome

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Paused prints that a run was paused, or after which running task it pauses.
func Paused(s page.Page, p *reporting.Pausing) {
	r := &p.Journal.Run
	if !p.Setup && len(p.Until) == 0 {
		s.Say("%s is paused; it will not be continued automatically\n", words.Title(r))
		if len(p.Left) > 0 {
			s.Note("its last task (pid %s) is still running, although the git-resume that started it has died", strings.Trim(fmt.Sprint(p.Left), "[]"))
		}
		s.Hint(fmt.Sprintf("use %s to continue it; the next %s for it does that too", phrase.Double("git resume %s", r.ID), phrase.Double("git resume task start")))
		return
	}
	s.Say("%s pauses after %s\n", words.Title(r), runningNow(r, p))
	if isLast(r, p.Until) {
		s.Note("it is the last task: if it succeeds, the run is finished, and no pause remains")
	}
	s.Hint(fmt.Sprintf("use %s to cancel the pause before it takes effect", phrase.Double("git resume undo %s", r.ID)))
	s.Hint(fmt.Sprintf("use %s to continue it later", phrase.Double("git resume %s", r.ID)))
}

// runningNow names the tasks, or the setup of the worktree, that must end before the run pauses.
func runningNow(r *checkpoint.Run, p *reporting.Pausing) string {
	switch {
	case p.Setup:
		return "the setup of its worktree, which is still running"
	case len(p.Until) > 1:
		var names []string
		for _, id := range p.Until {
			names = append(names, string(id))
		}
		return fmt.Sprintf("%d running tasks: %s", len(names), phrase.Some(names))
	}
	n := 1 + slices.IndexFunc(r.Tasks, func(t checkpoint.Task) bool { return t.ID == p.Until[0] })
	return fmt.Sprintf("task '%s' (%d of %d), which is still running", quote.Clean(string(p.Until[0])), n, len(r.Tasks))
}

// isLast reports whether a single task is running and all others are done or skipped.
func isLast(r *checkpoint.Run, running []checkpoint.TaskID) bool {
	return len(running) == 1 && !slices.ContainsFunc(r.Tasks, func(t checkpoint.Task) bool { return t.ID != running[0] && !t.State.Closed() })
}

// pausedBy prints who paused a run while it was executed, and why. It prints nothing if the run is not paused.
func pausedBy(s page.Page, x *resume.Executed) {
	if x.Pause == nil {
		return
	}
	text := words.Title(&x.Journal.Run) + " was paused"
	if who := words.Caller(x.Pause.By); who != "" {
		text += " by " + who
	}
	if why := quote.Clean(x.Pause.Text); why != "" {
		text += ": " + why
	}
	s.Note("%s", text)
}
