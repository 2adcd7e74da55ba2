package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// TaskState says how far a task has come.
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

// Task is one unit of a run as the journal records it.
type Task struct {
	ID       TaskID    `json:"id"`
	Title    string    `json:"title,omitempty"`
	State    TaskState `json:"state"`
	Attempt  string    `json:"attempt,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	Tree     object.ID `json:"tree,omitempty"`
	Patch    string    `json:"patch,omitempty"`
	// Found is true if the result comes from a commit that the journal does not know, or did not know at first.
	Found    bool      `json:"found,omitempty"`
	FromHead object.ID `json:"from_head,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	// Command is the hash of the command text that the last attempt ran.
	Command string `json:"command,omitempty"`
	// Before is the state of the files named by the task when the last attempt started.
	Before *WorktreeState `json:"before,omitempty"`
	// Stop is the worktree when the attempt was stopped, if that could be seen; ByHand holds files that were changed before the attempt and
	// are not its own.
	Stop     *TaskStop         `json:"stop,omitempty"`
	ByHand   map[string]string `json:"by_hand,omitempty"`
	Cause    string            `json:"cause,omitempty"`
	ExitCode *int              `json:"exit_code,omitempty"`
	Until    string            `json:"until,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Question string            `json:"question,omitempty"`
	Options  []string          `json:"options,omitempty"`
	Answer   string            `json:"answer,omitempty"`
	// Asks is true if the plan's task is itself the question, so that an answer completes it.
	Asks bool `json:"asks,omitempty"`
	// Undone holds the trees and patches of results that were reset: if found again, they do not count as results.
	Undone []string `json:"undone,omitempty"`
	// Optional is true if a run can be finished without this task.
	Optional bool `json:"optional,omitempty"`
	// LastSeq is the number of the event that set the state.
	LastSeq int64 `json:"last_seq,omitempty"`
}

// Run is one long job as its journal describes it: the fold over its lines.
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
	// Source and SourceID name another system's work that this run represents; they are empty for a run of our own.
	Source   string `json:"source,omitempty"`
	SourceID string `json:"source_id,omitempty"`
	Tasks    []Task `json:"tasks"`

	// Mode says how much to ask when the run is continued, as chosen at its start; it is empty if nothing was chosen.
	Mode string `json:"mode,omitempty"`

	Started   time.Time `json:"started"`
	LastAt    time.Time `json:"last_at"`
	LastEvent Kind      `json:"last_event,omitempty"`
	// Head and BaseTip are as of the last event: the commit at which the run was interrupted, and the tip of the base at that time.
	Head    object.ID `json:"head,omitempty"`
	BaseTip object.ID `json:"base_tip,omitempty"`
	Cause   string    `json:"cause,omitempty"`
	Stops   int       `json:"stops,omitempty"`

	// WorktreeState is the state in which the last recorded task left the worktree; Setup says how the preparation of the worktree went.
	Left  WorktreeState `json:"left,omitzero"`
	Setup *Setup        `json:"setup,omitempty"`

	// Updating is set from before the run is merged with its base or rebased onto it until the outcome is recorded.
	Updating *Updating `json:"updating,omitempty"`

	Paused    bool `json:"paused,omitempty"`
	Finished  bool `json:"finished,omitempty"`
	Discarded bool `json:"discarded,omitempty"`
	// Superseded names the run that replaced this one; Merged is the commit with which all of this run was merged into its base.
	Superseded string    `json:"superseded,omitempty"`
	Merged     object.ID `json:"merged,omitempty"`

	// Epoch and Nonce identify the newest claim: only that owner may append.
	Epoch  int    `json:"epoch,omitempty"`
	Nonce  string `json:"nonce,omitempty"`
	Owner  *Actor `json:"owner,omitempty"`
	Driver *Actor `json:"driver,omitempty"`
	// Agent is the last driver that named its session; its own program can continue that session.
	Agent *Actor `json:"agent,omitempty"`

	// Root is the id of the line with which the run starts. Rooted is true if we wrote that line; then only our own lines make this state.
	Root   string `json:"root,omitempty"`
	Rooted bool   `json:"rooted,omitempty"`
	// Own is the set of our own lines, and Others the set of all other lines. Heard is what those others say,
	// and Agreed identifies the part of it after which a person here continued.
	Own     LineSet       `json:"own,omitzero"`
	Others  LineSet       `json:"others,omitzero"`
	Foreign *ForeignLines `json:"heard,omitempty"`
	Agreed  string        `json:"agreed,omitempty"`
	// Accepted is the commit of the run's branch that was shown when the run was taken over.
	Accepted object.ID `json:"accepted,omitempty"`
	// ProvenanceGap says why the run is not ours; it depends on files of this clone and is not part of the stored state.
	Lack ProvenanceGap `json:"-"`
	// Unsigned is true if the line with which the run starts has no signature at all.
	Unsigned bool `json:"unsigned,omitempty"`

	// Seq is the number after which the next line continues; Top is the highest number of any line, and TopAt that line's time.
	Seq     int64     `json:"seq"`
	Top     int64     `json:"top,omitempty"`
	TopAt   time.Time `json:"top_at,omitzero"`
	topOurs bool
	Events  int `json:"events"`
	// Unreadable counts the lines that could not be read; they are kept.
	Unreadable int `json:"unreadable,omitempty"`
	// Diverged is true if two places gave the same number to different events, which means that both worked on the run.
	Diverged bool `json:"diverged,omitempty"`
	// Rebuilt is true if the journal was missing or incomplete, so that the state comes from trailers.
	Rebuilt bool `json:"rebuilt,omitempty"`
	Unknown int  `json:"unknown_events,omitempty"`

	// Fruitless counts how often the run was continued recently without any progress.
	Fruitless Fruitless `json:"vain,omitzero"`

	// HandedAt is when another system's work was last handed to somebody with its brief; it is zero if that was undone or is over.
	// HandedTask is the task at which the work was then.
	HandedAt   time.Time `json:"handed_at,omitzero"`
	HandedTask TaskID    `json:"handed_task,omitempty"`
	// handing and handedBy are the ids of the changes that belong to a coming hand-over and to the last one.
	handing, handedBy string

	// Point, if set, is the task at which the work is according to the other system's own state.
	Point TaskID `json:"-"`

	index map[TaskID]int
}

// Fruitless counts how often a run was continued at the same task, in the same state as before, with no other record in between.
type Fruitless struct {
	Task     TaskID `json:"task,omitempty"`
	Standing string `json:"standing,omitempty"`
	Times    int    `json:"times,omitempty"`
}

// Task finds a task by its id, or returns nil.
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

// Copy returns a run that can be changed without changing this one.
func (r *Run) Copy() Run {
	out := *r
	out.Tasks, out.index = slices.Clone(r.Tasks), nil
	return out
}

// add appends a task to the list.
func (r *Run) add(t Task) *Task {
	r.Tasks = append(r.Tasks, t)
	if r.index != nil {
		r.index[t.ID] = len(r.Tasks) - 1
	}
	return &r.Tasks[len(r.Tasks)-1]
}

// Closed reports whether the run is over.
func (r *Run) Closed() bool { return r.Finished || r.Discarded }

// WorktreeState is a state of the worktree: a tree, and the files named by the plan whose content differs from that tree.
type WorktreeState struct {
	Tree    object.ID         `json:"tree,omitempty"`
	Differs map[string]string `json:"differs,omitempty"`
	// Sum is a checksum over Differs; it is empty if nobody looked.
	Sum string `json:"sum,omitempty"`
}

// IsZero reports whether nothing is known.
func (l WorktreeState) IsZero() bool { return l.Tree == "" && l.Sum == "" }

// TaskStop is the worktree as a stopped task left it: the tree of its HEAD, and a snapshot of uncommitted work if there was any.
type TaskStop struct {
	Tree  object.ID `json:"tree"`
	Saved object.ID `json:"saved,omitempty"`
}

// Updating is an attempt to bring a run up to date with its base: by merge or rebase, from which head, and with which commit of the base.
type Updating struct {
	How  string    `json:"how"`
	Head object.ID `json:"head,omitempty"`
	Base object.ID `json:"base,omitempty"`
}

// Setup is the preparation of a new worktree, which happens before the first task.
type Setup struct {
	State    TaskState `json:"state"`
	Attempt  string    `json:"attempt,omitempty"`
	Cause    string    `json:"cause,omitempty"`
	ExitCode *int      `json:"exit_code,omitempty"`
}

// Begun reports whether anything was ever reported about a task; boxes that were already ticked in the plan do not count.
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

// Current returns the position (from 1) of the task that the run is at, and the task itself:
// the active one, otherwise one that needs somebody, otherwise the first open one. The position is 0 if all tasks are closed.
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

// Question returns the first task that waits for an answer, or nil.
// A question from the plan waits only when the run has reached it.
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

// AllClosed reports whether a run that has a plan has nothing left to do.
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
