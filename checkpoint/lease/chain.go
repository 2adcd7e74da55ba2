package lease

import (
	"strconv"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
)

// Lease is the right of one clone to work on a shared run.
type Lease struct {
	Number int
	// Line is the id of the line that took the lease. Ours is true if this clone wrote the line.
	Line string
	Ours bool
	At   time.Time
	By   *checkpoint.Actor
	// Seat is the name of a job of a scheduler. If the job is started again, the seat stays the same, and Incarnation says which start
	// this is. Both are empty without a scheduler.
	Seat, Incarnation string
	// Last is where the previous lease ends: the number of the last line of the journal that can record work under it. Lines with higher
	// numbers that record work under the previous lease do not count.
	Last int64
	// Released is the reason why the lease was given back. It is empty if the lease was not given back.
	Released string
	// Twice is true if another line of the journal took a lease with the same number. A remote that compares before it writes never accepts
	// both.
	Twice bool
}

// All lists the leases of a run, in the order of their numbers. Each number must be one higher than the number before. A line that skips a
// number is ignored, so that nobody can use up the numbers. A line with a number that is taken already only sets the field Twice.
func All(lines []checkpoint.Line) []Lease {
	var out []Lease
	released := map[int]string{}
	for _, l := range checkpoint.Sorted(lines) {
		e := l.Event
		switch {
		case l.Bad || e.V > checkpoint.Version:
		case e.Event == checkpoint.RunReleased && released[e.Lease] == "":
			if released[e.Lease] = e.Cause; e.Cause == "" {
				released[e.Lease] = "done"
			}
		case e.Event == checkpoint.RunLeased && e.Lease == len(out)+1:
			out = append(out, Lease{
				Number: e.Lease, Line: e.ID, Ours: l.Ours, At: e.At, By: e.Actor, Seat: e.Seat, Incarnation: e.Incarnation, Last: e.Last,
			})
		case e.Event == checkpoint.RunLeased && e.Lease > 0 && e.Lease <= len(out):
			out[e.Lease-1].Twice = true
		}
	}
	for i := range out {
		out[i].Released = released[out[i].Number]
	}
	return out
}

// Newest returns the last lease, even if it was given back. It returns nil if there was never a lease.
func Newest(all []Lease) *Lease {
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// Held returns the last lease. It returns nil if that lease was given back, or if there was never a lease.
func Held(all []Lease) *Lease {
	if l := Newest(all); l != nil && l.Released == "" {
		return l
	}
	return nil
}

// Late returns the lines that record work but do not count, because the next lease was taken before these lines reached the remote.
func Late(lines []checkpoint.Line) []checkpoint.Line {
	all := All(lines)
	var out []checkpoint.Line
	for _, l := range lines {
		if n := l.Event.Lease; !l.Bad && l.Event.IsWork() && n < len(all) && number(l) > all[n].Last {
			out = append(out, l)
		}
	}
	return out
}

// LastOf returns the number of the last line about work under a lease, or 0 if there is none.
func LastOf(lines []checkpoint.Line, lease int) (last int64) {
	for _, l := range lines {
		if !l.Bad && l.Event.IsWork() && l.Event.Lease == lease {
			last = max(last, number(l))
		}
	}
	return last
}

func number(l checkpoint.Line) int64 {
	n, _ := strconv.ParseInt(l.Event.Seq, 10, 64) // this cannot fail: every line that can be read has a number
	return n
}
