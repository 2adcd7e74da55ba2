package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
)

// Append records events of the run if whoever executes it still may.
type Append func(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*checkpoint.Journal, error)

// Runner runs tasks in the worktree of one run.
type Runner struct {
	Repo   *gitstate.Repo
	Store  *checkpoint.Store
	Append Append
	Now    func() time.Time
	Procs  proc.Table
	// Env is what commands see, beside the variables that name run, task and attempt.
	Env []string
	// Output and ErrOutput receive what commands print, as it comes.
	Output    io.Writer
	ErrOutput io.Writer
	Stdin     io.Reader
	// TTY, where set, is the terminal that commands get while they run.
	TTY *os.File
	// Signals are those that reach this program while a command runs.
	Signals <-chan os.Signal
	// Grace is how long a command may take to end after it was asked to.
	Grace    time.Duration
	LogLimit int64
	// Snapshot saves what is uncommitted.
	Snapshot func(ctx context.Context, cause string) (worktree.Snapshot, error)
}

// Job is one task's command.
type Job struct {
	Run     checkpoint.RunID
	Branch  string
	Task    checkpoint.TaskID
	Title   string
	Subject string
	// Shell is a command line for the shell; Args, where set, is run as it is.
	Shell   string
	Args    []string
	Timeout time.Duration
	// Commit takes everything that the command changed; without it only commits of the command's own count.
	Commit bool
	// Inputs are watched: one that changes while the command runs makes the result uncertain.
	Inputs     []string
	NoVerify   bool
	NoTrailers bool
	BaseTip    gitstate.OID
}

// Hash names the exact text of a command: what was approved, and what a finished task ran.
func (j Job) Hash() string { return Hash(j.Shell, j.Args) }

// Hash names a command by its text.
func Hash(shell string, args []string) string {
	h := sha256.New()
	if args != nil {
		fmt.Fprintf(h, "args %q", args)
	} else {
		fmt.Fprintf(h, "shell %q", shell)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Outcome is what became of a job.
type Outcome struct {
	Journal *checkpoint.Journal
	State   checkpoint.TaskState // Done, Failed, or Active: stopped from outside
	Cause   string
	Ended   proc.Ended
	Commit  checkpoint.Committed
	Made    bool
	Attempt string
	Log     string
	Skipped int64
	// Left are processes that the command left running.
	Left  []int
	Saved worktree.Snapshot
	Took  time.Duration
}

// Causes of a failure or a stop, as they are stored.
const (
	CauseExit      = "exit"
	CauseSignal    = "signal"
	CauseTimeout   = "timeout"
	CauseInterrupt = "interrupt"
	CauseTerminate = "terminated"
	CauseHangup    = "hangup"
	CauseBranch    = "branch"
	CauseOperation = "operation"
	CauseWorktree  = "worktree"
	CauseInput     = "input"
	CauseStart     = "start"
)

// Do runs one job once: intent, command, commit, result.
func (r *Runner) Do(ctx context.Context, job Job) (*Outcome, error) {
	begun := r.Now()
	_, head, err := r.Repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	out := &Outcome{}
	if err := r.intend(ctx, job, head, out); err != nil {
		return nil, err
	}
	before := r.inputs(ctx, job)
	if err := r.command(job, out); err != nil {
		return nil, err
	}
	out.Took = r.Now().Sub(begun)
	if out.State == checkpoint.Done {
		r.look(ctx, job, before, out)
	}
	if out.State == checkpoint.Done {
		return out, r.finish(ctx, job, head, out)
	}
	return out, r.fail(ctx, job, out)
}

// intend records that the task begins, before anything of it happens.
func (r *Runner) intend(ctx context.Context, job Job, head gitstate.OID, out *Outcome) error {
	j, err := r.Append(ctx, func(run *checkpoint.Run) ([]checkpoint.Event, error) {
		out.Attempt = r.Store.NextID()
		return []checkpoint.Event{{
			Event: checkpoint.TaskStarted, Task: job.Task, Attempt: out.Attempt, Head: head, BaseTip: job.BaseTip, Command: job.Hash(),
		}}, nil
	})
	out.Journal = j
	return err
}

// look judges what a command that ended well has left: the tree it was given must still be one to commit in.
func (r *Runner) look(ctx context.Context, job Job, before string, out *Outcome) {
	fail := func(cause string) { out.State, out.Cause = checkpoint.Failed, cause }
	if _, err := os.Stat(r.Repo.WorkTree); err != nil {
		fail(CauseWorktree)
		return
	}
	if op := r.Repo.Operation(); op != gitstate.NoOperation {
		fail(CauseOperation)
		return
	}
	branch, _, err := r.Repo.Head(ctx)
	if err != nil || branch != job.Branch {
		fail(CauseBranch)
		return
	}
	if before != "" && before != r.inputs(ctx, job) {
		fail(CauseInput)
	}
}

// finish commits what the command changed and records that the task is done.
// Commits that the command made itself count as they are; what it left uncommitted comes on top.
func (r *Runner) finish(ctx context.Context, job Job, head gitstate.OID, out *Outcome) error {
	subject := job.Subject
	if subject == "" {
		subject = job.Title
	}
	if subject == "" {
		subject = string(job.Task)
	}
	if !job.Commit {
		return r.countOwn(ctx, job, head, out)
	}
	var err error
	out.Commit, err = checkpoint.Commit(ctx, r.Repo, checkpoint.CommitRequest{
		Run: job.Run, Task: job.Task, Subject: subject, Stage: checkpoint.Everything,
		NoVerify: job.NoVerify, NoTrailers: job.NoTrailers, SignWithin: time.Minute,
	})
	var hook *checkpoint.HookError
	if errors.As(err, &hook) {
		out.State, out.Cause = checkpoint.Failed, "hook "+hook.Hook
		out.Commit.HookOutput = hook.Output
		return r.fail(ctx, job, out)
	}
	if err != nil {
		return err
	}
	out.Made = !out.Commit.Empty
	if out.Commit.Empty && out.Commit.ID == head {
		out.Commit.ID, out.Commit.Tree = "", ""
	}
	return r.recordDone(ctx, job, out)
}

// countOwn takes the commits that the command made itself, in a tree that is the user's.
func (r *Runner) countOwn(ctx context.Context, job Job, head gitstate.OID, out *Outcome) error {
	_, now, err := r.Repo.Head(ctx)
	if err != nil {
		return err
	}
	if now != head && now != "" {
		c, err := r.Repo.Commit(ctx, string(now))
		if err != nil {
			return err
		}
		out.Commit = checkpoint.Committed{ID: c.ID, Tree: c.Tree}
	}
	return r.recordDone(ctx, job, out)
}

func (r *Runner) recordDone(ctx context.Context, job Job, out *Outcome) error {
	_, head, err := r.Repo.Head(ctx)
	if err != nil {
		return err
	}
	out.Journal, err = r.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{
			Event: checkpoint.TaskDone, Task: job.Task, Attempt: out.Attempt, Head: head, BaseTip: job.BaseTip,
			Commit: out.Commit.ID, Tree: out.Commit.Tree, Patch: out.Commit.Patch, Command: job.Hash(), Left: out.Left,
		}}, nil
	})
	return err
}

// fail saves what is uncommitted and records how the task ended, or that it was stopped from outside.
func (r *Runner) fail(ctx context.Context, job Job, out *Outcome) error {
	_, head, _ := r.Repo.Head(ctx)
	var events []checkpoint.Event
	if out.Cause != CauseWorktree {
		var err error
		if out.Saved, err = r.Snapshot(ctx, fmt.Sprintf("task %s: %s", job.Task, out.Cause)); err != nil {
			return err
		}
	}
	if out.Saved.ID != "" && out.Saved.Made {
		events = append(events, checkpoint.Event{Event: checkpoint.Snapshot, Commit: out.Saved.ID, Head: head})
	}
	last := checkpoint.Event{Event: checkpoint.TaskFailed, Task: job.Task, Attempt: out.Attempt, Cause: out.Cause, Head: head, Left: out.Left}
	if out.Cause == CauseExit {
		last.ExitCode = &out.Ended.Code
	}
	if out.State == checkpoint.Active {
		last = checkpoint.Event{Event: checkpoint.RunStopped, Cause: out.Cause, Head: head}
	}
	j, err := r.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return append(events, last), nil })
	if err == nil {
		out.Journal = j
	}
	return err
}
