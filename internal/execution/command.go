package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/proc"
	"golang.org/x/term"
)

// command runs the job's command and waits until it has ended.
func (r *Runner) command(ctx context.Context, job Job, lock *owner.TaskLock, out *Outcome) error {
	log, err := OpenLog(r.Store.Folder().LogPath(job.Run, job.Task, out.Attempt), r.LogLimit)
	if err != nil {
		return err
	}
	out.Log = log.Path
	if err := r.checkClaim(ctx); err != nil { // stop if another process has taken over the run, perhaps while this machine slept
		_, _ = log.Close()
		return err
	}
	start := r.process(job, out.Attempt, log, lock)
	start.Hold = func(pid int) { // record the process in the lock file, so that the task still counts as running if its command closes the lock file
		p, _ := r.Procs.Get(pid)
		_ = lock.Name(checkpoint.NewActor(r.Procs.Host(), p, clone.ID(r.Repo)))
	}
	g, err := start.StartGroup()
	if err != nil {
		lock.LetGo()
		fmt.Fprintf(io.MultiWriter(log, unfailingWriter{r.ErrOutput}), "%v\n", err)
		_, _ = log.Close()
		out.State, out.Cause = checkpoint.Failed, CauseStart
		return nil
	}
	lock.LetGo()
	r.wait(ctx, job, g, out)
	out.Skipped, _ = log.Close()
	if lock.HeldByOthers() {
		out.Left = proc.Holders(lock.Path())
		_ = lock.SetAside(out.Attempt)
	}
	return nil
}

// checkClaim returns a *journal.FencedError if somebody else has taken over the run. If this cannot be checked, it returns nil.
func (r *Runner) checkClaim(ctx context.Context) error {
	if fenced := new(journal.FencedError); errors.As(r.Check(ctx), &fenced) {
		return fenced
	}
	return nil
}

// unfailingWriter passes output on and ignores write errors. A reader that has gone away must not end the task.
type unfailingWriter struct{ w io.Writer }

func (q unfailingWriter) Write(p []byte) (int, error) {
	if q.w != nil {
		_, _ = q.w.Write(p)
	}
	return len(p), nil
}

func (r *Runner) process(job Job, attempt string, log *Log, lock *owner.TaskLock) proc.Command {
	name, args := proc.Shell(job.Shell)
	if job.Args != nil {
		name, args = job.Args[0], job.Args[1:]
	}
	env := slices.DeleteFunc(slices.Clone(r.Env), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(locate.LocalVars(), key) || strings.HasPrefix(key, "GIT_RESUME_")
	})
	env = append(append(env, job.Answers...), job.Env...)
	return proc.Command{
		Name: name, Args: args, Dir: r.Repo.WorkTree, Stdin: r.Stdin, TTY: r.TTY,
		Stdout: r.output(log, r.Output), Stderr: r.output(log, r.ErrOutput),
		Files: []*os.File{lock.File()},
		Env: append(env, "GIT_RESUME_RUN="+string(job.Run), "GIT_RESUME_TASK="+string(job.Task),
			"GIT_RESUME_ATTEMPT="+attempt, "GIT_RESUME_OWNER="+r.Store.Nonce, fmt.Sprintf("GIT_RESUME_SLOT=%d", max(job.Slot, 1))),
	}
}

// output returns a writer that passes one stream on and keeps a copy in the log. If the command uses a terminal and the stream is a
// terminal too, output returns the stream itself, because an editor or a progress bar must write to a terminal.
func (r *Runner) output(log *Log, to io.Writer) io.Writer {
	if f, ok := to.(*os.File); ok && r.TTY != nil && term.IsTerminal(int(f.Fd())) {
		log.Elsewhere()
		return f
	}
	return io.MultiWriter(log, unfailingWriter{to})
}

// wait waits until the command has ended. The command ends by itself or at its time limit. It is also ended after a signal to us, and
// after somebody else has taken over the run.
func (r *Runner) wait(ctx context.Context, job Job, g *proc.Group, out *Outcome) {
	defer r.rest()()
	done := make(chan proc.Ended, 1)
	go func() {
		ended, _ := g.Wait()
		done <- ended
	}()
	var limit <-chan time.Time
	if job.Timeout > 0 {
		t := time.NewTimer(job.Timeout)
		defer t.Stop()
		limit = t.C
	}
	settled := time.NewTimer(pulse / 10)
	defer settled.Stop()
	beat := time.NewTicker(pulse)
	defer beat.Stop()
	check := func() {
		defer r.work()()
		if r.checkClaim(ctx) != nil {
			out.State, out.Cause = checkpoint.Active, CauseFenced
			g.Terminate()
		}
	}
	check() // checks at once, because another process may have taken over the run while this machine slept
	for out.State == "" {
		select {
		case out.Ended = <-done:
			out.judge(r.TTY != nil)
			return
		case <-limit:
			out.State, out.Cause = checkpoint.Failed, CauseTimeout
			g.Terminate()
		case s := <-r.Signals:
			out.State, out.Cause = checkpoint.Active, CauseOf(s)
			forward(g, s)
		case <-settled.C:
			r.flushStore()
		case <-beat.C:
			check()
		}
	}
	out.Ended = r.end(g, done)
}

// rest unlocks the mutex Turn, so that other tasks of the run can use git. The returned function locks it again.
func (r *Runner) rest() (back func()) {
	if r.Turn == nil {
		return func() {}
	}
	r.Turn.Unlock()
	return r.Turn.Lock
}

func (r *Runner) work() (done func()) {
	if r.Turn == nil {
		return func() {}
	}
	r.Turn.Lock()
	return r.Turn.Unlock
}

func (r *Runner) flushStore() {
	defer r.work()()
	r.Store.Flush()
}

// end waits until a command that was asked to end has ended, or the grace period is over. A second signal ends the wait at once. After the
// wait, everything that is left of the command's process group is killed.
func (r *Runner) end(g *proc.Group, done <-chan proc.Ended) proc.Ended {
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case ended := <-done:
		g.Kill() // also kill the processes that the command left in its group
		return ended
	case <-patience.C:
	case <-r.Signals:
	}
	g.Kill()
	return <-done
}

// ctrlCExitCode is the exit code that shells and many programs use if Ctrl-C ended them.
const ctrlCExitCode = 130

func (o *Outcome) judge(tty bool) {
	switch {
	case o.Ended.Signal == "signal interrupt", tty && o.Ended.Code == ctrlCExitCode:
		o.State, o.Cause = checkpoint.Active, CauseInterrupt // the user probably pressed Ctrl-C at the terminal that the command was using
	case o.Ended.Signal == "signal hangup":
		o.State, o.Cause = checkpoint.Active, CauseHangup
	case o.Ended.Signal != "":
		o.State, o.Cause = checkpoint.Failed, CauseSignal
	case o.Ended.Code != 0:
		o.State, o.Cause = checkpoint.Failed, CauseExit
	default:
		o.State = checkpoint.Done
	}
}

// CauseOf returns the recorded cause of a stop by a signal.
func CauseOf(s os.Signal) string {
	switch s {
	case syscall.SIGTERM:
		return CauseTerminate
	case syscall.SIGHUP:
		return CauseHangup
	default:
		return CauseInterrupt
	}
}

func forward(g *proc.Group, s os.Signal) {
	switch s {
	case syscall.SIGTERM:
		g.Terminate()
	case syscall.SIGHUP:
		g.Hangup()
	default:
		g.Interrupt()
	}
}
