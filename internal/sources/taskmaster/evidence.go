package taskmaster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// findings adds warnings about contradictions in the file, and about what Taskmaster itself would do next.
func (p *project) findings(l *list, f *sources.Found, at point) {
	doubts := sources.Doubts(f.Doubts)
	defer func() { f.Doubts = doubts }()
	if next := l.next(toolRules); at.task != nil && next != at.task {
		doubts.Add(sources.DoubtOwnCheck, info, "", "%s", ownNext(next))
	}
	if active := l.active(); len(active) > 1 {
		doubts.Add("several-in-progress", info, p.file, "%d tasks are in progress: %s", len(active), sources.SomeOf(ids(active)))
	}
	if above, below := l.reopened(); len(above) > 0 {
		doubts.Add(sources.DoubtDiscrepancy, warning, p.file, "%s marked as done (%s), but subtasks are open (%s); the subtasks count as open",
			sources.Count(len(above), "task is", "tasks are"), sources.SomeOf(ids(above)), sources.SomeOf(ids(below)))
	}
	if all := l.unmarked(); len(all) > 0 {
		doubts.Add(sources.DoubtStatusWord, info, p.file, "no subtask of %s is open, so %s done, although the status says otherwise", sources.SomeOf(ids(all)), are(len(all)))
	}
	l.needFindings(&doubts, p.file)
	for _, t := range l.leaves() {
		if t.state() == sources.TaskUnknown {
			doubts.About(sources.DoubtUnknownWord, info, p.file, "has the unknown status '%s' for %s; it counts as open", textdoc.Shorten(textdoc.OneLine(t.raw), 40), t.id)
		}
	}
	if len(l.repeated) > 0 {
		doubts.Add(sources.DoubtInvalidState, warning, p.file, "several tasks have the id %s; Taskmaster changes only the first", sources.SomeOf(l.repeated))
	}
}

// active returns the tasks and subtasks in progress. A task with a subtask in progress is left out.
func (l *list) active() (out []*task) {
	isActive := func(t *task) bool { return isActive(t) && !t.closed() && !t.whole() }
	for _, t := range l.tasks {
		if isActive(t) && !slices.ContainsFunc(t.below, isActive) {
			out = append(out, t)
		}
		out = append(out, slices.DeleteFunc(slices.Clone(t.below), func(b *task) bool { return !isActive(b) })...)
	}
	return out
}

// reopened returns the tasks that are marked as done although they have open subtasks, and these subtasks.
func (l *list) reopened() (above, below []*task) {
	for _, t := range l.tasks {
		open := slices.DeleteFunc(slices.Clone(t.below), (*task).closed)
		if t.means == sources.MeansDone && len(open) > 0 {
			above, below = append(above, t), append(below, open...)
		}
	}
	return above, below
}

func are(n int) string {
	if n == 1 {
		return "it is"
	}
	return "they are"
}

// ownNext returns a text that says which task Taskmaster's own command would choose, and by which rule.
func ownNext(next *task) string {
	if next == nil {
		return "'task-master next' finds nothing: it offers only tasks that are pending or in progress, and subtasks of tasks in progress, if their dependencies are done"
	}
	rule := "it goes by priority, number of dependencies and id, and does not prefer what is in progress"
	if next.above != nil {
		rule = "it looks at the subtasks of tasks in progress first, by priority, number of dependencies and id"
	}
	return "'task-master next' would take " + next.label() + ": " + rule
}

// needFindings warns about dependencies that prevent an open task from ever starting.
func (l *list) needFindings(doubts *sources.Doubts, file string) {
	var missing, closed []string
	var all []string
	for _, t := range append(slices.Clone(l.tasks), l.leaves()...) {
		if t.done() || t.closed() {
			continue
		}
		all = append(all, t.id)
		for _, id := range t.needs {
			switch need := l.byID[id]; {
			case need == nil:
				missing = append(missing, t.id+" on "+id)
			case need.means == sources.MeansClosed:
				closed = append(closed, fmt.Sprintf("%s on %s (%s)", t.id, id, need.raw))
			}
		}
	}
	if missing = compact(missing); len(missing) > 0 {
		doubts.Add(sources.DoubtUnknownNeed, warning, file, "tasks depend on tasks that do not exist: %s", sources.SomeOf(missing))
	}
	if closed = compact(closed); len(closed) > 0 {
		doubts.Add("needs-closed", warning, file, "Taskmaster never offers tasks that depend on cancelled or deferred tasks: %s", sources.SomeOf(closed))
	}
	needs := func(id string) []string {
		if t := l.byID[id]; t != nil && !t.done() {
			return t.needs
		}
		return nil
	}
	if circle := sources.Circle(all, needs); circle != nil {
		doubts.Add(sources.DoubtCycle, warning, file, "tasks depend on each other: %s", strings.Join(circle[:min(len(circle), 8)], " → "))
	}
}

// compact sorts the texts and removes repetitions, because needFindings adds the text of a task twice if the task has no subtasks.
func compact(all []string) []string {
	slices.SortFunc(all, sources.NaturalOrder)
	return slices.Compact(all)
}

const (
	oldVersions = 8                   // how many old versions of a list are read
	proofTime   = 30 * 24 * time.Hour // a list that did not change for so long is not compared with commits, so that git is not asked about old projects
)

// changedLast returns the task in progress whose status changed last, according to the committed versions of the file. It returns nil if
// these versions do not show this, or if the file was not changed for a long time.
func (p *project) changedLast(l *list, active []*task) *task {
	if when := p.Tree.Changed(p.file); p.View.Now.Sub(when) > proofTime {
		return nil
	}
	versions, err := p.View.History(p.Ctx, p.Tree, p.file, oldVersions)
	if err != nil {
		return nil // git cannot show earlier versions, for example because there are no commits yet
	}
	for _, old := range versions {
		lists, err := parse(old.Data)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(lists, func(o *list) bool { return o.tag == l.tag })
		newer := slices.DeleteFunc(slices.Clone(active), func(t *task) bool {
			return i >= 0 && lists[i].byID[t.id] != nil && isActive(lists[i].byID[t.id])
		})
		if len(newer) > 0 {
			return slices.MinFunc(newer, order)
		}
	}
	return nil
}

// namedTask matches the forms in which people name a task in a commit subject: "task 3", "Task 2.1:", "#3", "(2.1)".
var namedTask = textdoc.NewFormWith("task|#|(", `(?i)\btasks?[ :#-]*([0-9]+(?:\.[0-9]+)?)\b|(?:^|[^(\w])#([0-9]+(?:\.[0-9]+)?)\b|\(([0-9]+\.[0-9]+)\)`)

// addNamed notes which pending tasks were carried out although nobody updated the list. A commit on the checked out branch must name the
// task, and must be newer than the last change of the list. Such a commit counts for the pending subtasks of the task too. Only the current
// tag is examined.
func (p *project) addNamed(l *list) {
	written, by := p.View.Written(p.Ctx, p.Tree, p.file)
	if l.tag != p.current || by != "commit" || p.View.Now.Sub(written) > proofTime {
		return
	}
	h := p.View.Recent.History(p.Ctx, written)
	here := h.Within(p.View.Head(p.Ctx, p.Tree))
	for c := range h.Newer(written) {
		if !c.When.After(written) || !here(c.ID) {
			continue
		}
		for _, m := range namedTask.FindAllStringSubmatch(c.Subject, -1) {
			if t := l.byID[m[1]+m[3]]; t != nil {
				for _, one := range append(slices.Clone(t.below), t) {
					if one.means == sources.MeansPending || one.means == sources.MeansReady {
						one.named, one.namedAs = c.ID, t.id
					}
				}
			}
		}
	}
}

// support adds to each finished task the commit that names it. Many tasks have no such commit, so a missing one means nothing. A number
// such as (#3) does not count, because it is usually a pull request.
func (p *project) support(l *list, f *sources.Found) {
	if !f.State.Open() || f.Active.IsZero() || p.View.Now.Sub(f.Active) > proofTime {
		return
	}
	since := f.Active.Add(-proofTime)
	if created, _, ok := sources.ParseTime(l.created); ok && created.After(since) {
		since = created
	}
	commits := map[string]object.ID{}
	for c := range p.View.Recent.History(p.Ctx, since).Newer(since) {
		for _, m := range namedTask.FindAllStringSubmatch(c.Subject, -1) {
			if id := m[1] + m[2] + m[3]; commits[id] == "" {
				commits[id] = c.ID
			}
		}
	}
	for i := range f.Tasks {
		if t := &f.Tasks[i]; t.State == checkpoint.Done && commits[t.ID] != "" {
			t.Commit = commits[t.ID]
			t.Evidence += "; commit " + t.Commit.Short() + " names the task"
		}
	}
}
