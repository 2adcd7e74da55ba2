package assess

import (
	"context"
	"fmt"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
)

// runChecks examines a run itself: who is working on it, what its journal says, and whether its commits still exist.
type runChecks struct{ *assessor }

// checkWorkers finds out whether somebody is working on the run.
func (x runChecks) checkWorkers(context.Context) error {
	r, l := x.run(), x.a.Summary.Life
	x.a.Below = r.Ours() && (r.Driver != nil && !l.Held() && x.Procs.Descends(x.PID, r.Driver.PID, r.Driver.Start) ||
		l.Held() && x.Owner != "" && x.Owner == r.Nonce) // this program was started by the process that executes the run
	switch {
	case x.a.Below && l.Held():
	case l.Held():
		text := "it is being executed"
		if busy := owner.Busy(x.Store, r.ID); busy != nil {
			text = busy.Error()
		}
		x.addFinding(candidate.FindAlive, candidate.Blocking, text)
	case x.a.Below, l.Driver == proc.Alive && r.Resting():
	case l.Driver == proc.Alive && (x.a.Summary.State == checkpoint.Running || x.a.Summary.State == checkpoint.FailedRun && x.a.Silent <= candidate.IdleAfter):
		x.addFinding(candidate.FindAlive, candidate.Blocking, fmt.Sprintf("process %d is working on it", r.Driver.PID))
	case l.Driver == proc.Alive:
		x.addFinding(candidate.FindIdle, candidate.Warning, fmt.Sprintf("process %d is alive but has been silent for %s", r.Driver.PID, x.a.Silent.Round(time.Minute)))
	case l.Owner == proc.Alive && r.Owner.PID != x.PID: // the lock file may be lost although its process is still alive
		x.addFinding(candidate.FindUnchecked, candidate.Blocking, fmt.Sprintf("process %d took the run and is alive, but its lock is gone", r.Owner.PID))
	case !r.Ours(): // the last worker was on another machine or clone
	case r.Driver != nil && l.Driver == proc.Unknown, r.Driver == nil && r.Owner != nil && l.Owner == proc.Unknown:
		x.addFinding(candidate.FindUnchecked, candidate.Blocking, "its last worker cannot be checked from here")
	}
	if r.Paused {
		x.addFinding(candidate.FindPaused, candidate.Warning, "it was stopped on purpose")
	}
	if x.a.Age == candidate.Stale {
		x.addFinding(candidate.FindStale, candidate.Warning, "it has been silent for more than a week")
	}
	return nil
}

// others looks for other open runs that do the same work.
func (x runChecks) others(ctx context.Context) error {
	open, _, err := x.judge.Find.OpenRuns(ctx)
	if err != nil {
		return err
	}
	for _, id := range open {
		if id == x.run().ID {
			continue
		}
		j, err := x.Store.Load(ctx, id)
		if err != nil {
			continue
		}
		if j.Run.Name == x.run().Name || (j.Run.Branch != "" && !j.Run.Here && j.Run.Branch == x.run().Branch) {
			x.addFinding(candidate.FindSameWork, candidate.Warning, fmt.Sprintf("run '%s' is open too and does the same work", id))
		}
	}
	return nil
}

// journal checks whether the record is complete, and who wrote it.
func (x runChecks) journal(ctx context.Context) error {
	r := x.run()
	x.provenance()
	if err := x.commits(ctx); err != nil {
		return err
	}
	if r.Unreadable > 0 {
		x.addFinding(candidate.FindDamaged, candidate.Warning, fmt.Sprintf("%d lines of its journal cannot be read", r.Unreadable))
	}
	if r.Diverged {
		x.addFinding(candidate.FindDiverged, candidate.Warning, "it was worked on in two places")
	}
	if r.Rebuilt {
		x.addFinding(candidate.FindRebuilt, candidate.Warning, "its journal is not here; the state comes from commits")
	}
	for _, t := range r.Tasks {
		if t.Found && !r.Rebuilt {
			x.addFinding(candidate.FindLanded, candidate.Info, fmt.Sprintf("task '%s' was committed as %s before it was recorded", t.ID, t.Commit.Short()))
		}
	}
	return nil
}
