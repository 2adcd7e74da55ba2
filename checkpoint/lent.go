package checkpoint

import (
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// lent says that an earlier version sent the run's branch to a branch at a remote, for somebody who can push only to that branch.
type lent struct {
	// Remote is a checksum of the remote's URL, and Branch the short name of the branch there.
	Remote string `json:"remote"`
	Branch string `json:"branch"`
	// Commit was the last commit of the run's branch when the branch was sent.
	Commit object.ID `json:"commit"`
	At     time.Time `json:"at"`
}

// The method "with" returns the loan after one more event. The loan is nil after an event that ends it. The bool is true for RunLent and
// RunReturned.
func (l *lent) with(e Event) (*lent, bool) {
	switch e.Event {
	case RunLent:
		return &lent{Remote: e.Remote, Branch: e.Name, Commit: e.Commit, At: e.At}, true
	case RunReturned:
		return nil, true
	case RunResumed, RunTaken:
		return nil, false
	}
	return l, false
}
