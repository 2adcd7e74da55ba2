package crew

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// stubHost is a Host that records nothing. The field "asks" is the id of a task that may not start, because a person must be asked first.
type stubHost struct {
	run  checkpoint.Run
	asks string
}

func (h *stubHost) Run() *checkpoint.Run                                  { return &h.run }
func (h *stubHost) Stored(*journal.Journal)                               {}
func (h *stubHost) Note(context.Context, ...checkpoint.Event) error       { return nil }
func (h *stubHost) Job(context.Context, plan.Task) execution.Job          { return execution.Job{} }
func (h *stubHost) MayStart(_ context.Context, t plan.Task) (bool, error) { return t.ID != h.asks, nil }
func (h *stubHost) Tool(context.Context, plan.Task, checkpoint.Place, string) (tool Tool) {
	return tool
}
func (h *stubHost) Reason(checkpoint.TaskID) string { return "" }
func (h *stubHost) Again(checkpoint.TaskID, string) {}

// stubWatch counts how often tasks were asked to end.
type stubWatch struct {
	Watcher
	stops int
}

func (w *stubWatch) Stopping() { w.stops++ }

// newCrew returns a crew for tasks with these ids, none of which runs yet.
func newCrew(jobs int, ids ...string) *Crew {
	h := &stubHost{run: checkpoint.Run{ID: "job-abcd"}}
	c := &Crew{Host: h, Jobs: jobs, Tried: map[checkpoint.TaskID]bool{}, hands: map[int]*hand{}, unusable: map[int]bool{}, Watch: &stubWatch{}}
	for _, id := range ids {
		c.Plan.Tasks = append(c.Plan.Tasks, plan.Task{ID: id, Run: "true"})
		h.run.Tasks = append(h.run.Tasks, checkpoint.Task{ID: checkpoint.TaskID(id), State: checkpoint.Pending})
	}
	return c
}

// at adds a running task in the worktree number n, as the method start does.
func (c *Crew) at(n int, id string) *hand {
	h := &hand{c: c, n: n, slot: c.freeSlot(), task: plan.Task{ID: id}, signals: make(chan os.Signal, 4)}
	c.hands[n], c.Tried[checkpoint.TaskID(id)] = h, true
	return h
}

func (c *Crew) ready() string {
	var out []string
	for _, t := range tasks.Ready(c.Plan, c.Host.Run(), c.progress()) {
		out = append(out, t.ID)
	}
	return strings.Join(out, " ")
}

func TestCollect(t *testing.T) {
	fatal := errors.New("the disk is full")
	for name, c := range map[string]struct {
		keepGoing bool
		out       *execution.Outcome
		err       error
		halts     bool
		ready     string
	}{
		"done":                       {out: &execution.Outcome{State: checkpoint.Done}, ready: "c"},
		"failed":                     {out: &execution.Outcome{State: checkpoint.Failed}, halts: true, ready: "c"},
		"failed, but keep going":     {keepGoing: true, out: &execution.Outcome{State: checkpoint.Failed}, ready: "c"},
		"blocked":                    {out: &execution.Outcome{State: checkpoint.Blocked}, ready: "a c"},
		"an error":                   {err: fatal, halts: true, ready: "c"},
		"an error, although keep on": {keepGoing: true, err: fatal, halts: true, ready: "c"},
		"a signal came late":         {out: &execution.Outcome{State: checkpoint.Done, Late: execution.CauseInterrupt}, halts: true, ready: "c"},
		"a signal reached it first":  {out: &execution.Outcome{State: checkpoint.Active, Cause: execution.CauseTerminate}, halts: true, ready: "c"},
		"its place cannot be used":   {err: errInUse, ready: "a c"},
		"the branch moves for ever":  {keepGoing: true, err: &MovingError{Task: "a"}, halts: true, ready: "c"},
	} {
		x := newCrew(2, "a", "b", "c")
		x.KeepGoing = c.keepGoing
		h := x.at(1, "a")
		x.at(2, "b")
		h.out, h.err = c.out, c.err
		x.collect(h)
		if got := x.halting(); got != c.halts {
			t.Errorf("%s: halting is %v", name, got)
		}
		if got := x.ready(); got != c.ready {
			t.Errorf("%s: ready are %q, want %q", name, got, c.ready)
		}
		if x.hands[1] != nil || x.hands[2] == nil {
			t.Errorf("%s: the wrong task is at work", name)
		}
		if errors.Is(c.err, errInUse) != x.unusable[1] {
			t.Errorf("%s: unusable places: %v", name, x.unusable)
		}
	}
}

func TestStartReady_startsNothing(t *testing.T) {
	for name, change := range map[string]func(c *Crew){
		"as many as allowed": func(c *Crew) { c.Jobs = 1 },
		"a person must say":  func(c *Crew) { c.Host.(*stubHost).asks = "b" },
		"a failure":          func(c *Crew) { c.Failed = []checkpoint.TaskID{"x"} },
		"a signal":           func(c *Crew) { c.Cause = execution.CauseInterrupt },
		"an error":           func(c *Crew) { c.err = errInUse },
	} {
		c := newCrew(2, "a", "b")
		c.at(1, "a")
		change(c)
		was := c.err
		if c.startReady(t.Context()); len(c.hands) != 1 || c.err != was { // this crew has no pool of worktrees, so it would panic if it started a task
			t.Errorf("%s: a task was started, or failed: %v", name, c.err)
		}
	}
}

func TestSignal_reachesAllTasks(t *testing.T) {
	c := newCrew(3, "a", "b", "c")
	full, other := c.at(1, "a"), c.at(2, "b")
	for range cap(full.signals) {
		full.signals <- os.Interrupt
	}
	c.signal(os.Interrupt)
	if len(other.signals) != 1 || !c.halting() || c.Watch.(*stubWatch).stops != 1 {
		t.Errorf("%d signals, halting %v, told %d times", len(other.signals), c.halting(), c.Watch.(*stubWatch).stops)
	}
}

func TestFreePlace(t *testing.T) {
	in := func(n int, task string) checkpoint.Place {
		return checkpoint.Place{N: n, Task: checkpoint.TaskID(task)}
	}
	for name, c := range map[string]struct {
		places   []checkpoint.Place
		states   map[string]checkpoint.TaskState
		cause    string
		working  []int
		unusable []int
		want     int
		own      bool
	}{
		"the first":                    {want: 1},
		"one is taken":                 {working: []int{1}, want: 2},
		"its own":                      {places: []checkpoint.Place{in(1, "b"), in(2, "a")}, states: map[string]checkpoint.TaskState{"a": checkpoint.Failed}, want: 2, own: true},
		"its own is in use":            {places: []checkpoint.Place{in(1, "a")}, states: map[string]checkpoint.TaskState{"a": checkpoint.Failed}, unusable: []int{1}, want: 2},
		"its result was not taken":     {places: []checkpoint.Place{in(1, "b"), in(2, "a")}, states: map[string]checkpoint.TaskState{"a": checkpoint.Failed}, cause: execution.CauseConflict, want: 1},
		"work of another stays":        {places: []checkpoint.Place{in(1, "b")}, states: map[string]checkpoint.TaskState{"b": checkpoint.Blocked}, want: 2},
		"only places with others work": {places: []checkpoint.Place{in(1, "b"), in(2, "c")}, states: map[string]checkpoint.TaskState{"b": checkpoint.Failed, "c": checkpoint.Failed}, want: 1},
		"all are unusable":             {unusable: []int{1, 2}, want: 3},
	} {
		x := newCrew(1, "a", "b", "c")
		r := x.Host.Run()
		r.Places = c.places
		for _, p := range c.places {
			r.Task(p.Task).Place = p.N
		}
		for id, state := range c.states {
			s := r.Task(checkpoint.TaskID(id))
			s.State, s.Cause = state, c.cause
		}
		for _, n := range c.working {
			x.at(n, "w")
		}
		for _, n := range c.unusable {
			x.unusable[n] = true
		}
		if n, own := x.freePlace(plan.Task{ID: "a"}); n != c.want || own != c.own {
			t.Errorf("%s: place %d, own %v; want %d, %v", name, n, own, c.want, c.own)
		}
	}
}

func TestFreeSlot(t *testing.T) {
	c := newCrew(3)
	first := c.at(1, "a")
	c.at(2, "b")
	c.at(5, "c")
	delete(c.hands, first.n)
	h := c.at(6, "d")
	var all []int
	for _, h := range c.hands {
		all = append(all, h.slot)
	}
	if slices.Sort(all); h.slot != 1 || !slices.Equal(all, []int{1, 2, 3}) {
		t.Errorf("slot %d of %v", h.slot, all)
	}
}

func TestMayRerun(t *testing.T) {
	for _, c := range []struct {
		task plan.Task
		want []bool
	}{
		{plan.Task{}, []bool{false, false, false}},
		{plan.Task{OnConflict: plan.AskPerson}, []bool{false, false, false}},
		{plan.Task{OnConflict: plan.Rerun}, []bool{true, true, false}},
		{plan.Task{OnConflict: plan.Rerun, Once: true}, []bool{false, false, false}},
	} {
		h := &hand{task: c.task}
		if got := []bool{h.mayRerun(1), h.mayRerun(2), h.mayRerun(3)}; !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.task, got, c.want)
		}
	}
	for cause, want := range map[string]bool{execution.CauseConflict: true, execution.CauseInputs: true, execution.CauseVerify: true, execution.CauseExit: false, "": false} {
		if got := Rejected(cause); got != want {
			t.Errorf("%q: rejected %v", cause, got)
		}
	}
}

func TestLand_givesUp(t *testing.T) {
	held := errors.New("the branch is locked")
	for name, c := range map[string]struct {
		verify string
		// The first tries fail because others move the branch. The field "lost" is the number of these tries, and "busy" is their error.
		// The field "fails" is the error of the try after them, or nil.
		lost        int
		busy, fails error
		tries       int
		want        string
	}{
		"at once":                        {tries: 1},
		"just before the bound":          {lost: mostLost - 1, tries: 40},
		"at the bound":                   {lost: mostLost, tries: 40, want: "another program keeps moving branch 'resume/job-abcd': in 40 tries, the result of task 'a' could not be brought onto the branch"},
		"for ever":                       {lost: 1000, tries: 40, want: "another program keeps moving branch 'resume/job-abcd': in 40 tries, the result of task 'a' could not be brought onto the branch"},
		"with a check, before the bound": {verify: "true", lost: mostLostVerified - 1, tries: 5},
		"with a check":                   {verify: "true", lost: 1000, tries: 5, want: "another program keeps moving branch 'resume/job-abcd': in 5 tries, the result of task 'a' could not be brought onto the branch"},
		"locked for ever":                {lost: 1000, busy: held, tries: 40, want: "the branch is locked"},
		"an error":                       {lost: 3, fails: errors.New("the disk is full"), tries: 4, want: "the disk is full"},
	} {
		x := newCrew(2, "a", "b")
		x.landing = sync.NewCond(&x.turn)
		h := x.at(1, "a")
		h.task.Verify = c.verify
		tries := 0
		err := h.landBy(execution.Job{Run: "job-abcd", Task: "a", Branch: runBranch}, func() (bool, error, error) {
			tries++
			if alone := x.alone == h; alone != (tries > patience) {
				t.Errorf("%s: others wait in try %d: %v", name, tries, alone)
			}
			if tries > c.lost {
				return false, nil, c.fails
			}
			return true, c.busy, nil
		})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if tries != c.tries || got != c.want || x.alone != nil {
			t.Errorf("%s: %d tries, want %d; error %q; others wait: %v", name, tries, c.tries, got, x.alone != nil)
		}
	}
}
