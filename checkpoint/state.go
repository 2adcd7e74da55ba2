package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

// State is the current condition of a run. It depends on the journal and on which processes are alive.
type State string

// These are the states of a run.
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

// Resting reports whether the run is driven by a shell at a terminal and no task is active. An open terminal does not prove that anybody
// is working, so others may take the run.
func (r *Run) Resting() bool {
	return r.Driver != nil && r.Driver.Shell && !slices.ContainsFunc(r.Tasks, func(t Task) bool { return t.State == Active })
}

// Announced reports whether a run in this state needs attention. The post-checkout hook mentions such a run, and "status --exit-code" ends
// with an exit code that shows it.
func (s State) Announced() bool { return s == Interrupted || s == Waiting || s == FailedRun }

// Life describes which processes of a run are alive.
type Life struct {
	OwnerLock bool      // a process holds the owner lock
	TaskLock  bool      // processes of a task are still running
	TaskPIDs  []int     // the processes of the task, if the owner is gone
	Driver    proc.Fate // the fate of the process that reports the progress of the tasks
	Owner     proc.Fate // the fate of the process that made the last claim
	Active    time.Time // the time of the last activity: an event, a commit, or a changed file
}

// Held reports whether a process holds the owner lock, or processes of a task are still running.
func (l Life) Held() bool { return l.OwnerLock || l.TaskLock }

// StateOf decides the state of a run from its arguments alone. A run counts as interrupted only if its processes are known to be dead, or
// if nobody has continued it since it was taken over.
func StateOf(r *Run, l Life, now time.Time, idle time.Duration) State {
	switch {
	case r.Discarded:
		return Discarded
	case l.Held():
		return Running
	case r.Finished:
		return FinishedRun
	case !r.Ours():
		return Idle // other people's lines prove nothing about processes on this machine
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
			return FailedRun // the process is alive and reported the failure itself
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

// CauseTaken is the cause of a run that was taken over and has not been continued yet.
const CauseTaken = "taken-over"

// fate says whether the driver or the owner of the run is alive. It is Alive if one of the two is alive, and Dead if every recorded one is
// known to be dead. If neither is recorded, it is Dead for a run that was taken over and not continued. In all other cases it is Unknown.
func fate(r *Run, l Life) proc.Fate {
	if r.Driver == nil && r.Owner == nil {
		if r.Cause == CauseTaken {
			return proc.Dead // nobody has continued the run since it was taken over
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
