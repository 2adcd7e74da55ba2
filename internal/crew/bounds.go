package crew

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
)

// Rejected reports whether a task ended because its result could not be brought onto the run's branch.
func Rejected(cause string) bool {
	return cause == execution.CauseConflict || cause == execution.CauseInputs || cause == execution.CauseVerify
}

// maxReruns is how often a task runs again because its result did not fit the changes of other tasks.
const maxReruns = 2

// patience limits how often a task can fail to merge its result because somebody else moved the branch. After that many failures, our other
// tasks wait until this task has merged.
const patience = 2

// mostLost limits how many times a task tries to merge its result. A try fails if somebody moves the branch meanwhile. If all tries fail,
// the run stops. A task with a check tries only mostLostVerified times, because each try runs the check.
//
// After the first tries (see the constant "patience"), our other tasks wait. So a later try fails only if another program moves the branch.
const (
	mostLost         = 40
	mostLostVerified = 5
	// mostReturns is how often we try to put the run's own worktree back on its branch while another program moves the branch.
	mostReturns = 10
)

// CauseMoving is the cause of a run that stopped because others moved its branch again and again.
const CauseMoving = "branch-moving"

// MovingError says that a branch was moved by others again and again. If Task is set, the result of this task is not on the branch, and
// stays in the task's own worktree.
type MovingError struct {
	Run    checkpoint.RunID
	Task   string
	Branch refs.Name
	Times  int
}

func (e *MovingError) Error() string {
	what := "the worktree of run '" + string(e.Run) + "' could not be put on the branch"
	if e.Task != "" {
		what = "the result of task '" + e.Task + "' could not be brought onto the branch"
	}
	return fmt.Sprintf("another program keeps moving branch '%s': in %d tries, %s", refs.Short(e.Branch), e.Times, what)
}

// mayRerun reports whether a task whose result was rejected runs again without a question to a person.
func (h *hand) mayRerun(times int) bool {
	return h.task.OnConflict == plan.Rerun && !h.task.Once && times <= maxReruns
}

// landBy calls the function "try" again while it reports that somebody else moved the branch. After a limited number of tries it returns
// a *MovingError. If the branch was locked in the last try, it returns the error "busy" of that try instead.
func (h *hand) landBy(job execution.Job, try func() (overtaken bool, busy, err error)) error {
	defer h.others()
	most := mostLost
	if h.task.Verify != "" {
		most = mostLostVerified
	}
	for lost := 0; lost < most; lost++ {
		h.waitForOthers()
		if lost == patience {
			h.c.alone = h
		}
		overtaken, busy, err := try()
		if err != nil || !overtaken {
			return err
		}
		if lost == most-1 && busy != nil {
			return busy
		}
	}
	return &MovingError{Run: job.Run, Task: string(job.Task), Branch: job.Branch, Times: most}
}
