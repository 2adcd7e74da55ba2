package discard

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
)

// LaterChangeError says that a change cannot be undone before later changes are undone.
type LaterChangeError struct {
	// Number is the change that the user wants to undo. The field Later lists the changes that have to be undone first, newest first.
	Number int
	Later  []Undoing
}

func (e *LaterChangeError) Error() string {
	return fmt.Sprintf("change %d cannot be undone until change %d is undone", e.Number, e.Later[0].Number)
}

// LaterReportError says that a change cannot be undone because of what was reported after it.
type LaterReportError struct {
	Run    checkpoint.RunID
	What   checkpoint.Event
	Report checkpoint.Event
	// Closed is true if the run is finished or discarded now.
	Closed bool
}

func (e *LaterReportError) Error() string {
	if e.Report.Task == "" || e.What.Task == "" {
		return "this cannot be undone any more: the run has continued since"
	}
	did := map[checkpoint.Kind]string{
		checkpoint.TaskStarted: "was started", checkpoint.TaskDone: "was finished", checkpoint.TaskFailed: "failed", checkpoint.TaskBlocked: "asked a question",
	}[e.Report.Event]
	return fmt.Sprintf("this cannot be undone any more: task '%s' %s after this change", e.Report.Task, did)
}

// NoChangeError says that the change with the given number does not exist or cannot be undone.
type NoChangeError struct {
	Number int
	// Undone is true if the change has already been undone.
	Undone bool
	// Run is the run of that change; empty if it is not known.
	Run checkpoint.RunID
}

func (e *NoChangeError) Error() string {
	if e.Undone {
		return fmt.Sprintf("change %d is already undone", e.Number)
	}
	return fmt.Sprintf("no change that can be undone has the number %d", e.Number)
}

// refuseOvertaken returns an error if later changes or reports prevent an undo. The argument "later" lists the later changes of all runs,
// newest first. The argument "lines" is the journal of the run.
func refuseOvertaken(u *Undoing, later []Undoing, lines []checkpoint.Line) error {
	in := &LaterChangeError{Number: u.Number}
	for i := range later {
		if later[i].Run.ID == u.Run.ID && blocks(u, &later[i]) {
			in.Later = append(in.Later, later[i])
		}
	}
	if len(in.Later) > 0 {
		return in
	}
	if report, ok := laterReport(u, lines); ok {
		return &LaterReportError{Run: u.Run.ID, What: u.What, Report: report, Closed: u.Run.Closed()}
	}
	return nil
}

// blocks reports whether the change "later" must be undone before the change "u". Both are changes of the same run.
func blocks(u, later *Undoing) bool {
	is := func(kinds ...checkpoint.Kind) bool { return slices.Contains(kinds, u.What.Event) }
	switch later.What.Event {
	case checkpoint.RunDiscarded, checkpoint.RunSuperseded:
		return true // the run cannot be changed until the discard or the replacement is undone
	case checkpoint.RunFinished:
		return isTaskChange(u.What) || is(checkpoint.RunPlanned, checkpoint.RunPaused, checkpoint.RunResumed)
	case checkpoint.RunPlanned:
		return is(checkpoint.RunPlanned)
	case checkpoint.RunPaused, checkpoint.RunResumed:
		return is(checkpoint.RunPaused, checkpoint.RunResumed)
	case checkpoint.TaskSkipped, checkpoint.TaskAnswered, checkpoint.TaskReset:
		return slices.ContainsFunc(u.Lines, func(e checkpoint.Event) bool { return isTaskChange(e) && changesTask(later, e.Task) })
	case checkpoint.Snapshot:
		return isRestore(u.What)
	case checkpoint.RunActed:
		return sharesFile(u, later)
	}
	return false
}

// isTaskChange reports whether a person added a task or changed its state.
func isTaskChange(e checkpoint.Event) bool {
	return slices.Contains([]checkpoint.Kind{checkpoint.TaskAdded, checkpoint.TaskSkipped, checkpoint.TaskAnswered, checkpoint.TaskReset}, e.Event)
}

func changesTask(u *Undoing, task checkpoint.TaskID) bool {
	return slices.ContainsFunc(u.Lines, func(e checkpoint.Event) bool { return isTaskChange(e) && e.Task == task })
}

// sharesFile reports whether two changes wrote the same file of another system.
func sharesFile(a, b *Undoing) bool {
	return slices.ContainsFunc(a.Files, func(f FileBack) bool {
		return slices.ContainsFunc(b.Files, func(g FileBack) bool {
			return f.Tree == g.Tree && (f.Path == g.Path || f.Path == g.To || f.To != "" && (f.To == g.Path || f.To == g.To))
		})
	})
}

// laterReport returns the first report after which a change can no longer be undone. For a pause, this is a report that the run has
// continued. For the change of a task, it is a report about the same task. It returns false if there is none.
func laterReport(u *Undoing, lines []checkpoint.Line) (checkpoint.Event, bool) {
	what, _ := candidate.Origin(lines, u.What)
	kinds := []checkpoint.Kind{checkpoint.TaskStarted, checkpoint.TaskDone, checkpoint.TaskFailed, checkpoint.TaskBlocked}
	if what.Event == checkpoint.RunPaused {
		kinds = []checkpoint.Kind{checkpoint.TaskStarted, checkpoint.SetupStarted, checkpoint.RunResumed}
	}
	for _, l := range checkpoint.Sorted(lines) {
		e := l.Event
		if l.Bad || !l.Ours || e.Seq <= u.What.Seq || !slices.Contains(kinds, e.Event) || checkpoint.IsUndone(lines, e.ID) {
			continue
		}
		if what.Event == checkpoint.RunPaused || isTaskChange(what) && changesTask(u, e.Task) {
			return e, true
		}
	}
	return checkpoint.Event{}, false
}
