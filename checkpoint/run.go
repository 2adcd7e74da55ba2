package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// TaskState is where a task stands.
type TaskState string

// The states of a task.
const (
	Pending TaskState = "pending"
	Active  TaskState = "active"
	Done    TaskState = "done"
	Failed  TaskState = "failed"
	Blocked TaskState = "blocked"
	Skipped TaskState = "skipped"
)

// Closed reports whether nothing is left to do for a task in this state.
func (s TaskState) Closed() bool { return s == Done || s == Skipped }

// Task is one unit of a run as the journal knows it.
type Task struct {
	ID       TaskID    `json:"id"`
	Title    string    `json:"title,omitempty"`
	State    TaskState `json:"state"`
	Attempt  string    `json:"attempt,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	Tree     object.ID `json:"tree,omitempty"`
	Patch    string    `json:"patch,omitempty"`
	// Found: the result comes from a commit that the journal does not know, or did not know at first.
	Found    bool      `json:"found,omitempty"`
	FromHead object.ID `json:"from_head,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	// Command is the hash of the command text that the last attempt ran.
	Command string `json:"command,omitempty"`
	// Before is how the files that the task names were when the last attempt began.
	Before *Left `json:"before,omitempty"`
	// Stop is how the worktree was when the attempt was stopped and that was seen; ByHand is what was there before it and is not its own.
	Stop     *TaskStop         `json:"stop,omitempty"`
	ByHand   map[string]string `json:"by_hand,omitempty"`
	Cause    string            `json:"cause,omitempty"`
	ExitCode *int              `json:"exit_code,omitempty"`
	Until    string            `json:"until,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Question string            `json:"question,omitempty"`
	Options  []string          `json:"options,omitempty"`
	Answer   string            `json:"answer,omitempty"`
	// Asks: the plan's task is the question itself, so that its answer completes it.
	Asks bool `json:"asks,omitempty"`
	// Undone are the trees and patches of results that were reset: found again, they are no result.
	Undone []string `json:"undone,omitempty"`
	// Optional: it never keeps a run from being finished.
	Optional bool `json:"optional,omitempty"`
	// LastSeq is the event that set the state.
	LastSeq int64 `json:"last_seq,omitempty"`
}

// Run is one long job as its journal tells it: the fold over its lines.
type Run struct {
	ID       RunID     `json:"id"`
	Name     string    `json:"name"`
	Base     Base      `json:"base"`
	Branch   refs.Name `json:"branch,omitempty"`
	Worktree string    `json:"worktree,omitempty"`
	Admin    string    `json:"admin,omitempty"`
	Here     bool      `json:"here,omitempty"`
	Take     string    `json:"take,omitempty"`
	Plan     object.ID `json:"plan,omitempty"`
	PlanFile string    `json:"plan_file,omitempty"`
	PlanHash object.ID `json:"plan_hash,omitempty"`
	Planned  int       `json:"planned,omitempty"`
	// Source and SourceID name the work of another system that this run stands for; a run of our own has none.
	Source   string `json:"source,omitempty"`
	SourceID string `json:"source_id,omitempty"`
	Tasks    []Task `json:"tasks"`

	// Mode is how much is asked when the run is continued, as said at its start; empty if nothing was.
	Mode string `json:"mode,omitempty"`

	Started   time.Time `json:"started"`
	LastAt    time.Time `json:"last_at"`
	LastEvent Kind      `json:"last_event,omitempty"`
	// Head and BaseTip are as at the last event: the interruption commit, and the base as it was then.
	Head    object.ID `json:"head,omitempty"`
	BaseTip object.ID `json:"base_tip,omitempty"`
	Cause   string    `json:"cause,omitempty"`
	Stops   int       `json:"stops,omitempty"`

	// Left is how the last recorded task left the worktree; Setup is how the preparation of the worktree went.
	Left  Left   `json:"left,omitzero"`
	Setup *Setup `json:"setup,omitempty"`

	// Updating is set while it is not recorded how taking the base in has ended.
	Updating *Updating `json:"updating,omitempty"`

	Paused    bool `json:"paused,omitempty"`
	Finished  bool `json:"finished,omitempty"`
	Discarded bool `json:"discarded,omitempty"`
	// Superseded names the run that took its place; Merged is the commit by which all of it went into its base.
	Superseded string    `json:"superseded,omitempty"`
	Merged     object.ID `json:"merged,omitempty"`

	// Epoch and Nonce name the newest claim: only that owner may append.
	Epoch  int    `json:"epoch,omitempty"`
	Nonce  string `json:"nonce,omitempty"`
	Owner  *Actor `json:"owner,omitempty"`
	Driver *Actor `json:"driver,omitempty"`
	// Agent is the last driver that named its session: its own program can take that up again.
	Agent *Actor `json:"agent,omitempty"`

	// Root is the line with which the run begins. Rooted: it is one of ours, so that only our own lines make this state.
	Root   string `json:"root,omitempty"`
	Rooted bool   `json:"rooted,omitempty"`
	// Own are our own lines and Others those of everybody else, Heard is what these say,
	// and Agreed that of it which a person here went on with.
	Own    LineSet `json:"own,omitzero"`
	Others LineSet `json:"others,omitzero"`
	Heard  *Heard  `json:"heard,omitempty"`
	Agreed string  `json:"agreed,omitempty"`
	// Accepted is the commit of the run's branch that was shown when it was taken over.
	Accepted object.ID `json:"accepted,omitempty"`
	// Lack says why the run is not ours; it depends on files of this clone, and is not part of the stored state.
	Lack Lack `json:"-"`
	// Unsigned: the line with which it begins has no signature at all.
	Unsigned bool `json:"unsigned,omitempty"`

	// Seq is the number behind which the next line goes on, Top the highest of any line, written at TopAt.
	Seq     int64     `json:"seq"`
	Top     int64     `json:"top,omitempty"`
	TopAt   time.Time `json:"top_at,omitzero"`
	topOurs bool
	Events  int `json:"events"`
	// Unreadable counts lines that could not be understood; they are kept.
	Unreadable int `json:"unreadable,omitempty"`
	// Diverged: two places numbered their events alike, so the run was worked on in both.
	Diverged bool `json:"diverged,omitempty"`
	// Rebuilt: there was no journal, or not all of it; the state comes from trailers.
	Rebuilt bool `json:"rebuilt,omitempty"`
	Unknown int  `json:"unknown_events,omitempty"`

	// Vain counts how often the run was continued up to now although nothing came of it.
	Vain Vain `json:"vain,omitzero"`

	// HandedAt is when another system's work was last given to somebody by its brief; zero if that was taken back, or is over.
	// HandedTask is the task at which it stood then.
	HandedAt   time.Time `json:"handed_at,omitzero"`
	HandedTask TaskID    `json:"handed_task,omitempty"`
	// handing and handedBy are the changes that went with a hand-over to come, and with the last one.
	handing, handedBy string

	// Point, where set, is the task at which another system's own state says that the work stands.
	Point TaskID `json:"-"`

	index map[TaskID]int
}

// Vain is how often a run was continued at one task, standing where it stood before, with no other record between.
type Vain struct {
	Task     TaskID `json:"task,omitempty"`
	Standing string `json:"standing,omitempty"`
	Times    int    `json:"times,omitempty"`
}

// Task finds a task by its id, or gives nil.
func (r *Run) Task(id TaskID) *Task {
	if len(r.index) != len(r.Tasks) {
		r.index = make(map[TaskID]int, len(r.Tasks))
		for i, t := range r.Tasks {
			r.index[t.ID] = i
		}
	}
	if i, ok := r.index[id]; ok {
		return &r.Tasks[i]
	}
	return nil
}

// Copy is a run that can be changed without changing this one.
func (r *Run) Copy() Run {
	out := *r
	out.Tasks, out.index = slices.Clone(r.Tasks), nil
	return out
}

// add puts a task at the end of the list.
func (r *Run) add(t Task) *Task {
	r.Tasks = append(r.Tasks, t)
	if r.index != nil {
		r.index[t.ID] = len(r.Tasks) - 1
	}
	return &r.Tasks[len(r.Tasks)-1]
}

// Closed reports whether the run is over.
func (r *Run) Closed() bool { return r.Finished || r.Discarded }

// Left is a state of the worktree: a tree, and those files named by the plan that are not as the tree has them.
type Left struct {
	Tree    object.ID         `json:"tree,omitempty"`
	Differs map[string]string `json:"differs,omitempty"`
	// Sum stands for Differs; it is empty if nobody looked.
	Sum string `json:"sum,omitempty"`
}

// IsZero reports that nothing is known.
func (l Left) IsZero() bool { return l.Tree == "" && l.Sum == "" }

// TaskStop is a worktree as a task left it that was stopped: the tree of its HEAD, and the snapshot of what was uncommitted, if anything was.
type TaskStop struct {
	Tree  object.ID `json:"tree"`
	Saved object.ID `json:"saved,omitempty"`
}

// Updating is an attempt to take the base into a run: how, from where, and which commit of the base.
type Updating struct {
	How  string    `json:"how"`
	Head object.ID `json:"head,omitempty"`
	Base object.ID `json:"base,omitempty"`
}

// Setup is the preparation of a new worktree, which comes before the first task.
type Setup struct {
	State    TaskState `json:"state"`
	Attempt  string    `json:"attempt,omitempty"`
	Cause    string    `json:"cause,omitempty"`
	ExitCode *int      `json:"exit_code,omitempty"`
}

// Begun reports whether anything was ever reported of a task; boxes that the plan had ticked do not count.
func (r *Run) Begun() bool {
	if r.Setup != nil {
		return true
	}
	for _, t := range r.Tasks {
		if t.LastSeq > 0 || t.Found {
			return true
		}
	}
	return false
}

// Current is the position (from 1) of the task at which the run stands, and the task:
// the one active, else the one that needs somebody, else the first open one. It is 0 when all are closed.
func (r *Run) Current() (int, *Task) {
	if i := slices.IndexFunc(r.Tasks, func(t Task) bool { return t.ID == r.Point }); i >= 0 && r.Point != "" {
		return i + 1, &r.Tasks[i]
	}
	rank := map[TaskState]int{Active: 4, Blocked: 3, Failed: 2, Pending: 1}
	best, at := 0, 0
	for i, t := range r.Tasks {
		if n := rank[t.State]; n > best {
			best, at = n, i+1
		}
	}
	if at == 0 {
		return 0, nil
	}
	return at, &r.Tasks[at-1]
}

// Question is the first task that waits for an answer, or nil.
// A question that stands in the plan waits once the run has come to it.
func (r *Run) Question() *Task {
	for i := range r.Tasks {
		if t := &r.Tasks[i]; t.State == Blocked && t.Question != "" {
			return t
		}
	}
	if _, t := r.Current(); t != nil && t.State == Pending && t.Asks {
		return t
	}
	return nil
}

// AllClosed reports whether a run with a plan has nothing left to do.
func (r *Run) AllClosed() bool {
	if r.Planned == 0 {
		return false
	}
	for _, t := range r.Tasks {
		if !t.State.Closed() && !(t.Optional && t.State == Pending) {
			return false
		}
	}
	return true
}
