package mirror

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
)

// listener stands for the program that receives an agent's hooks: it applies the events of each report to a run, and remembers
// when the last task list of the session arrived, so that it can ignore an older one.
type listener struct {
	run    checkpoint.Run
	memory agents.ListMemory
}

func (l *listener) hear(rep agents.Report) {
	if l.run.Closed() || !l.memory.Accept(&rep) {
		return
	}
	events := Events(&l.run, rep)
	for i := range events {
		events[i].At = rep.At
		events[i].ID = fmt.Sprint("n.", l.run.Seq, ".", i)
	}
	l.run = l.run.Preview(events)
}

func report(what agents.What, at int, items ...agents.Item) agents.Report {
	return agents.Report{Agent: "claude", Session: "s", What: what, Items: items, At: time.Unix(1_800_000_000+int64(at), 0)}
}

func item(title string, state agents.State) agents.Item {
	return agents.Item{Title: title, State: state}
}

func here() checkpoint.Run { return checkpoint.Run{ID: "job-aaaa", Here: true, Root: "x"} }

func states(r *checkpoint.Run) (out []string) {
	for _, t := range r.Tasks {
		out = append(out, string(t.ID)+" "+string(t.State))
	}
	return out
}

func TestEvents_mirrorTheState(t *testing.T) {
	t.Parallel()
	l := listener{run: here()}
	for i, c := range []struct {
		rep  agents.Report
		want []string
	}{
		{report(agents.Prompted, 0), nil},
		{report(agents.Listed, 1, item("Add schema", agents.Active), item("signup", agents.Open)), []string{"add-schema active", "signup pending"}},
		{report(agents.Listed, 2, item("add schema.", agents.Done), item("signup", agents.Active)), []string{"add-schema done", "signup active"}},
		{report(agents.Listed, 3, item("add schema", agents.Active), item("signup", agents.Open)), []string{"add-schema active", "signup pending"}},
		{report(agents.Listed, 4, item("add schema", agents.Done), item("mail", agents.Open)), []string{"add-schema done", "signup skipped", "mail pending"}},
		{report(agents.Listed, 5, item("signup", agents.Open), item("mail", agents.Open)), []string{"add-schema done", "signup pending", "mail pending"}},
		{report(agents.Listed, 6, item("signup", agents.Dropped), item("mail", agents.Done)), []string{"add-schema done", "signup skipped", "mail done"}},
		{report(agents.Listed, 7, item("x", agents.Open), item("x", agents.Done)), []string{"add-schema done", "signup skipped", "mail done", "x pending", "x-2 done"}},
	} {
		l.hear(c.rep)
		if got := states(&l.run); !slices.Equal(got, c.want) {
			t.Errorf("step %d: %v, want %v", i, got, c.want)
		}
		if again := Events(&l.run, c.rep); len(again) > 0 {
			t.Errorf("step %d: repeated, it records %+v", i, again)
		}
	}
}

// In a run with its own worktree, an agent's list must not mark a task of the plan as done. The agent must report the task, because the
// report commits the work.
func TestEvents_leaveReportsAlone(t *testing.T) {
	t.Parallel()
	r := checkpoint.Run{ID: "job-aaaa", Planned: 2, Tasks: []checkpoint.Task{
		{ID: "a", Title: "A", State: checkpoint.Done, Commit: "c", LastSeq: 3}, {ID: "b", State: checkpoint.Pending}}}
	l := listener{run: r}
	l.hear(report(agents.Prompted, 0))
	l.hear(report(agents.Listed, 1, item("a", agents.Open), item("b", agents.Done), item("own", agents.Done)))
	if got, want := states(&l.run), []string{"a done", "b pending", "own done"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	l.hear(report(agents.Finished, 2))
	if l.run.Finished {
		t.Error("finished although a task of the plan is open")
	}
	l.run.Task("b").State = checkpoint.Done
	l.hear(report(agents.Prompted, 3))
	l.hear(report(agents.Finished, 4))
	if !l.run.Finished {
		t.Errorf("not finished: %v", states(&l.run))
	}
}

func TestEvents_onlyAFinishedTurnEndsARun(t *testing.T) {
	t.Parallel()
	done, open := item("a", agents.Done), item("b", agents.Open)
	quota := report(agents.Failed, 3)
	quota.Stop.Cause = agents.Quota
	partial := report(agents.Listed, 1, done)
	partial.Partial = true
	for name, c := range map[string]struct {
		reports []agents.Report
		want    bool
	}{
		"all done":             {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done), report(agents.Finished, 3)}, true},
		"no prompt was seen":   {[]agents.Report{report(agents.Listed, 1, done), report(agents.Finished, 3)}, true},
		"no end":               {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done)}, false},
		"the list grew":        {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done), report(agents.Listed, 2, done, open), report(agents.Finished, 3)}, false},
		"an item is gone":      {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done, open), report(agents.Listed, 2, done), report(agents.Finished, 3)}, false},
		"a part of the list":   {[]agents.Report{report(agents.Prompted, 0), partial, report(agents.Finished, 3)}, false},
		"the end came first":   {[]agents.Report{report(agents.Prompted, 0), report(agents.Finished, 3), report(agents.Listed, 1, done)}, false},
		"an old list at last":  {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 2, done, open), report(agents.Listed, 1, done), report(agents.Finished, 3)}, false},
		"a limit":              {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done), quota}, false},
		"the session ended":    {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done), report(agents.Left, 3)}, false},
		"nothing but an end":   {[]agents.Report{report(agents.Prompted, 0), report(agents.Finished, 3)}, false},
		"gone in another turn": {[]agents.Report{report(agents.Prompted, 0), report(agents.Listed, 1, done, open), report(agents.Listed, 2, done), report(agents.Finished, 3), report(agents.Prompted, 4), report(agents.Finished, 5)}, true},
	} {
		l := listener{run: here()}
		for _, rep := range c.reports {
			l.hear(rep)
		}
		if l.run.Finished != c.want {
			t.Errorf("%s: finished is %v: %v", name, l.run.Finished, states(&l.run))
		}
	}
}

// TestEvents_anyOrderLossAndRepetition plays random sessions in which events are lost, repeated and reordered.
func TestEvents_anyOrderLossAndRepetition(t *testing.T) {
	t.Parallel()
	finished := 0
	for seed := range uint64(20_000) {
		random := rand.New(rand.NewPCG(seed, 1))
		reports := randomSession(random)
		var arriving []agents.Report
		for _, rep := range reports {
			for n := random.IntN(8); n > 0 && n < 7; n -= 4 { // most events arrive once, some never or twice
				arriving = append(arriving, rep)
			}
		}
		if random.IntN(2) == 0 {
			random.Shuffle(len(arriving), func(i, j int) { arriving[i], arriving[j] = arriving[j], arriving[i] })
		}
		l := listener{run: here()}
		for i, rep := range arriving {
			l.hear(rep)
			if l.run.Finished {
				finished++
				check(t, seed, arriving[:i+1])
				break
			}
		}
	}
	if finished < 100 {
		t.Errorf("only %d runs were finished", finished)
	}
}

func check(t *testing.T, seed uint64, arrived []agents.Report) {
	t.Helper()
	last := arrived[len(arrived)-1]
	var newest *agents.Report
	for i, rep := range arrived {
		if rep.What == agents.Listed && (newest == nil || !rep.At.Before(newest.At)) {
			newest = &arrived[i]
		}
	}
	switch {
	case last.What != agents.Finished:
		t.Errorf("seed %d: finished by %s", seed, last.What)
	case newest == nil || newest.At.After(last.At):
		t.Errorf("seed %d: finished without a list, or by an end before the list", seed)
	case slices.ContainsFunc(newest.Items, func(i agents.Item) bool { return i.State == agents.Open || i.State == agents.Active }):
		t.Errorf("seed %d: finished with the list %v", seed, newest.Items)
	}
}

// randomSession makes the events of a session in which an agent works on a growing list.
func randomSession(random *rand.Rand) (out []agents.Report) {
	at := 0
	add := func(what agents.What, items ...agents.Item) {
		out = append(out, report(what, at, slices.Clone(items)...))
		at++
	}
	var list []agents.Item
	add(agents.SessionStarted)
	for range 1 + random.IntN(3) {
		add(agents.Prompted)
		for range random.IntN(6) {
			if len(list) == 0 || random.IntN(3) == 0 {
				list = append(list, item(fmt.Sprint("item ", len(list)), agents.Open))
			}
			i := random.IntN(len(list))
			list[i].State = []agents.State{agents.Active, agents.Done, agents.Done, agents.Done, agents.Open}[random.IntN(5)]
			add(agents.Listed, list...)
		}
		end := []agents.What{agents.Finished, agents.Finished, agents.Failed, agents.Stopped}[random.IntN(4)]
		add(end)
	}
	add(agents.Left)
	return out
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
