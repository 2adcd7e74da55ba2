package remotework

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/exit"
	screen "github.com/git-resume/git-resume/internal/screen/sharing"
)

// Actions says how to report to GitHub Actions.
type Actions struct {
	// On is true in a job of GitHub Actions. Summary is the file to which the summary of the job is added, or empty.
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
		level, text := ended(nil, err)
		screen.Annotate(s, level, "git resume", text)
		return
	}
	j, loadErr := w.Engine.Sharing.Exchange.Store.Load(context.WithoutCancel(w.Context), w.shift.Run)
	if loadErr != nil {
		return
	}
	level, text := ended(&j.Run, err)
	screen.Annotate(s, level, "git resume: "+string(w.shift.Run), text)
	if w.q.Actions.Summary == "" {
		return
	}
	f, openErr := os.OpenFile(w.q.Actions.Summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if openErr != nil {
		return // the summary only repeats what was printed
	}
	_, _ = f.WriteString(screen.Job{Run: &j.Run, Remote: w.shift.Remote, Ended: text}.Summary())
	_ = f.Close()
}

// ended says in a sentence how a command ended, and how important that is.
func ended(r *checkpoint.Run, err error) (screen.Level, string) {
	var code exit.Code
	var leased *exchange.LeasedError
	switch {
	case err == nil && r != nil && r.Closed():
		return screen.Notice, "The run is finished."
	case err == nil:
		return screen.Notice, "Nothing is left to do here."
	case errors.As(err, &leased):
		return screen.Warning, err.Error() + "."
	case !errors.As(err, &code):
		return screen.Error, err.Error() + "."
	}
	switch int(code) {
	case exit.TimeUp:
		return screen.Notice, "The time is over, and work is left. The next job continues."
	case exit.Busy:
		return screen.Warning, "Somebody else took over. What was done here since then is kept, but does not count."
	case exit.Interrupted:
		return screen.Warning, "The job was stopped. The next job continues."
	case exit.Decide, exit.Waiting:
		return screen.Error, "A person has to decide before the run can continue."
	}
	if r != nil {
		for _, t := range r.Tasks {
			if t.State == checkpoint.Failed {
				return screen.Error, fmt.Sprintf("Task '%s' failed.", t.ID)
			}
		}
	}
	return screen.Error, fmt.Sprintf("The run stopped with exit code %d.", int(code))
}
