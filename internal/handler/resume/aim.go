package resume

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/tasks"
)

// These options apply to a single task. The user can name the task.
const (
	FlagSkip     = "skip"
	FlagMarkDone = "mark-done"
	FlagRetry    = "retry"
)

// endStates maps --skip and --mark-done to the state in which they leave the task.
var endStates = map[string]checkpoint.TaskState{FlagSkip: checkpoint.Skipped, FlagMarkDone: checkpoint.Done}

// AimError says that an option cannot be applied to a task, or that an interrupted command may already have applied it.
type AimError struct {
	Run  checkpoint.RunID
	Flag string
	Task checkpoint.TaskID
	// Now holds the current task of the run, if the option can be applied to it; otherwise it is empty.
	Now checkpoint.TaskID
	// Done is true if Task is done, so that it cannot be skipped.
	Done bool
	// Reported is true if Task has no command.
	// Then git-resume can neither run the task again nor mark it as done, because only its worker reports its result.
	Reported bool
	// Repeated is true if the user named no task, and an earlier command has applied the same option to Task.
	// That command ended before it could show its result.
	Repeated bool
}

func (e *AimError) Error() string {
	switch {
	case e.Reported:
		return fmt.Sprintf("task '%s' has no command, so --%s cannot be used; its worker reports whether it is done", e.Task, e.Flag)
	case e.Repeated && e.Flag == FlagSkip:
		return fmt.Sprintf("task '%s' was already skipped by an earlier command, which ended before it reported that", e.Task)
	case e.Repeated:
		return fmt.Sprintf("task '%s' was already marked as done by an earlier command, which ended before it reported that", e.Task)
	case e.Flag == FlagMarkDone:
		return fmt.Sprintf("task '%s' was not interrupted", e.Task)
	}
	return fmt.Sprintf("task '%s' is not the next task of the run", e.Task)
}

// Aim finds the task that an option applies to: the task that the user named, or the current task of the run if the user named none.
//
// If the user named a task:
//   - The result "already" is true if --mark-done names a task that is already done, or --skip a task that is already skipped.
//   - The error is an *AimError if the option cannot be applied to this task.
//
// If the user named no task:
//   - The result "task" is empty if the run has no current task. With --mark-done it is also empty if the current task has not been
//     started. But if nothing was reported since a user marked a task as done, it is that task, and "already" is true: the option is
//     repeated, for example after a conflict was resolved.
//   - The error is an *AimError if an earlier command has already applied the same option. That command may have been killed before it
//     showed its result, and when the user repeats it, the option must not apply to the next task.
func (e *Executer) Aim(r *checkpoint.Run, flag, named string) (task checkpoint.TaskID, already bool, err error) {
	wrong := &AimError{Run: r.ID, Flag: flag}
	if _, t := r.Current(); t != nil && (flag != FlagMarkDone || t.State == checkpoint.Active) {
		wrong.Now = t.ID
	}
	if named == "" {
		last := e.Store.Folder().LastAsked(r.ID)
		if t := r.Task(last.Task); last.Flag == flag && t != nil && t.State == endStates[flag] {
			wrong.Task, wrong.Repeated = t.ID, true
			return "", false, wrong
		}
		if t := markedLast(r); flag == FlagMarkDone && wrong.Now == "" && t != nil {
			return t.ID, true, nil
		}
		return wrong.Now, false, nil
	}
	t, err := candidate.NeedTask(r, named)
	if err != nil {
		return "", false, err
	}
	wrong.Task, wrong.Done = t.ID, t.State == checkpoint.Done
	switch {
	case t.State == endStates[flag]:
		return t.ID, true, nil
	case flag == FlagMarkDone && t.State != checkpoint.Active, flag == FlagSkip && t.ID != wrong.Now:
		return "", false, wrong
	}
	return t.ID, false, nil
}

// markedLast returns the task that a user marked as done, if nothing was reported about tasks since. Otherwise it returns nil.
func markedLast(r *checkpoint.Run) (last *checkpoint.Task) {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; last == nil || t.LastSeq > last.LastSeq {
			last = t
		}
	}
	if last == nil || last.State != checkpoint.Done || last.Reason == "" {
		return nil
	}
	return last
}

// ReportedOnly returns an error if --retry or --mark-done would have no effect because the interrupted task has no command. Several tasks may
// be interrupted: --mark-done applies to the task "done", and --retry has an effect if any of them has a command.
func ReportedOnly(a *assess.Assessment, retry bool, done checkpoint.TaskID) error {
	if a.Interrupted == nil {
		return nil
	}
	wrong, other := &AimError{Run: a.Summary.Run.ID, Reported: true}, false
	for _, t := range a.Summary.Run.Tasks {
		switch {
		case t.State != checkpoint.Active:
		case !tasks.OnlyReported(a.Plan, t):
			other = true
		case t.ID == done:
			wrong.Flag, wrong.Task = FlagMarkDone, t.ID
			return wrong
		case wrong.Task == "":
			wrong.Flag, wrong.Task = FlagRetry, t.ID
		}
	}
	if !retry || other || wrong.Task == "" {
		return nil
	}
	return wrong
}

// noteAsked stores the option and the task before the command applies them.
// If the command is killed, the next command can say what was already done.
func (e *Executer) noteAsked(id checkpoint.RunID, flag string, task checkpoint.TaskID) error {
	return e.Store.Folder().Ask(id, files.Asked{Flag: flag, Task: task})
}

// Acknowledged records that a command has shown its result to the user.
func (e *Executer) Acknowledged(id checkpoint.RunID) {
	_ = e.Store.Folder().Answered(id) // if this fails, a later command only asks once more which task the user means
}
