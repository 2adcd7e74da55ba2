package reporting

import (
	"context"
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Save takes a snapshot of this worktree for a run and records it with a text, which may be empty. If the newest snapshot already has the
// same files, it records the text with that one, because another process may have taken it for both. The snapshot is empty if there is
// nothing to save.
func (e *Reporter) Save(ctx context.Context, run, text string) (*staging.Saved, error) {
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
	saved := &staging.Saved{Journal: d.j, Text: text}
	saved.Snapshot, err = e.Staging.Snapshot(ctx, e.Repo, id, text)
	snap := saved.Snapshot
	saved.Known = err == nil && snap.ID != "" && !snap.Made && e.Staging.Recorded(ctx, id, snap, text)
	if err != nil || snap.ID == "" || saved.Known {
		e.Store.Settle(ctx, id) // publish the line about this snapshot, if the process that recorded it was killed before it could publish the line
		return saved, err
	}
	saved.Journal, err = e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		taken := checkpoint.Event{Event: checkpoint.Snapshot, Tree: snap.ID, Head: d.head, BaseTip: d.base, Text: text}
		return append(tasks.FoundEvents(r, d.landed, ""), taken), nil
	}})
	return saved, err
}
