package staging

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Tidy deletes runs that were discarded long ago, and files that killed git-resume processes left. It also stores
// which runs were merged. It ignores errors.
func (e *Stager) Tidy(ctx context.Context) {
	_, _ = e.Expire(ctx)
	_ = candidate.NoteMerged(ctx, e.Site) // ignore the error, because the next command tries again
	alive, known := e.Procs.All()
	if !known {
		return
	}
	gone := func(pid int) bool { return !slices.Contains(alive, pid) }
	e.Repo.Guard.SweepTemp(gone, e.Now().Add(-24*time.Hour))
}

// Expire deletes runs that were discarded long ago, and returns their ids.
func (e *Stager) Expire(ctx context.Context) ([]string, error) {
	keep, err := e.KeepDiscarded(ctx)
	if err != nil {
		return nil, err
	}
	gone, err := trash.Expire(ctx, e.Repo, e.Expiry(ctx, keep))
	if err != nil {
		return nil, fmt.Errorf("cannot delete old discarded work: %w", err)
	}
	for _, run := range gone {
		if err := e.Store.Forget(ctx, checkpoint.RunID(run)); err != nil {
			return gone, err
		}
		if _, err := e.Store.Load(ctx, checkpoint.RunID(run)); err == nil {
			continue // the run was opened again
		}
		if err := trash.ForgetParked(ctx, e.Repo, run); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// Expiry determines which discarded runs are old enough to be deleted. It also asks the journal whether a run was restored, because older
// versions of git-resume can restore a run without updating the record in the trash.
func (e *Stager) Expiry(ctx context.Context, keep time.Duration) trash.Expiry {
	return trash.Expiry{Now: e.Now(), Keep: keep, Back: func(run string) bool {
		j, err := e.Store.Load(ctx, checkpoint.RunID(run))
		return err == nil && !j.Run.Discarded
	}}
}

// KeepDiscarded returns how long a discarded run can be restored.
func (e *Stager) KeepDiscarded(ctx context.Context) (time.Duration, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return c.Duration("resume.keepdiscarded", keepDiscarded)
}

// keepDiscarded is the default time for which a discarded run can be restored.
const keepDiscarded = 30 * 24 * time.Hour
