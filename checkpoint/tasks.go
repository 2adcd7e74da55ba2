package checkpoint

import "slices"

// applySetup applies an event about the preparation of the worktree. It returns false for any other event.
func (r *Run) applySetup(e Event) bool {
	switch e.Event {
	case SetupStarted:
		r.Setup = &setup{State: Active, Attempt: e.Attempt}
		r.Paused, r.Cause = false, ""
	case SetupDone:
		r.Setup = &setup{State: Done, Attempt: e.Attempt}
	case SetupFailed:
		r.Setup = &setup{State: Failed, Attempt: e.Attempt, Cause: e.Cause, ExitCode: e.ExitCode}
	default:
		return false
	}
	return true
}

// applyTask applies an event about one task. It returns false for any other event.
func (r *Run) applyTask(e Event, seq int64) bool {
	if e.Task == "" {
		return false
	}
	t := r.Task(e.Task)
	if t == nil {
		t = r.add(Task{ID: e.Task, Title: e.Title, State: Pending})
	}
	if e.Event == TaskAdded {
		return true
	}
	if t.State == Done && !e.changesDone(t) {
		if e.Event == TaskStarted {
			t.Attempts++
		}
		return isTaskEvent(e.Event)
	}
	if t.State == Done && e.Event == TaskReset && r.InTree == t.ID {
		r.InTree = "" // what is uncommitted now does not come from this task, because its result has all of its files
	}
	ok := t.fold(e)
	if ok {
		r.Places = e.places(r.Places)
		t.LastSeq = seq
		if e.usesTree() {
			r.InTree = e.Task
		}
		if e.Event == TaskStarted || e.Event == TaskDone {
			r.Updating = nil // the worker has continued, so the merge with the base or the rebase onto it has ended
		}
		if e.Event == TaskStarted {
			r.Paused, r.Cause = false, ""
		}
	}
	return ok
}

// usesTree reports whether a task starts in the run's own worktree, or has committed there.
func (e Event) usesTree() bool {
	return e.Place == nil && (e.Event == TaskStarted || e.Event == TaskDone && e.Commit != "" && !e.Found)
}

// changesDone reports whether an event can change a task that is already done. Only two events can: another TaskDone, which replaces the
// result, and a TaskReset of the same attempt, which makes the task pending again.
func (e Event) changesDone(t *Task) bool {
	return e.Event == TaskDone || e.Event == TaskReset && e.Attempt == t.Attempt
}

func isTaskEvent(k Kind) bool {
	switch k {
	case TaskStarted, TaskFailed, TaskBlocked, TaskAnswered, TaskSkipped, TaskReset:
		return true
	}
	return false
}

func (t *Task) fold(e Event) bool {
	switch e.Event {
	case TaskStarted:
		t.State, t.Attempt, t.FromHead, t.Started = Active, e.Attempt, e.Head, e.At
		t.Attempts++
		t.clearResult()
		t.Command, t.ByHand, t.Onto = e.Command, e.ByHand, e.Saved
		if t.Place = 0; e.Place != nil {
			t.Place, t.FromHead = e.Place.N, e.Place.From
		}
		if e.DiffersSum != "" {
			t.Before = &WorktreeState{Differs: e.Differs, Sum: e.DiffersSum}
		}
	case TaskDone:
		t.clearResult()
		t.State, t.Attempt, t.Ended, t.Onto = Done, e.Attempt, e.At, ""
		t.Commit, t.Tree, t.Patch, t.Found, t.Reason = e.Commit, e.Tree, e.Patch, e.Found, e.Text
		if e.Command != "" {
			t.Command = e.Command
		}
	case TaskFailed:
		t.State, t.Cause, t.ExitCode, t.Until, t.Reason, t.Ended, t.Reported = Failed, e.Cause, e.ExitCode, e.Until, e.Text, e.At, false
		t.stop(e)
	case TaskBlocked:
		t.State, t.Question, t.Options, t.Answer, t.Ended, t.Cause = Blocked, e.Text, e.Options, "", e.At, e.Cause
		t.Reported = false
	case TaskAnswered:
		t.Answer, t.State, t.Ended = e.Text, Pending, e.At
		if t.Asks {
			t.State, t.Attempt = Done, e.Attempt
		}
	case TaskSkipped:
		t.State, t.Reason, t.Ended = Skipped, e.Text, e.At
	case TaskReset:
		if t.Commit != "" {
			for _, result := range [...]string{string(t.Tree), t.Patch} {
				if result != "" && !slices.Contains(t.Undone, result) {
					t.Undone = append(t.Undone, result)
				}
			}
		}
		t.clearResult()
		t.State, t.Attempt, t.Answer = Pending, "", ""
	default:
		return false
	}
	return true
}

func (t *Task) clearResult() {
	t.Commit, t.Tree, t.Patch, t.Found, t.Before, t.Stop, t.ByHand = "", "", "", false, nil, nil, nil
	t.Cause, t.ExitCode, t.Until, t.Reason, t.Reported = "", nil, "", "", false
	if !t.Asks {
		t.Question, t.Options = "", nil
	}
}

// places returns the places of a run after the event.
func (e Event) places(before places) places {
	switch {
	case e.Place == nil:
		return before
	case e.Event == PlaceReady:
		return before.ready(*e.Place)
	case e.Event == placeGone:
		return before.gone(e.Place.N)
	case e.Event == TaskStarted || e.Event == TaskDone:
		return before.used(e.Task, *e.Place, e.Event == TaskDone)
	}
	return before
}

// Gone returns the event that records that a place was removed.
func (p Place) Gone() Event { return Event{Event: placeGone, Place: &Place{N: p.N}} }
