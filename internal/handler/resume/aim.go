package resume

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/tasks"
)

// The options that apply to one task, which the user may name.
const (
	FlagSkip     = "skip"
	FlagMarkDone = "mark-done"
	FlagRetry    = "retry"
)

// endStates maps each option to the state in which it leaves the task.
var endStates = map[string]checkpoint.TaskState{FlagSkip: checkpoint.Skipped, FlagMarkDone: checkpoint.Done}

// AimError says that an option does not fit the task that it names, or that an interrupted command may have applied it already.
type AimError struct {
	Run  checkpoint.RunID
	Flag string
	Task checkpoint.TaskID
	// Now holds the current task of the run; empty if there is none.
	Now checkpoint.TaskID
	// Reported: Task has no command, so nothing can be run again or marked here: its worker reports it.
	Reported bool
	// Repeated is true if the command names no task, and an interrupted command has already applied the same option to Task.
	Repeated bool
}

func (e *AimError) Error() string {
	switch {
	case e.Reported:
		return fmt.Sprintf("task '%s' has no command that --%s could be about; its worker reports it", e.Task, e.Flag)
	case e.Repeated && e.Flag == FlagSkip:
		return fmt.Sprintf("task '%s' was already skipped by a command that ended before it could say so", e.Task)
	case e.Repeated:
		return fmt.Sprintf("task '%s' was already marked as done by a command that ended before it could say so", e.Task)
	case e.Flag == FlagMarkDone:
		return fmt.Sprintf("task '%s' was not interrupted", e.Task)
	}
	return fmt.Sprintf("task '%s' is not the next task of the run", e.Task)
}

// Aim finds the task that an option applies to: the named task, or else the run's current task.
// already is true if that task needs no change.
func (e *Executer) Aim(r *checkpoint.Run, flag, named string) (task checkpoint.TaskID, already bool, err error) {
	wrong := &AimError{Run: r.ID, Flag: flag}
	if _, t := r.Current(); t != nil {
		wrong.Now = t.ID
	}
	if named == "" {
		last := e.Store.Folder().LastAsked(r.ID)
		if t := r.Task(last.Task); last.Flag == flag && t != nil && t.State == endStates[flag] {
			wrong.Task, wrong.Repeated = t.ID, true
			return "", false, wrong
		}
		if _, t := r.Current(); t == nil || flag == FlagMarkDone && t.State != checkpoint.Active {
			return "", false, nil
		}
		return wrong.Now, false, nil
	}
	t, err := candidate.NeedTask(r, named)
	if err != nil {
		return "", false, err
	}
	wrong.Task = t.ID
	switch {
	case t.State == endStates[flag]:
		return t.ID, true, nil
	case flag == FlagMarkDone && t.State != checkpoint.Active, flag == FlagSkip && t.ID != wrong.Now:
		return "", false, wrong
	}
	return t.ID, false, nil
}

// ReportedOnly refuses --retry and --mark-done for an interrupted task that has no command: nothing would come of them.
func ReportedOnly(a *assess.Assessment, retry bool, done checkpoint.TaskID) error {
	t := a.Interrupted
	if t == nil || !tasks.OnlyReported(a.Plan, *t) || !retry && done != t.ID {
		return nil
	}
	wrong := &AimError{Run: a.Summary.Run.ID, Flag: FlagMarkDone, Task: t.ID, Reported: true}
	if retry {
		wrong.Flag = FlagRetry
	}
	return wrong
}

// noteAsked writes down what the command is about to record, in case it is killed before it can tell the user.
func (e *Executer) noteAsked(id checkpoint.RunID, flag string, task checkpoint.TaskID) error {
	return e.Store.Folder().Ask(id, files.Asked{Flag: flag, Task: task})
}

// Acknowledged notes that a command on the run has shown its result to the user.
func (e *Executer) Acknowledged(id checkpoint.RunID) {
	_ = e.Store.Folder().Answered(id) // at worst, a later command asks which task is meant
}
