// Package sources reads the state files of other workflow systems and converts each piece of work into the common type
// Found. Where it can, a source compares status words with evidence such as commits, and reports contradictions as
// doubts. A source writes no files: it returns changes, and the caller writes them.
package sources

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Found describes one piece of work that a source found, whether interrupted, open or finished.
type Found struct {
	// Source is the name of the system. ID identifies the work within that system. Name is the name that people use for the work.
	Source string `json:"source"`
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	// Headline is one line that says how far along the work is, in the system's own terms. UnderWay, if it is not empty, replaces Headline
	// while the work is in the state "running".
	Headline string `json:"headline,omitempty"`
	UnderWay string `json:"under_way,omitempty"`
	// Stands gives the progress in the system's own units, for example "chunk 2 of 4". If it is empty, the finished tasks are counted
	// instead.
	Stands string `json:"stands,omitempty"`
	// Plan lists the remaining steps in order. If it is empty, the open tasks are listed instead.
	Plan []string `json:"plan,omitempty"`
	// Sound is a short text that says which rules of their system the state files follow. It is empty if a rule is broken or if nothing was
	// checked.
	Sound string `json:"sound,omitempty"`
	// Listed says in lists at what the work stands, for example "phase 2, T003". If it is empty, lists show the id of the next task.
	Listed string `json:"listed,omitempty"`
	// Stays warns about files that remain after a discard, and says what the system would do with them. It is empty if there is nothing to
	// warn about.
	Stays string `json:"stays,omitempty"`
	// Again is the system's own command to start the same kind of work from scratch.
	Again string `json:"again,omitempty"`
	// Steps is the number of finished steps inside the tasks, for systems that count steps.
	Steps int `json:"steps,omitempty"`
	// Home is the worktree that contains the state files. Root is their folder, and Files lists them. Root and Files are
	// relative to Home.
	Home  string   `json:"-"`
	Root  string   `json:"root,omitempty"`
	Files []string `json:"files,omitempty"`
	// Same holds further keys of the work, such as "story:4.2". Two entries with a common key are the same work.
	Same []string `json:"same,omitempty"`
	// Apart lists the ids of works of the same source that share a key with this work but are separate, because the
	// user must be able to choose one of them.
	Apart []string `json:"-"`
	Tasks []Task   `json:"tasks,omitempty"`
	// Unlisted is true if some tasks may be missing from Tasks, so that their number is not known.
	Unlisted bool `json:"unlisted,omitempty"`
	// Status is the status word from the state file, unchanged. State is what git-resume concluded from it and from
	// other evidence.
	Status string `json:"status,omitempty"`
	State  State  `json:"state"`
	Cause  string `json:"cause,omitempty"`
	// Stopped means that nobody is working now, according to the state files. If it is false, a state file that was written recently counts
	// as a sign of a running worker.
	Stopped bool `json:"stopped,omitempty"`
	// Mode says how often the system asks the user questions. It is empty if the system did not record it.
	Mode string `json:"mode,omitempty"`
	// Active is the time of the last activity. The field "From" says where that time was found, for example in a field of a state file.
	Active time.Time `json:"active,omitzero"`
	From   string    `json:"from,omitempty"`
	// Worktree is the registered worktree of the work, or empty if it has none. The field "Wants" is the path for a new worktree, relative
	// to the main worktree. The field "Beside" is true if git-resume chose that path, because the system has no path of its own.
	Worktree string `json:"-"`
	Wants    string `json:"wants,omitempty"`
	Beside   bool   `json:"beside,omitempty"`
	// Branch is the full ref name of the work's branch. Base is the branch into which the work will be merged.
	Branch refs.Name `json:"branch,omitempty"`
	Base   string    `json:"base,omitempty"`
	// Start is the commit at which the work started. Last is the newest commit that belongs to the work. Either may be
	// empty.
	Start object.ID `json:"start,omitempty"`
	Last  object.ID `json:"last,omitempty"`
	Point Point     `json:"point"`
	// The task at Point can consist of parts. Rest lists the parts that come after the next part, in the system's own words. It is empty if
	// the task has no parts, or if they are not known.
	Rest []string `json:"rest,omitempty"`
	// Context lists further facts for the next worker, such as finished parts of a task or answers of the user.
	Context []string `json:"context,omitempty"`
	// OwnLogs means that each worker records tasks as events in a log of its own, in a folder of events/ below Root, and changes no event
	// that exists.
	OwnLogs bool `json:"own_logs,omitempty"`
	// Questions lists the questions that a person must answer, in this order.
	Questions []Question `json:"questions,omitempty"`
	// Alternatives lists the actions that the user can choose, the best one first.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Edits lists the files that the work changes, according to its state file. Their paths are relative to Home.
	Edits []string `json:"edits,omitempty"`
	// Needs lists the files that the work depends on.
	Needs  []File  `json:"needs,omitempty"`
	Doubts []Doubt `json:"doubts,omitempty"`
	// Rebuilt means that the state was reconstructed, for example from commits. A person must confirm it before the work continues.
	Rebuilt bool `json:"rebuilt,omitempty"`
	// PIDs lists the process ids that the system recorded for its workers.
	PIDs []int `json:"pids,omitempty"`
	// Drivers lists the system's commands for this work. A process that runs one of these commands in this project counts as a worker.
	Drivers []Driver `json:"-"`
	// Names lists further names that commits may use for the work, besides its ID and its branch, for example the name of a story.
	Names []string `json:"names,omitempty"`
	// Calls lists further names by which people may call the work, such as the story at which it continues. They may change over time.
	Calls []string `json:"-"`
	// Newest means that the system itself continues the most recently updated of several pieces of work, in its automatic mode.
	Newest bool `json:"-"`
	// Branched means that the system makes a branch for each piece of work. So if the base has the state files of a piece of work, its
	// branch was merged.
	Branched bool `json:"-"`
	// Along is true if the commit that added the plan also changed code that the plan names. A merge of that commit then shows that the
	// plan was carried out, and not only that it was written.
	Along bool `json:"-"`
	// Partly is true if there are signs that people merge the work part by part, and some parts are still to be done. A merge then does not
	// mean that all of the work was merged.
	Partly bool `json:"-"`
	// Earlier counts the finished tasks of parts that are over, such as earlier milestones. They do not show how near the end of the work is.
	Earlier int `json:"-"`
	// Unticked is true if nobody ticks the tasks of this work. Only commits show which of them are done, so some may be done without a trace.
	Unticked bool `json:"-"`
	// OnlyPlanned is true if only the plan of the work was written, and its files are committed. Nobody has started to carry it out.
	OnlyPlanned bool `json:"-"`
	// Awaits is true if it is certain that the last step of the work was not done. The last step is the merge, if the files that the work
	// created are not here. It is a verification, if the system says that one comes next. If Awaits is true, later commits about something
	// else do not mean that the work is finished.
	Awaits bool `json:"-"`
	// Committed is true if a finished task makes a commit, but does not change the state files. The commit Last then counts as the last
	// change of the state.
	Committed bool `json:"-"`
	// The field "Over" is the system's own statement that the work is over, although some tasks are open. It is empty if there is no such
	// statement.
	Over string `json:"over,omitempty"`
	// Agent is the name of a coding agent, and Session is the id of its session that could be resumed.
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// ResumesAgent is true if the user chose to let this agent continue.
	ResumesAgent bool `json:"-"`
	// Protocol maps field names from the system's documentation to their values.
	Protocol map[string]any `json:"protocol,omitempty"`
	// Command is the system's own command to continue. CommandIn is the folder in which it must be started; if it is empty, that is Home.
	Command   string `json:"command,omitempty"`
	CommandIn string `json:"-"`
}

// Slug returns the part of the ID after the last slash. If there is no such part, it returns the whole ID.
func (f *Found) Slug() string {
	if i := strings.LastIndexByte(f.ID, '/'); i >= 0 && i+1 < len(f.ID) {
		return f.ID[i+1:]
	}
	return f.ID
}

// Called reports whether the user may mean this work by the given name. The name can be one of f.Calls, the result of Slug with or without
// its leading number, or the recorded feature name. Only the words count, so "User Auth" is "user-auth".
func (f *Found) Called(name string) bool {
	words := nameWords(name)
	return len(words) > 0 && slices.ContainsFunc(f.calls(), func(c string) bool { return slices.Equal(nameWords(c), words) })
}

// Mentions reports whether some name of the work has all words of the given text, or the text, such as a description, has all words of
// some name.
func (f *Found) Mentions(text string) bool {
	words := nameWords(text)
	return slices.ContainsFunc(f.calls(), func(c string) bool {
		all := nameWords(c)
		return hasWords(all, words) || hasWords(words, all)
	})
}

// hasWords reports whether there are words and all of them are in a text. A longer word may be the beginning of another, as "auth" is of
// "authentication".
func hasWords(text, words []string) bool {
	const least = 4
	same := func(a, b string) bool {
		return a == b || min(len(a), len(b)) >= least && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
	}
	isMissing := func(w string) bool {
		return !slices.ContainsFunc(text, func(t string) bool { return same(t, w) })
	}
	return len(words) > 0 && !slices.ContainsFunc(words, isMissing)
}

func (f *Found) calls() []string {
	recorded, _ := f.Protocol["feature_name"].(string)
	return append(slices.Clone(f.Calls), f.Slug(), strings.TrimLeft(f.Slug(), "0123456789"), recorded)
}

// nameWords returns the words of a name in lower case, without the signs between them.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// Unit returns the system's word for a task. For example, if Stands is "chunk 2 of 4", the word is "chunk". Without such a word it
// returns "task", or "step" if Stands counts steps or iterations.
func (f *Found) Unit() string {
	// A text such as "iteration 2 of 5" does not count tasks.
	if strings.Contains(f.Stands, ", step ") || strings.HasPrefix(f.Stands, "iteration ") {
		return "step"
	}
	word, rest, _ := strings.Cut(f.Stands, " ")
	n, _, counted := strings.Cut(rest, " of ")
	if !counted {
		n, _, counted = strings.Cut(rest, " (") // for a text such as "phase 3 (Implement)"
	}
	if counted && n != "" && strings.Trim(n, "0123456789") == "" {
		return word
	}
	return "task"
}

// Counted reports whether lists say how many of the work's tasks are done. They do not if Listed already is the whole story, as its headline
// tells it, if it is a step that comes before all tasks, or if the tasks are the steps and rounds of a loop.
func (f *Found) Counted() bool {
	planned := f.Listed == "" || f.Listed != f.Point.Task
	whole := f.Listed != "" && strings.HasPrefix(f.Headline+"; ", f.Listed+"; ") // "plan 02" is not what "plan 02 was interrupted" tells
	return f.Unit() != "step" && planned && !whole
}

// Nth names a task by its place among the others, as in "phase 2 of 10". If its author gave it another number, the text keeps both apart, as in
// "phase 1 (2nd of 10)".
func Nth(unit, id string, n, of int) string {
	number, err := strconv.Atoi(id)
	if err != nil || number == n {
		return fmt.Sprintf("%s %d of %d", unit, n, of)
	}
	ending := "th"
	if tens := n / 10 % 10; tens != 1 && n%10 > 0 && n%10 <= 3 {
		ending = []string{"st", "nd", "rd"}[n%10-1]
	}
	return fmt.Sprintf("%s %s (%d%s of %d)", unit, id, n, ending, of)
}

// OpenTasks returns how many tasks of the work are neither done nor skipped.
func (f *Found) OpenTasks() (n int) {
	for _, t := range f.Tasks {
		if !t.Aside && !t.State.Closed() {
			n++
		}
	}
	return n
}

// MergedInPart reports whether a merge of the work leaves something of it to be done. In systems that do not make a branch for each piece of
// work, people often merge the whole work without ticking the last boxes, so open tasks show nothing there.
func (f *Found) MergedInPart() bool { return f.Branched && f.OpenTasks() > 0 }

// Key returns a name that is unique among all sources, such as auto-claude:005-user-auth.
func (f *Found) Key() string { return f.Source + ":" + f.ID }

// State is the state of a whole piece of work, for example interrupted or complete.
type State string

// These are the possible states of a piece of work.
const (
	NotStarted  State = "not started"
	Interrupted State = "interrupted"
	Running     State = "running"
	Paused      State = "paused"
	Waiting     State = "waiting"
	Blocked     State = "blocked"
	Failed      State = "failed"
	// Review means that the work is done, but somebody still has to check, approve or merge it.
	Review   State = "review"
	Complete State = "complete"
	// Ended means that the work was closed although it was not done.
	Ended   State = "ended"
	Corrupt State = "corrupt"
	Unknown State = "unknown"
)

// Open reports whether the work still needs attention: every state except Complete and Ended.
func (s State) Open() bool { return s != Complete && s != Ended }

// These task states occur only in other systems, and never in git-resume's own runs.
const (
	TaskWaiting checkpoint.TaskState = "waiting"
	TaskUnknown checkpoint.TaskState = "unknown"
)

// Task is one task of a piece of work.
type Task struct {
	ID    string               `json:"id"`
	Title string               `json:"title,omitempty"`
	Phase string               `json:"phase,omitempty"`
	State checkpoint.TaskState `json:"state"`
	// Aside means that the task does not count as a step. A question, for example, is answered during another step.
	Aside bool `json:"aside,omitempty"`
	// Raw is the status word from the state file, unchanged.
	Raw      string    `json:"raw,omitempty"`
	Needs    []string  `json:"needs,omitempty"`
	Files    []string  `json:"files,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	// Note is shown instead of the state if the state would be misleading. An example is a task in progress on which nobody has worked
	// since the user answered a question.
	Note string `json:"note,omitempty"`
	// Evidence names the proof for the state, such as a commit or a file.
	Evidence string    `json:"evidence,omitempty"`
	Began    time.Time `json:"began,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	Optional bool      `json:"optional,omitempty"`
	// Traceless means that no commit and no file shows whether this task was carried out. An example is a last check of everything.
	Traceless bool `json:"-"`
	// Overtaken means that the task is open, a later task is done, and the system carries out its tasks in order.
	Overtaken bool `json:"-"`
}

// Point says where the work continues, and for what reason. Its Task may also be a step outside of the task list, such as a review.
type Point struct {
	Task   string `json:"task,omitempty"`
	Title  string `json:"title,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Question is a question that a person must answer, or the reason why a task is blocked.
type Question struct {
	Task    string   `json:"task,omitempty"`
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
	// About is the subject of the question in the system's own words. It is empty if the question is about a task or the next step.
	About string `json:"about,omitempty"`
	// Block means that Text is not a question, but the reason why a task is blocked.
	Block bool `json:"block,omitempty"`
	// The field "Then" says what an answer changes besides being recorded, for example "T002 marked as started again". It is empty if
	// nothing else changes.
	Then string `json:"then,omitempty"`
}

// Holds reports whether a file belongs to the work. The path is relative to the worktree.
func (f *Found) Holds(file string) bool {
	if f.Root != "" && f.Root != "." && strings.HasPrefix(file, strings.TrimSuffix(f.Root, "/")+"/") || slices.Contains(f.Files, file) || slices.Contains(f.Edits, file) {
		return true
	}
	isNeed := func(n File) bool { return n.Path == file }
	isTasks := func(t Task) bool { return slices.Contains(t.Files, file) }
	return slices.ContainsFunc(f.Needs, isNeed) || slices.ContainsFunc(f.Tasks, isTasks)
}

// File is a file that the work depends on.
type File struct {
	Path string `json:"path"`
	// The field "For" is the task or phase that needs the file.
	For      string `json:"for,omitempty"`
	Missing  bool   `json:"missing,omitempty"`
	Critical bool   `json:"critical,omitempty"`
	// Made means that the step in For creates the file, or has created it, instead of reading it. Changed means that somebody else has
	// changed it since.
	Made    bool `json:"made,omitempty"`
	Changed bool `json:"changed,omitempty"`
}

// Doubt is a warning about a contradiction or a problem in the state files. Its code stays the same between versions.
type Doubt struct {
	Code     string             `json:"code"`
	Severity conflicts.Severity `json:"severity"`
	Text     string             `json:"text"`
	Path     string             `json:"path,omitempty"`
}

// Whole returns the text of the doubt, including the path of the file if the text does not contain it yet.
func (d Doubt) Whole() string {
	if d.Path == "" || strings.Contains(d.Text, d.Path) {
		return d.Text
	}
	return d.Path + " " + d.Text
}

// These are the codes of doubts that several sources report. Some sources define further codes.
const (
	DoubtStaleMarker   = "stale-marker"         // a file or a note about the current work is out of date, such as the name of the running agent
	DoubtAgentUnknown  = "agent-unknown"        // the state names a running agent that is missing from the agent history
	DoubtStatusWord    = "status-word"          // a status word contradicts the evidence, such as commits
	DoubtUnknownWord   = "unknown-word"         // a status word has an unknown meaning
	DoubtDamaged       = "state-damaged"        // a state file is damaged
	DoubtFallback      = "state-from-elsewhere" // a copy or an older version was read instead of a state file
	DoubtRebuilt       = "state-rebuilt"        // the state was reconstructed from other files or commits
	DoubtRefused       = "state-refused"        // a state file was not read, for example because it is too large
	DoubtMissing       = "file-missing"         // a file that the work needs does not exist
	DoubtScope         = "scope-changed"        // the requirements or the plan changed after the work started
	DoubtNewTasks      = "tasks-added"          // the plan has tasks that the state file does not contain
	DoubtCopies        = "copies-differ"        // two copies of the same work differ
	DoubtNotMarked     = "done-not-marked"      // a commit shows that a task is done, but its status does not
	DoubtNoEvidence    = "done-no-evidence"     // a task is marked as done, but no commit or file proves it
	DoubtWorktree      = "worktree-unusable"    // the folder for the worktree is missing, or belongs to something else
	DoubtUsedUp        = "attempts-used-up"     // a task failed so often that a person must allow another attempt
	DoubtCycle         = "needs-cycle"          // tasks depend on each other in a cycle
	DoubtUnknownNeed   = "needs-unknown"        // a task depends on a task that does not exist
	DoubtLocalTime     = "time-without-zone"    // a time without a time zone was read as local time
	DoubtSkippedOver   = "older-work-open"      // an earlier task is not done although later tasks were started or done
	DoubtOtherWork     = "same-work-open"       // another piece of work for the same goal is open too
	DoubtInvalidState  = "state-inconsistent"   // the state file breaks a rule of its system
	DoubtDiscrepancy   = "status-disagrees"     // two statements in the state files contradict each other
	DoubtAlreadyEnded  = "ended-elsewhere"      // the work was finished outside of this workflow, or its branch was merged
	DoubtForeignChange = "changed-by-others"    // later commits have changed files of this work
	DoubtPhaseInvalid  = "phase-invalid"        // a finished phase must be done again
	DoubtStale         = "stale-run"            // nobody has worked on the run for so long that it should be reviewed before it continues
	DoubtOwnCheck      = "own-check-differs"    // the system's own resume command would continue elsewhere, or not at all
	DoubtUnfinished    = "checkout-unfinished"  // the checkout or the copy of the worktree was interrupted, so the times of files say nothing
	DoubtStillWritten  = "still-written"        // the last activity was recorded moments ago, and the state does not say that the work stopped
)

// Source searches a repository for the work of one workflow system.
type Source interface {
	Name() string
	// Find returns the work in the repository, including work whose state files cannot be read. An error means that the
	// search itself failed.
	Find(ctx context.Context, v *View) ([]Found, error)
}

// Claimer is a source that can recognize its work by the path of a folder, without reading any file.
type Claimer interface {
	Source
	// Claims reports whether a folder that was found in a commit belongs to a piece of work of this system. If so, it returns the id of
	// that work. An empty id means that the work is named after the repository.
	Claims(folder string) (id string, ok bool)
}

// Starter is a source whose system has commands to start new work.
type Starter interface {
	Source
	// Starts returns a text with the commands that start new work. It is shown after the name of the system.
	Starts() string
	// SetUp reports whether a worktree has the system's own commands, although there may be no work of it.
	SetUp(t Tree) bool
}

// ActionRequest is the action that the user chose for a piece of work.
type ActionRequest struct {
	// Name is the name of the chosen alternative. Task is the task to act on, or empty for the point at which the work
	// continues. Text is the user's answer to a question.
	Name string
	Task string
	Text string
	// Own means that Text may be any answer, and not only one of the options.
	Own bool
}

// Actor is a source that can compute how an action changes the system's files.
type Actor interface {
	Source
	// Act returns the changes for an action and writes nothing itself. If it returns neither changes nor an error, there is nothing to
	// write.
	Act(ctx context.Context, v *View, f *Found, w ActionRequest) ([]Change, error)
}

// Change is one change to a file or folder of a system. Tree is the worktree that contains the file.
type Change struct {
	Tree string
	// Path is relative to Tree and uses forward slashes. It may be a folder only if the change moves it.
	Path string
	// The field "Was" is the old content on which the change is based, or nil if there was no file. If the file has different content now,
	// the change is refused.
	Was []byte
	// The field "Now" is the new content, or nil if the change writes no content.
	Now []byte
	// The field "To" is the new path of the file or folder. If it is empty, nothing is moved.
	To string
	// Gone means that the file is deleted.
	Gone bool
	// Mode is the file mode of a deleted file. Sources need not set it.
	Mode fs.FileMode
}

// NoActionError means that the chosen action does not apply to this work.
type NoActionError struct{ Key, Name string }

func (e *NoActionError) Error() string { return "'" + e.Name + "' does not apply to " + e.Key }
