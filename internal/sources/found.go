// Package sources reads the state of workflow systems: what each one left on disk, as one common value.
//
// A source only reads; it says what it found and how far that can be trusted, and never decides.
// Pointers and status words are hints, per-task evidence decides, and disagreement is told.
// What can be done about a piece of work it describes as changes to the system's own files;
// whoever asked carries them out, after saving what was there.
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
	// Source names the system, ID the work within it; Name is how a person calls it.
	Source string `json:"source"`
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	// Headline says in one line what was interrupted, in the system's own terms.
	// UnderWay says the same where somebody may be working on it; empty: the headline does not say that it was interrupted.
	Headline string `json:"headline,omitempty"`
	UnderWay string `json:"under_way,omitempty"`
	// Stands says where it is, counted in the system's own units; empty: by its tasks.
	Stands string `json:"stands,omitempty"`
	// Listed is what lists say of it: kind, subject and place, as its own people call them; empty: its place among the tasks.
	Listed string `json:"listed,omitempty"`
	// Again is the system's own way to begin such work from scratch.
	Again string `json:"again,omitempty"`
	// Steps counts what is finished within its tasks, where its system counts that.
	Steps int `json:"steps,omitempty"`
	// Home is the worktree in which the state was read, Root the folder of that state below it,
	// Files the state files themselves, relative to Home.
	Home  string   `json:"-"`
	Root  string   `json:"root,omitempty"`
	Files []string `json:"files,omitempty"`
	// Same are more keys of the same work, such as "story:4.2": candidates that share one are one.
	Same  []string `json:"same,omitempty"`
	Tasks []Task   `json:"tasks,omitempty"`
	// Status is the word as written; State what it means, by the evidence.
	Status string `json:"status,omitempty"`
	State  State  `json:"state"`
	Cause  string `json:"cause,omitempty"`
	// Stopped: its state says itself that nobody is working on it, however fresh its files are.
	Stopped bool `json:"stopped,omitempty"`
	// Mode is how much its system wants to be asked, where it recorded that.
	Mode string `json:"mode,omitempty"`
	// Active is when it last showed a sign, and From what that was taken from: a field, a file's time, a commit.
	Active time.Time `json:"active,omitzero"`
	From   string    `json:"from,omitempty"`
	// Worktree is where it works, a registered worktree or empty; Wants where its system would put one, below the main worktree.
	// Beside: its system has no such place, and it is put where our own are.
	Worktree string `json:"-"`
	Wants    string `json:"wants,omitempty"`
	Beside   bool   `json:"beside,omitempty"`
	// Branch is a full ref name; Base the branch that it goes back into.
	Branch refs.Name `json:"branch,omitempty"`
	Base   string    `json:"base,omitempty"`
	// Start is the commit from which it began, Last the newest one that is evidence of it.
	Start object.ID `json:"start,omitempty"`
	Last  object.ID `json:"last,omitempty"`
	Point Point     `json:"point"`
	// Context is what whoever continues has to know besides: what was done within a task, answers that were given.
	Context []string `json:"context,omitempty"`
	// Questions wait for a person, the first one first.
	Questions []Question `json:"questions,omitempty"`
	// Alternatives are what can be done, the best one first.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Needs are files that it depends on.
	Needs  []File  `json:"needs,omitempty"`
	Doubts []Doubt `json:"doubts,omitempty"`
	// Rebuilt: the state was put together from other evidence, and a person must confirm it before it is used.
	Rebuilt bool `json:"rebuilt,omitempty"`
	// PIDs are processes that the system recorded as working on it.
	PIDs []int `json:"pids,omitempty"`
	// Drivers are the system's commands that work on it; whoever runs one of them in this project is at work.
	Drivers []Driver `json:"-"`
	// Agent and Session name the coding agent whose own session could be taken up again.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// Protocol carries the system's own field names, as its text defines them.
	Protocol map[string]any `json:"protocol,omitempty"`
	// Command is the system's own way to continue.
	Command string `json:"command,omitempty"`
}

// Slug is the part of its id that is worth reading.
func (f *Found) Slug() string {
	if i := strings.LastIndexByte(f.ID, '/'); i >= 0 && i+1 < len(f.ID) {
		return f.ID[i+1:]
	}
	return f.ID
}

// Called reports whether people call the work so: its folder without the number before it, or the name that it recorded.
func (f *Found) Called(name string) bool {
	slug := strings.TrimLeft(f.Slug(), "0123456789")
	recorded, _ := f.Protocol["feature_name"].(string)
	return name != "" && (len(slug) < len(f.Slug()) && strings.TrimLeft(slug, "-_. ") == name || strings.EqualFold(recorded, name))
}

// Unit is what its people call one of its tasks, by how they say where it stands: "chunk 2 of 4".
func (f *Found) Unit() string {
	word, rest, _ := strings.Cut(f.Stands, " ")
	if n, _, counted := strings.Cut(rest, " of "); counted && n != "" && strings.Trim(n, "0123456789") == "" {
		return word
	}
	return "task"
}

// Key names the work among all sources, as a person writes it: auto-claude:005-user-auth.
func (f *Found) Key() string { return f.Source + ":" + f.ID }

// State is how a found piece of work stands.
type State string

// The states a source may tell.
const (
	NotStarted  State = "not started"
	Interrupted State = "interrupted"
	Running     State = "running"
	Paused      State = "paused"
	Waiting     State = "waiting"
	Blocked     State = "blocked"
	Failed      State = "failed"
	// Review: the work itself is done; somebody has to check, approve or merge it.
	Review   State = "review"
	Complete State = "complete"
	// Ended: closed without being done.
	Ended   State = "ended"
	Corrupt State = "corrupt"
	Unknown State = "unknown"
)

// Open reports whether something is left to be done about it.
func (s State) Open() bool { return s != Complete && s != Ended }

// The states that only foreign tasks have.
const (
	TaskWaiting checkpoint.TaskState = "waiting"
	TaskUnknown checkpoint.TaskState = "unknown"
)

// Task is one unit of the work.
type Task struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	// Phase is the group that it stands in.
	Phase string               `json:"phase,omitempty"`
	State checkpoint.TaskState `json:"state"`
	// Aside: it is no step of the work, but settled within one, such as a question.
	Aside bool `json:"aside,omitempty"`
	// Raw is the word as written.
	Raw      string    `json:"raw,omitempty"`
	Needs    []string  `json:"needs,omitempty"`
	Files    []string  `json:"files,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	// Evidence is what the state was taken from.
	Evidence string    `json:"evidence,omitempty"`
	Began    time.Time `json:"began,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	Optional bool      `json:"optional,omitempty"`
}

// Point is where to go on, and why there. Task may name a step that is no task, such as a review.
type Point struct {
	Task   string `json:"task,omitempty"`
	Title  string `json:"title,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Question is what the work waits for.
type Question struct {
	Task    string   `json:"task,omitempty"`
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
	// Block: it is what stopped a task, and asks nothing.
	Block bool `json:"block,omitempty"`
}

// The names of alternatives; every source uses the same ones.
const (
	Continue    = "continue"
	ResumeAgent = "resume-agent"
	Respawn     = "respawn"
	RestartUnit = "restart-unit"
	SkipUnit    = "skip-unit"
	Reset       = "reset"
	Repair      = "repair"
	Answer      = "answer"
	ReviewIt    = "review"
	MergeIt     = "merge"
	StartFresh  = "start-fresh"
	CleanUp     = "clean-up"
	Hide        = "hide"
	// Discard drops a worktree of the work's own, and hides the work; its system's files stay.
	Discard = "discard"
)

// shownNames are the plain words for alternatives whose names are records by now: journals, JSON and scripts have them.
var shownNames = map[string]string{RestartUnit: "restart", SkipUnit: "skip"}

// ShownName is the name of an alternative as people see it and may type it.
func ShownName(name string) string {
	if shown := shownNames[name]; shown != "" {
		return shown
	}
	return name
}

// NamedByPeople is the name of the alternative that somebody means, by either of its names.
func NamedByPeople(typed string) string {
	for name, shown := range shownNames {
		if shown == typed {
			return name
		}
	}
	return typed
}

// Alternative is one thing that can be done, and what it means here.
type Alternative struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
	// Of are the parts to one of which it is done.
	Of []string `json:"of,omitempty"`
}

// Offers reports whether an alternative is one of those that apply.
func (f *Found) Offers(name string) bool {
	return slices.ContainsFunc(f.Alternatives, func(a Alternative) bool { return a.Name == name })
}

// Holds reports whether a file, named from the top of the worktree, belongs to the work: to its state, or to one of its tasks.
func (f *Found) Holds(file string) bool {
	if f.Root != "" && f.Root != "." && strings.HasPrefix(file, strings.TrimSuffix(f.Root, "/")+"/") || slices.Contains(f.Files, file) {
		return true
	}
	isNeed := func(n File) bool { return n.Path == file }
	isTasks := func(t Task) bool { return slices.Contains(t.Files, file) }
	return slices.ContainsFunc(f.Needs, isNeed) || slices.ContainsFunc(f.Tasks, isTasks)
}

// File is something the work depends on.
type File struct {
	Path string `json:"path"`
	// For is the task or phase that needs it.
	For      string `json:"for,omitempty"`
	Missing  bool   `json:"missing,omitempty"`
	Critical bool   `json:"critical,omitempty"`
}

// Doubt is something that does not fit together, with a stable code.
type Doubt struct {
	Code     string             `json:"code"`
	Severity conflicts.Severity `json:"severity"`
	Text     string             `json:"text"`
	Path     string             `json:"path,omitempty"`
}

// The codes of doubts that several sources tell; a source may have more of its own.
const (
	DoubtStaleMarker   = "stale-marker"         // a liveness mark or pointer that the evidence overrules
	DoubtAgentUnknown  = "agent-unknown"        // an agent is marked as working that the history does not know
	DoubtStatusWord    = "status-word"          // a status word that the evidence overrules
	DoubtUnknownWord   = "unknown-word"         // a word that nothing is known about
	DoubtDamaged       = "state-damaged"        // a state file cannot be read
	DoubtFallback      = "state-from-elsewhere" // another copy or an older version was read instead
	DoubtRebuilt       = "state-rebuilt"        // the state was put together from other evidence
	DoubtRefused       = "state-refused"        // a file was not read because it is hostile or too large
	DoubtMissing       = "file-missing"         // a referenced file is not there
	DoubtScope         = "scope-changed"        // what was asked for changed since
	DoubtNewTasks      = "tasks-added"          // tasks that the state does not know
	DoubtCopies        = "copies-differ"        // two copies of the state disagree
	DoubtNotMarked     = "done-not-marked"      // a commit exists for a task that is not marked done
	DoubtNoEvidence    = "done-no-evidence"     // marked done, and nothing shows it
	DoubtWorktree      = "worktree-unusable"    // the folder is not the worktree of this work
	DoubtUsedUp        = "attempts-used-up"     // only a person lets it be tried again
	DoubtCycle         = "needs-cycle"          // tasks need each other in a circle
	DoubtUnknownNeed   = "needs-unknown"        // a task needs one that is not there
	DoubtLocalTime     = "time-without-zone"    // taken as local time
	DoubtSkippedOver   = "older-work-open"      // older tasks were left open and passed over
	DoubtOtherWork     = "same-work-open"       // the same work is open elsewhere
	DoubtInvalidState  = "state-inconsistent"   // the state breaks its system's own rules
	DoubtDiscrepancy   = "status-disagrees"     // two records of one thing say different things
	DoubtAlreadyEnded  = "ended-elsewhere"      // it was finished outside of this workflow
	DoubtForeignChange = "changed-by-others"    // files of the work were changed by other work
	DoubtPhaseInvalid  = "phase-invalid"        // a phase that is over must be done again
	DoubtStale         = "stale-run"            // its system wants it to be reviewed after so long a time
	DoubtOwnCheck      = "own-check-differs"    // its own system would continue elsewhere, or not at all
	DoubtStillWritten  = "still-written"        // a state that says that it goes on was written moments ago
)

// Source finds the work of one system in a repository.
type Source interface {
	Name() string
	// Find reads what is there. An error is about the search itself;
	// a state that cannot be read is a Found in state Corrupt, never an absence.
	Find(ctx context.Context, v *View) ([]Found, error)
}

// Claimer is a source that knows its work by the name of a folder alone.
type Claimer interface {
	Source
	// Claims names the work whose state a folder of a commit holds; the name is empty for work that is called as the repository is.
	Claims(folder string) (id string, ok bool)
}

// Wish is what somebody wants done about a piece of work.
type Wish struct {
	// Name is one of the alternatives, Task the unit it concerns (empty: the resume point), Text an answer.
	Name string
	Task string
	Text string
	// Own: the answer need not be one of the options.
	Own bool
}

// Actor is a source that can say how an alternative changes its system's files.
type Actor interface {
	Source
	// Act works out the changes; it writes nothing. None, without an error, means that nothing has to be written.
	Act(ctx context.Context, v *View, f *Found, w Wish) ([]Change, error)
}

// Change is one edit of a system's own state, below the worktree Tree.
type Change struct {
	Tree string
	// Path is relative, with slashes; a folder only where it is moved.
	Path string
	// Was is what the change was worked out from; nil: there was no such file. If it is not there any more the change is off.
	Was []byte
	// Now is the new content; nil leaves it.
	Now []byte
	// To is where the file or folder goes; empty leaves it where it is.
	To string
	// Gone: the file is taken away. It stays where everything that a change replaces is kept.
	Gone bool
	// Mode is that of a file which was taken away; a source need not tell it.
	Mode fs.FileMode
}

// NoActionError says that an alternative does not apply.
type NoActionError struct{ Key, Name string }

func (e *NoActionError) Error() string { return "'" + e.Name + "' does not apply to " + e.Key }
