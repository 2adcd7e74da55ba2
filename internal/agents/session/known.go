package session

import (
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/proc"
)

// Known is what is known about the agent's session that last worked on a run.
type Known struct {
	// Agent is the name of the agent, and ID is the agent's id of the session.
	Agent, ID string
	// Dir is the folder in which the session works, as the agent reported it. It is empty if it is not known.
	Dir string
	// Transcript is the file in which the agent keeps its record of the session, or "" if it was not found.
	Transcript string
	// Fate says whether the session is alive. It is Alive or Dead only if that is proven, and Unknown otherwise.
	Fate proc.Fate
	// Turn is the session's last turn. If the session is dead and no end of the turn was recorded, the cause comes from the transcript. It
	// is TurnCut if the transcript says nothing.
	Turn checkpoint.Turn
	// Until is the end of the limit that stopped the last turn. It is zero if no limit stopped the turn, or if the end is not known.
	Until time.Time
}

// Limited reports whether a limit ended the session's last turn, and is still in force.
func (k *Known) Limited(now time.Time) bool {
	return k != nil && k.Turn.Cause == checkpoint.TurnQuota && k.Until.After(now)
}

// Finished reports whether the agent ended its last turn by itself. An agent's exit code does not show this.
func (k *Known) Finished() bool {
	return k != nil && !k.Turn.Ended.IsZero() && k.Turn.Cause == checkpoint.TurnDone
}

// Reader finds out what is known about sessions. It changes nothing.
type Reader struct {
	Place agents.Place
	Procs proc.Table
	Now   func() time.Time
	Book  Book
}

// Of returns what is known about the session that works on a run. It returns nil if the run has no agent's session, is closed, or is not
// ours.
func (x Reader) Of(r *checkpoint.Run) *Known {
	if r.Agent == nil || r.Agent.Session == "" || !r.Ours() || r.Closed() {
		return nil
	}
	rec, _ := x.Book.Get(r.Agent.Agent, r.Agent.Session)
	rec.Agent, rec.Session = r.Agent.Agent, r.Agent.Session
	if rec.Actor == nil {
		rec.Actor = r.Agent
	}
	k := &Known{Agent: rec.Agent, ID: rec.Session, Dir: rec.Dir, Fate: x.Fate(rec)}
	if t := r.Turn; t != nil && t.Agent == rec.Agent && t.Session == rec.Session {
		k.Turn = *t
	}
	k.Transcript = x.transcript(rec)
	if k.Turn.Open() && !k.Turn.Started.IsZero() && k.Fate == proc.Dead {
		x.ended(k)
	}
	k.Until, _ = k.Turn.LimitEnd()
	return k
}

// At returns what is known about the session that last worked in a worktree. It returns nil if no session worked there after the given
// time. Subagents do not count.
func (x Reader) At(admin string, since time.Time) *Known {
	for _, rec := range x.Book.All() {
		if rec.Admin != admin || rec.Child || rec.Last.Before(since.Add(-clockSlack)) {
			continue
		}
		return &Known{Agent: rec.Agent, ID: rec.Session, Dir: rec.Dir, Fate: x.Fate(rec), Transcript: x.transcript(rec)}
	}
	return nil
}

// ended fills in the end of the last turn if no hook reported it. The cause comes from the transcript. If the transcript names no cause,
// the cause is TurnCut.
func (x Reader) ended(k *Known) {
	stop := x.StopSince(k.Agent, k.Transcript, k.Turn.Started)
	k.Turn.Ended = x.Now()
	k.Turn.Cause, k.Turn.Limit = checkpoint.TurnCause(stop.Cause), stop.Limit
	if stop.Cause == "" {
		k.Turn.Cause = checkpoint.TurnCut
	}
	if !stop.Until.IsZero() {
		k.Turn.Until = stop.Until.Format(time.RFC3339)
	}
}

// StopOf reads from a session's transcript why its last turn stopped. The result is empty if the turn finished, or if the transcript does
// not say why.
func (x Reader) StopOf(rec Record) agents.Stop {
	return x.StopSince(rec.Agent, x.transcript(rec), time.Time{})
}

// StopSince reads from a transcript why the last turn stopped, if it stopped after the given time. The result is empty if the turn
// finished, or if the transcript does not say why.
func (x Reader) StopSince(agent, transcript string, began time.Time) agents.Stop {
	tail, err := readTail(transcript)
	if err != nil {
		return agents.Stop{}
	}
	e, ok := agents.LastEnding(agent, tail, x.Now())
	if !ok || e.Finished || !began.IsZero() && !e.At.IsZero() && e.At.Before(began.Add(-clockSlack)) {
		return agents.Stop{}
	}
	return e.Stop
}

// clockSlack is the largest difference that we allow between the times that an agent and git-resume record for the same moment.
const clockSlack = 5 * time.Second
