package taskmaster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// rules are the conditions by which the next task is chosen. Taskmaster compares exact status words, while git-resume also understands
// other words.
type rules struct {
	active, startable, done func(*task) bool
}

var (
	toolRules = rules{
		active: func(t *task) bool { return t.raw == "in-progress" },
		startable: func(t *task) bool {
			return slices.Contains([]string{"", "pending", "in-progress"}, strings.ToLower(t.raw))
		},
		done: func(t *task) bool { return t.raw == "done" || t.raw == "completed" },
	}
	ourRules = rules{
		active:    func(t *task) bool { return isActive(t) && !t.whole() },
		startable: func(t *task) bool { return slices.Contains(startable, t.means) && !t.whole() && t.named == "" },
		done:      func(t *task) bool { return t.done() || t.named != "" },
	}
	startable = []sources.Meaning{sources.MeansPending, sources.MeansReady, sources.MeansInProgress}
)

// next returns the task that comes next under the given rules: the best subtask of a task in progress, or otherwise the best task. A task
// can start only if all its dependencies are done. The result is nil if none can start.
func (l *list) next(r rules) *task {
	if best := l.best(r, l.belowActive(r)); best != nil {
		return best
	}
	return l.best(r, l.tasks)
}

// belowActive returns the subtasks of the tasks in progress.
func (l *list) belowActive(r rules) (out []*task) {
	for _, t := range l.tasks {
		if r.active(t) {
			out = append(out, t.below...)
		}
	}
	return out
}

func (l *list) best(r rules, all []*task) *task {
	can := slices.DeleteFunc(slices.Clone(all), func(t *task) bool { return !r.startable(t) || len(l.missing(r, t)) > 0 })
	if len(can) == 0 {
		return nil
	}
	return slices.MinFunc(can, order)
}

// missing returns the ids of the dependencies of a task that are not done or do not exist.
func (l *list) missing(r rules, t *task) (out []string) {
	for _, id := range t.needs {
		if need := l.byID[id]; need == nil || !r.done(need) {
			out = append(out, id)
		}
	}
	return out
}

// priorities maps Taskmaster's words for priorities to numbers. Any other word counts as medium.
var priorities = map[string]int{"critical": 4, "high": 3, "medium": 2, "low": 1}

func (t *task) rank() int {
	word := t.priority
	if word == "" && t.above != nil {
		word = t.above.priority
	}
	if n, ok := priorities[word]; ok {
		return n
	}
	return priorities["medium"]
}

// order compares two tasks as Taskmaster does: by priority, then by the number of dependencies, then by id.
func order(a, b *task) int {
	return cmp.Or(b.rank()-a.rank(), len(a.needs)-len(b.needs), sources.NaturalOrder(a.id, b.id))
}

type point struct {
	task *task
	why  string
	// review means that every open task waits for a review.
	review bool
}

// point finds where the work continues. These are the choices, in order:
//   - a task or subtask in progress; the function last() chooses if several are in progress
//   - an open subtask of a task in progress
//   - the first task that waits for a review, if all open tasks wait for one
//   - the next task in Taskmaster's order
//   - the first open task, if no task can start
//
// If last() chooses a task that has subtasks, and none of them is in progress, work continues with one of these subtasks. A task that a
// commit names is chosen only if commits name all open tasks, because such a task is probably done (see addNamed). The result is empty if
// no task is open.
func (l *list) point(last func([]*task) *task) point {
	leaves := l.leaves()
	open := slices.DeleteFunc(slices.Clone(leaves), (*task).closed)
	if len(open) == 0 {
		return point{}
	}
	if rest := slices.DeleteFunc(slices.Clone(open), func(t *task) bool { return t.named != "" }); len(rest) > 0 {
		open = rest
	}
	if active := slices.DeleteFunc(slices.Clone(open), func(t *task) bool { return !isActive(t) }); len(active) > 0 {
		if all := l.active(); len(all) > len(active) { // l.active also returns a task in progress that has subtasks, but none in progress
			if above := last(all); above != nil && len(above.below) > 0 {
				if t := l.best(ourRules, above.below); t != nil {
					return subtaskOf(t)
				}
			}
		}
		return inProgress(active, last)
	}
	if t := l.best(ourRules, l.belowActive(ourRules)); t != nil {
		return subtaskOf(t)
	}
	if i := slices.IndexFunc(open, func(t *task) bool { return t.above != nil && isActive(t.above) }); i >= 0 {
		return point{task: open[i], why: fmt.Sprintf("task %s is in progress, and this is its first open subtask; the subtask comes next although %s", open[i].above.id, l.blocked(open[i]))}
	}
	if !slices.ContainsFunc(open, func(t *task) bool { return t.means != sources.MeansReview }) {
		return point{task: open[0], why: "it waits for a review, and nothing else is left", review: true}
	}
	if t := l.best(ourRules, l.tasks); t != nil {
		return point{task: t, why: "the next task in the order of Taskmaster"}
	}
	return point{task: open[0], why: "the first open task; it comes next although " + l.blocked(open[0])}
}

func subtaskOf(t *task) point {
	return point{task: t, why: "task " + t.above.id + " is in progress, and this is its next subtask"}
}

func inProgress(active []*task, last func([]*task) *task) point {
	if len(active) == 1 {
		return point{task: active[0], why: "it is in progress"}
	}
	if t := last(active); t != nil {
		return point{task: t, why: fmt.Sprintf("of the %d tasks in progress, it was changed last", len(active))}
	}
	return point{task: slices.MinFunc(active, order), why: fmt.Sprintf("it is the first of %d tasks in progress, in the order of Taskmaster", len(active))}
}

// blocked returns the reason why a task cannot start.
func (l *list) blocked(t *task) string {
	var why []string
	for _, id := range l.missing(ourRules, t) {
		switch need := l.byID[id]; {
		case need == nil:
			why = append(why, fmt.Sprintf("it depends on %s, which does not exist", id))
		case need.means == sources.MeansClosed:
			why = append(why, fmt.Sprintf("it depends on %s, which is %s", id, need.raw))
		default:
			why = append(why, fmt.Sprintf("it depends on %s, which is not done", id))
		}
	}
	switch {
	case len(why) > 0:
		return sources.SomeOf(why)
	case t.means == sources.MeansBlocked:
		return "its status is " + t.raw
	case t.above != nil && t.above.closed():
		return fmt.Sprintf("Taskmaster does not offer it, because %s is %s", t.above.id, t.above.raw)
	case t.above != nil && len(l.missing(ourRules, t.above)) > 0:
		return "its parent cannot start: " + l.blocked(t.above)
	}
	return "Taskmaster does not offer it"
}
