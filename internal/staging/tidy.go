package staging

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Tidy removes what nobody needs any more: runs discarded long ago, and files that our killed processes left behind.
// Commands that write call Tidy along the way; they do not fail if Tidy does.
func (e *Stager) Tidy(ctx context.Context) {
	_, _ = e.Expire(ctx)
	e.flattenSome(ctx)
	alive, known := e.Procs.All()
	if !known {
		return
	}
	gone := func(pid int) bool { return !slices.Contains(alive, pid) }
	e.Repo.Guard.SweepTemp(gone, e.Now().Add(-24*time.Hour))
}

// flattenSome converts the records of some closed runs to today's format. Those of an open run are converted by the next process to add to them.
func (e *Stager) flattenSome(ctx context.Context) {
	names, err := e.Chained(ctx)
	if err != nil {
		return
	}
	open, err := e.Store.List(ctx, journal.OpenRuns)
	if err != nil {
		return
	}
	done := 0
	for _, name := range names {
		if slices.Contains(open, checkpoint.RunID(name)) {
			continue
		}
		if done++; done > flattenAtOnce {
			return
		}
		_ = trash.Flatten(ctx, e.Repo, name) // doctor reports why it failed
	}
}

// Expire deletes what was discarded long ago, and returns the runs that are gone.
// Commands that write call Expire along the way; commands that only read never do.
func (e *Stager) Expire(ctx context.Context) ([]string, error) {
	keep, err := e.KeepDiscarded(ctx)
	if err != nil {
		return nil, err
	}
	gone, err := trash.Expire(ctx, e.Repo, e.Expiry(ctx, keep))
	if err != nil {
		return nil, fmt.Errorf("forget what was discarded long ago: %w", err)
	}
	for _, run := range gone {
		if err := e.Store.Forget(ctx, checkpoint.RunID(run)); err != nil {
			return gone, err
		}
	}
	return gone, nil
}

// Expiry says what is old enough to delete. The version before undid discards without updating their records, so ask the journal too.
func (e *Stager) Expiry(ctx context.Context, keep time.Duration) trash.Expiry {
	return trash.Expiry{Now: e.Now(), Keep: keep, Back: func(run string) bool {
		j, err := e.Store.Load(ctx, checkpoint.RunID(run))
		return err == nil && !j.Run.Discarded
	}}
}

// KeepDiscarded returns for how long a discarded run can be brought back.
func (e *Stager) KeepDiscarded(ctx context.Context) (time.Duration, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return c.Duration("resume.keepdiscarded", keepDiscarded)
}

// Chained lists the runs, and git's own operations, whose records are still chains of commits. Refs without a run are reported elsewhere.
func (e *Stager) Chained(ctx context.Context) ([]string, error) {
	names, err := trash.Chained(ctx, e.Repo)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	ids, err := e.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(ids, checkpoint.RunID(name)) && !strings.HasPrefix(name, candidate.GitSource+".")
	}), nil
}

// flattenAtOnce is how many closed runs one command converts to today's format; each of them costs several calls of git.
const flattenAtOnce = 3

// keepDiscarded is for how long a discarded run can be brought back, unless the user has set another time.
const keepDiscarded = 30 * 24 * time.Hour
