package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

// State is the condition of a run right now: what its journal says, together with which processes are alive.
type State string

// The states of a run.
const (
	Running     State = "running"
	Idle        State = "idle"
	Interrupted State = "interrupted"
	Paused      State = "paused"
	Waiting     State = "waiting"
	FailedRun   State = "failed"
	FinishedRun State = "finished"
	Discarded   State = "discarded"
)

// Resting reports whether the driver of the run is a shell at a terminal and no task is active. Such a shell proves that somebody
// was there, not that anybody is working, so it keeps nobody from taking the run.
func (r *Run) Resting() bool {
	return r.Driver != nil && r.Driver.Shell && !slices.ContainsFunc(r.Tasks, func(t Task) bool { return t.State == Active })
}

// Announced reports whether the hook and "status --exit-code" mention a run in this state.
func (s State) Announced() bool { return s == Interrupted || s == Waiting || s == FailedRun }

// Life is what can be seen of the processes that work on a run.
type Life struct {
	OwnerLock bool      // somebody holds the owner lock
	TaskLock  bool      // processes of a task are still running
	TaskPIDs  []int     // their ids, if the owner is gone and they can be seen
	Driver    proc.Fate // the process that reports
	Owner     proc.Fate // the process of the last claim
	Active    time.Time // when the run last showed activity: an event, a commit, a changed file
}

// Held reports whether a lock proves that somebody is executing the run.
func (l Life) Held() bool { return l.OwnerLock || l.TaskLock }

// StateOf decides the state of a run. It is pure: the same journal and the same life give the same state.
// A run is interrupted only if that is proven; if it cannot be checked from here, the run is idle.
func StateOf(r *Run, l Life, now time.Time, idle time.Duration) State {
	switch {
	case r.Discarded:
		return Discarded
	case l.Held():
		return Running
	case r.Finished:
		return FinishedRun
	case !r.Ours():
		return Idle // what others say about the run is shown, but proves nothing about this machine
	case r.Paused:
		return Paused
	case r.Question() != nil && r.Begun():
		return Waiting
	case !r.Begun():
		return Idle
	}
	switch fate(r, l) {
	case proc.Alive:
		if _, t := r.Current(); t != nil && t.State == Failed {
			return FailedRun // the run's own worker reported the failure
		}
		if !r.Resting() && now.Sub(later(l.Active, r.LastAt)) <= idle {
			return Running
		}
		return Idle
	case proc.Unknown:
		return Idle
	}
	if _, t := r.Current(); t != nil && t.State == Failed {
		return FailedRun
	}
	return Interrupted
}

// CauseTaken is the cause recorded for a run that somebody else had worked on, until it is continued here.
const CauseTaken = "taken-over"

// fate combines driver and owner: alive if either one is alive, dead only if everyone who was recorded is proven dead.
func fate(r *Run, l Life) proc.Fate {
	if r.Driver == nil && r.Owner == nil {
		if r.Cause == CauseTaken {
			return proc.Dead // a person took the run over here, and nobody has continued it since
		}
		return proc.Unknown
	}
	if l.Driver == proc.Alive || l.Owner == proc.Alive {
		return proc.Alive
	}
	if (r.Driver == nil || l.Driver == proc.Dead) && (r.Owner == nil || l.Owner == proc.Dead) {
		return proc.Dead
	}
	return proc.Unknown
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
