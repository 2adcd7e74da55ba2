package checkpoint

import (
	"github.com/git-resume/git-resume/gitstate/object"
)

// share says to which remote a run is bound, and under which lease its work is recorded.
type share struct {
	// Remote is a checksum of the remote's URL. It is empty if the run is no longer shared.
	Remote string `json:"remote,omitempty"`
	// Consented is true if this user agreed to continue the run as it was at the remote. Plan and Head are the plan and the last commit to
	// which the user agreed.
	Consented bool      `json:"consented,omitempty"`
	Plan      object.ID `json:"plan,omitempty"`
	Head      object.ID `json:"head,omitempty"`
	// Lease is the number of the last lease, and Line is the id of the journal line that records it. Released is true if that lease was
	// given back.
	Lease    int    `json:"lease,omitempty"`
	Line     string `json:"line,omitempty"`
	Released bool   `json:"released,omitempty"`
	// Mine is the number of the last lease that this clone took.
	Mine int `json:"mine,omitempty"`
	// Ended maps the number of each lease that has ended to the number of a journal line. A later line that records work under that lease
	// does not count.
	Ended leaseEnds `json:"ended,omitempty"`
}

// Bound reports whether the run is shared.
func (s *share) Bound() bool { return s != nil && s.Remote != "" }

// EndOf returns the number of the last journal line that may record work under a lease. Later lines that record work under this lease do
// not count. EndOf returns false if the lease has not ended.
func (s *share) EndOf(lease int) (last int64, ended bool) {
	if s != nil {
		last, ended = s.Ended[lease]
	}
	return last, ended
}

// leased reports whether a lease of the run is known.
func (s *share) leased() bool { return s != nil && s.Lease > 0 }

// The method "with" returns the state of sharing after one more line. The bool is true if the line is about sharing. The argument "own" is
// true if the line that starts the run is ours.
func (s *share) with(l Line, own bool) (*share, bool) {
	e := l.Event
	out := share{}
	if s != nil {
		out = *s
	}
	switch e.Event {
	case RunShared:
		if out.Remote != e.Remote {
			out.Consented, out.Plan, out.Head = false, "", ""
		}
		out.Remote = e.Remote
	case RunUnshared:
		out.Remote, out.Consented, out.Plan, out.Head = "", false, "", ""
	case RunAccepted:
		out.Remote, out.Consented, out.Plan, out.Head = e.Remote, true, e.Plan, e.Commit
	case RunLeased:
		// If the run is ours, Fold does not apply the lines of others, so the numbers of their leases are missing here.
		if e.Lease == out.Lease+1 || own && e.Lease > out.Lease {
			out.Lease, out.Line, out.Released = e.Lease, e.ID, false
			if l.Ours {
				out.Mine = e.Lease
			}
		}
	case RunReleased:
		out.Released = out.Released || e.Lease == out.Lease
	case RunParked:
		out.Ended = out.Ended.with(e.Lease, e.Last)
	default:
		return s, false
	}
	return &out, true
}

// leaseEnds maps the number of a lease that has ended to the number of a line. Later lines with work under that lease do not count. Lease 0
// means the time before the first lease.
type leaseEnds map[int]int64

// The method "with" returns a copy in which one more lease has ended.
func (e leaseEnds) with(lease int, last int64) leaseEnds {
	out := leaseEnds{lease: last}
	for k, v := range e {
		if k != lease {
			out[k] = v
		}
	}
	return out
}

// The method "late" reports whether an event is work that no longer counts, because it was recorded after its lease had ended.
func (e leaseEnds) late(ev Event) bool {
	last, ended := e[ev.Lease]
	seq, _ := ev.number()
	return ended && ev.IsWork() && seq > last
}

// endsOfLeases returns the leases that have ended, each with the number of the last line that is still valid under the lease. In a run of
// ours, only our own RunParked lines end a lease, because somebody else's line must not invalidate a result of ours.
func endsOfLeases(sorted []Line, own bool) leaseEnds {
	out, taken := leaseEnds{}, 0
	for _, l := range sorted {
		e := l.Event
		switch {
		case l.Bad || e.V > Version:
		case own && l.Ours && e.Event == RunParked:
			out[e.Lease] = e.Last
		case !own && e.Event == RunLeased && e.Lease == taken+1:
			out[taken] = e.Last
			taken++
		}
	}
	return out
}

// changesOthers reports whether an event decides which other lines count. Such an event cannot be applied alone, so Fold must read all
// lines.
func (k Kind) changesOthers() bool {
	return k == Undone || k == RunParked || k == RunLeased || k.Begins()
}
