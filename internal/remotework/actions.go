package remotework

import (
	"context"
	"os"

	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// Actions says how to report to GitHub Actions.
type Actions struct {
	// The field "On" is true in a job of GitHub Actions. Summary is the file to which the summary of the job is added, or empty.
	On      bool
	Summary string
}

// ActionsOf returns how to report to GitHub Actions, from the variables of the job.
func ActionsOf(getenv func(string) string) Actions {
	if getenv("GITHUB_ACTIONS") != "true" {
		return Actions{}
	}
	return Actions{On: true, Summary: getenv("GITHUB_STEP_SUMMARY")}
}

// tellActions adds an annotation and a summary to a job of GitHub Actions. It changes nothing in the result of the command.
func (w *worker) tellActions(err error) {
	if !w.q.Actions.On {
		return
	}
	s := w.Person.Screen()
	if w.shift == nil {
		level, text := screen.Ended(nil, err)
		screen.Annotate(s, level, "git resume", text)
		return
	}
	j, loadErr := w.Engine.Sharing.Exchange.Store.Load(context.WithoutCancel(w.Context), w.shift.Run)
	if loadErr != nil {
		return
	}
	r := &j.Run
	if w.shift.Over && !r.Closed() {
		r = nil // the run was closed elsewhere, which this clone has not accepted yet
	}
	level, text := screen.Ended(r, err)
	screen.Annotate(s, level, "git resume: "+string(w.shift.Run), text)
	if w.q.Actions.Summary == "" {
		return
	}
	f, openErr := os.OpenFile(w.q.Actions.Summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if openErr != nil {
		return // a missing summary is no error, because it only repeats what was printed
	}
	_, _ = f.WriteString(screen.Job{Run: &j.Run, Remote: w.shift.Remote, Ended: text}.Summary())
	_ = f.Close()
}
