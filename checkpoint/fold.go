package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/plan"
)

// Fold computes a run's state from lines in any order; duplicates do not matter. If the run was started or taken over here, other
// people's lines are counted and summarized, but do not change its tasks.
func Fold(id RunID, lines []Line, docs Docs) Run {
	sorted := Sorted(lines)
	r := Run{ID: id}
	if i := root(sorted); i >= 0 {
		r.begin(sorted[i])
	}
	undone, ends := undoneIDs(sorted, r.Rooted), endsOfLeases(sorted, r.Rooted)
	for _, l := range sorted {
		late := ends.late(l.Event)
		r.count(l, late)
		if l.Bad || late || r.Rooted && !l.Ours {
			continue
		}
		if undone[l.Event.ID] {
			l.Event = Event{Seq: l.Event.Seq, ID: l.Event.ID, At: l.Event.At, Event: Undone, Name: l.Event.Name}
		}
		r.apply(l, docs)
	}
	r.collectForeign(sorted)
	r.findNextNumber(sorted)
	return r
}

func (r *Run) begin(l Line) {
	r.Root, r.Rooted, r.Unsigned = l.Event.ID, l.Ours, l.Event.Mac == ""
}

// root returns the index of the line that starts the run, or -1. If several lines could start it, a line of our own wins.
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

// undoneIDs returns the ids of events that a later event undoes, if that later event is not undone itself. If the second argument is true,
// only our own lines can undo events.
func undoneIDs(sorted []Line, own bool) map[string]bool {
	out := map[string]bool{}
	for _, l := range slices.Backward(sorted) {
		if !l.Bad && (l.Ours || !own) && l.Event.Event == Undone && l.Event.Undoes != "" && !out[l.Event.ID] {
			out[l.Event.Undoes] = true
		}
	}
	return out
}

// IsUndone reports whether one of our lines undoes the line with this id, and was not undone itself.
func IsUndone(lines []Line, id string) bool { return undoneIDs(Sorted(lines), true)[id] }

// apply adds one line to the state. The lines must come in journal order.
func (r *Run) apply(l Line, docs Docs) {
	e := l.Event
	seq, _ := e.number()
	r.Seq = max(r.Seq, seq)
	r.LastAt, r.LastEvent = e.At, e.Event
	if e.V > Version {
		r.Unknown++ // the line is from a newer version, in which the fields may mean something else
		return
	}
	if e.Event.Begins() && e.ID != r.Root && e.Event != RunTaken {
		return // another start of the same run is ignored
	}
	// In a shared run that is not ours, only lines that record work set Head. Any other line may come from a clone without the lease, which
	// may have another HEAD.
	if e.Head != "" && (r.Rooted || !r.Share.leased() || e.IsWork()) {
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
	switch e.Event {
	case RunResumed, RunClaimed, Snapshot, TreeReady:
	case RunDriven:
		r.Resumed = r.Resumed && e.Actor == nil // without an actor, the event only releases the worker
	default:
		r.Resumed = false
	}
	r.applyLeft(e)
	r.applyVain(e)
	r.applyHanded(e)
	if e.Commit != "" && (e.Event == TaskDone || e.Event == Checkpoint) && (r.MergedTip == "" || !r.HasOwnBranch()) {
		r.Merged, r.MergedTip = "", "" // the event has a commit that is newer than the merge, and it is not known how far that merge went
	}
	var turns, shares, lends bool
	r.Turn, turns = e.turn(r.Turn)
	if e.Event == TurnStarted && e.Actor != nil && e.Actor.Clone != "" { // a report recorded it, and not a hook
		r.Agent = e.Actor
	}
	r.Share, shares = r.Share.with(l, r.Rooted)
	r.Lent, lends = r.Lent.with(e)
	if !turns && !shares && !lends && !r.applyRun(e, docs) && !r.applySetup(e) && !r.applyTask(e, seq) {
		r.Unknown++
	}
}

// applyRun applies events about the whole run. It returns false for an event that it does not know.
func (r *Run) applyRun(e Event, docs Docs) bool {
	switch e.Event {
	case RunStarted, RunAdopted:
		r.start(e, docs)
	case RunTaken:
		r.takeOver(e, docs)
	case RunClaimed:
		// The claim with the highest epoch wins. If two epochs are equal, the later line wins.
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
		if r.Begun() && !r.Paused && r.Cause == "" && !r.Resumed {
			r.Stops++ // count a stop, because the last worker disappeared without reporting one
		}
		r.Paused, r.Cause, r.Updating, r.Resumed = false, "", nil, true
	case RunUpdating:
		r.Updating = &Updating{How: e.Text, Head: e.Head}
		if e.Base != nil {
			r.Updating.Base = e.Base.Commit
		}
	case RunStopped:
		r.Stops++
		if !r.Paused { // a paused run keeps the reason that somebody gave for the pause
			r.Cause = e.Cause
		}
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
		r.Merged, r.MergedTip = e.Commit, e.Merged
	case TreeReady:
		r.Setup = nil // a new worktree must be set up again
	case PlaceReady, placeGone:
		r.Places = e.places(r.Places)
	case Checkpoint:
		if t := r.Task(e.Task); t != nil && e.Place != nil {
			t.Reported = t.Reported || e.Place.Done && t.State == Active && t.Place == e.Place.N && t.Attempt == e.Attempt
		}
	case Snapshot, Undone, RunActed, RunRenamed:
	default:
		return false
	}
	return true
}

// stopTask stores, in each active task, the state that the worktree had when the run stopped.
func (r *Run) stopTask(e Event) {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.State == Active {
			t.stop(e)
		}
	}
}

// The method "stop" stores the state that the worktree had when the attempt of the task was stopped or failed. It ignores an event without
// a tree. It also ignores an event with a text, because the text says that no snapshot could be made.
func (t *Task) stop(e Event) {
	if e.Tree != "" && e.Text == "" {
		t.Stop = &TaskStop{Tree: e.Tree, Saved: e.Saved}
	}
}

// applyLeft records the tree and the changed files of the worktree from the events that have them, for example TaskDone and Checkpoint.
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

// applyVain counts how often in a row the run was continued without progress. Events that happen at every start and stop, for example
// RunClaimed, are not progress.
func (r *Run) applyVain(e Event) {
	switch e.Event {
	case RunClaimed, RunDriven, RunStopped, RunTaken, RunAdopted, TreeReady, TaskStarted, Snapshot, TurnStarted, TurnEnded:
	case RunShared, RunUnshared, RunAccepted, RunLeased, RunReleased, RunParked, RunLent, RunReturned, PlaceReady, placeGone:
	case TaskAdded, TaskSkipped, TaskReset:
		if !e.Mirrored { // a mirrored event is not progress, because it only repeated an agent's own task list
			r.Fruitless = Fruitless{}
		}
	case RunActed:
		if e.Tree != "" || e.Commit != "" { // count only an action that changed files or commits as progress
			r.Fruitless = Fruitless{}
		}
	case RunResumed:
		if e.Standing == "" { // without a checksum of the state, we cannot know whether anything has changed
			r.Fruitless = Fruitless{}
			break
		}
		if e.Standing != r.Fruitless.Standing || e.Task != r.Fruitless.Task {
			r.Fruitless = Fruitless{Task: e.Task, Standing: e.Standing}
		}
		r.Fruitless.Times++
	default:
		r.Fruitless = Fruitless{}
	}
}

// applyHanded records when another system's work was handed to a person or an agent. A tool that git-resume started itself does not
// count, because git-resume waited until the tool ended.
func (r *Run) applyHanded(e Event) {
	switch e.Event {
	case RunClaimed, RunDriven, Snapshot, TreeReady, RunMerged, TurnStarted, TurnEnded:
	case RunShared, RunUnshared, RunAccepted, RunLeased, RunReleased, RunParked, RunLent, RunReturned, PlaceReady, placeGone:
	case RunActed:
		r.noteHanding(e)
	case Undone:
		if e.Undoes == "" { // Fold puts an Undone event without a value in Undoes in the place of each event that was undone
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

// noteHanding remembers the id of a file change that hands work over. If that change is undone later, the hand-over is undone too.
func (r *Run) noteHanding(e Event) {
	if slices.Contains([]string{"continue", "resume-agent", "respawn"}, e.Name) {
		r.handing = e.ID
	}
}

// ToTool is the value of the field Name in a RunResumed event that continued the run with a tool from the user's settings.
const ToTool = "handoff"

func (r *Run) drive(a *Actor) {
	r.Driver = a
	if a != nil && a.Session != "" {
		r.Agent = a
	}
}

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
	r.Jobs, r.KeepGoing = e.Jobs, e.KeepGoing
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

// replan switches to an edited plan, or does nothing if the plan cannot be read.
func (r *Run) replan(e Event, docs Docs) {
	p, err := plan.Decode(docs[e.Plan])
	if err != nil {
		return
	}
	r.follow(e, p)
}

// Following returns a copy of the run that follows another plan. The run itself does not change.
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

// Extend applies lines that were appended after r was computed. If it returns false, r is invalid, and Fold must read all lines.
func (r *Run) Extend(lines []Line, docs Docs) bool {
	for _, l := range Sorted(lines) {
		seq, known := l.Event.number()
		_, planned := docs[l.Event.Plan]
		if l.Bad || !known || seq <= r.Top || l.Ours != r.Rooted || l.Event.Plan != "" && !planned || l.Event.Event.changesOthers() {
			return false
		}
		if r.Foreign != nil && (l.Event.Plan != "" || l.Event.Task != "" && r.Task(l.Event.Task) == nil) {
			return false // a task is new here, and other people's lines may name it already, so Fold must read all lines
		}
		late := r.Share != nil && r.Share.Ended.late(l.Event)
		r.count(l, late)
		if r.Seq = max(r.Seq, seq); !late {
			r.apply(l, docs)
		}
	}
	return true
}
