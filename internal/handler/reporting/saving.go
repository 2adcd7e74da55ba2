package reporting

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Save takes a snapshot of this worktree for a run and records it. The snapshot is empty if there is nothing to save.
func (e *Reporter) Save(ctx context.Context, run, cause string) (*staging.Saved, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	d, err := e.openForPerson(ctx, id)
	if err != nil {
		return nil, err
	}
	if d.j.Run.Closed() {
		return nil, d.allowed(&d.j.Run)
	}
	if err := errors.Join(d.reload(ctx), d.checkPlace(ctx)); err != nil {
		return nil, err
	}
	snap, err := e.Staging.Snapshot(ctx, e.Repo, id, cause)
	if err != nil || snap.ID == "" || !snap.Made && e.Staging.Recorded(ctx, id, snap) {
		e.Store.Settle(ctx, id) // publish the line about this snapshot, if the process that recorded it was killed before it could publish the line
		return &staging.Saved{Journal: d.j, Snapshot: snap}, err
	}
	j, err := e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		saved := checkpoint.Event{Event: checkpoint.Snapshot, Tree: snap.ID, Head: d.head, BaseTip: d.base, Text: cause}
		return append(tasks.FoundEvents(r, d.landed, ""), saved), nil
	}})
	return &staging.Saved{Journal: j, Snapshot: snap}, err
}
