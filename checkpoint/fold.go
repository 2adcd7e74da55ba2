package checkpoint

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/plan"
)

// Line is one stored line: its bytes, and the event if it can be read.
type Line struct {
	Text  string
	Event Event
	Bad   bool
	// Ours: this user wrote it in this clone, as its signature proves.
	Ours bool
}

// ParseLine reads one stored line; one that cannot be understood is kept as bad. Nothing is said about who wrote it.
func ParseLine(text string) Line {
	e, err := Decode([]byte(trimBlanks(text))) // equal lines are all readable, or none is
	return Line{Text: text, Event: e, Bad: err != nil}
}

// Docs are the plans that a journal carries, by their ids.
type Docs map[gitstate.OID][]byte

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
			l.Event = Event{Seq: l.Event.Seq, ID: l.Event.ID, At: l.Event.At, Event: Undone}
		}
		r.apply(l, docs)
	}
	r.listen(sorted)
	r.goOn(sorted)
	return r
}

// begins reports an event with which a run can begin.
func (k Kind) begins() bool { return k == RunStarted || k == RunAdopted || k == RunTaken }

// begin notes the line with which the run begins.
func (r *Run) begin(l Line) {
	r.Root, r.Rooted, r.Unsigned = l.Event.ID, l.Ours, l.Event.Mac == ""
}

// root finds the line with which the run begins, or gives -1.
// A second beginning changes nothing. One that was only put together from commits gives way to one that was recorded.
func root(sorted []Line) int {
	best, top := -1, -1
	for i, l := range sorted {
		if l.Bad || !l.Event.Event.begins() || l.Event.V > Version {
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

// Sorted puts lines in the order of the journal, equal ones once, unreadable ones last.
func Sorted(lines []Line) []Line {
	out := slices.SortedFunc(slices.Values(lines), func(a, b Line) int {
		return cmp.Or(
			boolCompare(a.Bad, b.Bad),
			cmp.Compare(a.Event.Seq, b.Event.Seq),
			cmp.Compare(a.Event.ID, b.Event.ID),
			cmp.Compare(a.words(), b.words()),
			cmp.Compare(a.Text, b.Text),
		)
	})
	return slices.CompactFunc(out, func(a, b Line) bool { return a.words() == b.words() })
}

// words are what makes two lines equal: blanks at the end come and go with editors.
func (l Line) words() string { return trimBlanks(l.Text) }

func trimBlanks(s string) string { return strings.TrimRight(s, " \t\r") }

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

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
	if e.Event.begins() && e.ID != r.Root && e.Event != RunTaken {
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
// whoever was given the brief. A tool that we started was waited for, and whatever is done about the work ends it.
func (r *Run) applyHanded(e Event) {
	switch e.Event {
	case RunClaimed, RunDriven, Snapshot, TreeReady:
	case RunResumed:
		r.HandedAt = time.Time{}
		if r.Source != "" && e.Name != ToTool {
			r.HandedAt = e.At
		}
	default:
		r.HandedAt = time.Time{}
	}
}

// ToTool is noted where a run is continued by a tool that the user has set.
const ToTool = "handoff"

// applySetup folds what concerns the preparation of the worktree; false if the event is not of that sort.
func (r *Run) applySetup(e Event) bool {
	switch e.Event {
	case SetupStarted:
		r.Setup = &Setup{State: Active, Attempt: e.Attempt}
		r.Paused, r.Cause = false, ""
	case SetupDone:
		r.Setup = &Setup{State: Done, Attempt: e.Attempt}
	case SetupFailed:
		r.Setup = &Setup{State: Failed, Attempt: e.Attempt, Cause: e.Cause, ExitCode: e.ExitCode}
	default:
		return false
	}
	return true
}

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
	out := *r
	out.Tasks, out.index = slices.Clone(r.Tasks), nil
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

// applyTask folds what concerns one task; false if the event is not of that sort.
func (r *Run) applyTask(e Event, seq int64) bool {
	if e.Task == "" {
		return false
	}
	t := r.Task(e.Task)
	if t == nil {
		t = r.add(Task{ID: e.Task, Title: e.Title, State: Pending})
	}
	if e.Event == TaskAdded {
		return true
	}
	if t.State == Done && !e.undoes(t) {
		if e.Event == TaskStarted {
			t.Attempts++
		}
		return isTaskEvent(e.Event)
	}
	ok := t.fold(e)
	if ok {
		t.LastSeq = seq
		if e.Event == TaskStarted || e.Event == TaskDone {
			r.Updating = nil // whoever works on it goes on with what is there
		}
		if e.Event == TaskStarted {
			r.Paused, r.Cause = false, ""
		}
	}
	return ok
}

// undoes reports whether an event may change a task that is done.
// A result stands until a reset names its attempt, or a newer result comes:
// what was told of the task elsewhere, before the journals were united, does not undo it.
func (e Event) undoes(t *Task) bool {
	return e.Event == TaskDone || e.Event == TaskReset && e.Attempt == t.Attempt
}

func isTaskEvent(k Kind) bool {
	switch k {
	case TaskStarted, TaskFailed, TaskBlocked, TaskAnswered, TaskSkipped, TaskReset:
		return true
	}
	return false
}

func (t *Task) fold(e Event) bool {
	switch e.Event {
	case TaskStarted:
		t.State, t.Attempt, t.FromHead, t.Started = Active, e.Attempt, e.Head, e.At
		t.Attempts++
		t.clearResult()
		t.Command, t.ByHand = e.Command, e.ByHand
		if e.DiffersSum != "" {
			t.Before = &Left{Differs: e.Differs, Sum: e.DiffersSum}
		}
	case TaskDone:
		t.clearResult()
		t.State, t.Attempt, t.Ended = Done, e.Attempt, e.At
		t.Commit, t.Tree, t.Patch, t.Found, t.Reason = e.Commit, e.Tree, e.Patch, e.Found, e.Text
		if e.Command != "" {
			t.Command = e.Command
		}
	case TaskFailed:
		t.State, t.Cause, t.ExitCode, t.Until, t.Reason, t.Ended = Failed, e.Cause, e.ExitCode, e.Until, e.Text, e.At
	case TaskBlocked:
		t.State, t.Question, t.Options, t.Answer, t.Ended = Blocked, e.Text, e.Options, "", e.At
	case TaskAnswered:
		t.Answer, t.State, t.Ended = e.Text, Pending, e.At
		if t.Asks {
			t.State, t.Attempt = Done, e.Attempt
		}
	case TaskSkipped:
		t.State, t.Reason, t.Ended = Skipped, e.Text, e.At
	case TaskReset:
		if t.Commit != "" {
			t.Undone = append(t.Undone, string(t.Tree), t.Patch)
		}
		t.clearResult()
		t.State, t.Attempt, t.Answer = Pending, "", ""
	default:
		return false
	}
	return true
}

func (t *Task) clearResult() {
	t.Commit, t.Tree, t.Patch, t.Found, t.Before, t.Stop, t.ByHand = "", "", "", false, nil, nil, nil
	t.Cause, t.ExitCode, t.Until, t.Reason = "", nil, "", ""
	if !t.Asks {
		t.Question, t.Options = "", nil
	}
}
