package plan

import (
	"container/heap"
	"fmt"
	"strings"
)

// Order returns the tasks in an order that respects their dependencies. The next task is always the first one in the plan whose
// dependencies are already in the result. Unknown dependencies are ignored. Tasks in a cycle, and tasks that need them, come last, but
// Parse refuses plans with a cycle.
func (p Plan) Order() []Task {
	index := p.index()
	waits := make([]int, len(p.Tasks))
	frees := make([][]int, len(p.Tasks))
	for i, t := range p.Tasks {
		for _, need := range t.Needs {
			if j, ok := index[need]; ok {
				waits[i]++
				frees[j] = append(frees[j], i)
			}
		}
	}
	ready := &ints{}
	for i, n := range waits {
		if n == 0 {
			*ready = append(*ready, i) // the numbers are ascending, so the slice is already a heap
		}
	}
	order := make([]Task, 0, len(p.Tasks))
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		order = append(order, p.Tasks[i])
		for _, j := range frees[i] {
			if waits[j]--; waits[j] == 0 {
				heap.Push(ready, j)
			}
		}
	}
	for i, n := range waits {
		if n > 0 {
			order = append(order, p.Tasks[i])
		}
	}
	return order
}

// index maps ids to task numbers. If an id repeats, the first task counts.
func (p Plan) index() map[string]int {
	index := make(map[string]int, len(p.Tasks))
	for i, t := range p.Tasks {
		if _, taken := index[t.ID]; !taken {
			index[t.ID] = i
		}
	}
	return index
}

// ints is a heap of task numbers with the smallest number on top.
type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// graph reports repeated ids, dependencies that do not exist, and cycles.
func (c *checker) graph() {
	index := c.plan.index()
	ids := make([]string, 0, len(index))
	complete := true
	for i, t := range c.plan.Tasks {
		if t.ID == "" {
			complete = false
			continue
		}
		if j := index[t.ID]; j != i {
			c.repeated(i, j)
			continue
		}
		ids = append(ids, t.ID)
	}
	// If a task has no id, do not check whether dependencies exist. An unknown id may be meant for that task.
	if complete {
		c.needs(index, ids)
	}
	c.cycles(index)
}

func (c *checker) repeated(i, first int) {
	what := "the task id " + quote(c.plan.Tasks[i].ID) + " is used twice"
	if line := c.places.line(place{first, "id", whole}); line > 0 {
		what += fmt.Sprintf(", here and in line %d", line)
	}
	c.fault(place{i, "id", whole}, what, "give one of the tasks another id")
}

func (c *checker) needs(index map[string]int, ids []string) {
	for i, t := range c.plan.Tasks {
		for k, need := range t.Needs {
			if _, ok := index[need]; ok || need == "" {
				continue
			}
			cure := "add the task, or remove it from 'needs'"
			// Searching for a similar id compares all ids. Do this only for faults that will be shown.
			if len(c.faults.kept) < maxFaults {
				if guess := closest(need, ids); guess != "" {
					cure = "did you mean " + quote(guess) + "?"
				}
			}
			c.fault(place{i, "needs", k}, taskName(i, t)+" needs "+quote(need)+", which is not in the plan", cure)
		}
	}
}

// cycles follows the dependencies of every task once and reports each cycle that it finds.
func (c *checker) cycles(index map[string]int) {
	const (
		onPath = 1
		left   = 2
	)
	state := make([]int, len(c.plan.Tasks))
	var path []int
	var walk func(i int)
	walk = func(i int) {
		state[i] = onPath
		path = append(path, i)
		for k, need := range c.plan.Tasks[i].Needs {
			j, ok := index[need]
			switch {
			case !ok || state[j] == left:
			case state[j] == onPath:
				c.cycle(place{i, "needs", k}, path, j)
			default:
				walk(j)
			}
		}
		path = path[:len(path)-1]
		state[i] = left
	}
	for i := range c.plan.Tasks {
		if state[i] == 0 {
			walk(i)
		}
	}
}

// cycle reports a cycle of dependencies. The argument "back" is the index of the task with which the cycle begins. The argument "path" has
// the tasks that were followed, up to the last task of the cycle.
func (c *checker) cycle(at place, path []int, back int) {
	if len(c.faults.kept) == maxFaults {
		c.faults.more++
		return
	}
	tasks := c.plan.Tasks
	if path[len(path)-1] == back {
		c.fault(at, taskName(back, tasks[back])+" needs itself", "remove it from its own 'needs'")
		return
	}
	start := len(path) - 1
	for path[start] != back {
		start--
	}
	var names []string
	for _, i := range path[start:] {
		names = append(names, quote(tasks[i].ID))
	}
	if len(names) > 8 {
		names = append(append(names[:4:4], "…"), names[len(names)-3:]...)
	}
	names = append(names, quote(tasks[back].ID))
	c.fault(at, "tasks depend on each other in a cycle: "+strings.Join(names, " -> "), "remove one of these tasks from 'needs'")
}
