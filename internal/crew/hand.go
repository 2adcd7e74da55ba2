package crew

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// hand is one running task, in its own linked worktree (its place).
type hand struct {
	c *Crew
	// n is the number of the task's worktree. slot is a small number that no other running task has.
	n, slot int
	task    plan.Task
	repo    *gitstate.Repo
	runner  *execution.Runner
	signals chan os.Signal
	// clean is the tree of the commit that is checked out in the task's worktree. It is empty if the worktree has other files when the
	// task starts, or if that is not known.
	clean object.ID
	out   *execution.Outcome
	err   error
}

// newHand prepares a task that will run in linked worktree number n. The argument "repo" is this worktree.
func (c *Crew) newHand(n int, t plan.Task, repo *gitstate.Repo) *hand {
	h := &hand{c: c, n: n, slot: c.freeSlot(), task: t, repo: repo, signals: make(chan os.Signal, 4)}
	stdout, stderr := c.Watch.StreamsOf(t)
	h.runner = &execution.Runner{
		Repo: repo, Store: c.Pool.Store, Append: c.Owner.Append, Check: c.Owner.Check, Now: c.Pool.Now, Procs: c.Pool.Procs, Env: c.Env,
		Streams: execution.Streams{Output: stdout, ErrOutput: stderr}, Signals: h.signals, LogLimit: c.LogLimit,
		HeedPause: c.HeedPause, Turn: &c.turn, Land: h.land,
		Snapshot: func(ctx context.Context, cause string) (snapshot.Snapshot, error) {
			return c.Pool.Staging.Snapshot(ctx, repo, c.Host.Run().ID, cause)
		},
	}
	return h
}

// RunnerIn returns a runner for a task in the linked worktree number n, and the open worktree, which the caller must close. If the worktree
// is missing, RunnerIn makes it again.
func (c *Crew) RunnerIn(ctx context.Context, n int, t plan.Task) (*execution.Runner, *gitstate.Repo, error) {
	repo, err := c.openPlace(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	return c.newHand(n, t, repo).runner, repo, nil
}

// start starts a task in a linked worktree that no other running task uses.
func (c *Crew) start(ctx context.Context, t plan.Task) error {
	n, own := c.freePlace(t)
	repo, err := c.openPlace(ctx, n)
	if err != nil {
		return err
	}
	c.opened.keep(n, repo)
	h := c.newHand(n, t, repo)
	c.hands[n], c.Tried[checkpoint.TaskID(t.ID)] = h, true
	go func() {
		c.turn.Lock()
		if h.err = h.prepare(ctx, own); h.err == nil {
			h.err = h.work(ctx)
		}
		c.turn.Unlock()
		c.ended <- h
	}()
	return nil
}

// prepare checks out the tip of the run's branch in the task's worktree, and returns errInUse if that is impossible. If the task left
// unfinished work there, prepare leaves it as it is.
func (h *hand) prepare(ctx context.Context, own bool) (err error) {
	if own {
		if own, err = h.c.keepsWork(ctx, h.repo, h.n); own || err != nil {
			return err
		}
	}
	h.clean, err = h.c.putOnTip(ctx, h.repo, h.n)
	return err
}

// freePlace chooses the number of a linked worktree for a task. The result "own" is true if the task worked there before and continues with
// the files that it left.
func (c *Crew) freePlace(t plan.Task) (n int, own bool) {
	reserved := map[int]bool{}
	for _, p := range c.Host.Run().Places {
		s := c.Host.Run().Task(p.Task)
		if s == nil || s.Place != p.N || !ownsFiles(s) {
			continue
		}
		if p.Task == checkpoint.TaskID(t.ID) && c.hands[p.N] == nil && !c.unusable[p.N] {
			return p.N, true
		}
		reserved[p.N] = true
	}
	for _, take := range []func(int) bool{func(n int) bool { return !reserved[n] }, func(int) bool { return true }} {
		for n = 1; n <= placesPerJob*c.Jobs; n++ {
			if c.hands[n] == nil && !c.unusable[n] && take(n) {
				return n, false
			}
		}
	}
	for c.hands[n] != nil || c.unusable[n] {
		n++
	}
	return n, false
}

// placesPerJob is how many linked worktrees a run normally has for each task that can run at the same time. If all of them exist, and each
// free one has the unfinished files of another task, a free one is used anyway after its files were saved. A further worktree is made only
// if none is free.
const placesPerJob = 2

// freeSlot returns the smallest slot number, from 1, that no running task has.
func (c *Crew) freeSlot() int {
	taken := map[int]bool{}
	for _, h := range c.hands {
		taken[h.slot] = true
	}
	slot := 1
	for taken[slot] {
		slot++
	}
	return slot
}

// ownsFiles reports whether the task was started and the files in its worktree are part of its unfinished work. The files of a rejected
// result are not.
func ownsFiles(s *checkpoint.Task) bool {
	begun := s.State == checkpoint.Active || s.State == checkpoint.Failed || s.State == checkpoint.Blocked || s.State == checkpoint.Pending && s.Answer != ""
	return begun && !Rejected(s.Cause)
}

// keepsWork reports whether the worktree number n has uncommitted files, or commits whose changes are not on the run's branch.
func (c *Crew) keepsWork(ctx context.Context, repo *gitstate.Repo, n int) (bool, error) {
	look, err := repo.ReadState(ctx)
	if err != nil || len(look.Changes) > 0 {
		return err == nil, err
	}
	if p := c.Host.Run().Places.At(n); p != nil && p.Commit == look.Head {
		return false, nil
	}
	within, err := past.IsAncestor(ctx, repo, look.Head, c.tip)
	return !within, err
}

// openPlace opens the run's linked worktree number n. If it does not exist, openPlace makes it first and records it.
func (c *Crew) openPlace(ctx context.Context, n int) (*gitstate.Repo, error) {
	if at, ok := c.Pool.placeOf(c.Host.Run(), n); ok {
		return c.opened.take(n, at, c.Pool.Repo), nil
	}
	tree, err := c.Pool.Staging.MakePlace(ctx, c.Home, c.Host.Run(), n, c.tip)
	if err != nil {
		return nil, err
	}
	if err := c.Host.Note(ctx, readyEvent(tree, n)); err != nil {
		return nil, err
	}
	repo, ok := c.Pool.Open(c.Host.Run(), n)
	if !ok {
		return nil, worktree.NotRegistered(tree)
	}
	return repo, nil
}

// putOnTip checks out the tip of the run's branch in the worktree number n. Before that, it saves the work that would be lost there. If the
// worktree then certainly contains no files but those of the tip, putOnTip returns the tree of the tip.
func (c *Crew) putOnTip(ctx context.Context, repo *gitstate.Repo, n int) (clean object.ID, err error) {
	tip := c.tip
	var landed object.ID
	if p := c.Host.Run().Places.At(n); p != nil {
		landed = p.Commit
	}
	snap, err := c.Pool.putOn(ctx, repo, c.Host.Run().ID, tip, landed, c.rest)
	if at, err := repo.Objects.Commit(ctx, string(tip)); err == nil && snap.bare {
		clean = at.Tree
	}
	if err != nil || !snap.Made {
		return clean, err
	}
	return clean, c.Host.Note(ctx, checkpoint.Event{Event: checkpoint.Snapshot, Tree: snap.ID, Place: &checkpoint.Place{N: n}})
}

// work runs a task and repeats it after failures, as often as the plan allows.
func (h *hand) work(ctx context.Context) error {
	for try, reruns := 0, 0; ; {
		if err := h.once(ctx, try+reruns); err != nil {
			return err
		}
		switch {
		case h.out.State != checkpoint.Failed || h.c.Cause != "":
			return nil
		case Rejected(h.out.Cause):
			if reruns++; !h.mayRerun(reruns) {
				return nil
			}
			h.c.Host.Again(checkpoint.TaskID(h.task.ID), "its result could not be used: "+execution.Failure(h.out.Cause, nil))
			var err error
			if h.clean, err = h.c.putOnTip(ctx, h.repo, h.n); err != nil {
				return err
			}
		case try < h.task.Retries && execution.Retryable(h.out.Cause):
			if h.stoppedWhileWaiting(try) {
				return nil
			}
			h.c.Host.Again(checkpoint.TaskID(h.task.ID), fmt.Sprintf("attempt %d of %d, because the previous one failed: %s", try+2, h.task.Retries+1, execution.Failure(h.out.Cause, &h.out.Ended.Code)))
			try++
		default:
			return nil
		}
	}
}

func (h *hand) once(ctx context.Context, try int) error {
	c := h.c
	n, of := c.number(checkpoint.TaskID(h.task.ID))
	job := h.job(ctx)
	job.Why = c.Host.Reason(job.Task)
	job.Begun = func(j *journal.Journal) {
		c.Host.Stored(j)
		c.Watch.Begins(n, of, h.task, try+1)
	}
	out, err := h.runner.Do(ctx, job)
	if out != nil && out.Journal != nil {
		h.out = out
		c.Host.Stored(out.Journal)
	}
	if err == nil {
		c.Watch.Ends(n, of, h.task, out)
	}
	return err
}

func (h *hand) job(ctx context.Context) execution.Job {
	job := h.c.Host.Job(ctx, h.task)
	job.Place, job.Slot, job.Clean = h.n, h.slot, h.clean
	h.clean = "" // this attempt may leave files, so the worktree is not known to be clean for the next attempt
	if at := h.c.Host.Run().Places.At(h.n); h.task.Run == "" && at != nil {
		tool := h.c.Host.Tool(ctx, h.task, *at, h.repo.WorkTree)
		job.Tool, job.Shell, job.Env = true, tool.Shell, tool.Env
	}
	return job
}

// stoppedWhileWaiting waits before another try, longer each time. It returns true if a signal arrives during the wait.
func (h *hand) stoppedWhileWaiting(try int) bool {
	h.c.turn.Unlock()
	defer h.c.turn.Lock()
	t := time.NewTimer(execution.PauseBefore(try))
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-h.signals:
		return true
	}
}

// EmptyPlaces prepares the run's extra worktrees for their removal: in each, it saves the work and then checks out the tip of the branch.
// An extra worktree that was not completely made is completed first.
func (c *Crew) EmptyPlaces(ctx context.Context) {
	for _, p := range c.Pool.Staging.HalfPlaces(c.Host.Run()) {
		if repo, err := c.openPlace(ctx, p.N); err == nil { // after an error, git still lists the worktree, and "doctor" reports it
			repo.Close()
		}
	}
	for _, p := range c.Host.Run().Places {
		if repo, ok := c.Pool.Open(c.Host.Run(), p.N); ok {
			if _, err := c.putOnTip(ctx, repo, p.N); err != nil {
				// git may have been killed, so try once more. If this fails too, the later removal keeps the worktree and reports why.
				_, _ = c.putOnTip(ctx, repo, p.N)
			}
			repo.Close()
		}
	}
}
