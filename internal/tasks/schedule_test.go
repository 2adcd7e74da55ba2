package tasks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
)

func idsOf(tasks []plan.Task) string {
	var out []string
	for _, t := range tasks {
		out = append(out, t.ID)
	}
	return strings.Join(out, " ")
}

func runOf(p plan.Plan, states map[string]checkpoint.TaskState) *checkpoint.Run {
	r := &checkpoint.Run{}
	for _, t := range p.Tasks {
		state := checkpoint.Pending
		if s, ok := states[t.ID]; ok {
			state = s
		}
		r.Tasks = append(r.Tasks, checkpoint.Task{ID: checkpoint.TaskID(t.ID), State: state})
	}
	return r
}

func TestReady(t *testing.T) {
	task := func(id, needs, in, out string) plan.Task {
		return plan.Task{ID: id, Run: "true", Needs: strings.Fields(needs), Inputs: strings.Fields(in), Outputs: strings.Fields(out)}
	}
	done, failed := checkpoint.Done, checkpoint.Failed
	for name, c := range map[string]struct {
		tasks          []plan.Task
		states         map[string]checkpoint.TaskState
		working, tried string
		want           string
	}{
		"needs":                       {tasks: []plan.Task{task("a", "", "", ""), task("b", "a", "", ""), task("c", "", "", "")}, want: "a c"},
		"a need that is done":         {tasks: []plan.Task{task("a", "", "", ""), task("b", "a", "", "")}, states: map[string]checkpoint.TaskState{"a": done}, want: "b"},
		"at work":                     {tasks: []plan.Task{task("a", "", "", ""), task("b", "", "", "")}, working: "a", want: "b"},
		"common outputs":              {tasks: []plan.Task{task("a", "", "", "x"), task("b", "", "", "x"), task("c", "", "", "y")}, want: "a c"},
		"common outputs, at work":     {tasks: []plan.Task{task("a", "", "", "x"), task("b", "", "", "x")}, working: "a", want: ""},
		"reads what another writes":   {tasks: []plan.Task{task("a", "", "", "x"), task("b", "", "x", "y")}, want: "a"},
		"writes what another reads":   {tasks: []plan.Task{task("a", "", "x", "y"), task("b", "", "", "x")}, want: "a"},
		"both read":                   {tasks: []plan.Task{task("a", "", "x", "y"), task("b", "", "x", "z")}, want: "a b"},
		"the earlier one has failed":  {tasks: []plan.Task{task("a", "", "", "x"), task("b", "", "", "x")}, states: map[string]checkpoint.TaskState{"a": failed}, tried: "a", want: "b"},
		"the earlier one cannot run":  {tasks: []plan.Task{task("a", "", "", ""), task("b", "a", "", "x"), task("c", "", "", "x")}, states: map[string]checkpoint.TaskState{"a": failed}, tried: "a", want: "c"},
		"the earlier one runs later":  {tasks: []plan.Task{task("a", "", "", ""), task("b", "a", "", "x"), task("c", "", "", "x")}, want: "a"},
		"behind a question":           {tasks: []plan.Task{{ID: "q", Ask: "which?"}, task("b", "q", "", ""), task("c", "", "", "")}, want: "c"},
		"failed in an earlier call":   {tasks: []plan.Task{task("a", "", "", "")}, states: map[string]checkpoint.TaskState{"a": failed}, want: "a"},
		"a question about its result": {tasks: []plan.Task{task("a", "", "", "x"), task("b", "", "", "x")}, states: map[string]checkpoint.TaskState{"a": checkpoint.Blocked}, want: ""},
	} {
		p := plan.Plan{Tasks: c.tasks}
		h := Hands{Working: map[checkpoint.TaskID]bool{}, Tried: map[checkpoint.TaskID]bool{}}
		for _, id := range strings.Fields(c.working) {
			h.Working[checkpoint.TaskID(id)] = true
		}
		for _, id := range strings.Fields(c.tried) {
			h.Tried[checkpoint.TaskID(id)] = true
		}
		if got := idsOf(Ready(p, runOf(p, c.states), h)); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// randomPlan makes a plan whose tasks read and write a few files.
func randomPlan(r *rand.Rand) plan.Plan {
	files := func(most int) []string {
		var out []string
		for range r.IntN(most + 1) {
			out = append(out, fmt.Sprintf("f%d", r.IntN(6)))
		}
		return out
	}
	var p plan.Plan
	for i := range 2 + r.IntN(9) {
		t := plan.Task{ID: fmt.Sprintf("t%d", i), Run: "true", Inputs: files(2), Outputs: files(2)}
		for j := range 2 + r.IntN(9) {
			if j != i && r.IntN(8) == 0 && j < 2+i {
				t.Needs = append(t.Needs, fmt.Sprintf("t%d", j))
			}
		}
		p.Tasks = append(p.Tasks, t)
	}
	for i := range p.Tasks { // a task needs only earlier tasks, so that there is no cycle; half of the plans are then reversed
		p.Tasks[i].Needs = slices.DeleteFunc(p.Tasks[i].Needs, func(id string) bool {
			var j int
			_, _ = fmt.Sscanf(id, "t%d", &j)
			return j >= i
		})
	}
	if r.IntN(2) == 0 {
		slices.Reverse(p.Tasks)
	}
	return p
}

// simulation executes a plan without processes. A task reads its inputs when it starts, and writes a value made of them when it ends.
type simulation struct {
	t     *testing.T
	p     plan.Plan
	run   *checkpoint.Run
	h     Hands
	files map[string]string
	read  map[string]string
	fails map[string]bool
	ended []string
}

func (s *simulation) start(t plan.Task) {
	for _, o := range s.p.Tasks {
		if s.h.Working[checkpoint.TaskID(o.ID)] && Collide(o, t) {
			s.t.Fatalf("%s and %s collide and are at work together", o.ID, t.ID)
		}
	}
	for _, need := range t.Needs {
		if !s.run.Task(checkpoint.TaskID(need)).State.Closed() {
			s.t.Fatalf("%s started before %s was done", t.ID, need)
		}
	}
	s.h.Working[checkpoint.TaskID(t.ID)], s.h.Tried[checkpoint.TaskID(t.ID)] = true, true
	s.read[t.ID] = t.ID
	for _, f := range t.Inputs {
		s.read[t.ID] += "(" + f + "=" + s.files[f] + ")"
	}
}

func (s *simulation) end(id string) {
	delete(s.h.Working, checkpoint.TaskID(id))
	s.ended = append(s.ended, id)
	state := s.run.Task(checkpoint.TaskID(id))
	if state.State = checkpoint.Done; s.fails[id] {
		state.State = checkpoint.Failed
		return
	}
	for _, f := range SpecOf(s.p, checkpoint.TaskID(id)).Outputs {
		s.files[f] = fmt.Sprintf("%x", hash(s.read[id]))
	}
}

func hash(s string) (h uint64) {
	for _, c := range s {
		h = h*1099511628211 ^ uint64(c)
	}
	return h
}

func (s *simulation) all(jobs int, r *rand.Rand) {
	for {
		ready := Ready(s.p, s.run, s.h)
		for _, t := range ready[:min(len(ready), jobs-len(s.h.Working))] {
			s.start(t)
		}
		if len(s.h.Working) == 0 {
			if len(ready) > 0 {
				s.t.Fatalf("%s are ready, but nothing starts", idsOf(ready))
			}
			return
		}
		at := slices.Sorted(maps.Keys(s.h.Working))
		s.end(string(at[r.IntN(len(at))]))
	}
}

// TestReady_sameResultForAnyNumberOfJobs executes random plans with different numbers of jobs. Tasks end in a random order, and some fail.
// For each number of jobs, the same tasks must be done, and the files must have the same values as with one job.
func TestReady_sameResultForAnyNumberOfJobs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	together := 0
	for range 3000 {
		p, fails := randomPlan(r), map[string]bool{}
		for _, task := range p.Tasks {
			fails[task.ID] = r.IntN(8) == 0
		}
		var want *simulation
		for _, jobs := range []int{1, 2, 4, 8} {
			s := &simulation{t: t, p: p, run: runOf(p, nil), files: map[string]string{}, read: map[string]string{}, fails: fails,
				h: Hands{Working: map[checkpoint.TaskID]bool{}, Tried: map[checkpoint.TaskID]bool{}}}
			s.all(jobs, r)
			if want == nil {
				want = s
				for _, id := range neverStarted(p, want.run) {
					t.Fatalf("%s was never started: %+v", id, p)
				}
				continue
			}
			if !slices.Equal(want.ended, s.ended) {
				together++
			}
			if !maps.Equal(s.files, want.files) {
				t.Fatalf("with %d jobs: %v, with one: %v\n%+v", jobs, s.files, want.files, p)
			}
			for i := range s.run.Tasks {
				if s.run.Tasks[i].State != want.run.Tasks[i].State {
					t.Fatalf("task %s is %s with %d jobs, and %s with one", s.run.Tasks[i].ID, s.run.Tasks[i].State, jobs, want.run.Tasks[i].State)
				}
			}
		}
	}
	if together < 1000 {
		t.Fatalf("only %d executions differed in their order from one job", together)
	}
}

// neverStarted lists the pending tasks whose needs are all closed.
func neverStarted(p plan.Plan, r *checkpoint.Run) (out []string) {
	for _, t := range p.Tasks {
		if r.Task(checkpoint.TaskID(t.ID)).State == checkpoint.Pending && dependenciesClosed(t, r) {
			out = append(out, t.ID)
		}
	}
	return out
}
