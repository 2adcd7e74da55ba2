package reporting

import (
	"context"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
)

// Pausing describes a pause, and the commands of the run that are still running.
type Pausing struct {
	Journal *journal.Journal
	// Until lists the tasks that git-resume is still executing. When they are done, it ends the execution of the run. Setup is true if
	// git-resume is executing the setup of the worktree instead. Until is empty and Setup is false if nobody executes the run.
	Until []checkpoint.TaskID
	Setup bool
	// Left lists the processes of a task that are still running although the git-resume that started them is gone.
	Left []int
}

// Pause marks a run as paused, so that nothing continues it automatically. A person may pause a run even while its worker is alive. If
// git-resume executes the run, it starts no further command.
func (e *Reporter) Pause(ctx context.Context, run, reason string) (*Pausing, error) {
	if err := checkText("the reason", reason); err != nil {
		return nil, err
	}
	j, err := e.appendToRun(ctx, run, false, func(d *taskReport, r *checkpoint.Run) ([]checkpoint.Event, error) {
		if r.Paused {
			return nil, nil
		}
		// A pause also takes the run from a worker that may still be alive. The process that reports next becomes the worker.
		return append(e.LetGoEvents(r), checkpoint.Event{Event: checkpoint.RunPaused, Text: reason}), nil
	})
	if err != nil {
		return nil, err
	}
	out := &Pausing{Journal: j}
	// Look at the locks after the pause is recorded: a process that still holds the lock sees the pause before it starts anything else.
	life := owner.FindLife(e.Store, &j.Run, e.Procs, time.Time{})
	if out.Left = life.TaskPIDs; life.OwnerLock {
		out.Until, out.Setup = executing(&j.Run)
	}
	return out, nil
}

// executing lists the running tasks that git-resume itself has started. Tasks that a worker reported are not in the list, because such a
// worker does not stop at a pause. The result "setup" is true if the setup of the worktree is running.
func executing(r *checkpoint.Run) (out []checkpoint.TaskID, setup bool) {
	for _, t := range r.Tasks {
		if t.State == checkpoint.Active && (t.Command != "" || t.Place > 0) {
			out = append(out, t.ID)
		}
	}
	return out, r.Setup != nil && r.Setup.State == checkpoint.Active
}
