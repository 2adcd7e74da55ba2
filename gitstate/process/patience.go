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

// Patience is how long git may take. One that writes is waited for without end: whoever ends it in the middle leaves half of what it wrote.
type Patience struct {
	// Notice is told of a git that has not answered for After, and again whenever it has taken twice as long.
	After  time.Duration
	Notice func(Waiting)
	// Limit is for git processes that only read.
	Limit time.Duration
	// Storing is told now and then how much of a large file is stored, and Stored when it is over.
	Storing func(path string, done, of int64)
	Stored  func()
}

// ReadLimit is how long a git process that only reads may take before it is given up.
const ReadLimit = 10 * time.Minute

// SetPatience says how long git may take, for this repository and for all that are made of it from now on.
func (r *Program) SetPatience(p Patience) { r.patience = p }

// Patience is how long git may take here.
func (r *Program) Patience() Patience { return r.patience }

// patienceWith is what the user hears of one call, and when it is given up. Where git has the user's own terminal as its input, it may wait for him.
func (r *Program) patienceWith(c Call) proc.Patience {
	p := proc.Patience{After: r.patience.After}
	if c.Stdin != os.Stdin && r.patience.Notice != nil {
		p.Notice = func(pid int, waited time.Duration) {
			r.patience.Notice(Waiting{Args: (&Error{Args: c.Args}).plain(), PID: pid, Waited: waited})
		}
	}
	if c.Mode == Read {
		p.Limit = r.patience.Limit
	}
	return p
}

// LimitError says that git did not answer in the time that it had; nothing was written.
type LimitError struct {
	Args  []string
	PID   int
	Limit time.Duration
}

func (e *LimitError) Error() string {
	return "git " + (&Error{Args: e.Args}).Command() + " did not answer for " + e.Limit.String() + " and was ended"
}

// asLimit is an error of ours for a process that was given up.
func asLimit(err error, args []string) error {
	var late *proc.LimitError
	if errors.As(err, &late) {
		return &LimitError{Args: args, PID: late.PID, Limit: late.Limit}
	}
	return err
}
