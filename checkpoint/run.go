package checkpoint

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// TaskState is the progress of a task.
type TaskState string

// These are the states of a task.
const (
	Pending TaskState = "pending"
	Active  TaskState = "active"
	Done    TaskState = "done"
	Failed  TaskState = "failed"
	Blocked TaskState = "blocked"
	Skipped TaskState = "skipped"
)

// Closed reports whether a task in this state needs no more work.
func (s TaskState) Closed() bool { return s == Done || s == Skipped }

// Task is one task of a run as the journal records it.
type Task struct {
	ID       TaskID    `json:"id"`
	Title    string    `json:"title,omitempty"`
	State    TaskState `json:"state"`
	Attempt  string    `json:"attempt,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	Tree     object.ID `json:"tree,omitempty"`
	Patch    string    `json:"patch,omitempty"`
	// Found is true if nobody reported the result and it was found in a commit.
	Found    bool      `json:"found,omitempty"`
	FromHead object.ID `json:"from_head,omitempty"`
	// Place is the number of the place in which the last attempt worked, or 0 if the attempt worked in the run's worktree. A place is a
	// worktree for tasks that run at the same time.
	Place int `json:"place,omitempty"`
	// Reported is true if a worker in a place has reported this task as done, but its result is not on the run's branch yet.
	Reported bool      `json:"reported,omitempty"`
	Started  time.Time `json:"started,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	// Command is the hash of the command that the last attempt ran.
	Command string `json:"command,omitempty"`
	// Before is what was recorded about the worktree when the last attempt started, or nil.
	Before *WorktreeState `json:"before,omitempty"`
	// Onto is the snapshot of the uncommitted files that were in the run's worktree before the task started, such as files that the setup
	// made. It is empty if there were none.
	Onto object.ID `json:"onto,omitempty"`
	// Stop is the state of the worktree when the attempt was stopped or failed, or nil if it is unknown. ByHand lists files that were
	// already changed before the attempt.
	Stop     *TaskStop         `json:"stop,omitempty"`
	ByHand   map[string]string `json:"by_hand,omitempty"`
	Cause    string            `json:"cause,omitempty"`
	ExitCode *int              `json:"exit_code,omitempty"`
	Until    string            `json:"until,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Question string            `json:"question,omitempty"`
	Options  []string          `json:"options,omitempty"`
	Answer   string            `json:"answer,omitempty"`
	// Asks is true if the task is a question in the plan. The user's answer completes it.
	Asks bool `json:"asks,omitempty"`
	// Undone lists the trees and patch ids of results that were reset. A commit with one of them does not complete the task again.
	Undone []string `json:"undone,omitempty"`
	// Optional is true if the run can be finished without this task.
	Optional bool `json:"optional,omitempty"`
	// LastSeq is the number of the last event that changed the task.
	LastSeq int64 `json:"last_seq,omitempty"`
}

// Run is the state of a run, computed from the lines of its journal.
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
	// Source and SourceID identify the work of another system that this run represents. They are empty for runs that git-resume started.
	Source   string `json:"source,omitempty"`
	SourceID string `json:"source_id,omitempty"`
	Tasks    []Task `json:"tasks"`

	// Mode says how much to ask the user when the run is continued. It is chosen at the start of the run, or is empty.
	Mode string `json:"mode,omitempty"`
	// Jobs is how many tasks may run at the same time, and KeepGoing says whether other tasks continue after a failure. Both are chosen at
	// the start of the run; without a choice, they are zero.
	Jobs      int  `json:"jobs,omitempty"`
	KeepGoing bool `json:"keep_going,omitempty"`

	Started   time.Time `json:"started"`
	LastAt    time.Time `json:"last_at"`
	LastEvent Kind      `json:"last_event,omitempty"`
	// Head is the last recorded commit of the run, and BaseTip is the last recorded tip of its base.
	Head    object.ID `json:"head,omitempty"`
	BaseTip object.ID `json:"base_tip,omitempty"`
	Cause   string    `json:"cause,omitempty"`
	Stops   int       `json:"stops,omitempty"`
	// Resumed is true if nobody has worked since the run was last continued. A second continuation then follows the same stop.
	Resumed bool `json:"resumed,omitempty"`

	// Left is the last recorded state of the worktree. Setup says how far the preparation of the worktree has come.
	Left  WorktreeState `json:"left,omitzero"`
	Setup *setup        `json:"setup,omitempty"`

	// InTree is the task that was the last to work in the run's own worktree. Uncommitted files there come from it, unless it is done.
	InTree TaskID `json:"in_tree,omitempty"`
	// Places are the worktrees in which several tasks can work at the same time.
	Places places `json:"places,omitempty"`

	// Updating is set before the run is merged with its base or rebased onto it. RunResumed, TaskStarted and TaskDone clear it.
	Updating *Updating `json:"updating,omitempty"`

	Paused    bool `json:"paused,omitempty"`
	Finished  bool `json:"finished,omitempty"`
	Discarded bool `json:"discarded,omitempty"`
	// Superseded is the run that replaced this one, or empty. Merged is the commit that merged the run into its base, or empty.
	Superseded string    `json:"superseded,omitempty"`
	Merged     object.ID `json:"merged,omitempty"`
	// MergedTip is the commit of the run's branch that was merged; the branch may have got more commits since. It is empty if the run is not
	// merged, or if an older version recorded the merge.
	MergedTip object.ID `json:"merged_tip,omitempty"`

	// Epoch and Nonce identify the newest claim. An owner with an older claim can no longer append.
	Epoch  int    `json:"epoch,omitempty"`
	Nonce  string `json:"nonce,omitempty"`
	Owner  *Actor `json:"owner,omitempty"`
	Driver *Actor `json:"driver,omitempty"`
	// Agent is the last process that reported with a session of a coding agent, or nil.
	Agent *Actor `json:"agent,omitempty"`

	// Turn is the last turn of the coding agent that works on the run, or nil.
	Turn *Turn `json:"turn,omitempty"`

	// Root is the id of the line that starts the run. Rooted is true if this user wrote that line in this clone.
	Root   string `json:"root,omitempty"`
	Rooted bool   `json:"rooted,omitempty"`
	// Own is the set of our lines, and Others is the set of all other lines. Foreign summarizes the lines of Others.
	Own     LineSet       `json:"own,omitzero"`
	Others  LineSet       `json:"others,omitzero"`
	Foreign *ForeignLines `json:"heard,omitempty"`
	// Agreed is what HeardSum returned for those lines of Others that a person had seen when continuing the run. It is empty if there were
	// none.
	Agreed string `json:"agreed,omitempty"`
	// Accepted is the commit of the run's branch that the person saw when taking over the run, or empty.
	Accepted object.ID `json:"accepted,omitempty"`
	// Share says to which remote the run is bound. It is nil if the run was never shared. After an unshare it has no remote, and Bound
	// returns false.
	Share *share `json:"share,omitempty"`
	// Lent is set while the run's branch is lent to a branch of a remote.
	Lent *lent `json:"lent,omitempty"`
	// Lack is the reason why the run is not ours. It depends on files of this clone and is not part of the stored state.
	Lack ProvenanceGap `json:"-"`
	// Unsigned is true if the line that starts the run has no signature.
	Unsigned bool `json:"unsigned,omitempty"`

	// The next line gets the number Seq+1. Top is the highest number of any line, and TopAt is the time of that line.
	Seq               int64     `json:"seq"`
	Top               int64     `json:"top,omitempty"`
	TopAt             time.Time `json:"top_at,omitzero"`
	topOurs, topWorks bool
	Events            int `json:"events"`
	// Unreadable counts the lines that could not be read. Such lines are kept.
	Unreadable int `json:"unreadable,omitempty"`
	// Diverged is true if two different lines of the journal have the same number, for example because two clones worked on the run. In a
	// run of ours, only our own lines are compared. In a shared run, a line is compared only if it records work, and only if its lease had
	// not ended when it was written.
	Diverged bool `json:"diverged,omitempty"`
	// Rebuilt is true if the journal was missing or unreadable and the state comes from the trailers of commits.
	Rebuilt bool `json:"rebuilt,omitempty"`
	Unknown int  `json:"unknown_events,omitempty"`

	// Fruitless counts how often the run was recently continued without progress.
	Fruitless Fruitless `json:"vain,omitzero"`

	// HandedAt is the time at which another system's work was last handed to a person or an agent, or zero. HandedTask is the task that
	// was current at that time.
	HandedAt   time.Time `json:"handed_at,omitzero"`
	HandedTask TaskID    `json:"handed_task,omitempty"`
	// handing is the id of the last event that changed another system's files to hand the work to a person or an agent. The next RunResumed
	// event moves this id to the field handedBy. If the event whose id is in handedBy is undone later, HandedAt is cleared.
	handing, handedBy string

	// Point is the current task, if the states of the tasks alone do not show it. It comes from the other system that started the work, or
	// from a question that waits for an answer. In all other cases it is empty.
	Point TaskID `json:"-"`

	index map[TaskID]int
}

// Fruitless counts how often a run was continued at the same task without any change since the last time.
type Fruitless struct {
	Task     TaskID `json:"task,omitempty"`
	Standing string `json:"standing,omitempty"`
	Times    int    `json:"times,omitempty"`
}

// Task returns the task with the given id, or nil.
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

// Copy returns a copy of the run. Applying events to the copy does not change the run.
func (r *Run) Copy() Run {
	out := *r
	out.Tasks, out.index = slices.Clone(r.Tasks), nil
	if r.Turn != nil {
		turn := *r.Turn
		out.Turn = &turn
	}
	if r.Share != nil {
		share := *r.Share
		out.Share = &share
	}
	if r.Lent != nil {
		lent := *r.Lent
		out.Lent = &lent
	}
	return out
}

func (r *Run) add(t Task) *Task {
	r.Tasks = append(r.Tasks, t)
	if r.index != nil {
		r.index[t.ID] = len(r.Tasks) - 1
	}
	return &r.Tasks[len(r.Tasks)-1]
}

// Closed reports whether the run is finished or discarded.
func (r *Run) Closed() bool { return r.Finished || r.Discarded }

// MayLackMerge reports whether a finished run has its own branch, and no merge of that branch was recorded, or only of a part of it.
// Discarded and replaced runs do not count.
func (r *Run) MayLackMerge() bool {
	return r.Finished && !r.Discarded && r.Superseded == "" && !r.MergedWhole() && r.HasOwnBranch()
}

// MergedWhole reports whether a merge of the last recorded commit of the run is recorded. Only git knows whether the branch has more commits.
func (r *Run) MergedWhole() bool {
	return r.Merged != "" && (r.MergedTip == "" || r.MergedTip == r.Head || r.Head == "")
}

// HasOwnBranch reports whether the run works on its own branch, which can be merged into its base. Runs in the user's own worktree, work of
// other systems, and runs without a base branch have no such branch.
func (r *Run) HasOwnBranch() bool {
	return !r.Here && r.Source == "" && r.Base.Name != "" && r.Branch != ""
}

// WorktreeState describes the files of a worktree: the tree of HEAD, and the files that differ from that tree. Only files that a task of
// the plan declares, for example as an input, are listed.
type WorktreeState struct {
	Tree    object.ID         `json:"tree,omitempty"`
	Differs map[string]string `json:"differs,omitempty"`
	// Sum is a checksum over all files that differ, even if Differs is left out. It is empty if the files were not examined.
	Sum string `json:"sum,omitempty"`
}

// IsZero reports whether the state is unknown.
func (l WorktreeState) IsZero() bool { return l.Tree == "" && l.Sum == "" }

// TaskStop is the worktree as a stopped or failed task left it: the tree of HEAD, and a snapshot of uncommitted work if there was any.
type TaskStop struct {
	Tree  object.ID `json:"tree"`
	Saved object.ID `json:"saved,omitempty"`
}

// Updating describes an attempt to merge a run with its base or to rebase it. It has the method, the run's head, and the base's commit.
type Updating struct {
	How  string    `json:"how"`
	Head object.ID `json:"head,omitempty"`
	Base object.ID `json:"base,omitempty"`
}

// setup is the preparation of a new worktree before the first task.
type setup struct {
	State    TaskState `json:"state"`
	Attempt  string    `json:"attempt,omitempty"`
	Cause    string    `json:"cause,omitempty"`
	ExitCode *int      `json:"exit_code,omitempty"`
}

// Begun reports whether work on the run has started. A completed turn of a coding agent alone does not count, because the user may only
// have asked a question.
func (r *Run) Begun() bool {
	if r.Setup != nil || r.Turn != nil && r.Turn.Cause != TurnDone {
		return true
	}
	for _, t := range r.Tasks {
		if t.LastSeq > 0 || t.Found {
			return true
		}
	}
	return false
}

// Current returns the current task and its position, starting with 1. If the field Point names a task, that is the current task. Otherwise
// it is the first task in progress. If no task is in progress, the first blocked task comes next, then the first failed one, then the first
// pending one. If all tasks are closed, Current returns 0 and nil.
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

// Question returns the first task that is waiting for an answer, or nil. A question in the plan counts only when the run has reached it.
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

// AllClosed reports whether the run has a plan and all its tasks are closed. Optional tasks that are pending do not matter.
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

// BaseBranch returns the base branch of the run, or empty if the run has none.
func (r *Run) BaseBranch() refs.Name {
	if r.Base.Name == "" {
		return ""
	}
	return refs.BranchOf(r.Base.Name)
}
