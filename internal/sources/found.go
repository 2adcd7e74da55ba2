// Package sources reads the state of workflow systems: it turns what each system left on disk into one common value.
//
// A source only reads; it says what it found and how far that can be trusted, and never decides.
// Pointers and status words are hints, the evidence of each task decides, and contradictions are reported.
// A source describes what can be done about a piece of work as changes to the system's own files;
// the caller carries them out, after saving the old content.
package sources

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Found is one piece of interrupted, open or finished work as a source sees it.
type Found struct {
	// Source names the system, ID the work within it; Name is what a person calls the work.
	Source string `json:"source"`
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	// Headline says in one line what was interrupted, in the system's own terms.
	// UnderWay replaces Headline while somebody may be working on it; it is empty if Headline does not call the work interrupted.
	Headline string `json:"headline,omitempty"`
	UnderWay string `json:"under_way,omitempty"`
	// Stands says how far the work is, counted in the system's own units; empty means that the tasks are counted.
	Stands string `json:"stands,omitempty"`
	// Plan lists what is left to do in order; empty means the open tasks in the order in which they can be done.
	Plan []string `json:"plan,omitempty"`
	// Sound says what the system's own check of its state found in order; empty if there is no such check, or if it failed.
	Sound string `json:"sound,omitempty"`
	// Listed is the text for lists: kind, subject and position in the system's own words; empty means the position among the tasks.
	Listed string `json:"listed,omitempty"`
	// Stays says what a discard leaves of the work, and what its own system would do with that; empty if that is nothing to think of.
	Stays string `json:"stays,omitempty"`
	// Again is the system's own command to start such work from scratch.
	Again string `json:"again,omitempty"`
	// Steps counts the finished steps within the tasks, if the system counts them.
	Steps int `json:"steps,omitempty"`
	// Home is the worktree in which the state was read, Root the folder of that state relative to Home,
	// and Files the state files themselves, also relative to Home.
	Home  string   `json:"-"`
	Root  string   `json:"root,omitempty"`
	Files []string `json:"files,omitempty"`
	// Same holds further keys of the same work, such as "story:4.2": candidates that share a key are the same work.
	Same  []string `json:"same,omitempty"`
	Tasks []Task   `json:"tasks,omitempty"`
	// Status is the word as written; State is what the evidence shows.
	Status string `json:"status,omitempty"`
	State  State  `json:"state"`
	Cause  string `json:"cause,omitempty"`
	// Stopped says that the state itself shows that nobody is working on it, even if its files are recent.
	Stopped bool `json:"stopped,omitempty"`
	// Mode is how often the system wants to ask the user, if the system recorded that.
	Mode string `json:"mode,omitempty"`
	// Active is the time of the last activity, and From is where that time comes from: a field, a file's time, a commit.
	Active time.Time `json:"active,omitzero"`
	From   string    `json:"from,omitempty"`
	// Worktree is the registered worktree of the work, or empty; Wants is where its system would create one, relative to the main worktree.
	// Beside says that the system has no such place, so that Wants is where git-resume creates its own worktrees.
	Worktree string `json:"-"`
	Wants    string `json:"wants,omitempty"`
	Beside   bool   `json:"beside,omitempty"`
	// Branch is a full ref name; Base is the branch that the work will be merged into.
	Branch refs.Name `json:"branch,omitempty"`
	Base   string    `json:"base,omitempty"`
	// Start is the commit where the work started; Last is the newest commit that is evidence of it.
	Start object.ID `json:"start,omitempty"`
	Last  object.ID `json:"last,omitempty"`
	Point Point     `json:"point"`
	// Context is what else the next worker has to know: what was done within a task, answers that were given.
	Context []string `json:"context,omitempty"`
	// Questions wait for a person, in the order in which to answer them.
	Questions []Question `json:"questions,omitempty"`
	// Alternatives are the actions that can be taken, the best one first.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Needs are files that the work depends on.
	Needs  []File  `json:"needs,omitempty"`
	Doubts []Doubt `json:"doubts,omitempty"`
	// Rebuilt says that the state was reconstructed from other evidence, so that a person must confirm it before it is used.
	Rebuilt bool `json:"rebuilt,omitempty"`
	// PIDs are the processes that the system recorded as working on it.
	PIDs []int `json:"pids,omitempty"`
	// Drivers are the system's commands that work on it; a process that runs one of them in this project is a worker.
	Drivers []Driver `json:"-"`
	// Agent and Session name the coding agent whose own session could be resumed.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// Protocol holds facts under the system's own field names, as its documents define them.
	Protocol map[string]any `json:"protocol,omitempty"`
	// Command is the system's own command to continue.
	Command string `json:"command,omitempty"`
}

// Slug returns the last part of the ID, which is the part worth reading.
func (f *Found) Slug() string {
	if i := strings.LastIndexByte(f.ID, '/'); i >= 0 && i+1 < len(f.ID) {
		return f.ID[i+1:]
	}
	return f.ID
}

// Called reports whether people use this name for the work: its folder without the leading number, or the name that it recorded.
func (f *Found) Called(name string) bool {
	slug := strings.TrimLeft(f.Slug(), "0123456789")
	recorded, _ := f.Protocol["feature_name"].(string)
	return name != "" && (len(slug) < len(f.Slug()) && strings.TrimLeft(slug, "-_. ") == name || strings.EqualFold(recorded, name))
}

// Unit returns the system's word for a task, taken from Stands: "chunk" from "chunk 2 of 4".
func (f *Found) Unit() string {
	if strings.Contains(f.Stands, ", step ") || strings.HasPrefix(f.Stands, "iteration ") { // it counts something larger, such as the iterations of a loop
		return "step"
	}
	word, rest, _ := strings.Cut(f.Stands, " ")
	if n, _, counted := strings.Cut(rest, " of "); counted && n != "" && strings.Trim(n, "0123456789") == "" {
		return word
	}
	return "task"
}

// Key names the work uniquely among all sources, as a person writes it: auto-claude:005-user-auth.
func (f *Found) Key() string { return f.Source + ":" + f.ID }

// State is the overall state of a piece of work.
type State string

// The states that a source may report.
const (
	NotStarted  State = "not started"
	Interrupted State = "interrupted"
	Running     State = "running"
	Paused      State = "paused"
	Waiting     State = "waiting"
	Blocked     State = "blocked"
	Failed      State = "failed"
	// Review: the work itself is done, but somebody has to check, approve or merge it.
	Review   State = "review"
	Complete State = "complete"
	// Ended: the work was closed without being done.
	Ended   State = "ended"
	Corrupt State = "corrupt"
	Unknown State = "unknown"
)

// Open reports whether anything is left to do about the work.
func (s State) Open() bool { return s != Complete && s != Ended }

// The states that only tasks of other systems have.
const (
	TaskWaiting checkpoint.TaskState = "waiting"
	TaskUnknown checkpoint.TaskState = "unknown"
)

// Task is one unit of the work.
type Task struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	// Phase is the group that the task belongs to.
	Phase string               `json:"phase,omitempty"`
	State checkpoint.TaskState `json:"state"`
	// Aside says that the task is not a step of the work but is settled within a step, such as a question.
	Aside bool `json:"aside,omitempty"`
	// Raw is the status word as written.
	Raw      string    `json:"raw,omitempty"`
	Needs    []string  `json:"needs,omitempty"`
	Files    []string  `json:"files,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	// Note replaces the word for a state that would say too much, such as "in progress" for a task that nobody has touched since an answer.
	Note string `json:"note,omitempty"`
	// Evidence says what the state was derived from.
	Evidence string    `json:"evidence,omitempty"`
	Began    time.Time `json:"began,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	Optional bool      `json:"optional,omitempty"`
}

// Point is where to continue, and why there. Task may name a step that is not a task, such as a review.
type Point struct {
	Task   string `json:"task,omitempty"`
	Title  string `json:"title,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Question is a question that the work waits for.
type Question struct {
	Task    string   `json:"task,omitempty"`
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
	// About names in the system's own words what the question is about, if that is neither a task nor the next step.
	About string `json:"about,omitempty"`
	// Block says that this is the reason why a task stopped, and not a question.
	Block bool `json:"block,omitempty"`
}

// Holds reports whether a file, named relative to the worktree, belongs to the work: to its state or to one of its tasks.
func (f *Found) Holds(file string) bool {
	if f.Root != "" && f.Root != "." && strings.HasPrefix(file, strings.TrimSuffix(f.Root, "/")+"/") || slices.Contains(f.Files, file) {
		return true
	}
	isNeed := func(n File) bool { return n.Path == file }
	isTasks := func(t Task) bool { return slices.Contains(t.Files, file) }
	return slices.ContainsFunc(f.Needs, isNeed) || slices.ContainsFunc(f.Tasks, isTasks)
}

// File is a file that the work depends on.
type File struct {
	Path string `json:"path"`
	// For is the task or phase that needs it.
	For      string `json:"for,omitempty"`
	Missing  bool   `json:"missing,omitempty"`
	Critical bool   `json:"critical,omitempty"`
	// Made says that the step makes the file, and does not read it.
	Made bool `json:"made,omitempty"`
}

// Doubt is a contradiction or a problem in the state, with a stable code.
type Doubt struct {
	Code     string             `json:"code"`
	Severity conflicts.Severity `json:"severity"`
	Text     string             `json:"text"`
	Path     string             `json:"path,omitempty"`
}

// Whole returns the text of the doubt with the file that it is about, for a place that does not show the file beside it.
func (d Doubt) Whole() string {
	if d.Path == "" || strings.Contains(d.Text, d.Path) {
		return d.Text
	}
	return d.Path + " " + d.Text
}

// The codes of doubts that several sources report; a source may have more of its own.
const (
	DoubtStaleMarker   = "stale-marker"         // the evidence contradicts a marker or pointer
	DoubtAgentUnknown  = "agent-unknown"        // the marker names an agent that the history does not know
	DoubtStatusWord    = "status-word"          // the evidence contradicts a status word
	DoubtUnknownWord   = "unknown-word"         // the meaning of a word is not known
	DoubtDamaged       = "state-damaged"        // a state file cannot be read
	DoubtFallback      = "state-from-elsewhere" // another copy or an older version was read instead
	DoubtRebuilt       = "state-rebuilt"        // the state was reconstructed from other evidence
	DoubtRefused       = "state-refused"        // a file was not read because it is hostile or too large
	DoubtMissing       = "file-missing"         // a referenced file does not exist
	DoubtScope         = "scope-changed"        // the request changed after the work started
	DoubtNewTasks      = "tasks-added"          // the state does not know these tasks
	DoubtCopies        = "copies-differ"        // two copies of the state disagree
	DoubtNotMarked     = "done-not-marked"      // a commit exists for a task that is not marked done
	DoubtNoEvidence    = "done-no-evidence"     // marked done, but nothing shows it
	DoubtWorktree      = "worktree-unusable"    // the folder is not the worktree of this work
	DoubtUsedUp        = "attempts-used-up"     // only a person can allow another attempt
	DoubtCycle         = "needs-cycle"          // tasks need each other in a circle
	DoubtUnknownNeed   = "needs-unknown"        // a task needs one that does not exist
	DoubtLocalTime     = "time-without-zone"    // the time has no zone and was read as local time
	DoubtSkippedOver   = "older-work-open"      // older tasks were left open and later ones done
	DoubtOtherWork     = "same-work-open"       // the same work is open elsewhere
	DoubtInvalidState  = "state-inconsistent"   // the state breaks its system's own rules
	DoubtDiscrepancy   = "status-disagrees"     // two records of one thing say different things
	DoubtAlreadyEnded  = "ended-elsewhere"      // it was finished outside this workflow
	DoubtForeignChange = "changed-by-others"    // files of the work were changed by other work
	DoubtPhaseInvalid  = "phase-invalid"        // a finished phase must be done again
	DoubtStale         = "stale-run"            // its system wants it to be reviewed after this much time
	DoubtOwnCheck      = "own-check-differs"    // its own system would continue elsewhere, or not at all
	DoubtStillWritten  = "still-written"        // a state that says "running" was written moments ago
)

// Source finds the work of one system in a repository.
type Source interface {
	Name() string
	// Find reads the work in the repository. An error is about the search itself;
	// a state that cannot be read is a Found in state Corrupt, and is never left out.
	Find(ctx context.Context, v *View) ([]Found, error)
}

// Claimer is a source that recognises its work by the name of a folder alone.
type Claimer interface {
	Source
	// Claims names the work whose state a folder of a commit holds; the name is empty for work that has the name of the repository.
	Claims(folder string) (id string, ok bool)
}

// Starter is a source whose system has commands of its own to start new work.
type Starter interface {
	Source
	// Starts names these commands, to follow the name of the system.
	Starts() string
}

// ActionRequest is an action that the user wants for a piece of work.
type ActionRequest struct {
	// Name is one of the alternatives, Task the unit that it applies to (empty: the resume point), Text an answer.
	Name string
	Task string
	Text string
	// Own says that the answer need not be one of the options.
	Own bool
}

// Actor is a source that can say how an alternative changes its system's files.
type Actor interface {
	Source
	// Act computes the changes; it writes nothing. No changes and no error mean that nothing has to be written.
	Act(ctx context.Context, v *View, f *Found, w ActionRequest) ([]Change, error)
}

// Change is one edit of a system's own state; Tree is the worktree that contains it.
type Change struct {
	Tree string
	// Path is relative, with slashes; it names a folder only if the change moves that folder.
	Path string
	// Was is the content that the change was computed from; nil: no such file existed. If the content differs by now, the change is refused.
	Was []byte
	// Now is the new content; nil leaves the content as it is.
	Now []byte
	// To is the new path of the file or folder; empty leaves it where it is.
	To string
	// Gone says that the file is removed. A copy is kept like everything that a change replaces.
	Gone bool
	// Mode is the mode of a removed file; a source need not set it.
	Mode fs.FileMode
}

// NoActionError says that an alternative does not apply.
type NoActionError struct{ Key, Name string }

func (e *NoActionError) Error() string { return "'" + e.Name + "' does not apply to " + e.Key }
