package process

import (
	"errors"
	"os"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

// Waiting is a git process that has not answered for a while.
type Waiting struct {
	Args   []string
	PID    int
	Waited time.Duration
}

// Patience says how long git may take. There is no limit for a git that writes: ending it in the middle would leave its work half written.
type Patience struct {
	// Notice is called for a git that has not answered for After, and again each time the waiting time has doubled.
	After  time.Duration
	Notice func(Waiting)
	// Limit is the most that a git process which only reads may take.
	Limit time.Duration
	// Storing is called from time to time with the progress of storing a large file, and Stored when that has ended.
	Storing func(path string, done, of int64)
	Stored  func()
}

// ReadLimit is how long a git process that only reads may take before we end it.
const ReadLimit = 10 * time.Minute

// SetPatience sets how long git may take, for this repository and for all that are made from it later.
func (r *Program) SetPatience(p Patience) { r.patience = p }

// Patience returns how long git may take here.
func (r *Program) Patience() Patience { return r.patience }

// patienceWith is the patience for one call. A git that has the user's own terminal as its input may wait for the user, so there is no notice.
func (r *Program) patienceWith(c Call) proc.Patience {
	p := proc.Patience{After: r.patience.After}
	if c.Stdin != os.Stdin && r.patience.Notice != nil {
		p.Notice = func(pid int, waited time.Duration) {
			r.patience.Notice(Waiting{Args: (&Error{Args: c.Args}).withoutSettings(), PID: pid, Waited: waited})
		}
	}
	if c.Mode == Read {
		p.Limit = r.patience.Limit
	}
	return p
}

// LimitError says that git did not answer within its time limit; nothing was written.
type LimitError struct {
	Args  []string
	PID   int
	Limit time.Duration
}

func (e *LimitError) Error() string {
	return "git " + (&Error{Args: e.Args}).Command() + " did not answer for " + e.Limit.String() + " and was ended"
}

// asLimit turns the error for a process that exceeded its limit into a *LimitError, and returns any other error unchanged.
func asLimit(err error, args []string) error {
	var late *proc.LimitError
	if errors.As(err, &late) {
		return &LimitError{Args: args, PID: late.PID, Limit: late.Limit}
	}
	return err
}
