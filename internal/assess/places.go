package assess

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// leftForPlaces reports whether the run's worktree has a detached HEAD because several tasks worked at the same time. Each of these tasks
// has a worktree of its own, which is called a place. The HEAD must be at a commit of the run's branch.
func (x treeChecks) leftForPlaces(ctx context.Context, t worktree.Tree) bool {
	r := x.run()
	return t.Branch == "" && len(r.Places) > 0 && r.Ours() && crew.PoolOf(x.judge.Staging).IsOnBranch(ctx, r, t.Head)
}

// placeOf opens the extra worktree in which a task worked beside other tasks. The result ok is false if the task worked in the run's own
// worktree, or if the extra worktree is gone.
func (x taskChecks) placeOf(t *checkpoint.Task) (repo *gitstate.Repo, ok bool) {
	if t.Place == 0 {
		return nil, false
	}
	return crew.PoolOf(x.judge.Staging).Open(x.run(), t.Place)
}

// doneInPlace reports whether a task has finished its work in an extra worktree, so that only its result must be brought onto the run's
// branch. If so, it adds a finding.
func (x taskChecks) doneInPlace(ctx context.Context, t *checkpoint.Task) bool {
	repo, ok := x.placeOf(t)
	if !ok {
		return false
	}
	defer repo.Close()
	made, err := tasks.ResultMade(ctx, repo, x.run().ID, *t)
	if err != nil || !made {
		return false
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return false
	}
	x.addFinding(candidate.LandedInPlace, candidate.Info, candidate.Facts{Task: t.ID, Commit: head})
	return true
}

// besideOrphans is for a run that was killed while several tasks ran at the same time. If a process of any of these tasks is still alive,
// besideOrphans adds one finding for each of the tasks. The finding says whether the task is still working, is done, or was interrupted.
func (x taskChecks) besideOrphans(ctx context.Context) {
	orphans := owner.Orphans(x.Store, x.run().ID)
	if len(orphans) == 0 {
		return
	}
	for i := range x.run().Tasks {
		t := &x.run().Tasks[i]
		if t.State != checkpoint.Active || t.Place == 0 {
			continue
		}
		if by := orphans[t.Place]; by != nil {
			x.addFinding(candidate.AliveTask, candidate.Info, candidate.Facts{Task: t.ID, PID: by.PID})
		} else if !x.doneInPlace(ctx, t) {
			x.addFinding(candidate.FindPartly.Case(), candidate.Info, candidate.Facts{Task: t.ID})
		}
	}
}

// savePlaces saves the uncommitted work of interrupted or failed tasks that worked beside other tasks, each in an extra worktree.
func (x taskChecks) savePlaces(ctx context.Context) error {
	for i := range x.run().Tasks {
		t := &x.run().Tasks[i]
		if t.State != checkpoint.Active && t.State != checkpoint.Failed {
			continue
		}
		repo, ok := x.placeOf(t)
		if !ok {
			continue
		}
		_, err := x.judge.Staging.Snapshot(ctx, repo, x.run().ID, "before continuing")
		repo.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
