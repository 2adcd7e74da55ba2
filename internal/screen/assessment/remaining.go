package assessment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// remaining names the next tasks that are still to do, in a possible order. If it can name none, it returns the reason.
func remaining(a *assess.Assessment) string {
	f := a.Summary.Found
	var left, waiting, blocked []checkpoint.TaskID
	if f != nil {
		switch {
		case f.State == sources.Corrupt || f.State == sources.Unknown:
			return "Left to do: not known"
		case a.Verdict == candidate.Blocked || a.Verdict == candidate.Unrecoverable:
			return "Nothing continues until the blocking problems above are fixed"
		case len(f.Plan) > 0:
			return leftToDo(f.Plan)
		case nextIsNoTask(f):
			left = append(left, checkpoint.TaskID(f.Point.Task))
		}
	}
	shown := map[checkpoint.TaskID]string{}
	for i, t := range a.Summary.Run.Tasks {
		if f != nil && i < len(f.Tasks) && f.Tasks[i].Aside || t.State == checkpoint.Done || t.State == checkpoint.Skipped {
			continue
		}
		switch {
		case f == nil: // the tasks of a git-resume run get no remarks
		case string(t.ID) == f.Point.Task && f.State != sources.Blocked: // the next task gets a remark only if the other system's work is blocked
		case t.State == checkpoint.Blocked:
			shown[t.ID] = " (blocked)"
			if string(t.ID) != f.Point.Task {
				blocked = append(blocked, t.ID)
				continue
			}
		case t.State == sources.TaskWaiting:
			shown[t.ID] = " (waits for an answer)"
			waiting = append(waiting, t.ID)
			continue
		}
		left = append(left, t.ID)
	}
	if len(left)+len(waiting)+len(blocked) == 0 {
		return "Left to do: nothing"
	}
	if f != nil {
		left = inWorkableOrder(f, left, waiting, blocked)
		remarkNeeds(f, shown, slices.Concat(blocked, waiting))
	}
	names := make([]string, 0, len(left))
	for _, id := range left {
		name := string(id)
		if f != nil {
			name = words.TaskLabel(f, name)
		}
		names = append(names, quote.Clean(name)+shown[id])
	}
	const most = 12
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("… %d more", len(names)-most))
	}
	return leftToDo(names)
}

// leftToDo returns the names of steps or tasks in one line.
func leftToDo(names []string) string {
	text := "Left to do: "
	if len(names) > 1 {
		text = "Left to do, in this order: "
	}
	return text + quote.Clean(strings.Join(names, ", "))
}

// remarkNeeds adds a remark to each task that depends on a task in "held", unless it already has one. The tasks in "held" are blocked or
// wait for an answer.
func remarkNeeds(f *sources.Found, shown map[checkpoint.TaskID]string, held []checkpoint.TaskID) {
	for _, t := range f.Tasks {
		id := checkpoint.TaskID(t.ID)
		at := slices.IndexFunc(t.Needs, func(need string) bool { return slices.Contains(held, checkpoint.TaskID(need)) })
		if at >= 0 && shown[id] == "" {
			shown[id] = " (after " + quote.Clean(words.TaskLabel(f, t.Needs[at])) + ")"
		}
	}
}

// inWorkableOrder sorts the remaining tasks of another system. The next step comes first, and the other tasks come after those that they
// depend on.
func inWorkableOrder(f *sources.Found, left, waiting, blocked []checkpoint.TaskID) []checkpoint.TaskID {
	if at := slices.Index(left, checkpoint.TaskID(f.Point.Task)); at > 0 {
		left = slices.Concat(left[at:], left[:at])
	}
	left = append(slices.Insert(left, min(1, len(left)), waiting...), blocked...)
	needs, met := map[checkpoint.TaskID][]string{}, map[checkpoint.TaskID]bool{}
	for _, t := range f.Tasks {
		needs[checkpoint.TaskID(t.ID)] = t.Needs
	}
	open := map[checkpoint.TaskID]bool{}
	for _, id := range left {
		open[id] = true
	}
	var out []checkpoint.TaskID
	var add func(checkpoint.TaskID)
	add = func(id checkpoint.TaskID) {
		if met[id] || !open[id] {
			return
		}
		met[id] = true // marked before the recursion, because tasks may depend on each other in a cycle
		if string(id) != f.Point.Task {
			for _, need := range needs[id] {
				add(checkpoint.TaskID(need))
			}
		}
		out = append(out, id)
	}
	for _, id := range left {
		add(id)
	}
	return out
}

// foreignTasksRow says how many of another system's tasks are done or skipped, or why nothing was checked.
func foreignTasksRow(a *assess.Assessment) string {
	if a.Summary.Found.State == sources.Corrupt {
		return unchecked + ": its state cannot be read"
	}
	n, done, skipped, unknown := 0, 0, 0, 0
	for _, t := range a.Summary.Found.Tasks {
		switch {
		case t.Aside:
			continue
		case t.State == checkpoint.Done:
			done++
		case t.State == checkpoint.Skipped:
			skipped++
		case t.State == sources.TaskUnknown:
			unknown++
		}
		n++
	}
	if n > 0 && unknown == n {
		return unchecked + ": its progress is not known"
	}
	if n == 0 {
		return unchecked + ": its files list no tasks"
	}
	units := ""
	if unit := a.Summary.Found.Unit(); unit != "task" {
		units = " " + unit + "s"
	}
	return fmt.Sprintf("%s: %d of %s%s done%s, as its files and the commits say; git-resume did not test the results", told, done, words.Total(a.Summary.Found, n), units, words.Tally{Skipped: skipped}.Besides())
}

// nextIsNoTask reports whether the next step is something other than a task, for example a review.
func nextIsNoTask(f *sources.Found) bool {
	return f.Point.Task != "" && !slices.ContainsFunc(f.Tasks, func(t sources.Task) bool { return t.ID == f.Point.Task })
}
