package reporting

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
)

// findClosedRun handles a command that is repeated because it was killed just after it had finished its run.
// The closed run refuses the repeated command, but the command must succeed nevertheless.
//
// findClosedRun returns the run that the refusal names. If it names none, findClosedRun returns the run of this worktree that was changed
// last. In both cases, it returns nil if the run is not finished.
func (e *Reporter) findClosedRun(ctx context.Context, refusal error) *journal.Journal {
	var closed *candidate.ClosedError
	var none *candidate.NoneError
	var id checkpoint.RunID
	switch {
	case errors.As(refusal, &closed):
		id = closed.ID
	case errors.As(refusal, &none) && none.Given == "":
		id = e.closedLast(ctx)
	}
	if id == "" {
		return nil
	}
	e.Store.Settle(ctx, id)
	j, err := e.Store.Load(ctx, id)
	if err != nil || j.Run.LastEvent != checkpoint.RunFinished {
		return nil
	}
	return j
}

func (e *Reporter) closedLast(ctx context.Context) checkpoint.RunID {
	ids, err := e.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return ""
	}
	var last *journal.Journal
	for _, id := range ids {
		j, err := e.Store.Load(ctx, id)
		if err != nil || !e.WorksHere(&j.Run) {
			continue
		}
		if last == nil || j.Run.LastAt.After(last.Run.LastAt) {
			last = j
		}
	}
	if last == nil {
		return ""
	}
	return last.Run.ID
}

// repeatedReport returns the result for a report that is repeated after it finished its run. It returns nil for any other report.
func repeatedReport(j *journal.Journal, q TaskReport) *Reported {
	n, t := lastReport(&j.Run)
	if t == nil || string(t.ID) != q.Task {
		return nil
	}
	if (q.Verb != Done || t.State != checkpoint.Done) && (q.Verb != Skip || t.State != checkpoint.Skipped) {
		return nil
	}
	return &Reported{
		Journal: j, Task: *t, Number: n, Already: true,
		Commit: commit.Result{ID: t.Commit, Tree: t.Tree},
	}
}

// lastReport returns the position and the task of the last event before the end of the run. Positions are counted from 1. The task is nil
// if that event was not about a task.
func lastReport(r *checkpoint.Run) (int, *checkpoint.Task) {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.LastSeq == r.Seq-1 {
			return i + 1, t
		}
	}
	return 0, nil
}
