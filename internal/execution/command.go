package execution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
)

// command runs the job's command to its end, whatever ends it.
func (r *Runner) command(job Job, out *Outcome) error {
	lock, err := r.Store.LockTask(job.Run)
	if err != nil {
		return err
	}
	log, err := OpenLog(r.Store.LogPath(job.Run, job.Task, out.Attempt), r.LogLimit)
	if err != nil {
		lock.LetGo()
		return err
	}
	out.Log = log.Path
	g, err := r.process(job, out.Attempt, log, lock).StartGroup()
	if err != nil {
		lock.LetGo()
		fmt.Fprintf(io.MultiWriter(log, quiet{r.ErrOutput}), "%v\n", err)
		_, _ = log.Close()
		out.State, out.Cause = checkpoint.Failed, CauseStart
		return nil
	}
	p, _ := r.Procs.Get(g.ID())
	_ = lock.Name(checkpoint.NewActor(r.Procs.Host(), p, checkpoint.CloneID(r.Repo)))
	lock.LetGo()
	r.wait(job, g, out)
	out.Skipped, _ = log.Close()
	if lock.Left() {
		out.Left = proc.Holders(lock.Path())
		_ = lock.SetAside(out.Attempt)
	}
	return nil
}

// quiet passes output on and never fails: a reader that went away must not end the task.
type quiet struct{ w io.Writer }

func (q quiet) Write(p []byte) (int, error) {
	if q.w != nil {
		_, _ = q.w.Write(p)
	}
	return len(p), nil
}

func (r *Runner) process(job Job, attempt string, log *Log, lock *checkpoint.TaskLock) proc.Command {
	name, args := proc.Shell(job.Shell)
	if job.Args != nil {
		name, args = job.Args[0], job.Args[1:]
	}
	env := slices.DeleteFunc(slices.Clone(r.Env), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(gitstate.LocalVars(), key)
	})
	return proc.Command{
		Name: name, Args: args, Dir: r.Repo.WorkTree, Stdin: r.Stdin, TTY: r.TTY,
		Stdout: io.MultiWriter(log, quiet{r.Output}), Stderr: io.MultiWriter(log, quiet{r.ErrOutput}),
		Files: []*os.File{lock.File()},
		Env: append(env, "GIT_RESUME_RUN="+string(job.Run), "GIT_RESUME_TASK="+string(job.Task),
			"GIT_RESUME_ATTEMPT="+attempt, "GIT_RESUME_OWNER="+r.Store.Nonce),
	}
}

// wait follows the command until it ends: by itself, by the time limit, or by a signal that reached us.
func (r *Runner) wait(job Job, g *proc.Group, out *Outcome) {
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
	select {
	case out.Ended = <-done:
		out.judge()
	case <-limit:
		out.State, out.Cause = checkpoint.Failed, CauseTimeout
		g.Terminate()
		out.Ended = r.end(g, done)
	case s := <-r.Signals:
		out.State, out.Cause = checkpoint.Active, causeOf(s)
		forward(g, s)
		out.Ended = r.end(g, done)
	}
}

// end gives a command that was asked to end its grace, and no more if it is asked again.
func (r *Runner) end(g *proc.Group, done <-chan proc.Ended) proc.Ended {
	grace := time.NewTimer(r.Grace)
	defer grace.Stop()
	select {
	case ended := <-done:
		g.Kill() // what it left behind in its group
		return ended
	case <-grace.C:
	case <-r.Signals:
	}
	g.Kill()
	return <-done
}

func (o *Outcome) judge() {
	switch {
	case o.Ended.Signal == "signal interrupt":
		o.State, o.Cause = checkpoint.Active, CauseInterrupt // Ctrl-C at a terminal that the command had
	case o.Ended.Signal != "":
		o.State, o.Cause = checkpoint.Failed, CauseSignal
	case o.Ended.Code != 0:
		o.State, o.Cause = checkpoint.Failed, CauseExit
	default:
		o.State = checkpoint.Done
	}
}

func causeOf(s os.Signal) string {
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

// inputs sums up what the job reads: path, mode and content of every file that its patterns name.
func (r *Runner) inputs(ctx context.Context, job Job) string {
	if len(job.Inputs) == 0 {
		return ""
	}
	specs := make([]string, 0, len(job.Inputs))
	for _, p := range job.Inputs {
		specs = append(specs, ":(top,glob)"+p)
	}
	args := append([]string{"ls-files", "-z", "-co", "--exclude-standard", "--"}, specs...)
	list, err := r.Repo.Git(ctx, gitstate.Call{Args: args})
	if err != nil {
		return ""
	}
	h := sha256.New()
	paths := strings.Split(string(list), "\x00")
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if path != "" {
			sumFile(h, r.Repo.WorkTree, path)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sumFile(h io.Writer, top, path string) {
	full := filepath.Join(top, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if err != nil {
		fmt.Fprintf(h, "%q missing\n", path)
		return
	}
	fmt.Fprintf(h, "%q %o %d\n", path, info.Mode(), info.Size())
	if info.Mode()&os.ModeSymlink != 0 {
		to, _ := os.Readlink(full)
		fmt.Fprintf(h, "%q", to)
		return
	}
	f, err := os.Open(full)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = io.Copy(h, f)
}
