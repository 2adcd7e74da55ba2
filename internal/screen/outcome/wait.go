package outcome

import (
	"fmt"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Wait says what "git resume wait" waits for: the end of a limit, the time of another try, or somebody who works on the run.
type Wait struct {
	Run checkpoint.RunID
	// Until is when the command stops waiting. It is zero if the command waits because somebody works on the run. Agent and Limit are
	// set if a coding agent reached a limit. Task is the task that will be tried again. Limited is true if this task failed because of a
	// limit.
	Until        time.Time
	Agent, Limit string
	Task         checkpoint.TaskID
	Limited      bool
	// Error is true if the agent's last turn ended with an error, for example because the server of the model was overloaded.
	Error bool
}

// Waits prints what the command is waiting for.
func Waits(s page.Page, w Wait) {
	s.Note("%s (Ctrl-C stops waiting and changes nothing)", awaited("waiting", w))
}

// awaited says until when the command waits, and why. The argument "wait" is the beginning of the sentence, for example "waiting".
func awaited(wait string, w Wait) string {
	until := wait + " until " + phrase.Moment(w.Until, time.Local)
	switch {
	case w.Until.IsZero():
		return wait + " because somebody works on " + quote.Clean(string(w.Run))
	case w.Error:
		return until + ", because the last turn of the agent ended with an error"
	case w.Agent != "":
		return until + ", because " + quote.Clean(w.Agent) + " reached a limit" + limitName(&checkpoint.Turn{Limit: w.Limit})
	case w.Limited:
		return until + ", because task '" + quote.Clean(string(w.Task)) + "' reached a limit"
	}
	return until + ", when task '" + quote.Clean(string(w.Task)) + "' will be tried again"
}

// EndedInVain prints that the command waits no longer, because an agent ended its turn and no further task was reported as done.
func EndedInVain(s page.Page, r *checkpoint.Run) {
	n, t := r.Current()
	if t == nil {
		s.Note("error: the agent has ended its turn, but the run is not finished")
		s.OnErr().Hint("if nothing is left to do, end the run with " + phrase.Double("git resume finish %s", r.ID))
		return
	}
	s.Note("error: the agent has ended its turn, but task %d, '%s', is not reported as done", n, quote.Clean(string(t.ID)))
	s.OnErr().Hint("see what it did with " + phrase.Double("git resume review %s", r.ID))
	s.OnErr().Hint("if nothing is left to do, end the run with " + phrase.Double("git resume finish %s", r.ID))
}

// WaitedEnough prints that the command stops waiting. Either the longest time for waiting is over, or it would be over before the awaited
// moment.
func WaitedEnough(s page.Page, w Wait, most time.Duration) {
	s.Note("error: not waiting longer than %s", phrase.Long(most))
	s.Note("%s", awaited("this command would wait", w))
	longer := max(200, 2*int(most.Hours()), 1+int(w.Until.Sub(s.Now).Hours()))
	s.OnErr().Hint("wait longer with " + phrase.Double("git resume wait %s --timeout %s", w.Run, fmt.Sprintf("%dh", longer)))
}
