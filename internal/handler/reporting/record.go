package reporting

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/tasks"
)

var errAlready = errors.New("already so")

// report appends the events of the report. It checks everything again while it holds the journal's lock.
func (d *taskReport) report(ctx context.Context) (*Reported, error) {
	out := &Reported{Commit: d.commit, Made: d.made, Left: d.left, Others: d.others, Saved: d.saved, Staged: d.staged, StagedIn: d.stagedIn}
	j, err := d.Store.Append(ctx, d.j.Run.ID, journal.Batch{Asked: d.q.Verb == Reset || d.q.Verb == Add, Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		out.Found = nil
		return d.events(r, out)
	}})
	if errors.Is(err, errAlready) {
		j, out.Already, out.Found = d.j, true, nil // nothing was recorded, also not what was found
	} else if err != nil {
		return nil, err
	}
	out.Journal = j
	for i, t := range j.Run.Tasks {
		if t.ID == d.task {
			out.Task, out.Number = t, i+1
		}
	}
	return out, nil
}

// events returns the events to record for this report, given the run's present state.
func (d *taskReport) events(r *checkpoint.Run, out *Reported) ([]checkpoint.Event, error) {
	if err := d.allowed(r); err != nil {
		return nil, err
	}
	if d.q.Verb == Add {
		return d.addition(r)
	}
	events := d.driven(r)
	except := d.task // the report itself is the result of this task, so do not also record a result that is found in a commit
	if d.q.Verb != Done {
		except = "" // this report is not a result, so first record the result that this task may have in a commit
	}
	for _, found := range tasks.FoundEvents(r, d.landed, except) {
		out.Found = append(out.Found, found.Task)
		events = append(events, found)
	}
	t := r.Task(d.task)
	if t == nil {
		events = append(events, d.addLocation(checkpoint.Event{Event: checkpoint.TaskAdded, Task: d.task, Title: d.q.Title}))
		t = &checkpoint.Task{ID: d.task, State: checkpoint.Pending}
	}
	if d.q.Verb != Done && slices.ContainsFunc(d.landed, func(l checkpoint.Evidence) bool { return l.Task == d.task }) {
		landed := *t
		landed.State, t = checkpoint.Done, &landed
	}
	if d.saved.ID != "" && d.saved.Made {
		events = append(events, d.addLocation(checkpoint.Event{Event: checkpoint.Snapshot, Tree: d.saved.ID}))
	}
	own, err := d.reportEvent(r, *t)
	if err != nil {
		return nil, err
	}
	if out.Unanswered = ""; t.State == checkpoint.Blocked && (own.Event == checkpoint.TaskStarted || own.Event == checkpoint.TaskDone) {
		out.Unanswered = t.Question
	}
	events = append(events, own)
	if d.completesRun(r, own, events) {
		events = append(events, d.addLocation(checkpoint.Event{Event: checkpoint.RunFinished}))
	}
	return events, nil
}

// addition returns the event that adds a pending task. Adding a task is not work on the run, so the run keeps its worker. If the
// run already has the task, it returns errAlready, or another error if the report gives the task another title.
func (d *taskReport) addition(r *checkpoint.Run) ([]checkpoint.Event, error) {
	t := r.Task(d.task)
	switch {
	case t == nil:
		return []checkpoint.Event{d.addLocation(checkpoint.Event{Event: checkpoint.TaskAdded, Task: d.task, Title: d.q.Title})}, nil
	case d.q.Title != "" && d.q.Title != t.Title:
		return nil, &candidate.TextError{What: fmt.Sprintf("task '%s'", t.ID), Why: "is part of the run already, with another title"}
	}
	return nil, errAlready
}

// addLocation stores in an event the commits of HEAD and of the base, and the new name of a renamed branch. In the worktree of a single
// task, it stores the number of that worktree instead of HEAD and the branch.
func (d *taskReport) addLocation(e checkpoint.Event) checkpoint.Event {
	if e.BaseTip = d.base; d.place != nil {
		e.Place = &checkpoint.Place{N: d.place.N}
		if e.Event == checkpoint.TaskStarted {
			e.Place.From = d.head
		}
		return e // leave e.Head empty, because readers of the journal would take it for HEAD of the run's own worktree
	}
	e.Head = d.head
	if d.branch != "" && d.branch != d.j.Run.Branch && (d.q.Verb == Start || d.q.Verb == Done) {
		e.Branch = d.branch
	}
	return e
}

// reportEvent returns the event for the report, or an error if the report does not fit the task's state or says nothing new.
func (d *taskReport) reportEvent(r *checkpoint.Run, t checkpoint.Task) (checkpoint.Event, error) {
	ev := checkpoint.Event{Task: t.ID, Attempt: t.Attempt, Text: d.q.Message}
	wrong := &StateError{Run: r.ID, Task: t, Wants: d.q.Verb}
	if wrong.Asks() && (d.q.Verb == Start || d.q.Verb == Done) {
		return ev, wrong
	}
	switch d.q.Verb {
	case Start:
		if t.State == checkpoint.Done {
			return ev, wrong
		}
		if t.State == checkpoint.Active && d.place != nil {
			return ev, errAlready // git-resume executes the run, so this report must not end a pause
		}
		if t.State == checkpoint.Active && !r.Paused && r.Driver.Same(d.actor) && t.FromHead == d.head {
			return ev, errAlready
		}
		ev.Event, ev.Attempt, ev.Text, ev.Saved = checkpoint.TaskStarted, "", "", d.onto
		execution.Record(&ev, d.before)
	case Done:
		if (t.State == checkpoint.Done && !t.Found || t.Reported) && !d.made {
			return ev, errAlready
		}
		if d.place != nil {
			return d.doneInPlace(ev), nil
		}
		ev.Event, ev.Text = checkpoint.TaskDone, ""
		ev.Commit, ev.Tree, ev.Patch = d.commit.ID, d.commit.Tree, d.patch
	case Fail:
		if t.State == checkpoint.Done {
			return ev, wrong
		}
		if d.sameFailure(r, t) {
			return ev, errAlready
		}
		ev.Event, ev.Cause, ev.ExitCode, ev.Until = checkpoint.TaskFailed, d.q.Cause, d.q.ExitCode, d.q.Until
	case Block:
		if t.State == checkpoint.Done {
			return ev, wrong
		}
		ev.Event, ev.Text, ev.Options = checkpoint.TaskBlocked, d.q.Ask, d.q.Options
		if ev.Text == "" {
			ev.Text = d.q.Message
		}
		if t.State == checkpoint.Blocked && t.Question == ev.Text && slices.Equal(t.Options, ev.Options) && !r.Paused {
			return ev, errAlready
		}
	case Skip:
		if t.State == checkpoint.Done {
			return ev, wrong
		}
		if t.State == checkpoint.Skipped && t.Reason == d.q.Message {
			return ev, errAlready // do not record the same result again: undoing it would have no effect
		}
		ev.Event = checkpoint.TaskSkipped
	case Reset:
		if t.State == checkpoint.Pending {
			return ev, errAlready
		}
		ev.Event = checkpoint.TaskReset
	}
	return d.addLocation(ev), nil
}

// doneInPlace returns the event for a task that is done in a worktree of its own, while other tasks run. It records only a checkpoint: the
// task counts as done when git-resume has brought its commits onto the run's branch.
func (d *taskReport) doneInPlace(ev checkpoint.Event) checkpoint.Event {
	ev.Event, ev.Text = checkpoint.Checkpoint, ""
	ev = d.addLocation(ev)
	ev.Place.Commit, ev.Place.Done = d.commit.ID, true
	return ev
}

// sameFailure reports whether this failure is already recorded, the run is not paused, and nothing has changed in the worktree since.
func (d *taskReport) sameFailure(r *checkpoint.Run, t checkpoint.Task) bool {
	code := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	return t.State == checkpoint.Failed && t.Cause == d.q.Cause && t.Until == d.q.Until && t.Reason == d.q.Message &&
		code(t.ExitCode) == code(d.q.ExitCode) && !r.Paused && !d.saved.Made
}

// completesRun reports whether the run is finished after these events: a task is now done or skipped, and no task of the plan is left to
// do. An optional task that was not started may be left. The result is false in the worktree of a single task, because the task's result
// is not on the run's branch yet.
func (d *taskReport) completesRun(r *checkpoint.Run, own checkpoint.Event, events []checkpoint.Event) bool {
	if d.place != nil || r.Planned == 0 || (own.Event != checkpoint.TaskDone && own.Event != checkpoint.TaskSkipped) {
		return false
	}
	closed := map[checkpoint.TaskID]bool{}
	for _, e := range events {
		closed[e.Task] = e.Event == checkpoint.TaskDone || e.Event == checkpoint.TaskSkipped
	}
	for _, t := range r.Tasks {
		if !t.State.Closed() && !closed[t.ID] && !(t.Optional && t.State == checkpoint.Pending) {
			return false
		}
	}
	return true
}
