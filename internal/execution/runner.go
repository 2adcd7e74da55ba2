package execution

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Append records events of the run if the caller still owns the run.
type Append func(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error)

// Runner runs tasks in the worktree of one run.
type Runner struct {
	Repo   *gitstate.Repo
	Store  *journal.Store
	Append Append
	// Check returns a *journal.FencedError after somebody else has taken over the run.
	Check func(context.Context) error
	Now   func() time.Time
	Procs proc.Table
	// Env is the environment of commands. It is used without variables that name a repository, and with new variables GIT_RESUME_*.
	Env []string
	Streams
	// Signals delivers the signals that this program receives while a command is running.
	Signals  <-chan os.Signal
	LogLimit int64
	// Snapshot saves the uncommitted work. The argument cause is the reason for the snapshot.
	Snapshot func(ctx context.Context, cause string) (snapshot.Snapshot, error)
	// ByHand has the files that somebody changed after a task was stopped, with the ids of their contents. While these files are unchanged,
	// they belong to no task and are not committed.
	ByHand map[string]string
	// If Joined is true, the result of a task is not recorded at once, but together with the start of the next task, or when the method
	// Flush is called. Until it is recorded, only the task's commit proves the result. If the program is killed before that, a task without
	// a commit of its own counts as interrupted.
	Joined bool
	// If HeedPause is true, no command starts after somebody has paused the run: Do and Setup then return ErrPaused.
	HeedPause bool
	// Turn, if set, is locked by the caller of every method. The runner unlocks it while a command or a hook of the user runs, so that
	// other tasks can start and end meanwhile.
	Turn sync.Locker
	// Land brings a task's commits from its own linked worktree onto the run's branch, and records the result.
	Land func(ctx context.Context, job Job, out *Outcome) error

	held []checkpoint.Event
}

// Streams says where a command reads its input and writes its output.
type Streams struct {
	// Output and ErrOutput receive what commands print, while they print it.
	Output    io.Writer
	ErrOutput io.Writer
	Stdin     io.Reader
	// TTY is the terminal that commands use while they run; nil if there is none.
	// If an output is a terminal too, commands write to it directly, and this output is not kept.
	TTY *os.File
}

// The constant grace is the time that a command gets after it was asked to end. The constant pulse is the time between two checks whether
// the run still belongs to us.
const (
	grace = 10 * time.Second
	pulse = 2 * time.Second
)

// Job is one task's command.
type Job struct {
	Run     checkpoint.RunID
	Branch  refs.Name
	Task    checkpoint.TaskID
	Title   string
	Subject string
	// The field Why is the reason for another attempt, if the task was started before.
	Why string
	// Shell is a command line for the shell. If Args is set, Args is executed directly, and Shell is not used.
	Shell   string
	Args    []string
	Timeout time.Duration
	// Own is true if the worktree belongs to the run. In such a worktree, everything is committed, except files that were changed by hand.
	// In the user's worktree, only files that were changed since the task started are committed, and none that were uncommitted before.
	Own bool
	// Inputs has patterns of files that must not change while the command is running. If such a file changes and is not also an output,
	// the task fails.
	Inputs  []string
	Outputs []string
	// Watched lists the patterns of all files that the plan's tasks declare.
	Watched    []string
	NoVerify   bool
	NoTrailers bool
	BaseTip    object.ID
	// Place is the number of the linked worktree in which the task works while other tasks run. It is 0 if the task works in the run's own
	// worktree.
	Place int
	// Slot is a number that no other running task has, from 1 to the number of jobs. 0 counts as 1.
	Slot int
	// Tool is true if the command starts a program that does the task, such as a coding agent. If the program reports how the task ended,
	// this usually counts instead of the exit code. Env is added to the environment of the command.
	Tool bool
	Env  []string
	// Answers are the variables with the answers to the run's questions. They are no part of the command, so that a finished task stays
	// valid if an answer changes.
	Answers []string
	// From is the HEAD at which the caller decided to run the command; empty if it does not matter.
	From object.ID
	// Clean is the tree of a worktree without changed or ignored files. It is empty if there are such files, or if this is not known.
	Clean object.ID
	// Onto is the snapshot of the files that were uncommitted before the task; empty if there were none.
	Onto object.ID
	// Leave is true if nothing is committed in the user's worktree: it is not known which files were uncommitted there before, or it is the
	// single command of "git resume run", whose changes the user commits.
	Leave bool
	// Before is recorded as the state of the watched files before the task; nil if it is their state now.
	Before *checkpoint.WorktreeState
	// Begun is called when the start of the task and all earlier results are recorded; it may be nil.
	Begun func(*journal.Journal)
}

// watchedFiles lists the files that show how far an interrupted attempt got.
// In the user's worktree it lists all files, to distinguish the user's changes from those of the command.
func (j Job) watchedFiles() []string {
	if !j.Own {
		return []string{AllFiles}
	}
	return append(append([]string{}, j.Inputs...), j.Outputs...)
}

// branch returns the branch that must be checked out where the task works. It is empty for a task in a linked worktree of its own, where no
// branch is checked out.
func (j Job) branch() refs.Name {
	if j.Place > 0 {
		return ""
	}
	return j.Branch
}

// LogMessage returns the message for the reflogs if the task works in a linked worktree of its own, and "" for other tasks. The message
// does not name the task, because a git process that keeps running for several tasks has only one message.
func (j Job) LogMessage() string {
	if j.Place == 0 {
		return ""
	}
	return "commit: task of " + string(j.Run)
}

// Hash identifies the exact text of the command. It is empty for a tool of the user, which is not part of the plan.
func (j Job) Hash() string {
	if j.Tool {
		return ""
	}
	return Hash(j.Shell, j.Args)
}

// Hash identifies a command by its text.
func Hash(shell string, args []string) string {
	h := sha256.New()
	if args != nil {
		fmt.Fprintf(h, "args %q", args)
	} else {
		fmt.Fprintf(h, "shell %q", shell)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Outcome is the result of a job.
type Outcome struct {
	Journal *journal.Journal
	State   checkpoint.TaskState // Done, Failed, Blocked if a person must answer first, or Active if a signal or another process stopped the task
	Cause   string
	Ended   proc.Ended
	Commit  commit.Result
	Made    bool
	Attempt string
	// Vouched says why a task counts as done although no process saw it end.
	Vouched string
	Log     string
	Skipped int64
	// Left lists processes that the command started and that are still running.
	Left []int
	// Changed lists the inputs that changed while the command was running. It leaves out inputs that are outputs too.
	Changed []string
	Saved   snapshot.Snapshot
	// Unsaved says why the uncommitted work could not be saved. That work is still in the worktree.
	Unsaved error
	Took    time.Duration
	// Clash lists the files with conflicts that prevented the merge of the result, with the conflicting lines if they are known.
	Clash []string
	// Others lists the uncommitted files of the user's worktree that are not part of the task's result, because they were uncommitted before
	// the task or were changed by hand.
	Others []string
	// If a signal arrived when the task was already done, Late is the cause that CauseOf returns for it. Otherwise Late is empty.
	Late string
	// Told is true if the tool or the worker itself reported how the task ended.
	Told bool
}

// The causes of a failure or a stop, as they are stored.
const (
	CauseExit      = "exit"
	CauseSignal    = "signal"
	CauseTimeout   = "timeout"
	CauseInterrupt = "interrupt"
	CauseTerminate = "terminated"
	CauseHangup    = "hangup"
	CauseFenced    = "fenced"
	CausePaused    = "paused"
	CauseBranch    = "branch"
	CauseOperation = "operation"
	CauseWorktree  = "worktree"
	CauseInput     = "input"
	CauseStart     = "start"
	CauseHook      = "hook"
	// These causes say why the result of a task was not merged: it conflicts with the results of other tasks, its input files have changed,
	// or its check fails on the merged state.
	CauseConflict = "conflict"
	CauseInputs   = "inputs-moved"
	CauseVerify   = "verify"
	// CauseUnreported says that a tool ended without a report about its task.
	CauseUnreported = "unreported"
)

// causeTexts holds the words for the stored causes.
var causeTexts = sync.OnceValue(func() map[string]string {
	return map[string]string{
		CauseSignal:     "ended by a signal",
		CauseTimeout:    "its time limit was exceeded",
		CauseHook:       "a hook refused its commit",
		CauseUnreported: "its worker ended without a report",
		CauseConflict:   "its result conflicts with other results",
		CauseInputs:     "files that it reads were changed meanwhile",
		CauseVerify:     "its check fails after merging with other results",
		CauseBranch:     "it left another branch, or none, checked out",
		CauseOperation:  "it left a git operation unfinished",
		CauseWorktree:   "the worktree is gone",
		CauseInput:      "a file that it reads was changed while it ran",
		CauseStart:      "its command could not be started",
		CauseInterrupt:  "Ctrl-C",
		CauseTerminate:  "SIGTERM",
		CauseHangup:     "the terminal was closed",
		CausePaused:     "it was paused",
	}
})

// CauseText returns the words for a stored cause, or "" if there are none.
func CauseText(cause string) string { return causeTexts()[cause] }

// Failure returns the words for the failure of a task: its exit code, the words for its cause, or the cause itself if there are no words.
func Failure(cause string, code *int) string {
	if cause == CauseExit && code != nil {
		return fmt.Sprintf("exit code %d", *code)
	}
	return cmp.Or(CauseText(cause), cause)
}

// ErrHead says that a command was not started, because HEAD has moved since the caller decided to run the command. For example, a git
// process that was left by a killed program may have committed a task's result in the meantime.
var ErrHead = errors.New("HEAD has moved since the task was checked")

// Do runs a job once: it records the start, runs the command, commits, and records the result. It takes the task lock first. If another
// process holds the lock, or if HEAD is not at job.From, nothing is recorded.
func (r *Runner) Do(ctx context.Context, job Job) (*Outcome, error) {
	begun := r.Now()
	lock, err := owner.LockTask(r.Store, job.Run, job.Place)
	if err != nil {
		return nil, err
	}
	defer lock.LetGo()
	before, err := r.describeBefore(ctx, job)
	if err != nil {
		return nil, err
	}
	_, head, err := r.Repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	if job.From != "" && head != job.From {
		return nil, ErrHead
	}
	out := &Outcome{}
	recorded := before
	if job.Before != nil {
		recorded = *job.Before
	}
	if err := r.recordStart(ctx, job, head, recorded, out); err != nil {
		return nil, err
	}
	if err := r.command(ctx, job, lock, out); err != nil {
		return out, err
	}
	out.Took = r.Now().Sub(begun)
	if err := lock.Retake(); err != nil {
		return out, err
	}
	if job.Tool {
		if err := r.judgeTool(ctx, job, out); err != nil {
			return out, err
		}
	}
	if out.State == checkpoint.Done {
		r.checkLeftovers(ctx, job, before, out)
	}
	if job.Place > 0 {
		lock.LetGo() // release the lock, because the check of the merged result takes it again
	}
	switch {
	case out.State == checkpoint.Done:
		return out, r.finish(ctx, job, head, out)
	case out.Told:
		return out, nil
	}
	return out, r.fail(ctx, job, out)
}

// describeBefore describes the watched files of the task, before it starts.
func (r *Runner) describeBefore(ctx context.Context, job Job) (checkpoint.WorktreeState, error) {
	if job.Clean != "" {
		return CleanState(job.Clean, job.watchedFiles()), nil
	}
	defer r.rest()()
	return DescribeFiles(ctx, r.Repo, job.watchedFiles())
}

// checkLeftovers checks the worktree after a successful command. The task fails if the worktree is gone, if the command left a git
// operation unfinished or another branch checked out, or if an input has changed.
func (r *Runner) checkLeftovers(ctx context.Context, job Job, before checkpoint.WorktreeState, out *Outcome) {
	fail := func(cause string) { out.State, out.Cause, out.Told = checkpoint.Failed, cause, false }
	if r.treeGone() {
		fail(CauseWorktree)
		return
	}
	if op := ongoing.OperationIn(r.Repo); op != ongoing.NoOperation {
		fail(CauseOperation)
		return
	}
	branch, _, err := r.Repo.Refs.Head(ctx)
	if err != nil || branch != job.branch() && job.Own {
		fail(CauseBranch)
		return
	}
	changed, many, err := Changed(ctx, r.Repo, before, job.Inputs)
	for _, p := range changed {
		if !Matches(job.Outputs, p) { // a command is allowed to change an input that is also one of its outputs
			out.Changed = append(out.Changed, p)
		}
	}
	if err != nil || many || len(out.Changed) > 0 {
		fail(CauseInput)
	}
}

func (r *Runner) treeGone() bool {
	_, err := os.Stat(r.Repo.WorkTree)
	if err == nil {
		_, err = os.Stat(r.Repo.GitDir)
	}
	return err != nil
}
