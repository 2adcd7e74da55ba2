// Package mirror turns what coding agents report into events of a run.
//
// Each task list that arrives is compared with the whole run, so that lost, repeated and reordered events do no harm. Only the end of a
// turn can finish a run, and only if no task that is required is left to do. Everything here is a pure function.
package mirror

import (
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
)

// Events returns the events to record after a report, if there are any.
func Events(r *checkpoint.Run, rep agents.Report) []checkpoint.Event {
	m := mirrored{run: r, rep: rep, who: &checkpoint.Actor{Agent: rep.Agent, Session: rep.Session}}
	switch rep.What {
	case agents.Prompted:
		return m.prompted()
	case agents.Listed:
		return m.listed()
	case agents.Finished:
		return m.finished()
	case agents.Failed, agents.Stopped:
		return m.failed(false)
	case agents.Left:
		return m.failed(true)
	}
	return nil
}

// mirrored joins a report of an agent with the run that it is about.
type mirrored struct {
	run *checkpoint.Run
	rep agents.Report
	who *checkpoint.Actor
}

// turn returns the last turn of the run if the reporting session made it, and nil otherwise.
func (m mirrored) turn() *checkpoint.Turn {
	if t := m.run.Turn; t != nil && t.Agent == m.rep.Agent && t.Session == m.rep.Session {
		return t
	}
	return nil
}

func (m mirrored) prompted() []checkpoint.Event {
	if m.turn().Open() {
		return nil
	}
	return []checkpoint.Event{{Event: checkpoint.TurnStarted, Actor: m.who}}
}

// finished returns the events for a turn that the agent ended by itself. If every item of the agent's list is known, and the function
// complete finds that the run is complete, the end of the run is one of these events. The result can be empty.
func (m mirrored) finished() []checkpoint.Event {
	t := m.turn()
	if m.rep.Agent == "opencode" && !t.Open() {
		return nil
	}
	out := m.listed()
	if t == nil || t.Open() || t.Cause != checkpoint.TurnDone {
		out = append(out, checkpoint.Event{Event: checkpoint.TurnEnded, Actor: m.who, Cause: string(checkpoint.TurnDone)})
	}
	after := m.run.Preview(out)
	if m.rep.Whole && !after.Turn.Dropped && complete(&after) {
		out = append(out, checkpoint.Event{Event: checkpoint.RunFinished})
	}
	return out
}

// complete reports whether a run is complete according to an agent's list: at least one task from a list is done, and no required task is
// left to do. It is false for runs that a list must not finish, such as a paused one.
func complete(r *checkpoint.Run) bool {
	if r.Closed() || r.Paused || !r.Ours() || !r.Here && r.Planned == 0 {
		return false
	}
	some := false
	for _, t := range r.Tasks {
		if !t.State.Closed() && !(t.Optional && t.State == checkpoint.Pending) {
			return false
		}
		some = some || t.List != "" && t.State == checkpoint.Done
	}
	return some
}

// failed returns the event for a turn that did not finish, if there is anything new to record. If the argument "left" is true, the session
// has ended.
func (m mirrored) failed(left bool) []checkpoint.Event {
	t := m.turn()
	cause := m.rep.Stop.Cause
	if left && !t.Open() {
		return nil
	}
	if cause == "" {
		cause = string(checkpoint.TurnCut)
	}
	until := ""
	if !m.rep.Stop.Until.IsZero() {
		until = m.rep.Stop.Until.UTC().Format(time.RFC3339)
	}
	limit := m.rep.Stop.Limit
	if m.rep.Stop.Roughly {
		limit += roughly
	}
	if t != nil && !t.Open() && string(t.Cause) == cause && t.Until == until {
		return nil
	}
	return []checkpoint.Event{{Event: checkpoint.TurnEnded, Actor: m.who, Cause: cause, Until: until, Text: limit}}
}

// roughly is added to the name of a limit if the time of its end was only read from a message for people.
const roughly = ", approximate"
