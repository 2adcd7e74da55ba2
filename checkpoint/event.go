package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Kind is the stored name of an event.
type Kind string

// These are the events of version 1. Readers ignore unknown events and keep their lines.
const (
	RunStarted    Kind = "run.started"
	RunClaimed    Kind = "run.claimed"
	RunDriven     Kind = "run.driven"
	RunPaused     Kind = "run.paused"
	RunResumed    Kind = "run.resumed"
	RunStopped    Kind = "run.stopped"
	RunFinished   Kind = "run.finished"
	RunDiscarded  Kind = "run.discarded"
	RunRestored   Kind = "run.restored"
	TaskAdded     Kind = "task.added"
	TaskStarted   Kind = "task.started"
	TaskDone      Kind = "task.done"
	TaskFailed    Kind = "task.failed"
	TaskBlocked   Kind = "task.blocked"
	TaskAnswered  Kind = "task.answered"
	TaskSkipped   Kind = "task.skipped"
	TaskReset     Kind = "task.reset"
	Checkpoint    Kind = "checkpoint"
	RunPlanned    Kind = "run.planned"
	RunSuperseded Kind = "run.superseded"
	RunMerged     Kind = "run.merged"
	// RunUpdating says that the run is about to be merged with its base or rebased onto it. Git and the next event show the outcome.
	RunUpdating Kind = "run.updating"
	// RunRenamed says that the run's branch has a new name.
	RunRenamed Kind = "run.renamed"
	// RunAdopted starts the journal for work that another system started.
	RunAdopted Kind = "run.adopted"
	// RunTaken says that a person took over a run that was recorded elsewhere.
	RunTaken     Kind = "run.taken"
	RunActed     Kind = "run.acted"
	Undone       Kind = "undone"
	TreeReady    Kind = "worktree.ready"
	Snapshot     Kind = "snapshot.taken"
	SetupStarted Kind = "setup.started"
	SetupDone    Kind = "setup.done"
	SetupFailed  Kind = "setup.failed"
	// TurnStarted says that a coding agent got a prompt. TurnEnded says that the agent stopped, and its field Cause says why.
	TurnStarted Kind = "turn.started"
	TurnEnded   Kind = "turn.ended"
	// RunShared binds the run to one remote, and RunUnshared ends the binding. RunAccepted says that this user agreed to continue the run
	// as it was at the remote.
	RunShared   Kind = "run.shared"
	RunUnshared Kind = "run.unshared"
	RunAccepted Kind = "run.accepted"
	// RunLeased gives one clone the right to work on a shared run, and RunReleased gives this right back. RunParked says that work of this
	// clone was parked: the work is kept but does not count, because another clone got the right before the work reached the remote.
	RunLeased   Kind = "run.leased"
	RunReleased Kind = "run.released"
	RunParked   Kind = "run.parked"
	// RunLent says that an earlier version sent the run's branch to an ordinary branch of a remote, so that somebody who cannot push the run's
	// record can continue the work. RunReturned says that it took the work back from that branch.
	RunLent     Kind = "run.lent"
	RunReturned Kind = "run.returned"
	// PlaceReady says that a worktree for tasks that run at the same time is complete. placeGone says that it was removed.
	PlaceReady Kind = "place.ready"
	placeGone  Kind = "place.gone"
)

// Base is the branch into which a run will be merged. If Name is empty, the run has no base branch, for example because it was started from
// a detached HEAD.
type Base struct {
	Name   string    `json:"name,omitempty"`
	Commit object.ID `json:"commit"`
}

// Event is what one line of a journal says. In the stored form, Seq comes first, and V and the signature come last.
type Event struct {
	Seq     string    `json:"seq"`
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Event   Kind      `json:"event"`
	Task    TaskID    `json:"task,omitempty"`
	Attempt string    `json:"attempt,omitempty"`
	Commit  object.ID `json:"commit,omitempty"`
	Tree    object.ID `json:"tree,omitempty"`
	Patch   string    `json:"patch,omitempty"`
	// Found is true if nobody reported the event, and git-resume found it in the repository.
	Found   bool      `json:"found,omitempty"`
	Head    object.ID `json:"head,omitempty"`
	BaseTip object.ID `json:"base_tip,omitempty"`
	// Mirrored is true if an earlier version wrote the event from a coding agent's own task list, and not from a report.
	Mirrored bool `json:"mirrored,omitempty"`
	// Merged is set in RunMerged: the commit of the run's branch that was merged.
	Merged object.ID `json:"merged,omitempty"`

	Title    string    `json:"title,omitempty"`
	Text     string    `json:"text,omitempty"`
	Options  []string  `json:"options,omitempty"`
	Cause    string    `json:"cause,omitempty"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Until    string    `json:"until,omitempty"`
	Name     string    `json:"name,omitempty"`
	Plan     object.ID `json:"plan,omitempty"`
	PlanFile string    `json:"plan_file,omitempty"`
	PlanHash object.ID `json:"plan_hash,omitempty"`
	Base     *Base     `json:"base,omitempty"`
	Branch   refs.Name `json:"branch,omitempty"`
	Worktree string    `json:"worktree,omitempty"`
	Admin    string    `json:"admin,omitempty"`
	Here     bool      `json:"here,omitempty"`
	// Jobs and KeepGoing are set in RunStarted, if the user gave the options --jobs and --keep-going. They also count when the run is continued.
	Jobs      int  `json:"jobs,omitempty"`
	KeepGoing bool `json:"keep_going,omitempty"`
	// Take is the clone and the worktree from which uncommitted work is copied into the run's own worktree.
	Take    string   `json:"take,omitempty"`
	Command string   `json:"command,omitempty"`
	Left    []int    `json:"left,omitempty"`
	Verdict string   `json:"verdict,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Silent  int64    `json:"silent_seconds,omitempty"`
	Undoes  string   `json:"undoes,omitempty"`
	// Source and SourceID identify the work if another system started it.
	Source   string `json:"source,omitempty"`
	SourceID string `json:"source_id,omitempty"`
	// Differs lists the files that a task of the plan declares and that differ from the tree of HEAD, each with a checksum of its content.
	// DiffersSum is a checksum over all these files. It is set even if Differs is left out because the list would be too long.
	Differs    map[string]string `json:"differs,omitempty"`
	DiffersSum string            `json:"differs_sum,omitempty"`
	// ByHand lists files that were changed by hand since a task stopped, each with its blob id. Saved is the snapshot that was made when a
	// task was stopped or failed. In TaskStarted it is the snapshot of the files that were uncommitted before the task.
	ByHand map[string]string `json:"by_hand,omitempty"`
	Saved  object.ID         `json:"saved,omitempty"`
	Epoch  int               `json:"epoch,omitempty"`
	Actor  *Actor            `json:"actor,omitempty"`
	// By is who asked for this change, or nil if that was not recorded.
	By *Caller `json:"by,omitempty"`
	// Heard identifies the journal lines that other people or other clones had written when the user continued the run. The user had seen
	// these lines.
	Heard string `json:"heard,omitempty"`
	// Standing is a checksum of the state of the run's work when the run was continued.
	Standing string `json:"standing,omitempty"`
	// Remote is a checksum of the URL of the remote to which a run is bound or lent.
	Remote string `json:"remote,omitempty"`
	// Lease is the number of the lease under which work was recorded, or of the lease that the event is about. Last is set in RunLeased and
	// RunParked. It is the number of the last line that still counts under the ended lease.
	Lease int   `json:"lease,omitempty"`
	Last  int64 `json:"last,omitempty"`
	// Seat is the name of the scheduler's job in which the worker runs. Incarnation says which start of that job this is, so that a newer
	// start can replace an older one.
	Seat        string `json:"seat,omitempty"`
	Incarnation string `json:"incarnation,omitempty"`
	// Place describes a worktree for tasks that run at the same time. The commit and the path of that worktree are not stored in Head,
	// Worktree or Admin, because these fields are facts about the run itself.
	Place *Place `json:"place,omitempty"`
	V     int    `json:"v"`
	// Mac is the signature. It is verified against the stored bytes of the line, not against this struct.
	Mac string `json:"mac,omitempty"`
}

// Version is the format version that this program writes.
const Version = 1

// MaxLine is the maximum size of one line of the journal, including the newline.
const MaxLine = 16 << 10

var errLineTooLong = errors.New("the record is longer than 16 KB")

const stamp = "2006-01-02T15:04:05.000000Z07:00"

// MarshalJSON writes the time in UTC with six decimals, so that equal times give equal bytes.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return Marshal(struct {
		Seq string `json:"seq"`
		ID  string `json:"id"`
		At  string `json:"at"`
		plain
	}{e.Seq, e.ID, e.At.UTC().Format(stamp), plain(e)})
}

// Marshal encodes a value as JSON but leaves "<", ">" and "&" unescaped, because people read the journal.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(buf.Bytes(), "\n"), err
}

// Encode returns the event's unsigned line, including the newline. It returns an error if the line would be too long.
func (e Event) Encode() ([]byte, error) {
	line, err := Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	line = append(line, '\n')
	if len(line) > MaxLine-macLen {
		return nil, errLineTooLong
	}
	return line, nil
}

// Decode parses one line and ignores unknown fields. It returns an error if the line is too long, is not valid JSON, lacks seq, id or
// event, or has an unsafe value.
func Decode(line []byte) (Event, error) {
	var e Event
	if len(line) > MaxLine {
		return e, errLineTooLong
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	if _, ok := e.number(); !ok || e.ID == "" || e.Event == "" {
		return Event{}, errors.New("decode event: field 'seq', 'id' or 'event' is missing or not valid")
	}
	if err := e.sound(); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}

// number returns the sequence number, and false if the stored text is not a positive number of exactly ten digits.
func (e Event) number() (int64, bool) {
	n, err := strconv.ParseUint(e.Seq, 10, 63) // ParseUint refuses a sign, which would break the sorting of lines by their text
	return int64(n), err == nil && n > 0 && len(e.Seq) == 10
}

// SeqText returns a sequence number in its stored form.
func SeqText(n int64) string { return fmt.Sprintf("%010d", n) }

// ByPerson reports whether a person made the change that the event records, so that "git resume undo" can undo it. Events of some kinds are
// recorded with and without a person. For RunFinished, TaskAdded and TaskReset, ByPerson returns the argument "asked", which is true if a
// person asked for the event. For Snapshot and RunResumed, ByPerson decides by the field Cause.
func (e Event) ByPerson(asked bool) bool {
	if e.Mirrored {
		return false // the event comes from a coding agent, not from a person
	}
	switch e.Event {
	case RunMerged:
		return !e.Found // if Found is true, somebody merged the run without git-resume
	case RunDiscarded, RunRestored, RunPaused, RunSuperseded, RunPlanned, RunActed, TaskSkipped, TaskAnswered, Undone:
		return true
	case RunFinished, TaskAdded, TaskReset:
		return asked
	case Snapshot:
		return e.Cause == BeforeRestore
	case RunResumed:
		return e.Cause == EndedPause || e.Cause == HandedOver
	}
	return false
}

// IsWork reports whether events of this kind record progress of the work. In a shared run, such an event counts only if its lease had not
// ended when it was recorded.
func (k Kind) IsWork() bool {
	switch k {
	case TaskAdded, TaskStarted, TaskDone, TaskFailed, TaskBlocked, TaskReset, Checkpoint, RunUpdating, SetupStarted, SetupDone, SetupFailed:
		return true
	}
	return false
}

// IsWork reports whether the event records progress of the work. A RunFinished event counts as work if it was recorded because all tasks
// were done. Such an event is recognized by what SetLease wrote into it: the number of a lease, or the cause tasksDone.
func (e *Event) IsWork() bool {
	return e.Event.IsWork() || e.Event == RunFinished && (e.Lease > 0 || e.Cause == tasksDone)
}

// tasksDone is the cause of the RunFinished event that ends a shared run because all its tasks are done. Only a clone that never had a
// lease of the run sets this cause. Any other clone writes the number of its lease into the event.
const tasksDone = "tasks done"

// SetLease records under which lease the work of a shared run was done. The argument is 0 if this clone never had a lease.
func (e *Event) SetLease(mine int) {
	if e.Lease = mine; e.Event == RunFinished && mine == 0 {
		e.Cause = tasksDone
	}
}

// HandedOver is the cause of a RunResumed event that handed another system's work to a person or an agent.
const HandedOver = "handed over"

// BeforeRestore is the cause of a Snapshot event if the snapshot was taken before another snapshot was restored for a person.
const BeforeRestore = "restore"

// EndedPause is the cause of a RunResumed event that ended a pause.
const EndedPause = "paused"
