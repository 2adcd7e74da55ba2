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

// Kind is the stored name of what happened.
type Kind string

// The vocabulary of version 1. Readers ignore what they do not know, and keep it.
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
	// RunUpdating says that the base is about to be taken into the run; how that ended, git and the next event tell.
	RunUpdating Kind = "run.updating"
	// RunRenamed says that the run's branch has another name now.
	RunRenamed Kind = "run.renamed"
	// RunAdopted begins the journal of work that another system began; RunActed is a change of that system's own files.
	RunAdopted Kind = "run.adopted"
	// RunTaken makes a run that came from elsewhere one of this clone, after a person has seen all of it.
	RunTaken     Kind = "run.taken"
	RunActed     Kind = "run.acted"
	Undone       Kind = "undone"
	TreeReady    Kind = "worktree.ready"
	Snapshot     Kind = "snapshot.taken"
	SetupStarted Kind = "setup.started"
	SetupDone    Kind = "setup.done"
	SetupFailed  Kind = "setup.failed"
)

// Base is where a run goes back to. An empty name means a detached start: nothing can move there.
type Base struct {
	Name   string    `json:"name,omitempty"`
	Commit object.ID `json:"commit"`
}

// Event is one line of a journal.
// Seq comes first in the stored form, V and then the signature last; a line, once written, is never encoded again.
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
	// Found: the result was not reported but found in the repository after an interruption.
	Found   bool      `json:"found,omitempty"`
	Head    object.ID `json:"head,omitempty"`
	BaseTip object.ID `json:"base_tip,omitempty"`

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
	// Take names the clone and its worktree whose uncommitted work goes along into the run's own.
	Take    string   `json:"take,omitempty"`
	Command string   `json:"command,omitempty"`
	Left    []int    `json:"left,omitempty"`
	Verdict string   `json:"verdict,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Silent  int64    `json:"silent_seconds,omitempty"`
	Undoes  string   `json:"undoes,omitempty"`
	// Source and SourceID name work that another system began.
	Source   string `json:"source,omitempty"`
	SourceID string `json:"source_id,omitempty"`
	// Differs are files that a plan names and that were not as the tree has them, with sums of their content;
	// DiffersSum stands for all of them, also where they are too many for a line.
	Differs    map[string]string `json:"differs,omitempty"`
	DiffersSum string            `json:"differs_sum,omitempty"`
	// ByHand are files that somebody changed by hand and that are no task's, with their contents;
	// Saved is the snapshot of the worktree as a task left it that was stopped.
	ByHand map[string]string `json:"by_hand,omitempty"`
	Saved  object.ID         `json:"saved,omitempty"`
	Epoch  int               `json:"epoch,omitempty"`
	Actor  *Actor            `json:"actor,omitempty"`
	// Heard stands for the lines of others that were known and shown when a person went on.
	Heard string `json:"heard,omitempty"`
	// Standing is one sum over where a run stood when it was continued: its commits, what was uncommitted, and the state of the system that began it.
	Standing string `json:"standing,omitempty"`
	V        int    `json:"v"`
	// Mac is the signature. It is checked against the stored bytes, never against this value.
	Mac string `json:"mac,omitempty"`
}

// Version is the format that this program writes.
const Version = 1

// MaxLine bounds one line of the journal, newline included.
const MaxLine = 16 << 10

// errLineTooLong says that an event does not fit into a line.
var errLineTooLong = errors.New("record is longer than 16 KB")

const stamp = "2006-01-02T15:04:05.000000Z07:00"

// MarshalJSON writes the time with six digits in UTC, so that equal times are equal bytes.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return Marshal(struct {
		Seq string `json:"seq"`
		ID  string `json:"id"`
		At  string `json:"at"`
		plain
	}{e.Seq, e.ID, e.At.UTC().Format(stamp), plain(e)})
}

// Marshal leaves "<" and "&" as they are: the journal is read by people.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(buf.Bytes(), "\n"), err
}

// Encode gives the event's line, newline included and not signed.
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

// Decode reads one line. Unknown fields are ignored; a line without seq, id or event is an error.
func Decode(line []byte) (Event, error) {
	var e Event
	if len(line) > MaxLine {
		return e, errLineTooLong
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	if _, ok := e.number(); !ok || e.ID == "" || e.Event == "" {
		return Event{}, errors.New("decode event: seq, id or event is missing")
	}
	if err := e.sound(); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	return e, nil
}

// number is the sequence number; a stored one is exactly ten digits.
func (e Event) number() (int64, bool) {
	n, err := strconv.ParseUint(e.Seq, 10, 63) // no sign: lines are sorted by the text
	return int64(n), err == nil && n > 0 && len(e.Seq) == 10
}

// SeqText is a sequence number as it is stored.
func SeqText(n int64) string { return fmt.Sprintf("%010d", n) }

// ByPerson reports a change that a person made and can take back. A run is finished, and a task is reset, also unasked;
// to continue a run is such a change only if that ended a pause, or gave another system's work to somebody and changed nothing else.
func (e Event) ByPerson(asked bool) bool {
	switch e.Event {
	case RunDiscarded, RunRestored, RunPaused, RunSuperseded, RunPlanned, RunMerged, RunActed, TaskSkipped, TaskAnswered, Undone:
		return true
	case RunFinished, TaskReset:
		return asked
	case RunResumed:
		return e.Cause == EndedPause || e.Cause == HandedOver
	}
	return false
}

// HandedOver is noted where work of another system was given to somebody by its brief, and no file of that system says so.
const HandedOver = "handed over"

// EndedPause is noted where a run that was stopped on purpose is continued.
const EndedPause = "paused"
