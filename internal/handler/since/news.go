package since

import (
	"strconv"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
)

// MaxCommits is how many of the newest commits a report names for each run.
const MaxCommits = 5

// News says what happened to one run.
type News struct {
	Summary candidate.Summary
	// Auto lists each time the run was continued without asking anybody.
	Auto []AutoStep
	// Done, Failed, Asked, Answered and Skipped are the events of tasks, in the order of the journal. Failed also has failed setups.
	Done, Failed, Asked, Answered, Skipped []checkpoint.Event
	// Changes are the other events that people want to know, such as a pause, a merge or an undo.
	Changes []checkpoint.Event
	// Commits are the newest of the new commits on the branch, oldest first. Count is the number of all new commits, at most 1000.
	Commits []object.Commit
	Count   int
	// Activity is true if another system, which keeps no journal here, showed activity.
	Activity bool
	// Damaged is true if the journal cannot be read, or the state of the other system from which the run was adopted.
	Damaged bool
	// Origin returns the original change that an undo or a redo is about. It also counts the undos since that change: the number is odd
	// for an undo, and even for a redo.
	Origin func(checkpoint.Event) (checkpoint.Event, int)

	top int64
	tip object.ID
}

// AutoStep is one time that "git resume --auto" continued a run: why, and what came of it.
type AutoStep struct {
	Resumed             checkpoint.Event
	Done, Failed, Asked []checkpoint.TaskID
}

// Empty reports whether nothing happened.
func (n *News) Empty() bool {
	return len(n.Auto)+len(n.Done)+len(n.Failed)+len(n.Asked)+len(n.Answered)+len(n.Skipped)+len(n.Changes)+n.Count == 0 && !n.Activity && !n.Damaged
}

// collect puts the new lines of a journal into the lists for their kinds of events.
func (n *News) collect(lines []checkpoint.Line, isNew func(checkpoint.Line, int64) bool) {
	n.Origin = candidate.Origins(lines)
	var auto *AutoStep
	for _, l := range lines {
		if l.Bad {
			continue
		}
		seq, _ := strconv.ParseInt(l.Event.Seq, 10, 64)
		if l.Ours || !n.Summary.Run.Ours() {
			n.top = max(n.top, seq)
		}
		if l.Event.Event == checkpoint.RunResumed {
			auto = nil
		}
		if !isNew(l, seq) {
			continue
		}
		if l.Event.Event == checkpoint.RunResumed && l.Event.Text == string(assess.Auto) {
			n.Auto = append(n.Auto, AutoStep{Resumed: l.Event})
			auto = &n.Auto[len(n.Auto)-1]
			continue
		}
		n.add(l.Event, auto)
	}
}

// add puts one event into the list for its kind. The argument "auto" is the step that the event belongs to, or nil.
func (n *News) add(e checkpoint.Event, auto *AutoStep) {
	if auto == nil {
		auto = &AutoStep{}
	}
	switch e.Event {
	case checkpoint.TaskDone:
		n.Done, auto.Done = append(n.Done, e), append(auto.Done, e.Task)
	case checkpoint.TaskFailed, checkpoint.SetupFailed:
		n.Failed, auto.Failed = append(n.Failed, e), append(auto.Failed, e.Task)
	case checkpoint.TaskBlocked:
		n.Asked, auto.Asked = append(n.Asked, e), append(auto.Asked, e.Task)
	case checkpoint.TaskAnswered:
		n.Answered = append(n.Answered, e)
	case checkpoint.TaskSkipped:
		n.Skipped = append(n.Skipped, e)
	case checkpoint.RunStarted, checkpoint.RunAdopted, checkpoint.RunTaken, checkpoint.RunPaused, checkpoint.RunStopped, checkpoint.RunFinished,
		checkpoint.RunSuperseded, checkpoint.RunMerged, checkpoint.RunDiscarded, checkpoint.RunRestored, checkpoint.RunPlanned, checkpoint.RunUpdating,
		checkpoint.RunActed, checkpoint.TaskAdded, checkpoint.TaskReset, checkpoint.Undone:
		n.Changes = append(n.Changes, e)
	}
}
