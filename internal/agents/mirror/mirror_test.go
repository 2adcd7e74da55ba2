package mirror

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
)

// listener stands for the program that receives an agent's hooks: it applies the events of each report to a run.
type listener struct{ run checkpoint.Run }

func (l *listener) hear(rep agents.Report) {
	events := Events(&l.run, rep)
	for i := range events {
		events[i].At = rep.At
		events[i].ID = fmt.Sprint("n.", l.run.Seq, ".", i)
	}
	l.run = l.run.Preview(events)
}

func report(what agents.What, at int) agents.Report {
	return agents.Report{Agent: "claude", Session: "s", What: what, At: time.Unix(1_800_000_000+int64(at), 0)}
}

func here() checkpoint.Run { return checkpoint.Run{ID: "job-aaaa", Here: true, Root: "x"} }

// Only reports about tasks finish a run: an agent also ends its turn to ask something, or after another job.
func TestEvents_endOfATurnEndsNoRun(t *testing.T) {
	t.Parallel()
	l := listener{run: here()}
	l.run.Tasks = []checkpoint.Task{{ID: "a", State: checkpoint.Done, LastSeq: 1}}
	for i, what := range []agents.What{agents.Prompted, agents.Finished, agents.Prompted, agents.Left} {
		l.hear(report(what, i))
		if len(l.run.Tasks) != 1 || l.run.Finished {
			t.Errorf("after %s: finished is %v, tasks %v", what, l.run.Finished, l.run.Tasks)
		}
	}
}

func TestEvents_turns(t *testing.T) {
	t.Parallel()
	limit := report(agents.Failed, 1)
	limit.Stop = agents.Stop{Cause: agents.Quota, Until: time.Date(2030, 1, 2, 19, 41, 0, 0, time.UTC), Limit: "5-hour limit"}
	l := listener{run: here()}
	l.hear(report(agents.Prompted, 0))
	if !l.run.Turn.Open() || !l.run.Begun() {
		t.Errorf("after a prompt: %+v", l.run.Turn)
	}
	l.hear(limit)
	if end, ok := l.run.Turn.LimitEnd(); !ok || !end.Equal(limit.Stop.Until) || l.run.Turn.Limit != "5-hour limit" {
		t.Errorf("after a limit: %+v", l.run.Turn)
	}
	if again := Events(&l.run, limit); len(again) > 0 {
		t.Errorf("the same limit is recorded again: %+v", again)
	}
	l.hear(report(agents.Left, 2))
	if l.run.Turn.Cause != checkpoint.TurnQuota {
		t.Errorf("the end of the session hides the limit: %+v", l.run.Turn)
	}
	l.hear(report(agents.Prompted, 3))
	l.hear(report(agents.Left, 4))
	if l.run.Turn.Cause != checkpoint.TurnCut {
		t.Errorf("cut off: %+v", l.run.Turn)
	}
}
