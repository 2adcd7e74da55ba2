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
	// Seat means that a scheduler has started the same job twice: one start holds the lease, and another start wants it. An incarnation is
	// the number that the scheduler gives to a start. The start that wants the lease may take it, unless the incarnations show that it is
	// the older one.
	Seat Cause = "seat"
	// Person means that a person took the lease although somebody else held it.
	Person Cause = "person"
)

// Worker is somebody who wants a lease.
type Worker struct {
	// Seat is the name of a job of a scheduler. If the job is started again, the seat stays the same, and Incarnation says which start
	// this is. Both are empty without a scheduler.
	Seat, Incarnation string
	// Alone is true if no process of this clone works on the run. If this clone has the lease, this means that the process that took it
	// is dead.
	Alone bool
	// Person is true if a person asked to take the lease away from its holder.
	Person bool
}

// May says whether a worker may take the next lease and, if so, why. If the former holder is still working, the record stays correct
// anyway: what the former holder pushes later does not count.
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

// olderThan reports whether the incarnation a of a scheduler's worker is certainly older than the incarnation b. Only decimal numbers of up
// to 18 digits can be compared. For other texts, olderThan returns false.
func olderThan(a, b string) bool {
	const longest = 18
	if len(a) > longest || len(b) > longest {
		return false
	}
	x, errX := strconv.ParseUint(a, 10, 63)
	y, errY := strconv.ParseUint(b, 10, 63)
	return errX == nil && errY == nil && x < y
}

// Taking returns the event that takes the next lease. Its field Last is the number of the last line in "lines" that records work under the
// previous lease. If a line with a higher number records work under the previous lease, that line comes too late and does not count.
func Taking(lines []checkpoint.Line, w Worker, cause Cause, by *checkpoint.Actor) checkpoint.Event {
	n := len(All(lines))
	e := checkpoint.Event{Event: checkpoint.RunLeased, Lease: n + 1, Seat: w.Seat, Incarnation: w.Incarnation, Cause: string(cause), Actor: by}
	e.Last = LastOf(lines, n)
	return e
}

// Sent describes a push that was refused as stale, or to which no answer came.
type Sent struct {
	// Last is the id of the newest line in the push.
	Last string
	// Lease is the id of the line by which this process got its lease. It is the same as Last if the push was made to take the lease. It
	// is empty if the push has only decisions of a person, which need no lease.
	Lease string
}

// Step says what to do after a push that was refused or got no answer.
type Step string

const (
	// Landed means that the push has arrived and counts.
	Landed Step = "landed"
	// Again means that the remote has not changed, and that the same push must be sent again. It must have the very same objects,
	// because the earlier push may still arrive.
	Again Step = "again"
	// Unite means that others have added lines to the journal at the remote. These lines and our own lines must be sent together.
	Unite Step = "unite"
	// Anew means that somebody else took the lease that this process wanted. The process must decide again whether it may take the next
	// lease.
	Anew Step = "decide again"
	// Fenced means that somebody else has the lease now: what was sent does not count, and nothing more may be sent.
	Fenced Step = "fenced"
)

// After says what to do after a push that was refused as stale, or whose answer is missing. The argument "lines" holds what the remote
// has now. The argument "moved" is true if the remote has changed since the push was made.
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
