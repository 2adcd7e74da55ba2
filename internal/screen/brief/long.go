package brief

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// A brief shows at most doneShown finished tasks, and nextShown tasks after the current one. It only counts the other tasks, because an
// agent pays for every line.
const (
	doneShown = 5
	nextShown = 3
)

// lastOf prints the last lines of a list, and counts those before them.
func lastOf(s page.Page, lines []string) {
	if more := len(lines) - doneShown; more > 0 {
		s.Say("%s before these\n", phrase.Count(more, "task", "tasks"))
		lines = lines[more:]
	}
	for _, l := range lines {
		data(s, "%s", l)
	}
}

// briefThen prints what is open after the next step: the rest of the current task, other tasks that were started, and later tasks. It
// prints nothing for a run of our own with few tasks.
func briefThen(s page.Page, m *candidate.Summary, current *checkpoint.Task) {
	r := &m.Run
	if current == nil || m.Found == nil && len(r.Tasks) <= doneShown+1+nextShown {
		return
	}
	at := slices.IndexFunc(r.Tasks, func(t checkpoint.Task) bool { return t.ID == current.ID })
	var open []string
	if m.Found != nil {
		open = slices.Clone(m.Found.Rest)
	}
	for i, t := range r.Tasks {
		aside := m.Found != nil && i < len(m.Found.Tasks) && m.Found.Tasks[i].Aside // an item inside a step does not count as a step
		earlier := m.Found != nil && i < at && t.State != checkpoint.Pending        // it was started, failed or is blocked
		if t.State == sources.TaskUnknown && t.Reason == "" {                       // nothing is known about it, so it may be done
			earlier = false
		}
		if (i > at || earlier) && !t.State.Closed() && !aside {
			open = append(open, fmt.Sprintf("%d. %s %s%s", i+1, label(m, t.ID), t.Title, remark(m, i, current)))
		}
	}
	if len(open) == 0 {
		return
	}
	s.Say("\nAfter that:\n")
	for _, l := range open[:min(nextShown, len(open))] {
		data(s, "%s", l)
	}
	if more := len(open) - nextShown; more > 0 {
		s.Say("%s after these\n", phrase.Count(more, "task", "tasks"))
	}
}

// label returns the id of a task. If the id of another system's task is only a number, that system's word for a task comes first.
func label(m *candidate.Summary, id checkpoint.TaskID) string {
	if m.Found == nil {
		return string(id)
	}
	return words.TaskLabel(m.Found, string(id))
}

// remark returns a short text about an open task of another system: that it was started, has failed or is blocked, or for which task it waits. It returns "" if
// neither is known.
func remark(m *candidate.Summary, other int, current *checkpoint.Task) string {
	if m.Found == nil || other >= len(m.Found.Tasks) {
		return ""
	}
	task := m.Found.Tasks[other]
	if task.State == checkpoint.Active {
		return fmt.Sprintf(" (%s)", cmp.Or(task.Note, "started, not finished"))
	}
	if task.State == checkpoint.Failed {
		return fmt.Sprintf(" (%s)", cmp.Or(task.Note, "failed"))
	}
	if task.State == checkpoint.Blocked {
		return " (blocked)"
	}
	for _, need := range task.Needs {
		if t := candidate.FindTask(&m.Run, need); t != nil && t.ID != current.ID && !t.State.Closed() {
			return fmt.Sprintf(" (after %s)", words.TaskLabel(m.Found, need))
		}
	}
	return ""
}

// briefTick tells the worker to tick the box of the task when the task is done. In a task list, nothing else records that a task is done.
func briefTick(s page.Page, m *candidate.Summary) {
	f := m.Found
	at := slices.IndexFunc(f.Tasks, func(t sources.Task) bool { return t.ID == f.Point.Task })
	if sources.ReaderOf(f.Source) != sources.TaskLists || at < 0 || f.Tasks[at].Evidence == "" {
		return
	}
	s.Say("\nWhen the task is done, write [x] in this line, and commit the change with the work:\n")
	data(s, "%s", f.Tasks[at].Evidence)
	if f.Offers(sources.SkipUnit) {
		skip := sources.ShownName(sources.SkipUnit)
		s.Say("Or let git-resume tick it as done, with the choice '%s':\n  %s\n", skip, quote.Command("git resume %s --choose %s --from %s --yes", f.Key(), skip, f.Point.Task))
	}
}
