package checkpoint

import (
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/plan"
)

// These are the trailers of a run's commits.
const (
	TrailerRun   = "Resume-Run"
	TrailerTask  = "Resume-Task"
	TrailerState = "Resume-State"
)

// Partial is the value of TrailerState on a commit that does not complete its task.
const Partial = "partial"

// Evidence is a commit whose trailers name a run. If they also name a task, Task is that task.
type Evidence struct {
	Commit  object.Commit
	Run     RunID
	Task    TaskID
	Partial bool
}

// EvidenceOf returns one entry for each task of the run that the commit's trailers name. If they name the run but no task, the entry has
// no task.
func EvidenceOf(c object.Commit, id RunID) []Evidence {
	var out []Evidence
	for _, block := range paragraphs(c.Message) {
		e := Evidence{Commit: c}
		var tasks []TaskID
		for _, t := range gitstate.Trailers("subject\n\n" + block) {
			switch {
			case strings.EqualFold(t.Key, TrailerRun):
				e.Run = RunID(t.Value)
			case strings.EqualFold(t.Key, TrailerTask) && plan.IsTaskID(t.Value):
				tasks = append(tasks, TaskID(t.Value))
			case strings.EqualFold(t.Key, TrailerState):
				e.Partial = t.Value == Partial
			}
		}
		if e.Run != id {
			continue
		}
		if len(tasks) == 0 {
			out = append(out, e)
		}
		for _, e.Task = range tasks { // a squash has the trailers of all its tasks in one block
			out = append(out, e)
		}
	}
	return out
}

func paragraphs(message string) []string {
	return strings.Split(strings.ReplaceAll(message, "\r\n", "\n"), "\n\n")
}

// Include adds the results of unrecorded commits to the state, and marks their tasks as found.
func (r *Run) Include(landed []Evidence) {
	for _, e := range landed {
		t := r.Task(e.Task)
		if t == nil {
			t = r.add(Task{ID: e.Task, State: Pending})
		}
		t.State, t.Commit, t.Tree, t.Found, t.Ended = Done, e.Commit.ID, e.Commit.Tree, true, e.Commit.Committer.When
		r.LastAt = later(r.LastAt, e.Commit.Committer.When)
	}
}

// Rebuilt reconstructs a run from what was found in its commits. The list must not be empty, and must begin with the oldest commit.
func Rebuilt(id RunID, found []Evidence) *Run {
	first := found[0].Commit
	r := &Run{ID: id, Name: strings.TrimSuffix(string(id), "-"+id.Suffix()), Rebuilt: true, Lack: LackJournal, Started: first.Committer.When}
	if len(first.Parents) > 0 {
		r.Base.Commit = first.Parents[0]
	}
	for _, e := range found {
		if e.Task == "" { // this commit belongs to no task, for example because it merges the base into the run
			continue
		}
		if e.Partial {
			if r.Task(e.Task) == nil {
				r.add(Task{ID: e.Task, State: Active, Commit: e.Commit.ID, Found: true})
			}
			continue
		}
		r.Include([]Evidence{e})
	}
	last := found[len(found)-1].Commit
	r.Head, r.LastAt = last.ID, last.Committer.When
	return r
}
