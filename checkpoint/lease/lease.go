package lease

import (
	"slices"
	"strconv"

	"github.com/git-resume/git-resume/checkpoint"
)

// Cause is the stored reason why a lease could be taken.
type Cause string

const (
	// Free means that nobody had the lease, or that it was given back.
	Free Cause = "free"
	// Dead means that a process of this clone had the lease and is provably gone.
	Dead Cause = "dead"
	// Seat means that the worker has the same seat as the one before, and is the newer one.
	Seat Cause = "seat"
	// Person means that a person took it although somebody else has it.
	Person Cause = "person"
)

// Worker is somebody who wants a lease.
type Worker struct {
	// Seat and Incarnation name the place of work, if a scheduler gave one.
	Seat, Incarnation string
	// Alone is true if no process of this clone works on the run, so that a lease of this clone belongs to nobody who lives.
	Alone bool
	// Person is true if a person said that the lease shall be taken from its holder.
	Person bool
}

// May says whether a worker may take the next lease, and why. Each rule is safe for the record, even if it is wrong about the other worker:
// the one before is fenced, because the remote's record has moved on.
func May(all []Lease, w Worker) (Cause, bool) {
	held := Held(all)
	switch {
	case held == nil:
		return Free, true
	case held.Ours && w.Alone:
		return Dead, true
	case w.Seat != "" && held.Seat == w.Seat && !olderThan(w.Incarnation, held.Incarnation):
		return Seat, true
	case w.Person:
		return Person, true
	}
	return "", false
}

// olderThan reports whether an incarnation is certainly older than another. Only decimal numbers can be compared; otherwise the one that
// was started last wins.
func olderThan(a, b string) bool {
	const longest = 18
	if len(a) > longest || len(b) > longest {
		return false
	}
	x, errX := strconv.ParseUint(a, 10, 63)
	y, errY := strconv.ParseUint(b, 10, 63)
	return errX == nil && errY == nil && x < y
}

// Taking returns the line that takes the next lease. It names the last line of work under the lease before: later work under that lease
// does not count. The argument lines has the lines of the remote, and those of this clone if that lease was its own.
func Taking(lines []checkpoint.Line, w Worker, cause Cause, by *checkpoint.Actor) checkpoint.Event {
	n := len(All(lines))
	e := checkpoint.Event{Event: checkpoint.RunLeased, Lease: n + 1, Seat: w.Seat, Incarnation: w.Incarnation, Cause: string(cause), Actor: by}
	e.Last = LastOf(lines, n)
	return e
}

// Sent is a push that did not come back with a yes.
type Sent struct {
	// Last is the id of the newest line in it.
	Last string
	// Lease is the id of the line by which this process got its lease. If the push is to take a lease, it is the same as Last. It is empty if
	// the push has only what a person decides, which needs no lease.
	Lease string
}

// Step is what to do after a look at the remote.
type Step string

const (
	// Landed means that the push had arrived.
	Landed Step = "landed"
	// Again means that the remote is as before, so that the very same objects must be sent again: the first push may still arrive.
	Again Step = "again"
	// Unite means that others have only added something, which must be united with the lines that were sent.
	Unite Step = "unite"
	// Anew means that somebody else took the lease that this process wanted. Whether it may take the next one is to be decided from the
	// beginning.
	Anew Step = "decide again"
	// Fenced means that somebody else has the lease now: what was sent does not count, and nothing more may be sent.
	Fenced Step = "fenced"
)

// After says what a look means for a push that was refused as stale, or whose answer is missing. The lines are those of the remote now;
// moved is true if the remote is not as it was when the push was made.
func After(lines []checkpoint.Line, moved bool, s Sent) Step {
	there := has(lines, s.Last) && !has(Late(lines), s.Last)
	newest := Newest(All(lines))
	mine := newest != nil && newest.Line == s.Lease
	switch {
	case there && (s.Last != s.Lease || mine):
		return Landed
	case there:
		return Fenced // the lease arrived, and somebody else has taken the next one already
	case !moved:
		return Again
	case s.Last == s.Lease:
		return Anew
	case mine, s.Lease == "":
		return Unite
	}
	return Fenced
}

func has(lines []checkpoint.Line, id string) bool {
	return slices.ContainsFunc(lines, func(l checkpoint.Line) bool { return !l.Bad && l.Event.ID == id })
}
