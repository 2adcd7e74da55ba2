package exchange

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// UnreachableError says that an exchange with a remote failed: the remote did not answer, it refused, or all tries were used up.
type UnreachableError struct {
	Remote string
	// Refused is true if the remote answered, and does not allow what was asked.
	Refused bool
	// Text has the words of git or of the server.
	Text string
	// Run is the run that was to be sent or continued, or empty. The field "Before" is true if the run was to be continued, and nothing
	// was started yet. Again is true if a later "git resume push RUN" would not do the same as the command that failed, because that command
	// named the remote, or was to send uncommitted work.
	Run           checkpoint.RunID
	Before, Again bool
	// Removes is true if the record of a run was to be removed from the remote.
	Removes bool
}

func (e *UnreachableError) Error() string {
	switch {
	case e.Refused && e.Removes:
		return fmt.Sprintf("remote '%s' refuses to remove the record of the run: %s", e.Remote, e.Text)
	case e.Refused:
		return fmt.Sprintf("remote '%s' refuses to store the record of runs: %s", e.Remote, e.Text)
	}
	return fmt.Sprintf("remote '%s' cannot be reached: %s", e.Remote, e.Text)
}

// Doubt is the reason why the record at a remote is not trusted.
type Doubt string

const (
	// RolledBack means that the remote no longer has all lines that it had before.
	RolledBack Doubt = "rolled-back"
	// Leases means that the leases at the remote contradict each other, or contradict what the remote showed before.
	Leases Doubt = "leases"
	// OtherRun means that the remote stores another run under this name.
	OtherRun Doubt = "other-run"
	// Unreadable means that the journal at the remote cannot be read or is too large, or that the run's branch there has no readable
	// commit.
	Unreadable Doubt = "unreadable"
)

// DoubtError says that the record of a run at a remote is not trusted. Nothing of it was taken over.
type DoubtError struct {
	Run    checkpoint.RunID
	Remote string
	Doubt  Doubt
	// Missing is how many lines are missing, if the remote was rolled back. Text says what cannot be read.
	Missing int
	Text    string
}

func (e *DoubtError) Error() string {
	return fmt.Sprintf("nothing about run '%s' was accepted from remote '%s': %s", e.Run, e.Remote, e.Why())
}

// Why says in a few words what is wrong with the record.
func (e *DoubtError) Why() string {
	switch {
	case e.Doubt == RolledBack && e.Missing == 1:
		return "a record that the remote had before is missing"
	case e.Doubt == RolledBack:
		return fmt.Sprintf("%d records that the remote had before are missing", e.Missing)
	case e.Doubt == Leases:
		return "the leases at the remote contradict each other or an earlier state of the remote"
	case e.Doubt == OtherRun:
		return "the remote has another run under this name"
	}
	return "the record there cannot be read: " + e.Text
}

// BoundError says that a run is not bound to the remote that was named: it is bound to another remote, or the URL of the named remote has
// changed.
type BoundError struct {
	Run    checkpoint.RunID
	Remote string
	// Known is the remote of this repository that has the URL to which the run is bound. It is empty if no remote has that URL.
	Known string
}

func (e *BoundError) Error() string {
	if e.Known == "" {
		return fmt.Sprintf("run '%s' is shared at a URL that no remote of this repository has", e.Run)
	}
	return fmt.Sprintf("run '%s' is shared at remote '%s', not at '%s'", e.Run, e.Known, e.Remote)
}

// NotSharedError says that a run is not shared.
type NotSharedError struct{ Run checkpoint.RunID }

func (e *NotSharedError) Error() string { return fmt.Sprintf("run '%s' is not shared", e.Run) }

// AbsentError says that a remote has no record of a run.
type AbsentError struct {
	Run    checkpoint.RunID
	Remote string
}

func (e *AbsentError) Error() string {
	return fmt.Sprintf("remote '%s' has no record of run '%s'", e.Remote, e.Run)
}

// ApartError says that a run's branch here and its branch at the remote have diverged: each has commits that the other one lacks.
type ApartError struct {
	Run    checkpoint.RunID
	Remote string
	// The field "Here" is the last commit of the branch in this clone. The field "There" is the name of the local ref that has the last
	// commit of the branch at the remote.
	Here  object.ID
	There string
}

func (e *ApartError) Error() string {
	return fmt.Sprintf("the branch of run '%s' here and the one at remote '%s' have diverged", e.Run, e.Remote)
}

// ApartError returns the error for an exchange in which the branch here and the branch at the remote have diverged.
func (x *Exchange) ApartError() error {
	id := x.Journal.Run.ID
	return &ApartError{id, x.Look.Remote, x.Tip, string(HeadRef(x.Look.Remote, id))}
}
