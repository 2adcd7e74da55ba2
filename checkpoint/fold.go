package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/plan"
)

// Fold gives the state that a set of lines means.
// It depends on the set alone: neither on the order in which lines were found nor on repeats.
//
// Where the run was started or taken over here, only our own lines make its state; what others say is heard (Run.Heard).
// Everywhere else all lines are testimony alike, and the run is not rooted: nobody here has agreed to any of it.
func Fold(id RunID, lines []Line, docs Docs) Run {
	sorted := Sorted(lines)
	r := Run{ID: id}
	if i := root(sorted); i >= 0 {
		r.begin(sorted[i])
	}
	undone := undoneIDs(sorted, r.Rooted)
	for _, l := range sorted {
		r.count(l)
		if l.Bad || r.Rooted && !l.Ours {
			continue
		}
		if undone[l.Event.ID] {
			l.Event = Event{Seq: l.Event.Seq, ID: l.Event.ID, At: l.Event.At, Event: Undone, Name: l.Event.Name}
		}
		r.apply(l, docs)
	}
	r.listen(sorted)
	r.goOn(sorted)
	return r
}

// begin notes the line with which the run begins.
func (r *Run) begin(l Line) {
	r.Root, r.Rooted, r.Unsigned = l.Event.ID, l.Ours, l.Event.Mac == ""
}

// root finds the line with which the run begins, or gives -1.
// A second beginning changes nothing. One that was only put together from commits gives way to one that was recorded.
func root(sorted []Line) int {
	best, top := -1, -1
	for i, l := range sorted {
		if l.Bad || !l.Event.Event.Begins() || l.Event.V > Version {
			continue
		}
		rank := 0
		if !l.Event.Found {
			rank++
		}
		if l.Event.Event != RunTaken {
			rank++
		}
		if l.Ours {
			rank += 10
		}
		if rank > top {
			best, top = i, rank
		}
	}
	return best
}

// undoneIDs are the events that a later line takes back; a line that takes back such a line gives them their word again.
// Of a run of ours only our own lines do so.
func undoneIDs(sorted []Line, own bool) map[string]bool {
	out := map[string]bool{}
	for _, l := range slices.Backward(sorted) {
		if !l.Bad && (l.Ours || !own) && l.Event.Event == Undone && l.Event.Undoes != "" && !out[l.Event.ID] {
			out[l.Event.Undoes] = true
		}
	}
	return out
}

// IsUndone reports whether a line of ours was taken back.
func IsUndone(lines []Line, id string) bool { return undoneIDs(Sorted(lines), true)[id] }

// count notes that a line is there, whoever wrote it; lines come in journal order.
func (r *Run) count(l Line) {
	if l.Bad {
		r.Unreadable++
		return
	}
	seq, _ := l.Event.number()
	if r.Events > 0 && seq == r.Top {
		r.Diverged = r.Diverged || !r.Rooted || l.Ours && r.topOurs
	}
	r.topOurs = l.Ours || seq == r.Top && r.topOurs
	r.Top, r.TopAt = seq, l.Event.At
	r.Events++
	if l.Ours {
		r.Own.add(l, seq)
	} else {
		r.Others.add(l, seq)
	}
}

// apply adds one line to the state; lines come in journal order.
func (r *Run) apply(l Line, docs Docs) {
	e := l.Event
	seq, _ := e.number()
	r.Seq = max(r.Seq, seq)
	r.LastAt, r.LastEvent = e.At, e.Event
	if e.V > Version {
		r.Unknown++ // its words may mean something else
		return
	}
	if e.Event.Begins() && e.ID != r.Root && e.Event != RunTaken {
		return // a run begins once
	}
	if e.Head != "" {
		r.Head = e.Head
	}
	if e.BaseTip != "" {
		r.BaseTip = e.BaseTip
	}
	if e.Branch != "" {
		r.Branch = e.Branch
	}
	if e.Worktree != "" {
		r.Worktree = e.Worktree
	}
	if e.Admin != "" {
		r.Admin = e.Admin
	}
	if e.Heard != "" {
		r.Agreed = e.Heard
	}
	r.applyLeft(e)
	r.applyVain(e)
	r.applyHanded(e)
	if e.Commit != "" && (e.Event == TaskDone || e.Event == Checkpoint) {
		r.Merged = "" // merged early: there is more of it now
	}
	if !r.applyRun(e, docs) && !r.applySetup(e) && !r.applyTask(e, seq) {
		r.Unknown++
	}
}

// applyRun folds what concerns the whole run; false if the event is not of that sort.
func (r *Run) applyRun(e Event, docs Docs) bool {
	switch e.Event {
	case RunStarted, RunAdopted:
		r.start(e, docs)
	case RunTaken:
		r.takeOver(e, docs)
	case RunClaimed:
		// The highest epoch is the owner; of two equal ones the later line, as every reader sorts alike.
		if e.Epoch >= r.Epoch {
			r.Epoch, r.Owner = e.Epoch, e.Actor
			r.Nonce = ""
			if e.Actor != nil {
				r.Nonce = e.Actor.Nonce
			}
		}
	case RunDriven:
		r.drive(e.Actor)
	case RunPaused:
		r.Paused, r.Cause = true, e.Text
	case RunResumed:
		if r.Begun() && !r.Paused && r.Cause == "" {
			r.Stops++ // whoever worked on it was gone without a word
		}
		r.Paused, r.Cause, r.Updating = false, "", nil
	case RunUpdating:
		r.Updating = &Updating{How: e.Text, Head: e.Head}
		if e.Base != nil {
			r.Updating.Base = e.Base.Commit
		}
	case RunStopped:
		r.Stops++
		r.Cause = e.Cause
		r.stopTask(e)
	case RunFinished:
		r.Finished, r.Paused = true, false
	case RunDiscarded:
		r.Discarded = true
	case RunRestored:
		r.Discarded = false
	case RunPlanned:
		r.replan(e, docs)
	case RunSuperseded:
		r.Finished, r.Superseded = true, e.Text
	case RunMerged:
		r.Merged = e.Commit
	case TreeReady:
		r.Setup = nil // a new tree wants its own
	case Checkpoint, Snapshot, Undone, RunActed, RunRenamed:
	default:
		return false
	}
	return true
}

// stopTask notes how the worktree was when the task was stopped. A text says that it could not be seen, or not saved.
func (r *Run) stopTask(e Event) {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.State == Active && e.Tree != "" && e.Text == "" {
			t.Stop = &TaskStop{Tree: e.Tree, Saved: e.Saved}
		}
	}
}

// applyLeft follows how the worktree was left: whoever reports a task's end or makes a commit says so.
func (r *Run) applyLeft(e Event) {
	switch e.Event {
	case TaskDone, TaskFailed, RunStopped, Checkpoint, RunResumed:
		if e.Tree != "" {
			r.Left.Tree = e.Tree
		}
		if e.DiffersSum != "" {
			r.Left.Differs, r.Left.Sum = e.Differs, e.DiffersSum
		}
	}
}

// applyVain counts how often the run was continued in vain: what it records of itself when it begins and stops is no progress.
func (r *Run) applyVain(e Event) {
	switch e.Event {
	case RunClaimed, RunDriven, RunStopped, RunTaken, RunAdopted, TreeReady, TaskStarted, Snapshot:
	case RunActed:
		if e.Tree != "" || e.Commit != "" { // a hand-over that changed no file is no progress
			r.Vain = Vain{}
		}
	case RunResumed:
		if e.Standing == "" { // nobody looked
			r.Vain = Vain{}
			break
		}
		if e.Standing != r.Vain.Standing || e.Task != r.Vain.Task {
			r.Vain = Vain{Task: e.Task, Standing: e.Standing}
		}
		r.Vain.Times++
	default:
		r.Vain = Vain{}
	}
}

// applyHanded follows since when another system's work is in the hands of somebody whom nothing else here knows:
// whoever was given the brief. A tool that we started was waited for. What a person does about the work beside it, and the undo
// of that, tells nothing of whoever was given the brief; only who takes the hand-over itself back says that nobody has it.
func (r *Run) applyHanded(e Event) {
	switch e.Event {
	case RunClaimed, RunDriven, Snapshot, TreeReady, RunMerged:
	case RunActed:
		r.noteHanding(e)
	case Undone:
		if e.Undoes == "" { // the act itself, where it was taken back
			r.noteHanding(e)
		} else if e.Undoes == r.handedBy {
			r.HandedAt = time.Time{}
		}
	case RunResumed:
		r.HandedAt = time.Time{}
		if r.Source != "" && e.Name != ToTool {
			r.HandedAt, r.HandedTask = e.At, e.Task
		}
		r.handedBy, r.handing = r.handing, ""
	default:
		r.HandedAt = time.Time{}
	}
}

// noteHanding remembers the change of a system's files that goes with a hand-over; its undo takes that back.
func (r *Run) noteHanding(e Event) {
	if slices.Contains([]string{"continue", "resume-agent", "respawn"}, e.Name) {
		r.handing = e.ID
	}
}

// ToTool is noted where a run is continued by a tool that the user has set.
const ToTool = "handoff"

func (r *Run) drive(a *Actor) {
	r.Driver = a
	if a != nil && a.Session != "" {
		r.Agent = a
	}
}

// takeOver begins a run that others began, as far as the line itself says; of a run that was ours already it changes what is named.
// Nothing that others wrote before becomes ours by it.
func (r *Run) takeOver(e Event, docs Docs) {
	r.Accepted = e.Head
	if e.ID == r.Root {
		r.start(e, docs)
		return
	}
	if e.Base != nil {
		r.Base = *e.Base
	}
	if e.Plan != "" && e.Plan != r.Plan {
		r.replan(e, docs)
	}
}

func (r *Run) start(e Event, docs Docs) {
	r.Name, r.Started, r.Here, r.Mode = e.Name, e.At, e.Here, e.Text
	r.Plan, r.PlanFile, r.PlanHash = e.Plan, e.PlanFile, e.PlanHash
	r.Source, r.SourceID, r.Take = e.Source, e.SourceID, e.Take
	if e.Base != nil {
		r.Base = *e.Base
	}
	if e.Actor != nil {
		r.drive(e.Actor)
	}
	p, err := plan.Decode(docs[e.Plan])
	if err != nil {
		return
	}
	for _, t := range p.Tasks {
		r.addPlanned(t, e)
	}
	r.Planned = len(p.Tasks)
}

// replan adopts an edited plan: tasks that it still names keep their history,
// those that it dropped go unless something was reported of them.
func (r *Run) replan(e Event, docs Docs) {
	p, err := plan.Decode(docs[e.Plan])
	if err != nil {
		return
	}
	r.follow(e, p)
}

// Following is the run as it would be if it followed another plan; the run itself stays as it is.
func (r *Run) Following(e Event, p plan.Plan) Run {
	out := r.Copy()
	out.follow(e, p)
	return out
}

func (r *Run) follow(e Event, p plan.Plan) {
	r.Plan, r.PlanFile, r.PlanHash, r.Planned = e.Plan, e.PlanFile, e.PlanHash, len(p.Tasks)
	old := r.Tasks
	had := map[TaskID]Task{}
	for _, t := range old {
		had[t.ID] = t
	}
	r.Tasks, r.index = nil, nil
	for _, t := range p.Tasks {
		r.addPlanned(t, e)
		if before, ok := had[TaskID(t.ID)]; ok && before.LastSeq > 0 {
			before.Title = t.Title
			*r.Task(before.ID) = before
		}
	}
	for _, t := range old {
		if r.Task(t.ID) == nil && t.LastSeq > 0 {
			r.add(t)
		}
	}
}

func (r *Run) addPlanned(t plan.Task, e Event) {
	if r.Task(TaskID(t.ID)) != nil {
		return
	}
	task := Task{ID: TaskID(t.ID), Title: t.Title, State: Pending, Optional: t.Optional}
	if t.Ask != "" {
		task.Question, task.Options, task.Asks = t.Ask, t.Options, true
	}
	if t.Done {
		task.State, task.Ended = Done, e.At
	}
	r.add(task)
}

// Extend folds lines that were appended to the ones already folded.
// It refuses, and the run is spoilt, where only the whole set of lines says what they mean.
func (r *Run) Extend(lines []Line, docs Docs) bool {
	for _, l := range Sorted(lines) {
		seq, known := l.Event.number()
		_, planned := docs[l.Event.Plan]
		if l.Bad || !known || seq <= r.Top || l.Ours != r.Rooted || l.Event.Event == Undone || l.Event.Event.Begins() || l.Event.Plan != "" && !planned {
			return false
		}
		if r.Heard != nil && (l.Event.Plan != "" || l.Event.Task != "" && r.Task(l.Event.Task) == nil) {
			return false // others may have spoken of a task before we knew it
		}
		r.count(l)
		r.apply(l, docs)
	}
	return true
}
