package checkpoint

import "time"

// TurnCause says why a turn of a coding agent ended.
type TurnCause string

// These are the causes with which a turn ends.
const (
	// TurnDone means that the agent finished its turn. Only this cause says that the agent regards its work as done.
	TurnDone TurnCause = "done"
	// TurnQuota means that a usage limit was reached. Sometimes it is known when the limit ends.
	TurnQuota TurnCause = "quota"
	// TurnOverloaded means that the model's server could not answer.
	TurnOverloaded TurnCause = "overloaded"
	// TurnUser means that the user interrupted the agent.
	TurnUser TurnCause = "user"
	// TurnError means that another error ended the turn.
	TurnError TurnCause = "error"
	// TurnCut means that the session ended in the middle of the turn, and nobody said why.
	TurnCut TurnCause = "cut"
)

// Turn is one turn of a coding agent: from a prompt until the agent stops. The agent itself reported it, so it proves nothing about the
// work.
type Turn struct {
	Agent   string    `json:"agent,omitempty"`
	Session string    `json:"session,omitempty"`
	Started time.Time `json:"started,omitzero"`
	// Ended is zero as long as nobody has reported the end of the turn.
	Ended time.Time `json:"ended,omitzero"`
	Cause TurnCause `json:"cause,omitempty"`
	// Until is the time at which a limit ends, in the form of RFC 3339, and Limit is the name of the limit. Both may be empty.
	Until string `json:"until,omitempty"`
	Limit string `json:"limit,omitempty"`
}

// Open reports whether the turn has not ended.
func (t *Turn) Open() bool { return t != nil && t.Ended.IsZero() }

// LimitEnd returns when the limit that stopped the turn ends. ok is false if no limit stopped the turn, or if the time is not known.
func (t *Turn) LimitEnd() (at time.Time, ok bool) {
	if t == nil || t.Cause != TurnQuota || t.Until == "" {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, t.Until)
	return at, err == nil
}

// turn applies the event to "last", the latest turn of a run, and returns the new latest turn. ok is true if the event starts or ends a
// turn.
func (e Event) turn(last *Turn) (next *Turn, ok bool) {
	next = &Turn{}
	if e.Actor != nil {
		next.Agent, next.Session = e.Actor.Agent, e.Actor.Session
	}
	switch e.Event {
	case TurnStarted:
		next.Started = e.At
		return next, true
	case TurnEnded:
		if last != nil && last.Agent == next.Agent && last.Session == next.Session {
			*next = *last
		}
		next.Ended, next.Cause, next.Until, next.Limit = e.At, TurnCause(e.Cause), e.Until, e.Text
		return next, true
	}
	return last, false
}

// Preview returns the run as it would be after some events that are not recorded yet.
func (r *Run) Preview(events []Event) Run {
	out := r.Copy()
	for _, e := range events {
		seq := out.Seq + 1
		e.Seq, e.V = SeqText(seq), Version
		if e.At.IsZero() { // a turn without the time of its end would be open
			e.At = out.LastAt
		}
		if e.Event == TaskStarted && e.Attempt == "" {
			e.Attempt = e.ID
		}
		out.apply(Line{Event: e}, nil)
	}
	return out
}
