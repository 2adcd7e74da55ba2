package candidate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/sources"
)

func (e *scan) summaryOf(f *sources.Found) Summary {
	s := emptySummary(f)
	e.overlay(&s, f)
	return s
}

// emptySummary returns a summary that has only the key of another system's work.
func emptySummary(f *sources.Found) Summary {
	return Summary{Run: checkpoint.Run{ID: checkpoint.RunID(f.Key())}}
}

// overlay fills the summary of another system's work from that system's own state files. They count more than our record.
func (e *scan) overlay(s *Summary, f *sources.Found) {
	r := &s.Run
	s.Found = f
	if r.Source != "" {
		r.Source = f.Source // use the current name, because an earlier version may have recorded an old one
	}
	if r.Name == "" {
		r.Name = f.Name
	}
	if r.Name == "" {
		r.Name = f.ID
	}
	r.Tasks, r.Point = foreignTasks(f), checkpoint.TaskID(f.Point.Task)
	if f.Point.Task == "" && len(f.Questions) > 0 {
		r.Point = checkpoint.TaskID(f.Questions[0].Task) // the first question is what a person is asked, so the work stands there
	}
	r.Branch, r.Cause = f.Branch, f.Cause
	if f.Base != "" {
		r.Base.Name = f.Base
	}
	if f.Start != "" {
		r.Base.Commit = f.Start
	}
	if f.Last != "" {
		r.Head = f.Last
	}
	if !f.Active.IsZero() {
		r.LastAt, s.Fresh = e.lastWork(r, f) // our own writes to the journal or to the system's files do not count as work
	}
	r.Finished = r.Finished || f.State == sources.Complete
	r.Discarded = r.Discarded && !f.State.Open() || f.State == sources.Ended // open work that is shown was started again after its discard
	s.Path, r.Worktree = f.Worktree, f.Worktree
	r.Here = f.Worktree == "" && f.Wants == ""
	if r.Here {
		s.Path, r.Worktree = f.Home, f.Home
	}
	if f.State == sources.Corrupt {
		s.Damaged = "its state cannot be read"
		if len(f.Doubts) > 0 {
			s.Damaged = f.Doubts[0].Whole()
		}
	}
	s.State, s.Busy = e.stateOf(s, f)
}

func foreignTasks(f *sources.Found) []checkpoint.Task {
	out := make([]checkpoint.Task, 0, len(f.Tasks))
	for i, t := range f.Tasks {
		out = append(out, checkpoint.Task{
			ID: checkpoint.TaskID(t.ID), Title: t.Title, State: t.State, Commit: t.Commit, Attempts: t.Attempts,
			Started: t.Began, Ended: t.Ended, Optional: t.Optional, Reason: t.Raw, LastSeq: int64(i + 1),
		})
		last := &out[len(out)-1]
		for _, q := range f.Questions {
			if q.Task == t.ID && q.Task != "" {
				last.Question, last.Options = q.Text, q.Options
			}
		}
	}
	return out
}

// states maps the states that sources report to the states of our own runs.
var states = map[sources.State]checkpoint.State{
	sources.NotStarted: checkpoint.Idle, sources.Interrupted: checkpoint.Interrupted, sources.Running: checkpoint.Running,
	sources.Paused: checkpoint.Paused, sources.Waiting: checkpoint.Waiting, sources.Blocked: checkpoint.Waiting,
	sources.Failed: checkpoint.FailedRun, sources.Review: checkpoint.Waiting, sources.Complete: checkpoint.FinishedRun,
	sources.Ended: checkpoint.Discarded, sources.Corrupt: checkpoint.Idle, sources.Unknown: checkpoint.Idle,
}

// stateOf combines the other system's state with signs that somebody is working. These signs are needed, because other systems do not take
// our locks. The second result describes the sign, if there is one.
func (e *scan) stateOf(s *Summary, f *sources.Found) (checkpoint.State, string) {
	// If we made the last edit of the state files, that edit is not a sign of a worker. So the warning that the files are still being
	// written is removed. This comes first, because the method returns early if our lock is held.
	ownEdit := f.State == sources.Running && e.wroteAll(&s.Run, f)
	if ownEdit {
		f.Doubts = slices.DeleteFunc(slices.Clone(f.Doubts), func(d sources.Doubt) bool { return d.Code == sources.DoubtStillWritten })
	}
	if s.Run.Events > 0 { // the work was adopted, so our own locks count too
		if s.Life = owner.FindLife(e.Store, &s.Run, e.Procs, time.Time{}); s.Life.Held() {
			return checkpoint.Running, ""
		}
	}
	state := states[f.State]
	if sign := HandedOver(e.Now(), &s.Run, f); sign != "" && slices.Contains([]checkpoint.State{checkpoint.Interrupted, checkpoint.Idle, checkpoint.FailedRun, checkpoint.Running}, state) {
		s.Handed = true
		return checkpoint.Running, sign
	}
	if ownEdit {
		state = checkpoint.Interrupted
	} else if f.State == sources.Running && f.Source == GitSource {
		return state, "" // a process proves it, so it is not only a sign
	} else if f.State == sources.Running { // the other system says that the work is running, so no other sign matters
		return state, runningSign(e.Now(), f)
	}
	if busy := e.systemProcess(f); busy != "" {
		return checkpoint.Running, busy
	}
	if f.Source == GitSource || state != checkpoint.Interrupted && state != checkpoint.Idle && state != checkpoint.FailedRun {
		return state, ""
	}
	busy, byTime := e.signOfWorker(&s.Run, f)
	if why := e.unfinished(f, byTime); why != "" {
		f.Doubts = append(slices.Clone(f.Doubts), sources.Doubt{Code: sources.DoubtUnfinished, Severity: Warning, Text: why})
		if byTime {
			return state, ""
		}
	}
	if busy != "" {
		return checkpoint.Running, busy
	}
	s.HandedBefore = e.handedLately(&s.Run, f)
	return state, ""
}

// handedLately reports whether we handed this work to somebody within a day, and its state has not changed since.
func (e *scan) handedLately(r *checkpoint.Run, f *sources.Found) bool {
	ago := e.Now().Sub(r.HandedAt)
	return !r.HandedAt.IsZero() && ago >= 0 && ago < 24*time.Hour && !f.Stopped && r.Ours() && !r.LastAt.After(r.HandedAt)
}

// unfinished says why the worktree with the state files looks like a checkout or a copy that was interrupted, or returns "". The argument "deep"
// is true if this matters, so that git may be asked.
func (e *scan) unfinished(f *sources.Found, deep bool) string {
	if f.Home == "" {
		return ""
	}
	t, ok := e.view.At(f.Home)
	if !ok {
		return ""
	}
	return e.view.Unfinished(context.Background(), t, deep)
}

// HandedOver says when we handed this work to somebody. It returns "" if that was more than a few minutes ago, or if the work's state files
// say that it has stopped.
func HandedOver(now time.Time, r *checkpoint.Run, f *sources.Found) string {
	ago := now.Sub(r.HandedAt)
	if r.HandedAt.IsZero() || ago < 0 || ago >= Quiet || f.Stopped || !r.Ours() {
		return ""
	}
	sign := fmt.Sprintf("steps to continue were printed at %s", r.HandedAt.In(now.Location()).Format("15:04"))
	if task := string(r.HandedTask); task != "" && task != f.Point.Task {
		sign += ", for " + f.Unit() + " " + task
	}
	return sign
}

// runningSign explains why work counts as running: its own state files say so.
func runningSign(now time.Time, f *sources.Found) string {
	if f.Active.IsZero() {
		return "its state says that it is running"
	}
	return "its state says that it is running; the state was written at " + f.Active.In(now.Location()).Format("15:04")
}
