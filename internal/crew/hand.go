package crew

import (
	"context"
	"errors"
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

// hand is one task at work in a place.
type hand struct {
	c *Crew
	// n is the number of the place, and slot is the number of the task among those at work.
	n, slot int
	task    plan.Task
	repo    *gitstate.Repo
	runner  *execution.Runner
	signals chan os.Signal
	out     *execution.Outcome
	err     error
}

// newHand prepares a task's work in a place that exists.
func (c *Crew) newHand(n int, t plan.Task, repo *gitstate.Repo) *hand {
	h := &hand{c: c, n: n, slot: c.freeSlot(), task: t, repo: repo, signals: make(chan os.Signal, 4)}
	stdout, stderr := c.Watch.StreamsOf(t)
	h.runner = &execution.Runner{
		Repo: repo, Store: c.Pool.Store, Append: c.Owner.Append, Check: c.Owner.Check, Now: c.Pool.Now, Procs: c.Pool.Procs, Env: c.Env,
		Streams: execution.Streams{Output: stdout, ErrOutput: stderr}, Signals: h.signals, LogLimit: c.LogLimit,
		Turn: &c.turn, Land: h.land,
		Snapshot: func(ctx context.Context, cause string) (snapshot.Snapshot, error) {
			return c.Pool.Staging.Snapshot(ctx, repo, c.Host.Run().ID, cause)
		},
	}
	return h
}

// RunnerIn returns what runs and lands a task in a place, and the open place. The caller closes it. A place that is gone is made again.
func (c *Crew) RunnerIn(ctx context.Context, n int, t plan.Task) (*execution.Runner, *gitstate.Repo, error) {
	repo, err := c.openPlace(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	return c.newHand(n, t, repo).runner, repo, nil
}

// start starts a task in a free place.
func (c *Crew) start(ctx context.Context, t plan.Task) error {
	n, repo, err := c.place(ctx, t)
	if err != nil {
		return err
	}
	h := c.newHand(n, t, repo)
	c.hands[n], c.Tried[checkpoint.TaskID(t.ID)] = h, true
	go func() {
		c.turn.Lock()
		h.err = h.work(ctx)
		c.turn.Unlock()
		c.ended <- h
	}()
	return nil
}

// place returns a free place for a task, put on the tip of the branch. A place that cannot be put there is left alone from then on.
func (c *Crew) place(ctx context.Context, t plan.Task) (int, *gitstate.Repo, error) {
	for {
		n, own := c.freePlace(t)
		repo, err := c.openPlace(ctx, n)
		if err != nil {
			return 0, nil, err
		}
		if own {
			if own, err = c.keepsWork(ctx, repo, n); err != nil {
				repo.Close()
				return 0, nil, err
			}
		}
		if own {
			return n, repo, nil
		}
		switch err := c.putOnTip(ctx, repo, n); {
		case err == nil:
			return n, repo, nil
		case errors.Is(err, errInUse):
			repo.Close()
			c.unusable[n] = true
		default:
			repo.Close()
			return 0, nil, err
		}
	}
}

// freePlace chooses a place for a task. own is true if the task was the last one there, and continues with the files that it left. Other tasks use
// such a place only if there are many of them already.
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

// placesPerJob is how many places there are for each job, if unfinished files lie in some of them.
const placesPerJob = 2

// freeSlot returns the smallest number that no other task at work has.
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

// ownsFiles reports whether the files in a task's place are the beginning of its result.
func ownsFiles(s *checkpoint.Task) bool {
	begun := s.State == checkpoint.Active || s.State == checkpoint.Failed || s.State == checkpoint.Blocked || s.State == checkpoint.Pending && s.Answer != ""
	return begun && !Rejected(s.Cause)
}

// keepsWork reports whether a place holds uncommitted files, or commits that are not on the branch.
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

// openPlace makes sure that a place exists, and opens it.
func (c *Crew) openPlace(ctx context.Context, n int) (*gitstate.Repo, error) {
	if repo, ok := c.Pool.Open(c.Host.Run(), n); ok {
		return repo, nil
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

// putOnTip puts a place on the tip of the branch. What was in it is saved first.
func (c *Crew) putOnTip(ctx context.Context, repo *gitstate.Repo, n int) error {
	var landed object.ID
	if p := c.Host.Run().Places.At(n); p != nil {
		landed = p.Commit
	}
	snap, err := c.Pool.putOn(ctx, repo, c.Host.Run().ID, c.tip, landed)
	if err != nil || !snap.Made {
		return err
	}
	return c.Host.Note(ctx, checkpoint.Event{Event: checkpoint.Snapshot, Tree: snap.ID, Place: &checkpoint.Place{N: n}})
}

// work runs a task until it is done, or must not run again.
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
			h.c.Host.Again(checkpoint.TaskID(h.task.ID), fmt.Sprintf("its result could not be used: %s", h.out.Cause))
			if err := h.c.putOnTip(ctx, h.repo, h.n); err != nil {
				return err
			}
		case try < h.task.Retries && execution.Retryable(h.out.Cause):
			if h.stoppedWhileWaiting(try) {
				return nil
			}
			h.c.Host.Again(checkpoint.TaskID(h.task.ID), fmt.Sprintf("attempt %d of %d, after %s", try+2, h.task.Retries+1, h.out.Cause))
			try++
		default:
			return nil
		}
	}
}

// once runs the task once.
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
	job.Place, job.Slot = h.n, h.slot
	if at := h.c.Host.Run().Places.At(h.n); h.task.Run == "" && at != nil {
		tool := h.c.Host.Tool(ctx, h.task, *at, h.repo.WorkTree)
		job.Tool, job.Shell, job.Env = true, tool.Shell, tool.Env
	}
	return job
}

// stoppedWhileWaiting waits before another try, longer each time. It returns true if a signal came meanwhile.
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

// EmptyPlaces puts all places on the tip of the branch, so that they can be removed. What was in them is saved first. A place whose making was
// interrupted is completed for that.
func (c *Crew) EmptyPlaces(ctx context.Context) {
	for _, p := range c.Pool.Staging.HalfPlaces(c.Host.Run()) {
		if repo, err := c.openPlace(ctx, p.N); err == nil { // otherwise git still lists it, and "doctor" names it
			repo.Close()
		}
	}
	for _, p := range c.Host.Run().Places {
		if repo, ok := c.Pool.Open(c.Host.Run(), p.N); ok {
			_ = c.putOnTip(ctx, repo, p.N) // if this fails, the place stays and is named
			repo.Close()
		}
	}
}
