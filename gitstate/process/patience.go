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

// Patience says how long git may take. A call in mode Write or User has no limit, because stopping it would leave its
// work half written.
type Patience struct {
	// Notice is called when git has not answered for as long as After says, and again each time the waiting time has doubled.
	After  time.Duration
	Notice func(Waiting)
	// Limit is the longest time that a call in mode Read may take.
	Limit time.Duration
	// Storing is called from time to time while a large file is being stored; Stored is called at the end.
	Storing func(path string, done, of int64)
	Stored  func()
}

// ReadLimit is the usual limit for a call in mode Read. After this time we stop the process.
const ReadLimit = 10 * time.Minute

// SetPatience sets how long git may take. It also applies to every Program that is later made from this one.
func (r *Program) SetPatience(p Patience) { r.patience = p }

// Patience returns how long git may take.
func (r *Program) Patience() Patience { return r.patience }

// patienceWith returns how long to wait in one call. If git reads from the user's terminal, it may be waiting for the user, so no notice
// about waiting is printed.
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

// LimitError reports that git did not answer within its time limit and was stopped.
type LimitError struct {
	Args  []string
	PID   int
	Limit time.Duration
}

func (e *LimitError) Error() string {
	return "git " + (&Error{Args: e.Args}).Command() + " did not answer for " + e.Limit.String() + " and was stopped"
}

// asLimit turns the error of a process that exceeded its limit into a *LimitError. It returns any other error unchanged.
func asLimit(err error, args []string) error {
	var late *proc.LimitError
	if errors.As(err, &late) {
		return &LimitError{Args: args, PID: late.PID, Limit: late.Limit}
	}
	return err
}
