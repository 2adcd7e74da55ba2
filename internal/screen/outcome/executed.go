package outcome

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// howTaskEnded describes how a task ended without being completed.
func howTaskEnded(out *execution.Outcome) string {
	switch out.Cause {
	case execution.CauseExit:
		return fmt.Sprintf("failed with exit code %d", out.Ended.Code)
	case execution.CauseSignal:
		return "ended by " + out.Ended.Signal
	case execution.CauseTimeout:
		return "exceeded its time limit and was stopped"
	case execution.CauseFenced:
		return "stopped: the run was taken over"
	case execution.CauseInput:
		return "not certain: " + words.Cause(out.Cause)
	case execution.CauseInterrupt, execution.CauseTerminate:
		return "stopped by " + words.Cause(out.Cause)
	case execution.CauseHangup:
		return "stopped: " + words.Cause(out.Cause)
	default:
		return "failed: " + words.Cause(out.Cause)
	}
}

// Single prints a note about how a command ended, for example that a signal stopped it. It prints nothing about an exit code, because the
// caller exits with the same code.
func Single(s page.Page, out *execution.Outcome) {
	if out.State != checkpoint.Done && out.Cause != execution.CauseExit {
		s.Note("%s: %s", words.Title(&out.Journal.Run), howTaskEnded(out))
	}
	notCommitted(s, out)
	Ended(s, out)
}

// Ended prints warnings and notes about a task that has ended, for example about an unsigned commit.
func Ended(s page.Page, out *execution.Outcome) {
	if out.Commit.Unsigned != "" {
		s.Note("warning: the commit is not signed: %s", quote.Clean(out.Commit.Unsigned))
	}
	Unadded(s, out.Commit.Unadded)
	outside(s, out.Commit.Outside)
	if out.Skipped > 0 {
		s.Note("note: %d bytes of its output were not kept in the log", out.Skipped)
	}
	if len(out.Left) > 0 {
		s.Note("note: its command left these processes running: %s", strings.Trim(fmt.Sprint(out.Left), "[]"))
	}
	for line := range strings.Lines(strings.TrimSpace(out.Commit.HookOutput)) {
		s.Note("hook: %s", quote.Clean(line))
	}
	if len(out.Changed) > 0 {
		s.Note("      changed meanwhile: %s", phrase.Some(out.Changed))
	}
	if out.Unsaved != nil {
		s.Note("warning: uncommitted changes stay in the worktree, but could not be saved as a snapshot: %s", quote.Clean(out.Unsaved.Error()))
	}
	if out.Saved.ID != "" {
		s.Note("      uncommitted changes (%s) are saved as %s", words.Held(out.Saved), words.SavedAs(out.Saved.Label()))
		NotSaved(s, out.Saved.Left)
	}
}

// notCommitted says which uncommitted files of the user's own worktree are not part of a task's commit.
func notCommitted(s page.Page, out *execution.Outcome) {
	if len(out.Others) > 0 && out.State == checkpoint.Done {
		s.Note("      not committed, because these files were uncommitted before the task or changed by hand: %s", phrase.Some(out.Others))
	}
}

// SetAside prints which uncommitted files were removed from the worktree, and how to get them back.
func SetAside(s page.Page, x staging.SetAside) {
	what := "uncommitted files"
	if x.Task != "" {
		what = fmt.Sprintf("what task '%s' left uncommitted", quote.Clean(string(x.Task)))
	}
	s.Note("set aside %s: %s", what, phrase.Some(x.Paths))
	s.Note("      saved as %s", words.SavedAs(x.Saved.Label()))
}

// Executed prints where the execution stopped, and how to continue.
func Executed(s page.Page, x *resume.Executed) {
	r := &x.Journal.Run
	id := string(r.ID)
	Unadded(s, x.Unadded)
	if len(x.ByHand) > 0 {
		s.Note("these files were changed by hand and are not committed: %s", phrase.Some(x.ByHand))
	}
	Places(s, x.Places)
	switch {
	case r.Finished:
		finishedOn(s, r)
		where(s, x)
	case x.Stopped, x.SetupFailed, len(x.Failed) > 0, x.Paused:
		pausedBy(s, x)
		soFar(s, x)
		stopped(s, x)
	case x.Step.Kind == tasks.StepAsk:
		prompt.Question(s, r, false)
	case x.Step.Kind == tasks.StepConfirm:
		Unconfirmed(s, x)
	case x.Step.Kind == tasks.StepReport && x.Step.Task.ID != "":
		s.Note("%s stops at task '%s': it has no command to run, so a worker must do it and report it", words.Title(r), quote.Clean(x.Step.Task.ID))
		s.Hint(fmt.Sprintf("go to its worktree with %s, and report the task with %s and %s",
			phrase.Double("cd %s", x.Path), phrase.Double("git resume task start %s", x.Step.Task.ID), phrase.Double("git resume task done %s", x.Step.Task.ID)))
		s.Hint("or skip it with " + phrase.Double("git resume %s --skip=%s", id, x.Step.Task.ID))
	case x.Step.Kind == tasks.StepStuck:
		s.Note("%s: no other task can run; see %s", words.Title(r), phrase.Single("git resume status %s", id))
		soFar(s, x)
		Stop(s, r)
	}
}

// soFar prints how far the tasks of a run are, how long it has taken, and where its work is. For a run of one task it prints nothing, because
// what is said about that task says all.
func soFar(s page.Page, x *resume.Executed) {
	r := &x.Journal.Run
	if len(r.Tasks) < 2 {
		return
	}
	tally := words.TallyOf(r.Tasks)
	s.Note("\n%s: %d of %d tasks done%s, in %s", words.Title(r), tally.Done, len(r.Tasks), tally.Besides(), phrase.Long(r.LastAt.Sub(r.Started)))
	where(s, x)
}

// where prints the worktree and the branch in which an execution worked.
func where(s page.Page, x *resume.Executed) {
	if r := &x.Journal.Run; x.Path != "" && len(r.Tasks) > 1 {
		s.OnErr().Where(x.Path, words.OnBranch(&candidate.Summary{Run: *r}))
	}
}

func finishedOn(s page.Page, r *checkpoint.Run) {
	side := s.OnErr()
	Finished(side, r)
}

// failed prints which task failed and why.
func failed(s page.Page, n, of int, id string, out *execution.Outcome) {
	where := fmt.Sprintf("task %d of %d, %s,", n, of, quote.Clean(id))
	if n == 0 {
		where = quote.Clean(id)
	}
	s.Warn("%s: %s %s after %s\n", words.Title(&out.Journal.Run), where, howTaskEnded(out), phrase.Long(out.Took))
}

// stopped prints at which task a run stopped, and the commands that continue it.
func stopped(s page.Page, x *resume.Executed) {
	r := &x.Journal.Run
	Stop(s, r)
	id := r.ID // use the whole ID, because its last four characters could equal the name of a command
	_, t := r.Current()
	switch {
	case t == nil:
	case t.State == checkpoint.Failed:
		s.Hint(fmt.Sprintf("use %s to try it again", phrase.Double("git resume %s", id)))
		s.Hint(fmt.Sprintf("use %s to skip it", phrase.Double("git resume %s --skip=%s", id, t.ID)))
		if x.Last != nil && x.Last.Log != "" {
			s.Hint("whole log: " + phrase.Unbroken(quote.Command("git resume log %s %s", id, t.ID)))
		}
	case x.SetupFailed:
		s.Hint("whole log: " + phrase.Unbroken(quote.Command("git resume log %s %s", id, tasks.SetupTask)))
	}
}

// Stop prints at which task a run stopped, and the command that continues it.
func Stop(s page.Page, r *checkpoint.Run) {
	n, t := r.Current()
	if t == nil {
		n = len(r.Tasks)
	}
	s.Note("\nStopped at task %d of %d, nothing lost. Continue with: %s", n, len(r.Tasks), quote.Command("git resume %s", r.ID))
}

// tail prints the last lines of a task's output, if the task failed.
func tail(s page.Page, out *execution.Outcome) {
	const most = 8
	if out.State != checkpoint.Failed {
		return
	}
	lines := strings.Split(strings.TrimSpace(string(execution.Tail(out.Log, 4<<10))), "\n")
	lines = lines[max(0, len(lines)-most):]
	s.Warn("\n")
	for _, line := range lines {
		if line = quote.Clean(line); line != "" {
			s.Warn("    %s\n", phrase.Cut(line, 76))
		}
	}
}

// TaskRan prints on stderr the result of "task run". The output of the command was already printed.
func TaskRan(s page.Page, ran *reporting.TaskRan) {
	r, id := &ran.Journal.Run, quote.Clean(string(ran.Task.ID))
	switch {
	case ran.Already:
		s.Note("%s: task '%s' is already %s", words.Title(r), id, ran.Task.State)
		return
	case ran.Verified:
		s.Note("%s: task '%s' was interrupted, and its check says that it is done", words.Title(r), id)
		return
	}
	if ran.Again != "" {
		s.Note("%s: task '%s' ran again: %s", words.Title(r), id, quote.Clean(ran.Again))
	}
	o := ran.Outcome
	if o.State == checkpoint.Done {
		text := "done"
		if o.Commit.ID != "" {
			text = "done as " + o.Commit.ID.Short()
		}
		s.Note("%s: task '%s' %s", words.Title(r), id, text)
	} else {
		s.Note("%s: task '%s' %s", words.Title(r), id, howTaskEnded(o))
	}
	notCommitted(s, o)
	Ended(s, o)
	switch {
	case r.Finished:
		finishedOn(s, r)
	case o.State != checkpoint.Done:
		Stop(s, r)
		s.Hint("or start the script again: it does not repeat tasks that are done")
	}
}

func Output(s page.Page, text []byte) { _, _ = s.Out.Write(text) }

// Unconfirmed explains how to continue if a task needs a confirmation and git-resume cannot ask here.
func Unconfirmed(s page.Page, x *resume.Executed) {
	run, c := x.Journal.Run, x.Confirm
	r := &run
	r.Point = checkpoint.TaskID(c.Task.ID) // the plan may list another task first that depends on this one
	question := prompt.Confirming(s, r, c)
	s.Note("error: cannot ask '%s' here, and no option can answer it", question)
	done := phrase.Single("git -C %s resume task done %s --run %s", x.Path, c.Task.ID, r.ID)
	if t := r.Task(checkpoint.TaskID(c.Task.ID)); t != nil && t.State == checkpoint.Active {
		done = phrase.Single("git resume %s --mark-done", r.ID)
	}
	if s.Hints {
		s.Note("hint: to allow the task, run %s at a terminal", phrase.Single("git resume %s", r.ID))
		if c.Again {
			s.Note("hint: if the task is done already, record that with %s", done)
		}
		s.Note("hint: or skip it with %s", phrase.Single("git resume %s --skip", r.ID))
	}
	Stop(s, r)
}
