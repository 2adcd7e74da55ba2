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

// Tidy clears away what nobody needs any more: what was discarded long ago, and what killed processes left of ours.
// Commands that write do so in passing; that it fails is no fault of theirs.
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

// flattenSome brings records of closed runs into the form of today. An open one's are by whoever adds to them.
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
		_ = trash.Flatten(ctx, e.Repo, name) // doctor tells why it cannot
	}
}

// Expire forgets what was discarded long ago; writers do so in passing, readers never.
// It names the runs that are no more.
func (e *Stager) Expire(ctx context.Context) ([]string, error) {
	keep, err := e.KeepFor(ctx)
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

// Expiry says what is old enough. The version before takes a discard back without knowing of its record: that counts for nothing then.
func (e *Stager) Expiry(ctx context.Context, keep time.Duration) trash.Expiry {
	return trash.Expiry{Now: e.Now(), Keep: keep, Back: func(run string) bool {
		j, err := e.Store.Load(ctx, checkpoint.RunID(run))
		return err == nil && !j.Run.Discarded
	}}
}

func (e *Stager) KeepFor(ctx context.Context) (time.Duration, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return c.Duration("resume.keepdiscarded", keepDiscarded)
}

// KeepDiscarded is how long what was discarded can be brought back.
func (e *Stager) KeepDiscarded(ctx context.Context) (time.Duration, error) { return e.KeepFor(ctx) }

// Chained are the runs, and the operations of git's own, of which such records are here. Refs of no run are told of elsewhere.
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

// flattenAtOnce is how many closed runs are brought into the form of today in passing: each costs some calls of git.
const flattenAtOnce = 3

// keepDiscarded is how long what was discarded can be brought back, unless the user says otherwise.
const keepDiscarded = 30 * 24 * time.Hour
