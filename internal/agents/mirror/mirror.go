// Package mirror turns what a coding agent reports about its turns into events of the run on which it works. It changes no task: an agent's
// own task list is about the session, which may have other jobs too. Everything here is a pure function.
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

// finished returns the event for a turn that the agent ended by itself, if that is new. It does not finish the run: only reports about
// its tasks do.
func (m mirrored) finished() []checkpoint.Event {
	t := m.turn()
	if m.rep.Agent == "opencode" && !t.Open() || t != nil && !t.Open() && t.Cause == checkpoint.TurnDone {
		return nil
	}
	return []checkpoint.Event{{Event: checkpoint.TurnEnded, Actor: m.who, Cause: string(checkpoint.TurnDone)}}
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
