package reporting

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
)

// findClosedRun finds the run that a refused command may have closed itself when it was first given:
// if a process is killed after recording but before answering, its caller repeats the command, which must then succeed.
// It returns the run that the refusal names, otherwise the run in this worktree that changed last; nil if that run is not finished.
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

// repeatedReport returns the answer to a repeated report that had finished its run; nil if the report is not such a one.
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

// lastReport returns the task whose event comes right before the end of the run.
func lastReport(r *checkpoint.Run) (int, *checkpoint.Task) {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.LastSeq == r.Seq-1 {
			return i + 1, t
		}
	}
	return 0, nil
}
